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

    Attributes:
        kind: boat, flight or drive
        name: of vehicle and surroundings, for people
        dt: period of a step [s]
        controls: in the order in which `step` takes them
        channels: of its own, after `record.world.WORLD`; the same for every world of a kind
        scene: for viewers
        scripts: by name; the first is the usual one
        cueing: name of the set of cueing parameters that suits it
    """

    kind: str
    name: str
    dt: float
    controls: tuple[Control, ...]
    channels: tuple[Channel, ...]
    scene: Scene
    scripts: Mapping[str, Callable[[], Script]]
    cueing: str

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
