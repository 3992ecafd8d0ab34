"""Leg forces of a motion, for many instants at once: payload and legs with all their masses, in closed form.

The same mechanism as `platform.mechanism`: a cylinder on a universal joint of the base, a rod that slides in it, a ball
joint at the platform. A leg has the speeds (a_dot, b_dot, l_dot) of its two bearings and its slide, which move its
upper end by T (a_dot, b_dot, l_dot). By virtual work (Kane) its inertia and weight are the force T^-T Q at the
platform's joint, and J' f is the sum of the payload's demand and these six forces. Nothing is compiled.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array
from motionbase.errors import PlatformError
from motionbase.multibody.body import shown
from motionbase.platform.gimbals import neutral_frames
from motionbase.platform.hexapod import LEGS, Hexapod
from motionbase.platform.mechanism import STANDARD_GRAVITY

INCLUDED = "payload and legs (cylinders and rods)"  # what the weight in all these forces includes
G_W = np.array(STANDARD_GRAVITY)
BLOCK = 4096  # instants at once: the intermediate results need some 30 arrays of them


@final
@dataclass(frozen=True, eq=False)
class Motion:
    """The platform at n instants; all in W.

    Attributes:
        p, v, a: (n, 3) position [m], velocity [m/s] and acceleration [m/s^2] of P's origin
        R: (n, 3, 3) attitude, P to W
        omega, alpha: (n, 3) angular velocity [rad/s] and acceleration [rad/s^2]
    """

    p: Array
    R: Array
    v: Array
    omega: Array
    a: Array
    alpha: Array

    def __len__(self) -> int:
        return len(self.p)

    @staticmethod
    def at_rest(p_W: ArrayLike, Q_WP: ArrayLike) -> Motion:
        """A platform at rest at (n, 3) positions [m] and (n, 4) unit quaternions."""
        p = np.atleast_2d(np.asarray(p_W, dtype=np.float64))
        still = np.zeros_like(p)
        return Motion(p, rotations(Q_WP), still, still, still, still)

    @staticmethod
    def of_dof(platform: Hexapod, dof: ArrayLike, dof_dot: ArrayLike = 0.0, dof_ddot: ArrayLike = 0.0) -> Motion:
        """From (n, 6) degrees of freedom from neutral [m, rad] and their time derivatives; angles are ZYX."""
        x = np.atleast_2d(np.asarray(dof, dtype=np.float64))
        x_dot, x_ddot = (np.broadcast_to(np.asarray(one, dtype=np.float64), x.shape) for one in (dof_dot, dof_ddot))
        (roll, pitch, yaw), rates = x[:, 3:].T, x_dot[:, 3:]
        zero, one = np.zeros(len(x)), np.ones(len(x))
        forward = np.stack([np.cos(yaw) * np.cos(pitch), np.sin(yaw) * np.cos(pitch), -np.sin(pitch)], axis=1)
        left = np.stack([-np.sin(yaw), np.cos(yaw), zero], axis=1)
        up = np.stack([zero, zero, one], axis=1)
        axes = np.stack([forward, left, up], axis=2)  # of roll, pitch and yaw, as columns
        omega = np.einsum("nij,nj->ni", axes, rates)
        turned = up * rates[:, 2:]
        carried = _cross(turned, left) * rates[:, 1:2]
        carried += _cross(turned + left * rates[:, 1:2], forward) * rates[:, :1]
        alpha = np.einsum("nij,nj->ni", axes, x_ddot[:, 3:]) + carried
        above, c, s = _cross(forward, left), np.cos(roll)[:, None], np.sin(roll)[:, None]
        R = np.stack([forward, left * c + above * s, above * c - left * s], axis=2)
        return Motion(np.asarray(platform.p_neutral) + x[:, :3], R, x_dot[:, :3], omega, x_ddot[:, :3], alpha)


def rotations(Q_WP: ArrayLike) -> Array:
    """(n, 3, 3) matrices of (n, 4) unit quaternions wxyz."""
    w, x, y, z = np.atleast_2d(np.asarray(Q_WP, dtype=np.float64)).T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


@final
@dataclass(frozen=True, eq=False)
class LegMotion:
    """The legs along a motion; arrays are (n, 6) or (n, 6, 3)."""

    platform: Hexapod
    motion: Motion

    @cached_property
    def b(self) -> Array:
        """(n, 6, 3) from P's origin to the platform joints, in W [m]."""
        return np.asarray(np.einsum("nij,kj->nki", self.motion.R, np.asarray(self.platform.joints)))

    @cached_property
    def d(self) -> Array:
        """(n, 6, 3) from base to platform joints [m]."""
        return np.asarray(self.motion.p[:, None] + self.b - np.asarray(self.platform.base))

    @cached_property
    def lengths(self) -> Array:
        """(n, 6) lengths [m]."""
        return np.asarray(np.linalg.norm(self.d, axis=2))

    @cached_property
    def u(self) -> Array:
        """(n, 6, 3) unit vectors from base to platform joints."""
        return np.asarray(self.d / self.lengths[..., None])

    @cached_property
    def J(self) -> Array:
        """(n, 6, 6) leg Jacobians, angular columns [m] first."""
        return np.concatenate([_cross(self.b, self.u), self.u], axis=2)

    @cached_property
    def d_dot(self) -> Array:
        """(n, 6, 3) velocities of the platform joints [m/s]."""
        return self.motion.v[:, None] + _cross(self.motion.omega[:, None], self.b)

    @cached_property
    def d_ddot(self) -> Array:
        """(n, 6, 3) their accelerations [m/s^2]."""
        omega = self.motion.omega[:, None]
        turning = _cross(self.motion.alpha[:, None], self.b) + _cross(omega, _cross(omega, self.b))
        return np.asarray(self.motion.a[:, None] + turning)

    @cached_property
    def l_dot(self) -> Array:
        """(n, 6) leg rates [m/s]."""
        return _dot(self.u, self.d_dot)

    @cached_property
    def u_dot(self) -> Array:
        """(n, 6, 3) rates of the unit vectors [1/s]."""
        return np.asarray((self.d_dot - self.u * self.l_dot[..., None]) / self.lengths[..., None])

    @cached_property
    def l_ddot(self) -> Array:
        """(n, 6) leg accelerations [m/s^2]."""
        return _dot(self.u, self.d_ddot) + self.lengths * _dot(self.u_dot, self.u_dot)

    def forces(self, wrench_W: ArrayLike | None = None, reflected: float = 0.0) -> Array:
        """(n, 6) forces of the actuators on the rods [N], pushing positive, for weight and inertia of payload and legs.

        Args:
            wrench_W: (6,) additional external moment about P's origin [N m] and force [N]
            reflected: mass that moves only with each leg's extension, such as the rotor of its motor [kg]
        """
        needed = self._payload - checked_wrench(wrench_W)
        legs = self._leg_loads(reflected)
        needed[:, :3] += _cross(self.b, legs).sum(axis=1)
        needed[:, 3:] += legs.sum(axis=1)
        scale = self.platform.twist_scale  # scaled rows: the solution is better conditioned
        K = np.swapaxes(self.J, 1, 2) * scale[:, None]
        try:
            return np.asarray(np.linalg.solve(K, (needed * scale)[..., None])[..., 0])
        except np.linalg.LinAlgError:  # one of the poses is exactly singular
            return np.stack([_solved(*one) for one in zip(K, needed * scale, strict=True)])

    @cached_property
    def _payload(self) -> Array:
        """(n, 6) moment about P's origin and force required by the payload."""
        load, at = self.platform.payload, self.motion
        arm = at.R @ np.asarray(load.com)
        I = at.R @ load.inertia_matrix @ np.swapaxes(at.R, 1, 2)
        centre = at.a + _cross(at.alpha, arm) + _cross(at.omega, _cross(at.omega, arm))
        force = load.mass * (centre - G_W)
        spin = np.einsum("nij,nj->ni", I, at.omega)
        moment = np.einsum("nij,nj->ni", I, at.alpha) + _cross(at.omega, spin) + _cross(arm, force)
        return np.concatenate([moment, force], axis=1)

    def _leg_loads(self, reflected: float) -> Array:
        """(n, 6, 3) forces at the platform joints required by legs and rotors [N]."""
        cylinder, rod = self.platform.cylinder, self.platform.rod
        u, l = self.u, self.lengths[..., None]
        x = np.broadcast_to(neutral_frames(self.platform)[:, :, 0], u.shape)
        across = _cross(u, x)
        y = across / np.linalg.norm(across, axis=2)[..., None]
        axes = np.stack([_cross(x, self.d), _cross(y, self.d), u], axis=3)  # d_dot for each speed, as columns
        turn, swing, _ = np.moveaxis(np.linalg.solve(axes, self.d_dot[..., None])[..., 0], 2, 0)[..., None]
        omega = turn * x + swing * y
        # d_ddot = axes @ (a_ddot, b_ddot, l_ddot) + velocity terms
        carried = turn * swing * _cross(x, y)
        speeds = _cross(carried, self.d) + _cross(omega, _cross(omega, self.d))
        speeds += 2 * self.l_dot[..., None] * _cross(omega, u)
        rates = np.linalg.solve(axes, (self.d_ddot - speeds)[..., None])[..., 0]
        alpha = rates[..., :1] * x + rates[..., 1:2] * y + carried
        turning = _cross(alpha, u) + _cross(omega, _cross(omega, u))
        lifted = cylinder.mass * (cylinder.com * turning - G_W)
        slid = self.d_ddot - rod.com * turning  # acceleration of the rod's centre of mass
        pushed = rod.mass * (slid - G_W)
        lateral = cylinder.inertia_lateral + rod.inertia_lateral
        axial = cylinder.inertia_axial + rod.inertia_axial - lateral
        spin = _along(lateral, axial, u, omega)
        moment = _along(lateral, axial, u, alpha) + _cross(omega, spin)
        moment += _cross(cylinder.com * u, lifted) + _cross((l - rod.com) * u, pushed)
        along = _dot(u, pushed) + reflected * self.l_ddot
        Q = np.stack([_dot(x, moment), _dot(y, moment), along], axis=2)
        return np.asarray(np.linalg.solve(np.swapaxes(axes, 2, 3), Q[..., None])[..., 0])


