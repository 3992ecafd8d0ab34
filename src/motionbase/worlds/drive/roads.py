"""Roads by name: their course, what is on it, and the hills around it. All numbers are illustrative."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, final

import numpy as np

from motionbase.arrays import Array
from motionbase.worlds.drive.course import Bend, Course, Straight
from motionbase.worlds.drive.ground import HILLS

NAMES = ("circuit", "oval", "pad")
SLALOM, CONE_COUNT, CONE_DISTANCE = 60.0, 5, 20.0  # first cone [m along the road], their number, spacing [m]
ROUGHER = 2  # by so many classes the rough section is worse than the rest


@final
class Bump(NamedTuple):
    """A speed bump: middle along the road, length and height [m]."""

    s: float
    length: float
    height: float


@final
@dataclass(frozen=True)
class Road:
    """A road in its landscape.

    Attributes:
        rough: begin and end of a rougher section [m]; equal if there is none
        bumps: speed bumps across the road
        cones: of the slalom [m along the road]
        kerbs: height in bends [m]
        hills: whether there are any
    """

    name: str
    course: Course
    rough: tuple[float, float] = (0.0, 0.0)
    bumps: tuple[Bump, ...] = ()
    cones: tuple[float, ...] = ()
    kerbs: float = 0.05
    hills: bool = True

    @cached_property
    def waves(self) -> Array:
        """(HILLS, 4) amplitude [m], kx, ky [rad/m], phase of the hills; the largest first."""
        random = np.random.default_rng(7)
        length = np.linspace(480.0, 170.0, HILLS)
        steep = np.linspace(0.020, 0.012, HILLS) if self.hills else np.zeros(HILLS)
        heading = random.uniform(0, 2 * math.pi) + np.arange(HILLS) * 2.4  # the golden angle spreads directions
        k = 2 * math.pi / length
        phase = random.uniform(0, 2 * math.pi, HILLS)
        return np.column_stack((steep / k, k * np.cos(heading), k * np.sin(heading), phase))


def road_of(name: str) -> Road:
    """A road of `NAMES`."""
    if name == "pad":
        return Road(name, Course((Straight(4000.0, "start"),), closed=False, width=1000.0), kerbs=0.0, hills=False)
    if name == "oval":
        course = Course((
            Straight(150.0, "start"), Bend(90, 90, 60), Straight(60.0), Bend(90, 90, 60),
            Straight(500.0, "back", True), Bend(90, 90, 60), Straight(20.0, "end", True), Bend(90, 90, 60),
            Straight(350.0, "home"),
        ), width=10.0)  # fmt: skip
        return Road(name, course)
    course = Course((
        Straight(180.0, "start"), Bend(100, 50, 35), Straight(95.0, "rough"), Bend(-40, 70, 30),
        Straight(105.0, "bumps"), Bend(120, 45, 30), Straight(230.0, "brake"), Bend(30, 80, 30), Bend(-60, 80, 40),
        Bend(30, 80, 30), Straight(60.0, "back"), Bend(90, 45, 30), Straight(100.0, "down", True), Bend(90, 45, 30),
        Straight(100.0, "home", True),
    ))  # fmt: skip
    rough, bumps = course.begin("rough"), course.begin("bumps")
    return Road(
        "circuit", course, (rough + 8, rough + 87),
        (Bump(bumps + 30, 3.6, 0.08), Bump(bumps + 55, 2.4, 0.07), Bump(bumps + 80, 6.0, 0.10)),
        tuple(SLALOM + CONE_DISTANCE * k for k in range(CONE_COUNT)),
    )  # fmt: skip
