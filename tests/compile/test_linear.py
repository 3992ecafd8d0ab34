"""Generated elimination against LAPACK; every kernel is evaluated by CasADi at numbers the order never saw."""

import itertools
import time
from typing import Any

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from motionbase.compile import linear
from motionbase.errors import KernelError, SingularSystem

Array = NDArray[np.float64]
EPS = float(np.finfo(float).eps)
FLOATS = np.random.default_rng


def symbolic(pattern: NDArray[Any]) -> ca.SX:
    """A matrix of independent symbols with the given nonzeros."""
    rows, cols = np.nonzero(pattern)
    sparsity = ca.Sparsity.triplet(pattern.shape[0], pattern.shape[1], rows.tolist(), cols.tolist())
    return ca.SX.sym("a", sparsity)


def entries(A: ca.SX) -> ca.SX:
    """The nonzeros of A as one vector, the kernel's input."""
    return ca.vertcat(*linear.eliminate.scalars(A))


def nonzeros(A: ca.SX, numbers: Array) -> Array:
    rows, cols = A.sparsity().get_triplet()
    return np.asarray(numbers[rows, cols])


def evaluate(A: ca.SX, b: ca.SX, solution: linear.Solution, A_num: Array, b_num: Array) -> tuple[Array, float, float]:
    outputs = [solution.x, solution.growth, solution.residual]
    run = ca.Function("run", [entries(A), b], outputs)
    x, growth, residual = (np.array(ca.DM(v)) for v in run.call([nonzeros(A, A_num), b_num]))
    return x, float(growth[0, 0]), float(residual[0, 0])


def solved(
    A_num: Array, b_num: Array, *, samples: list[Array] | None = None, symmetric: bool = False, refine: int = 0
) -> tuple[Array, float, float]:
    """Solve at A_num by a kernel whose order was chosen from the samples (A_num itself if none are given)."""
    samples = [A_num] if samples is None else samples
    A, b = symbolic(np.any([s != 0 for s in [A_num, *samples]], axis=0)), ca.SX.sym("b", *b_num.shape)
    return evaluate(A, b, linear.solve(A, b, samples, symmetric=symmetric, refine=refine), A_num, b_num)


def assert_like_lapack(A: Array, b: Array, x: Array, growth: float) -> None:
    """Forward error n * eps * growth * cond (Higham, "Accuracy and Stability"), times 10 for LAPACK and constants."""
    reference = np.linalg.solve(A, b)
    bound = 10 * len(A) * EPS * growth * np.linalg.cond(A, np.inf)
    assert np.abs(x - reference).max() <= bound * np.abs(reference).max()


def sparse_matrix(n: int, density: float, rng: np.random.Generator) -> Array:
    """Random nonzeros plus a random permutation, so that it is structurally regular with an arbitrary diagonal."""
    A = np.where(rng.random((n, n)) < density, rng.standard_normal((n, n)), 0.0)
    A[np.arange(n), rng.permutation(n)] += rng.choice([-2.0, 2.0], n)
    return np.asarray(A)


def spd_matrix(n: int, density: float, rng: np.random.Generator) -> Array:
    L = np.tril(np.where(rng.random((n, n)) < density, rng.standard_normal((n, n)), 0.0), -1)
    L += np.diag(rng.uniform(0.5, 2.0, n))
    return np.asarray(L @ L.T)


def kkt_matrix(n: int, m: int, rng: np.random.Generator, regularisation: float = 0.0, density: float = 0.5) -> Array:
    J = np.where(rng.random((m, n)) < density, rng.standard_normal((m, n)), 0.0)
    J[np.arange(m), rng.permutation(n)[:m]] += 2.0
    return np.block([[spd_matrix(n, 0.15, rng), J.T], [J, -regularisation * np.eye(m)]])


@pytest.mark.parametrize(("n", "density"), list(itertools.product((1, 2, 7, 20, 40), (0.05, 0.2, 0.6))))
def test_lu_agrees_with_lapack(n: int, density: float) -> None:
    rng = FLOATS(n)
    A, b = sparse_matrix(n, density, rng), rng.standard_normal((n, 2))
    x, growth, residual = solved(A, b)
    assert_like_lapack(A, b, x, growth)
    assert 1.0 <= growth < 1e3  # 1/threshold = 10 for a single step; compounding stays far below the alarm
    assert residual <= 10 * n * EPS * growth


