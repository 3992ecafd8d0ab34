"""Monitors of a solve, since a kernel cannot raise: pivot growth and the scaled residual."""

from collections.abc import Mapping, Sequence

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.compile.linear.eliminate import Scalars, Step

# Reported instead of inf, nan or anything larger, so that a monitor is a plain number in float32 as well.
BROKEN = 1e30
# Growth loses log10(growth) of sixteen digits; above this a new static order should be chosen, or one per region.
GROWTH_ALARM = 1e6
# A backward stable solve leaves a few eps (2e-16); a residual a million times larger means that the solve failed.
RESIDUAL_ALARM = 1e-10


def pivot_growth(A: ca.SX, steps: Sequence[Step], row_scale: Array, col_scale: Array, symmetric: bool) -> ca.SX:
    """Largest elimination update over the largest entry of A, at least 1, in the units of the equilibrated samples.

    Wilkinson 1961 bounds the backward error by n * eps * growth; a vanishing pivot shows here at once.
    """
    updates = [_largest_update(step, row_scale, col_scale, symmetric) for step in steps if step.lower and step.upper]
    if not updates:
        return ca.SX(1)
    entries = (ca.tril(A) if symmetric else A) * ca.DM(np.outer(row_scale, col_scale))
    return ca.fmax(1, _finite_maximum(ca.vertcat(*updates), ca.mmax(ca.fabs(entries))))


def scaled_residual(A: ca.SX, x: ca.SX, b: ca.SX, col_scale: Array) -> ca.SX:
    """Largest |A x - b| over |A| |x| + |b|, row by row, over all right-hand sides; 0 if a whole row is zero.

    |x| is the largest unknown in equilibrated units. Working row by row makes the figure independent of row scaling,
    and one |x| for all unknowns avoids false alarms where the exact unknowns of a row are zero (Arioli, Demmel & Duff
    1989 on the Oettli-Prager residual).
    """
    if x.numel() == 0:
        return ca.SX(0)
    row_sums = ca.fabs(A) @ ca.DM(col_scale)
    ratios = []
    for k in range(x.shape[1]):
        size = ca.mmax(ca.fabs(x[:, k] * ca.DM(1.0 / col_scale)))
        bound = ca.densify(row_sums * size + ca.fabs(b[:, k]))
        ratios.append(ca.fabs(b[:, k] - A @ x[:, k]) / (bound + (bound == 0)))
    return _finite_maximum(ca.vertcat(*ratios), ca.SX(1))


def _largest_update(step: Step, row_scale: Array, col_scale: Array, symmetric: bool) -> ca.SX:
    """Bound on one step's updates, largest multiplier times largest entry, summed over the parts of its pivot."""
    if symmetric and step.pivot is not None:  # entries are multipliers times the pivot: half as many to examine
        return ca.sumsqr(_largest_scaled(step.lower, row_scale, 0)) * ca.fabs(step.pivot)
    parts = [
        _largest_scaled(step.lower, row_scale, part) * _largest_scaled(step.upper, col_scale, part)
        for part in range(len(step.rows))
    ]
    return ca.sum1(ca.vertcat(*parts))


def _largest_scaled(side: Mapping[int, Scalars], scale: Array, part: int) -> ca.SX:
    return ca.mmax(ca.fabs(ca.vertcat(*(values[part] for values in side.values())) * ca.DM(scale[list(side)])))


def _finite_maximum(values: ca.SX, unit: ca.SX) -> ca.SX:
    """Largest value over a unit, or BROKEN: fmax alone would ignore a nan, the sum does not."""
    return ca.if_else(ca.sum1(values) < BROKEN * unit, ca.mmax(values) / unit, BROKEN)
