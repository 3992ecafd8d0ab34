"""Forces on nodes: joint springs, dampers and motors merged by coordinate, loads on bodies, and any other element."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Port
from motionbase.errors import ModelError
from motionbase.multibody.elements import (
    AbstractElement,
    AbstractStateElement,
    FrameSpring,
    GravityGradient,
    Load,
    PointForce,
    PointSpring,
)
from motionbase.multibody.network.constraints import MARKER_SIZE
from motionbase.multibody.network.coordinates import Coordinate
from motionbase.multibody.network.joints import NetworkJoint
from motionbase.multibody.network.nodes import Place
from motionbase.multibody.network.parts import GROUND_PLACE, AbstractPart, Equations, Moment, Own
from motionbase.multibody.network.sites import Sites
from motionbase.spatial.rotations import Expr


def input_names(port: Port) -> tuple[str, ...]:
    """A name for each number of a port: its own, or `PORT[k]`."""
    return (port.name,) if not port.dims else tuple(f"{port.name}[{k}]" for k in range(port.size))


@final
@dataclass(frozen=True, eq=False)
class CoordinateForce(AbstractPart):
    """force = sum of gain times input - stiffness q - damping q_dot + constant, on one coordinate.

    Attributes:
        coordinate: on which
        gains: of the inputs, by name
        start: the coordinate at the start
    """

    name: str
    coordinate: Coordinate
    stiffness: float = 0.0
    damping: float = 0.0
    constant: float = 0.0
    gains: Mapping[str, float] = field(default_factory=dict)
    start: float = 0.0
    indifferent: ClassVar[bool] = True

    @property
    def nodes(self) -> tuple[int | None, ...]:  # type: ignore[override]
        """Parent and child."""
        return self.coordinate.joint.nodes

    @property
    def kind(self) -> Hashable:
        """A spring needs the angle; without one it is not computed."""
        springs = bool(self.stiffness), bool(self.damping), bool(self.constant)
        return "coordinate force", self.coordinate.kind, springs, len(self.gains)

    @property
    def numbers(self) -> Array:
        """Markers, stiffness, damping, constant, gains."""
        joint = self.coordinate.joint
        law = [self.stiffness, self.damping, self.constant, *self.gains.values()]
        return np.concatenate([joint.a.numbers, joint.b.numbers, law])

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the inputs."""
        return tuple(self.gains)

    @property
    def linear(self) -> bool:
        """As the coordinate is."""
        return self.coordinate.linear

    @property
    def kept(self) -> tuple[float, ...]:
        """The coordinate, so that an angle goes on after half a turn."""
        return (self.start,) if self.stiffness else ()

    def equations(self, at: Moment) -> Equations:
        """The force along the coordinate."""
        seen = self.coordinate.seen(at, at.kept[0] if self.stiffness else None)
        stiffness, damping, constant, *gains = ca.vertsplit(at.numbers[2 * MARKER_SIZE :])
        force = ca.SX(0)
        if self.constant:
            force += constant
        if self.stiffness:
            force -= stiffness * seen.value
        if self.damping:
            force -= damping * seen.rate
        for k, gain in enumerate(gains):
            force += gain * at.inputs[k]
        return seen.pushed(force, ca.SX(0, 1))

    def keep(self, at: Moment) -> Expr:
        """Where the coordinate is now."""
        return self.coordinate.seen(at, at.kept[0]).value if self.stiffness else ca.SX(0, 1)


@final
@dataclass(frozen=True, eq=False)
class BodyForce(AbstractPart):
    """Generalised forces on a ball joint or a body that flies: a moment, and for the latter a force, in child axes."""

    name: str
    joint: NetworkJoint
    names: tuple[str, ...]

    @property
    def nodes(self) -> tuple[int | None, ...]:  # type: ignore[override]
        """Parent and child."""
        return self.joint.nodes

    @property
    def kind(self) -> Hashable:
        """How many components."""
        return "body force", len(self.names), tuple(n is None for n in self.nodes)

    @property
    def numbers(self) -> Array:
        """The child's marker: where the force acts."""
        return self.joint.b.numbers

    @property
    def inputs(self) -> tuple[str, ...]:
        """Moment, then force."""
        return self.names

    def equations(self, at: Moment) -> Equations:
        """On the child, and the opposite on the parent, both at the child's frame."""
        parent, child = at.places
        moment = child.R @ at.inputs[:3]
        force = child.R @ at.inputs[3:6] if len(self.names) == 6 else ca.SX(3, 1)
        p = child.x + child.R @ at.numbers[:3]
        on_child = force, moment + ca.cross(p - child.x, force)
        return Equations([(-force, -moment - ca.cross(p - parent.x, force)), on_child], ca.SX(0, 1))


