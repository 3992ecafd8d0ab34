"""Consistency of the legs' measured rates with each other and with the rate gyros: finds the faulty sensor of a leg.

Six legs and three gyros measure the six velocities of one rigid platform, so three of nine are redundant. After
subtracting the rotation measured by the gyros, the legs' rates must be one translation:

    y = l_dot - (b x u) omega,   v = (U' U)^-1 U' y,   e = y - U v = (1 - P) y,   P = U (U' U)^-1 U'

A rate of leg k with an error d leaves e = (1 - P) e_k d; a wrong length leaves nothing. So if length and integrated
rate of a leg differ by D, and E is the integral of e, the rate is to blame if E is closer to (1 - P) e_k D than to 0,
which is E_k D > (1 - P_kk) D^2 / 2, since 1 - P is a projection. The command is not used.

Any E can also come from the gyros. A wrong rate makes D grow with E, wrong gyros change only E: they are then ignored
until a reset, and a length that fails is replaced by its rate. Missing gyros read 0, which shows at the first rotation
of the platform.
"""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from motionbase.compile import Kernel, Port, Struct, q
from motionbase.control.quantities import SX
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.legs import legs_at, rows_cross, rows_dot
from motionbase.spatial.rotations import R_quaternion, quaternion_euler_zyx

OMEGA_MAX = 10.0  # [rad/s]: no platform rotates faster
UNEXPLAINED, FAR = 1e-3, 1.5  # [m], times the largest D: an E above both is the gyros'; healthy ones leave 0.05 mm
BIAS_CORNER = 0.1  # [rad/s]: a slower error is a bias of a gyro or a rate sensor, not a fault


class Agreement(Struct):
    """Consistency of one leg's rate with those of the others and the gyros."""

    gathered: SX = q("m", text="E, the integral of what it is off")
    slow: SX = q("m/s", text="slow part of what it is off: a bias")
    free: SX = q("-", text="part of an error of this leg's rate that shows, 1 - P_kk")
    gyros_wrong: SX = q("-", text="1 if the gyros are not asked any more")


def agreement_of(platform: Hexapod) -> Kernel:
    """Pose, rates of legs and platform -> consistency of each leg."""

    def expr(
        corner: SX, dt: SX, before: Agreement, fresh: SX, dof: SX, l_dot: SX, omega: SX, apart: SX,
        doubted: SX,
    ) -> Any:  # fmt: skip
        Q = quaternion_euler_zyx(dof[3:])
        legs = legs_at(platform, ca.DM(np.asarray(platform.p_neutral)) + dof[:3], Q)
        known = ca.if_else(ca.fabs(omega) < OMEGA_MAX, omega, 0.0)  # false for NaN
        y = l_dot - rows_cross(legs.b, legs.u) @ (R_quaternion(Q) @ known)
        inverse = ca.inv_minor(legs.u.T @ legs.u)
        e = y - legs.u @ (inverse @ (legs.u.T @ y))
        free = 1 - rows_dot(legs.u @ inverse, legs.u)
        slow = before.slow + BIAS_CORNER * dt * (e - before.slow)
        gathered = before.gathered + dt * (e - slow - corner * before.gathered)
        unexplained = ca.mmax(ca.fabs(gathered)) > FAR * ca.mmax(ca.fabs(apart)) + UNEXPLAINED
        wrong = ca.logic_or(before.gyros_wrong[0], ca.logic_and(unexplained, ca.eq(ca.sum1(doubted), 0)))
        kept = ca.if_else(ca.ne(fresh, 0), 0.0, ca.horzcat(gathered, slow, ca.repmat(wrong, 6, 1)))
        return Agreement.of_columns(gathered=kept[:, 0], slow=kept[:, 1], free=free, gyros_wrong=kept[:, 2])

    return Kernel(
        "agreement",
        (
            Port("drift_corner", (), "rad/s"), Port("dt", (), "s"),
            Agreement.port("before", "one tick ago", 6), Port("fresh", (), "-"),
            Port("dof", 6, "m, rad", "measured pose"), Port("l_dot", 6, "m/s", "measured rates that can be true"),
            Port("omega", 3, "rad/s", "in P"),
            Port("apart", 6, "m", "integrated rate less length, D"),
            Port("doubted", 6, "-", "1 for a leg whose length or rate is known to be wrong"),
        ),
        (Agreement.port("after", rows=6),),
        expr,
        "how far the rate of each leg is from those of the others and the gyros",
    )  # fmt: skip
