"""Rotations: matrices, quaternions wxyz, rotation vectors, and Euler angles ZYX for the borders.

`R_ab` takes b coordinates to a. Every function works on SX, DM or NumPy arrays and returns SX or DM.
"""

from typing import Any

import casadi as ca

from motionbase.compile.guarded import norm, sinc

Expr = Any  # SX or DM; also plain numbers and NumPy arrays, where CasADi accepts them


def skew(a: Expr) -> Expr:
    """(3, 3) matrix of the cross product: skew(a) @ b = a x b."""
    return ca.vertcat(ca.horzcat(0, -a[2], a[1]), ca.horzcat(a[2], 0, -a[0]), ca.horzcat(-a[1], a[0], 0))


def cos_sin(angle: Expr) -> tuple[Expr, Expr]:
    """Cosine and sine of an angle; for atan2(y, x) they are computed from x and y, without the angle itself."""
    if isinstance(angle, ca.SX) and angle.is_scalar() and angle.is_op(ca.OP_ATAN2):
        y, x = angle.dep(0), angle.dep(1)
        h = ca.sqrt(x * x + y * y)
        return x / h, y / h
    return ca.cos(angle), ca.sin(angle)


def R_axis_angle(axis: Expr, angle: Expr) -> Expr:
    """Rotation by an angle [rad] about a unit axis (Rodrigues).

    Written so that zeros and ones of a constant axis vanish from the expression.
    """
    x, y, z = axis[0], axis[1], axis[2]
    c, s = cos_sin(angle)
    return ca.vertcat(
        ca.horzcat(x * x + c * (1 - x * x), x * y * (1 - c) - z * s, x * z * (1 - c) + y * s),
        ca.horzcat(y * x * (1 - c) + z * s, y * y + c * (1 - y * y), y * z * (1 - c) - x * s),
        ca.horzcat(z * x * (1 - c) - y * s, z * y * (1 - c) + x * s, z * z + c * (1 - z * z)),
    )


def R_quaternion(Q: Expr) -> Expr:
    """Rotation matrix of a unit quaternion wxyz."""
    w, x, y, z = Q[0], Q[1], Q[2], Q[3]
    return ca.vertcat(
        ca.horzcat(1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        ca.horzcat(2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        ca.horzcat(2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )


def quaternion_product(p: Expr, q: Expr) -> Expr:
    """Q_ac = Q_ab * Q_bc."""
    return ca.vertcat(
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
        p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
    )


def quaternion_rate(Q_ab: Expr, omega_ab_b: Expr) -> Expr:
    """Time derivative of Q_ab for the angular velocity of b relative to a, in b [rad/s]."""
    return 0.5 * quaternion_product(Q_ab, ca.vertcat(0, omega_ab_b))


def quaternion_rotation_vector(theta: Expr) -> Expr:
    """Unit quaternion of a rotation vector [rad] (the exponential map), smooth at zero."""
    half = 0.5 * norm(theta)
    return ca.vertcat(ca.cos(half), 0.5 * sinc(half) * theta)


def rotation_vector(Q: Expr) -> Expr:
    """Rotation vector [rad] of a unit quaternion, at most half a turn long (the logarithm), smooth at zero."""
    sign = ca.if_else(Q[0] < 0, -1.0, 1.0)  # Q and -Q are the same orientation
    w, v = sign * Q[0], sign * Q[1:4]
    s = norm(v)
    # atan2(s, w) / s; below the bound the series 1 - s^2/6 of asin(s)/s is exact to rounding
    ratio = ca.if_else(s < 1e-4, 1 + s * s / 6, ca.atan2(s, w) / ca.if_else(s < 1e-4, 1.0, s))
    return 2 * ratio * v


def quaternion_axis_angle(axis: Expr, angle: Expr) -> Expr:
    """Unit quaternion of a rotation by an angle [rad] about a unit axis."""
    return ca.vertcat(ca.cos(angle / 2), ca.sin(angle / 2) * ca.vertcat(axis[0], axis[1], axis[2]))


def unit_quaternion(Q: Expr) -> Expr:
    """The quaternion scaled to length one."""
    return Q / ca.sqrt(ca.sumsqr(Q))


def R_euler_zyx(angles: Expr) -> Expr:
    """Rotation matrix of (roll, pitch, yaw) [rad]: yaw about z, then pitch about y, then roll about x."""
    x, y, z = ca.DM([1, 0, 0]), ca.DM([0, 1, 0]), ca.DM([0, 0, 1])
    return R_axis_angle(z, angles[2]) @ R_axis_angle(y, angles[1]) @ R_axis_angle(x, angles[0])


def quaternion_euler_zyx(angles: Expr) -> Expr:
    """Unit quaternion of (roll, pitch, yaw) [rad]."""
    x, y, z = ca.DM([1, 0, 0]), ca.DM([0, 1, 0]), ca.DM([0, 0, 1])
    yaw_pitch = quaternion_product(quaternion_axis_angle(z, angles[2]), quaternion_axis_angle(y, angles[1]))
    return quaternion_product(yaw_pitch, quaternion_axis_angle(x, angles[0]))


def euler_zyx(R: Expr) -> Expr:
    """(roll, pitch, yaw) [rad] of a rotation matrix; at pitch = +-90 degrees roll and yaw are not unique."""
    pitch = ca.atan2(-R[2, 0], ca.sqrt(R[0, 0] ** 2 + R[1, 0] ** 2))
    return ca.vertcat(ca.atan2(R[2, 1], R[2, 2]), pitch, ca.atan2(R[1, 0], R[0, 0]))


def euler_zyx_axes(angles: Expr) -> Expr:
    """(3, 3) axes of roll, pitch, yaw as columns, in the parent's axes: times their rates, the angular velocity."""
    pitch, yaw = angles[1], angles[2]
    z = ca.SX([0.0, 0.0, 1.0])
    y = ca.vertcat(-ca.sin(yaw), ca.cos(yaw), 0)
    x = ca.vertcat(ca.cos(yaw) * ca.cos(pitch), ca.sin(yaw) * ca.cos(pitch), -ca.sin(pitch))
    return ca.horzcat(x, y, z)


def euler_zyx_motion(angles: Expr, rates: Expr, accelerations: Expr) -> tuple[Expr, Expr]:
    """Angular velocity and acceleration, in the parent's axes, of (roll, pitch, yaw) and their derivatives."""
    axes = euler_zyx_axes(angles)
    x, y, z = axes[:, 0], axes[:, 1], axes[:, 2]
    roll_dot, pitch_dot, yaw_dot = rates[0], rates[1], rates[2]
    omega = x * roll_dot + y * pitch_dot + z * yaw_dot
    carried = ca.cross(z, y) * yaw_dot * pitch_dot + ca.cross(z * yaw_dot + y * pitch_dot, x) * roll_dot
    return omega, x * accelerations[0] + y * accelerations[1] + z * accelerations[2] + carried


def euler_zyx_rates(angles: Expr, omega_b: Expr) -> Expr:
    """Rates of (roll, pitch, yaw) for an angular velocity in the child's own axes; not for a pitch of 90 degrees."""
    s, c, t = ca.sin(angles[0]), ca.cos(angles[0]), ca.tan(angles[1])
    across = s * omega_b[1] + c * omega_b[2]
    return ca.vertcat(omega_b[0] + t * across, c * omega_b[1] - s * omega_b[2], across / ca.cos(angles[1]))
