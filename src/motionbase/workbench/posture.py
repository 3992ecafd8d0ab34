"""Angles of legs and joints, and dexterity, of a hexapod at a pose; one kernel for many poses.

At neutral all bearing angles are zero. In the axes of its joint at neutral, a leg is the third axis turned by a about
the first and then by b about the second, which has turned with the first: (sin b, -sin a cos b, cos a cos b). If the
first bearing is not normal to the leg at neutral, its b there is subtracted.

Dexterity measures how evenly a platform moves and pushes in all directions: 1 if isotropic, 0 if singular. In the leg
Jacobian, columns of rotations are metres and columns of displacements are numbers, so its condition number depends on
the unit of length. Every definition but `raw` first scales the columns, K = J S. Dexterity is then
6 / sqrt(tr(K K') tr((K K')^-1)), the inverse of K's condition number in the Frobenius norm (Angeles), which is smooth
and needs no singular values. It is 1 if and only if all singular values are equal.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, TypeAlias, final, get_args

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array
from motionbase.compile import Kernel, Port
from motionbase.errors import PlatformError
from motionbase.platform.forward import L
from motionbase.platform.gimbals import first_bearings, joint_frames, neutral_frames
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.kinematics import POSE, kinematics_of
from motionbase.platform.legs import Legs, legs_at, rows_cross, rows_dot
from motionbase.platform.sizing.architecture import conditions_of
from motionbase.record.axes import DOFS
from motionbase.spatial.rotations import Expr, R_quaternion, skew
from motionbase.workbench.poses import check_lengths, checked_poses, checked_rows, compiled, on_lanes

OUTPUTS = (
    L,
    Port("base", (6, 2), "rad", "first and second bearing at the base, from neutral"),
    Port("platform", (6, 2), "rad", "first and second bearing at the platform, from neutral"),
    Port("rotation", 6, "rad", "rod in its cylinder, about the leg, from neutral"),
    Port("actuator", (6, 2), "rad", "elevation above the horizontal, azimuth from forward to the left"),
    Port("dexterity", (), "-", "1 where all directions are alike, 0 where the pose is singular"),
)
Definition: TypeAlias = Literal["characteristic", "points", "task", "raw"]
DEFINITIONS: tuple[Definition, ...] = get_args(Definition)
DEXTERITIES: dict[Definition, str] = {
    "characteristic": "turns are measured by the way of a joint at the rms radius of the platform (Angeles)",
    "points": "all motion by the velocities of the platform's joints (after Gosselin, Kim and Ryu)",
    "task": "motion by its largest rates, legs by theirs (after Stocco)",
    "raw": "metres and radians as they are: depends on the unit of length, to compare with others' numbers alone",
}
LEAST_PIVOT = 1e-30  # of the trace: at a singular pose a pivot is rounding of either sign


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
    """Postures at n poses; row k is pose k.

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

    def facts(self) -> dict[str, Any]:
        """The postures as JSON data, in metres and radians, one row per pose."""
        parts = ("dof", "l", "base", "platform", "rotation", "actuator", "dexterity")
        return {part: getattr(self, part).tolist() for part in parts}


def postures(platform: Hexapod, p_W: ArrayLike, Q_WP: ArrayLike, definition: Definition = "characteristic") -> Postures:
    """Postures at (n, 3) positions [m] and (n, 4) attitudes, computed on lanes."""
    pose = dict(zip(("p_W", "Q_WP"), checked_poses(p_W, Q_WP), strict=True))
    dof = compiled(kinematics_of(platform).dof_of_pose).map(**pose)["dof"]
    found = on_lanes(posture_kernel(platform, definition), **pose)
    check_lengths(platform, found["l"])
    return Postures(**pose, dof=dof, **found)


def at_dof(platform: Hexapod, dof: ArrayLike, definition: Definition = "characteristic") -> Postures:
    """Postures at (n, 6) degrees of freedom from neutral [m, rad]."""
    pose = compiled(kinematics_of(platform).pose_of_dof).map(dof=checked_rows("dof", dof, len(DOFS)))
    return postures(platform, pose["p_W"], pose["Q_WP"], definition)


def at_legs(platform: Hexapod, l: ArrayLike, definition: Definition = "characteristic") -> Postures:
    """Postures at (n, 6) leg lengths [m]; each pose is searched from the one before it, the first from neutral."""
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


def base_angles(platform: Hexapod, legs: Legs) -> Expr:
    """(6, 2) angles of the first and second bearing at the base [rad]."""
    return _bearings(platform, "base", legs.u)