def test_lu_holds_at_numbers_near_the_samples() -> None:
    """The order is chosen from three samples and used at ten other points of the same family."""
    rng = FLOATS(3)
    middle = sparse_matrix(25, 0.15, rng)
    family = [middle * (1 + 0.2 * rng.standard_normal(middle.shape)) for _ in range(13)]
    for A in family[3:]:
        b = rng.standard_normal((25, 1))
        x, growth, _ = solved(A, b, samples=family[:3])
        assert growth < 1e3
        assert_like_lapack(A, b, x, growth)


@pytest.mark.parametrize("symmetric", [False, True])
def test_bad_scaling_of_rows_and_columns_does_not_matter(symmetric: bool) -> None:
    """D A E (x / e) = D b: powers of two change no rounding, so the answer is that of the unscaled system."""
    rng = FLOATS(4)
    A = kkt_matrix(14, 5, rng) if symmetric else sparse_matrix(20, 0.2, rng)
    n = len(A)
    d, e = (np.exp2(rng.integers(-27, 28, n)) for _ in range(2))  # 2^27 is 1.3e8
    d = e if symmetric else d
    b = rng.standard_normal((n, 1))
    x, growth, residual = solved(d[:, None] * A * e, d[:, None] * b, symmetric=symmetric)
    assert growth < 1e3 and residual <= 10 * n * EPS * growth
    assert_like_lapack(A, b, e[:, None] * x, growth)


@pytest.mark.parametrize("regularisation", [0.0, 1e-8, 1e-2])
def test_ldl_solves_saddle_systems(regularisation: float) -> None:
    rng = FLOATS(5)
    A, b = kkt_matrix(18, 7, rng, regularisation), rng.standard_normal((25, 1))
    x, growth, residual = solved(A, b, symmetric=True)
    assert_like_lapack(A, b, x, growth)
    assert growth < 1e3 and residual <= 10 * 25 * EPS * growth


@pytest.mark.parametrize("n", [1, 3, 12, 30])
def test_ldl_of_positive_definite_needs_no_pairs_and_does_not_grow(n: int) -> None:
    """Updates of a positive definite matrix never exceed its diagonal (Wilkinson 1961), conditioned as it may be."""
    rng = FLOATS(n)
    A, b = spd_matrix(n, 0.3, rng), rng.standard_normal((n, 1))
    assert all(len(p.rows) == 1 for p in linear.factorize(symbolic(A != 0), [A], symmetric=True).pivots)
    x, growth, residual = solved(A, b, symmetric=True)
    assert growth <= 2.0  # 1 in exact units; equilibrated ones are rounded to powers of two
    assert residual <= 10 * n * EPS
    assert_like_lapack(A, b, x, growth)


@pytest.mark.parametrize(
    "rows",
    [
        [[0, 1], [1, 0]],
        [[1e-9, 1], [1, 1e-9]],
        [[0, 2, 1], [2, 0, 1], [1, 1, 3]],
        [[0, 1, 2, 0], [1, 0, 0, 3], [2, 0, 0, 1], [0, 3, 1, 0]],
    ],
)
def test_ldl_takes_pairs_where_the_diagonal_is_no_pivot(rows: list[list[float]]) -> None:
    A = np.array(rows, dtype=float)
    b = np.arange(1.0, len(A) + 1)[:, None]
    assert any(len(p.rows) == 2 for p in linear.factorize(symbolic(A != 0), [A], symmetric=True).pivots)
    x, growth, _ = solved(A, b, symmetric=True)
    assert growth <= 10.0
    assert_like_lapack(A, b, x, growth)


def test_ldl_reads_one_triangle_only() -> None:
    rng = FLOATS(6)
    A, b = kkt_matrix(6, 2, rng), rng.standard_normal((8, 1))
    lower, upper = np.tril(A), np.triu(A)
    full, _, _ = solved(A, b, symmetric=True)
    for other in (lower, upper, lower + 7 * np.triu(A, 1)):
        np.testing.assert_array_equal(solved(other, b, symmetric=True)[0], full)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(1, 9), st.integers(0, 2**32 - 1), st.floats(0.0, 0.8), st.booleans())
