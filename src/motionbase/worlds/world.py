"""What a world is: a vehicle that is steered, moves, tells what a person in it feels, and can be looked at."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, final

from motionbase.record.schema import Channel

Scene = dict[str, Any]
"""What viewers draw, as JSON; docs/worlds.md describes it."""


@final
@dataclass(frozen=True)
class Control:
    """Something a driver moves.

    Attributes:
        name: its channel in the record is control_NAME
        text: for people
        least, most, rest: ends, and where it is if nobody touches it
        keys: that move it to its least and to its most, by names of `record.world.KEYS`
        axis: of a gamepad, by its place in the standard layout; None for none
        turned: the axis moves it the other way
        buttons: of a gamepad, that move it to its least and to its most, by place
        springs: goes back to its rest when it is let go
        seconds: from one end to the other by keys or buttons [s]
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


Script = Callable[[float], Sequence[float]]
"""What steers in place of a person: controls at a time of the world [s]. It may look at its world."""


class World(Protocol):
    """A vehicle and its surroundings. Rows and axes are those of `record.vehicle`: x forward, y left, z up.

    It is made quickly, because a base and its host's process both make it; what takes long waits for `reset`, which
    only the process that steps it calls. `t`, `vehicle`, `place` and `told` are asked for after `reset`.
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
        """In the order in which `step` takes them."""

    @property
    def channels(self) -> tuple[Channel, ...]:
        """Of its own, after `record.world.WORLD`; the same for every world of a kind."""

    @property
    def scene(self) -> Scene:
        """For viewers: docs/worlds.md."""

    @property
    def scripts(self) -> Mapping[str, Callable[[], Script]]:
        """By name; the first is the usual one."""

    @property
    def cueing(self) -> str:
        """Name of the set of cueing parameters that suits it."""

    def reset(self) -> None:
        """Begin again, at time 0."""

    def step(self, controls: Sequence[float]) -> None:
        """One period, with these controls."""

    @property
    def t(self) -> float:
        """Time of the world [s]."""

    @property
    def vehicle(self) -> tuple[float, ...]:
        """What a person at its controls feels: a row of `record.vehicle.VEHICLE`."""

    @property
    def place(self) -> tuple[float, ...]:
        """(10,) place, attitude (wxyz) and velocity of the vehicle's own point, as in `record.world.WORLD`."""

    @property
    def told(self) -> tuple[float, ...]:
        """Values of its own channels."""
