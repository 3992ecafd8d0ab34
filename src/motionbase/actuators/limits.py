"""Small functions that keep values in bounds."""

from __future__ import annotations

import casadi as ca

from motionbase.spatial.rotations import Expr

TINY = 1e-30  # far below any value with a meaning, far above denormal numbers, which are slow


def limited(value: Expr, limit: Expr) -> Expr:
    """Within -limit .. limit."""
    return ca.fmin(ca.fmax(value, -limit), limit)


def snapped(value: Expr) -> Expr:
    """Zero in place of what a decay leaves, so that no state fades through denormal numbers."""
    return ca.if_else(ca.fabs(value) < TINY, 0, value)
