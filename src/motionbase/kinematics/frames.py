"""Where a hexapod's parts are: a frame for the base, the platform, and each leg's crosses, cylinder and rod.

A cross has x along the first bearing and y along the second. A cylinder has y along the second bearing at the base and
z along the leg, its origin in the base joint; a rod has the same at the platform, its origin in the platform joint.
From cylinder to rod it is the rod's rotation about the leg. At neutral all four frames of a leg have the same axes,
where the platform's gimbals name no others.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias, final

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from motionbase.compile import Kernel, Port
from motionbase.kinematics.lanes import on_lanes
from motionbase.kinematics.poses import check_lengths, checked_poses
from motionbase.platform.gimbals import first_bearings
from motionbase.platform.hexapod import LEGS, Hexapod
from motionbase.platform.kinematics import POSE
from motionbase.platform.legs import legs_at, rows_cross, rows_dot
from motionbase.spatial.rotations import Expr, R_quaternion

Array: TypeAlias = NDArray[np.float64]
OF_LEGS = ("base cross", "cylinder", "rod", "platform cross")
FRAMES = ("W", "P", *(f"{kind} {leg}" for kind in OF_LEGS for leg in range(1, LEGS + 1)))
FRAME = {name: k for k, name in enumerate(FRAMES)}
LEAST = 1e-12  # of the sine between leg and first bearing: where they are in line, the second has no direction
OUTPUTS = (
    Port("R_WP", (3, 3), "-", "P in W"),
    Port("ends", (6, 3), "m", "platform joints in W"),
    *(Port(f"{kind.replace(' ', '_')}_axes", (6, 9), "-", "x, y and z in W, one after another") for kind in OF_LEGS),
)


@final
@dataclass(frozen=True, eq=False)
class Placement:
    """Of all frames at n poses, in the order of `FRAMES`.

    Attributes:
        R: (n, 26, 3, 3) axes in W, as columns
        p: (n, 26, 3) origins in W [m]
    """

    R: Array
    p: Array

    def __len__(self) -> int:
        return len(self.p)

    def T(self, frame: str) -> Array:
        """(n, 4, 4) transforms of one frame to W."""
        k = FRAME[frame]
        T = np.tile(np.eye(4), (len(self), 1, 1))
        T[:, :3, :3], T[:, :3, 3] = self.R[:, k], self.p[:, k]
        return T


def placement(platform: Hexapod, p_W: ArrayLike, Q_WP: ArrayLike) -> Placement:
    """At (n, 3) positions [m] and (n, 4) attitudes."""
    position, attitude = checked_poses(p_W, Q_WP)
    found = on_lanes(frames_kernel(platform), p_W=position, Q_WP=attitude)
    n = len(position)
    R, p = np.empty((n, len(FRAMES), 3, 3)), np.empty((n, len(FRAMES), 3))
    R[:, 0], p[:, 0] = np.eye(3), 0.0
    R[:, 1], p[:, 1] = found["R_WP"], position
    for k, kind in enumerate(OF_LEGS):
        mine = slice(2 + k * LEGS, 2 + (k + 1) * LEGS)
        axes = found[f"{kind.replace(' ', '_')}_axes"].reshape(n, LEGS, 3, 3)
        R[:, mine] = np.swapaxes(axes, 2, 3)
        p[:, mine] = np.asarray(platform.base) if k < 2 else found["ends"]
    check_lengths(platform, np.linalg.norm(found["ends"] - np.asarray(platform.base), axis=2))
    return Placement(R, p)


@lru_cache(maxsize=16)
def frames_kernel(platform: Hexapod) -> Kernel:
    """(p_W, Q_WP) -> attitude, platform joints, axes of the legs' frames."""
    base, top = (ca.DM(first_bearings(platform, end)) for end in ("base", "platform"))

    def expr(p_W: Expr, Q_WP: Expr) -> Any:
        legs, R = legs_at(platform, p_W, Q_WP), R_quaternion(Q_WP)
        ends = ca.DM(np.asarray(platform.base)) + legs.u * ca.repmat(legs.l, 1, 3)
        at_base, at_platform = _axes(base, legs.u), _axes(top @ R.T, legs.u)
        return R, ends, at_base[0], at_base[1], at_platform[1], at_platform[0]

    return Kernel("hexapod_frames", POSE, OUTPUTS, expr)


def _axes(x: Expr, u: Expr) -> tuple[Expr, Expr]:
    """(6, 9) axes of the crosses with first bearing x, and of what they carry along u."""
    across = rows_cross(u, x)
    y = across * ca.repmat(1 / ca.fmax(ca.sqrt(rows_dot(across, across)), LEAST), 1, 3)
    return ca.horzcat(x, y, rows_cross(x, y)), ca.horzcat(rows_cross(y, u), y, u)
