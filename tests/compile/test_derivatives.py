"""Jacobian kernels against finite differences and mpmath, derivatives at switch points, and guarded expressions."""

from collections.abc import Callable

import casadi as ca
import mpmath as mp
import numpy as np
import pytest
from numpy.typing import NDArray

from motionbase.compile import Kernel, Port, Sparsity, jacobian
from motionbase.compile.guarded import norm, one_minus_cos_over_x2, safe_divide, sinc, sqrt_guarded
from motionbase.errors import PortError
from tests.compile.on_targets import assert_all_targets, on_python

Array = NDArray[np.float64]
H = 1e-5
# central differences: truncation h^2 / 6 f''' plus rounding eps / h, for values and derivatives of order 10: 1e-9
FD = 1e-8
EPS = float(np.finfo(float).eps)
SCALAR = (Port("x"),)


def pose(p: ca.SX, M: ca.SX) -> list[ca.SX]:
    """A vector and a matrix of nonlinear functions; y[1] does not see p[2], N sees only the last column of M."""
    y = ca.vertcat(ca.sin(p[0]) * M[0, 1], p[0] * p[1] + M[1, 2] ** 2)
    return [y, ca.vertcat(p[0] * M[0, 2], ca.exp(p[1]) * M[1, 2], p[2]).T]


POSE = Kernel("pose", (Port("p", 3, "m"), Port("M", (2, 3), "kg")), (Port("y", 2, "N"), Port("N", (1, 3), "W")), pose)


def differences(kernel: Kernel, output: str, wrt: str, at: dict[str, Array]) -> Array:
    """Central differences by the interpreter; rows and columns row by row."""
    size = at[wrt].size
    columns = []
    for k in range(size):
        ends = []
        for step in (H, -H):
            moved = at[wrt].copy()
            moved.ravel()[k] += step
            ends.append(on_python(kernel, {n: v[None] for n, v in {**at, wrt: moved}.items()})[output].ravel())
        columns.append((ends[0] - ends[1]) / (2 * H))
    return np.stack(columns, axis=1)


@pytest.mark.parametrize("output", ["y", "N"])
@pytest.mark.parametrize("wrt", ["p", "M"])
def test_jacobian_like_finite_differences(output: str, wrt: str) -> None:
    derivative = jacobian(POSE, output, wrt)
    port = derivative.outputs[0]
    at = {"p": np.array([0.3, -0.7, 1.1]), "M": np.array([[1.0, 2.0, 3.0], [0.5, -1.5, 0.25]])}
    stored = assert_all_targets(derivative, {k: v[None] for k, v in at.items()}, ("llvm1", "gcc"))[port.name][0]
    np.testing.assert_allclose(port.dense(stored), differences(POSE, output, wrt, at), rtol=FD, atol=FD)


def test_jacobian_port() -> None:
    derivative = jacobian(POSE, "N", "M")
    (port,) = derivative.outputs
    assert derivative.name == "pose_d_N_d_M" and port.name == "d_N_d_M" and port.unit == "(W)/(kg)"
    assert port.dims == (3, 6)
    # rows and columns count elements row by row: N[0, 0] sees M[0, 2], element 2; N[0, 1] sees M[1, 2], element 5
    assert port.sparsity == Sparsity((0, 1), (2, 5))
    assert jacobian(POSE, "y", "p").outputs[0].sparsity == Sparsity((0, 1, 1), (0, 0, 1))


def test_jacobian_of_what_does_not_depend() -> None:
    kernel = Kernel("k", (Port("x", 2), Port("u")), (Port("y", 3),), lambda x, u: ca.vertcat(x[0], 1.0, x[1]))
    derivative = jacobian(kernel, "y", "u")
    assert derivative.outputs[0].dims == (3, 1) and derivative.outputs[0].size == 0
    got = assert_all_targets(derivative, {"x": np.ones((2, 2)), "u": np.ones(2)}, ("llvm1", "llvm4", "gcc"))
    assert got["d_y_d_u"].shape == (2, 0)
    np.testing.assert_array_equal(derivative.outputs[0].dense([]), np.zeros((3, 1)))


def test_jacobian_with_sparse_ports() -> None:
    """Columns count the stored values of a sparse input, rows those of a sparse output."""
    diagonal = Sparsity((0, 1), (0, 1))
    kernel = Kernel(
        "k", (Port("A", (2, 2), sparsity=diagonal),), (Port("B", (2, 2), sparsity=diagonal),), lambda A: A * A
    )
    derivative = jacobian(kernel, "B", "A")
    assert derivative.outputs[0].dims == (2, 2) and derivative.outputs[0].sparsity == diagonal
    got = on_python(derivative, {"A": np.array([[3.0, 5.0]])})["d_B_d_A"]
    np.testing.assert_array_equal(got, [[6.0, 10.0]])


