"""Whether the legs' measured rates agree with each other and with the rate gyros: which sensor of a leg to believe.

Six legs and three gyros measure six velocities of one rigid platform, so three of nine are redundant. With the gyros'
turning taken away, what is left of the legs' rates must be one translation:

    y = l_dot - (b x u) omega,   v = (U' U)^-1 U' y,   e = y - U v = (1 - P) y,   P = U (U' U)^-1 U'

A rate of leg k that is wrong by d leaves e = (1 - P) e_k d, a length that is wrong leaves nothing. So where length and
integrated rate of a leg are D apart, and E is the integral of e, the rate is to blame if E is nearer to (1 - P) e_k D
than to 0, which is E_k D > (1 - P_kk) D^2 / 2, since 1 - P is a projection. Nothing of it looks at the command.

Any E can also come from the gyros. A wrong rate makes D grow with E, wrong gyros make E alone: then they are not asked
again before a reset, and a length that fails is replaced by its rate. Gyros that are not there read 0, and the first
turn of the platform tells.
"""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from motionbase.compile import Kernel, Port
from motionbase.control.fields import MIXED
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.legs import legs_at, rows_cross, rows_dot
from motionbase.spatial.rotations import R_quaternion, quaternion_euler_zyx

AGREEMENT = 4
OMEGA_MAX = 10.0  # [rad/s]: no platform turns faster
UNEXPLAINED, FAR = 1e-3, 1.5  # [m], times the largest D: an E beyond both is the gyros'; healthy ones leave 0.05 mm
BIAS_CORNER = 0.1  # [rad/s]: what is wrong for longer than that is a bias of a gyro or a rate sensor, and no fault


def agreement_of(platform: Hexapod) -> Kernel:
    """Pose, rates of legs and platform -> of each leg E [m], slow part of e [m/s], 1 - P_kk, gyros wrong."""

    def expr(
        corner: ca.SX, dt: ca.SX, before: ca.SX, fresh: ca.SX, dof: ca.SX, l_dot: ca.SX, omega: ca.SX, apart: ca.SX,
        doubted: ca.SX,
    ) -> Any:  # fmt: skip
        Q = quaternion_euler_zyx(dof[3:])
        legs = legs_at(platform, ca.DM(np.asarray(platform.p_neutral)) + dof[:3], Q)
        known = ca.if_else(ca.fabs(omega) < OMEGA_MAX, omega, 0.0)  # false for NaN
        y = l_dot - rows_cross(legs.b, legs.u) @ (R_quaternion(Q) @ known)
        inverse = ca.inv_minor(legs.u.T @ legs.u)
        e = y - legs.u @ (inverse @ (legs.u.T @ y))
        free = 1 - rows_dot(legs.u @ inverse, legs.u)
        slow = before[:, 1] + BIAS_CORNER * dt * (e - before[:, 1])
        gathered = before[:, 0] + dt * (e - slow - corner * before[:, 0])
        unexplained = ca.mmax(ca.fabs(gathered)) > FAR * ca.mmax(ca.fabs(apart)) + UNEXPLAINED
        wrong = ca.logic_or(before[0, 3], ca.logic_and(unexplained, ca.eq(ca.sum1(doubted), 0)))
        kept = ca.if_else(ca.ne(fresh, 0), 0.0, ca.horzcat(gathered, slow, ca.repmat(wrong, 6, 1)))
        return ca.horzcat(kept[:, :2], free, kept[:, 2])

    return Kernel(
        "agreement",
        (
            Port("drift_corner", (), "rad/s"), Port("dt", (), "s"),
            Port("before", (6, AGREEMENT), MIXED, "one tick ago"), Port("fresh", (), "-"),
            Port("dof", 6, "m, rad", "measured pose"), Port("l_dot", 6, "m/s", "measured rates that can be true"),
            Port("omega", 3, "rad/s", "in P"),
            Port("apart", 6, "m", "integrated rate less length, D"),
            Port("doubted", 6, "-", "1 for a leg whose length or rate is known to be wrong"),
        ),
        (Port("after", (6, AGREEMENT), MIXED),),
        expr,
        "how far the rate of each leg is from those of the others and the gyros",
    )  # fmt: skip
