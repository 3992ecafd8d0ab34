"""The motion of sphere and wheels over one step: half a drift, a kick with the forces at mid-step, half a drift.

    Q_mid = Q exp(h/2 omega), d_mid, psi_mid        half a step with the velocities of its start
    N     = normal forces at mid-step               contacts only push
    f     = forces along the rollers                so that nothing slides at the end, or |f| = mu N
    V    += h M^-1 (forces - gyroscopic terms)      sphere in the axes of S at mid-step, where M is constant; wheels
    Q, d, psi                                       half a step with the new velocities

Rotating by half a step about omega leaves omega unchanged in S and in W, so a contact that does not slide in the axes
of mid-step does not slide at the end. Gyroscopic terms, damping and resistances are those of the mean velocities, from
a second pass of the kick, so the step is of second order; a motor's limit is that of its initial speed. With ripple it
is of first order, because the no-slip condition at the end uses the roller position of mid-step.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Program, for_each, repeat
from motionbase.compile.linear import factorize
from motionbase.multibody.integrators.local import turned
from motionbase.plant.motion import next_of
from motionbase.plant.sphere.contacts import Contacts
from motionbase.plant.sphere.ports import Sphere, SpherePorts
from motionbase.plant.sphere.stability import check_step
from motionbase.plant.sphere.traction import sweeps_for, traction
from motionbase.plant.sphere.wheels import Centre, Wheel, bounded, driven_push, passive_push, rolling
from motionbase.platform.atlas.analysis import G
from motionbase.platform.atlas.atlas import Atlas
from motionbase.spatial import R_quaternion, skew
from motionbase.spatial.rotations import Expr

PASSES = 2  # passes of the kick
A_MOST = 1e3  # [m/s^2] limit of the support's acceleration; larger values or NaN are not motions of a stage


@final
@dataclass(frozen=True, eq=False)
class SphereMotion:
    """A sphere on its wheels over a step h [s]; `ripple`: whether the outlines of the rollers are modelled."""

    atlas: Atlas
    h: float
    ripple: bool = True

    def __post_init__(self) -> None:
        check_step(self.atlas.name, self.h, self.contacts, self.mass)

    @cached_property
    def contacts(self) -> Contacts:
        """Contacts with all wheels."""
        return Contacts(self.atlas, self.ripple)

    @cached_property
    def ports(self) -> SpherePorts:
        """Ports of a step."""
        return SpherePorts.of(self.atlas)

    @cached_property
    def mass(self) -> Array:
        """(6, 6) mass matrix of the sphere about its centre, angular part first, in S."""
        s = self.atlas.sphere
        across = s.mass * np.array(ca.DM(skew(ca.DM(s.com))))
        return np.block([[s.inertia_matrix, across], [across.T, s.mass * np.eye(3)]])

    @cached_property
    def sliding(self) -> Array:
        """(n, n) sliding speed along the rollers after a step per newton along them, sphere upright [m/(N s)]."""
        at, R = self.contacts, self.atlas.sphere.radius
        W = np.concatenate([np.cross(R * self.atlas.contacts, at.roller), at.roller], axis=1).T
        wheels = at.arm**2 / [w.axle_inertia for w in self.atlas.wheels]
        return np.asarray(self.h * (W.T @ np.linalg.inv(self.mass) @ W + np.diag(wheels)))

    @cached_property
    def step(self) -> Program:
        """(state, inputs) -> state_next, results."""
        p = self.ports

        def expr(
            Q: Expr, omega: Expr, d: Expr, v: Expr, psi: Expr, omega_wheel: Expr,
            tau: Expr, a_stage: Expr, slick: Expr, preload: Expr,
        ) -> Any:  # fmt: skip
            wheels = Wheel.of(ca.horzcat(psi, omega_wheel), p.wheels)
            x, *after = self._moved(Sphere(Q, omega, d, v), wheels, tau, a_stage, slick, preload)
            return x.Q_WS, x.omega_S, x.d_C, x.v_C, *after

        return Program("sphere_step", (*p.state, *p.inputs), (*(next_of(x) for x in p.state), *p.results), expr)

    def _moved(self, x: Sphere, wheels: Wheel, tau: Expr, a_stage: Expr, slick: Expr, preload: Expr) -> Any:
        """Sphere, angles and speeds of the wheels after the step, and its results."""
        h, s, at, n = self.h, self.atlas.sphere, self.contacts, self.ports.wheels
        I, c, M_inverse = ca.DM(s.inertia_matrix), ca.DM(s.com), ca.DM(np.linalg.inv(self.mass))
        J_inverse = 1 / ca.DM([w.axle_inertia for w in self.atlas.wheels])
        creep, sweeps = ca.DM([w.creep for w in self.atlas.wheels]), sweeps_for(self.sliding)

        mid = _drifted(x, 0.5 * h)
        R = R_quaternion(mid.Q_WS)
        in_S = ca.diagcat(R.T, R.T)  # rotates moment and force
        falling = s.mass * (R.T @ (ca.DM([0, 0, -G]) - bounded(a_stage, -A_MOST, A_MOST)))
        weight = ca.vertcat(ca.cross(c, falling), falling)
        rolls = for_each(partial(rolling, h=h, R=s.radius, ripple=self.ripple), at.driven, wheels, tau, slick)

        W = in_S @ rolls.per_force.T
        per_force = M_inverse @ W
        B = h * (W.T @ per_force + ca.diag(rolls.arm**2 * J_inverse)) + ca.diag(creep)
        factors = factorize(B, symmetric=True)
        V, speeds = ca.vertcat(x.omega_S, R.T @ x.v_C), wheels.omega_wheel

        def kick(V_next: Expr, speeds_next: Expr, *_: Expr) -> Any:
            """The kick, with the forces of the mean velocities as far as they are known."""
            mean, omega_wheel = 0.5 * (V + V_next), 0.5 * (speeds + speeds_next)
            spin = mean[:3]
            centre = Centre(mid.d_C, R @ mean[3:], R @ spin)
            driven = for_each(
                lambda wheel, *of_it: driven_push(wheel, centre, *of_it),
                at.driven, rolls.reach, rolls.slope * omega_wheel, rolls.friction,
            )  # fmt: skip
            passive = for_each(
                lambda wheel, scale: passive_push(wheel, centre, scale, s.radius), at.passive, preload[at.ring_of]
            )
            wrench = ca.sum1(driven.wrench).T + ca.sum1(passive.wrench).T
            turning = ca.vertcat(ca.cross(spin, I @ spin), s.mass * ca.cross(spin, ca.cross(spin, c)))
            V_free = V + h * (M_inverse @ (in_S @ wrench + weight - turning))
            # a reach that grows as the wheel turns lifts the sphere and loads the wheel
            free = speeds + h * J_inverse * (rolls.torque - driven.N * rolls.slope)
            f = traction(B, factors, W.T @ V_free - rolls.arm * free, rolls.friction * driven.N, sweeps)
            V_next, speeds_next = V_free + h * (per_force @ f), free - h * J_inverse * rolls.arm * f
            return V_next, speeds_next, f, driven.N, passive.N, wrench

        unknown = (ca.SX.zeros(k) for k in (n, n, self.ports.passive, 6))
        V_next, speeds_next, f, N_wheel, N_passive, wrench = repeat(PASSES, kick, V, speeds, *unknown)

        after = _drifted(mid.replace(omega_S=V_next[:3], v_C=R @ V_next[3:]), 0.5 * h)
        psi = wheels.psi + 0.5 * h * (speeds + speeds_next)
        whole = wrench + rolls.per_force.T @ f
        moment, force = whole[:3], whole[3:]
        carried = ca.cross(c, falling - s.mass * (V_next[3:] - V[3:]) / h)
        load = -ca.vertcat(moment + ca.cross(mid.d_C, force), force + R @ falling)
        slip = W.T @ V_next - rolls.arm * speeds_next
        turned_to = psi - 2 * math.pi * ca.floor(psi * (0.5 / math.pi))
        return after, turned_to, speeds_next, N_wheel, N_passive, f, slip, moment + R @ carried, load


def _drifted(x: Sphere, t: float) -> Sphere:
    """The state after a time t at its present velocities."""
    return x.replace(Q_WS=turned(x.Q_WS, t * x.omega_S), d_C=x.d_C + t * x.v_C)
