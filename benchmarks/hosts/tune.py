"""Tuning of motion cueing: how many ten-second runs a search judges in a second, with all that a search does."""

import functools
import os

from benchmarks.harness import Benchmark, Rounds, Samples, Settings, interleaved, per_evaluation
from benchmarks.peers.recorders import unpinned
from motionbase.cueing.cueing import Cueing
from motionbase.cueing.tune.scores import Judge, cases_of
from motionbase.cueing.tune.search import Search
from motionbase.cueing.tune.space import Space
from motionbase.host.manoeuvres import manoeuvre
from motionbase.platform.load import load_platform

CASES = ("landing", "turn", "engine_failure", "double_lane_change")
SECONDS, HOST_HZ, RATE_HZ = 10.0, 60.0, 200.0
POPULATION = 64
THREADS = min(2, os.cpu_count() or 1)


@functools.cache
def generations(settings: Settings) -> Rounds:
    """A generation: children, their runs over all manoeuvres, sorting."""
    made = [manoeuvre(name, HOST_HZ, duration=SECONDS) for name in CASES]
    cueing = Cueing.of(load_platform("simona"), "simona", dt=1 / RATE_HZ)
    search = Search(Space(Judge(cueing, cases_of([(m.name, m.t, m.rows) for m in made]), threads=THREADS)), POPULATION)
    state = search.begun()

    def loop(n: int) -> None:
        nonlocal state
        for _ in range(n):
            state = search.after(state)

    with unpinned():  # threads that begin now may run on every processor
        return interleaved({"generation": per_evaluation(loop)}, settings)


def runs(settings: Settings) -> Samples:
    """Runs per second, of as many as two cores."""
    return generations(settings).rate("generation", POPULATION * len(CASES))


BENCHMARKS = [
    Benchmark(
        "host.tune_runs_per_s",
        "1/s",
        ">= 2000",
        f"ten-second runs of classical cueing at {RATE_HZ:g} Hz that a search judges on two cores, {len(CASES)} "
        "manoeuvres, all steps of the search included",
        runs,
        mode="strict",
        lanes=8,
    ),
]
