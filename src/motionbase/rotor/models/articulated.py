"""Articulated rotors as models: hinged blades, pitch links, a swashplate on three control rods.

Counted with a node for the ground and rods that keep their direction, a rotor of four rigid blades on three hinges each
has 283 equations.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError
from motionbase.multibody.body import GROUND, Body, Vector
from motionbase.multibody.closures import AbstractClosure, ImposedSpeedClosure, InLineClosure, InPlaneClosure
from motionbase.multibody.elements import AbstractElement
from motionbase.multibody.joint import Joint
from motionbase.multibody.joints import Free, revolute, universal
from motionbase.multibody.lookup import checked_positive
from motionbase.multibody.model import Model
from motionbase.rotor.blades.blade import Blade
from motionbase.rotor.blades.elastic import AXES, blade_parts, hinge_springs
from motionbase.rotor.blades.planform import Planform, needed_blade
from motionbase.rotor.blades.stations import beam_stations, rigid_stations
from motionbase.rotor.elements.air import RotorAir
from motionbase.rotor.elements.airframe import FUSELAGE, Airframe
from motionbase.rotor.elements.blade_air import BladeAir
from motionbase.rotor.elements.controls import PitchControls, swashplate_plane
from motionbase.rotor.elements.rods import Rod
from motionbase.rotor.models.rotor_model import AIR, PITCH, SPEED, BladeNames, RotorModel, no_inputs
from motionbase.rotor.models.settings import flight_settings, free_flight_settings, height_setting, pitch_settings

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
LIGHT = (1.0, 1.0, 1.0)  # inertia of bodies whose mass is left out


@final
@dataclass(frozen=True)
class Swashplate:
    """Pitch links, swashplate and control rods.

    Attributes:
        horn_x, horn_y: where the upper end of a pitch link is, along the blade and ahead of it [m]
        link: length of a pitch link, straight down [m]
        rods_at, rod: distance of the control rods from the shaft, and their length [m]
        bandwidth, damping: of the actuators [rad/s], [-]
    """

    horn_x: float
    horn_y: float
    link: float
    rods_at: float = 0.3
    rod: float = 0.5
    bandwidth: float = 60.0
    damping: float = 0.7

    def __post_init__(self) -> None:
        for what in ("horn_x", "horn_y", "link", "rods_at", "rod"):
            checked_positive("swashplate", what, getattr(self, what), "m")

    def plane(self) -> Array:
        """See `swashplate_plane`."""
        return swashplate_plane(self.horn_x, self.horn_y)


Root = Literal["hinges", "compact"]


@final
@dataclass(frozen=True, eq=False)
class Articulated:
    """How an articulated rotor is modelled.

    Attributes:
        root: "hinges", each with a body between; "compact", lag and flap about one centre, a universal joint
        beams: of three nodes a blade; 0 for rigid blades
        points: of Gauss on a rigid blade, or on each beam
        inflow, delay: see `RotorAir`
        tip_loss: lift falls to zero at the tip (Prandtl)
        unsteady: see `BladeAir`
        damping: of beams, by which stress leads strain [s]
        ground_effect: a setting `height` of the hub above the ground
        counted: ground and rods are counted as formulations do that have more unknowns; else 33 equations fewer
    """

    root: Root = "hinges"
    beams: int = 0
    points: int = 4
    inflow: str = "uniform"
    delay: float = 0.124
    tip_loss: bool = True
    unsteady: str = "steady"
    damping: float = 1e-3
    ground_effect: bool = False
    counted: bool = True

    def __post_init__(self) -> None:
        if self.root not in ("hinges", "compact"):
            raise ModelError(f"articulated rotor: root is {self.root!r}, must be 'hinges' or 'compact'")
        if self.root == "compact" and self.beams:
            raise ModelError("articulated rotor: root = 'compact' has rigid blades, beams need root = 'hinges'")


def articulated_rotor(
    rotor: Planform, swashplate: Swashplate, how: Articulated | None = None, airframe: Airframe | None = None
) -> RotorModel:
    """A rotor in a wind tunnel, or on an airframe that flies; the shaft turns at a speed that is imposed."""
    how = how or Articulated()
    support = GROUND if airframe is None else FUSELAGE
    blade = _linked(needed_blade(rotor))
    radii = [hinge.at for _, hinge in blade.hinges]
    if how.root == "hinges" and len(set(radii)) < len(radii):
        raise ModelError(f"blade {blade.name!r}: two hinges are at one radius; part them, or take root = 'compact'")
    bodies, joints, closures = _swashplate_parts(swashplate, support)
    elements = _controls(rotor, swashplate, how, support)
    if airframe is not None:
        bodies, joints = [airframe.body(), *bodies], [Joint(FUSELAGE, GROUND, FUSELAGE, Free()), *joints]
        elements += airframe.elements(rotor.density)
    names = []
    for k in range(rotor.blades):
        azimuth = math.tau * k / rotor.blades
        found = _blade(rotor, blade, how, f"b{k + 1}", azimuth + math.pi)  # azimuth 0 is over the tail
        bodies, joints, elements = [*bodies, *found[0]], [*joints, *found[1]], [*elements, *found[2]]
        names.append(replace(found[3], azimuth=azimuth))
        lower = turned(azimuth + math.pi, (swashplate.horn_x, swashplate.horn_y, 0.0))
        upper = swashplate.horn_x - blade.clamp, swashplate.horn_y, 0.0
        ends = ("rotating", names[-1].bodies[0]), (lower, upper)
        elements.append(Rod(f"b{k + 1}_link", *ends, direction=how.counted))
    model = Model(rotor.name, tuple(bodies), tuple(joints), elements=tuple(elements), closures=tuple(closures))
    v0 = np.zeros(model.nv)
    for joint, (at, _) in zip(model.joints, model.v_slices, strict=True):
        if joint.name in ("shaft", "bearing"):
            v0[at] = rotor.speed
    step = round(math.tau / rotor.speed / 90, 5)
    flight = flight_settings(0.5 * rotor.tip_speed) if airframe is None else free_flight_settings()
    if how.ground_effect:
        flight = (*flight, height_setting(rotor.radius))
    return RotorModel(
        rotor, model, step, rotor.speed, v0,
        massless=("hub", "swashplate", "rotating"),
        ground_node=how.counted and airframe is None,
        controls=pitch_settings(rotor.flat_pitch, 0.4, 0.25),
        flight=flight,
        blades=tuple(names),
        shaft="shaft",
        corrections=6 if how.beams else 4,
        airframe=airframe,
        besides=_ground if how.ground_effect else no_inputs,
    )  # fmt: skip


def _ground(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Where the ground is, below the hub's place at the start."""
    return {f"{AIR}_ground": -settings["height"]}


