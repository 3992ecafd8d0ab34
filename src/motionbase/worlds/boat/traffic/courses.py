"""Courses of other craft: chains of straight lines and arcs, along which a craft goes with a constant speed.

Where a craft is at a time is a closed form, so viewers, compiled code and Python agree on it; docs/worlds.md has it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, final

from motionbase.errors import WorldError

Point = tuple[float, float]


@final
class Segment(NamedTuple):
    """A line or an arc.

    Attributes:
        s: where it begins, along the course [m]
        x, y, heading: and in the world [m, rad]
        curvature: positive to the left; 0 for a line [1/m]
    """

    s: float
    x: float
    y: float
    heading: float
    curvature: float = 0.0

    def at(self, u: float) -> tuple[float, float, float]:
        """Place and heading, u behind its begin."""
        chord, middle = u, self.heading + self.curvature * u / 2
        if self.curvature:
            chord = 2 / self.curvature * math.sin(self.curvature * u / 2)
        heading = self.heading + self.curvature * u
        return self.x + chord * math.cos(middle), self.y + chord * math.sin(middle), heading


@final
class Motion(NamedTuple):
    """Place [m], heading [rad], velocity [m/s] and rate of turn [rad/s] of a craft."""

    x: float
    y: float
    heading: float
    vx: float = 0.0
    vy: float = 0.0
    turn: float = 0.0


@final
@dataclass(frozen=True)
class Course:
    """The course of a craft, bow first.

    Attributes:
        segments: the first begins at s = 0
        speed: [m/s]
        start: where the craft is at time 0 [m]
        length: of a closed course; 0 if it is open: then its first and last segment go on for ever [m]
    """

    segments: tuple[Segment, ...]
    speed: float = 0.0
    start: float = 0.0
    length: float = 0.0

    def segment(self, s: float) -> Segment:
        """The one that holds there."""
        return next((segment for segment in reversed(self.segments) if segment.s <= s), self.segments[0])

    def at(self, t: float) -> Motion:
        """Where the craft is at a time of the world [s]."""
        s = self.start + self.speed * t
        s = s % self.length if self.length else s
        now = self.segment(s)
        x, y, heading = now.at(s - now.s)
        v = self.speed
        return Motion(x, y, heading, v * math.cos(heading), v * math.sin(heading), v * now.curvature)

    @property
    def scene(self) -> dict[str, Any]:
        """`course` of an object in a scene."""
        made = {"speed": self.speed, "start": self.start, "segments": [list(segment) for segment in self.segments]}
        return made | ({"length": self.length} if self.length else {})


def moored(x: float, y: float, heading: float = 0.0) -> Course:
    """A craft that stays where it is."""
    return Course((Segment(0.0, x, y, heading),))


def straight(x: float, y: float, heading: float, speed: float) -> Course:
    """An unbounded line, at (x, y) at time 0."""
    return Course((Segment(0.0, x, y, heading),), speed)


def circle(x: float, y: float, radius: float, speed: float, start: float = 0.0) -> Course:
    """Round (x, y), to the left; to the right if the radius is negative.

    Args:
        start: angle of the place at time 0, as seen from the middle [rad]
    """
    if not radius:
        raise WorldError("a circle has a radius that is not 0")
    side = math.copysign(1.0, radius)
    first = Segment(0.0, x + abs(radius) * math.cos(start), y + abs(radius) * math.sin(start),
                    start + side * math.pi / 2, 1 / radius)  # fmt: skip
    return Course((first,), speed, 0.0, 2 * math.pi * abs(radius))


def round_trip(corners: Sequence[Point], radius: float, speed: float, start: float = 0.0) -> Course:
    """A closed course round some corners; arcs of this radius touch its lines.

    Args:
        start: fraction of the lap completed at time 0; 0 is just after the first corner
    """
    count = len(corners)
    if count < 3:
        raise WorldError(f"a course round corners has at least three of them, not {count}")
    legs = [_leg(corners[k], corners[(k + 1) % count]) for k in range(count)]
    turns = [math.remainder(legs[k][1] - legs[k - 1][1], 2 * math.pi) for k in range(count)]
    cut = [radius * math.tan(abs(turn) / 2) for turn in turns]  # from a corner to where the arc begins
    segments: list[Segment] = []
    s = 0.0
    for k, (length, heading) in enumerate(legs):
        after = (k + 1) % count
        rest = length - cut[k] - cut[after]
        if not (rest > 0 and radius > 0):
            raise WorldError(f"a course turns with a radius of {radius:g} m, so its leg of {length:.4g} m is too short")
        x, y = corners[k]
        segments.append(Segment(s, x + cut[k] * math.cos(heading), y + cut[k] * math.sin(heading), heading))
        s += rest
        if turns[after]:
            x, y, _ = segments[-1].at(rest)
            segments.append(Segment(s, x, y, heading, math.copysign(1 / radius, turns[after])))
            s += radius * abs(turns[after])
    return Course(tuple(segments), speed, start * s, s)


def _leg(a: Point, b: Point) -> tuple[float, float]:
    """Length and heading of the way from one point to another."""
    return math.dist(a, b), math.atan2(b[1] - a[1], b[0] - a[0])
