"""Rotor models as runs in real time take them: settings that can be stopped, channels of the record, shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

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
from motionbase.rotor.elements.air import FIELD, LOADS, MEMORY
from motionbase.rotor.elements.rods import Rod
from motionbase.rotor.flight.flying import FIRST, Flying
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
HINGES: tuple[Literal["lag", "flap", "pitch"], ...] = "lag", "flap", "pitch"
ON_SHAFT, AT_ROOTS = ("shaft_", "hub_", "drive_"), ("_tension", "_bending")  # of the names of `shown`
ABOUT = (
    ("force_x", "N", "force of the air along x of the support"),
    ("force_y", "N", "force of the air along y of the support"),
    ("thrust", "N", "force of the air along the shaft"),
    ("moment_x", "N m", "moment of the air about x at the hub"),
    ("moment_y", "N m", "moment of the air about y at the hub"),
    ("torque", "N m", "that the air takes from the shaft"),
    ("power", "W", "that the air takes from the shaft"),
    ("inflow", "m/s", "induced speed downwards at the hub"),
    ("inflow_x", "1/s", "its slope along x"),
    ("inflow_y", "1/s", "its slope along y"),
    ("azimuth", "rad", "of the first blade, 0 over the tail"),
    ("coning", "rad", "mean flap of the blades"),
)
OF_A_BLADE = (
    ("lag", "rad", "lag, against the rotation"),
    ("flap", "rad", "flap, up"),
    ("pitch", "rad", "pitch at the root, nose-up"),
    ("link", "N", "force in its pitch link, that of a push positive"),
)


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
    blades = range(1, len(rotor.blades) + 1)
    known = _of_blades(rotor)
    listed = [one for one in OF_A_BLADE if one[0] in known]
    of_blades = [Output(f"b{k}_{name}", unit, f"blade {k}: {text}") for name, unit, text in listed for k in blades]
    coned = [one for one in ABOUT if one[0] != "coning" or "flap" in known]
    loads = [Output(one.name, one.unit, one.about) for one in _loads(rotor)]
    airframe = () if rotor.airframe is None else ABOUT_AIRFRAME
    return *(Output(*one) for one in coned), *of_blades, *loads, *airframe


def _loads(rotor: RotorModel) -> list[Shown]:
    """Of shaft and blades' roots."""
    return [one for one in shown(rotor) if one.name.startswith(ON_SHAFT) or one.name.endswith(AT_ROOTS)]


def _of_blades(rotor: RotorModel) -> set[str]:
    """Hinges that the blades have, and whether they have links."""
    (blade, *_), elements = rotor.blades, {element.name for element in rotor.model.elements}
    found = {which for which in HINGES if getattr(blade, which)}
    return found | ({"link"} if "b1_link" in elements else set())


def observed(rotor: RotorModel, network: ModelNetwork) -> Kernel:
    """(nodes, coordinates, own unknowns, kept numbers, with an airframe also speeds and settings) -> outputs."""
    model, assembly = rotor.model, network.assembly
    known = _of_blades(rotor)
    hinges = {which: Flying(rotor, rotor.network()).places(which) for which in HINGES if which in known}
    shaft = model.q_slices[model.index[_child(model, rotor.shaft)]][0].start
    names = assembly.names[assembly.node_starts[-1] :]
    links = [names.index(f"b{k + 1}_link.length") for k in range(len(rotor.blades))] if "link" in known else []
    air = assembly.shared_starts[0]
    loads = air + len(FIELD) + len(MEMORY) - len(LOADS)

    flies = () if rotor.airframe is None else (motion(rotor),)

    def expr(nodes: Node, q: Expr, own: Expr, kept: Expr, *moving: Expr) -> Any:
        observer = Observer(rotor, network, places_of(nodes), own, kept)
        field, force, moment = kept[air : air + len(FIELD)], kept[loads : loads + 3], kept[loads + 3 : loads + 6]
        torque = -moment[2]
        turns = q[shaft] / (2 * np.pi)
        coning = [ca.sum1(q[hinges["flap"]]) / len(rotor.blades)] if "flap" in known else []
        return ca.vertcat(
            force, moment[:2], torque, torque * rotor.speed, field, q[shaft] - 2 * np.pi * ca.floor(turns),
            *coning, *(q[at] for at in hinges.values()), *([own[links]] if links else []),
            *(one.of(observer) for one in _loads(rotor)), *(flight(q, *moving) for flight in flies),
        )  # fmt: skip

    settings = len(controls_of(rotor)) + len(flight_of(rotor)) if flies else 0
    moving = (Port("v", model.nv), Port("settings", settings)) if flies else ()
    own, kept = Port("own", assembly.own_starts[-1]), Port("kept", _kept(assembly.shared_starts))
    inputs = Node.port("nodes", rows=len(assembly.bodies)), Port("q", model.nq), own, kept, *moving
    return Kernel(f"{model.name}_outputs", inputs, (Port("outputs", len(outputs_of(rotor))),), expr)


def _kept(starts: Sequence[int]) -> int:
    return starts[-1]


def _child(model: Model, joint: str) -> str:
    return next(one.child for one in model.joints if one.name == joint)


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
