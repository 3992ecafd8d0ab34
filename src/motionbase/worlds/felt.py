"""Motion felt in a vehicle: a row of `record.vehicle.VEHICLE` from the motion of the vehicle's own point."""

from __future__ import annotations

import math
from collections.abc import Sequence

from motionbase.record.vehicle import G

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]


def felt(
    angles: Sequence[float], omega: Sequence[float], alpha: Sequence[float], acceleration: Sequence[float],
    eye: Sequence[float] = (0.0, 0.0, 0.0), on_ground: bool = False,
) -> tuple[float, ...]:  # fmt: skip
    """A row of 13 numbers at the eye.

    Args:
        angles: roll, pitch, yaw [rad], ZYX
        omega, alpha: angular rate and acceleration in axes of the vehicle
        acceleration: of its own point, in axes of the world
        eye: from that point, in axes of the vehicle [m]
    """
    x, y, z = acceleration
    f = to_vehicle(angles, (x, y, z + G))
    at_eye = _sum(f, cross(alpha, eye), cross(omega, cross(omega, eye)))
    roll, pitch, yaw = angles
    return (*at_eye, *omega, *alpha, roll, pitch, yaw, float(on_ground))


def held(row: Sequence[float]) -> tuple[float, ...]:
    """The row of a vehicle that is held still in the attitude of a row."""
    angles = row[9:12]
    return (*to_vehicle(angles, (0.0, 0.0, G)), *(0.0,) * 6, *angles, row[12])


def to_vehicle(angles: Sequence[float], vector: Sequence[float]) -> Vector:
    """A vector of the world in axes of the vehicle."""
    roll, pitch, yaw = angles
    x, y, z = vector
    c, s = math.cos(yaw), math.sin(yaw)
    x, y = c * x + s * y, c * y - s * x
    c, s = math.cos(pitch), math.sin(pitch)
    x, z = c * x - s * z, c * z + s * x
    c, s = math.cos(roll), math.sin(roll)
    return x, c * y + s * z, c * z - s * y


def quaternion(angles: Sequence[float]) -> Quaternion:
    """Attitude (wxyz) of roll, pitch, yaw, ZYX."""
    (cr, sr), (cp, sp), (cy, sy) = ((math.cos(a / 2), math.sin(a / 2)) for a in angles)
    return (
        cr * cp * cy + sr * sp * sy, sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
    )  # fmt: skip


def angles_of(Q: Sequence[float]) -> Vector:
    """Roll, pitch, yaw of an attitude (wxyz); pitch is within a quarter of a turn."""
    w, x, y, z = Q
    pitch = math.asin(max(-1.0, min(1.0, 2 * (w * y - x * z))))
    return math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)), pitch, math.atan2(
        2 * (w * z + x * y), 1 - 2 * (y * y + z * z)
    )  # fmt: skip


def turning(angles: Sequence[float], rates: Sequence[float], changes: Sequence[float]) -> tuple[Vector, Vector]:
    """Angular rate and acceleration in axes of the vehicle, from roll, pitch, yaw and their derivatives."""
    roll, pitch, _ = angles
    p, q, r = rates
    p2, q2, r2 = changes
    (cr, sr), (cp, sp) = (math.cos(roll), math.sin(roll)), (math.cos(pitch), math.sin(pitch))
    omega = p - r * sp, q * cr + r * sr * cp, -q * sr + r * cr * cp
    alpha = (
        p2 - r2 * sp - r * q * cp,
        q2 * cr - q * p * sr + r2 * sr * cp + r * p * cr * cp - r * q * sr * sp,
        -q2 * sr - q * p * cr + r2 * cr * cp - r * p * sr * cp - r * q * cr * sp,
    )
    return omega, alpha


def cross(a: Sequence[float], b: Sequence[float]) -> Vector:
    """The vector product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def _sum(*vectors: Sequence[float]) -> Vector:
    x, y, z = map(sum, zip(*vectors, strict=True))
    return x, y, z
