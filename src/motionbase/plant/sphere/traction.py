"""Forces along the rollers: they grip, or they slide at the friction limit.

Over a step, the sliding speeds at its end are u = u_free + B f. The forces satisfy |f_i| <= limit_i, with u_i = 0 if
the force is below its limit, and u_i against the force if it is at the limit: a box-constrained problem with a
symmetric positive definite B, as in time stepping of non-smooth contact (Moreau; Jean). Elimination gives the forces
that grip everywhere; clipped to the limits they start projected Gauss-Seidel sweeps. If nothing slips, the sweeps
change nothing, so gripping is exact to rounding.
"""

from __future__ import annotations

import math

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.compile import repeat
from motionbase.compile.linear import Factorization
from motionbase.spatial.rotations import Expr

SHRINKAGE = 1e-9  # reduction of the force error by the sweeps, at their rate of convergence without limits
MOST_SWEEPS = 40


def sweeps_for(B: Array) -> int:
    """How many sweeps a platform needs; few if the wheels are light compared with the sphere.

    For forces of thousands of newtons the remaining error is at most 1e-6 N, with three to five wheels.
    """
    rate = float(np.abs(np.linalg.eigvals(np.eye(len(B)) - np.linalg.solve(np.tril(B), B))).max())
    return min(max(math.ceil(math.log(SHRINKAGE) / math.log(rate)), 4), MOST_SWEEPS) if 0 < rate < 1 else MOST_SWEEPS


def traction(B: Expr, factors: Factorization, u_free: Expr, limit: Expr, sweeps: int) -> Expr:
    """(n,) forces [N].

    Args:
        B: (n, n) sliding speed at the end of the step per newton [m/(N s)]
        factors: factorization of B
        u_free: (n,) sliding speeds at the end of the step without the forces [m/s]
        limit: (n,) limits of the forces, 0 or above [N]
    """
    held = _within(factors.solve(-u_free).x, limit)
    per_diagonal = 1 / ca.diag(B)

    def sweep(f: Expr) -> Expr:
        for i in range(B.shape[0]):
            better = _within(f[i] - (u_free[i] + ca.dot(B[i, :].T, f)) * per_diagonal[i], limit[i])
            f = ca.vertcat(f[:i], better, f[i + 1 :])
        return f

    return repeat(sweeps, sweep, held)


def _within(f: Expr, limit: Expr) -> Expr:
    return ca.fmin(ca.fmax(f, -limit), limit)
