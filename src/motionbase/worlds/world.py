"""The interface of a world: a vehicle that is steered, moves, reports what a person in it feels, and can be drawn."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, final

from motionbase.errors import UsageError
from motionbase.record.schema import NAME, Channel
from motionbase.record.world import AXIS_COUNT, BUTTON_COUNT, KEY_PLACES

Scene = dict[str, Any]
"""What viewers draw, as JSON; see docs/worlds.md."""


@final
@dataclass(frozen=True)
class Control:
    """Something a driver moves; raises `UsageError` if it is not well formed.

    Attributes:
        name: its channel in the record is control_NAME
        text: for people
        least, most, rest: its limits, and its value while nobody touches it
        keys: the keys that move it to its least and to its most, by names of `record.world.KEYS`
        axis: of a gamepad, by index in the standard layout; None for none
        turned: the axis acts in the opposite direction
        buttons: of a gamepad, the buttons that move it to its least and to its most, by index
        springs: returns to its rest when it is released
        seconds: from one limit to the other by keys or buttons [s]
    """

    name: str
    text: str
    least: float = -1.0
    most: float = 1.0
    rest: float = 0.0
    keys: tuple[str | None, str | None] = (None, None)
    axis: int | None = None
    turned: bool = False
    buttons: tuple[int | None, int | None] = (None, None)
    springs: bool = True
    seconds: float = 1.0

    def __post_init__(self) -> None:
        if wrong := self._wrong():
            raise UsageError(f"control {self.name!r:.60}: {wrong}")

    def _wrong(self) -> str:
        """What is not well formed, "" if nothing is."""
        if not NAME.fullmatch(f"control_{self.name}"):
            return "its name must be lower-case letters, digits and underscores, 56 at most"
        if not (-math.inf < self.least <= self.rest <= self.most < math.inf and self.least < self.most):
            return f"least, rest and most are {self.least}, {self.rest}, {self.most}; they must be finite and ascend"
        if not 0.0 < self.seconds < math.inf:
            return f"seconds is {self.seconds}, it must be finite and above 0"
        if any(len(pair) != 2 for pair in (self.keys, self.buttons)):
            return "keys and buttons are pairs: to its least, to its most; None for none"
        if strange := [key for key in self.keys if key is not None and key not in KEY_PLACES]:
            return f"no key {strange[0]!r:.60}; there are {', '.join(KEY_PLACES)}"
        if self.axis is not None and self.axis not in range(AXIS_COUNT):
            return f"axis is {self.axis!r:.60}, it must be 0 to {AXIS_COUNT - 1}"
        if strange_buttons := [k for k in self.buttons if k is not None and k not in range(BUTTON_COUNT)]:
            return f"button is {strange_buttons[0]!r:.60}, it must be 0 to {BUTTON_COUNT - 1}"
        return ""


Script = Callable[[float], Sequence[float]]
"""Steers in place of a person: maps the time of the world [s] to values of its controls. It may look at its world."""


class World(Protocol):
    """A vehicle and its surroundings. Rows and axes are those of `record.vehicle`: x forward, y left, z up.

    Making one must be quick, because a base and its host's process both do it; anything slow belongs into `reset`,
    which only the process that steps the world calls. `t`, `vehicle`, `place` and `told` are read after `reset`.
    """

    @property
    def kind(self) -> str:
        """boat, flight or drive."""

    @property
    def name(self) -> str:
        """Of vehicle and surroundings, for people."""

    @property
    def dt(self) -> float:
        """Period of a step [s]."""

    @property
    def controls(self) -> tuple[Control, ...]:
        """In the order of the arguments of `step`."""

    @property
    def channels(self) -> tuple[Channel, ...]:
        """The world's own channels, which follow `record.world.WORLD`; the same for every world of a catalogue."""

    @property
    def scene(self) -> Scene:
        """For viewers: docs/worlds.md."""

    @property
    def scripts(self) -> Mapping[str, Callable[[], Script]]:
        """By name; the first is the default."""

    @property
    def cueing(self) -> str:
        """Name of the set of cueing parameters to use unless another one is given."""

    def reset(self) -> None:
        """Return to the start, at time 0."""

    def step(self, controls: Sequence[float]) -> None:
        """Advance by one period with these controls."""

    @property
    def t(self) -> float:
        """Time of the world [s]."""

    @property
    def vehicle(self) -> tuple[float, ...]:
        """(13,) what a person at its controls feels: a row of `record.vehicle.VEHICLE`."""

    @property
    def place(self) -> tuple[float, ...]:
        """(10,) place, attitude (wxyz) and velocity of the vehicle's own point, as in `record.world.WORLD`."""

    @property
    def told(self) -> tuple[float, ...]:
        """Values of its own channels, in their order."""