def holding_forces(platform: Hexapod, p_W: Array, Q_WP: Array, wrench_W: ArrayLike | None = None) -> Array:
    """(n, 6) leg forces [N], pushing positive, that hold payload and legs at rest at n poses.

    The weight is that of the payload, the cylinders and the rods; friction carries nothing. An external moment [N m]
    about P's origin and a force [N] may act on the platform in addition.
    """
    parts = (slice(k, k + BLOCK) for k in range(0, len(p_W), BLOCK))
    found = [LegMotion(platform, Motion.at_rest(p_W[part], Q_WP[part])).forces(wrench_W) for part in parts]
    return np.concatenate(found) if found else np.empty((0, LEGS))


def checked_wrench(wrench_W: ArrayLike | None) -> Array:
    """(6,) moment [N m] and force [N]; zeros for None."""
    wrench = np.zeros(LEGS) if wrench_W is None else np.asarray(wrench_W, dtype=np.float64)
    if wrench.shape != (LEGS,) or not np.all(np.isfinite(wrench)):
        raise PlatformError(f"wrench is {shown(wrench_W)}, six finite numbers are wanted: moment [N m], then force [N]")
    return wrench


def _cross(a: Array, b: Array) -> Array:
    """Cross product along the last axis; NumPy's takes ten times as long for the few rows of a check."""
    (ax, ay, az), (bx, by, bz) = ((v[..., 0], v[..., 1], v[..., 2]) for v in (a, b))
    return np.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], axis=-1)


def _dot(a: Array, b: Array) -> Array:
    return np.asarray(np.sum(a * b, axis=-1))


def _along(lateral: float, axial: float, u: Array, vector: Array) -> Array:
    """The inertia of a body that is symmetric about u, times a vector."""
    return np.asarray(lateral * vector + axial * u * _dot(u, vector)[..., None])


def _solved(K: Array, needed: Array) -> Array:
    try:
        return np.asarray(np.linalg.solve(K, needed))
    except np.linalg.LinAlgError:
        return np.full(LEGS, np.inf)
