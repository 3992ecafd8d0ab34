"""What a rotor shows: loads on the shaft and of the air, angles and loads of every blade, from the states of a step.

Shaft axes do not turn: z along the shaft, x forward. Hub axes turn with the hub: at azimuth zero they are the shaft's,
and blade 1 always lies along their -x. Loads act about the centre of the hub.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, final

import casadi as ca
import numpy as np

from motionbase.compile import Kernel, Port
from motionbase.multibody.network.constraints import frame
from motionbase.multibody.network.joints import NetworkJoint
from motionbase.multibody.network.motion import places_of
from motionbase.multibody.network.nodes import Node, Place
from motionbase.multibody.network.of_model import ModelNetwork
from motionbase.multibody.network.parts import GROUND_PLACE, AbstractPart, Moment
from motionbase.rotor.elements.air import FIELD, AirPlaces, air_places
from motionbase.rotor.models.rotor_model import SPEED, BladeNames, RotorModel
from motionbase.spatial.rotations import Expr

AXES = tuple(f"{kind}{axis}" for kind in "fm" for axis in "xyz")


class Wrench(NamedTuple):
    """Force, and moment about a point, in the world [N, N m]."""

    force: Expr
    moment: Expr

    def about(self, old: Expr, new: Expr) -> Wrench:
        """About another point."""
        return Wrench(self.force, self.moment + ca.cross(old - new, self.force))


@final
@dataclass(frozen=True, eq=False)
class Observer:
    """Expressions of what a rotor shows, from the places of its nodes, own unknowns and what is kept."""

    rotor: RotorModel
    network: ModelNetwork
    places: Sequence[Place]
    own: Expr
    kept: Expr

    # ---- where things are ------------------------------------------------------------------------------------------

    @cached_property
    def at_air(self) -> AirPlaces:
        """Of the rotor's air."""
        return air_places(self.network.assembly)

    def place(self, node: int | None) -> Place:
        """Of a node, or of the ground."""
        return GROUND_PLACE if node is None else self.places[node]

    @property
    def shaft(self) -> Place:
        """The body that carries the shaft."""
        return self.place(self.at_air.inflow.node)

    @property
    def centre(self) -> Expr:
        """Of the hub, in the world [m]."""
        return self.shaft.x + self.shaft.R @ ca.DM(self.at_air.inflow.r)

    def joint(self, name: str) -> NetworkJoint:
        """Of that name."""
        return next(joint for joint in self.network.joints if joint.joint.name == name)

    def part(self, name: str) -> tuple[AbstractPart, Expr]:
        """Of that name, and its own unknowns."""
        assembly = self.network.assembly
        k = next(k for k, part in enumerate(assembly.parts) if part.name == name and part.own)
        return assembly.parts[k], self.own[assembly.own_starts[k] : assembly.own_starts[k + 1]]

    # ---- what is shown ---------------------------------------------------------------------------------------------

    @cached_property
    def hub(self) -> Place:
        """The body that turns with the shaft."""
        return self.place(self.joint(self.rotor.shaft).nodes[1])

    @property
    def azimuth(self) -> Expr:
        """From 0 to 2 pi."""
        x = self.shaft.R.T @ self.hub.R[:, 0]
        angle = ca.atan2(x[1], x[0])
        return angle + ca.if_else(angle < 0, 2 * ca.pi, 0)

    @property
    def speed(self) -> Expr:
        """Of the hub against what carries it."""
        return ca.dot(self.shaft.R[:, 2], self.hub.omega - self.shaft.omega)

    @property
    def air(self) -> Expr:
        """(6,) of the air on the blades, shaft axes."""
        return self.kept[self.at_air.loads]

    @property
    def induced(self) -> Expr:
        """(3,) speed downwards at the hub, and its slopes."""
        return self.kept[self.at_air.field]

    @cached_property
    def load(self) -> Wrench:
        """Of the rotor on its shaft, about the centre of the hub."""
        node = self.joint(self.rotor.shaft).nodes[1]
        joint, turning = (self._on(name, node) for name in (self.rotor.shaft, SPEED))
        found = Wrench(-joint.force - turning.force, -joint.moment - turning.moment)
        return found.about(self.hub.x, self.centre)

    def load_along(self, axes: Expr) -> Expr:
        """(6,) the same along axes."""
        return ca.vertcat(axes.T @ self.load.force, axes.T @ self.load.moment)

    @property
    def torque(self) -> Expr:
        """That drives the rotor."""
        return -ca.dot(self.shaft.R[:, 2], self.load.moment)

    def angle(self, blade: BladeNames, which: str) -> Expr:
        """Of a hinge."""
        joint = self.joint(getattr(blade, which))
        A, B = (frame(self.place(n), ca.DM(m.numbers)) for n, m in zip(joint.nodes, (joint.a, joint.b), strict=True))
        shared = which == "flap" and blade.flap == blade.lag
        return joint.coordinates(A, B, ca.SX.zeros(2))[int(shared)]

    def root(self, blade: BladeNames) -> Wrench:
        """Of a blade on what is inboard of its pitch bearing, in the bearing's axes before it turns.

        x is outward, y to the leading edge.
        """
        bearing = self.joint(blade.pitch)
        a = self.place(bearing.nodes[0])
        axes, point = a.R @ ca.DM(np.asarray(bearing.joint.orientation)), a.x + a.R @ ca.DM(bearing.a.r)
        on_root = self._on(blade.pitch, bearing.nodes[0]).about(a.x, point)
        return Wrench(axes.T @ on_root.force, axes.T @ on_root.moment)

    def _on(self, name: str, node: int | None) -> Wrench:
        """Force and moment of a part on one of its nodes, the moment about the node."""
        part, own = self.part(name)
        at = Moment(
            tuple(self.place(n) for n in part.nodes), own, ca.SX.zeros(own.shape), ca.DM(np.asarray(part.numbers)),
            ca.SX(0, 1), ca.SX.zeros(len(part.inputs)), ca.SX(0, 1), ca.SX(1), ca.SX(0, 1),
            ((ca.SX(6, 1), ca.SX(6, 1)),) * len(part.nodes),
        )  # fmt: skip
        k, found = part.nodes.index(node), part.equations(at)
        R = at.places[k].R if found.local else ca.SX.eye(3)
        return Wrench(*(R @ x for x in found.wrenches[k]))


