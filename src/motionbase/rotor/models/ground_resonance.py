"""Ground resonance: a hub on springs and dampers, and blades on lag hinges; no aerodynamics.

The default numbers are those of Hammond 1974 (Journal of the American Helicopter Society 19(4), 14-23), as other
public analyses quote them; we have not seen the paper. They are round in feet, pounds and slugs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

from motionbase.errors import ModelError
from motionbase.multibody.body import GROUND, Body
from motionbase.multibody.closures import ImposedSpeedClosure
from motionbase.multibody.elements import AbstractElement, JointDamper, JointSpring
from motionbase.multibody.joint import Joint
from motionbase.multibody.joints import prismatic, revolute
from motionbase.multibody.lookup import checked_number, checked_positive
from motionbase.multibody.model import Model
from motionbase.multibody.models.example import X, Y, Z
from motionbase.rotor.stability.multiblade import FEWEST
from motionbase.rotor.stability.periodic import PeriodicSystem, linearised_rotor

Pair = tuple[float, float]
AZIMUTHS = 16  # a dead damper gives coefficients up to the second harmonic; the mass matrix makes no more of them


@final
@dataclass(frozen=True)
class GroundResonance:
    """The rig. Pairs are along x and y.

    Attributes:
        blade_mass: [kg]; first_moment, inertia: about the lag hinge [kg m], [kg m^2]
        offset: of the lag hinges from the axis [m]
        lag_spring, lag_damper: of every blade [N m/rad], [N m s/rad]
        hub_mass: what moves with the hub, without blades [kg]
        hub_spring, hub_damper: [N/m], [N s/m]
        speed: nominal [rad/s]
        without_damper: blades, from 1, whose dampers do not work
    """

    blades: int = 4
    blade_mass: float = 94.9
    first_moment: float = 289.1
    inertia: float = 1084.7
    offset: float = 0.3048
    lag_spring: float = 0.0
    lag_damper: float = 4067.5
    hub_mass: Pair = (8026.6, 3283.6)
    hub_spring: Pair = (1240481.8, 1240481.8)
    hub_damper: Pair = (51078.7, 25539.3)
    speed: float = 10 * math.pi
    without_damper: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        owner = "ground resonance"
        if self.blades < FEWEST:
            raise ModelError(f"{owner}: {self.blades} blades, at least {FEWEST} are wanted")
        for what, unit in (("blade_mass", "kg"), ("first_moment", "kg m"), ("inertia", "kg m^2"), ("speed", "rad/s")):
            checked_positive(owner, what, getattr(self, what), unit)
        checked_number(owner, "offset", self.offset, "m", least=0.0)
        if self.inertia * self.blade_mass <= self.first_moment**2:
            raise ModelError(
                f"{owner}: inertia is {self.inertia:g} kg m^2, it must be above first_moment^2 / blade_mass = "
                f"{self.first_moment**2 / self.blade_mass:g}"
            )
        for mass in self.hub_mass:
            checked_positive(owner, "hub_mass", mass, "kg")
        for blade in self.without_damper:
            if not 1 <= blade <= self.blades:
                raise ModelError(f"{owner}: blade {blade} has no damper to fail; blades: 1 to {self.blades}")

    @property
    def lags(self) -> tuple[str, ...]:
        """Names of the lag joints, blade 0 first."""
        return tuple(f"lag_{k + 1}" for k in range(self.blades))

    @property
    def isotropic(self) -> bool:
        """Whether all blades are alike, so that the multiblade equations have constant coefficients."""
        return not self.without_damper or self.lag_damper == 0


def ground_resonance(rig: GroundResonance) -> Model:
    """The rig as a model; inputs `drive_speed` [rad/s] and `drive_acceleration` turn the rotor.

    Joints: `hub_x`, `hub_y`, `shaft`, `lag_1` ...; lag is positive against rotation, blade 1 at azimuth zero along -x.
    """
    # what moves along one axis alone carries the difference of the hub's two masses
    first, second = ("hub_x", "hub_y") if rig.hub_mass[0] >= rig.hub_mass[1] else ("hub_y", "hub_x")
    axes, masses = {"hub_x": X, "hub_y": Y}, dict(zip(("hub_x", "hub_y"), rig.hub_mass, strict=True))
    com = rig.first_moment / rig.blade_mass
    about_com = rig.inertia - rig.first_moment * com
    bodies = [
        Body("mount", masses[first] - masses[second]),
        Body("pylon", masses[second]),
        Body("hub"),
        *(Body(f"blade_{k + 1}", rig.blade_mass, (com, 0, 0), (0, about_com, about_com)) for k in range(rig.blades)),
    ]
    joints = [
        Joint(first, GROUND, "mount", prismatic(axes[first])),
        Joint(second, "mount", "pylon", prismatic(axes[second])),
        Joint("shaft", "pylon", "hub", revolute(Z)),
    ]
    elements: list[AbstractElement] = []
    for axis, spring, damper in zip(("hub_x", "hub_y"), rig.hub_spring, rig.hub_damper, strict=True):
        elements += [JointSpring(f"{axis}_spring", axis, spring), JointDamper(f"{axis}_damper", axis, damper)]
    for k, lag in enumerate(rig.lags):
        angle = math.tau * k / rig.blades
        c, s = -math.cos(angle), -math.sin(angle)
        turned = ((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0))
        at = (rig.offset * c, rig.offset * s, 0.0)
        joints.append(Joint(lag, "hub", f"blade_{k + 1}", revolute((0.0, 0.0, -1.0)), at, turned))
        elements.append(JointSpring(f"{lag}_spring", lag, rig.lag_spring))
        if k + 1 not in rig.without_damper:
            elements.append(JointDamper(f"{lag}_damper", lag, rig.lag_damper))
    drive = ImposedSpeedClosure("drive", "hub", body_b="pylon", motion="turn")
    return Model("ground_resonance", tuple(bodies), tuple(joints), (0, 0, 0), tuple(elements), (drive,))


def linear_rig(rig: GroundResonance, speed: float, azimuths: int = AZIMUTHS) -> PeriodicSystem:
    """Small motions at a rotor speed [rad/s]: hub_x, hub_y, lag[0], lag[1c], lag[1s], ..., and their rates."""
    turning = linearised_rotor(ground_resonance(rig), "shaft", speed, azimuths, inputs={"drive_speed": speed})
    return turning.in_fixed_frame([rig.lags])
