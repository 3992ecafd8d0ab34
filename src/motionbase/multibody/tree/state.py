"""A tree at one instant, and what can be computed from it: mass matrix, forces, and the motion of any point."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import final

import casadi as ca

from motionbase.errors import ModelError
from motionbase.multibody.model import GROUND, Model
from motionbase.multibody.tree.forces import reflected_inertia
from motionbase.multibody.tree.inertias import BodyInertia, body_inertia
from motionbase.multibody.tree.inward import generalised_force, mass_matrix
from motionbase.multibody.tree.outward import BodyMotion, outward, point_motion
from motionbase.spatial import Transform, cross_motion, skew
from motionbase.spatial.rotations import Expr


@final
@dataclass(frozen=True)
class PointState:
    """A point of a body, with its own frame, in world axes or in those of another point.

    Attributes:
        p: (3,) position [m]
        R: (3, 3) orientation of the point's frame
        own_velocity, own_J, own_acceleration: the three below in the point's own axes
    """

    p: Expr
    R: Expr
    own_velocity: Expr
    own_J: Expr
    own_acceleration: Expr

    @cached_property
    def velocity(self) -> Expr:
        """(6,) angular velocity, then velocity of the point."""
        return self._turned(self.own_velocity)

    @cached_property
    def J(self) -> Expr:
        """(6, nv) velocity = J v."""
        return ca.sparsify(self._turned(self.own_J))

    @cached_property
    def acceleration(self) -> Expr:
        """(6,) acceleration without J v_dot: angular, then of the point; without gravity."""
        return self._turned(self.own_acceleration)

    def _turned(self, pair: Expr) -> Expr:
        return ca.vertcat(self.R @ pair[:3, :], self.R @ pair[3:, :])

    def in_axes_of(self, other: PointState) -> PointState:
        """The same motion in the axes and about the position of another point; differences then have fewer terms."""
        if other is self:
            return PointState(ca.DM.zeros(3), ca.DM.eye(3), self.own_velocity, self.own_J, self.own_acceleration)
        p, R = other.R.T @ (self.p - other.p), other.R.T @ self.R
        return PointState(p, R, self.own_velocity, self.own_J, self.own_acceleration)

    def carried_to(self, p: Expr) -> PointState:
        """The point of the same body (of its frame here) that is now at p, in the axes this one is seen in."""
        r = self.R.T @ (p - self.p)
        omega = self.own_velocity[:3]
        v = self.own_velocity[3:] + ca.cross(omega, r)
        J = ca.vertcat(self.own_J[:3, :], self.own_J[3:, :] - skew(r) @ self.own_J[:3, :])
        alpha = self.own_acceleration[:3]
        linear = self.own_acceleration[3:] + ca.cross(alpha, r) + ca.cross(omega, ca.cross(omega, r))
        return PointState(p, self.R, ca.vertcat(omega, v), ca.sparsify(J), ca.vertcat(alpha, linear))


@final
@dataclass(frozen=True)
class TreeState:
    """A tree at one instant: the motion and inertia of every body.

    Attributes:
        q, v: its coordinates and speeds
        stiffening: geometric stiffness of flexible bodies
    """

    model: Model
    q: Expr
    v: Expr
    motions: list[BodyMotion]
    inertias: list[BodyInertia]
    stiffening: bool = True

    @classmethod
    def of(cls, model: Model, q: Expr, v: Expr, coriolis_of_modes: bool = True, stiffening: bool = True) -> TreeState:
        """Kinematics outwards, then each body's own inertia."""
        motions = outward(model, q, v, stiffening)
        inertias = []
        for k, body in enumerate(model.bodies):
            eta, eta_dot = q[model.q_slices[k][1]], v[model.v_slices[k][1]]
            inertias.append(body_inertia(body, motions[k].V, eta, eta_dot, coriolis_of_modes, stiffening))
        return cls(model, q, v, motions, inertias, stiffening)

    def mass_matrix(self) -> Expr:
        """M of M X_ddot + K X = G, including the rotors of motors."""
        M = mass_matrix(self.model, self.motions, self.inertias)
        for at, inertia in reflected_inertia(self.model).items():
            M[at, at] += inertia
        return M

    def bias_force(self) -> Expr:
        """Gravity and velocity terms together, in one pass, for forward dynamics."""
        weight = ca.vertcat(ca.DM.zeros(3), -ca.DM(self.model.gravity))
        return generalised_force(self.model, self.motions, self.inertias, base_acceleration=weight)

    @cached_property
    def jacobians(self) -> list[Expr]:
        """(6, nv) of every body: its spatial velocity, in its own frame, for unit speeds."""
        found: list[Expr] = []
        for k, own in enumerate(self.motions):
            parent = self.model.parents[k]
            J = ca.SX(6, self.model.nv) if parent < 0 else own.T_pb.motion_to_b(found[parent])
            if own.S_parent.shape[1] and parent >= 0:
                J[:, self.model.v_slices[parent][1]] += own.S_parent
            J[:, self.model.v_slices[k][0]] = own.S
            found.append(ca.sparsify(J))
        return found

    @cached_property
    def bias_accelerations(self) -> list[Expr]:
        """(6,) of every body: its spatial acceleration for constant speeds, in its own frame; without gravity."""
        found: list[Expr] = []
        for k, own in enumerate(self.motions):
            parent = self.model.parents[k]
            found.append(own.c if parent < 0 else own.T_pb.motion_to_b(found[parent]) + own.c)
        return found

    def point(self, body: str, point: str | tuple[float, float, float] = (0.0, 0.0, 0.0)) -> PointState:
        """A named point of a body, or any position in its frame; points of the ground are fixed."""
        if body == GROUND:
            if isinstance(point, str):
                raise ModelError(f"the ground has no point {point!r}; give coordinates")
            still = ca.DM.zeros(6)
            return PointState(ca.DM(point), ca.DM.eye(3), still, ca.SX(6, self.model.nv), still)
        if isinstance(point, str) and point not in self.model.body(body).points:
            known = ", ".join(self.model.body(body).points) or "none"
            raise ModelError(f"body {body!r} has no point {point!r}; points: {known}")
        n = self.model.index[body]
        own, modes = self.motions[n], self.model.bodies[n].modes
        V, A, J = own.V, self.bias_accelerations[n], self.jacobians[n]
        if modes is not None and isinstance(point, str):
            at_q, at_v = self.model.q_slices[n][1], self.model.v_slices[n][1]
            at = point_motion(modes, point, self.q[at_q], self.v[at_v], self.stiffening)
            V_at = at.T.motion_to_b(V) + at.velocity
            A = at.T.motion_to_b(A) + at.bias + cross_motion(V_at, at.velocity)
            J = at.T.motion_to_b(J)
            J[:, at_v] += at.S
            V, T = V_at, own.T_Wb @ at.T
        else:
            place = self.model.bodies[n].points[point] if isinstance(point, str) else point
            move = Transform(ca.DM.eye(3), ca.DM(place))
            V, A, J, T = move.motion_to_b(V), move.motion_to_b(A), move.motion_to_b(J), own.T_Wb @ move
        # a spatial acceleration has the rate of the velocity seen in the moving frame: omega x v is still missing
        linear = A[3:] + ca.cross(V[:3], V[3:])
        return PointState(T.p, T.R, V, ca.sparsify(J), ca.vertcat(A[:3], linear))
