"""Rotors in real time: the cost of a step in forward flight, and how regular it is.

The seed of these models, on an Opteron of 2 GHz in 2005, took 0.830 s for each second of the Puma's rotor with 283
equations at 400 Hz, and 0.581 to 0.900 s for a gimballed proprotor with 131 to 159 equations at 1 kHz.
"""

import functools
from collections.abc import Callable, Mapping
from math import radians
from typing import Any

import numpy as np

from benchmarks.harness import Benchmark, Rounds, Samples, Settings, interleaved, per_evaluation
from benchmarks.peers.timed_steps import slow_steps, timed_steps
from motionbase.compile import scan
from motionbase.multibody.models import MODELS
from motionbase.multibody.network.engine import Network
from motionbase.multibody.network.step import FEEDBACK
from motionbase.rotor.blades.planform import load_planform
from motionbase.rotor.flight.flying import Flying
from motionbase.rotor.flight.march import LANES, March
from motionbase.rotor.inflow.wake_hover import wake_hover
from motionbase.rotor.models.library import rotor_model
from motionbase.rotor.trim.flights import PUMA_123
from motionbase.rotor.trim.trim import Target, first_guess, trim

SEED_PUMA = 0.830  # [s/s] at 400 Hz
BLOCK = 90  # steps in a native call
FLIGHT = {  # about that of flight 123, in an easy turn of the controls
    "collective": radians(13.2), "cyclic_cos": radians(2.1), "cyclic_sin": radians(-7.15), "airspeed": 67.7,
    "shaft_angle": radians(-6.0),
}  # fmt: skip
BEGIN_S = 0.8  # [s] in which settings go to those of the flight


class FlightSteps:
    """Steps of a rotor in forward flight, in a native loop that records nothing."""

    def __init__(
        self, name: str, mode: str = "strict", flight: Mapping[str, float] = FLIGHT, revolutions: int = 6, **more: Any
    ) -> None:
        rotor = rotor_model(name, **more)
        flying = Flying.of(rotor)
        begun = {setting.name: setting.start for setting in rotor.settings}
        goal = {key: value for key, value in flight.items() if key in begun}

        def ramp(t: float) -> Mapping[str, float]:
            part = min(1.0, t / BEGIN_S)
            return {key: (1 - part) * begun[key] + part * value for key, value in goal.items()}

        flying.fly(BLOCK * revolutions, ramp)
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
TOGETHER = ("puma283", "puma283_fast", "puma211"), ("puma_beams",)  # in one run; beams compile for half a minute


@functools.cache
def flights(settings: Settings, sides: tuple[str, ...]) -> Rounds:
    """Seconds a step of some variants, in one run."""
    steps = {side: FlightSteps(*VARIANTS[side]) for side in sides}
    return interleaved({side: per_evaluation(each.run, BLOCK) for side, each in steps.items()}, settings)


def wall(side: str) -> Callable[[Settings], Samples]:
    """Wall seconds for each simulated second."""
    (sides,) = (some for some in TOGETHER if side in some)
    step = rotor_model(VARIANTS[side][0]).step
    return lambda s: flights(s, sides).side(side, 1 / step)


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
    note = f"{1e6 * median:.1f} us a step, residual at most {residuals.max():.1e} N; {slow_steps(times)}"
    return Samples((float(np.quantile(times, 0.99)) / median,), note)


# ---- eight flights at once ------------------------------------------------------------------------------------------


@functools.cache
def trimmed_flights(settings: Settings) -> Rounds:
    """Seconds a revolution with its pilot: on one lane at the speed of flight 123, and on eight from 0 to 75 m/s."""
    sides: dict[str, Callable[[], float]] = {}
    for name, lanes, mode in (("one", 1, "strict"), ("eight", LANES, "strict"), ("eight fast", LANES, "fast")):
        march = March.of(rotor_model("puma"), lanes, "fast" if mode == "fast" else "strict")
        speeds = np.linspace(0.0, 75.0, lanes) if lanes > 1 else np.array([FLIGHT["airspeed"]])
        controls = [first_guess(march.rotor, Target(45_000.0, 0.0, 0.0, V, -9e-4 * V)) for V in speeds.tolist()]
        march.set_controls(np.array(controls))
        march.reach(np.stack([speeds, -9e-4 * speeds], axis=-1))
        sides[name] = per_evaluation(march.revolutions, 4)
    return interleaved(sides, settings)


def lanes_gain(side: str) -> Callable[[Settings], Samples]:
    """Steps times lanes a second over those of one lane."""

    def gain(settings: Settings) -> Samples:
        found = trimmed_flights(settings).ratio("one", side)
        step = 1e6 / BLOCK * float(np.median(trimmed_flights(settings).side(side, 1.0).values)) / LANES
        return Samples(tuple(LANES * x for x in found.values), f"{step:.1f} us a step and lane")

    return gain


# ---- the proprotor of the seed's Table 2 ---------------------------------------------------------------------------

TILTROTORS = {  # equations: name, and the seed's time at 1 kHz [s/s]
    131: ("tiltrotor", 0.581), 139: ("tiltrotor_wing", 0.705), 151: ("tiltrotor_assembled", 0.771),
    159: ("tiltrotor_wing_assembled", 0.900),
}  # fmt: skip
CRUISE = {"airspeed": 75.0, "collective": radians(43.5)}


