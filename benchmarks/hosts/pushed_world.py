"""A world whose only control is its specific force ahead, so that a vehicle adds no delay to a measurement."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from motionbase.record.schema import Channel
from motionbase.record.vehicle import G
from motionbase.worlds.world import Control, Scene, Script

STRONGEST = 3.0  # [m/s^2]


class Pushed:
    """Its specific force ahead is the control, without delay."""

    kind, name, dt, cueing = "drive", "pushed world", 0.005, "drive"
    controls = (Control("push", "push", axis=0, seconds=0.1),)
    channels = (Channel("control_push", "-", "push", "controls"),)
    scripts: Mapping[str, Callable[[], Script]] = {}

    def __init__(self) -> None:
        self.scene: Scene = {"kind": self.kind, "name": self.name}
        self.reset()

    def reset(self) -> None:
        self.steps, self.push = 0, 0.0

    def step(self, controls: Sequence[float]) -> None:
        (self.push,) = controls
        self.steps += 1

    @property
    def t(self) -> float:
        return self.steps * self.dt

    @property
    def vehicle(self) -> tuple[float, ...]:
        return (STRONGEST * self.push, 0.0, G, *(0.0,) * 9, 1.0)

    @property
    def place(self) -> tuple[float, ...]:
        return (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    @property
    def told(self) -> tuple[float, ...]:
        return (self.push,)
