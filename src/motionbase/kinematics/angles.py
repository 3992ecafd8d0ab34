"""Angles of a hexapod's joints and actuators at a pose, as expressions.

At neutral all bearing angles are zero. Seen in the axes of its joint at neutral, a leg is the third axis turned by a
about the first and then by b about the second, which the first turn has carried along:
(sin b, -sin a cos b, cos a cos b). A first bearing that is not normal to the leg at neutral has a b there, which is
taken off.
"""

from __future__ import annotations

import casadi as ca
import numpy as np

from motionbase.platform.gimbals import first_bearings, joint_frames, neutral_frames
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.legs import Legs, rows_cross, rows_dot
from motionbase.spatial.rotations import Expr


def base_angles(platform: Hexapod, legs: Legs) -> Expr:
    """(6, 2) of the first and second bearing at the base [rad]."""
    return _bearings(platform, "base", legs.u)


def platform_angles(platform: Hexapod, legs: Legs, R_WP: Expr) -> Expr:
    """(6, 2) of the first and second bearing at the platform [rad]: the leg as the platform sees it."""
    return _bearings(platform, "platform", legs.u @ R_WP)


def _bearings(platform: Hexapod, end: str, u: Expr) -> Expr:
    frames = joint_frames(platform, end)
    x, y, z = (rows_dot(ca.DM(axis), u) for axis in np.moveaxis(frames, 2, 0))
    at_neutral = np.arcsin(np.sum(frames[:, :, 0] * neutral_frames(platform)[:, :, 2], axis=1))
    second = _arcsine(x) - ca.DM(at_neutral) if getattr(platform.gimbals, f"{end}_axes") else _arcsine(x)
    return ca.horzcat(ca.atan2(-y, z), second)


def rod_rotation(platform: Hexapod, legs: Legs, R_WP: Expr) -> Expr:
    """(6, 1) of the rod in its cylinder, about the leg from base to platform, from neutral [rad].

    The cylinder's bearing is normal to the leg u and to the base's first bearing x, the rod's to u and to the
    platform's first bearing y. The angle from u x x to u x y about u has the sine u . (x x y) and the cosine
    x . y - (u . x) (u . y), both up to the same positive factor. At neutral x and y are the same, or the angle between
    them there is taken off.
    """
    base, top = (first_bearings(platform, end) for end in ("base", "platform"))
    x, y = ca.DM(base), ca.DM(top) @ R_WP.T
    sine = rows_dot(legs.u, rows_cross(x, y))
    cosine = rows_dot(x, y) - rows_dot(legs.u, x) * rows_dot(legs.u, y)
    if not platform.gimbals.base_axes and not platform.gimbals.platform_axes:
        return ca.atan2(sine, cosine)
    u = neutral_frames(platform)[:, :, 2]
    before = np.arctan2(
        np.sum(u * np.cross(base, top), axis=1),
        np.sum(base * top, axis=1) - np.sum(u * base, axis=1) * np.sum(u * top, axis=1),
    )
    s, c = ca.DM(np.sin(before)), ca.DM(np.cos(before))
    return ca.atan2(sine * c - cosine * s, cosine * c + sine * s)


def actuator_angles(legs: Legs) -> Expr:
    """(6, 2) elevation of the legs above the horizontal, and azimuth from forward, to the left [rad]."""
    x, y, z = (legs.u[:, k] for k in range(3))
    return ca.horzcat(_arcsine(z), ca.atan2(y, x))


def _arcsine(x: Expr) -> Expr:
    """Of a component of a unit vector, which rounding may have made a little longer than 1."""
    return ca.asin(ca.fmax(-1, ca.fmin(1, x)))
