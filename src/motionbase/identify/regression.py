"""Least squares with honest uncertainty: the fit is repeated with every second of the recording left out in turn.

Residuals of a recording are correlated in time, across legs and with the motion, so the textbook covariance is far too
small. Leaving out whole blocks of time (the delete-a-group jackknife) needs no model of that correlation, and carries
over to everything computed from the parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, final

import numpy as np

from motionbase.arrays import Array, Flags, Ints

MOST_BLOCKS = 30
BLOCK_S = 1.5  # [s] at least: several times as long as residuals stay correlated
MOST_STEPS, LEAST_PART, ENOUGH = 30, 1e-3, 1e-10  # of Gauss-Newton: gain below this part of the cost ends it
SMALLEST = 1e-14  # singular values of the normal equations below this part of the largest count as zero
NORMAL_975 = 1.959963984540054


class Interval(NamedTuple):
    """A value and half the width of its 95 % interval."""

    value: float
    half: float


@final
@dataclass(frozen=True, eq=False)
class Fit:
    """Parameters, and those with each block of time left out.

    Attributes:
        theta: (p,)
        left_out: (blocks, p)
        residual: (n,) of the rows
        condition: of the scaled columns; above 1e4 or so the motion does not tell the parameters apart
    """

    theta: Array
    left_out: Array
    residual: Array
    condition: float

    @property
    def rms(self) -> float:
        """Of the residual."""
        return float(np.sqrt(np.mean(self.residual**2)))

    @cached_property
    def halves(self) -> Array:
        """(p,) half widths of the 95 % intervals."""
        return half_widths(self.left_out)

    def interval(self, function: Callable[[Array], float]) -> Interval:
        """A number computed from the parameters, with its interval."""
        each = np.array([[function(theta)] for theta in self.left_out])
        return Interval(float(function(self.theta)), float(half_widths(each)[0]))


def half_widths(left_out: Array) -> Array:
    """Half widths of the 95 % intervals, from the estimates with each block left out; infinite if there is only one."""
    blocks = len(left_out)
    if blocks < 2:
        return np.full(left_out.shape[1], np.inf)
    spread = np.sum((left_out - left_out.mean(axis=0)) ** 2, axis=0) * (blocks - 1) / blocks
    return np.asarray(student_975(blocks - 1) * np.sqrt(spread))


def student_975(freedom: int) -> float:
    """The 97.5 % quantile of Student's t (Abramowitz and Stegun 26.7.5), to 1e-3 from 6 degrees of freedom on."""
    z, n = NORMAL_975, float(freedom)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return z + sum(term / n ** (k + 1) for k, term in enumerate(terms))


def blocks_of(t: Array, least: float = BLOCK_S) -> Ints:
    """(n,) number of the block of each time: equal parts of the time with samples, at least `least` seconds each."""
    step = np.diff(t, prepend=t[0])
    usual = float(np.median(step[1:])) if len(t) > 1 else least
    worked = np.cumsum(np.clip(step, 0.0, 1.5 * usual))  # gaps do not count
    total = float(worked[-1]) + usual
    count = max(1, min(MOST_BLOCKS, int(total / least)))
    return np.asarray(np.minimum((worked / total * count).astype(np.int64), count - 1))


def least_squares(X: Array, y: Array, block: Ints) -> Fit:
    """Parameters of y = X theta; `block` numbers the block of time of each row."""
    step, left_out, condition = _solved(X, y, block)
    return Fit(step, left_out, y - X @ step, condition)


Model = Callable[[Array], tuple[Array, Array]]
"""Parameters -> (n,) what the model gives, (n, p) its derivatives."""


def gauss_newton(model: Model, y: Array, start: Array, block: Ints, low: Array, high: Array) -> Fit:
    """Parameters of y = model(theta) within bounds, by linear steps that are halved until they help.

    Those at a bound stay there in the estimates with a block left out.
    """
    theta = np.clip(start, low, high)
    given, J = model(theta)
    cost = float(np.sum((y - given) ** 2))
    for _ in range(MOST_STEPS):
        free = _free(theta, J.T @ (y - given), low, high)
        step = np.zeros_like(theta)
        step[free] = _solved(J[:, free], y - given, block)[0]
        part, better = 1.0, False
        while not better and part > LEAST_PART:
            tried = np.clip(theta + part * step, low, high)
            given_there, J_there = model(tried)
            cost_there = float(np.sum((y - given_there) ** 2))
            better = cost_there < cost
            part *= 0.5
        if not better:
            break
        gained, theta, given, J, cost = cost - cost_there, tried, given_there, J_there, cost_there
        if gained < ENOUGH * cost:
            break
    free = _free(theta, J.T @ (y - given), low, high)
    left_out = np.tile(theta, (int(block.max()) + 1, 1))
    _, steps, condition = _solved(J[:, free], y - given, block)
    left_out = left_out[: len(steps)]
    left_out[:, free] += steps
    return Fit(theta, left_out, y - given, condition)


def _free(theta: Array, downhill: Array, low: Array, high: Array) -> Flags:
    """Which parameters may move: not those at a bound that the fit pushes against."""
    return np.asarray(~((theta <= low) & (downhill <= 0)) & ~((theta >= high) & (downhill >= 0)))


def _solved(X: Array, y: Array, block: Ints) -> tuple[Array, Array, float]:
    """Least squares with all rows, and with each block left out; the condition number of the scaled columns."""
    scale = np.sqrt(np.sum(X * X, axis=0))
    scale[scale == 0] = 1.0
    Z, order = X / scale, np.argsort(block, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(block[order])) + 1)
    H = np.array([Z[part].T @ Z[part] for part in parts])
    g = np.array([Z[part].T @ y[part] for part in parts])
    whole, rhs = H.sum(axis=0), g.sum(axis=0)
    step = np.linalg.lstsq(whole, rhs, rcond=SMALLEST)[0]
    left_out = np.array([np.linalg.lstsq(whole - a, rhs - b, rcond=SMALLEST)[0] for a, b in zip(H, g, strict=True)])
    return step / scale, left_out / scale, float(np.sqrt(np.linalg.cond(whole)))
