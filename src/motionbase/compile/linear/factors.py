"""Factors of a matrix inside a kernel, and the solutions that they give."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import final

import casadi as ca

from motionbase.arrays import Array
from motionbase.compile.linear import eliminate, monitors
from motionbase.compile.linear.ordering import Order, Pivot
from motionbase.compile.linear.samples import Equilibrated
from motionbase.errors import KernelError


@final
@dataclass(frozen=True, eq=False)
class Solution:
    """The unknowns, and the monitors that a kernel should watch; what is not asked for costs nothing.

    Attributes:
        x: (n, right-hand sides)
    Either monitor is BROKEN after a division by zero or an overflow.
    """

    x: ca.SX
    factors: AbstractFactors
    right: ca.SX

    @property
    def growth(self) -> ca.SX:
        """Pivot growth, 1 to about 1/threshold while the static pivots are good; alarm at GROWTH_ALARM."""
        return self.factors.growth

    @cached_property
    def residual(self) -> ca.SX:
        """Scaled residual, a few eps when the solve is sound; alarm at RESIDUAL_ALARM."""
        return monitors.scaled_residual(self.factors.matrix, self.x, self.right, self.factors.col_scale)


class AbstractFactors(ABC):
    """Factors of A for any number of right-hand sides.

    Attributes:
        matrix: A
        flops: operations of the factorization and one substitution
    """

    matrix: ca.SX
    flops: int

    @property
    @abstractmethod
    def col_scale(self) -> Array:
        """(n,) units of the unknowns, from the equilibration of the samples."""

    @property
    @abstractmethod
    def sample_growth(self) -> float:
        """Pivot growth over the samples from which the order was chosen."""

    @property
    @abstractmethod
    def growth(self) -> ca.SX:
        """Pivot growth monitor: see Solution."""

    @property
    def quick_growth(self) -> ca.SX:
        """Growth for who looks at it in every step: the monitor itself, unless there is a cheaper one."""
        return self.growth

    @abstractmethod
    def substitute(self, b: ca.SX) -> ca.SX:
        """The unknowns for one right-hand side, a dense column."""

    def solve(self, b: ca.SX, refine: int = 0) -> Solution:
        """Substitute each column of b; each refinement sweep substitutes the residual once more (Skeel 1980)."""
        n, right = self.matrix.shape[0], ca.SX(b)
        if right.shape[0] != n:
            raise KernelError(f"right-hand side has {right.shape[0]} rows, must have {n} like the matrix")
        if refine < 0:
            raise KernelError(f"refine is {refine}, must be 0 or more sweeps")
        x = self._columns(right)
        for _ in range(refine):
            x = x + self._columns(right - self.matrix @ x)
        return Solution(x, self, right)

    def _columns(self, b: ca.SX) -> ca.SX:
        solved = [self.substitute(ca.densify(b[:, k])) for k in range(b.shape[1])]
        return ca.horzcat(*solved) if solved else ca.SX(b.shape)


@final
@dataclass(frozen=True, eq=False)
class Factorization(AbstractFactors):
    """Generated factors of A: straight-line code.

    Attributes:
        symmetric: LDL' of the lower triangle, rather than LU
        order: the pivots, the samples found to be singular, and the growth over the others
        steps: the factors as SX scalars
        matrix: A, both triangles
        scales: equilibration of the samples, the units of the monitors
        flops: operations of the factorization and one substitution, before constants are folded
        fill: nonzeros in the factors (one triangle if symmetric), pivots included
    """

    symmetric: bool
    order: Order
    steps: tuple[eliminate.Step, ...]
    matrix: ca.SX
    scales: Equilibrated
    flops: int
    fill: int

    @property
    def pivots(self) -> tuple[Pivot, ...]:
        """Equations and unknowns of each step; LDL' has two of each for a 2x2 pivot."""
        return self.order.pivots

    @property
    def col_scale(self) -> Array:
        """Of the unknowns."""
        return self.scales.col_scale

    @property
    def sample_growth(self) -> float:
        """Of the order."""
        return self.order.sample_growth

    @cached_property
    def growth(self) -> ca.SX:
        """Pivot growth monitor of the factors: see Solution."""
        row_scale, col_scale = self.scales.row_scale, self.scales.col_scale
        return monitors.pivot_growth(self.matrix, self.steps, row_scale, col_scale, self.symmetric)

    def substitute(self, b: ca.SX) -> ca.SX:
        """Forward, then back."""
        return ca.vertcat(*eliminate.substitute(self.steps, eliminate.scalars(b), self.symmetric))