def test_any_pattern_is_solved_or_refused(n: int, seed: int, density: float, symmetric: bool) -> None:
    """Small integers make exact singularity common; LAPACK's rank says which answer is right."""
    rng = FLOATS(seed)
    A = np.where(rng.random((n, n)) < density, rng.integers(-3, 4, (n, n)), 0).astype(float)
    A = np.tril(A) + np.tril(A, -1).T if symmetric else A
    b = rng.standard_normal((n, 1))
    if np.linalg.matrix_rank(A) < n:
        with pytest.raises(SingularSystem):
            solved(A, b, symmetric=symmetric)
    else:
        x, growth, residual = solved(A, b, symmetric=symmetric)
        assert growth < 1e3
        assert residual <= 10 * n * EPS * growth
        assert_like_lapack(A, b, x, growth)


BAD_PIVOT = np.array([[1.1, 1.3, 0.0], [1.3, 1.7, 0.9], [0.0, 0.9, 3.1]])


@pytest.mark.parametrize("symmetric", [False, True])
def test_monitors_fire_where_the_static_pivot_vanishes(symmetric: bool) -> None:
    good, b = BAD_PIVOT, np.ones((3, 1))
    _, growth, residual = solved(good, b, symmetric=symmetric)
    assert growth <= 10.0 and residual <= 10 * EPS
    order = linear.factorize(symbolic(good != 0), [good], symmetric=symmetric).pivots
    (i,), (j,) = order[0]
    for value in (0.0, 1e-13):
        bad = good.copy()
        bad[i, j] = value
        assert np.linalg.cond(bad) < 50  # the system is fine, only the order is not
        _, growth, residual = solved(bad, b, samples=[good], symmetric=symmetric)
        assert growth > linear.GROWTH_ALARM
        assert residual > linear.RESIDUAL_ALARM
        if value == 0.0:
            assert growth == linear.BROKEN and residual == linear.BROKEN


def test_refinement_repairs_a_poor_pivot() -> None:
    """Growth near 1e9 leaves about 1e-8; each sweep gains the same seven or eight digits (Skeel 1980)."""
    good, b = BAD_PIVOT, np.ones((3, 1))
    (i,), (j,) = linear.factorize(symbolic(good != 0), [good]).pivots[0]
    bad = good.copy()
    bad[i, j] = 3e-9
    residuals = [solved(bad, b, samples=[good], refine=k)[2] for k in range(3)]
    assert residuals[0] > 1e-12
    assert residuals[1] < 1e-3 * residuals[0]
    assert residuals[2] <= 10 * EPS


def test_residual_of_zero_right_hand_side_is_zero() -> None:
    x, growth, residual = solved(BAD_PIVOT, np.zeros((3, 1)))
    assert not x.any() and residual == 0.0 and growth >= 1.0


def test_unused_monitors_cost_nothing() -> None:
    A, b = symbolic(BAD_PIVOT != 0), ca.SX.sym("b", 3)
    inputs = [entries(A), b]
    solution = linear.solve(A, b, [BAD_PIVOT])
    alone = ca.Function("alone", inputs, [ca.vertcat(*eliminated(A, b))])
    assert ca.Function("x", inputs, [solution.x]).n_instructions() == alone.n_instructions()


def eliminated(A: ca.SX, b: ca.SX) -> list[ca.SX]:
    factors = linear.factorize(A, [BAD_PIVOT])
    return linear.eliminate.substitute(factors.steps, linear.eliminate.scalars(b), symmetric=False)


@pytest.mark.parametrize("symmetric", [False, True])
def test_one_division_for_each_pivot(symmetric: bool) -> None:
    A, b = symbolic(np.ones((6, 6))), ca.SX.sym("b", 6)
    x = linear.solve(A, b, [spd_matrix(6, 1.0, FLOATS(0)) + np.eye(6)], symmetric=symmetric).x
    run = ca.Function("run", [entries(A), b], [x])
    divisions = (ca.OP_DIV, ca.OP_INV)
    assert sum(run.instruction_id(k) in divisions for k in range(run.n_instructions())) == 6


