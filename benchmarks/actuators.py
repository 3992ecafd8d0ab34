"""Steps of actuators: six legs of one platform in sequence, and many platforms on lanes.

The legs are an inner loop over arrays, so that no part of a step can be moved out of the loop over steps. It runs one
leg after the other; `hexapod.for_each_gain` shows the effect of lanes on such loops.

    python -m benchmarks.actuators docs/pictures/actuators.png    # draws a leg's way into its cushion
"""

import functools
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from benchmarks.harness import Benchmark, Rounds, Samples, Settings, interleaved, per_evaluation
from motionbase.actuators import electric_step, leg_step
from motionbase.actuators.example import LEG, SCREW, STROKE
from motionbase.actuators.single_leg import single_leg_step
from motionbase.compile import Kernel, Port, Program, for_each, scan
from motionbase.compile.inspection.report import describe

H = 5e-4
SHARED = ("h", "p_supply", "p_return", "abort")
VALUES: dict[str, float] = {
    "h": H,
    "l": 2.7,
    "l_next": 2.7001,
    "l_dot_next": 0.2,
    "u": 0.2,
    "p_supply": LEG.p_supply,
    "p_return": LEG.p_return,
    "abort": 0.0,
}
START = {"leg_step": [0.2, 0.0, 8e6, 6e6, 0.0], "electric_step": [4e3, 4e3, 0.0, 0.0]}
KERNELS = {
    "hydraulic": leg_step(LEG, STROKE, h=H),
    "hydraulic_energy": leg_step(LEG, STROKE, h=H, energy=True),
    "electric": electric_step(SCREW, STROKE),
}
Mode = Literal["strict", "fast"]


def six(leg: Kernel) -> Program:
    """The legs of one platform."""

    def wide(port: Port) -> Port:
        return port if port.name in SHARED else replace(port, shape=(6, *port.dims))

    def expr(*values: Any) -> Any:
        given = dict(zip((p.name for p in leg.inputs), values, strict=True))
        own = [name for name in given if name not in SHARED]
        held = {name: given[name] for name in SHARED if name in given}
        return for_each(lambda *row: leg(**held, **dict(zip(own, row, strict=True))), *(given[name] for name in own))

    return Program("six_legs", tuple(map(wide, leg.inputs)), tuple(map(wide, leg.outputs)), expr)


def side(leg: Kernel, mode: Mode, lanes: int) -> Callable[[], float]:
    """Seconds of six leg steps, on every lane."""
    unit = six(leg)
    run = scan(unit, {"x": "x_next"}, mode=mode, lanes=lanes, each="loops")
    arrays: dict[str, Any] = {}
    for port in unit.inputs:
        shape = port.dims + ((lanes,) if lanes > 1 else ())
        start = np.array(START[leg.name])[:, None] if lanes > 1 else np.array(START[leg.name])
        arrays[port.name] = np.broadcast_to(start, shape) if port.name == "x" else np.full(shape, VALUES[port.name])
    return per_evaluation(lambda n: run(n, **arrays))


@functools.cache
def rounds(settings: Settings) -> Rounds:
    """All sides in turn."""
    modes: tuple[Mode, ...] = ("strict", "fast")
    sides = {
        f"{name}_{mode}_{lanes}": side(leg, mode, lanes)
        for name, leg in KERNELS.items()
        for mode in modes
        for lanes in (1, 8)
    }
    return interleaved(sides, settings)


def _row(name: str, mode: Mode, lanes: int, bar: str | None) -> Benchmark:
    def measure(settings: Settings) -> Samples:
        found = rounds(settings).side(f"{name}_{mode}_{lanes}", 1e9 / (6 * lanes))
        count = describe(KERNELS[name])
        return Samples(found.values, f"{count.instructions} operations, {count.flops} flops")

    ending = "" if lanes == 1 else f"_lanes{lanes}"
    text = f"one step of one leg, {name.replace('_', ' with ')}" + ("" if lanes == 1 else f", on {lanes} lanes")
    return Benchmark(f"actuators.{name}_{mode}{ending}_ns", "ns", bar, text, measure, mode, lanes)


BENCHMARKS = [
    _row(name, mode, lanes, "<= 150" if (name, mode, lanes) == ("hydraulic", "strict", 1) else None)
    for name in KERNELS
    for mode in ("strict", "fast")
    for lanes in (1, 8)
]


def draw(path: Path) -> None:
    """700 kg retracting into the lower cushion: length, speed and pressures at 0.5 ms and at 10 us."""
    from matplotlib.figure import Figure

    m, p_rod = 700.0, 5e6
    x = np.array([0.0, 0.0, (m * 9.80665 + LEG.area_rod * p_rod) / LEG.area_cap, p_rod, 0.0])
    feedback = {"x": "x_next", "l": "l_next", "l_dot": "l_dot_next", "l_ddot": "l_ddot_next"}
    run = scan(single_leg_step(LEG, STROKE), feedback, record=["x_next", "l_next", "l_dot_next"])
    figure = Figure(figsize=(12, 3.6), layout="constrained")
    panels = figure.subplots(1, 3)
    for h, style in ((1e-5, {"color": "0.6", "lw": 3}), (H, {"color": "C0", "lw": 1})):
        n = round(0.6 / h)
        held: dict[str, Any] = {"u": -0.6, "p_supply": LEG.p_supply, "p_return": LEG.p_return, "abort": 0.0}
        rows = run(n, h=h, m=m, f_load=-m * 9.80665, x=x, l=2.25, l_dot=0.0, l_ddot=0.0, **held)
        t = h * np.arange(1, n + 1)
        label = f"step {1e6 * h:g} us"
        panels[0].plot(t, rows["l_next"], label=label, **style)
        panels[1].plot(t, rows["l_dot_next"], label=label, **style)
        panels[2].plot(t, 1e-5 * rows["x_next"][:, 2:4], label=[f"cap, {label}", f"rod, {label}"], **style)
    panels[0].axhspan(STROKE.hard_min, STROKE.hard_min + STROKE.cushion, color="0.92")
    for panel, text in zip(panels, ("length [m]", "speed [m/s]", "pressure, cap and rod [bar]"), strict=True):
        panel.set_xlabel("time [s]")
        panel.set_ylabel(text)
    panels[0].legend()
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    draw(Path(sys.argv[1]))
