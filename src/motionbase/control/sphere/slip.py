"""Slip of the driven wheels, from what a law can measure: wheel speeds by encoders, the sphere's spin by gyros.

Without slip the wheels turn with J_omega Omega; the difference, at the radius of the wheel and along the roller's axis,
is the speed at which the sphere slides over the roller. It is filtered, since rollers that change hands make it ripple,
and told when it lasts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import casadi as ca

from motionbase.compile import Kernel, Port
from motionbase.control.sphere.ports import DT, LOST, OMEGA_MEAS, Q_MEAS, RESET
from motionbase.platform.atlas.atlas import Atlas
from motionbase.spatial.rotations import Expr, R_quaternion

FILTER = 2 * math.pi * 20.0  # [rad/s]
THRESHOLDS = (
    Port("slip_speed", (), "m/s", "more is slip"),
    Port("slip_time", (), "s", "slip for so long is told"),
    Port("slip_lost", (), "s", "slip for so long is a loss of traction"),
)


@final
@dataclass(frozen=True)
class SlipWatch:
    """Of the wheels of one platform."""

    atlas: Atlas

    @cached_property
    def kernel(self) -> Kernel:
        """Wheel speeds and spin -> slip of each wheel, whether any slips, whether traction is lost."""
        n = len(self.atlas.wheels)
        J_omega = ca.DM(self.atlas.J_omega)
        arm = ca.DM([w.radius * math.cos(w.roller_angle) for w in self.atlas.wheels])

        def expr(
            speed: Expr, told: Expr, lost_after: Expr, dt: Expr, reset: Expr, Q: Expr, omega_S: Expr, wheels: Expr,
            before: Expr, lost: Expr,
        ) -> Any:  # fmt: skip
            now = arm * (J_omega @ (R_quaternion(Q) @ omega_S) - wheels)
            part = 1 - ca.exp(-FILTER * dt)
            good = ca.if_else(now == now, now, before[:, 0])  # a measurement that is no number is no slip
            slip = before[:, 0] + part * (good - before[:, 0])
            lasted = ca.if_else(ca.fabs(slip) > speed, before[:, 1] + dt, 0)
            longest = ca.mmax(lasted)
            is_lost = ca.if_else(longest >= lost_after, 1.0, ca.if_else(reset > 0.5, 0.0, lost))
            return ca.horzcat(slip, lasted), slip, ca.if_else(longest >= told, 1.0, 0.0), is_lost

        watch = Port("slip_before", (n, 2), "SI, mixed", "filtered slip [m/s] and how long it has lasted [s]")
        outputs = (
            Port("slip_next", (n, 2), "SI, mixed"),
            Port("slip_hat", n, "m/s", "at which rollers slide over the sphere, as the law sees it"),
            Port("slips", (), "-", "1 while a wheel slips"),
            Port("lost_next", (), "-"),
        )
        wheels = Port("omega_wheel", n, "rad/s", "measured speeds of the wheels")
        return Kernel(
            "slip_watch", (*THRESHOLDS, DT, RESET, Q_MEAS, OMEGA_MEAS, wheels, watch, LOST), outputs, expr
        )  # fmt: skip
