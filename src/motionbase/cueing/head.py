"""Specific force and angular rates at the head of a person on the platform, from the commanded motion."""

from __future__ import annotations

from typing import NamedTuple

import casadi as ca

from motionbase.cueing.samples import GRAVITY
from motionbase.spatial.rotations import R_euler_zyx, euler_zyx_motion

SX = ca.SX


class Moving(NamedTuple):
    """The platform in a motion (6, 3) of its degrees of freedom; vectors are in W."""

    R: SX
    omega: SX
    alpha: SX
    p: SX  # of P's origin, from neutral
    v: SX
    a: SX


def moving(motion: SX) -> Moving:
    """The platform in this motion."""
    omega, alpha = euler_zyx_motion(motion[3:, 0], motion[3:, 1], motion[3:, 2])
    return Moving(R_euler_zyx(motion[3:, 0]), omega, alpha, motion[:3, 0], motion[:3, 1], motion[:3, 2])


def lever(now: Moving, r: SX) -> tuple[SX, SX, SX]:
    """Displacement from neutral, velocity and acceleration of a point r of P, less those of P's origin."""
    arm = now.R @ r
    v = ca.cross(now.omega, arm)
    return arm - r, v, ca.cross(now.alpha, arm) + ca.cross(now.omega, v)


def felt_at(now: Moving, r: SX) -> SX:
    """(6,) specific force and angular rate at the point r of P, in P's axes: what an instrument there would read."""
    _, _, a = lever(now, r)
    return ca.vertcat(now.R.T @ (now.a + a + GRAVITY), now.R.T @ now.omega)


def about(now: Moving, r: SX) -> SX:
    """(3, 3) motion of P's origin for which the point r of P moves as `now` says."""
    place, v, a = lever(now, r)
    return ca.horzcat(now.p - place, now.v - v, now.a - a)


def at(now: Moving, r: SX) -> SX:
    """(3, 3) displacement from neutral, velocity and acceleration of the point r of P, in W."""
    place, v, a = lever(now, r)
    return ca.horzcat(now.p + place, now.v + v, now.a + a)
