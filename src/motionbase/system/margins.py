"""Design of a platform's leg loop: gains, and the resulting stability margins in every mode."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from motionbase.control.design import RESERVE, LinearLeg, Margins
from motionbase.control.electric_design import LinearDrive
from motionbase.control.law import ControlLaw
from motionbase.platform.hexapod import Hexapod


@final
@dataclass(frozen=True)
class ModeMargins:
    """One leg with the mass of one mode.

    Attributes:
        mass: modal mass, rotors included [kg]
        frequency: natural frequency of that mass on the oil spring, or bandwidth of the speed loop with it [Hz]
        margins: margins of its loop
    """

    mass: float
    frequency: float
    margins: Margins


@final
@dataclass(frozen=True)
class Design:
    """Gains and margins.

    Attributes:
        leg: the linearised leg
        gains: by the names of the control law's parameters
        units: units of the gains
        modes: slowest first
        worst: the smallest margins of all modes
        reserve: additional delay for which the gains were designed [s]; late: the worst margins with it
    """

    leg: LinearLeg | LinearDrive
    gains: dict[str, float]
    units: dict[str, str]
    modes: tuple[ModeMargins, ...]
    worst: Margins
    reserve: float
    late: Margins

    @property
    def electric(self) -> bool:
        """Whether the legs are electric."""
        return isinstance(self.leg, LinearDrive)


def design(hexapod: Hexapod) -> Design:
    """The design that the control law uses for this platform."""
    law = ControlLaw(hexapod)
    legs, reserve = law.legs, RESERVE * law.dt
    modes = tuple(ModeMargins(mass, legs.frequency(mass), legs.margins(mass)) for mass in legs.masses)
    units = {field.name: field.unit for field in legs.gains.layout.ports if field.name in legs.designed}
    return Design(legs.linear, legs.designed, units, modes, legs.margins(), reserve, legs.margins(late=reserve))
