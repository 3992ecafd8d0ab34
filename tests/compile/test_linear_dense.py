"""Dense factors as loops over arrays: against NumPy, on all targets to the bit, on lanes."""

from __future__ import annotations

from typing import Literal

import casadi as ca
import numpy as np
import pytest

from motionbase.arrays import Array
from motionbase.compile import Kernel, Port, Program, compile
from motionbase.compile.linear import BROKEN, factorize, factorize_dense, factorize_soundly
from motionbase.compile.linear.dense import MOST_DENSE, DenseFactorization, dense_is_cheaper
from motionbase.errors import KernelError

EPS = float(np.finfo(float).eps)
N = 24


def system(A: Array, dense: bool = True, name: str = "dense") -> Program:
    """Solves for matrices with the nonzeros of A."""
    pattern = ca.sparsify(ca.DM(A != 0)).sparsity()

    def expr(nz: ca.SX, b: ca.SX) -> tuple[ca.SX, ca.SX, ca.SX]:
        matrix = ca.SX(pattern, nz)
        solution = (factorize_dense(matrix) if dense else factorize(matrix)).solve(b)
        return solution.x, solution.growth, solution.residual

    ports = Port("nz", pattern.nnz()), Port("b", len(A))
    return Program(name, ports, (Port("x", len(A)), Port("growth"), Port("residual")), expr)


def nonzeros(A: Array) -> Array:
    """Column by column, as CasADi has them."""
    return np.asarray(A.T[A.T != 0])


def matrices() -> dict[str, Array]:
    rng = np.random.default_rng(7)
    plain = rng.standard_normal((N, N))
    sparse = np.where(rng.random((N, N)) < 0.3, plain, 0.0) + np.diag(rng.uniform(0.5, 1.0, N))
    return {
        "random": plain,
        "rows badly scaled": plain * 10.0 ** rng.uniform(-12, 12, N)[:, None],
        "permuted": sparse[rng.permutation(N)],
        "zero diagonal": plain - np.diag(np.diag(plain)),
        "saddle": np.block([[np.eye(16), plain[:16, :8]], [plain[:16, :8].T, np.zeros((8, 8))]]),
    }


@pytest.mark.parametrize("name", list(matrices()))
def test_solutions_are_those_of_numpy(name: str) -> None:
    A = matrices()[name]
    b = np.random.default_rng(1).standard_normal(len(A))
    x, growth, residual = compile(system(A))(nz=nonzeros(A), b=b)
    right = np.linalg.solve(A, b)
    # Higham: n eps growth cond, of the matrix with rows of one size, which partial pivoting then does not see
    even = A / np.abs(A).max(axis=1, keepdims=True)
    bound = 10 * N * EPS * float(growth) * np.linalg.cond(even, np.inf)
    assert np.abs(x - right).max() <= bound * np.abs(right).max()
    assert 1.0 <= growth < 10.0 and residual < 100 * EPS


@pytest.mark.parametrize("n", [1, 2, 5])
def test_small_ones_too(n: int) -> None:
    A = np.random.default_rng(n).standard_normal((n, n))
    x, _, residual = compile(system(A))(nz=nonzeros(A), b=np.ones(n))
    np.testing.assert_allclose(A @ np.atleast_1d(x), np.ones(n), atol=1e-12)
    assert residual < 10 * EPS


@pytest.mark.parametrize("target", ["python", "c"])
def test_every_target_gives_the_same_bits(target: Literal["python", "c"]) -> None:
    for A in matrices().values():
        b = np.linspace(-1.0, 1.0, N)
        for of in (system(A),):
            machine = compile(of)(nz=nonzeros(A), b=b)
            other = compile(of, target)(nz=nonzeros(A), b=b)
            for one, two in zip(machine, other, strict=True):
                np.testing.assert_array_equal(one, two)


def test_lanes_exchange_rows_of_their_own() -> None:
    A = matrices()["random"]
    rng = np.random.default_rng(3)
    many = [A[rng.permutation(N)] for _ in range(4)]  # pivots are in other rows on every lane
    b = rng.standard_normal((N, 4))
    x, growth, _ = compile(system(A), lanes=4)(nz=np.stack([nonzeros(m) for m in many], axis=-1), b=b)
    for lane, matrix in enumerate(many):
        alone = compile(system(A))(nz=nonzeros(matrix), b=b[:, lane])
        np.testing.assert_array_equal(x[:, lane], alone[0])
        assert growth[lane] == alone[1]


def test_a_singular_matrix_is_reported_by_the_monitor() -> None:
    A = matrices()["random"].copy()
    A[3] = 0.0
    A[3, 3] = 1e-300  # so that it is among the nonzeros
    for value in (0.0, np.nan):
        nz = nonzeros(A)
        nz[nz == 1e-300] = value
        assert compile(system(A))(nz=nz, b=np.ones(N))[1] == BROKEN


def test_dense_factors_are_taken_where_no_order_serves_or_code_would_be_long() -> None:
    """[[a, b], [c, d]] with a = d = 0 in one sample and b = c = 0 in the other has no common pivot."""
    samples = [np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([[0.0, 3.0], [4.0, 0.0]])]
    kinds = []

    def expr(nz: ca.SX) -> ca.SX:
        factors = factorize_soundly(ca.reshape(nz, 2, 2), samples)
        kinds.append(type(factors))
        return factors.solve(ca.SX.ones(2)).x

    program = Program("either", (Port("nz", 4),), (Port("x", 2),), expr)
    for sample in samples:
        np.testing.assert_allclose(compile(program)(nz=sample.T.ravel()), np.linalg.solve(sample, np.ones(2)))
    assert set(kinds) == {DenseFactorization}
    n = 100
    assert dense_is_cheaper(n, 2 * n**3 // 3) and not dense_is_cheaper(n, 5000)
    assert not dense_is_cheaper(MOST_DENSE + 1, 10**12)


def test_bad_use_is_told() -> None:
    kernel = Kernel(
        "k", (Port("nz", 4),), (Port("x", 2),), lambda nz: factorize_dense(ca.SX(ca.reshape(nz, 2, 2))).solve(nz[:2]).x
    )
    with pytest.raises(KernelError, match="call them in a program"):
        compile(kernel)
    big = Program(
        "big",
        (Port("a"),),
        (Port("x", 500),),
        lambda a: factorize_dense(ca.SX(a * ca.SX.eye(500))).solve(ca.SX.ones(500)).x,
    )
    with pytest.raises(KernelError, match="500 equations: at most 450"):
        compile(big)