@pytest.mark.parametrize("symmetric", [False, True])
def test_flops_are_the_operations_of_the_kernel(symmetric: bool) -> None:
    """With no constants to fold, the count is exact."""
    pattern = kkt_matrix(9, 4, FLOATS(1)) != 0
    A, b = symbolic(pattern), ca.SX.sym("b", 13)
    factors = linear.factorize(A, [kkt_matrix(9, 4, FLOATS(1))], symmetric=symmetric)
    run = ca.Function("run", [entries(A), b], [factors.solve(b).x])
    moves = (ca.OP_INPUT, ca.OP_OUTPUT, ca.OP_CONST)
    operations = sum(run.instruction_id(k) not in moves for k in range(run.n_instructions()))
    assert operations == factors.flops


@pytest.mark.parametrize("symmetric", [False, True])
def test_factors_serve_several_right_hand_sides(symmetric: bool) -> None:
    rng = FLOATS(7)
    A_num = kkt_matrix(8, 3, rng)
    A = symbolic(A_num != 0)
    factors = linear.factorize(A, [A_num], symmetric=symmetric)
    for columns in (1, 4):
        b_num, b = rng.standard_normal((11, columns)), ca.SX.sym("b", 11, columns)
        x, growth, _ = evaluate(A, b, factors.solve(b), A_num, b_num)
        assert_like_lapack(A_num, b_num, x, growth)


def arrow(n: int) -> Array:
    A = 4.0 * np.eye(n)
    A[0, :] = A[:, 0] = 1.0
    A[0, 0] = float(n)
    return A


@pytest.mark.parametrize("symmetric", [False, True])
def test_arrow_matrix_has_no_fill(symmetric: bool) -> None:
    """Eliminating the head first would fill all n^2; last, nothing: 3n - 2 nonzeros, or 2n - 1 in one triangle."""
    n = 30
    factors = linear.factorize(symbolic(arrow(n) != 0), [arrow(n)], symmetric=symmetric)
    assert factors.fill == (2 * n - 1 if symmetric else 3 * n - 2)


def test_ldl_takes_about_half_the_work_of_lu() -> None:
    A = kkt_matrix(24, 12, FLOATS(8))
    ldl, lu = (linear.factorize(symbolic(A != 0), [A], symmetric=s).flops for s in (True, False))
    assert ldl < 0.65 * lu


def hexapod_kkt() -> Array:
    """The pattern of proofs/hexapod.py: a platform (6), six legs (3 each), six ball joints (3 each)."""
    rng = FLOATS(9)
    skew = np.cross(np.eye(3), [0.0, 0.0, 0.3])
    A = np.zeros((42, 42))
    A[:3, :3], A[3:6, 3:6] = 5.0 * np.eye(3), np.diag([4.0, 4.0, 6.0])
    A[3:6, :3] = rng.standard_normal((3, 3)) @ skew
    for leg in range(6):
        q, k = slice(6 + 3 * leg, 9 + 3 * leg), slice(24 + 3 * leg, 27 + 3 * leg)
        A[q, q] = np.diag(rng.uniform(1.0, 3.0, 3))
        A[k, q] = rng.standard_normal((3, 3)) * [[0, 1, 0], [1, 0, 0], [0, 0, 1]]
        A[k, :3], A[k, 3:6] = np.linalg.qr(rng.standard_normal((3, 3)))[0], rng.standard_normal((3, 3))
    return np.tril(A) + np.tril(A, -1).T


def test_hexapod_takes_less_work_than_the_proof() -> None:
    """proofs/hexapod.py takes 3,284 operations by LU; its own matrix takes 2,194 here, 1,623 by LDL'."""
    A, b = hexapod_kkt(), FLOATS(1).standard_normal((42, 1))
    ldl, lu = (linear.factorize(symbolic(A != 0), [A], symmetric=s) for s in (True, False))
    assert lu.flops <= 3284
    assert ldl.flops < 0.8 * lu.flops
    for symmetric in (False, True):
        x, growth, _ = solved(A, b, symmetric=symmetric)
        assert_like_lapack(A, b, x, growth)


