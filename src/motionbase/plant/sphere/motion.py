"""The motion of sphere and wheels over one step: half a drift, a kick with the forces of mid-step, half a drift.

    Q_mid = Q exp(h/2 omega), d_mid, psi_mid        half a step with the velocities of its start
    N     = normal forces at mid-step               contacts only push
    f     = forces along the rollers                so that nothing slides at the end, or |f| = mu N
    V    += h M^-1 (forces - gyroscopic terms)      sphere in the axes of S at mid-step, where M is constant; wheels
    Q, d, psi                                       half a step with the new velocities

Turning half a step about omega leaves omega what it is in S and in W, so what does not slide in the axes of mid-step
does not slide at the end. Gyroscopic terms, damping and resistances are those of the mean velocities, by a second pass
of the kick, so the step is of second order; a motor's limit is that of its speed at the start. With ripple it is of
first order: what does not slide at the end is the roller as it stood at mid-step.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, final

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from motionbase.compile import Kernel
from motionbase.compile.linear import factorize
from motionbase.multibody.integrators.local import turned
from motionbase.plant.motion import next_of
from motionbase.plant.sphere.contacts import Contacts
from motionbase.plant.sphere.motor import bounded, motor_torque
from motionbase.plant.sphere.ports import SpherePorts
from motionbase.plant.sphere.ripple import Ripple, Waves
from motionbase.plant.sphere.stability import check_step
from motionbase.plant.sphere.traction import sweeps_for, traction
from motionbase.platform.atlas.analysis import G
from motionbase.platform.atlas.atlas import Atlas
from motionbase.spatial import R_quaternion, skew
from motionbase.spatial.rotations import Expr

Array = NDArray[np.float64]
PASSES = 2  # of the kick
A_MOST = 1e3  # [m/s^2] of the support; beyond it, or NaN, is no motion of a stage


class Pushes(NamedTuple):
    """What acts on the sphere but for the forces along the rollers.

    Attributes:
        N: (n + passive,) normal forces [N]
        limit: (n,) of the forces along the rollers [N]
        moment, force: on the sphere by all contacts, about its centre, in W [N m], [N]
        wheels: (n,) moments of the normal forces on the wheels about their axles [N m]
    """

    N: Expr
    limit: Expr
    moment: Expr
    force: Expr
    wheels: Expr


@final
@dataclass(frozen=True, eq=False)
class SphereMotion:
    """A sphere on its wheels over a step h [s]; `ripple` is whether the rollers' outlines are felt."""

    atlas: Atlas
    h: float
    ripple: bool = True

    def __post_init__(self) -> None:
        check_step(self.atlas.name, self.h, self.contacts, self.mass)

    @cached_property
    def contacts(self) -> Contacts:
        """With all wheels."""
        return Contacts(self.atlas)

    @cached_property
    def ports(self) -> SpherePorts:
        """Of a step."""
        return SpherePorts.of(self.atlas)

    @cached_property
    def mass(self) -> Array:
        """(6, 6) of the sphere about its centre, moment and force against angular and linear acceleration, in S."""
        s = self.atlas.sphere
        across = s.mass * np.array(ca.DM(skew(ca.DM(s.com))))
        return np.block([[s.inertia_matrix, across], [across.T, s.mass * np.eye(3)]])

    @cached_property
    def sliding(self) -> Array:
        """(n, n) sliding speed along the rollers after a step for each newton along them, sphere upright [m/(N s)]."""
        at, R = self.contacts, self.atlas.sphere.radius
        W = np.concatenate([np.cross(R * self.atlas.contacts, at.roller), at.roller], axis=1).T
        wheels = at.arm**2 / [w.axle_inertia for w in self.atlas.wheels]
        return np.asarray(self.h * (W.T @ np.linalg.inv(self.mass) @ W + np.diag(wheels)))

    def waves(self, psi: Expr) -> Waves:
        """Of all wheels at their angles [rad]; none without ripple."""
        n = self.ports.wheels
        if not self.ripple:
            return Waves(*(ca.SX.zeros(n) for _ in Waves._fields))
        each = [Ripple.of(w, self.atlas.sphere.radius).at(psi[i]) for i, w in enumerate(self.atlas.wheels)]
        return Waves(*(ca.vertcat(*column) for column in zip(*each, strict=True)))

    def _pushes(
        self, waves: Waves, d: Expr, v: Expr, Omega: Expr, omega_wheel: Expr, mu: Expr, preload: Expr
    ) -> Pushes:
        at, n, R = self.contacts, self.ports.wheels, self.atlas.sphere.radius
        N = at.normals(d, v, waves.reach, waves.slope * omega_wheel, preload)
        rolling = at.rolling_forces(N[n:], Omega, v)
        force = ca.sum1(rolling).T - ca.DM(at.outward.T) @ N
        moment = ca.DM(at.outward[:n].T) @ at.drilling(N[:n], mu, Omega)
        for j, normal in enumerate(at.outward[n:]):
            moment += ca.cross(R * ca.DM(normal), rolling[j, :].T)
        # a reach that grows as the wheel turns lifts the sphere, and the wheel feels it
        return Pushes(N, mu * N[:n], moment, force, -N[:n] * waves.slope)

    def _rows(self, waves: Waves) -> tuple[list[tuple[Expr, Expr]], Expr]:
        """Moment and force on the sphere, in W, and moments on the wheels, of unit forces along the rollers."""
        at, R = self.contacts, self.atlas.sphere.radius + waves.reach - waves.roll
        rows = []
        for i in range(self.ports.wheels):
            n, roller = at.outward[i], at.roller[i]
            rows.append((R[i] * ca.DM(np.cross(n, roller)) + waves.lever[i] * ca.DM(n), ca.DM(roller)))
        cosines = ca.DM([math.cos(w.roller_angle) for w in self.atlas.wheels])
        return rows, ca.DM(at.arm) + cosines * waves.roll

    @cached_property
    def step(self) -> Kernel:
        """(state, inputs) -> state_next, results."""
        h, n, s, driven = self.h, self.ports.wheels, self.atlas.sphere, self.atlas.wheels
        sweeps = sweeps_for(self.sliding)
        I, c, gravity = ca.DM(s.inertia_matrix), ca.DM(s.com), ca.DM([0, 0, -G])
        M_inverse = ca.DM(np.linalg.inv(self.mass))
        J_inverse = ca.DM([1 / w.axle_inertia for w in driven])
        creep = ca.DM([w.creep for w in driven])

        def expr(
            Q: Expr, omega: Expr, d: Expr, v: Expr, psi: Expr, omega_wheel: Expr,
            tau: Expr, a_stage: Expr, slick: Expr, preload: Expr,
        ) -> Any:  # fmt: skip
            Q_mid, d_mid = turned(Q, 0.5 * h * omega), d + 0.5 * h * v
            R = R_quaternion(Q_mid)
            waves = self.waves(psi + 0.5 * h * omega_wheel)
            falling = s.mass * (R.T @ (gravity - bounded(a_stage, -A_MOST, A_MOST)))
            weight = ca.vertcat(ca.cross(c, falling), falling)
            motors = ca.vertcat(*(w.gear * motor_torque(w, tau[i], omega_wheel[i]) for i, w in enumerate(driven)))
            held = ca.DM([w.friction for w in driven]) * ca.fmax(slick, 0), ca.fmax(preload, 0)
            rows, arm = self._rows(waves)
            W = ca.horzcat(*(ca.vertcat(R.T @ moment, R.T @ force) for moment, force in rows))
            per_force = M_inverse @ W
            B = h * (W.T @ per_force + ca.diag(arm**2 * J_inverse)) + ca.diag(creep)
            factors = factorize(B, symmetric=True)

            V = V_next = ca.vertcat(omega, R.T @ v)
            wheels_next, f = omega_wheel, ca.SX.zeros(n)
            for _ in range(PASSES):
                mean, wheels = 0.5 * (V + V_next), 0.5 * (omega_wheel + wheels_next)
                push = self._pushes(waves, d_mid, R @ mean[3:], R @ mean[:3], wheels, *held)
                spin = mean[:3]
                turning = ca.vertcat(ca.cross(spin, I @ spin), s.mass * ca.cross(spin, ca.cross(spin, c)))
                pushed = ca.vertcat(R.T @ push.moment, R.T @ push.force)
                V_free = V + h * (M_inverse @ (pushed + weight - turning))
                wheels_free = omega_wheel + h * J_inverse * (motors + push.wheels)
                f = traction(B, factors, W.T @ V_free - arm * wheels_free, push.limit, sweeps)
                V_next, wheels_next = V_free + h * (per_force @ f), wheels_free - h * J_inverse * arm * f
            omega_next, v_next = V_next[:3], R @ V_next[3:]

            moment = push.moment + sum(f[i] * rows[i][0] for i in range(n))
            force = push.force + sum(f[i] * rows[i][1] for i in range(n))
            psi_next = psi + 0.5 * h * (omega_wheel + wheels_next)
            after = (
                turned(Q_mid, 0.5 * h * omega_next), omega_next, d_mid + 0.5 * h * v_next, v_next,
                psi_next - 2 * math.pi * ca.floor(psi_next * (0.5 / math.pi)), wheels_next,
            )  # fmt: skip
            carried = ca.cross(c, falling - s.mass * (V_next[3:] - V[3:]) / h)
            load = -ca.vertcat(moment + ca.cross(d_mid, force), force + R @ falling)
            slip = W.T @ V_next - arm * wheels_next
            return *after, push.N[:n], push.N[n:], f, slip, moment + R @ carried, load

        p = self.ports
        return Kernel("sphere_step", (*p.state, *p.inputs), (*(next_of(x) for x in p.state), *p.results), expr)
