"""Traffic around a boat: a step of it, with the wakes of three craft at the boat."""

import functools
from typing import Any

import casadi as ca
import numpy as np

from benchmarks.harness import Benchmark, Rounds, Settings, interleaved, per_evaluation
from motionbase.compile import Port, Program, Struct, q, scan
from motionbase.worlds.boat.traffic.among import Among
from motionbase.worlds.boat.traffic.contact import Fenders
from motionbase.worlds.boat.traffic.sets import traffic_named
from motionbase.worlds.boat.traffic.step import TRAFFIC, Adrift, Touched, Traffic
from motionbase.worlds.boat.vessel import load_vessel

SX = ca.SX
STEPS = 500
PLACE = (250.0, 5.0, 0.3)  # on the fairway, between the wakes of ferry and pilot boat
START = 30.0  # [s]


class Moored(Struct):
    """Time and buoys."""

    t: SX = q("s")
    adrift: Adrift = q(of=Adrift)


def step(traffic: Any, fenders: Any, p: Any, Q: Any, V: Any, state: Moored) -> Any:
    """A step of traffic around a boat that is held in place."""
    _, touched, adrift = TRAFFIC(traffic, fenders, state.t, SX(0.005), p, Q, V, SX.zeros(6), state.adrift)
    return Moored(state.t + 0.005, adrift), touched


PROGRAM = Program(
    "traffic_alone",
    (
        Traffic.port("traffic"), Fenders.port("fenders"), Port("p", 3, "m"), Port("Q", 4), Port("V", 6, "m/s, rad/s"),
        Moored.port("state"),
    ),
    (Moored.port("state_next"), Touched.port("touched")),
    step,
)  # fmt: skip


@functools.cache
def steps(settings: Settings) -> Rounds:
    """Seconds of a step of the harbour."""
    among = Among(traffic_named("harbour"), load_vessel("launch"))
    loop = scan(PROGRAM, record=[])
    given: dict[str, Any] = {
        "traffic": among.traffic.parameters, "fenders": among.fenders, "p": np.array(PLACE),
        "Q": np.array([1.0, 0, 0, 0]), "V": np.zeros(6), "state": Moored.layout.vector({"t": START}),
    }  # fmt: skip
    return interleaved({"harbour": per_evaluation(functools.partial(loop, **given), STEPS)}, settings)


BENCHMARKS = [
    Benchmark(
        "worlds.traffic_us", "us", "<= 8", "a step of the traffic of the harbour, with wakes at the boat",
        lambda s: steps(s).side("harbour", 1e6), lanes=1,
    ),
]  # fmt: skip