def platform_angles(platform: Hexapod, legs: Legs, R_WP: Expr) -> Expr:
    """(6, 2) angles of the first and second bearing at the platform [rad], from the leg in platform axes."""
    return _bearings(platform, "platform", legs.u @ R_WP)


def _bearings(platform: Hexapod, end: str, u: Expr) -> Expr:
    frames = joint_frames(platform, end)
    x, y, z = (rows_dot(ca.DM(axis), u) for axis in np.moveaxis(frames, 2, 0))
    at_neutral = np.arcsin(np.sum(frames[:, :, 0] * neutral_frames(platform)[:, :, 2], axis=1))
    second = _arcsine(x) - ca.DM(at_neutral) if getattr(platform.gimbals, f"{end}_axes") else _arcsine(x)
    return ca.horzcat(ca.atan2(-y, z), second)


def rod_rotation(platform: Hexapod, legs: Legs, R_WP: Expr) -> Expr:
    """(6, 1) rotation of the rod in its cylinder, about the leg from base to platform, from neutral [rad].

    The cylinder's bearing is normal to the leg u and to the base's first bearing x, the rod's to u and to the
    platform's first bearing y. The angle from u x x to u x y about u has the sine u . (x x y) and the cosine
    x . y - (u . x) (u . y), both up to the same positive factor. At neutral x and y are equal, or the angle between
    them there is subtracted.
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
    """Arcsine of a component of a unit vector, which rounding may have made slightly larger than 1."""
    return ca.asin(ca.fmax(-1, ca.fmin(1, x)))


def scaling(platform: Hexapod, definition: Definition) -> Array:
    """(6, 6) S of K = J S, angular columns first, for platform axes."""
    joints = np.asarray(platform.joints)
    if definition == "characteristic":
        return np.diag(platform.twist_scale)
    if definition == "points":
        # velocities of all joints are G (omega, v), so J G^+ takes them to leg rates; J G^+ G^+' J' = J (G'G)^-1 J'
        G = np.vstack([np.hstack([-np.array(skew(ca.DM(b))), np.eye(3)]) for b in joints])
        return np.asarray(np.linalg.cholesky(np.linalg.inv(G.T @ G)))
    if definition == "task":
        rates = np.asarray(platform.limits.velocity)
        return np.diag(np.concatenate([rates[3:], rates[:3]])) / platform.limits.leg_velocity
    return np.eye(6)


def dexterity(platform: Hexapod, legs: Legs, R_WP: Expr, definition: Definition = "characteristic") -> Expr:
    """Dexterity at a pose, 0 to 1."""
    S, J = scaling(platform, definition), legs.J
    if not _is_alike_in_all_axes(S):
        J = ca.horzcat(J[:, :3] @ R_WP, J[:, 3:] @ R_WP)
    K = J @ ca.DM(S)
    A = K @ K.T
    size = ca.trace(A)
    return ca.sqrt(36 / (size * trace_of_inverse(A, least=LEAST_PIVOT * size)))


def _is_alike_in_all_axes(S: Array) -> bool:
    """Whether a scaling does not depend on the axes of rotations and displacements."""
    return bool(np.array_equal(S, np.diag([S[0, 0]] * 3 + [S[3, 3]] * 3)))


def trace_of_inverse(A: Expr, least: Expr) -> Expr:
    """Trace of the inverse of a positive definite A = L L': sum of squares of L^-1; pivots are at least `least`."""
    n = A.shape[0]
    L = [[ca.SX(0)] * n for _ in range(n)]
    inverse = [[ca.SX(0)] * n for _ in range(n)]
    total = ca.SX(0)
    for i in range(n):
        for j in range(i):
            L[i][j] = (A[i, j] - sum((L[i][k] * L[j][k] for k in range(j)), ca.SX(0))) * inverse[j][j]
        pivot = A[i, i] - sum((L[i][k] ** 2 for k in range(i)), ca.SX(0))
        inverse[i][i] = 1 / ca.sqrt(ca.fmax(pivot, least))
        for j in range(i):
            inverse[i][j] = -inverse[i][i] * sum((L[i][k] * inverse[k][j] for k in range(j, i)), ca.SX(0))
        total += sum((inverse[i][j] ** 2 for j in range(i + 1)), ca.SX(0))
    return total


def condition_numbers(platform: Hexapod, p_W: Array, Q_WP: Array) -> Array:
    """(n,) ratios of largest to least singular value of the leg Jacobian, with rotations scaled by `joint_radius`."""
    return conditions_of(platform, on_lanes(kinematics_of(platform).jacobian, p_W=p_W, Q_WP=Q_WP)["J"])
