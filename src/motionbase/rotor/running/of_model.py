"""Rotor models as runs in real time take them: settings that can be stopped, channels of the record, shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import casadi as ca
import numpy as np

from motionbase.compile import Kernel, Port
from motionbase.multibody.elements import Beam
from motionbase.multibody.looks import Looks, Section
from motionbase.multibody.model import Model
from motionbase.multibody.network.motion import places_of
from motionbase.multibody.network.nodes import Node
from motionbase.multibody.network.of_model import ModelNetwork
from motionbase.rotor.blades.planform import Planform
from motionbase.rotor.elements.rods import Rod
from motionbase.rotor.flight.flying import FIRST
from motionbase.rotor.flight.observe import Observer, Shown, shown
from motionbase.rotor.models.rotor_model import BladeNames, RotorModel
from motionbase.rotor.running.helicopter import ABOUT as ABOUT_AIRFRAME
from motionbase.rotor.running.helicopter import controls_of, flight_of, motion, stabilised
from motionbase.rotor.running.operated import OperatedRotor, Output
from motionbase.spatial.rotations import Expr

TICKS = 100  # a run makes a multiple of them in a second, so that records divide it
PIECES = 12  # of a rigid blade that is drawn
HUB, PLATE = 0.045, 0.05  # radii of disks that are drawn, over the rotor's
SHAFT = "shaft"
HINGES = "lag", "flap", "pitch"
ON_SHAFT, AT_ROOTS = ("shaft_", "hub_", "drive_"), ("tension", "flap_bending", "lag_bending")


def operated(rotor: RotorModel) -> OperatedRotor:
    """As a run takes it; its step divides a second, and is near that of the model."""
    planform = rotor.planform
    step = 1 / (TICKS * max(1, round(1 / (TICKS * rotor.step))))
    return OperatedRotor(
        rotor.name,
        planform.summary,
        planform.illustrative,
        rotor.model,
        step,
        rotor.speed,
        rotor.controls if rotor.airframe is None else controls_of(rotor),
        rotor.flight if rotor.airframe is None else flight_of(rotor),
        rotor.network,
        FIRST,
        rotor.given,
        outputs_of(rotor),
        lambda network: observed(rotor, network),
        looks=looks_of(rotor.model, planform, rotor.blades),
        inner=None if rotor.airframe is None else stabilised(rotor),
    )


def outputs_of(rotor: RotorModel) -> tuple[Output, ...]:
    """Of the rotor, of each blade, then of an airframe that flies."""
    airframe = () if rotor.airframe is None else ABOUT_AIRFRAME
    return *(Output(one.name, one.unit, one.about) for one in recorded(rotor)), *airframe


def recorded(rotor: RotorModel) -> list[Shown]:
    """Loads of the air and inflow, angles and links of the blades, then loads of shaft and roots."""
    listed, blades = shown(rotor), range(1, len(rotor.blades) + 1)
    known = {one.name: one for one in listed}
    of_blades = [known[name] for what in (*HINGES, "link") for k in blades if (name := f"b{k}_{what}") in known]
    roots = {f"b{k}_{what}" for k in blades for what in AT_ROOTS}
    loads = [one for one in listed if one.name.startswith(ON_SHAFT) or one.name in roots]
    return [*_of_air(rotor), *of_blades, *loads]


def _of_air(rotor: RotorModel) -> list[Shown]:
    """What blades do together to the air, and where they stand."""
    found = [
        Shown("force_x", "N", "force of the air along x of the support", lambda o: o.air[0]),
        Shown("force_y", "N", "force of the air along y of the support", lambda o: o.air[1]),
        Shown("thrust", "N", "force of the air along the shaft", lambda o: o.air[2]),
        Shown("moment_x", "N m", "moment of the air about x at the hub", lambda o: o.air[3]),
        Shown("moment_y", "N m", "moment of the air about y at the hub", lambda o: o.air[4]),
        Shown("torque", "N m", "that the air takes from the shaft", lambda o: -o.air[5]),
        Shown("power", "W", "that the air takes from the shaft", lambda o: -o.air[5] * rotor.speed),
        Shown("inflow", "m/s", "induced speed downwards at the hub", lambda o: o.induced[0]),
        Shown("inflow_x", "1/s", "its slope along x", lambda o: o.induced[1]),
        Shown("inflow_y", "1/s", "its slope along y", lambda o: o.induced[2]),
        Shown("azimuth", "rad", "of the first blade, 0 over the tail", lambda o: o.azimuth),
    ]
    if all(blade.flap for blade in rotor.blades):
        found.append(Shown("coning", "rad", "mean flap of the blades", _coning))
    return found


def _coning(o: Observer) -> Expr:
    return sum(o.angle(blade, "flap") for blade in o.rotor.blades) / len(o.rotor.blades)


def observed(rotor: RotorModel, network: ModelNetwork) -> Kernel:
    """(nodes, own unknowns, kept numbers, with an airframe also coordinates, speeds and settings) -> outputs."""
    model, assembly = rotor.model, network.assembly
    flight = None if rotor.airframe is None else motion(rotor)

    def expr(nodes: Node, own: Expr, kept: Expr, *moving: Expr) -> Any:
        observer = Observer(rotor, network, places_of(nodes), own, kept)
        airframe = [] if flight is None else [flight(*moving)]
        return ca.vertcat(*(one.of(observer) for one in recorded(rotor)), *airframe)

    settings = 0 if flight is None else len(controls_of(rotor)) + len(flight_of(rotor))
    moving = () if flight is None else (Port("q", model.nq), Port("v", model.nv), Port("settings", settings))
    own, kept = Port("own", assembly.own_starts[-1]), Port("kept", assembly.shared_starts[-1])
    inputs = Node.port("nodes", rows=len(assembly.bodies)), own, kept, *moving
    return Kernel(f"{model.name}_outputs", inputs, (Port("outputs", len(outputs_of(rotor))),), expr)


# ---- shapes --------------------------------------------------------------------------------------------------------


def looks_of(model: Model, planform: Planform, blades: Sequence[BladeNames]) -> Looks:
    """Blades by chord and twist, rigid ones from where the pitch bearing is; rods, hub and swashplate."""
    rods = tuple(((e.bodies[0], e.points[0]), (e.bodies[1], e.points[1])) for e in model.elements if isinstance(e, Rod))
    beams, rigid = {}, {}
    for element in model.elements:
        if isinstance(element, Beam):
            first, *_, last = (_radius(model, body) for body in element.bodies)
            beams[element.name] = (_section(planform, first), _section(planform, last))
    for blade in blades:
        if len(blade.bodies) == 1:
            (body,) = blade.bodies
            at = _radius(model, body)
            radii = np.linspace(max(planform.root, at), planform.radius, PIECES + 1)
            rigid[body] = ((0.0, (ARM * planform.chord_at(at).item(), 0.0)),
                           *((float(r - at), _section(planform, float(r))) for r in radii))  # fmt: skip
    sizes = {"hub": HUB, "swashplate": PLATE, "rotating": 0.9 * PLATE}
    disks = {name: share * planform.radius for name, share in sizes.items() if name in model.index}
    return Looks(beams, rigid, disks, rods)


ARM = 0.3  # of the chord: inboard of the blade


def _section(planform: Planform, r: float) -> Section:
    """Chord and twist; an arm inboard of the root."""
    chord = float(planform.chord_at(r))
    return (chord if r >= planform.root - 1e-9 else ARM * chord), float(planform.twist_at(r))


def _radius(model: Model, body: str) -> float:
    """Of a body's frame from the shaft, before anything moves [m]."""
    p, name = np.zeros(3), body
    while name in model.index:
        joint = model.joints[model.index[name]]
        p = np.array(joint.position, dtype=np.float64) + np.array(joint.orientation) @ p
        name = "" if joint.name == SHAFT else joint.parent
    return float(np.hypot(p[0], p[1]))
