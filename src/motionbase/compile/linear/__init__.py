"""Solve A x = b inside a kernel: sparse elimination generated once, in an order chosen from structure and samples."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import casadi as ca

from motionbase.arrays import Array
from motionbase.compile.linear import eliminate, monitors
from motionbase.compile.linear.markowitz import markowitz_order
from motionbase.compile.linear.min_degree import Precedence, min_degree_order
from motionbase.compile.linear.monitors import BROKEN, GROWTH_ALARM, RESIDUAL_ALARM
from motionbase.compile.linear.ordering import Order, Pivot
from motionbase.compile.linear.samples import Equilibrated, Sample, equilibrate, sample_table, samples_at
from motionbase.compile.linear.structure import check_structural_rank
from motionbase.errors import KernelError

__all__ = [
    "BROKEN",
    "GROWTH_ALARM",
    "RESIDUAL_ALARM",
    "THRESHOLD",
    "Factorization",
    "Pivot",
    "Precedence",
    "Sample",
    "Solution",
    "factorize",
    "samples_at",
    "solve",
]

# the usual compromise of sparsity and stability (Duff, Erisman & Reid, "Direct Methods for Sparse Matrices")
THRESHOLD = 0.1


@final
@dataclass(frozen=True)
class Solution:
    """The unknowns, and the monitors that a kernel should watch; an unused output costs nothing.

    Attributes:
        x: (n, right-hand sides)
        growth: pivot growth, 1 to about 1/threshold while the static pivots are good; alarm at GROWTH_ALARM
        residual: scaled residual, a few eps when the solve is sound; alarm at RESIDUAL_ALARM
    Either monitor is BROKEN after a division by zero or an overflow.
    """

    x: ca.SX
    growth: ca.SX
    residual: ca.SX


@final
@dataclass(frozen=True)
class Factorization:
    """Generated factors of A, for any number of right-hand sides.

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
    def growth(self) -> ca.SX:
        """Pivot growth monitor of the factors: see Solution."""
        row_scale, col_scale = self.scales.row_scale, self.scales.col_scale
        return monitors.pivot_growth(self.matrix, self.steps, row_scale, col_scale, self.symmetric)

    def solve(self, b: ca.SX, refine: int = 0) -> Solution:
        """Substitute each column of b; each refinement sweep substitutes the residual once more (Skeel 1980)."""
        n, right = len(self.scales.pattern), ca.SX(b)
        if right.shape[0] != n:
            raise KernelError(f"right-hand side has {right.shape[0]} rows, must have {n} like the matrix")
        if refine < 0:
            raise KernelError(f"refine is {refine}, must be 0 or more sweeps")
        x = self._substitute(right)
        for _ in range(refine):
            x = x + self._substitute(right - self.matrix @ x)
        return Solution(x, self.growth, monitors.scaled_residual(self.matrix, x, right, self.scales.col_scale))

    def _substitute(self, b: ca.SX) -> ca.SX:
        columns = [eliminate.scalars(ca.densify(b[:, k])) for k in range(b.shape[1])]
        solved = [ca.vertcat(*eliminate.substitute(self.steps, column, self.symmetric)) for column in columns]
        return ca.horzcat(*solved) if solved else ca.SX(b.shape)


def solve(
    A: ca.SX,
    b: ca.SX,
    samples: Sequence[Sample] | None = None,
    *,
    symmetric: bool = False,
    refine: int = 0,
    threshold: float = THRESHOLD,
    names: Sequence[str] | None = None,
) -> Solution:
    """x with A x = b as straight-line code, with its monitors; arguments as for `factorize` and its `solve`."""
    return factorize(A, samples, symmetric=symmetric, threshold=threshold, names=names).solve(b, refine)


