"""Solve A x = b inside a kernel: sparse elimination generated once, in an order chosen from structure and samples."""

from collections.abc import Sequence

import casadi as ca
import numpy as np

from motionbase.arrays import Array, Flags
from motionbase.compile.linear import eliminate
from motionbase.compile.linear.blocks import (
    BlockFactorization,
    Pattern,
    eliminated,
    equal_families,
    factored,
    remaining,
    schur_complement,
    without_blocks,
)
from motionbase.compile.linear.dense import MOST_DENSE, dense_is_cheaper, factorize_dense
from motionbase.compile.linear.factors import AbstractFactors, Factorization, Solution
from motionbase.compile.linear.markowitz import markowitz_order
from motionbase.compile.linear.min_degree import Precedence, min_degree_order
from motionbase.compile.linear.monitors import BROKEN, GROWTH_ALARM, RESIDUAL_ALARM
from motionbase.compile.linear.ordering import Pivot
from motionbase.compile.linear.samples import Sample, equilibrate, sample_table, samples_at
from motionbase.compile.linear.structure import check_structural_rank
from motionbase.errors import KernelError, NoCommonPivot

__all__ = [
    "BROKEN",
    "GROWTH_ALARM",
    "MOST_DENSE",
    "RESIDUAL_ALARM",
    "THRESHOLD",
    "AbstractFactors",
    "Factorization",
    "Pivot",
    "Precedence",
    "Sample",
    "Solution",
    "factorize",
    "factorize_blocks",
    "factorize_dense",
    "factorize_soundly",
    "samples_at",
    "solve",
]

# the usual compromise of sparsity and stability (Duff, Erisman & Reid, "Direct Methods for Sparse Matrices")
THRESHOLD = 0.1


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


def factorize_blocks(
    A: ca.SX,
    samples: Sequence[Sample],
    blocks: Sequence[Sequence[Sequence[int]]],
    *,
    threshold: float = THRESHOLD,
    names: Sequence[str] | None = None,
) -> AbstractFactors:
    """Factors of A by families of blocks of equal structure, each family by one routine; see `blocks`.

    In a program the routine is called in a loop, which may run on the lanes of a register. Families whose blocks differ
    or are coupled with each other are eliminated with the rest; if there is no other, this is `factorize`.

    Args:
        blocks: families of blocks, each given by its rows, which are its columns too, in the same order
    """
    _check_arguments(A, threshold, names)
    rows, cols, values, table = _read(A, samples, False)
    n, pattern = A.shape[0], Pattern.of(rows, cols)
    families = equal_families(pattern, blocks, n)
    if not families:
        return factorize(A, samples, threshold=threshold, names=names)
    numbers = np.zeros((len(table), n, n))
    numbers[:, rows, cols] = table
    check_structural_rank((numbers != 0.0).any(axis=0), names)
    chosen = [eliminated(family, numbers, threshold, names) for family in families]
    entries = dict(zip(zip(rows, cols, strict=True), values, strict=True))
    loops, flops = zip(*(factored(of, entries) for of in chosen), strict=True)
    rest_rows, rest_cols = remaining(n, chosen)
    E = schur_complement(entries, loops, rest_rows, rest_cols)
    found = without_blocks(numbers, chosen, rest_rows, rest_cols)
    rest_names = None if names is None else [names[i] for i in rest_rows]
    rest = factorize(E, [np.where(_nonzeros(E), s, 0.0) for s in found], threshold=threshold, names=rest_names)
    return BlockFactorization(A, loops, rest, rest_rows, rest_cols, sum(flops) + rest.flops)


def factorize_soundly(
    A: ca.SX, samples: Sequence[Sample], blocks: Sequence[Sequence[Sequence[int]]] = (), *,
    names: Sequence[str] | None = None,
) -> AbstractFactors:  # fmt: skip
    """Factors of A in a program: generated ones, or dense ones where these are sound or quick and the others are not.

    Dense factors are taken where no fixed order of pivots is good at all samples, and where the generated code would be
    so long that loops over all entries take less time.
    """
    if len(A.sparsity().get_triplet()[0]) == 0 or A.shape[0] > MOST_DENSE:
        return factorize_blocks(A, samples, blocks, names=names)
    try:
        found = factorize_blocks(A, samples, blocks, names=names)
    except NoCommonPivot:
        return factorize_dense(A)
    poor = found.sample_growth > GROWTH_ALARM or dense_is_cheaper(A.shape[0], found.flops)
    return factorize_dense(A) if poor else found


def _nonzeros(A: ca.SX) -> Flags:
    return np.array(ca.DM(A.sparsity(), 1).full(), dtype=bool)


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
