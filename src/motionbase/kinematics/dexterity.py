"""How evenly a platform moves and pushes in all directions at a pose: 1 where it is isotropic, 0 where it is singular.

Columns of the leg Jacobian for turns are metres, those for displacements plain numbers, so a condition number of it
depends on the unit of length. Every definition but `raw` first makes the columns alike, K = J S. The number is then
6 / sqrt(tr(K K') tr((K K')^-1)): the inverse of K's condition number by the Frobenius norm (Angeles), which is smooth
and needs no singular values. It is 1 if and only if all singular values are equal.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from motionbase.platform.hexapod import Hexapod
from motionbase.platform.legs import Legs
from motionbase.spatial.rotations import Expr, skew

Array: TypeAlias = NDArray[np.float64]
Definition: TypeAlias = Literal["characteristic", "points", "task", "raw"]
DEFINITIONS: tuple[Definition, ...] = get_args(Definition)
MEANING: dict[Definition, str] = {
    "characteristic": "turns are measured by the way of a joint at the rms radius of the platform (Angeles)",
    "points": "all motion by the velocities of the platform's joints (after Gosselin, Kim and Ryu)",
    "task": "motion by its largest rates, legs by theirs (after Stocco)",
    "raw": "metres and radians as they are: depends on the unit of length, to compare with others' numbers alone",
}
LEAST_PIVOT = 1e-30  # of the trace: what a singular pose leaves is rounding, which may have either sign


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
    """The number at a pose, 0 to 1."""
    S, J = scaling(platform, definition), legs.J
    if not _is_alike_in_all_axes(S):
        J = ca.horzcat(J[:, :3] @ R_WP, J[:, 3:] @ R_WP)
    K = J @ ca.DM(S)
    A = K @ K.T
    size = ca.trace(A)
    return ca.sqrt(36 / (size * trace_of_inverse(A, least=LEAST_PIVOT * size)))


def _is_alike_in_all_axes(S: Array) -> bool:
    """Whether it makes no difference in which axes turns and displacements are."""
    return bool(np.array_equal(S, np.diag([S[0, 0]] * 3 + [S[3, 3]] * 3)))


def trace_of_inverse(A: Expr, least: Expr) -> Expr:
    """Of a symmetric positive definite matrix: the sum of squares of L^-1, A = L L'; pivots are `least` or more."""
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
