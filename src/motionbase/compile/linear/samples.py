"""Sample values of a symbolic matrix, equilibrated: the basis for choosing the pivot order."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, final

import casadi as ca
import numpy as np

from motionbase.arrays import AnyArray, Array, Flags
from motionbase.errors import KernelError

Sample: TypeAlias = AnyArray | ca.DM | Sequence[float]

GENERIC_SAMPLES = 3
EQUILIBRATION_SWEEPS = 12


@final
@dataclass(frozen=True)
class Equilibrated:
    """The samples with rows and columns scaled to a largest entry near 1; only pivot choice and monitors use it.

    Scaling by powers of two commutes with elimination to the last bit, so the kernel itself eliminates the unscaled
    matrix and pays nothing (Bauer 1963: scaling acts on accuracy only through the choice of pivots).

    Attributes:
        values: (samples, n, n) scaled numbers
        pattern: (n, n) where the matrix may be nonzero
        row_scale, col_scale: (n,) powers of two; scaled entry = row_scale[i] * a[i, j] * col_scale[j]
    """

    values: Array
    pattern: Flags
    row_scale: Array
    col_scale: Array


def samples_at(A: ca.SX, symbols: Sequence[ca.SX], points: Sequence[Sequence[Any]]) -> list[Array]:
    """Values of A's nonzeros at the given points; a point has one value (scalar or array) for each symbol."""
    evaluate = ca.Function("samples_at", list(symbols), [A])
    for k, point in enumerate(points):
        if len(point) != len(symbols):
            raise KernelError(
                f"sample point {k} has {len(point)} values, must have {len(symbols)}, one for each symbol"
            )
    return [np.array(ca.DM(evaluate.call([ca.DM(v) for v in point])[0]).nonzeros()) for point in points]


def sample_table(A: ca.SX, samples: Sequence[Sample] | None) -> Array:
    """All samples as a (samples, nonzeros of A) table; generic ones if none are given."""
    if samples is None:
        return generic_samples(A)
    if len(samples) == 0:
        raise KernelError("samples is empty; give at least one numeric matrix, or None for generic numbers")
    table = np.array([_nonzero_values(A.sparsity(), sample, k) for k, sample in enumerate(samples)])
    for k, row in enumerate(table):
        if not np.isfinite(row).all():
            raise KernelError(f"sample {k} has entries that are not finite; every sample must be finite")
    return table


def generic_samples(A: ca.SX) -> Array:
    """Values of A at seeded random values of its own symbols, in (0.25, 0.95): inside the domain of sqrt, log, asin.

    If these are not all finite, the nonzeros themselves are random. Neither says anything about the magnitudes of the
    entries in use, so pivots that are fine here may be poor there.
    """
    rng = np.random.default_rng(0)
    symbols = ca.symvar(A)
    count = GENERIC_SAMPLES if symbols else 1
    points = [[value for value in rng.uniform(0.25, 0.95, len(symbols))] for _ in range(count)]
    table = np.array(samples_at(A, symbols, points)).reshape(count, A.nnz())
    if np.isfinite(table).all():
        return table
    return np.asarray(rng.uniform(0.5, 1.5, table.shape) * rng.choice([-1.0, 1.0], table.shape))


def equilibrate(n: int, rows: Sequence[int], cols: Sequence[int], table: Array, symmetric: bool) -> Equilibrated:
    """Scale rows and columns by powers of two until the largest entry of each, over all samples, is near 1.

    Ruiz 2001: divide by the square root of the row and column maxima, repeat. It keeps symmetry.
    """
    values, pattern = np.zeros((len(table), n, n)), np.zeros((n, n), dtype=bool)
    for i, j in ((rows, cols), (cols, rows)) if symmetric else ((rows, cols),):
        values[:, i, j], pattern[i, j] = table, True
    row_exponent, col_exponent = np.zeros(n), np.zeros(n)
    with np.errstate(divide="ignore"):
        magnitude = np.log2(np.abs(values).max(axis=0, initial=0.0))  # -inf where every sample is zero
    for _ in range(EQUILIBRATION_SWEEPS if n else 0):
        scaled = magnitude + row_exponent[:, None] + col_exponent[None, :]
        row_max, col_max = scaled.max(axis=1), scaled.max(axis=0)
        row_exponent -= 0.5 * np.where(np.isfinite(row_max), row_max, 0.0)
        col_exponent -= 0.5 * np.where(np.isfinite(col_max), col_max, 0.0)
    row_scale, col_scale = np.exp2(np.round(row_exponent)), np.exp2(np.round(col_exponent))
    return Equilibrated(values * row_scale[:, None] * col_scale, pattern, row_scale, col_scale)


def _nonzero_values(sparsity: ca.Sparsity, sample: Sample, k: int) -> Array:
    shape = sparsity.shape
    dense = np.array(ca.DM(sample).full() if isinstance(sample, ca.DM) else sample, dtype=float)
    if dense.shape == shape:
        rows, cols = (np.array(index, dtype=int) for index in sparsity.get_triplet())
        inside = np.zeros(shape, dtype=bool)
        inside[rows, cols] = True
        outside = np.argwhere((dense != 0.0) & ~inside)
        if len(outside):
            i, j = outside[0]
            raise KernelError(f"sample {k} is {dense[i, j]:g} at ({i}, {j}), where the matrix is structurally zero")
        return np.array(dense[rows, cols], dtype=float)
    if dense.size == sparsity.nnz() and dense.ndim <= 2 and dense.size == max(dense.shape, default=0):
        return dense.ravel()
    raise KernelError(
        f"sample {k} has shape {dense.shape}, must be {shape} or the {sparsity.nnz()} nonzeros of the matrix"
    )
