"""Motion of a platform and its legs that a motion of the degrees of freedom requires.

A motion is (6, 3): position, velocity, acceleration of surge, sway, heave from neutral and of roll, pitch, yaw (ZYX
angles and their derivatives in time), or of the legs.
"""

from __future__ import annotations

from typing import NamedTuple

import casadi as ca

from motionbase.compile import Port, for_each
from motionbase.platform.hexapod import Hexapod
from motionbase.spatial.rotations import R_quaternion, euler_zyx_motion, quaternion_euler_zyx

MOTION = Port("motion", (6, 3), "SI, mixed", "degrees of freedom: position, velocity, acceleration")
LEGS = Port("legs", (6, 3), "SI, mixed", "length, rate, acceleration")


def turning(motion: ca.SX) -> tuple[ca.SX, ca.SX]:
    """Angular velocity and acceleration in W of a motion of the degrees of freedom."""
    return euler_zyx_motion(motion[3:, 0], motion[3:, 1], motion[3:, 2])


class Moved(NamedTuple):
    """Platform and legs in a commanded motion; row k is leg k, vectors are in W."""

    R: ca.SX
    omega: ca.SX
    alpha: ca.SX
    a: ca.SX
    legs: ca.SX  # (6, 3) length, rate, acceleration
    J: ca.SX  # (6, 6) leg rates from omega and the velocity


def legs_moved(platform: Hexapod, motion: ca.SX) -> Moved:
    """Platform and legs in this motion of the degrees of freedom."""
    omega, alpha = turning(motion)
    p, v, a = platform.p_neutral + motion[:3, 0], motion[:3, 1], motion[:3, 2]
    R = R_quaternion(quaternion_euler_zyx(motion[3:, 0]))

    def leg(joint: ca.SX, base: ca.SX) -> tuple[ca.SX, ca.SX]:
        """l_ddot = u . b_ddot + |velocity of the joint perpendicular to u|^2 / l."""
        b = R @ joint
        d = p + b - base
        l = ca.sqrt(ca.sumsqr(d))
        u = d * (1 / l)
        b_dot = v + ca.cross(omega, b)
        b_ddot = a + ca.cross(alpha, b) + ca.cross(omega, ca.cross(omega, b))
        l_dot = ca.dot(u, b_dot)
        across = b_dot - u * l_dot
        return ca.vertcat(l, l_dot, ca.dot(u, b_ddot) + ca.sumsqr(across) / l), ca.vertcat(ca.cross(b, u), u)

    return Moved(R, omega, alpha, a, *for_each(leg, platform.joints, platform.base))
