"""Gravity gradient and frame forces of a circular orbit: the world is the frame that follows the orbit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError
from motionbase.multibody.body import Body, check_name, checked_vector
from motionbase.multibody.elements.abstract import AbstractElement, Load, Wrench
from motionbase.multibody.joints.axes import unit
from motionbase.multibody.lookup import Vector, checked_positive
from motionbase.spatial.rotations import Expr

if TYPE_CHECKING:
    from motionbase.multibody.model import Model
    from motionbase.multibody.tree.state import TreeState


@final
@dataclass(frozen=True)
class GravityGradient(AbstractElement):
    """The world becomes the frame of a circular orbit: x forward, y along the orbit normal, z up, origin on the orbit.

    In addition to joints and other elements, a mass at p has the acceleration of Hill's equations (Clohessy & Wiltshire
    1960), with r up, h normal:

        n^2 (3 r r' - h h') p - 2 n h x p_dot

    This is gravity to first order in distance over orbital radius, with the centrifugal and Coriolis forces of the
    frame. Integrated over a body with inertia I about its centre of mass and S = tr(I) / 2 - I, it gives the force at
    the centre of mass and the moment 3 n^2 r x I r - n^2 h x I h - 2 n (S h) x omega.

    It acts on every body; a flexible one is treated as undeformed. Speeds are relative to the frame, so zero is a body
    with constant attitude to the Earth. Kinetic and stored energy add up to Jacobi's integral, which is conserved.

    Attributes:
        rate: n, orbital rate [rad/s]
        up: r, away from the Earth [-]
        normal: h, along the orbit's angular momentum [-]; up x normal is backward
    """

    name: str
    rate: float
    up: Vector = (0.0, 0.0, 1.0)
    normal: Vector = (0.0, 1.0, 0.0)

    def __post_init__(self) -> None:
        check_name("gravity gradient", self.name)
        owner = f"gravity gradient {self.name!r}"
        checked_positive(owner, "rate", self.rate, "rad/s")
        for what in ("up", "normal"):
            direction = unit(checked_vector(owner, what, getattr(self, what)), f"{owner}: {what}")
            object.__setattr__(self, what, direction)
        if abs(cosine := float(np.dot(self.up, self.normal))) > 1e-9:
            raise ModelError(f"{owner}: up and normal must be at right angles, the cosine between them is {cosine:.3g}")

    def check(self, model: Model) -> None:
        """Check that the model has no gravity of its own and no second orbit."""
        owner = f"gravity gradient {self.name!r}"
        if any(model.gravity):
            raise ModelError(
                f"{owner}: the model's gravity is {model.gravity} m/s^2, it must be zero; the world falls in the orbit"
            )
        others = [e.name for e in model.elements if isinstance(e, GravityGradient) and e.name != self.name]
        if others:
            raise ModelError(f"{owner}: {others[0]!r} is another one; the world follows one orbit")

    def _field(self) -> Expr:
        """(3, 3) acceleration per position [1/s^2]."""
        r, h = np.asarray(self.up), np.asarray(self.normal)
        return ca.DM(self.rate**2 * (3.0 * np.outer(r, r) - np.outer(h, h)))

    def load(self, state: TreeState, inputs: Sequence[Expr]) -> Load:
        """A moment and a force on every body that has mass."""
        found = []
        for body in (b for b in state.model.bodies if b.mass):
            at = state.point(body.name, body.com)
            omega, p_dot = at.velocity[:3], at.velocity[3:]
            h = ca.DM(self.normal)
            force = body.mass * (self._field() @ at.p - 2.0 * self.rate * ca.cross(h, p_dot))
            moment: Expr = ca.DM.zeros(3)
            if np.any(np.asarray(body.inertia)):
                # In body axes, so that R rotates the three directions once instead of the inertia twice.
                I = ca.DM(np.asarray(body.inertia))
                S = ca.DM(_second_moment(body))
                r_b, h_b, omega_b = (at.R.T @ x for x in (ca.DM(self.up), h, omega))
                own = 3.0 * ca.cross(r_b, I @ r_b) - ca.cross(h_b, I @ h_b)
                moment = at.R @ (self.rate**2 * own - 2.0 * self.rate * ca.cross(S @ h_b, omega_b))
            found.append(Wrench(body.name, body.com, ca.vertcat(moment, force)))
        return Load(wrenches=tuple(found))

    def energy(self, state: TreeState) -> Expr:
        """Potential of gravity and the centrifugal force; zero for a point mass on the orbit."""
        total: Expr = ca.SX(0)
        for body in (b for b in state.model.bodies if b.mass):
            at = state.point(body.name, body.com)
            total -= 0.5 * body.mass * ca.dot(at.p, self._field() @ at.p)
            S = ca.DM(_second_moment(body))
            for weight, direction in ((3.0, self.up), (-1.0, self.normal)):
                d = at.R.T @ ca.DM(direction)
                total -= 0.5 * weight * self.rate**2 * ca.dot(d, S @ d)
        return total


def _second_moment(body: Body) -> Array:
    """(3, 3) integral of s s' dm about the centre of mass [kg m^2]."""
    I = np.asarray(body.inertia)
    return np.asarray(0.5 * np.trace(I) * np.eye(3) - I)