# ---- any element ---------------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True)
class SeenPoint:
    """A point of a body as elements see it: what `PointState` of the tree tells, but for derivatives by its speeds."""

    p: Expr
    R: Expr
    velocity: Expr


class _Axis:
    """Coordinates or speeds by place, made when they are asked for."""

    def __init__(self, state: NodeState, what: str) -> None:
        self.state, self.what = state, what

    def __getitem__(self, at: Any) -> Expr:
        if not isinstance(at, int | np.integer):
            raise ModelError(f"{self.state.owner}: all of {self.what} at once are not known to the network engine")
        return self.state.coordinate(int(at), self.what)


@final
class NodeState:
    """The nodes at one moment, in place of a tree's state.

    Attributes:
        touched: nodes whose motion was asked for
        used: coordinates that were asked for, by place in v
    """

    def __init__(
        self, owner: str, sites: Sites, joints: Sequence[NetworkJoint], places: Mapping[int | None, Place],
        before: Mapping[int, Expr],
    ) -> None:  # fmt: skip
        self.owner, self.model, self.sites, self.joints = owner, sites.model, sites, joints
        self.places, self.before = places, before
        self.touched: dict[int | None, None] = {}
        self.used: dict[int, None] = {}
        self.q, self.v = _Axis(self, "q"), _Axis(self, "v")

    def place(self, node: int | None) -> Place:
        """A node."""
        self.touched[node] = None
        return GROUND_PLACE if node is None else self.places[node]

    def point(self, body: str, point: str | tuple[float, float, float] = (0.0, 0.0, 0.0)) -> SeenPoint:
        """A point of a body in the world."""
        site = self.sites.at(body, point)
        at = self.place(site.node)
        r = at.R @ ca.DM(site.r)
        return SeenPoint(at.x + r, at.R, ca.vertcat(at.omega, at.v + ca.cross(at.omega, r)))

    def located(self, at: int, what: str) -> tuple[int, Coordinate]:
        """The joint's number and the coordinate at a place in q or v."""
        slices = self.model.q_slices if what == "q" else self.model.v_slices
        for n, (own, _) in enumerate(slices):
            if own.start <= at < own.stop:
                if what == "q" and self.joints[n].joint.motion.has_quaternion:
                    name = self.joints[n].joint.name
                    raise ModelError(f"{self.owner}: joint {name!r} has a quaternion, and no angle for each axis")
                return n, Coordinate(self.joints[n], at - own.start)
        raise ModelError(f"{self.owner}: {what}[{at}] is a modal amplitude, which the network engine does not know")

    def seen(self, n: int, of: Coordinate) -> Any:
        """Value, rate and wrenches of a joint's coordinate."""
        joint = self.joints[n]
        places = [self.place(node) for node in joint.nodes]
        markers = ca.DM(np.concatenate([joint.a.numbers, joint.b.numbers]))
        at = self.model.v_slices[n][0].start + of.k
        self.used[at] = None
        return of.at(places, markers, self.before.get(at, ca.SX(0)))

    def coordinate(self, at: int, what: str) -> Expr:
        """Value or rate."""
        seen = self.seen(*self.located(at, what))
        return seen.value if what == "q" else seen.rate


def _any_place() -> Place:
    return Place.of(ca.SX.sym("place", Place.layout.size))


