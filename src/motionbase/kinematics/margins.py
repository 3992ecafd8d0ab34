"""How far a pose is from what limits a hexapod: strokes, bearings, and legs that would touch."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from typing import Any

import casadi as ca
import numpy as np

from motionbase.compile import Kernel, Port
from motionbase.kinematics.angles import base_angles, platform_angles
from motionbase.kinematics.dexterity import dexterity
from motionbase.platform.gimbals import Gimbals
from motionbase.platform.hexapod import LEGS, Hexapod
from motionbase.platform.kinematics import POSE
from motionbase.platform.legs import legs_at
from motionbase.spatial.rotations import Expr, R_quaternion

OUTPUTS = (
    Port("stroke", (), "m", "left of the operational stroke, of the leg that has least; below 0 outside"),
    Port("bearings", (), "rad", "left of the bearings' range, of the one that has least; below 0 outside"),
    Port("apart", (), "m", "between the axes of the two legs that are nearest"),
    Port("dexterity", (), "-", "of the pose"),
)


@lru_cache(maxsize=16)
def margins_kernel(platform: Hexapod, gimbals: Gimbals) -> Kernel:
    """(p_W, Q_WP) -> stroke, bearings, apart, dexterity."""
    stroke, base = platform.stroke, ca.DM(np.asarray(platform.base))

    def expr(p_W: Expr, Q_WP: Expr) -> Any:
        legs, R = legs_at(platform, p_W, Q_WP), R_quaternion(Q_WP)
        ends = base + legs.u * ca.repmat(legs.l, 1, 3)
        return (
            ca.fmin(ca.mmin(legs.l) - stroke.l_min, stroke.l_max - ca.mmax(legs.l)),
            ca.fmin(
                _least(base_angles(platform, legs), gimbals.base),
                _least(platform_angles(platform, legs, R), gimbals.platform),
            ),
            nearest([(base[k, :].T, ends[k, :].T) for k in range(LEGS)]),
            dexterity(platform, legs, R),
        )

    return Kernel("hexapod_margins", POSE, OUTPUTS, expr)


def _least(angles: Expr, limits: tuple[float, float]) -> Expr:
    first, second = (limit - ca.mmax(ca.fabs(angles[:, k])) for k, limit in enumerate(limits))
    return ca.fmin(first, second)


def nearest(segments: list[tuple[Expr, Expr]]) -> Expr:
    """The least distance between any two segments, each by its ends [m]."""
    squares = [_square_distance(*one, *other) for one, other in combinations(segments, 2)]
    return ca.sqrt(ca.mmin(ca.vertcat(*squares)))


def _square_distance(a: Expr, b: Expr, c: Expr, d: Expr) -> Expr:
    """Between segments ab and cd: the best place on one for the other, each held to its ends.

    With s on ab of the lines' common normal, held to its segment, t on cd nearest to it, held, and s once more for
    that t: both are best for each other, and the square of a distance is convex, so no other pair is nearer.
    """
    along, other, between = b - a, d - c, a - c
    aa, oo, ao = ca.dot(along, along), ca.dot(other, other), ca.dot(along, other)
    ab, ob = ca.dot(along, between), ca.dot(other, between)
    rest = ca.fmax(aa * oo - ao**2, 1e-12 * aa * oo)  # parallel: any s serves
    s = _held((ao * ob - ab * oo) / rest)
    t = _held((ao * s + ob) / oo)
    s = _held((ao * t - ab) / aa)
    return ca.sumsqr(between + s * along - t * other)


def _held(share: Expr) -> Expr:
    return ca.fmax(0, ca.fmin(1, share))