@functools.cache
def tiltrotors(settings: Settings) -> Rounds:
    """Seconds a step of all four, in one run; each must have its equations."""
    sides = {}
    for equations, (name, _) in TILTROTORS.items():
        flown = FlightSteps(name, flight=CRUISE, revolutions=12)
        if (found := flown.network.equations) != equations:
            raise RuntimeError(f"{name} has {found} equations, {equations} are wanted")
        sides[str(equations)] = per_evaluation(flown.run, BLOCK)
    return interleaved(sides, settings)


def proprotor_wall(equations: int) -> Callable[[Settings], Samples]:
    """Wall seconds for each simulated second, beside the seed's."""

    def measured(settings: Settings) -> Samples:
        found = tiltrotors(settings).side(str(equations), 1e3)
        ratio = TILTROTORS[equations][1] / float(np.median(found.values))
        return Samples(found.values, f"{found.note}; {ratio:.0f} times faster than the seed's".lstrip("; "))

    return measured


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


# ---- hover ---------------------------------------------------------------------------------------------------------

MEASURED_CT = {5.0: 0.00213, 8.0: 0.00459, 12.0: 0.00796}  # Caradonna & Tung 1981, by collective [deg], 1250 rpm


def thrust_ratio_error(_: Settings) -> Samples:
    """The larger error of the ratios of thrust at 8 and 5, and at 12 and 8 degrees, in a free wake."""
    model, measured = load_planform("caradonna_tung"), np.array(list(MEASURED_CT.values()))
    found = np.array([wake_hover(model, radians(pitch)).thrust_coefficient for pitch in MEASURED_CT])
    ratios = found[1:] / found[:-1] / (measured[1:] / measured[:-1])
    thrusts = ", ".join(f"{ct:.5f} at {pitch:g} deg" for pitch, ct in zip(MEASURED_CT, found, strict=True))
    return Samples((float(np.abs(ratios - 1).max()),), f"C_T {thrusts}")


def trim_123(settings: Settings) -> Samples:
    """Largest difference of a control from the published ones of flight 123 [deg]."""
    found = np.degrees(trim(rotor_model("puma"), PUMA_123.target).controls)
    beside = {name: np.array(controls) for name, controls in PUMA_123.published.items()}
    apart = [float(np.abs(found - controls).max()) for controls in beside.values()]
    told = "; ".join(f"{name}: {', '.join(f'{x:g}' for x in controls)}" for name, controls in beside.items())
    return Samples((min(apart),), f"collective, cos, sin {', '.join(f'{x:.2f}' for x in found)} deg; {told}")


BENCHMARKS = [
    Benchmark("rotor.puma283_s_per_s", "s/s", "<= 0.05", "Puma, rigid blades, 283 equations, 402 Hz, forward flight",
              wall("puma283"), "strict", 1),
    *(
        Benchmark(f"rotor.tiltrotor{n}_1khz_s_per_s", "s/s", "<= 0.03" if n == 131 else None,
                  f"gimballed proprotor, {n} equations, 1 kHz; {seed:.3f} in 2005", proprotor_wall(n), "strict", 1)
        for n, (_, seed) in TILTROTORS.items()
    ),
    Benchmark("rotor.p99_over_median", "x", "<= 1.5", "wall time of a step, 283 equations, collective stirred",
              regularity, "strict", 1),
    Benchmark("rotor.lanes8_gain", "x", ">= 3", "Puma with a pilot: steps of eight flights at once, 0 to 75 m/s, in a "
              "native loop with eight lanes / of one", lanes_gain("eight"), "strict", 1),
    Benchmark("rotor.hover_ct_ratio_error", "-", "<= 0.05", "Caradonna and Tung at 5, 8, 12 degrees, inflow of a free "
              "wake", thrust_ratio_error),
    Benchmark("rotor.puma_beams_s_per_s", "s/s", "<= 0.3", "the same with five beams a blade, 763 equations",
              wall("puma_beams"), "strict", 1),
    Benchmark("rotor.trim_123", "deg", None, "Puma, flight 123, uniform inflow: largest difference from published "
              "controls", trim_123, "strict", 1),
    Benchmark("rotor.puma283_vs_seed", "x", None, "0.830 s/s of 2005 / ours",
              lambda s: Samples(tuple(SEED_PUMA / x for x in wall("puma283")(s).values)), "strict", 1),
    Benchmark("rotor.puma283_fast_s_per_s", "s/s", None, "283 equations, fast mode", wall("puma283_fast"), "fast", 1),
    Benchmark("rotor.lanes8_fast_gain", "x", None, "the same, eight lanes in fast mode / one in strict",
              lanes_gain("eight fast"), "fast", 1),
    Benchmark("rotor.puma211_s_per_s", "s/s", None, "lag and flap about one centre, 211 equations",
              wall("puma211"), "strict", 1),
    Benchmark("rotor.robot_flexible_cost", "x", None, "six-axis robot at 1 kHz: step with arms of beams / rigid",
              lambda s: robots(s).ratio("comau_flexible", "comau"), "strict", 1),
    Benchmark("rotor.robot_flexible_1khz_s_per_s", "s/s", None, "the robot with arms of beams",
              lambda s: robots(s).side("comau_flexible", 1e3), "strict", 1),
]  # fmt: skip