def test_jacobian_of_a_jacobian() -> None:
    kernel = Kernel("k", SCALAR, (Port("y"),), lambda x: ca.sin(x) * x)
    second = jacobian(jacobian(kernel, "y", "x"), "d_y_d_x", "x")
    got = on_python(second, {"x": np.array([0.8])})["d_d_y_d_x_d_x"]
    np.testing.assert_allclose(got[0], 2 * np.cos(0.8) - 0.8 * np.sin(0.8), rtol=4 * EPS)


def test_jacobian_of_a_name_that_is_not_there() -> None:
    with pytest.raises(PortError, match="kernel 'pose', outputs: no port 'z'; ports: y, N"):
        jacobian(POSE, "z", "p")
    with pytest.raises(PortError, match="kernel 'pose', inputs: no port 'y'; ports: p, M"):
        jacobian(POSE, "y", "y")


# ---- both modes of AD ----------------------------------------------------------------------------------------------


def slopes(f: Callable[[ca.SX], ca.SX], points: Array, order: int = 1) -> list[Array]:
    """The derivative by forward AD, by reverse AD, and through a jacobian kernel, in that order."""
    x = ca.SX.sym("x")
    y = f(x)
    one = ca.SX(1)
    forward, reverse = y, y
    for _ in range(order):
        forward = ca.jtimes(forward, x, one, False)
        reverse = ca.jtimes(reverse, x, one, True)
    kernel = Kernel("k", SCALAR, (Port("y"),), f)
    for _ in range(order):
        kernel = jacobian(kernel, kernel.outputs[0].name, "x")
    results = []
    for expression in (forward, reverse):
        results.append(
            on_python(Kernel("d", SCALAR, (Port("d"),), lambda v, e=expression: ca.substitute(e, x, v)), {"x": points})[
                "d"
            ]
        )
    (port,) = kernel.outputs
    stored = on_python(kernel, {"x": points})[port.name]
    results.append(stored[:, 0] if port.size else np.zeros(len(points)))
    return results


SWITCHES: list[tuple[str, Callable[[ca.SX], ca.SX], float, float]] = [
    # name, function, switch point, the derivative there (CasADi's convention, which a model may rely on)
    ("if_else", lambda x: ca.if_else(x < 1, x * x, 3 * x), 1.0, 3.0),
    ("if_else, closed", lambda x: ca.if_else(x <= 1, x * x, 3 * x), 1.0, 2.0),
    ("fabs", lambda x: ca.fabs(x), 0.0, 0.0),
    ("fmin at a tie", lambda x: ca.fmin(2 * x, 4 * x), 0.0, 3.0),
    ("fmax at a tie", lambda x: ca.fmax(2 * x, 4 * x), 0.0, 3.0),
    ("floor", lambda x: ca.floor(x) * x, 2.0, 2.0),
    ("sign", lambda x: ca.sign(x) * x, 0.0, 0.0),
]


@pytest.mark.parametrize(("f", "at", "wanted"), [s[1:] for s in SWITCHES], ids=[s[0] for s in SWITCHES])
def test_derivative_at_a_switch_point(f: Callable[[ca.SX], ca.SX], at: float, wanted: float) -> None:
    """At the point itself a one-sided value by convention; beside it what finite differences say."""
    for at_point in slopes(f, np.array([at])):
        np.testing.assert_array_equal(at_point, [wanted])
    points = np.array([at - 0.3, at + 0.3])
    kernel = Kernel("k", SCALAR, (Port("y"),), f)
    ends = [on_python(kernel, {"x": points + step})["y"] for step in (H, -H)]
    for beside in slopes(f, points):
        np.testing.assert_allclose(beside, (ends[0] - ends[1]) / (2 * H), rtol=FD, atol=FD)


# ---- guarded expressions -------------------------------------------------------------------------------------------

# function, reference, and the value and first two derivatives at 0
GUARDED: dict[str, tuple[Callable[[ca.SX], ca.SX], Callable[[mp.mpf], mp.mpf], tuple[float, float, float]]] = {
    "sinc": (sinc, lambda x: mp.sin(x) / x, (1.0, 0.0, -1 / 3)),
    "one_minus_cos_over_x2": (one_minus_cos_over_x2, lambda x: (1 - mp.cos(x)) / x**2, (0.5, 0.0, -1 / 12)),
}
POINTS = np.concatenate([[0.0, -0.0, 5e-324, 1e-200, 1e-9, -1e-5, 1e-3, -0.1, 0.3, 0.499999, 0.5, -0.5, 0.500001, 0.7],
                         [0.999, 1.0, -1.001, 1.5, 3.0, -20.0]])  # fmt: skip


