"""Scripts that steer a boat while no person does: courses, and a tour of what boat and sea do."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple, Protocol

from motionbase.worlds.world import Script

TOUR_S = 60.0
Steering = tuple[float, float]
GAIN, RATE_GAIN = 1.6, 1.4  # rudder over error of heading and over rate of turn [1/rad, s/rad]; illustrative


class Sailed(Protocol):
    """What a script needs of its boat."""

    @property
    def heading(self) -> float:
        """From x towards y [rad]."""

    @property
    def turning(self) -> float:
        """Rate of the heading [rad/s]."""

    @property
    def quickness(self) -> float:
        """Time scale over that of a launch: 1, more for ships [-]."""


class Leg(NamedTuple):
    """A part of a tour.

    Attributes:
        begins: [s]
        throttle: 1 full ahead
        heading: from x towards y [rad]; None: full rudder to the left
        text: caption
    """

    begins: float
    throttle: float
    heading: float | None
    text: str


def tour_of(planes: bool) -> tuple[Leg, ...]:
    """The tour, with captions for a boat that planes or one that does not."""
    up = "Full ahead: up onto the plane" if planes else "Full ahead"
    over = "Head sea at speed: she leaps from the waves" if planes else "Head sea: she pitches"
    return (
        Leg(0.0, 0.4, 0.0, "Out of harbour, slow ahead"),
        Leg(8.0, 1.0, 0.0, up),
        Leg(16.0, 0.85, 0.0, over),
        Leg(28.0, 0.8, math.pi / 2, "Turn at speed to the left"),
        Leg(34.0, 0.45, math.pi / 2, "Beam sea: she rolls"),
        Leg(44.0, 0.9, math.pi, "Running before the sea"),
        Leg(51.0, 0.8, None, "Tight turn"),
        Leg(57.0, 0.1, 0.0, "Off the plane" if planes else "Slow ahead"),
    )


def kept(boat: Sailed, heading: float) -> float:
    """Rudder that keeps a heading."""
    error = math.remainder(heading - boat.heading, 2 * math.pi)
    quick = boat.quickness
    return max(-1.0, min(1.0, GAIN * error - RATE_GAIN * quick * boat.turning))


def tour(boat: Sailed, legs: tuple[Leg, ...]) -> Script:
    """The tour, then a cruise."""
    then = cruise(boat)

    def steered(t: float) -> Steering:
        if t >= TOUR_S:
            throttle, rudder = then(t)
            return throttle, rudder
        leg = [one for one in legs if one.begins <= t][-1]
        return leg.throttle, 1.0 if leg.heading is None else kept(boat, leg.heading)

    return steered


def cruise(boat: Sailed) -> Script:
    """A winding course at two thirds of the power."""
    return lambda t: (0.65, kept(boat, 0.6 * math.sin(2 * math.pi * t / (30 * boat.quickness**1.5))))


def circle(boat: Sailed) -> Script:
    """A steady turn, so that waves come from all sides."""
    return lambda t: (0.5, 0.45)


def drift(boat: Sailed) -> Script:
    """Engine off."""
    return lambda t: (0.0, 0.0)


def scripts_of(boat: Sailed, legs: tuple[Leg, ...]) -> dict[str, Callable[[], Script]]:
    """By name; the first is the usual one."""
    return {
        "tour": lambda: tour(boat, legs), "cruise": lambda: cruise(boat), "circle": lambda: circle(boat),
        "drift": lambda: drift(boat),
    }  # fmt: skip