def test_order_is_the_same_every_time_and_blind_to_the_last_bits() -> None:
    A = hexapod_kkt()
    first, again, shaken = (linear.factorize(symbolic(A != 0), [a]).pivots for a in (A, A, A * (1 + 4 * EPS)))
    assert first == again == shaken


def test_a_hundred_unknowns_are_built_in_about_a_second() -> None:
    """The robot of the proofs has 102 unknowns and 721 nonzeros; it takes 0.3 s, the limit is for a busy machine."""
    A = sparse_matrix(102, 0.06, FLOATS(10)) + 3 * np.eye(102)
    start = time.process_time()
    linear.solve(symbolic(A != 0), ca.SX.sym("b", 102), [A])
    assert time.process_time() - start < 5.0


def test_structural_singularity_names_the_rows() -> None:
    """Three rows hold two unknowns; the fourth row is innocent."""
    A = symbolic(np.array([[1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 1, 1]]))
    names = ["loop3.x", "loop3.y", "loop3.z", "mass"]
    with pytest.raises(SingularSystem, match=r"'loop3.x', 'loop3.y', 'loop3.z' .*unknowns 0, 1, 1 too few") as caught:
        linear.factorize(A, names=names)
    assert "mass" not in str(caught.value)
    with pytest.raises(SingularSystem, match="row 1 together hold no unknown"):
        linear.factorize(symbolic(np.array([[1, 0], [0, 0]])))


@pytest.mark.parametrize("symmetric", [False, True])
def test_numerical_singularity_names_dependent_rows_and_samples(symmetric: bool) -> None:
    """Constraint rows 4 and 5 are the same up to a factor, as in a mechanism with a loop closed twice."""
    rng = FLOATS(11)
    A = kkt_matrix(4, 2, rng, density=1.0)
    A[5], A[:, 5] = 2 * A[4], 2 * A[:, 4]
    names = ["m0", "m1", "m2", "m3", "loop1", "loop2"]
    with pytest.raises(SingularSystem, match=r"every sample \(0, 1\).*dependent are rows 'loop1', 'loop2'"):
        linear.factorize(symbolic(A != 0), [A, 3 * A], symmetric=symmetric, names=names)


def test_a_singular_sample_among_good_ones_is_reported_not_fatal() -> None:
    good, singular = np.array([[2.0, 1.0], [1.0, 2.0]]), np.ones((2, 2))
    for symmetric in (False, True):
        factors = linear.factorize(symbolic(good), [good, singular], symmetric=symmetric)
        assert factors.order.singular_samples == (1,)


def test_samples_without_a_common_pivot_are_refused() -> None:
    with pytest.raises(SingularSystem, match="no pivot that is nonzero in all of the samples 0, 1"):
        linear.factorize(symbolic(np.ones((2, 2))), [np.eye(2), np.eye(2)[::-1]])


def test_symbolically_cancelling_pivot_is_refused() -> None:
    a = ca.SX.sym("a")
    A = ca.vertcat(ca.horzcat(a, a), ca.horzcat(a, a))
    with pytest.raises(SingularSystem):
        linear.factorize(A)


def test_samples_come_from_points_matrices_or_nonzeros() -> None:
    q = ca.SX.sym("q", 2)
    A = ca.vertcat(ca.horzcat(ca.cos(q[0]), 0), ca.horzcat(q[1], 2))
    A = ca.sparsify(A)
    (values,) = linear.samples_at(A, [q], [[[0.5, 3.0]]])
    dense = np.array([[np.cos(0.5), 0.0], [3.0, 2.0]])
    np.testing.assert_allclose(values, nonzeros(A, dense), rtol=2 * EPS)  # libm against libm
    pivots = [linear.factorize(A, s).pivots for s in ([values], [dense], [ca.DM(dense)], [values.tolist()])]
    assert pivots.count(pivots[0]) == 4


def test_generic_numbers_serve_where_no_samples_are_given() -> None:
    A_num, b_num = spd_matrix(10, 0.4, FLOATS(12)), FLOATS(13).standard_normal((10, 1))
    A, b = symbolic(A_num != 0), ca.SX.sym("b", 10)
    x, growth, _ = evaluate(A, b, linear.solve(A, b), A_num, b_num)
    assert_like_lapack(A_num, b_num, x, growth)
    undefined = A * ca.sqrt(-A[0, 0])  # no finite number at positive symbols: falls back to random nonzeros
    assert len(linear.factorize(undefined).pivots) == 10


