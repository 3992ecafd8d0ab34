"""Small functions that keep values in bounds."""

from __future__ import annotations

import casadi as ca

from motionbase.spatial.rotations import Expr

TINY = 1e-30  # far below any meaningful value, far above denormal numbers, which are slow


def limited(value: Expr, limit: Expr) -> Expr:
    """The value limited to -limit .. limit."""
    return ca.fmin(ca.fmax(value, -limit), limit)


def snapped(value: Expr) -> Expr:
    """The value, or zero if it is tiny, so that no decaying state becomes denormal."""
    return ca.if_else(ca.fabs(value) < TINY, 0, value)
