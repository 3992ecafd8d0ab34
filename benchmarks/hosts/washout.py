"""Motion cueing: a tick of each algorithm."""

import functools
from typing import Any

import numpy as np

from benchmarks.harness import Benchmark, Rounds, Settings, interleaved, per_evaluation
from motionbase.compile import scan
from motionbase.cueing.cueing import Cueing
from motionbase.platform.load import load_platform

FILTERS = ("classical", "adaptive", "optimal")
TICKS, HERTZ = 20_000, 60.0
PUSH = (1.0, 1.5, 2.0, 0.1, 0.1, 0.1)  # m/s^2, rad/s: an ordinary manoeuvre, whose onset reaches no end


@functools.cache
def ticks(settings: Settings) -> Rounds:
    """Seconds of a tick at 2 kHz over a manoeuvre told at 60 Hz, by algorithm."""
    sides = {}
    for name in FILTERS:
        cueing = Cueing.of(load_platform("simona"), "simona", algorithm=name)
        loop = scan(cueing.program, per_step=("vehicle", "vehicle_count"), record=("host_frame", "cue_error"))
        t = np.arange(TICKS) * cueing.dt
        vehicle = np.zeros((TICKS, 13))
        vehicle[:, 2] = 9.80665
        vehicle[:, :6] += np.sin(t[:, None] * [0.7, 1.1, 2.0, 1.3, 0.9, 0.5]) * PUSH
        given: dict[str, Any] = {
            "parameters": cueing.parameter_vector(), "x": cueing.initial_state(),
            "vehicle": vehicle, "vehicle_count": 1.0 + np.floor(t * HERTZ),
        }  # fmt: skip

        sides[name] = per_evaluation(functools.partial(loop, **given), TICKS)
    return interleaved(sides, settings)


BENCHMARKS = [
    Benchmark(
        "host.washout_us", "us", "<= 1", "a tick of the classical washout at 2 kHz, with limits and feelings",
        lambda s: ticks(s).side("classical", 1e6), mode="strict", lanes=1,
    ),
    Benchmark(
        "host.washout_adaptive_us", "us", None, "a tick of the adaptive washout",
        lambda s: ticks(s).side("adaptive", 1e6), mode="strict", lanes=1,
    ),
    Benchmark(
        "host.washout_optimal_us", "us", None, "a tick of the optimal washout",
        lambda s: ticks(s).side("optimal", 1e6), mode="strict", lanes=1,
    ),
]  # fmt: skip
