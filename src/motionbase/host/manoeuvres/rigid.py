"""A vehicle as a rigid body: from its attitude and the acceleration of one point to what instruments in it measure."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias, final

import numpy as np

from motionbase.arrays import Array
from motionbase.host.manoeuvres.signals import Signal, signal
from motionbase.record.vehicle import G

NOTHING = signal(0.0)
ALWAYS = (-math.inf, math.inf)
Acceleration: TypeAlias = Callable[[Array], Array]
"""t -> (n, 3) over the ground"""


@final
@dataclass(frozen=True)
class Story:
    """What a vehicle does.

    Attributes:
        acceleration: t -> (n, 3) of its reference point, in axes fixed to the ground, x ahead at the start, z up
        roll, pitch, yaw: attitude (ZYX); a positive pitch lowers the nose, a positive yaw turns left [rad]
        on_ground: from when until when it is [s]
        lever: (3,) from the reference point to the pilot's head, in vehicle axes [m]
    """

    acceleration: Acceleration
    roll: Signal = NOTHING
    pitch: Signal = NOTHING
    yaw: Signal = NOTHING
    on_ground: tuple[float, float] = (math.inf, math.inf)
    lever: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def rows(self, t: Array) -> Array:
        """(n, 13) as `record.vehicle.VEHICLE` has them, at the pilot's head."""
        angles = np.stack([self.roll(t), self.pitch(t), self.yaw(t)], axis=1)
        omega, alpha = turning(t, self.roll, self.pitch, self.yaw)
        a = self.acceleration(t) + (0.0, 0.0, G)
        f = np.einsum("nji,nj->ni", attitude_matrices(angles), a)
        lever = np.asarray(self.lever)
        f = f + np.cross(alpha, lever) + np.cross(omega, np.cross(omega, lever))
        begin, end = self.on_ground
        return np.column_stack([f, omega, alpha, angles, (t >= begin) & (t < end)])


def attitude_matrices(angles: Array) -> Array:
    """(n, 3, 3) vehicle to ground, of (n, 3) roll, pitch, yaw."""
    (cr, cp, cy), (sr, sp, sy) = np.cos(angles).T, np.sin(angles).T
    return np.stack(
        [
            np.stack([cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr], axis=1),
            np.stack([sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr], axis=1),
            np.stack([-sp, cp * sr, cp * cr], axis=1),
        ],
        axis=1,
    )


def turning(t: Array, roll: Signal, pitch: Signal, yaw: Signal) -> tuple[Array, Array]:
    """(n, 3) angular rate and angular acceleration in vehicle axes."""
    r, r1, r2 = (roll(t, k) for k in range(3))
    p, p1, p2 = (pitch(t, k) for k in range(3))
    y1, y2 = yaw(t, 1), yaw(t, 2)
    sr, cr, sp, cp = np.sin(r), np.cos(r), np.sin(p), np.cos(p)
    omega = [r1 - y1 * sp, p1 * cr + y1 * sr * cp, -p1 * sr + y1 * cr * cp]
    alpha = [
        r2 - y2 * sp - y1 * p1 * cp,
        p2 * cr - p1 * r1 * sr + y2 * sr * cp + y1 * (r1 * cr * cp - p1 * sr * sp),
        -p2 * sr - p1 * r1 * cr + y2 * cr * cp - y1 * (r1 * sr * cp + p1 * cr * sp),
    ]
    return np.stack(omega, axis=1), np.stack(alpha, axis=1)


def moving(x: Signal = NOTHING, y: Signal = NOTHING, z: Signal = NOTHING) -> Acceleration:
    """Acceleration of a point with these coordinates over the ground."""
    return lambda t: np.stack([x(t, 2), y(t, 2), z(t, 2)], axis=1)


def accelerating(x: Signal = NOTHING, y: Signal = NOTHING, z: Signal = NOTHING) -> Acceleration:
    """These accelerations over the ground."""
    return lambda t: np.stack([x(t), y(t), z(t)], axis=1)


def flying(speed: Signal, climb: Signal = NOTHING, heading: Signal = NOTHING) -> Acceleration:
    """Acceleration along a path: its speed [m/s], climb angle (positive: up) and heading (positive: left) [rad]."""

    def acceleration(t: Array) -> Array:
        v, v1, g, g1, h, h1 = speed(t), speed(t, 1), climb(t), climb(t, 1), heading(t), heading(t, 1)
        sg, cg, sh, ch = np.sin(g), np.cos(g), np.sin(h), np.cos(h)
        ahead = np.stack([cg * ch, cg * sh, sg], axis=1)
        left = np.stack([-sh, ch, np.zeros_like(t)], axis=1)
        up = np.stack([-sg * ch, -sg * sh, cg], axis=1)
        return np.asarray(v1[:, None] * ahead + (v * cg * h1)[:, None] * left + (v * g1)[:, None] * up)

    return acceleration


def together(*accelerations: Acceleration) -> Acceleration:
    """Their sum."""
    return lambda t: np.asarray(np.sum(np.stack([one(t) for one in accelerations]), axis=0))
