"""The control law of a sphere: one pure program a tick, from a target orientation to the torques of its motors."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, final

import casadi as ca

from motionbase.compile import Body, Kernel, Layout, OldProgram, Port
from motionbase.compile.reference import Reference
from motionbase.control.sphere import ports
from motionbase.control.sphere.attitude import Attitude
from motionbase.control.sphere.reference import REFERENCE
from motionbase.control.sphere.slip import SlipWatch
from motionbase.platform.atlas.atlas import Atlas
from motionbase.spatial.rotations import Expr, R_quaternion

GENTLE = 0.25  # of the largest acceleration: how a sphere that has lost traction is brought to rest
STARTED = Port("started", (), "-", "0 before the first tick")
KEPT = Port("kept", 7, "SI, mixed", "reference after the last tick: orientation, angular velocity")


def _begin(
    started: Expr, kept: Expr, Q: Expr, omega_S: Expr, follow: Expr, on: Expr, lost: Expr, integral: Expr
) -> Any:
    """A reference that cannot be held to is where the sphere is: at first, without motors, and without traction.

    Without motors it turns along; without traction it does not, so that spin is damped and nothing is pulled back.
    """
    anew = ca.logic_or(ca.logic_or(started < 0.5, on < 0.5), lost > 0.5)
    along = ca.logic_and(ca.logic_and(started > 0.5, on < 0.5), lost < 0.5)
    spin = ca.if_else(along, R_quaternion(Q) @ omega_S, ca.SX.zeros(3))
    return (
        ca.if_else(anew, Q, kept[:4]),
        ca.if_else(anew, spin, kept[4:]),
        follow * (1 - lost),
        1 - (1 - GENTLE) * lost,
        ca.if_else(anew, ca.SX.zeros(3), integral),
        1.0,
    )


BEGIN = Kernel(
    "sphere_begin",
    (STARTED, KEPT, ports.Q_MEAS, ports.OMEGA_MEAS, ports.FOLLOW, ports.ON, ports.LOST,
     Port("integral_before", 3, "rad s")),
    (ports.Q_REF, ports.OMEGA_REF, Port("follows", (), "-"), ports.GENTLY, ports.INTEGRAL,
     Port("started_next", (), "-")),
    _begin,
)  # fmt: skip


@final
@dataclass(frozen=True)
class SphereLaw:
    """Of one platform; `program` is what runs.

    Attributes:
        dt: period [s]
    """

    atlas: Atlas
    dt: float = 5e-4

    @cached_property
    def parameters(self) -> Layout:
        """Names, units and values of the tunable parameters."""
        return ports.parameters(self.atlas.limits.velocity, self.atlas.limits.acceleration)

    @cached_property
    def state(self) -> Layout:
        """Names of the state's parts."""
        return ports.state(len(self.atlas.wheels))

    @property
    def inputs(self) -> tuple[Port, ...]:
        """Parameters, state, target, what is wanted of it, measurements."""
        wheels = Port("omega_wheel", len(self.atlas.wheels), "rad/s", "measured speeds of the wheels")
        return (
            self.parameters.port("sphere_parameters", "may be changed at any tick"),
            self.state.port("sphere_x", "state of the sphere's law"),
            ports.FOLLOW, ports.ON, ports.RESET, ports.Q_TARGET, ports.OMEGA_TARGET, ports.ALPHA_TARGET,
            ports.Q_MEAS, ports.OMEGA_MEAS, wheels, ports.A_STAGE,
        )  # fmt: skip

    @property
    def outputs(self) -> tuple[Port, ...]:
        """State, torques, and what people want to see."""
        n = len(self.atlas.wheels)
        return (
            self.state.port("sphere_x_next", "state for the next tick"),
            Port("tau_motor", n, "N m", "torques of the motors"),
            ports.Q_REF, ports.OMEGA_REF, ports.ALPHA_REF,
            ports.ERROR,
            Port("grip", n, "-", "traction asked for, over what friction passes on at rest"),
            Port("slip_hat", n, "m/s", "at which rollers slide over the sphere, as the law sees it"),
            Port("slips", (), "-", "1 while a wheel slips"),
            ports.LOST,
            Port("limited", (), "-", "1 where a motor is at its limit"),
        )  # fmt: skip

    @cached_property
    def program(self) -> OldProgram:
        """Named `sphere_control`."""
        attitude, watch = Attitude(self.atlas).kernel, SlipWatch(self.atlas).kernel

        def body(b: Body) -> None:
            dt = b.constant("dt", self.dt)
            measured = {"Q_WS": b["Q_WS"], "omega_S": b["omega_S"]}

            def place(layout: Layout, vector: Reference, name: str) -> Reference:
                port, start = layout.find(name), layout.starts[name]
                return vector[start] if not port.dims else replace(vector[start : start + port.size], shape=port.dims)

            def param(name: str) -> Reference:
                return place(self.parameters, b["sphere_parameters"], name)

            def before(name: str) -> Reference:
                return place(self.state, b["sphere_x"], name)

            def after(name: str) -> Reference:
                return place(self.state, b["sphere_x_next"], name)

            b.call(
                watch, **{name: param(name) for name in ("slip_speed", "slip_time", "slip_lost")}, dt=dt,
                reset=b["reset"], **measured, omega_wheel=b["omega_wheel"], slip_before=before("slip"),
                lost=before("lost"), slip_next=after("slip"), slip_hat=b["slip_hat"], slips=b["slips"],
                lost_next=after("lost"),
            )  # fmt: skip
            b.copy(after("lost"), b["lost"])
            follows, gently, integral = b.local("follows"), b.local("gently"), b.local("integral", 3)
            b.call(
                BEGIN, started=before("started"), kept=before("reference"), **measured, follow=b["follow"],
                on=b["on"], lost=b["lost"], integral_before=before("integral"), Q_ref=b["Q_ref"],
                omega_ref=b["omega_ref"], follows=follows, gently=gently, integral=integral,
                started_next=after("started"),
            )  # fmt: skip
            reference = {"Q_ref": b["Q_ref"], "omega_ref": b["omega_ref"]}
            target = {name: b[name] for name in ("Q_target", "omega_target", "alpha_target")}
            bounds = {n: param(n) for n in ("sphere_velocity", "sphere_acceleration", "sphere_chase")}
            kept = after("reference")
            b.call(
                REFERENCE, **bounds, dt=dt, follow=follows, gently=gently, **reference, **target,
                alpha_ref=b["alpha_ref"], Q_ref_next=kept[:4], omega_ref_next=kept[4:],
            )  # fmt: skip
            limits = {name: param(name) for name in ("sphere_bandwidth", "sphere_velocity", "sphere_acceleration")}
            b.call(
                attitude, **limits, gently=gently, dt=dt, on=b["on"], **measured, **reference, alpha_ref=b["alpha_ref"],
                a_stage=b["a_stage"], integral=integral, tau_motor=b["tau_motor"], grip=b["grip"], error=b["error"],
                limited=b["limited"], integral_next=after("integral"),
            )  # fmt: skip

        return OldProgram("sphere_control", self.inputs, self.outputs, body, description=f"turns {self.atlas.name}")
