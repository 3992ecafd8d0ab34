"""What the legs and joints of a hexapod do at a pose, as one kernel, and for many poses at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from motionbase.compile import Kernel, Port
from motionbase.errors import PlatformError
from motionbase.kinematics.angles import actuator_angles, base_angles, platform_angles, rod_rotation
from motionbase.kinematics.dexterity import Definition, dexterity
from motionbase.kinematics.lanes import compiled, kinematics_of, on_lanes
from motionbase.kinematics.poses import check_lengths, checked_poses, checked_rows
from motionbase.platform.forward import L
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.kinematics import POSE
from motionbase.platform.legs import legs_at
from motionbase.record.axes import DOFS
from motionbase.spatial.rotations import Expr, R_quaternion

Array: TypeAlias = NDArray[np.float64]
OUTPUTS = (
    L,
    Port("base", (6, 2), "rad", "first and second bearing at the base, from neutral"),
    Port("platform", (6, 2), "rad", "first and second bearing at the platform, from neutral"),
    Port("rotation", 6, "rad", "rod in its cylinder, about the leg, from neutral"),
    Port("actuator", (6, 2), "rad", "elevation above the horizontal, azimuth from forward to the left"),
    Port("dexterity", (), "-", "1 where all directions are alike, 0 where the pose is singular"),
)


@lru_cache(maxsize=16)
def posture_kernel(platform: Hexapod, definition: Definition = "characteristic") -> Kernel:
    """(p_W, Q_WP) -> l, base, platform, rotation, actuator, dexterity."""

    def expr(p_W: Expr, Q_WP: Expr) -> Any:
        legs, R = legs_at(platform, p_W, Q_WP), R_quaternion(Q_WP)
        return (
            legs.l,
            base_angles(platform, legs),
            platform_angles(platform, legs, R),
            rod_rotation(platform, legs, R),
            actuator_angles(legs),
            dexterity(platform, legs, R, definition),
        )

    return Kernel("hexapod_posture", POSE, OUTPUTS, expr)


@final
@dataclass(frozen=True, eq=False)
class Postures:
    """At n poses; row k is pose k.

    Attributes:
        p_W, Q_WP: (n, 3) [m], (n, 4) poses; dof: (n, 6) the same as degrees of freedom from neutral [m, rad]
        l: (n, 6) leg lengths [m]
        base, platform: (n, 6, 2) angles of the first and second bearing, from neutral [rad]
        rotation: (n, 6) of the rods in their cylinders, from neutral [rad]
        actuator: (n, 6, 2) elevation and azimuth [rad]
        dexterity: (n,) 0 to 1
    """

    p_W: Array
    Q_WP: Array
    dof: Array
    l: Array
    base: Array
    platform: Array
    rotation: Array
    actuator: Array
    dexterity: Array

    def __len__(self) -> int:
        return len(self.dexterity)


def postures(platform: Hexapod, p_W: ArrayLike, Q_WP: ArrayLike, definition: Definition = "characteristic") -> Postures:
    """At (n, 3) positions [m] and (n, 4) attitudes, all on lanes."""
    pose = dict(zip(("p_W", "Q_WP"), checked_poses(p_W, Q_WP), strict=True))
    dof = compiled(kinematics_of(platform).dof_of_pose).map(**pose)["dof"]
    found = on_lanes(posture_kernel(platform, definition), **pose)
    check_lengths(platform, found["l"])
    return Postures(**pose, dof=dof, **found)


def at_dof(platform: Hexapod, dof: ArrayLike, definition: Definition = "characteristic") -> Postures:
    """At (n, 6) degrees of freedom from neutral [m, rad]."""
    pose = compiled(kinematics_of(platform).pose_of_dof).map(dof=checked_rows("dof", dof, len(DOFS)))
    return postures(platform, pose["p_W"], pose["Q_WP"], definition)


def at_legs(platform: Hexapod, l: ArrayLike, definition: Definition = "characteristic") -> Postures:
    """At (n, 6) leg lengths [m]; each pose is looked for from the one before it, the first from neutral."""
    l = checked_rows("l", l, 6)
    forward = compiled(kinematics_of(platform).forward)
    p, Q = np.empty((len(l), 3)), np.empty((len(l), 4))
    start = {"p_start": np.asarray(platform.p_neutral), "Q_start": np.array([1.0, 0.0, 0.0, 0.0])}
    for k, lengths in enumerate(l):
        p[k], Q[k], residual, _, converged = forward(l=lengths, **start)
        if converged != 1:
            raise PlatformError(
                f"platform {platform.name!r}: no pose was found with the leg lengths of row {k + 1}, "
                f"{', '.join(f'{x:.4f}' for x in lengths)} m; the legs miss them by {float(residual):.2g} m"
            )
        start = {"p_start": p[k], "Q_start": Q[k]}
    return postures(platform, p, Q, definition)