class Shown(NamedTuple):
    """A number that is shown, and its expression."""

    name: str
    unit: str
    about: str
    of: Callable[[Observer], Expr]


def shown(rotor: RotorModel) -> tuple[Shown, ...]:
    """Of the rotor, then of each blade."""
    found = [
        Shown("azimuth", "rad", "of blade 1, from 0 to 2 pi", lambda o: o.azimuth),
        Shown("speed", "rad/s", "of the hub against what carries it", lambda o: o.speed),
        *_six("air", "of the air on the blades, shaft axes", lambda o: o.air),
        *_six("shaft", "of the rotor on its shaft, shaft axes", lambda o: o.load_along(o.shaft.R)),
        *_six("hub", "of the rotor on its shaft, hub axes", lambda o: o.load_along(o.hub.R)),
        Shown("drive_torque", "N m", "that drives the rotor", lambda o: o.torque),
        Shown("drive_power", "W", "that drives the rotor", lambda o: o.torque * o.speed),
    ]
    texts = "induced speed downwards at the hub", "slope of it along x", "slope of it along y"
    for k, (name, text) in enumerate(zip(FIELD, texts, strict=True)):
        found.append(_number(name, "1/s" if k else "m/s", f"{text}, as the next step reads it", lambda o: o.induced, k))
    return (*found, *(one for k, blade in enumerate(rotor.blades) for one in _of_blade(f"b{k + 1}", blade)))


def _number(name: str, unit: str, about: str, of: Callable[[Observer], Expr], k: int) -> Shown:
    return Shown(name, unit, about, lambda o: of(o)[k])


def _six(name: str, about: str, of: Callable[[Observer], Expr]) -> list[Shown]:
    kinds = [("force", "N")] * 3 + [("moment", "N m")] * 3
    pairs = zip(AXES, kinds, strict=True)
    return [_number(f"{name}_{axis}", unit, f"{kind} {about}", of, k) for k, (axis, (kind, unit)) in enumerate(pairs)]


def _of_blade(name: str, blade: BladeNames) -> list[Shown]:
    hinges = ("lag", "against the rotation"), ("flap", "up"), ("pitch", "nose-up")
    return [
        *(
            Shown(f"{name}_{which}", "rad", f"angle {about}", lambda o, which=which: o.angle(blade, which))  # type: ignore[misc]
            for which, about in hinges
            if getattr(blade, which)
        ),
        Shown(f"{name}_link", "N", "push of the pitch link", lambda o: o.part(blade.link)[1][0]),
        Shown(f"{name}_tension", "N", "at the pitch bearing, outwards", lambda o: o.root(blade).force[0]),
        Shown(f"{name}_flap_bending", "N m", "at the pitch bearing, tip up", lambda o: -o.root(blade).moment[1]),
        Shown(f"{name}_lag_bending", "N m", "at the pitch bearing, tip back", lambda o: -o.root(blade).moment[2]),
    ]


def observation(rotor: RotorModel, network: ModelNetwork) -> Kernel:
    """(nodes, own, kept) at the end of a step -> every number of `shown` by its name."""
    assembly, listed = network.assembly, shown(rotor)
    given = (
        Node.port("nodes", "nodes at the end of a step", rows=len(assembly.bodies)),
        Port("own", assembly.own_starts[-1], "-", "own unknowns of parts"),
        Port("kept", assembly.shared_starts[-1], "-", "what parts keep"),
    )

    def expr(nodes: Any, own: Expr, kept: Expr) -> Any:
        observer = Observer(rotor, network, places_of(nodes), own, kept)
        return tuple(one.of(observer) for one in listed)

    return Kernel(f"{rotor.name}_observed", given, tuple(Port(n, (), unit, text) for n, unit, text, _ in listed), expr)
