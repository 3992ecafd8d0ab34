"""A proprotor as a model: four rigid blades on a gimballed hub, on a pylon that stands still or is carried by a wing.

Counted with a node for the ground it has 131 equations: ground 12, pylon 12, mast 12, hub and gimbal 20, blades 68,
pitch links 4, actuators 3; a wing adds 8, and a gimbal assembled of ordinary joints 20. The z axis of the pylon is the
shaft.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, final

import casadi as ca
import numpy as np

from motionbase.errors import ModelError
from motionbase.multibody.body import GROUND, Body, Vector
from motionbase.multibody.closures import AbstractClosure, GimbalClosure, ImposedSpeedClosure
from motionbase.multibody.elements import AbstractElement, FrameSpring
from motionbase.multibody.joint import Joint
from motionbase.multibody.joints import Free, Spherical, fixed, revolute
from motionbase.multibody.lookup import checked_number, checked_positive
from motionbase.multibody.model import Model
from motionbase.multibody.models.gimbal import INNER, assembled_gimbal
from motionbase.rotor.blades.planform import Planform, needed_blade
from motionbase.rotor.blades.stations import rigid_stations
from motionbase.rotor.elements.air import RotorAir
from motionbase.rotor.elements.blade_air import BladeAir
from motionbase.rotor.elements.controls import PitchControls, swashplate_plane
from motionbase.rotor.elements.rods import PitchLink
from motionbase.rotor.elements.wing import Wing
from motionbase.rotor.elements.wing_modes import WingBeam, WingModes, wing_modes
from motionbase.rotor.models.articulated import LIGHT, X, Z, turned
from motionbase.rotor.models.rotor_model import AIR, PITCH, SPEED, BladeNames, RotorModel
from motionbase.rotor.models.settings import Setting, flight_settings

PYLON, MAST, HUB, WING = "pylon", "mast", "hub", "wing"
CENTRE = 0.0, 0.0, 0.0
STEP = 1e-3  # [s]
FASTEST = 150.0  # [m/s]


@final
@dataclass(frozen=True)
class Trim:
    """Settings of a start.

    Attributes:
        collective: [deg]; airspeed: [m/s]
    """

    collective: float
    airspeed: float


@final
@dataclass(frozen=True)
class Proprotor:
    """What carries the blades of a proprotor, and the wing.

    Attributes:
        mast: from the wing's elastic axis to the hub [m]
        hub_mass, hub_inertia: [kg]; about a diameter and about the shaft [kg m^2]
        gimbal_stiffness: [N m/rad]
        horn: upper end of the pitch link, along the blade and ahead of it (behind it where negative) [m]
        link: its length [m]
        bandwidth: of the actuators [rad/s]
        aeroplane, helicopter: starts; with the collective of the start the horns are level
        wing: that carries it, if any
    """

    mast: float
    hub_mass: float
    hub_inertia: tuple[float, float]
    gimbal_stiffness: float
    horn: tuple[float, float]
    link: float
    bandwidth: float
    aeroplane: Trim
    helicopter: Trim
    wing: WingBeam

    def __post_init__(self) -> None:
        for what, unit in (("mast", "m"), ("hub_mass", "kg"), ("link", "m"), ("bandwidth", "rad/s")):
            checked_positive("proprotor", what, getattr(self, what), unit)
        checked_number("proprotor", "gimbal_stiffness", self.gimbal_stiffness, "N m/rad", least=0.0)
        for inertia in self.hub_inertia:
            checked_positive("proprotor", "hub_inertia", inertia, "kg m^2")
        if not 0.0 < 2 * abs(self.horn[1]) < self.link:
            raise ModelError(
                f"proprotor: horn is {self.horn[1]:g} m ahead of the blade, it must not be 0 and shorter than half the "
                f"link, {self.link:g} m"
            )


@final
@dataclass(frozen=True)
class HowProprotor:
    """How a proprotor is modelled.

    Attributes:
        wing: it is carried by a wing; else the pylon stands still
        gimbal: "element" of five equations, "assembled" of two bodies and joints with 25, or "locked"
        conversion: angle of the shaft above the horizon [deg]: 0 aeroplane, 90 helicopter
        points: of Gauss on a blade
        inflow, delay: see `RotorAir`
        tip_loss: lift falls to zero at the tip (Prandtl)
    """

    wing: bool = False
    gimbal: Literal["element", "assembled", "locked"] = "element"
    conversion: float = 0.0
    points: int = 4
    inflow: str = "uniform"
    delay: float = 0.05
    tip_loss: bool = True

    def __post_init__(self) -> None:
        if not -10.0 <= checked_number("proprotor", "conversion", self.conversion, "deg") <= 110.0:
            raise ModelError(f"proprotor: conversion is {self.conversion:g} deg, it must be from -10 to 110")
        if self.gimbal not in ("element", "assembled", "locked"):
            raise ModelError(f"proprotor: gimbal is {self.gimbal!r}, it must be 'element', 'assembled' or 'locked'")

    @property
    def axes(self) -> tuple[Vector, Vector, Vector]:
        """(3, 3) of the pylon: y to the left, z along the shaft."""
        c, s = math.cos(math.radians(self.conversion)), math.sin(math.radians(self.conversion))
        return (s, 0.0, c), (0.0, 1.0, 0.0), (-c, 0.0, s)


def proprotor(
    rotor: Planform, rig: Proprotor, how: HowProprotor | None = None, modes: WingModes | None = None
) -> RotorModel:
    """A proprotor in a wind tunnel whose air comes from ahead; the shaft turns at a speed that is imposed.

    Args:
        modes: of its wing, if it has one; those of the rig's unless given
    """
    how = how or HowProprotor()
    begin = rig.helicopter if how.conversion > 45.0 else rig.aeroplane
    level = math.radians(begin.collective)
    bodies, joints, closures = _mast(rig, how)
    elements, names = _on_mast(rotor, rig, how), list[BladeNames]()
    for k in range(rotor.blades):
        azimuth, own = math.tau * k / rotor.blades, f"b{k + 1}"
        body, joint, acting = _blade(rotor, rig, how, own, azimuth + math.pi, level)  # azimuth 0 is over the tail
        bodies, joints, elements = [*bodies, body], [*joints, joint], [*elements, *acting]
        names.append(BladeNames(azimuth, "", "", own, f"{own}_link", (own,)))
    count = 0
    if how.wing:
        wing = Wing(WING, PYLON, wing_modes(rig.wing) if modes is None else modes)
        elements, count = [*elements, wing], wing.n
    model = Model(rotor.name, tuple(bodies), tuple(joints), elements=tuple(elements), closures=tuple(closures))
    v0 = np.zeros(model.nv)
    v0[model.v_slices[model.index[MAST]][0]] = rotor.speed
    massless = PYLON, MAST, *(INNER if how.gimbal == "assembled" else ())
    settings = _controls(level), _flight(begin.airspeed)
    return RotorModel(rotor, model, STEP, rotor.speed, v0, massless, True, *settings, tuple(names), "shaft",
                      besides=_Inputs(rig.horn[1], rig.link, level, count))  # fmt: skip


def _controls(level: float) -> tuple[Setting, ...]:
    """Within what the horns reach."""
    about = "collective pitch at 3/4 of the radius"
    return (
        Setting("collective", "rad", about, level, level - 0.8, level + 0.8, 0.2),
        Setting("cyclic_cos", "rad", "cyclic pitch times cos psi", 0.0, -0.2, 0.2, 0.2),
        Setting("cyclic_sin", "rad", "cyclic pitch times sin psi", 0.0, -0.2, 0.2, 0.2),
    )


def _flight(airspeed: float) -> tuple[Setting, ...]:
    air, angle = flight_settings(FASTEST)
    return replace(air, start=airspeed), replace(angle, about="of the air against the horizon, positive from below")


def _mast(rig: Proprotor, how: HowProprotor) -> tuple[list[Body], list[Joint], list[AbstractClosure]]:
    """Pylon, mast, and the hub on its gimbal."""
    about, shaft = rig.hub_inertia
    hub = Body(HUB, rig.hub_mass, inertia=(about, about, shaft))
    bodies = [Body(PYLON, 1.0, inertia=LIGHT), Body(MAST, 1.0, inertia=LIGHT), hub]
    centre = 0.0, 0.0, rig.mast
    joints = [
        Joint(PYLON, GROUND, PYLON, Free() if how.wing else fixed(), orientation=how.axes),
        Joint("shaft", PYLON, MAST, revolute(Z), centre),
        Joint(HUB, MAST, HUB, fixed() if how.gimbal == "locked" else Spherical()),
    ]
    speed = ImposedSpeedClosure(SPEED, MAST, CENTRE, PYLON, centre, axis=Z, motion="turn")
    if how.gimbal == "assembled":
        (forks, hinges), rows = assembled_gimbal(MAST, CENTRE, HUB)
        return [*bodies, *forks], [*joints, *hinges], [speed, *rows]
    if how.gimbal == "locked":
        return bodies, joints, [speed]
    return bodies, joints, [speed, GimbalClosure("gimbal", HUB, CENTRE, MAST, CENTRE, form="angles")]


def _on_mast(rotor: Planform, rig: Proprotor, how: HowProprotor) -> list[AbstractElement]:
    """Actuators, air, gimbal spring."""
    rows = tuple((float(a), float(b), float(c)) for a, b, c in swashplate_plane(*rig.horn))
    found: list[AbstractElement] = [
        PitchControls(PITCH, rows, rig.bandwidth, 1),
        RotorAir(AIR, PYLON, (0.0, 0.0, rig.mast), rotor.radius, rotor.tip_speed, rotor.density, rotor.sound,
                 how.inflow, how.delay),
    ]  # fmt: skip
    if rig.gimbal_stiffness and how.gimbal != "locked":
        stiffness = 0.0, 0.0, 0.0, rig.gimbal_stiffness, rig.gimbal_stiffness, 0.0
        found.append(FrameSpring("gimbal_spring", HUB, stiffness, body_b=MAST))
    return found


def _blade(
    rotor: Planform, rig: Proprotor, how: HowProprotor, name: str, angle: float, level: float
) -> tuple[Body, Joint, list[AbstractElement]]:
    """A rigid blade on its pitch bearing, turned by an angle about the shaft and pitched until its horn is level."""
    blade = needed_blade(rotor)
    if [kind for kind, _ in blade.hinges] != ["pitch"]:
        raise ModelError(f"blade {blade.name!r} must have a pitch bearing and no other hinge, its hub is on a gimbal")
    piece = blade.rigid(at := blade.clamp)
    body = Body(name, piece.mass, tuple(piece.com - [at, 0, 0]), piece.inertia.tolist())
    c, s, cp, sp = math.cos(angle), math.sin(angle), math.cos(level), math.sin(level)
    pitched = (c, -s * cp, s * sp), (s, c * cp, -c * sp), (0.0, sp, cp)
    joint = Joint(name, HUB, name, revolute(X), turned(angle, (at, 0.0, 0.0)), pitched)
    x, y = rig.horn
    ends = (name, (x - at, y * cp, -y * sp)), (MAST, turned(angle, (x, y, -rig.link)))
    stations = rigid_stations(rotor, at, how.points, tip_loss=how.tip_loss)
    return body, joint, [
        PitchLink(f"{name}_link", *ends, PYLON, PITCH),
        BladeAir(f"{name}_air", AIR, (name,), stations, rotor.airfoil),
    ]  # fmt: skip


@final
@dataclass(frozen=True)
class _Inputs:
    """Inputs of a step for settings: the height of the links that gives the blades' pitch, and those of a wing.

    A horn of length y that stands at the angle d, on a link of length L whose lower end was lifted by h, keeps
    (y - y cos d)^2 + (L + y sin d - h)^2 = L^2.
    """

    horn: float
    link: float
    level: float
    modes: int

    def __call__(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        d, y = settings["collective"] - self.level, self.horn
        aside = y * (1 - ca.cos(d))
        upright = ca.sqrt(self.link**2 - aside**2)
        lift, slope = y * ca.sin(d) + self.link - upright, y * ca.cos(d) + aside * y * ca.sin(d) / upright
        found: dict[str, Any] = {f"{PITCH}_collective": lift / y}
        for kind in ("cos", "sin"):
            found[f"{PITCH}_{kind}"] = slope / y * settings[f"cyclic_{kind}"]
        if self.modes:
            found |= {f"{WING}_force": np.zeros(self.modes), f"{WING}_snubber": 0.0}
        return found