def test_constant_and_empty_systems() -> None:
    solution = linear.solve(ca.SX(ca.DM([[2.0, 0.0], [1.0, 4.0]])), ca.SX([2.0, 9.0]))
    np.testing.assert_array_equal(np.array(ca.evalf(solution.x)), [[1.0], [2.0]])
    assert linear.solve(ca.SX(0, 0), ca.SX(0, 1)).x.shape == (0, 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"A": ca.SX.sym("A", 2, 3)}, "2 by 3, must be square"),
        ({"b": ca.SX.sym("b", 3)}, "3 rows, must have 2"),
        ({"threshold": 0.0}, "threshold is 0"),
        ({"names": ["one"]}, "1 row names, must have 2"),
        ({"refine": -1}, "refine is -1"),
        ({"samples": []}, "samples is empty"),
        ({"samples": [np.eye(3)]}, r"sample 0 has shape \(3, 3\)"),
        ({"samples": [np.eye(2), np.full((2, 2), np.nan)]}, "sample 1 has entries that are not finite"),
        ({"A": ca.SX.sym("A", ca.Sparsity.diag(2)), "samples": [np.ones((2, 2))]}, "structurally zero"),
    ],
)
def test_mistakes_are_named(change: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {"A": ca.SX.sym("A", 2, 2), "b": ca.SX.sym("b", 2), "samples": [np.eye(2)], **change}
    with pytest.raises(KernelError, match=message):
        linear.solve(arguments.pop("A"), arguments.pop("b"), arguments.pop("samples"), **arguments)


def test_rows_of_a_saddle_system_wait_for_their_unknowns() -> None:
    """Sound where the samples never were: a pair of the row and unknown 0 would vanish with that entry."""
    M, J = ca.SX.sym("M", ca.Sparsity.lower(3)), ca.SX.sym("J", 2, 3)
    A = ca.vertcat(ca.horzcat(ca.tril2symm(M), J.T), ca.horzcat(J, ca.SX(2, 2)))
    rng = FLOATS(3)

    def numbers(J_num: Array) -> Array:
        L = rng.standard_normal((3, 3))
        return np.block([[L @ L.T + np.eye(3), J_num.T], [J_num, np.zeros((2, 2))]])

    sample = numbers(np.array([[5.0, 0.1, 0.1], [0.1, 5.0, 0.1]]))
    waits = {3: (0, 1, 2), 4: (0, 1, 2)}
    factors = linear.factorize(A, [sample], symmetric=True, after=waits)
    assert all(len(p.rows) == 1 for p in factors.pivots)
    assert {p.rows[0] for p in factors.pivots[:3]} == {0, 1, 2}
    b = ca.SX.sym("b", 5)
    solve = ca.Function("solve", [M, J, b], [factors.solve(b).x, factors.growth])
    for J_num in (np.array([[0.0, 1.0, 2.0], [0.0, 0.0, 3.0]]), np.array([[1e-9, 1.0, 0.0], [2.0, 1e-9, 0.0]])):
        A_num, right = numbers(J_num), rng.standard_normal(5)
        x, growth = (np.array(v).ravel() for v in solve(np.tril(A_num[:3, :3]), J_num, right))
        expected = np.linalg.solve(A_num, right)
        assert np.abs(x - expected).max() < 100 * EPS * np.linalg.cond(A_num) * np.abs(expected).max()
        assert growth[0] < linear.GROWTH_ALARM


def test_orders_of_elimination_that_cannot_be() -> None:
    A = ca.SX.eye(2)
    with pytest.raises(KernelError, match="for symmetric systems"):
        linear.factorize(A, after={1: (0,)})
    with pytest.raises(KernelError, match="names unknown 2, the system has 2"):
        linear.factorize(A, symmetric=True, after={1: (2,)})
    with pytest.raises(KernelError, match="unknown 1 waits for itself"):
        linear.factorize(A, symmetric=True, after={1: (1,)})