def _linked(blade: Blade) -> Blade:
    """The blade with a pitch bearing that turns freely: links hold it."""
    outer = blade.hinges[-1][0] if blade.hinges else ""
    if blade.pitch is None or outer != "pitch":
        raise ModelError(f"blade {blade.name!r}: its outermost hinge is {outer or 'none'}, a pitch bearing is wanted")
    return replace(blade, pitch=replace(blade.pitch, stiffness=0.0))


def _swashplate_parts(plate: Swashplate, support: str) -> tuple[list[Body], list[Joint], list[AbstractClosure]]:
    """Hub on its shaft, swashplate below it; it slides and tilts, and scissors turn its upper half with the hub."""
    below = 0.0, 0.0, -plate.link
    ahead = plate.rods_at, 0.0, 0.0
    bodies = [Body(name, 1.0, inertia=LIGHT) for name in ("hub", "swashplate", "rotating")]
    joints = [
        Joint("shaft", support, "hub", revolute(Z)),
        Joint("swashplate", support, "swashplate", Free(), below),
        Joint("bearing", "swashplate", "rotating", revolute(Z)),
    ]
    closures: list[AbstractClosure] = [
        ImposedSpeedClosure(SPEED, "hub", (0.0, 0.0, 0.0), support, (0.0, 0.0, 0.0), axis=Z, motion="turn"),
        InLineClosure("slide", "swashplate", (0.0, 0.0, 0.0), support, below, axis=Z),
        InPlaneClosure("scissors", "swashplate", ahead, support, below, normal=Y),
        InPlaneClosure("rotating_scissors", "rotating", ahead, "hub", below, normal=Y),
    ]
    return bodies, joints, closures


def _controls(rotor: Planform, plate: Swashplate, how: Articulated, support: str) -> list[AbstractElement]:
    """Three actuators and their rods, and the air."""
    at = [turned(math.tau * k / 3, (plate.rods_at, 0.0, 0.0)) for k in range(3)]
    mix = [np.array([1.0, x, y]) @ plate.plane() for x, y, _ in at]
    rows = tuple((float(a), float(b), float(c)) for a, b, c in mix)
    controls = PitchControls(PITCH, rows, plate.bandwidth, 2, plate.damping)
    rods = []
    for k, (x, y, _) in enumerate(at):
        ends = (x, y, -plate.link - plate.rod), (x, y, 0.0)
        rods.append(Rod(f"rod{k + 1}", (support, "swashplate"), ends, (PITCH, k), how.counted))
    air = RotorAir(AIR, support, (0.0, 0.0, 0.0), rotor.radius, rotor.tip_speed, rotor.density, rotor.sound,
                   how.inflow, how.delay, how.ground_effect)  # fmt: skip
    return [controls, air, *rods]


Parts = tuple[list[Body], list[Joint], list[AbstractElement], BladeNames]


