"""Dense LU factors with row exchanges inside a program: sound for any regular matrix, in bounded time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.compile.linear.dense_routines import dense_lu, dense_solve
from motionbase.compile.linear.eliminate import scalars
from motionbase.compile.linear.factors import AbstractFactors
from motionbase.compile.tracing import tracing
from motionbase.errors import KernelError

# Measured on one loaded machine, best of several: dense factors 0.06 to 0.10 ns a flop from 60 to 240 equations, since
# their loops run on the lanes of a register; generated ones 0.75 ns (3019 flops in 2.26 us, monitors included).
GENERATED_NS, DENSE_NS = 0.75, 0.08
MOST_DENSE = 450  # equations: factors on the stack, below the limit of `compile.stack`


@final
@dataclass(frozen=True, eq=False)
class DenseFactorization(AbstractFactors):
    """Factors by scaled partial pivoting, as arrays of the program.

    Attributes:
        lu, exchanges: as `dense_lu` gives them
    """

    matrix: ca.SX
    lu: ca.SX
    exchanges: ca.SX
    measured: ca.SX

    @property
    def col_scale(self) -> Array:
        """Unknowns are not scaled."""
        return np.ones(self.matrix.shape[0])

    @property
    def flops(self) -> int:  # type: ignore[override]
        """As many as of any dense matrix."""
        return dense_flops(self.matrix.shape[0])

    @property
    def sample_growth(self) -> float:
        """Pivots are chosen at run time."""
        return 1.0

    @property
    def growth(self) -> ca.SX:
        """Largest entry of U over the largest of its row in A."""
        return self.measured

    def substitute(self, b: ca.SX) -> ca.SX:
        """Exchange, forward, back."""
        return ca.SX(dense_solve(self.matrix.shape[0])(self.lu, self.exchanges, b))


def factorize_dense(A: ca.SX) -> DenseFactorization:
    """Factors of A by loops over arrays, in a program; code size does not depend on the number of equations."""
    n = A.shape[0]
    if tracing() is None:
        raise KernelError("dense factors are loops over arrays, which a kernel cannot have: call them in a program")
    if n > MOST_DENSE:
        raise KernelError(f"dense factors of {n} equations: at most {MOST_DENSE} fit on the stack")
    rows, cols = A.sparsity().get_triplet()
    places = tuple(n * j + i for i, j in zip(rows, cols, strict=True))
    lu, exchanges, growth = dense_lu(n, places)(ca.vertcat(*scalars(A)))
    return DenseFactorization(A, lu, exchanges, growth)


def dense_is_cheaper(n: int, flops: int) -> bool:
    """Whether loops over all n x n entries take less time than generated code of so many operations."""
    return n <= MOST_DENSE and DENSE_NS * dense_flops(n) < GENERATED_NS * flops


def dense_flops(n: int) -> int:
    """Operations of factors and one solution."""
    return 2 * n**3 // 3 + 2 * n**2
