"""Motors of the driven wheels: what is asked, within what a motor can give."""

from __future__ import annotations

import casadi as ca

from motionbase.platform.atlas.wheels import DrivenWheel
from motionbase.spatial.rotations import Expr

BASE = 0.9  # of speed_max: from there the torque that drives falls linearly, to none at speed_max; illustrative


def bounded(value: Expr, least: Expr, most: Expr) -> Expr:
    """Within least .. most, which have 0 between them; NaN is 0."""
    return ca.if_else(value > 0, ca.fmin(value, most), ca.if_else(value < 0, ca.fmax(value, least), 0))


def motor_torque(wheel: DrivenWheel, tau: Expr, omega_wheel: Expr) -> Expr:
    """Torque at the motor's own shaft [N m]; against the motion it is full at any speed, and NaN acts as 0.

    Args:
        tau: asked for [N m]
        omega_wheel: speed of the wheel [rad/s]
    """

    def most(speed: Expr) -> Expr:
        share = (1 - speed * (wheel.gear / wheel.speed_max)) * (1 / (1 - BASE))
        return wheel.torque_max * ca.fmin(ca.fmax(share, 0), 1)

    return bounded(tau, -most(-omega_wheel), most(omega_wheel))
