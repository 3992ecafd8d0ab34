"""The design of the leg loop of a platform: gains, and the margins they leave in every mode."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import final

from motionbase.control.design import LinearLeg, Margins, gains_for, linear_leg, margins
from motionbase.control.geometry import modal_masses
from motionbase.control.law import ControlLaw
from motionbase.platform.hexapod import Hexapod


@final
@dataclass(frozen=True)
class ModeMargins:
    """One leg against the mass of one mode.

    Attributes:
        mass: [kg]; frequency: of that mass on the oil spring [Hz]
        margins: of its loop
    """

    mass: float
    frequency: float
    margins: Margins


@final
@dataclass(frozen=True)
class Design:
    """Linearised leg, gains and margins.

    Attributes:
        gains: by the names of the control law's parameters
        modes: slowest first
        worst: the least of all modes
    """

    leg: LinearLeg
    gains: dict[str, float]
    modes: tuple[ModeMargins, ...]
    worst: Margins


def design(hexapod: Hexapod) -> Design:
    """As the control law takes it for this platform."""
    law = ControlLaw(hexapod)
    leg = linear_leg(law.actuator, hexapod.stroke.hard_length, modal_masses(hexapod), law.dt)
    gains = gains_for(leg)
    modes = tuple(
        ModeMargins(mass, math.sqrt(leg.stiffness / mass) / (2 * math.pi), margins(replace(leg, masses=(mass,)), gains))
        for mass in leg.masses
    )
    return Design(leg, gains, modes, margins(leg, gains))
