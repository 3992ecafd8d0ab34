"""Flights of real rotors that have a name: what was measured or published, as targets of a trim."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

from motionbase.errors import unknown
from motionbase.rotor.trim.trim import Target


@final
@dataclass(frozen=True)
class Flight:
    """A steady flight.

    Attributes:
        summary, sources: what it is, and where its numbers are from
        published: controls of other models of the same rotor in this flight: collective, cos, sin [deg]
    """

    summary: str
    sources: tuple[str, ...]
    target: Target
    published: dict[str, tuple[float, float, float]]


PUMA_123 = Flight(
    "level flight of the research Puma at an advance ratio of 0.321, C_T over solidity 0.0695",
    ("Bousman et al., NASA TM 110421, 1996",),
    Target(51_648.0, math.radians(0.42), math.radians(-0.14), 67.7, math.radians(-6.0)),
    {
        "multibody model in real time, blades rigid": (13.2, 2.1, -7.15),
        "multibody model with a computed flow": (13.45, 2.17, -7.16),
    },
)
FLIGHTS = {"puma": {"123": PUMA_123}}  # by the preset of the blades


def named_flight(preset: str, name: str) -> Flight:
    """The flight of that name."""
    own = FLIGHTS.get(preset, {})
    if name not in own:
        raise unknown("flight", name, own, f"flights of {preset}")
    return own[name]
