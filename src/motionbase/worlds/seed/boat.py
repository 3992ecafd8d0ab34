"""The boat of the simple mode: its course is steered, and its bounding box is kept on the surface."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np

from motionbase.worlds.felt import Vector, turning
from motionbase.worlds.seed.wave import Wave

REVERSE = 0.3  # of the full speed, backwards; illustrative


@final
@dataclass(frozen=True)
class Boat:
    """Bounding box and steering; all numbers are illustrative.

    Attributes:
        length, beam: of the bounding box [m]
        speed: ahead, at full throttle [m/s]
        hurry: time constant of the speed [s]
        turn: rate at full rudder and full speed [rad/s]
        answer: time constant of the turn [s]
    """

    length: float = 4.0
    beam: float = 1.8
    speed: float = 6.0
    hurry: float = 3.0
    turn: float = 0.35
    answer: float = 0.8


class Course(NamedTuple):
    """Where the boat is on the map: place [m], heading [rad], speed [m/s], rate of turn [rad/s]."""

    x: float = 0.0
    y: float = 0.0
    heading: float = 0.0
    speed: float = 0.0
    turn: float = 0.0


class Pull(NamedTuple):
    """Effect of the controls on a course: rates of change of speed [m/s^2] and rate of turn [rad/s^2]."""

    speed: float
    turn: float


class Motion(NamedTuple):
    """The boat on the surface: place, velocity, acceleration in axes of the world, and how it turns."""

    p: Vector
    v: Vector
    a: Vector
    angles: Vector
    omega: Vector
    alpha: Vector


def pull(boat: Boat, course: Course, throttle: float, rudder: float) -> Pull:
    """Speed and rate of turn approach what the controls demand; a boat without speed does not turn."""
    wanted = boat.speed * (throttle if throttle > 0 else REVERSE * throttle)
    turn = boat.turn * rudder * course.speed / boat.speed
    return Pull((wanted - course.speed) / boat.hurry, (turn - course.turn) / boat.answer)


def sailed(boat: Boat, course: Course, throttle: float, rudder: float, dt: float) -> Course:
    """The course after a step with these controls, by the midpoint method."""
    begin = pull(boat, course, throttle, rudder)
    middle = _moved(course, course, begin, dt / 2)
    return _moved(course, middle, pull(boat, middle, throttle, rudder), dt)


def _moved(course: Course, at: Course, by: Pull, dt: float) -> Course:
    """A course with the rates at another one."""
    return Course(
        course.x + dt * at.speed * math.cos(at.heading),
        course.y + dt * at.speed * math.sin(at.heading),
        course.heading + dt * at.turn,
        course.speed + dt * by.speed,
        course.turn + dt * by.turn,
    )


def afloat(boat: Boat, wave: Wave, t: float, course: Course, by: Pull) -> Motion:
    """The bounding box on the surface: the plane that best fits the heights at its four corners.

    Its middle is at their mean height; its slopes are the differences of bow and stern, and of both sides. All
    derivatives are exact: those of the surface under points that move.
    """
    c, s = math.cos(course.heading), math.sin(course.heading)
    ahead, left = np.array([c, s]), np.array([-s, c])
    p, r = np.array([course.x, course.y]), course.turn
    v = course.speed * ahead
    a = by.speed * ahead + course.speed * r * left
    half = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]]) * (boat.length / 2, boat.beam / 2)
    arm = half @ np.array([ahead, left])
    across = half @ np.array([left, -ahead])  # its change by the heading
    z = wave.under(t, p + arm, v + r * across, a + by.turn * across - r * r * arm)
    rows = np.array([z.now, z.rate, z.change])
    lift = rows.mean(1)
    along = rows @ [0.5, 0.5, -0.5, -0.5] / boat.length  # the slope ahead, and its derivatives
    side = rows @ [0.5, -0.5, 0.5, -0.5] / boat.beam
    angles, rates, changes = _attitude(along.tolist(), side.tolist(), course.heading, r, by.turn)
    omega, alpha = turning(angles, rates, changes)
    up = lift.tolist()
    return Motion(
        (course.x, course.y, up[0]), (float(v[0]), float(v[1]), up[1]), (float(a[0]), float(a[1]), up[2]),
        angles, omega, alpha,
    )  # fmt: skip


def _attitude(
    along: list[float], side: list[float], heading: float, turn: float, change: float
) -> tuple[Vector, Vector, Vector]:
    """Roll, pitch and yaw of a plane with two slopes, with first and second derivatives."""
    pitch = _arctan(-along[0], -along[1], -along[2])
    c, s = math.cos(pitch[0]), math.sin(pitch[0])
    c1 = -s * pitch[1]
    c2 = -c * pitch[1] ** 2 - s * pitch[2]
    g = side[0] * c, side[1] * c + side[0] * c1, side[2] * c + 2 * side[1] * c1 + side[0] * c2
    roll = _arctan(*g)
    return (roll[0], pitch[0], heading), (roll[1], pitch[1], turn), (roll[2], pitch[2], change)


def _arctan(x: float, x1: float, x2: float) -> Vector:
    """The angle of a slope, with derivatives."""
    w = 1 / (1 + x * x)
    return math.atan(x), w * x1, w * x2 - 2 * w * w * x * x1 * x1
