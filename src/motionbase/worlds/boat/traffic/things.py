"""Parts of traffic as data: walls, buoys and craft; docs/traffic.md describes the keys of a file."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, final

from motionbase.arrays import Array
from motionbase.errors import WorldError
from motionbase.worlds.boat.hydrostatics import WATER
from motionbase.worlds.boat.traffic.courses import Course, circle, moored, round_trip, straight
from motionbase.worlds.boat.traffic.step import Buoy as BuoyRow
from motionbase.worlds.boat.traffic.step import Wall as WallRow
from motionbase.worlds.boat.traffic.wake import Hull, ship_row

Place = tuple[float, float]
EDGE = 0.15  # [m] radius of a wall's corners
DRAGS = 0.4, 1.2  # of a buoy's mooring in slow motion, over the critical; and of a cylinder in fast motion
SWAY = 6.0  # [s] period of a buoy on its mooring; illustrative, as are the drags
SLACK = 1.5  # of its radius: way from its place after which its mooring pulls no harder; illustrative
FARTHEST = 1e5  # [m]


def checked(owner: str, part: object, names: tuple[str, ...], most: float) -> None:
    """Check that numbers are more than 0 and at most so large."""
    for name in names:
        value = getattr(part, name)
        if not 0 < value <= most:
            raise WorldError(f"{owner}: {name} is {value:g}, it must be more than 0 and at most {most:g}")


def within_a_turn(owner: str, heading: float) -> None:
    """Check that a heading is an angle in degrees."""
    if not abs(heading) <= 360:
        raise WorldError(f"{owner}: heading is {heading:g} deg, it must be -360 to 360 deg")


def within_reach(owner: str, *numbers: float) -> None:
    """Check that places are near enough for accurate results."""
    for value in numbers:
        if not abs(value) <= FARTHEST:
            raise WorldError(f"{owner}: a place is at {value:g} m, it must be within {FARTHEST:g} m of the start")


@final
@dataclass(frozen=True)
class Wall:
    """A pier, a quay or a breakwater.

    Attributes:
        at: its middle [m]
        length, breadth: [m]
        height: over still water; it is only drawn [m]
        heading: of its length, from x to y [deg]
        look: pier (on piles), quay (of stone) or rocks
    """

    name: str
    at: Place
    length: float
    breadth: float
    height: float = 2.0
    heading: float = 0.0
    look: Literal["pier", "quay", "rocks"] = "quay"

    def __post_init__(self) -> None:
        checked(f"wall {self.name!r}", self, ("length", "breadth"), 5000.0)
        checked(f"wall {self.name!r}", self, ("height",), 50.0)
        within_reach(f"wall {self.name!r}", *self.at)
        within_a_turn(f"wall {self.name!r}", self.heading)
        if self.breadth < 2 * EDGE or self.length < 2 * EDGE:
            raise WorldError(f"wall {self.name!r}: length and breadth must be at least {2 * EDGE:g} m")

    @property
    def row(self) -> Array:
        """For the compiled step."""
        return WallRow.layout.vector(
            {
                "x": self.at[0],
                "y": self.at[1],
                "heading": math.radians(self.heading),
                "half_length": self.length / 2 - EDGE,
                "half_breadth": self.breadth / 2 - EDGE,
                "radius": EDGE,
            }
        )


@final
@dataclass(frozen=True)
class Buoy:
    """A buoy on its mooring.

    Attributes:
        at: where it lies at rest [m]
        radius: at the waterline [m]
        mass: [kg]
        height: over the water; it is only drawn [m]
        look: can (port hand), cone (starboard hand), mark (a large round one of a race)
    """

    name: str
    at: Place
    radius: float = 0.6
    mass: float = 300.0
    height: float = 2.5
    look: Literal["can", "cone", "mark"] = "can"

    def __post_init__(self) -> None:
        checked(f"buoy {self.name!r}", self, ("radius", "height"), 20.0)
        checked(f"buoy {self.name!r}", self, ("mass",), 1e5)
        within_reach(f"buoy {self.name!r}", *self.at)

    @property
    def draft(self) -> float:
        """Of a cylinder of its radius and mass [m]."""
        return self.mass / (WATER * math.pi * self.radius**2)

    @property
    def row(self) -> Array:
        """For the compiled step: a cylinder takes about its own displacement of water along."""
        mass, rate = 2 * self.mass, 2 * math.pi / SWAY
        return BuoyRow.layout.vector(
            {
                "x": self.at[0],
                "y": self.at[1],
                "radius": self.radius,
                "mass": mass,
                "spring": mass * rate**2,
                "slack": SLACK * self.radius,
                "drag": 2 * DRAGS[0] * mass * rate,
                "drag_squared": DRAGS[1] * WATER * self.radius * self.draft,
            }
        )


@final
@dataclass(frozen=True)
class Craft:
    """A craft on its course, which collisions do not change.

    Attributes:
        length, beam, draft: at the waterline [m]
        at: where it is at time 0, or the middle of its circle [m]
        heading: from x to y [deg]
        speed: [m/s]; 0 if it is moored
        circle: radius of the circle that it goes round `at`, negative to the right; 0 for none [m]
        corners: of a closed course; its arcs have the radius `turn` [m]
        start: fraction of the lap completed at time 0
        look: ferry, launch, yacht or ship
    """

    name: str
    length: float
    beam: float
    draft: float
    look: Literal["ferry", "launch", "yacht", "ship"] = "launch"
    speed: float = 0.0
    at: Place = (0.0, 0.0)
    heading: float = 0.0
    circle: float = 0.0
    corners: tuple[Place, ...] = ()
    turn: float = 50.0
    start: float = 0.0

    def __post_init__(self) -> None:
        owner = f"craft {self.name!r}"
        checked(owner, self, ("length", "beam", "draft"), 500.0)
        within_reach(owner, *self.at, *(x for corner in self.corners for x in corner))
        within_a_turn(owner, self.heading)
        if not 0 <= self.speed <= 40:
            raise WorldError(f"{owner}: speed is {self.speed:g} m/s, it must be 0 to 40 m/s")
        if not self.beam < self.length:
            raise WorldError(f"{owner}: beam is {self.beam:g} m, it must be less than the length of {self.length:g} m")
        if not 0 <= self.start < 1:
            raise WorldError(f"{owner}: start is {self.start:g}, it must be 0 or more and less than 1")
        if self.circle and self.corners:
            raise WorldError(f"{owner}: circle and corners are given, a course has one of them")
        if self.circle and not 2 * self.length <= abs(self.circle) <= FARTHEST:
            raise WorldError(f"{owner}: circle is {self.circle:g} m, its radius must be at least two lengths")
        try:
            self.row  # noqa: B018 - it checks the course
        except WorldError as e:
            raise WorldError(f"{owner}: {e}") from None

    @property
    def course(self) -> Course:
        """Its course."""
        if self.corners:
            return round_trip(self.corners, self.turn, self.speed, self.start)
        if self.circle:
            return circle(*self.at, self.circle, self.speed, 2 * math.pi * self.start)
        heading = math.radians(self.heading)
        return straight(*self.at, heading, self.speed) if self.speed else moored(*self.at, heading)

    @property
    def hull(self) -> Hull:
        """Dimensions for its wake."""
        return Hull(self.length, self.beam, self.draft)

    @property
    def row(self) -> Array:
        """For the compiled step."""
        return ship_row(self.course, self.hull)
