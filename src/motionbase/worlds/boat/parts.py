"""Parts of a vessel as data: masses, damping, resistance, planing bottom, propulsion, helm. Formulas: boat.md."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, final

from motionbase.errors import ModelError

Place = tuple[float, float, float]
MOST = 1e12


def _at_least(owner: str, part: object, least: float, *names: str, most: float = MOST) -> None:
    """Check that numbers lie between two bounds, which are allowed themselves."""
    for name in names:
        if not least <= (value := getattr(part, name)) <= most:
            raise ModelError(f"{owner}: {name} is {value:g}, it must be {least:g} or more{_high(most)}")


def _above_zero(owner: str, part: object, *names: str, most: float = MOST) -> None:
    """Check that numbers are more than 0."""
    for name in names:
        if not 0.0 < (value := getattr(part, name)) <= most:
            raise ModelError(f"{owner}: {name} is {value:g}, it must be more than 0{_high(most)}")


def _high(most: float) -> str:
    return "" if most == MOST else f" and at most {most:g}"


@final
@dataclass(frozen=True)
class Mass:
    """What a vessel weighs, and where. Axes of the hull: x ahead from amidships, y to the left, z up from the keel.

    Attributes:
        gyradii: about x, y, z through the centre of gravity [m]
        mass: [kg]; or `volume`: that it displaces [m^3]
        ahead: of the centre of gravity [m]; NaN: where the hull floats level
        height: of it above the keel [m]; or `metacentric_height`: the transverse one [m]
        load_at: where a load stands [m]
        most_load: [kg]
    """

    gyradii: Place
    mass: float = 0.0
    volume: float = 0.0
    ahead: float = math.nan
    height: float = math.nan
    metacentric_height: float = math.nan
    load_at: Place = (0.0, 0.0, 0.0)
    most_load: float = 0.0

    def __post_init__(self) -> None:
        _at_least("mass", self, 0.0, "mass", "volume", "most_load")
        if bool(self.mass) == bool(self.volume):
            raise ModelError("mass: either mass or volume must be given")
        if math.isfinite(self.height) == math.isfinite(self.metacentric_height):
            raise ModelError("mass: either height or metacentric_height must be given")
        if not 0 < min(self.gyradii) <= max(self.gyradii) < MOST:
            raise ModelError(f"mass: gyradii are {list(self.gyradii)}, each must be more than 0")


@final
@dataclass(frozen=True)
class Damping:
    """Coefficients of damping and added mass.

    Attributes:
        heave, roll: parts of critical damping, of the waves that the hull makes
        roll_quadratic: further damping over the angle of roll in a cycle
        sway: rate over sqrt(g / L)
        across: drag coefficient of flow across the hull
        below: of flow from below
        added_heave: of a strip over a half circle's
        added_sway: likewise
        added_roll: over the moment of inertia
        added_surge: over the mass
        skeg: of the hull as a wing of low aspect ratio, over that of its draft at the stern
    """

    heave: float = 0.25
    roll: float = 0.06
    roll_quadratic: float = 0.15
    sway: float = 0.1
    across: float = 0.9
    below: float = 0.8
    added_heave: float = 0.75
    added_sway: float = 1.0
    added_roll: float = 0.175
    added_surge: float = 0.05
    skeg: float = 0.7

    def __post_init__(self) -> None:
        _at_least("damping", self, 0.0, *self.__dataclass_fields__, most=10.0)


@final
@dataclass(frozen=True)
class Resistance:
    """Resistance over half the density, wet area and square of the speed.

    Attributes:
        form: addition to the friction of a plate, over it
        waves: largest part of the waves that a hull makes that does not plane
        froude: Froude number at which that is at half its largest
        air: frontal area times drag coefficient [m^2]
    """

    form: float = 0.2
    waves: float = 0.012
    froude: float = 0.42
    air: float = 0.0

    def __post_init__(self) -> None:
        _at_least("resistance", self, 0.0, "form", "waves", "air", most=1e4)
        _above_zero("resistance", self, "froude", most=10.0)


@final
@dataclass(frozen=True)
class Planing:
    """A prismatic bottom.

    Attributes:
        beam: between the chines [m]
        deadrise: [deg]
    """

    beam: float
    deadrise: float

    def __post_init__(self) -> None:
        _above_zero("planing", self, "beam")
        _at_least("planing", self, 1.0, "deadrise", most=45.0)


@final
@dataclass(frozen=True)
class Propulsion:
    """One or two propellers.

    Attributes:
        kind: outboard (the propeller turns), rudder (behind it) or differential (two propellers)
        thrust: of all together, at full power and no speed [N]
        speed: at which full revolutions give no thrust any more [m/s]
        place: of the propeller, of the left one of two, in axes of the hull [m]
        diameter: [m]
        astern: thrust astern over that ahead
        lag: time constant of the engine [s]
        turn: largest angle of outboard or rudder [deg]
        turn_time: from one end to the other [s]
        rudder_area: of rudder, or of the outboard's leg in the water [m^2]
        share: of the revolutions that full rudder adds on one side and takes on the other, for differential
        eases: speed ahead at which the wheel turns it only half as far; 0: as far at any speed [m/s]
    """

    kind: Literal["outboard", "rudder", "differential"]
    thrust: float
    speed: float
    place: Place
    diameter: float
    astern: float = 0.5
    lag: float = 0.6
    turn: float = 30.0
    turn_time: float = 1.6
    rudder_area: float = 0.0
    share: float = 0.6
    eases: float = 0.0

    def __post_init__(self) -> None:
        _above_zero("propulsion", self, "thrust", "lag", "turn_time")
        _at_least("propulsion", self, 0.1, "speed")
        _at_least("propulsion", self, 0.01, "diameter")
        _at_least("propulsion", self, 0.0, "astern", "share", most=1.0)
        _at_least("propulsion", self, 0.0, "rudder_area", "eases")
        _at_least("propulsion", self, 0.0, "turn", most=60.0)


@final
@dataclass(frozen=True)
class Helm:
    """Where the person steers.

    Attributes:
        eye: in axes of the hull [m]
        speed: ahead, with which a world begins [m/s]
    """

    eye: Place
    speed: float = 0.0

    def __post_init__(self) -> None:
        _at_least("helm", self, 0.0, "speed", most=40.0)