def _blade(rotor: Planform, blade: Blade, how: Articulated, name: str, angle: float) -> Parts:
    """A blade with its air, turned by an angle about the shaft."""
    names = {kind: f"{name}0" if kind == "pitch" else f"{name}_{kind}" for kind, _ in blade.hinges}
    if how.root == "compact":
        bodies, joints, elements = _compact(blade, name)
        names["lag"] = names["flap"]
    elif how.beams:
        parts = blade_parts(blade, name, "hub", beams=how.beams, damping=how.damping)
        bodies, joints, elements = list(parts.bodies), list(parts.joints), list(parts.elements)
    else:
        bodies, joints, elements = _rigid(blade, name)
    joints = [_turned_joint(joint, angle) if joint.parent == "hub" else joint for joint in joints]
    elements = [*elements, *_air(rotor, blade, how, name)]
    count = 2 * how.beams + 1
    lag, flap, pitch = (names.get(kind, "") for kind in ("lag", "flap", "pitch"))
    feel = tuple(f"{name}{n}" for n in range(count))
    return bodies, joints, elements, BladeNames(angle, lag, flap, pitch, f"{name}_link", feel)


def _turned_joint(joint: Joint, angle: float) -> Joint:
    """A joint on the hub, turned about the shaft."""
    R = np.array(axes_turned(angle)) @ np.array(joint.orientation)
    return replace(joint, position=turned(angle, joint.position), orientation=R.tolist())


def _rigid(blade: Blade, name: str) -> tuple[list[Body], list[Joint], list[AbstractElement]]:
    """Hinges one after the other, a body after each; the last is the blade."""
    bodies, joints, elements = list[Body](), list[Joint](), list[AbstractElement]()
    parent, inboard, hinges = "hub", 0.0, blade.hinges
    for k, (kind, hinge) in enumerate(hinges):
        last = k == len(hinges) - 1
        own = f"{name}0" if last else f"{name}_{kind}"
        piece = blade.rigid(hinge.at, None if last else hinges[k + 1][1].at)
        bodies.append(Body(own, piece.mass, tuple(piece.com - [hinge.at, 0, 0]), piece.inertia.tolist()))
        joints.append(Joint(own, parent, own, revolute(AXES[kind]), (hinge.at - inboard, 0.0, 0.0)))
        elements += hinge_springs(own, [(kind, hinge)], True)
        parent, inboard = own, hinge.at
    return bodies, joints, elements


def _compact(blade: Blade, name: str) -> tuple[list[Body], list[Joint], list[AbstractElement]]:
    """Lag and flap about the flap hinge, with one body fewer; what mass is inboard of it is left out."""
    if blade.lag is None or blade.flap is None or blade.pitch is None:
        raise ModelError(
            f"blade {blade.name!r}: a compact root has hinges for lag, flap and pitch; take root = 'hinges'"
        )
    if blade.flap.stiffness or blade.lag.stiffness:
        raise ModelError(f"blade {blade.name!r}: springs on lag or flap hinge need root = 'hinges'")
    at, out, own = blade.flap.at, blade.pitch.at, f"{name}_flap"
    piece, rest = blade.rigid(at, out), blade.rigid(out)
    bodies = [
        Body(own, piece.mass, tuple(piece.com - [at, 0, 0]), piece.inertia.tolist()),
        Body(f"{name}0", rest.mass, tuple(rest.com - [out, 0, 0]), rest.inertia.tolist()),
    ]
    joints = [
        Joint(own, "hub", own, universal(AXES["lag"], AXES["flap"]), (at, 0.0, 0.0)),
        Joint(f"{name}0", own, f"{name}0", revolute(AXES["pitch"]), (out - at, 0.0, 0.0)),
    ]
    return bodies, joints, hinge_springs(own, [("lag", blade.lag), ("flap", blade.flap)], True)


def _air(rotor: Planform, blade: Blade, how: Articulated, name: str) -> list[AbstractElement]:
    """Of the whole blade, or of each beam."""
    if not how.beams:
        stations = rigid_stations(rotor, blade.clamp, how.points, tip_loss=how.tip_loss)
        return [BladeAir(f"{name}_air", AIR, (f"{name}0",), stations, rotor.airfoil, how.unsteady)]
    r = np.linspace(blade.clamp, blade.radius, 2 * how.beams + 1)
    twist = blade.at("twist", r)
    found: list[AbstractElement] = []
    for k in range(how.beams):
        own = slice(2 * k, 2 * k + 3)
        stations = beam_stations(rotor, r[own].tolist(), twist[own].tolist(), how.points, tip_loss=how.tip_loss)
        if stations:
            bodies = tuple(f"{name}{n}" for n in range(2 * k, 2 * k + 3))
            found.append(BladeAir(f"{name}_air{k + 1}", AIR, bodies, stations, rotor.airfoil, how.unsteady))
    return found


def turned(angle: float, v: Vector | str) -> Vector:
    """A vector turned about z."""
    assert not isinstance(v, str)
    c, s = math.cos(angle), math.sin(angle)
    return c * v[0] - s * v[1], s * v[0] + c * v[1], v[2]


def axes_turned(angle: float) -> tuple[Vector, Vector, Vector]:
    """(3, 3) rotation about z."""
    c, s = math.cos(angle), math.sin(angle)
    return (c, -s, 0.0), (s, c, 0.0), Z
