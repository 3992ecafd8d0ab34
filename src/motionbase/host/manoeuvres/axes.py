"""Steps, ramps, doublets and sines of one axis, as reports on washout show them."""

from __future__ import annotations

import math
from collections.abc import Callable

from motionbase.host.manoeuvres.rigid import Story, accelerating
from motionbase.host.manoeuvres.signals import Signal, pulse, signal, sine, step
from motionbase.host.manoeuvres.table import Option, recipe
from motionbase.record.axes import ANGULAR, LINEAR

SOURCE = "a shape that papers on washout use; numbers illustrative"
BEGIN, EDGE = 1.0, 0.1  # [s] where signals begin, and how long a step takes

SHAPES: dict[str, tuple[str, dict[str, Option], Callable[..., Signal]]] = {
    "step": ("a step", {}, lambda: step(BEGIN, EDGE)),
    "ramp": (
        "a ramp, then constant",
        {"rise": Option(3.0, "s", "time of the ramp", 0.1, 60.0)},
        lambda rise: step(BEGIN, rise, smooth=1),
    ),
    "doublet": (
        "a doublet",
        {"width": Option(2.0, "s", "of each half", 0.3, 60.0)},
        lambda width: pulse(BEGIN, EDGE, width - EDGE, EDGE) - pulse(BEGIN + width, EDGE, width - EDGE, EDGE),
    ),
    "sine": (
        "a sine",
        {"frequency": Option(0.2, "Hz", "", 0.01, 20.0)},
        lambda frequency: sine(frequency) * step(0.0, 1.0),
    ),
}


def _linear(axis: int, shape: Callable[..., Signal]) -> Callable[..., Story]:
    def story(amplitude: float, **options: float) -> Story:
        parts = [signal(0.0)] * 3
        parts[axis] = amplitude * shape(**options)
        return Story(accelerating(*parts))

    return story


def _angular(axis: int, shape: Callable[..., Signal], is_rate: bool) -> Callable[..., Story]:
    def story(amplitude: float, **options: float) -> Story:
        made = math.radians(amplitude) * shape(**options)
        angle = made.integral if is_rate else made
        roll, pitch, yaw = (angle if k == axis else signal(0.0) for k in range(3))
        return Story(accelerating(), roll, pitch, yaw)

    return story


for name, (text, own, shape) in SHAPES.items():
    for axis, dof in enumerate(LINEAR):
        recipe(
            "axis",
            f"{text} of {dof} acceleration",
            name=f"{dof}_{name}",
            source=SOURCE,
            duration=15.0,
            amplitude=Option(1.0, "m/s^2", "acceleration", 0.001, 20.0),
            **own,
        )(_linear(axis, shape))
    for axis, dof in enumerate(ANGULAR):
        is_rate = name != "sine"  # a sine with a smooth beginning has no integral in closed form: its angle is the sine
        recipe(
            "axis",
            f"{text} of {dof}{' rate' if is_rate else ''}",
            name=f"{dof}_{name}",
            source=SOURCE,
            duration=15.0 if not is_rate else 8.0,
            amplitude=Option(4.0, "deg/s" if is_rate else "deg", "rate" if is_rate else "angle", 0.01, 60.0),
            **own,
        )(_angular(axis, shape, is_rate))