def exact(name: str, x: float, order: int) -> float:
    """The derivative by mpmath: differences with h = 1e-30 in 120 digits; below 1e-150 it is that at 0."""
    _, reference, at_zero = GUARDED[name]
    if abs(x) < 1e-150:
        return at_zero[order]
    with mp.workdps(120):
        return float(mp.diff(reference, mp.mpf(x), order, h=mp.mpf("1e-30")))


@pytest.mark.parametrize("name", GUARDED)
@pytest.mark.parametrize("order", [0, 1, 2])
def test_guarded_functions_like_mpmath(name: str, order: int) -> None:
    """1e-14 absolute, the accuracy their docstrings state; all values here are below 1."""
    function = GUARDED[name][0]
    wanted = np.array([exact(name, float(x), order) for x in POINTS])
    if order == 0:
        kernel = Kernel("k", SCALAR, (Port("y"),), function)
        results = [on_python(kernel, {"x": POINTS})["y"]]
    else:
        results = slopes(function, POINTS, order)
    for got in results:
        np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-14)


def test_guarded_root() -> None:
    x = np.array([0.0, -0.0, -1.0, 4.0, 1e-300, 5e-324])
    value = on_python(Kernel("k", SCALAR, (Port("y"),), sqrt_guarded), {"x": x})["y"]
    np.testing.assert_array_equal(value, np.sqrt(np.maximum(x, 0)))
    for slope in slopes(sqrt_guarded, x):
        np.testing.assert_array_equal(slope[:3], 0.0)
        np.testing.assert_allclose(slope[3:5], 0.5 / np.sqrt(x[3:5]), rtol=2 * EPS)
        assert np.isfinite(slope).all()
    assert all(np.isfinite(s).all() for s in slopes(sqrt_guarded, x[:4], 2))


def test_guarded_division() -> None:
    pair = np.array([[1.0, 0.0], [0.0, 0.0], [-3.0, -0.0], [3.0, 4.0], [1.0, 1e-300]])
    kernel = Kernel("k", (Port("v", 2),), (Port("y"),), lambda v: safe_divide(v[0], v[1]))
    np.testing.assert_array_equal(on_python(kernel, {"v": pair})["y"], [0, 0, 0, 0.75, 1 / 1e-300])
    slope = on_python(jacobian(kernel, "y", "v"), {"v": pair})["d_y_d_v"]
    np.testing.assert_array_equal(slope[:3], 0.0)
    np.testing.assert_allclose(slope[3], [0.25, -3 / 16], rtol=2 * EPS)


@pytest.mark.parametrize("reverse", [False, True])
def test_guarded_norm(reverse: bool) -> None:
    """The gradient is v / |v|, and 0 at the zero vector, by forward and by reverse AD; compiled to the same bits."""
    v = ca.SX.sym("v", 3)
    gradient = (
        ca.jtimes(norm(v), v, ca.SX(1), True)
        if reverse
        else ca.vertcat(*(ca.jtimes(norm(v), v, ca.SX.eye(3)[:, k], False) for k in range(3)))
    )
    kernel = Kernel("k", (Port("v", 3),), (Port("n"), Port("g", 3)), lambda w: [norm(w), ca.substitute(gradient, v, w)])
    given = np.array([[0.0, 0.0, 0.0], [-0.0, 0.0, 0.0], [3.0, 0.0, -4.0], [1e-140, 0.0, 0.0], [1e140, 1e140, 0.0]])
    got = assert_all_targets(kernel, {"v": given}, ("llvm1", "llvm4", "gcc"))
    lengths = np.linalg.norm(given, axis=1)
    np.testing.assert_allclose(got["n"], lengths, rtol=4 * EPS)
    np.testing.assert_array_equal(got["g"][:2], 0.0)
    np.testing.assert_allclose(got["g"][2:], given[2:] / lengths[2:, None], rtol=4 * EPS)


@pytest.mark.parametrize("function", [sqrt_guarded, sinc, one_minus_cos_over_x2, lambda x: safe_divide(x, x)])
def test_a_guard_does_not_hide_nan(function: Callable[[ca.SX], ca.SX]) -> None:
    value = on_python(Kernel("k", SCALAR, (Port("y"),), function), {"x": np.array([np.nan])})["y"]
    assert np.isnan(value).all()


def test_a_select_alone_is_not_enough() -> None:
    """Why the module exists: two selects of one root add up before its derivative, and 0 times infinity is NaN."""

    def twice(root: Callable[[ca.SX], ca.SX]) -> Callable[[ca.SX], ca.SX]:
        def expr(x: ca.SX) -> ca.SX:
            r = root(x)
            return ca.if_else(x <= 0, 0, r) + ca.if_else(x < 0.5, 0, r)

        return expr

    zero = np.array([0.0])
    assert np.isnan(np.concatenate(slopes(twice(ca.sqrt), zero))).any()
    np.testing.assert_array_equal(np.concatenate(slopes(twice(sqrt_guarded), zero)), 0.0)