@final
class ElementForce(AbstractPart):
    """An element of the model by its own `load` or `motion`, with its constants folded in; one routine for each.

    States of an element are own unknowns, in units of their size.
    """

    def __init__(self, element: AbstractElement, sites: Sites, joints: Sequence[NetworkJoint], q0: Array) -> None:
        model = sites.model
        self.name, self.element, self.model, self.joints, self.sites = element.name, element, model, joints, sites
        self._ports = element.inputs(model)
        self.states = element.states if isinstance(element, AbstractStateElement) else ()
        trial = NodeState(self.owner, sites, joints, defaultdict(_any_place), {})
        self._wrenches(trial, self._load(trial, ca.SX.sym("x", len(self.states)), ca.SX.sym("u", len(self.inputs)))[0])
        self.nodes = tuple(trial.touched)
        self._used = tuple(trial.used)
        self._start = tuple(float(q0[self._q_of(at)]) for at in self._used)

    @property
    def owner(self) -> str:
        """How messages name it."""
        return f"element {self.name!r}"

    @property
    def kind(self) -> Hashable:
        """Its own."""
        return "element", id(self.element), self.nodes

    @property
    def inputs(self) -> tuple[str, ...]:
        """The element's ports, number by number."""
        return tuple(name for port in self._ports for name in input_names(port))

    @property
    def kinked(self) -> bool:
        """Stops, contacts, friction, and what a user wrote may be."""
        return not isinstance(self.element, FrameSpring | PointForce | PointSpring | GravityGradient)

    @property
    def kept(self) -> tuple[float, ...]:
        """Coordinates that it uses."""
        return self._start

    def _q_of(self, at: int) -> int:
        for (own_q, _), (own_v, _) in zip(self.model.q_slices, self.model.v_slices, strict=True):
            if own_v.start <= at < own_v.stop:
                return int(own_q.start + at - own_v.start)
        raise AssertionError(at)

    def _state(self, at: Moment) -> NodeState:
        places = dict(zip(self.nodes, at.places, strict=True))
        before = {place: at.kept[k] for k, place in enumerate(self._used)}
        return NodeState(self.owner, self.sites, self.joints, places, before)

    @property
    def own(self) -> tuple[Own, ...]:
        """The element's states."""
        return (Own.DIFFERENTIAL,) * len(self.states)

    @property
    def row_names(self) -> tuple[str, ...]:
        """NAME.STATE."""
        return tuple(f"{self.name}.{state.name}" for state in self.states)

    def own_start(self) -> Sequence[float]:
        """As the element says."""
        return tuple(state.start / state.size for state in self.states)

    def own_sizes(self) -> Sequence[float]:
        """Half of their sizes."""
        return (0.5,) * len(self.states)

    def _load(self, state: NodeState, x: Expr, inputs: Expr) -> tuple[Load, Expr]:
        """Load, and rates of the states."""
        ends = np.cumsum([0, *(port.size for port in self._ports)])
        given = [
            ca.reshape(inputs[int(a) : int(b)], *port.matrix_shape[::-1]).T
            for port, a, b in zip(self._ports, ends[:-1], ends[1:], strict=True)
        ]
        if isinstance(self.element, AbstractStateElement):
            return self.element.motion(state, x, given)  # type: ignore[arg-type]
        return self.element.load(state, given), ca.SX(0, 1)  # type: ignore[arg-type]

    def _wrenches(self, state: NodeState, load: Load) -> dict[int | None, tuple[Expr, Expr]]:
        if load.generalised is not None:
            raise ModelError(
                f"{self.owner} gives a generalised force, which only the tree engine knows; let it return wrenches"
            )
        total: dict[int | None, tuple[Expr, Expr]] = {}

        def push(node: int | None, force: Expr, moment: Expr) -> None:
            old = total.get(node, (ca.SX(3, 1), ca.SX(3, 1)))
            total[node] = old[0] + force, old[1] + moment

        for wrench in load.wrenches:
            moment, force = wrench.value[:3], wrench.value[3:]
            point, node = state.point(wrench.body, wrench.point), self.sites.at(wrench.body, wrench.point).node
            push(node, force, moment + ca.cross(point.p - state.place(node).x, force))
        for at, value in (load.joint or {}).items():
            n, of = state.located(at, "v")
            for node, (force, moment) in zip(self.joints[n].nodes, state.seen(n, of).wrenches, strict=True):
                push(node, value * force, value * moment)
        return total

    def equations(self, at: Moment) -> Equations:
        """What the element's load does to each node it touches, and the rates of its states."""
        state, size = self._state(at), ca.DM([s.size for s in self.states])
        load, x_dot = self._load(state, size * at.own, at.inputs)
        total = self._wrenches(state, load)
        nothing = ca.SX(3, 1), ca.SX(3, 1)
        return Equations([total.get(node, nothing) for node in self.nodes], at.own_dot - x_dot / size)

    def keep(self, at: Moment) -> Expr:
        """Where the coordinates are now."""
        state = self._state(at)
        values = [state.seen(*state.located(place, "v")).value for place in self._used]
        return ca.vertcat(*values) if values else ca.SX(0, 1)
