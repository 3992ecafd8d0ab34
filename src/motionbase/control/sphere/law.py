"""The control law of a sphere: one pure program per tick, from a target orientation to the torques of its motors."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import casadi as ca

from motionbase.compile import Layout, Port, Program, for_each, q
from motionbase.control.sphere import ports
from motionbase.control.sphere.attitude import Spinning, torques
from motionbase.control.sphere.ports import Reference, Slip, SphereParameters, SphereState, Target
from motionbase.control.sphere.reference import chased
from motionbase.platform.atlas.atlas import Atlas
from motionbase.spatial.rotations import Expr, R_quaternion

GENTLE = 0.25  # of the largest acceleration: brings a sphere without traction to rest
FILTER = 2 * math.pi * 20.0  # [rad/s] corner of the slip filter


@final
@dataclass(frozen=True)
class SphereLaw:
    """The law of one platform; `program` is the compiled part.

    Attributes:
        dt: period [s]
    """

    atlas: Atlas
    dt: float = 5e-4

    @cached_property
    def parameter_struct(self) -> type[SphereParameters]:
        """Parameters with this platform's bounds."""
        return ports.parameters_of(self.atlas.limits.velocity, self.atlas.limits.acceleration)

    @cached_property
    def state_struct(self) -> type[SphereState]:
        """State with this platform's wheels."""
        return SphereState.with_quantities(slip=q(of=Slip, rows=len(self.atlas.wheels), text="of each wheel"))

    @property
    def parameters(self) -> Layout:
        """Names, units and values of the tunable parameters."""
        return self.parameter_struct.layout

    @property
    def state(self) -> Layout:
        """Names of the state's parts."""
        return self.state_struct.layout

    @property
    def inputs(self) -> tuple[Port, ...]:
        """Parameters, state, target, mode of operation, measurements."""
        wheels = Port("omega_wheel", len(self.atlas.wheels), "rad/s", "measured speeds of the wheels")
        return (
            self.parameter_struct.port("sphere_parameters", "may be changed at any tick"),
            self.state_struct.port("sphere_x", "state of the sphere's law"),
            ports.FOLLOW, ports.ON, ports.RESET, ports.Q_TARGET, ports.OMEGA_TARGET, ports.ALPHA_TARGET,
            ports.Q_MEAS, ports.OMEGA_MEAS, wheels, ports.A_STAGE,
        )  # fmt: skip

    @property
    def outputs(self) -> tuple[Port, ...]:
        """State, torques, and values for display."""
        n = len(self.atlas.wheels)
        return (
            self.state_struct.port("sphere_x_next", "state for the next tick"),
            Port("tau_motor", n, "N m", "torques of the motors"),
            ports.Q_REF, ports.OMEGA_REF, ports.ALPHA_REF,
            ports.ERROR,
            Port("grip", n, "-", "demanded traction, over the friction available at rest"),
            Port("slip_hat", n, "m/s", "sliding speed of rollers over the sphere, estimated by the law"),
            Port("slips", (), "-", "1 while a wheel slips"),
            ports.LOST,
            Port("limited", (), "-", "1 where a motor is at its limit"),
        )  # fmt: skip

    @cached_property
    def program(self) -> Program:
        """The law as a program named `sphere_control`."""
        atlas, dt = self.atlas, self.dt

        def expr(
            p: SphereParameters, x: SphereState, follow: Expr, on: Expr, reset: Expr, Q_target: Expr,
            omega_target: Expr, alpha_target: Expr, Q_WS: Expr, omega_S: Expr, omega_wheel: Expr, a_stage: Expr,
        ) -> Any:  # fmt: skip
            R = R_quaternion(Q_WS)
            sphere = Spinning(Q_WS, R, omega_S, R @ omega_S)
            slip, slips, lost = watched(atlas, p, dt, x, reset, sphere.omega, omega_wheel)
            ref, integral = begun(x, sphere, on, lost)
            follows, gently = follow * (1 - lost), 1 - (1 - GENTLE) * lost
            alpha_ref, after = chased(p, dt, follows, gently, ref, Target(Q_target, omega_target, alpha_target))
            tau = torques(atlas, p, dt, on, gently, sphere, ref, alpha_ref, a_stage, integral)
            x_next = self.state_struct(started=1.0, reference=after, integral=tau.integral, slip=slip, lost=lost)
            shown = tau.error, tau.grip, slip.speed, slips, lost, tau.limited
            return x_next, tau.motors, ref.Q, ref.omega, alpha_ref, *shown

        return Program("sphere_control", self.inputs, self.outputs, expr, f"turns {atlas.name}")


def watched(
    atlas: Atlas, p: SphereParameters, dt: float, x: SphereState, reset: Expr, omega: Expr, omega_wheel: Expr
) -> tuple[Slip, Expr, Expr]:
    """Slip of the driven wheels from wheel speeds and the sphere's spin; whether any slips, whether traction is lost.

    Without slip the wheels turn with J_omega Omega; the difference, at the radius of the wheel and along the roller's
    axis, is the speed at which the sphere slides over the roller. It is filtered, because the change from roller to
    roller makes it ripple, and reported if it lasts.
    """
    arm = ca.DM([w.radius * math.cos(w.roller_angle) for w in atlas.wheels])
    part = 1 - math.exp(-FILTER * dt)

    def watch(before: Slip, now: Expr) -> Slip:
        good = ca.if_else(now == now, now, before.speed)  # a NaN measurement is not slip
        speed = before.speed + part * (good - before.speed)
        return Slip(speed, ca.if_else(ca.fabs(speed) > p.slip_speed, before.lasted + dt, 0))

    slip = for_each(watch, x.slip, arm * (ca.DM(atlas.J_omega) @ omega - omega_wheel))
    longest = ca.mmax(slip.lasted)
    lost = ca.if_else(longest >= p.slip_lost, 1.0, ca.if_else(reset > 0.5, 0.0, x.lost))
    return slip, ca.if_else(longest >= p.slip_time, 1.0, 0.0), lost


def begun(x: SphereState, sphere: Spinning, on: Expr, lost: Expr) -> tuple[Reference, Expr]:
    """Reference and integral at the start of a tick.

    A reference that cannot be followed (at first, without motors, without traction) is the sphere's own orientation.
    Without motors it moves along with the sphere; without traction its spin is zero, so that the sphere is damped but
    not pulled back.
    """
    anew = ca.logic_or(ca.logic_or(x.started < 0.5, on < 0.5), lost > 0.5)
    along = ca.logic_and(ca.logic_and(x.started > 0.5, on < 0.5), lost < 0.5)
    spin = ca.if_else(along, sphere.omega, ca.SX.zeros(3))
    ref = Reference(ca.if_else(anew, sphere.Q, x.reference.Q), ca.if_else(anew, spin, x.reference.omega))
    return ref, ca.if_else(anew, ca.SX.zeros(3), x.integral)
