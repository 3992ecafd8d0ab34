"""Floquet analysis against Mathieu's equation, Liouville's formula, constant systems, and maps with dead states."""

import numpy as np
import pytest
import scipy.linalg
import scipy.special

from motionbase.arrays import Array
from motionbase.errors import ModelError
from motionbase.rotor.stability.floquet import exponents
from motionbase.rotor.stability.monodromy import Monodromy, exponential, monodromy, monodromy_of_map
from motionbase.rotor.stability.periodic import PeriodicSystem

RNG = np.random.default_rng(3)


def mathieu(a: float, q: float, damping: float = 0.0) -> PeriodicSystem:
    """x'' + damping x' + (a - 2 q cos 2 t) x = 0: azimuth 2 t."""
    psi = 2 * np.pi * np.arange(8) / 8
    A = np.zeros((8, 2, 2))
    A[:, 0, 1], A[:, 1, 0], A[:, 1, 1] = 1.0, -(a - 2 * q * np.cos(psi)), -damping
    return PeriodicSystem(A, 2.0, ("x", "x_dot"))


BOUNDARIES = [("a", 0, 2.0), ("b", 1, -2.0), ("a", 1, -2.0), ("b", 2, 2.0), ("a", 2, 2.0), ("b", 3, -2.0)]


@pytest.mark.parametrize("q", [0.3, 1.0, 3.0])
@pytest.mark.parametrize(("kind", "n", "trace"), BOUNDARIES)
def test_boundaries_of_mathieus_equation(kind: str, n: int, trace: float, q: float) -> None:
    """The trace is 2 or -2 on them; sixth order leaves 1e-12 at 360 steps."""
    a = float({"a": scipy.special.mathieu_a, "b": scipy.special.mathieu_b}[kind](n, q))
    assert abs(np.trace(monodromy(mathieu(a, q)).matrix) - trace) < 1e-10
    inward = 1e-4 if kind == "a" else -1e-4  # stable above a_n and below b_n
    assert abs(np.trace(monodromy(mathieu(a + inward, q)).matrix)) < 2
    assert abs(np.trace(monodromy(mathieu(a - inward, q)).matrix)) > 2


def test_order_of_the_integrator() -> None:
    """Errors at 10, 20 and 40 steps fall by 2^6."""
    system = mathieu(1.3, 2.0, 0.2)
    exact = monodromy(system, 2000).matrix
    errors = [float(np.abs(monodromy(system, steps).matrix - exact).max()) for steps in (10, 20, 40)]
    slopes = np.log2(np.array(errors[:-1]) / errors[1:])
    assert errors[0] > 1e-7 and (abs(slopes - 6) < 0.4).all(), slopes


def test_matrix_exponential() -> None:
    X = RNG.normal(size=(6, 5, 5)) * np.array([1e-3, 0.1, 1.0, 3.0, 10.0, 0.0])[:, None, None]
    expected = scipy.linalg.expm(X)
    error = np.abs(exponential(X) - expected).max(axis=(1, 2)) / np.abs(expected).max(axis=(1, 2))
    assert error.max() < 1e-12  # rounding, grown by the squarings


def test_constant_coefficients_give_the_eigenvalues() -> None:
    """Frequencies many times the rotor's: resolved by the eigenvalues themselves, one of each pair."""
    A = np.zeros((6, 6))
    for k, (omega, ratio) in enumerate(((1.7, 0.02), (13.0, -0.01), (41.0, 0.1))):
        A[2 * k : 2 * k + 2, 2 * k : 2 * k + 2] = np.array([[0, 1], [-(omega**2), -2 * ratio * omega]])
    mix = RNG.normal(size=(6, 6))
    A = mix @ A @ np.linalg.inv(mix)
    system = PeriodicSystem(np.array([A] * 4), 3.0, tuple("abcdef"))
    values = np.linalg.eigvals(A)
    expected = np.sort_complex(values[values.imag > 0])
    for found in (exponents(monodromy(system), values), exponents(monodromy(system))):
        np.testing.assert_allclose(np.sort_complex(found.exponents), expected, rtol=1e-9)
        np.testing.assert_allclose(found.damping_ratio, [0.02, -0.01, 0.1], rtol=1e-8)
        assert not found.stable and found.lost == 0
        shape = np.linalg.solve(A - found.exponents[1] * np.eye(6), found.vectors[:, 1])
        assert np.abs(shape).max() > 1e6  # the vectors are those of A
    one = exponents(Monodromy(monodromy(system).matrix, system.period), 13.0)
    assert np.abs(one.frequency - 13.0).min() < 1e-2
    bare = exponents(Monodromy(monodromy(system).matrix, system.period))
    assert (bare.frequency <= 1.5 + 1e-9).all() and (bare.harmonics == 0).all()


