"""Joints of any list of turns and slides: six rows with the joint's own coordinates as unknowns.

The child's frame is where the coordinates put it. What acts on a coordinate stands in its row beside the multipliers,
phi_s' lambda + f = 0: the joint passes it on to both bodies.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Port
from motionbase.errors import ModelError
from motionbase.multibody.elements import AbstractElement
from motionbase.multibody.model import Model
from motionbase.multibody.network.constraints import MARKER_SIZE, Frame, frame, offset, pushed, turns
from motionbase.multibody.network.joints import NetworkJoint
from motionbase.multibody.network.nodes import Place
from motionbase.multibody.network.parts import AbstractPart, Equations, Moment, Own
from motionbase.spatial.rotations import Expr

ROWS = ("x", "y", "z", "turn_x", "turn_y", "turn_z")


@final
@dataclass(frozen=True)
class CoordinatesState:
    """Coordinates and speeds of one joint in place of a tree's state, by their places in q and v."""

    owner: str
    model: Model
    q: Mapping[int, Expr]
    v: Mapping[int, Expr]

    def point(self, body: str, point: Any = None) -> Any:
        """Not known here."""
        raise ModelError(f"{self.owner}: an element that acts on its coordinates cannot ask for points of bodies")


@final
@dataclass(frozen=True, eq=False)
class AxesJoint(AbstractPart):
    """A joint of turns and slides with all that acts on its coordinates.

    Attributes:
        at_q, at_v: where its coordinates and speeds begin
        elements: springs, dampers, motors, friction and stops of the joint
        ports: of the elements
        tau: names of the inputs that push its coordinates
        start: coordinates
    """

    name: str
    joint: NetworkJoint
    model: Model
    at_q: int
    at_v: int
    elements: tuple[AbstractElement, ...]
    ports: Mapping[str, tuple[Port, ...]]
    tau: tuple[str, ...]
    start: tuple[float, ...]

    indifferent: ClassVar[bool] = True

    @property
    def nodes(self) -> tuple[int | None, ...]:  # type: ignore[override]
        """Parent and child."""
        return self.joint.nodes

    @property
    def kind(self) -> Hashable:
        """Its steps are folded in, and its elements."""
        ground = tuple(n is None for n in self.nodes)
        return "axes", self.joint.joint.motion, ground, tuple(id(e) for e in self.elements)

    @property
    def numbers(self) -> Array:
        """Both markers."""
        return np.concatenate([self.joint.a.numbers, self.joint.b.numbers])

    @property
    def own(self) -> tuple[Own, ...]:
        """Six multipliers, then the coordinates."""
        return (Own.HOLONOMIC,) * 6 + (Own.COORDINATE,) * len(self.start)

    @property
    def row_names(self) -> tuple[str, ...]:
        """Of the rows, and of the balance of each coordinate."""
        return tuple(f"{self.name}.{row}" for row in (*ROWS, *(f"axis_{k + 1}" for k in range(len(self.start)))))

    @property
    def inputs(self) -> tuple[str, ...]:
        """tau, then those of the elements; each a number."""
        return (*self.tau, *(port.name for element in self.elements for port in self.ports[element.name]))

    def own_start(self) -> Sequence[float]:
        """Coordinates as at the start."""
        return (*(0.0,) * 6, *self.start)

    def phi(self, places: Sequence[Place], numbers: Expr, s: Expr, inputs: Expr) -> Expr:
        """(6,) where the child is, seen from where the coordinates put it."""
        A, B = frame(places[0], numbers[:MARKER_SIZE]), frame(places[1], numbers[MARKER_SIZE:])
        T = self.joint.joint.motion.motion(s, ca.SX.zeros(s.shape)).T
        C = Frame(A.p + A.R @ T.p, A.R @ T.R)
        return ca.vertcat(offset(C, B), turns(C, B))

    def equations(self, at: Moment) -> Equations:
        """Six rows, and the balance of the coordinates."""
        force, s, s_dot = at.own[:6], at.own[6:], at.own_dot[6:]
        found = pushed(at.places, force, s, lambda places, s: self.phi(places, at.numbers, s, at.inputs))
        return Equations(found.wrenches, ca.vertcat(found.phi, found.inner + self._forces(s, s_dot, at.inputs)))

    def _forces(self, s: Expr, s_dot: Expr, inputs: Expr) -> Expr:
        """(n,) tau and what the elements do."""
        count = len(self.start)
        q = {self.at_q + k: s[k] for k in range(count)}
        v = {self.at_v + k: s_dot[k] for k in range(count)}
        total, at = [inputs[k] for k in range(count)], count
        for element in self.elements:
            ports = self.ports[element.name]
            state = CoordinatesState(f"joint {self.name!r}", self.model, q, v)
            load = element.load(state, [inputs[at + k] for k in range(len(ports))])  # type: ignore[arg-type]
            at += len(ports)
            for place, value in (load.joint or {}).items():
                total[place - self.at_v] += value
        return ca.vertcat(*total)


def speeds_of(joint: NetworkJoint, q: Expr, V: Expr) -> Expr:
    """(n,) speeds from the velocity of the child relative to the joint frame, in the child frame: S v = V."""
    S = ca.SX(joint.joint.motion.motion(q, ca.SX.zeros(q.shape)).S)
    return ca.solve(S.T @ S, S.T @ V)
