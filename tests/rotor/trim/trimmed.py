"""Rotors and trims that several tests share."""

import math
from functools import cache

from motionbase.rotor.flight.march import LANES, March
from motionbase.rotor.models.library import rotor_model
from motionbase.rotor.models.rotor_model import RotorModel
from motionbase.rotor.trim.flights import PUMA_123
from motionbase.rotor.trim.trim import Target, Trim, trim

HOVER = Target(40_000.0)
FORWARD = PUMA_123.target
SLOW = Target(45_000.0, math.radians(0.5), math.radians(-0.3), 25.0, math.radians(-2.0))


@cache
def compact() -> RotorModel:
    """The Puma with the fewest equations."""
    return rotor_model("puma_compact")


@cache
def march() -> March:
    """Under way on one lane; every trim begins where the last one ended."""
    return March.of(compact())


@cache
def lanes() -> March:
    """On eight lanes."""
    return March.of(compact(), LANES)


@cache
def trimmed(target: Target) -> Trim:
    """By Newton's method."""
    return trim(compact(), target, march())