def factorize(
    A: ca.SX,
    samples: Sequence[Sample] | None = None,
    *,
    symmetric: bool = False,
    threshold: float = THRESHOLD,
    names: Sequence[str] | None = None,
    after: Precedence | None = None,
) -> Factorization:
    """Factors of A in a fixed pivot order that suits every sample.

    Args:
        A: (n, n) matrix; if symmetric only its lower triangle is read (the upper one if that is all it has)
        samples: values of A in use, as (n, n) matrices or as vectors of A's nonzeros; `samples_at` computes them.
            Without samples, A is evaluated at random values of its symbols: harmless for positive definite systems,
            risky if entries vanish or differ by orders of magnitude in use. Then watch `growth`.
        symmetric: use LDL', about half the work of LU
        threshold: smallest acceptable pivot relative to its row or column, 0 < threshold <= 1
        names: names of the rows, for error messages
        after: for unknowns of a symmetric system, those that must be eliminated before them. The caller then
            guarantees the pivots, which are 1x1: for [[M, J'], [J, 0]] with M positive definite and J of full rank,
            every pivot of a row of J is sound once the unknowns in that row are eliminated, whatever the values

    Raises:
        SingularSystem: A is singular for all values, or in every sample, or its samples share no pivot
    """
    _check_arguments(A, threshold, names)
    _check_precedence(A.shape[0], symmetric, after)
    rows, cols, values, table = _read(A, samples, symmetric)
    n = A.shape[0]
    scaled = equilibrate(n, rows, cols, table, symmetric)
    check_structural_rank(scaled.pattern, names)
    run = eliminate.ldl if symmetric else eliminate.lu
    if symmetric:
        order = min_degree_order(scaled, threshold, names, after)
    else:
        order = markowitz_order(scaled, threshold, names)
    entries = tuple(zip(rows, cols, values, strict=True))
    steps, flops = run(entries, n, order.pivots, names)
    matrix = ca.SX.triplet(rows, cols, ca.vertcat(*values), n, n)
    return Factorization(
        symmetric=symmetric,
        order=order,
        steps=steps,
        matrix=ca.tril2symm(matrix) if symmetric else matrix,
        scales=scaled,
        flops=flops + eliminate.substitution_flops(steps, symmetric),
        fill=eliminate.factor_nonzeros(steps, symmetric),
    )


def _read(
    A: ca.SX, samples: Sequence[Sample] | None, symmetric: bool
) -> tuple[list[int], list[int], list[ca.SX], Array]:
    """Rows, columns, values and samples of the relevant nonzeros: one triangle if symmetric, no constant zeros."""
    sparsity, values = A.sparsity(), eliminate.scalars(A)
    rows, cols = sparsity.get_triplet()
    if symmetric and sparsity.is_triu():
        rows, cols = cols, rows
    wanted = [
        k
        for k, (i, j, value) in enumerate(zip(rows, cols, values, strict=True))
        if not value.is_zero() and (i >= j or not symmetric)
    ]
    table = sample_table(A, samples)[:, wanted]
    return [rows[k] for k in wanted], [cols[k] for k in wanted], [values[k] for k in wanted], table


def _check_arguments(A: ca.SX, threshold: float, names: Sequence[str] | None) -> None:
    if A.shape[0] != A.shape[1]:
        raise KernelError(f"matrix of the linear system is {A.shape[0]} by {A.shape[1]}, must be square")
    if not 0.0 < threshold <= 1.0:
        raise KernelError(f"pivot threshold is {threshold:g}, must be above 0 and at most 1")
    if names is not None and len(names) != A.shape[0]:
        raise KernelError(f"linear system has {len(names)} row names, must have {A.shape[0]}")


def _check_precedence(n: int, symmetric: bool, after: Precedence | None) -> None:
    if after is None:
        return
    if not symmetric:
        raise KernelError("an order of elimination (after) is for symmetric systems")
    for unknown, before in after.items():
        for k in (unknown, *before):
            if not 0 <= k < n:
                raise KernelError(f"order of elimination names unknown {k}, the system has {n}")
        if unknown in before:
            raise KernelError(f"order of elimination: unknown {unknown} waits for itself")
