"""The world of the simple mode: wave and boat as a `World` of kind boat."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import final

from motionbase.worlds.boat.channels import CHANNELS, CONTROLS, throttle_and_rudder
from motionbase.worlds.felt import felt, quaternion
from motionbase.worlds.seed.boat import Boat, Course, Motion, Pull, afloat, pull, sailed
from motionbase.worlds.seed.scene import scene_of
from motionbase.worlds.seed.wave import Wave
from motionbase.worlds.world import Scene, Script

DT = 0.005
EYE = (-0.4, 0.0, 1.3)  # of a person at the wheel, from the middle of the box's bottom [m]; illustrative


def cruise(t: float) -> tuple[float, float]:
    """A winding course at two thirds of the speed."""
    return 0.65, 0.5 * math.sin(2 * math.pi * t / 24)


def circle(t: float) -> tuple[float, float]:
    """A steady turn, so that waves come from all sides."""
    return 0.5, 0.4


def drift(t: float) -> tuple[float, float]:
    """Engine off, like the published boat, which only stays on its floor."""
    return 0.0, 0.0


@final
@dataclass
class SeedWorld:
    """The boat on its wave."""

    boat: Boat = field(default_factory=Boat)
    wave: Wave = field(default_factory=Wave)

    kind = "boat"
    name = "simple boat on a looping wave"
    dt = DT
    controls = CONTROLS
    channels = CHANNELS
    cueing = "marine"

    def __post_init__(self) -> None:
        self.scripts: Mapping[str, Callable[[], Script]] = {
            "cruise": lambda: cruise, "circle": lambda: circle, "drift": lambda: drift,
        }  # fmt: skip
        self.reset()

    def reset(self) -> None:
        """Begin again, at time 0."""
        self._ticks, self._course, self._held = 0, Course(), (0.0, 0.0)
        self._see(pull(self.boat, self._course, *self._held))

    def step(self, controls: Sequence[float]) -> None:
        """One step with these controls; a value that is not finite counts as 0."""
        throttle, rudder = throttle_and_rudder(controls)
        self._held = throttle, rudder
        self._course = sailed(self.boat, self._course, throttle, rudder, DT)
        self._ticks += 1
        self._see(pull(self.boat, self._course, throttle, rudder))

    def _see(self, by: Pull) -> None:
        self._motion: Motion = afloat(self.boat, self.wave, self.t, self._course, by)

    @property
    def t(self) -> float:
        """Time of the world [s]."""
        return self._ticks * DT

    @property
    def motion(self) -> Motion:
        """Of the box's middle, in full."""
        return self._motion

    @property
    def vehicle(self) -> tuple[float, ...]:
        """What a person at the wheel feels."""
        m = self._motion
        return felt(m.angles, m.omega, m.alpha, m.a, EYE)

    @property
    def place(self) -> tuple[float, ...]:
        """(10,) place, attitude and velocity of the middle of the box."""
        m = self._motion
        return (*m.p, *quaternion(m.angles), *m.v)

    @property
    def told(self) -> tuple[float, ...]:
        """Values of the world's channels."""
        progress, _, _ = self.wave.progression.at(self.t)
        throttle, rudder = self._held
        at = self._motion.p[2]
        return (throttle, rudder, self._course.speed, self._course.heading, 0.0, throttle, 0.0, 0.0, at, 1.0, 0.0, 0.0,
                0.0, 0.0, 0.0, progress)  # fmt: skip

    @property
    def scene(self) -> Scene:
        """For viewers: docs/worlds.md."""
        return scene_of(self.name, self.boat, self.wave, CONTROLS, EYE)
