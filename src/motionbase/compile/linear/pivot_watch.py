"""Growth of an elimination by its pivots alone: a few operations each. Looking at every entry costs more than LU."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.compile.linear.eliminate import Step
from motionbase.compile.linear.factors import AbstractFactors, Factorization
from motionbase.compile.linear.monitors import BROKEN
from motionbase.compile.linear.ordering import Elimination, Pivot
from motionbase.compile.linear.samples import Equilibrated


def growth_by_pivots(factors: AbstractFactors) -> ca.SX:
    """Growth of LU by its pivots, at least 1; BROKEN after a division by zero. Factors of other kinds have their own.

    An update is lower times upper over a pivot. What varies by orders of magnitude is the pivot, which may pass through
    zero; the products are taken as large as in the samples. The updates are summed by squares, so that what is not a
    number stays.
    """
    if not isinstance(factors, Factorization) or factors.symmetric:
        return factors.quick_growth
    sizes = update_sizes(factors.scales, factors.pivots, factors.order.singular_samples)
    return growth_of_steps(factors.steps, sizes)


def growth_of_steps(steps: Sequence[Step], sizes: Array) -> ca.SX:
    """From the pivots of an elimination and the sizes of its updates."""
    updates = [weight * step.minus_inverse[0][0] for weight, step in zip(sizes, steps, strict=True) if weight]
    growth = ca.sqrt(1 + ca.sumsqr(ca.vertcat(*updates))) if updates else ca.SX(1)
    return ca.if_else(growth < BROKEN, growth, BROKEN)


def update_sizes(scales: Equilibrated, pivots: Sequence[Pivot], singular: Sequence[int] = ()) -> Array:
    """(steps,) largest product of lower and upper entries of each step over the samples, in units of their entries."""
    run, found = Elimination(scales, None), np.zeros(len(pivots))
    run.live[list(singular)] = False
    for k, pivot in enumerate(pivots):
        (i,), (j,) = pivot
        rows, cols = run.eliminate(pivot)
        if len(rows) and len(cols):
            lower, upper = np.abs(run.values[:, rows, j]).max(axis=1), np.abs(run.values[:, i][:, cols]).max(axis=1)
            sizes = (lower * upper)[run.live] / run.original[run.live]
            found[k] = sizes.max() / (scales.row_scale[i] * scales.col_scale[j])
    return found
