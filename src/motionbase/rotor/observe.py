"""What a rotor shows: loads on the shaft and of the air, angles and loads of every blade, from the states of a step.

Shaft axes do not turn: z along the shaft, x forward. Hub axes turn with the hub: at azimuth zero they are the shaft's,
and blade 1 always lies along their -x. Loads act about the centre of the hub.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, final

import casadi as ca
import numpy as np

from motionbase.compile import Kernel, Port
from motionbase.errors import ModelError
from motionbase.multibody.network.constraints import frame
from motionbase.multibody.network.joints import NetworkJoint
from motionbase.multibody.network.motion import places_of
from motionbase.multibody.network.nodes import Node, Place
from motionbase.multibody.network.of_model import ModelNetwork
from motionbase.multibody.network.parts import GROUND_PLACE, AbstractPart, Moment
from motionbase.rotor.air import FIELD, LOADS, MEMORY, Inflow
from motionbase.rotor.rotor_model import AIR, SPEED, BladeNames, RotorModel
from motionbase.spatial.rotations import Expr

AXES = tuple(f"{kind}{axis}" for kind in "fm" for axis in "xyz")


class Output(NamedTuple):
    """A number that is shown."""

    name: str
    unit: str
    about: str
    value: Expr

    @property
    def port(self) -> Port:
        """Of the kernel."""
        return Port(self.name, (), self.unit, self.about)


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
    def inflow(self) -> Inflow:
        """The exchange of the rotor's air."""
        for exchange in self.network.assembly.exchanges:
            if isinstance(exchange, Inflow) and exchange.name == AIR:
                return exchange
        raise ModelError(f"rotor {self.rotor.name!r} has no air, an element RotorAir with the name {AIR!r} is needed")

    def place(self, node: int | None) -> Place:
        """Of a node, or of the ground."""
        return GROUND_PLACE if node is None else self.places[node]

    @property
    def shaft(self) -> Place:
        """The body that carries the shaft."""
        return self.place(self.inflow.node)

    @property
    def centre(self) -> Expr:
        """Of the hub, in the world [m]."""
        return self.shaft.x + self.shaft.R @ ca.DM(self.inflow.r)

    def joint(self, name: str) -> NetworkJoint:
        """Of that name."""
        return next(joint for joint in self.network.joints if joint.joint.name == name)

    def part(self, name: str) -> tuple[AbstractPart, Expr]:
        """Of that name, and its own unknowns."""
        assembly = self.network.assembly
        k = next(k for k, part in enumerate(assembly.parts) if part.name == name and part.own)
        return assembly.parts[k], self.own[assembly.own_starts[k] : assembly.own_starts[k + 1]]

    def shared(self, first: int, count: int) -> Expr:
        """Numbers of the air among those that are kept."""
        assembly = self.network.assembly
        at = assembly.shared_starts[assembly.exchanges.index(self.inflow)] + first
        return self.kept[at : at + count]

    # ---- what is shown ---------------------------------------------------------------------------------------------

    @cached_property
    def outputs(self) -> tuple[Output, ...]:
        """All of them."""
        blades = [o for k, blade in enumerate(self.rotor.blades) for o in self._blade(f"b{k + 1}", blade)]
        return (*self._whole(), *blades)

    def _whole(self) -> list[Output]:
        R = self.shaft.R
        hub_node = self.joint(self.rotor.shaft).nodes[1]
        hub = self.place(hub_node)
        x = R.T @ hub.R[:, 0]
        azimuth = ca.atan2(x[1], x[0])
        found = [
            Output("azimuth", "rad", "of blade 1, from 0 to 2 pi", azimuth + ca.if_else(azimuth < 0, 2 * ca.pi, 0))
        ]
        air = self.shared(len(FIELD) + len(MEMORY) - len(LOADS), len(LOADS))
        found += self._six("air", air, "of the air on the blades, shaft axes")
        on_hub = [self._on(name, hub_node) for name in (self.rotor.shaft, SPEED)]
        load = Wrench(-on_hub[0].force - on_hub[1].force, -on_hub[0].moment - on_hub[1].moment)
        load = load.about(hub.x, self.centre)
        for kind, axes in (("shaft", R), ("hub", hub.R)):
            about = f"of the rotor on its shaft, {kind} axes"
            found += self._six(kind, ca.vertcat(axes.T @ load.force, axes.T @ load.moment), about)
        turning = ca.dot(R[:, 2], hub.omega - self.shaft.omega)
        torque = -ca.dot(R[:, 2], load.moment)
        found.append(Output("speed", "rad/s", "of the hub against what carries it", turning))
        found.append(Output("drive_torque", "N m", "that drives the rotor", torque))
        found.append(Output("drive_power", "W", "that drives the rotor", torque * turning))
        induced = self.shared(0, len(FIELD))
        texts = "induced speed downwards at the hub", "slope of it along x", "slope of it along y"
        for k, (name, text) in enumerate(zip(FIELD, texts, strict=True)):
            found.append(Output(name, "1/s" if k else "m/s", f"{text}, as the next step reads it", induced[k]))
        return found

    def _six(self, name: str, values: Expr, about: str) -> list[Output]:
        return [
            Output(f"{name}_{axis}", "N" if k < 3 else "N m", f"{'force' if k < 3 else 'moment'} {about}", values[k])
            for k, axis in enumerate(AXES)
        ]

    def _blade(self, name: str, blade: BladeNames) -> list[Output]:
        found = []
        for k, which in enumerate(("lag", "flap", "pitch")):
            if not getattr(blade, which):
                continue
            shared = which == "flap" and blade.flap == blade.lag
            about = "against the rotation", "up", "nose-up"
            found.append(
                Output(f"{name}_{which}", "rad", f"angle {about[k]}", self._angle(getattr(blade, which), shared))
            )
        _, link = self.part(blade.link)
        found.append(Output(f"{name}_link", "N", "push of the pitch link", link[0]))
        bearing = self.joint(blade.pitch)
        a = self.place(bearing.nodes[0])
        # axes of the bearing before it turns: x outward, y to the leading edge
        axes = a.R @ ca.DM(np.asarray(bearing.joint.orientation))
        point = a.x + a.R @ ca.DM(bearing.a.r)
        on_root = self._on(blade.pitch, bearing.nodes[0]).about(a.x, point)
        force, moment = axes.T @ on_root.force, axes.T @ on_root.moment
        found.append(Output(f"{name}_tension", "N", "at the pitch bearing, outwards", force[0]))
        found.append(Output(f"{name}_flap_bending", "N m", "at the pitch bearing, tip up", -moment[1]))
        found.append(Output(f"{name}_lag_bending", "N m", "at the pitch bearing, tip back", -moment[2]))
        return found

    def _angle(self, name: str, second: bool) -> Expr:
        joint = self.joint(name)
        A, B = (frame(self.place(n), ca.DM(m.numbers)) for n, m in zip(joint.nodes, (joint.a, joint.b), strict=True))
        return joint.coordinates(A, B, ca.SX.zeros(2))[int(second)]

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


def observation(rotor: RotorModel, network: ModelNetwork) -> Kernel:
    """(nodes, own, kept) at the end of a step -> every output by its name; `outputs` of the kernel list them."""
    assembly = network.assembly
    n, own, kept = len(assembly.bodies), assembly.own_starts[-1], assembly.shared_starts[-1]
    given = (
        Node.port("nodes", "nodes at the end of a step", rows=n),
        Port("own", own, "-", "own unknowns of parts"),
        Port("kept", kept, "-", "what parts keep"),
    )

    def outputs(places: Sequence[Place], own: Expr, kept: Expr) -> tuple[Output, ...]:
        return Observer(rotor, network, places, own, kept).outputs

    blank = Place(*(ca.SX.zeros(shape) for shape in ((3, 1), (3, 3), (3, 1), (3, 1))))
    listed = outputs([blank] * n, ca.SX.zeros(own), ca.SX.zeros(kept))
    return Kernel(
        f"{rotor.name}_observed",
        given,
        tuple(output.port for output in listed),
        lambda nodes, own, kept: tuple(output.value for output in outputs(places_of(nodes), own, kept)),
    )