def test_frequencies_by_the_largest_harmonic() -> None:
    """x(t) = exp(s t) (cos psi, sin psi)-modulated: a turn of coordinates at the rotor's speed shifts by the speed."""
    s, speed = -0.2 + 0.9j, 4.0
    inner = np.array([[s.real, s.imag], [-s.imag, s.real]])
    turn = speed * np.array([[0.0, 1.0], [-1.0, 0.0]])  # adds i speed to i 0.9
    system = PeriodicSystem(np.array([inner + turn] * 3), speed, ("u", "w"))
    found = exponents(monodromy(system))
    np.testing.assert_allclose(found.exponents, [-0.2 + 4.9j], rtol=1e-10)
    assert found.harmonics[0] == 1


def test_mathieu_in_the_unstable_zone_has_half_the_speed() -> None:
    """Its multipliers are real and negative: half of the speed, one growing and one decaying, damping split evenly."""
    found = exponents(monodromy(mathieu(1.0, 0.2, 0.05)))
    np.testing.assert_allclose(found.frequency, [1.0, 1.0], rtol=1e-9)
    np.testing.assert_allclose(found.growth.sum(), -0.05, rtol=1e-9)
    assert abs(found.growth.max() - (0.1 - 0.025)) < 2e-3  # q / 2 to first order; q^2 / 32 and more are left out


def van_der_pol(x: Array) -> Array:
    return np.stack([x[..., 1], (1 - x[..., 0] ** 2) * x[..., 1] - x[..., 0]], axis=-1)


def flow(x: Array, period: float, steps: int = 2000) -> Array:
    h = period / steps
    for _ in range(steps):
        k1 = van_der_pol(x)
        k2 = van_der_pol(x + h / 2 * k1)
        k3 = van_der_pol(x + h / 2 * k2)
        x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + van_der_pol(x + h * k3))
    return x


def test_map_of_a_limit_cycle() -> None:
    """Multiplier 1 along the cycle, and Liouville's formula for the other: exp of the integral of 1 - x^2.

    Differences of 1e-5 leave 1e-10 times the second derivatives of the flow, some hundreds.
    """
    period, x0 = 6.663286859323130, 2.008619860874841  # of van der Pol's oscillator with mu = 1, at x' = 0
    start = np.array([x0, 0.0])
    assert np.abs(flow(start, period) - start).max() < 1e-8
    found = monodromy_of_map(lambda x: flow(x, period), start, period)
    x, integral, h = start, 0.0, period / 200
    for _ in range(200):
        middle, end = flow(x, h / 2, 20), flow(x, h, 40)
        integral += h / 6 * ((1 - x[0] ** 2) + 4 * (1 - middle[0] ** 2) + (1 - end[0] ** 2))
        x = end
    multipliers = np.sort(np.abs(exponents(found).multipliers))
    np.testing.assert_allclose(multipliers, [np.exp(integral), 1.0], rtol=1e-5)


def test_map_and_integration_agree() -> None:
    system = mathieu(1.3, 0.4, 0.1)
    exact = monodromy(system).matrix
    scales = np.array([1.0, 0.1])
    found = monodromy_of_map(lambda x: x @ exact.T, [0.3, -0.2], system.period, step=1e-3 * scales)
    np.testing.assert_allclose(found.matrix, exact, atol=1e-12)


def test_states_that_follow_others_are_lost() -> None:
    """A copy of a state and a constant give multipliers at zero, and change nothing else."""
    own = monodromy(mathieu(1.3, 0.4, 0.1))
    P = np.zeros((4, 4))
    P[:2, :2] = own.matrix
    P[2], P[3, 0] = P[0], 3.0
    found, plain = exponents(Monodromy(P, own.period)), exponents(Monodromy(own.matrix, own.period))
    assert found.lost == 2
    np.testing.assert_allclose(found.exponents, plain.exponents, rtol=1e-12)
    noisy = Monodromy(P + 1e-9 * RNG.normal(size=P.shape), own.period)  # as differences of a map leave it
    assert exponents(noisy).lost == 0 and exponents(noisy, gone=1e-6).lost == 2


def test_bad_input_is_named() -> None:
    system = mathieu(1.0, 0.1)
    with pytest.raises(ModelError, match="0 steps a revolution"):
        monodromy(system, 0)
    with pytest.raises(ModelError, match="must be positive"):
        monodromy_of_map(lambda x: x, [0.0, 0.0], 1.0, step=[1e-3, 0.0])
    with pytest.raises(ModelError, match="returned shape"):
        monodromy_of_map(lambda x: x[:, :1], [0.0, 0.0], 1.0)
    with pytest.raises(ModelError, match="n names are wanted"):
        PeriodicSystem(np.zeros((4, 2, 2)), 1.0, ("x",))
    with pytest.raises(ModelError, match="must turn"):
        monodromy(PeriodicSystem(np.zeros((4, 2, 2)), 0.0, ("x", "y")))
    with pytest.raises(ModelError, match="not finite"):
        exponents(monodromy(system), [np.nan])
