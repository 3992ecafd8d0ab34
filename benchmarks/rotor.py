"""Rotors in real time: the cost of a step in forward flight, and how regular it is.

The seed of these models, on an Opteron of 2 GHz in 2005, took 0.830 s for each second of the Puma's rotor with 283
equations at 400 Hz.
"""

import functools
from collections.abc import Callable
from math import radians
from typing import Any

import numpy as np

from benchmarks.harness import Benchmark, Rounds, Samples, Settings, interleaved, per_evaluation
from benchmarks.peers.timed_steps import timed_steps, watched_clock
from motionbase.compile import scan
from motionbase.multibody.models import MODELS
from motionbase.multibody.network.engine import Network
from motionbase.multibody.network.step import FEEDBACK
from motionbase.rotor.flying import Flying
from motionbase.rotor.models import rotor_model

SEED_PUMA = 0.830  # [s/s] at 400 Hz
BLOCK = 90  # steps in a native call
FLIGHT = {  # about that of flight 123, in an easy turn of the controls
    "collective": radians(13.2), "cyclic_cos": radians(2.1), "cyclic_sin": radians(-7.15), "airspeed": 67.7,
    "shaft_angle": radians(-6.0),
}  # fmt: skip
BEGIN_S = 0.8  # [s] in which settings go to those of the flight


class FlightSteps:
    """Steps of a rotor in forward flight, in a native loop that records nothing."""

    def __init__(self, name: str, mode: str = "strict", revolutions: int = 6, **changes: Any) -> None:
        rotor = rotor_model(name, **changes)
        flying = Flying.of(rotor)
        begun = {setting.name for setting in rotor.settings}
        goal = {key: value for key, value in FLIGHT.items() if key in begun}
        flying.fly(BLOCK * revolutions, lambda t: {key: value * min(1.0, t / BEGIN_S) for key, value in goal.items()})
        self.rotor, self.network, self.state = rotor, flying.network, dict(flying.state)
        self.held = rotor.numbers(**goal)
        self.weights = flying.network.method.weights(1.0).row(flying.network.step_size)
        chosen = "fast" if mode == "fast" else "strict"
        self.loop = scan(flying.network.program, FEEDBACK, record=["residual"], mode=chosen)  # type: ignore[arg-type]

    def run(self, n: int) -> None:
        """So many steps."""
        out = self.loop(n, **{**self.held, **self.state, "weights": self.weights})
        self.state = {name: out[name] for name in FEEDBACK}


VARIANTS = {
    "puma283": ("puma", "strict"), "puma283_fast": ("puma", "fast"), "puma211": ("puma_compact", "strict"),
    "puma_beams": ("puma_beams", "strict"),
}  # fmt: skip


@functools.cache
def flights(settings: Settings) -> Rounds:
    """Seconds a step of all variants, in one run."""
    steps = {side: FlightSteps(name, mode) for side, (name, mode) in VARIANTS.items()}
    return interleaved({side: per_evaluation(each.run, BLOCK) for side, each in steps.items()}, settings)


def wall(side: str) -> Callable[[Settings], Samples]:
    """Wall seconds for each simulated second."""
    step = rotor_model(VARIANTS[side][0]).step
    return lambda s: flights(s).side(side, 1 / step)


def regularity(settings: Settings) -> Samples:
    """99th percentile over median of the time of a step, the controls being stirred."""
    count = 20_000 if settings.quick else 100_000
    flown = FlightSteps("puma")
    t = flown.rotor.step * np.arange(count)
    stirred = FLIGHT["collective"] + radians(1.0) * np.sin(2 * np.pi * 0.5 * t)
    given = {**flown.held, **flown.state, "weights": flown.weights}
    given.pop("pitch_collective")
    times, residuals = timed_steps(flown.network.program, FEEDBACK, given, ("pitch_collective", stirred[:, None]),
                                   "residual")  # fmt: skip
    median = float(np.median(times))
    idle = watched_clock(count, median)
    notes = "; ".join(
        f"{name} p99.9 {np.quantile(of, 0.999) / median:.2f}, max {of.max() / median:.1f}"
        for name, of in (("steps", times), ("clock alone", idle))
    )
    note = f"{1e6 * median:.1f} us a step, residual at most {residuals.max():.1e} N; {notes}"
    return Samples((float(np.quantile(times, 0.99)) / median,), note)


# ---- the robot with slender members that bend ----------------------------------------------------------------------


@functools.cache
def robots(settings: Settings) -> Rounds:
    """Seconds a step of 1 ms, rigid and with arms of beams."""
    sides = {}
    for name in ("comau", "comau_flexible"):
        network = Network(MODELS[name].build(), 1e-3, ground_node=True)
        held = {port.name: np.zeros(port.dims) for port in network.network.ports}
        loop = scan(network.program, FEEDBACK, record=["residual"])
        state: dict[str, Any] = {**network.start().ports(), "worst": np.zeros(2)}
        first = loop(1, **{**state, **held, "weights": network.method.start().row(1e-3)})
        kept = {key: first[key] for key in FEEDBACK}
        weights = network.method.weights(1.0).row(1e-3)

        def run(n: int, loop: Any = loop, kept: dict[str, Any] = kept, held: Any = held, w: Any = weights) -> None:
            out = loop(n, **{**kept, **held, "weights": w})
            kept.update({key: out[key] for key in FEEDBACK})

        sides[name] = per_evaluation(run, 200)
    return interleaved(sides, settings)


BENCHMARKS = [
    Benchmark("rotor.puma283_s_per_s", "s/s", "<= 0.05", "Puma, rigid blades, 283 equations, 402 Hz, forward flight",
              wall("puma283"), "strict", 1),
    Benchmark("rotor.puma_beams_s_per_s", "s/s", "<= 0.3", "the same with five beams a blade, 763 equations",
              wall("puma_beams"), "strict", 1),
    Benchmark("rotor.p99_over_median", "x", "<= 1.5", "wall time of a step, 283 equations, collective stirred",
              regularity, "strict", 1),
    Benchmark("rotor.puma283_vs_seed", "x", None, "0.830 s/s of 2005 / ours",
              lambda s: Samples(tuple(SEED_PUMA / x for x in wall("puma283")(s).values)), "strict", 1),
    Benchmark("rotor.puma283_fast_s_per_s", "s/s", None, "283 equations, fast mode", wall("puma283_fast"), "fast", 1),
    Benchmark("rotor.puma211_s_per_s", "s/s", None, "lag and flap about one centre, 211 equations",
              wall("puma211"), "strict", 1),
    Benchmark("rotor.robot_flexible_cost", "x", None, "six-axis robot at 1 kHz: step with arms of beams / rigid",
              lambda s: robots(s).ratio("comau_flexible", "comau"), "strict", 1),
    Benchmark("rotor.robot_flexible_1khz_s_per_s", "s/s", None, "the robot with arms of beams",
              lambda s: robots(s).side("comau_flexible", 1e3), "strict", 1),
]  # fmt: skip
