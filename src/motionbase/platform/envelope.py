"""Reach of a hexapod: limits along each degree of freedom, and the 64 extremes of its legs."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, final

import numpy as np

from motionbase.arrays import Array, Flags
from motionbase.compile import compile
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.kinematics import kinematics_of
from motionbase.record.axes import DOFS

IDENTITY = (1.0, 0.0, 0.0, 0.0)


def axis_limits(platform: Hexapod) -> Array:
    """(6, 2) smallest and largest value of each degree of freedom [m, rad] with the others at neutral.

    Along an axis the square of a leg's length is a parabola, about an axis a sine wave, so the point at which a leg
    first reaches an end of its operational stroke is known in closed form. An axis without limit ends at half a turn.
    """
    return np.array([[-_reach(platform, k, -1.0), _reach(platform, k, 1.0)] for k in range(len(DOFS))])


def _reach(platform: Hexapod, axis: int, sign: float) -> float:
    """Distance or angle at which the first leg reaches an end of its stroke, in one direction from neutral."""
    direction = np.zeros(3)
    direction[axis % 3] = sign
    b = np.asarray(platform.joints)
    a = np.asarray(platform.p_neutral) - np.asarray(platform.base)  # l^2 = |a + R b|^2
    ends = [platform.stroke.l_min, platform.stroke.l_max]
    roots = [
        _on_line(a[k] + b[k], direction, end) if axis < 3 else _on_arc(a[k], b[k], direction, end)
        for k, end in itertools.product(range(len(b)), ends)
    ]
    return float(min(roots, default=np.inf)) if axis < 3 else float(min(*roots, np.pi))


def _on_line(d: Array, direction: Array, end: float) -> float:
    """Smallest t > 0 with |d + t direction| = end; infinite if there is none."""
    half, constant = d @ direction, d @ d - end**2
    root = half**2 - constant
    if root < 0:
        return np.inf
    # numerically stable form of the two roots of t^2 + 2 half t + constant
    larger = -(half + np.copysign(np.sqrt(root), half))
    found = [t for t in (larger, constant / larger if larger else 0.0) if t > 0]
    return float(min(found, default=np.inf))


def _on_arc(a: Array, b: Array, direction: Array, end: float) -> float:
    """Smallest angle > 0 about the direction with |a + R b| = end; infinite if there is none."""
    along = direction * (b @ direction)
    across = b - along
    cosine, sine = 2 * a @ across, 2 * a @ np.cross(direction, b)
    level = end**2 - a @ a - b @ b - 2 * a @ along  # cosine cos t + sine sin t = level
    amplitude = np.hypot(cosine, sine)
    if abs(level) > amplitude:
        return np.inf
    peak, away = np.arctan2(sine, cosine), np.arccos(level / amplitude)
    return float(min((peak + away) % (2 * np.pi), (peak - away) % (2 * np.pi)))


@final
@dataclass(frozen=True, eq=False)
class Extremes:
    """The poses with every leg fully in or fully out; in row n, leg k is out if bit k of n is set.

    Attributes:
        l: (64, 6) leg lengths [m]
        p_W, Q_WP: (64, 3), (64, 4) poses
        dof: (64, 6) the same as degrees of freedom [m, rad]
        condition: (64,) characteristic condition number: largest over smallest singular value of the leg Jacobian,
            rotations scaled by `joint_radius`
        iterations: (64,) Newton steps from neutral
        converged: (64,) whether the pose has these lengths; if not, no such pose was found from neutral
    """

    l: Array
    p_W: Array
    Q_WP: Array
    dof: Array
    condition: Array
    iterations: Array
    converged: Flags


def extremes(platform: Hexapod, *, hard: bool = False) -> Extremes:
    """The 64 extremes of the operational stroke, or of the hard ends."""
    stroke = platform.stroke
    ends = (stroke.hard_min, stroke.hard_max) if hard else (stroke.l_min, stroke.l_max)
    n = 2**6
    out = (np.arange(n)[:, None] >> np.arange(6)) & 1
    l = np.where(out == 1, ends[1], ends[0])
    start = np.tile(platform.p_neutral, (n, 1)), np.tile(IDENTITY, (n, 1))
    forward, jacobian, dof_of_pose = _compiled(platform)
    found = forward.map(l=l, p_start=start[0], Q_start=start[1])
    pose = {"p_W": found["p_W"], "Q_WP": found["Q_WP"]}
    J = jacobian.map(**pose)["J"] * platform.twist_scale
    dof = dof_of_pose.map(**pose)["dof"]
    return Extremes(l, **pose, dof=dof, condition=np.linalg.cond(J), iterations=found["iterations"],
                    converged=found["converged"] == 1)  # fmt: skip


@lru_cache(maxsize=16)
def _compiled(platform: Hexapod) -> tuple[Any, Any, Any]:
    """Cached, because tracing takes far longer than the 64 poses."""
    kinematics = kinematics_of(platform)
    return compile(kinematics.forward), compile(kinematics.jacobian), compile(kinematics.dof_of_pose)
