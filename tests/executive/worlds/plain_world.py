"""A world of one control for tests: an accelerometer that shows it, and a place that counts steps."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from motionbase.record.schema import Channel
from motionbase.record.vehicle import G
from motionbase.worlds.world import Control, Script


class PlainWorld:
    """f_x is the control, x the number of steps; it breaks at a control above 0.9 where `breaks`."""

    kind, name, dt, cueing = "drive", "plain world", 0.005, "drive"
    controls = (Control("push", "push", keys=("ArrowDown", "ArrowUp"), seconds=0.1),)
    channels = (
        Channel("control_push", "-", "push", "controls"),
        Channel("resets", "-", "times that it began", "plain"),
    )
    scene: dict[str, Any]

    def __init__(self, breaks: str = "") -> None:
        self.scene = {"kind": self.kind, "name": self.name}
        self.scripts: Mapping[str, Callable[[], Script]] = {"half": lambda: lambda t: (0.5,), "slow": self._slow}
        self.breaks, self.resets, self.begin = bool(breaks), 0, 0.0

    def _slow(self) -> Script:
        return lambda t: (0.1 * math.sin(t),)

    def reset(self) -> None:
        self.steps, self.push, self.resets = 0, 0.0, self.resets + 1

    def step(self, controls: Sequence[float]) -> None:
        (self.push,) = controls
        self.steps += 1

    @property
    def t(self) -> float:
        return self.steps * self.dt

    @property
    def vehicle(self) -> tuple[float, ...]:
        f_x = math.nan if self.breaks and self.push > 0.9 else self.push
        return (f_x, 0.0, G, *(0.0,) * 9, 1.0)

    @property
    def place(self) -> tuple[float, ...]:
        return (float(self.steps), 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0)

    @property
    def told(self) -> tuple[float, ...]:
        return self.push, float(self.resets)
