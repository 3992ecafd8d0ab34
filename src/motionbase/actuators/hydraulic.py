"""Parameters of a hydraulic leg: cylinder with unequal areas, servo valve, manifold, cushions and friction."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

from motionbase.errors import ModelError
from motionbase.multibody.body import shown
from motionbase.multibody.elements.friction_law import Friction
from motionbase.multibody.lookup import checked_number, checked_positive

POSITIVE = {
    "area_cap": "m^2",
    "area_rod": "m^2",
    "volume_cap": "m^3",
    "volume_rod": "m^3",
    "bulk_modulus": "Pa",
    "density": "kg/m^3",
    "p_supply": "Pa",
    "rated_flow": "m^3/s",
    "rated_drop": "Pa",
    "valve_frequency": "rad/s",
    "valve_damping": "-",
    "valve_rate": "1/s",
    "relief_pressure": "Pa",
    "cushion_area_min": "-",
    "stop_stiffness": "N/m",
}
NOT_NEGATIVE = {
    "p_return": "Pa",
    "leakage_internal": "m^3/(s Pa)",
    "leakage_external": "m^3/(s Pa)",
    "relief_gain": "m^3/(s Pa)",
    "anticavitation_gain": "m^3/(s Pa)",
    "abort_bleed": "-",
    "stop_damping": "N s/m",
}


@final
@dataclass(frozen=True)
class HydraulicActuator:
    """One hydraulic leg; pressures are relative to the surroundings.

    Attributes:
        area_cap: piston area on the side that extends the leg [m^2]
        area_rod: piston area on the side that retracts it, without the rod [m^2]
        volume_cap: oil that remains in the cap chamber and its line when the leg is retracted [m^3]
        volume_rod: oil that remains in the rod chamber and its line when the leg is extended [m^3]
        bulk_modulus: effective bulk modulus of oil with air and walls [Pa]
        density: density of the oil [kg/m^3]
        p_supply: nominal supply pressure at the valve [Pa]
        p_return: nominal return pressure at the valve [Pa]
        rated_flow: flow of one land at full opening, with the drop `rated_drop` across that land [m^3/s]
        rated_drop: pressure drop across one land at which `rated_flow` flows [Pa]
        valve_frequency: natural frequency of the spool [rad/s]
        valve_damping: damping ratio of the spool
        valve_rate: largest rate of the spool, relative to a full stroke of 1 [1/s]
        lap: overlap of the edges as a fraction of the spool's stroke; negative if they are open at centre
        leakage_internal: leakage from chamber to chamber [m^3/(s Pa)]
        leakage_external: leakage from each chamber to the surroundings [m^3/(s Pa)]
        relief_pressure: pressure at which a chamber's relief valve opens to the return [Pa]
        relief_gain: flow of the relief valve per Pa above that [m^3/(s Pa)]
        anticavitation_gain: flow from the return into a chamber per Pa below the return pressure [m^3/(s Pa)]
        cushion_area_min: remaining outlet area at the hard end, relative to the fully open valve
        friction: friction of the piston and rod seals
        abort_bleed: flow out of each chamber through the abort manifold, relative to rated_flow; for any load
        stop_stiffness: stiffness of the hard ends [N/m]
        stop_damping: damping of the hard ends [N s/m]
    """

    area_cap: float
    area_rod: float
    volume_cap: float
    volume_rod: float
    bulk_modulus: float
    density: float
    p_supply: float
    p_return: float
    rated_flow: float
    rated_drop: float
    valve_frequency: float
    valve_damping: float
    valve_rate: float
    lap: float
    leakage_internal: float
    leakage_external: float
    relief_pressure: float
    relief_gain: float
    anticavitation_gain: float
    cushion_area_min: float
    friction: Friction
    abort_bleed: float = 0.05
    stop_stiffness: float = 5e7
    stop_damping: float = 1e5

    def __post_init__(self) -> None:
        owner = "hydraulic actuator"
        for name, unit in POSITIVE.items():
            checked_positive(owner, name, getattr(self, name), unit)
        for name, unit in NOT_NEGATIVE.items():
            checked_number(owner, name, getattr(self, name), unit, least=0.0)
        checked_number(owner, "lap", self.lap, "")
        if not -1.0 < self.lap < 1.0:
            raise ModelError(f"{owner}: lap is {self.lap:g}, it must be between -1 and 1")
        for name in ("cushion_area_min", "abort_bleed"):
            if getattr(self, name) > 1.0:
                raise ModelError(f"{owner}: {name} is {getattr(self, name):g}, it must be at most 1")
        if self.p_return >= self.p_supply:
            raise ModelError(f"{owner}: p_return {self.p_return:g} Pa must be below p_supply {self.p_supply:g} Pa")
        if self.relief_pressure <= self.p_supply:
            raise ModelError(
                f"{owner}: relief_pressure {self.relief_pressure:g} Pa must be above p_supply {self.p_supply:g} Pa, "
                "or the relief valves are always open"
            )
        if not isinstance(self.friction, Friction):
            raise ModelError(f"{owner}: friction is {shown(self.friction)}, a Friction is wanted")

    @property
    def flow_gain(self) -> float:
        """k of one fully open land: flow = k sqrt(drop) [m^3/(s sqrt(Pa))]."""
        return self.rated_flow / math.sqrt(self.rated_drop)

    @property
    def bleed_flow(self) -> float:
        """Largest flow out of a chamber through the abort manifold [m^3/s]."""
        return self.abort_bleed * self.rated_flow
