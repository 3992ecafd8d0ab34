"""Least squares: known regressors are recovered, and intervals hold what they say."""

import numpy as np
import pytest
from scipy.stats import t as student

from motionbase.arrays import Array
from motionbase.identify.regression import BLOCK_S, blocks_of, gauss_newton, least_squares, student_975
from motionbase.identify.smoothing import Smoother

T = np.arange(0.0, 60.0, 0.02)
BLOCKS = blocks_of(T)


def regressors() -> Array:
    """Sines and their products, and a constant."""
    a, b = np.sin(2 * np.pi * 0.31 * T), np.cos(2 * np.pi * 0.83 * T)
    return np.stack([a, b, a * b, np.ones_like(T)], axis=1)


def coloured(rng: np.random.Generator, n: int, keeps: float = 0.9) -> Array:
    """Noise that remembers: each value keeps a part of the one before."""
    x, white = np.empty(n), rng.normal(size=n)
    x[0] = white[0] / np.sqrt(1 - keeps**2)
    for k in range(1, n):
        x[k] = keeps * x[k - 1] + white[k]
    return x


def test_known_regressors_are_recovered_exactly() -> None:
    theta = np.array([3.0, -2e-9, 4e6, 0.5])
    X = regressors() * [1.0, 1e9, 1e-6, 1.0]  # very different sizes
    fit = least_squares(X, X @ theta, BLOCKS)
    np.testing.assert_allclose(fit.theta, theta, rtol=1e-12)
    assert (fit.halves < 1e-10 * np.abs(theta)).all() and fit.rms < 1e-10 and 1 <= fit.condition < 2


def test_gauss_newton_finds_a_decay_and_its_exact_interval_is_that_of_least_squares() -> None:
    def model(theta: Array) -> tuple[Array, Array]:
        e = np.exp(-theta[1] * T)
        return theta[0] * e, np.stack([e, -theta[0] * T * e], axis=1)

    y = 5.0 * np.exp(-0.2 * T)
    fit = gauss_newton(model, y, np.array([1.0, 1.0]), BLOCKS, np.zeros(2), np.array([100.0, 10.0]))
    np.testing.assert_allclose(fit.theta, [5.0, 0.2], rtol=1e-9)
    noisy = y + np.random.default_rng(1).normal(size=len(T))
    fit = gauss_newton(model, noisy, np.array([1.0, 1.0]), BLOCKS, np.zeros(2), np.array([100.0, 10.0]))
    linear = least_squares(model(fit.theta)[1], noisy - model(fit.theta)[0], BLOCKS)
    np.testing.assert_allclose(fit.halves, linear.halves, rtol=1e-6)


def test_rows_of_one_block_of_time_tell_no_interval() -> None:
    """As of a leg that hardly moves: nothing can be left out."""
    X, theta = np.eye(4)[:, :2], np.array([2.0, -1.0])
    fit = least_squares(X, X @ theta, np.zeros(4, dtype=np.int64))
    np.testing.assert_allclose(fit.theta, theta)
    assert np.isinf(fit.halves).all()
    assert fit.interval(lambda found: float(found.sum())).half == np.inf


def test_a_parameter_at_its_bound_stays_there() -> None:
    def model(theta: Array) -> tuple[Array, Array]:
        return regressors()[:, :2] @ theta, regressors()[:, :2]

    y = regressors()[:, :2] @ np.array([-1.0, 2.0])
    fit = gauss_newton(model, y, np.array([1.0, 1.0]), BLOCKS, np.zeros(2), np.full(2, 10.0))
    assert fit.theta[0] == 0.0 and fit.halves[0] == 0.0
    assert fit.theta[1] == pytest.approx(2.0, abs=0.02)


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    """95 of 100, though the noise is correlated over many samples; a textbook covariance gets 38 of the constant.

    400 recordings: the share of hits scatters by 0.011; three of these, and 0.01 for blocks that are not quite apart.
    """
    X, theta, rng = regressors(), np.array([1.0, 2.0, -1.0, 0.3]), np.random.default_rng(2)
    hits, textbook = [], []
    for _ in range(400):
        fit = least_squares(X, X @ theta + coloured(rng, len(T)), BLOCKS)
        hits.append(np.abs(fit.theta - theta) <= fit.halves)
        usual = 1.96 * fit.rms * np.sqrt(np.diag(np.linalg.inv(X.T @ X)))
        textbook.append(np.abs(fit.theta - theta) <= usual)
    share = np.mean(hits, axis=0)
    assert (np.abs(share - 0.95) < 0.043).all(), share
    assert np.mean(textbook, axis=0)[3] < 0.6, "otherwise this test shows nothing"


def test_numbers_computed_from_parameters_have_intervals_too() -> None:
    """A ratio: its scatter over recordings is what the interval says, half a width being two standard deviations."""
    X, theta, rng = regressors(), np.array([4.0, 2.0, -1.0, 0.3]), np.random.default_rng(3)
    values, halves = [], []
    for _ in range(200):
        fit = least_squares(X, X @ theta + coloured(rng, len(T), 0.5), BLOCKS)
        found = fit.interval(lambda p: float(p[0] / p[1]))
        values.append(found.value)
        halves.append(found.half)
    assert np.mean(halves) == pytest.approx(student_975(29) * np.std(values), rel=0.2)
    assert np.mean(values) == pytest.approx(2.0, abs=4 * np.std(values) / np.sqrt(200))


@pytest.mark.parametrize("freedom", [7, 11, 29])
def test_student(freedom: int) -> None:
    assert student_975(freedom) == pytest.approx(student.ppf(0.975, freedom), rel=1e-3)


def test_blocks_are_of_equal_time_and_gaps_do_not_count() -> None:
    t = np.concatenate([np.arange(0.0, 10.0, 0.1), np.arange(500.0, 510.0, 0.1)])
    counts = np.bincount(blocks_of(t))
    assert len(counts) == int(20.0 / BLOCK_S) and np.ptp(counts) <= 2


def test_the_filter_is_exact_for_parabolas_and_its_rates_are_those_of_the_filtered_signal() -> None:
    smoother = Smoother(0.01, 0.03)
    t = np.arange(0.0, 4.0, 0.01)
    inner = smoother.times(t)
    parabola = 1.0 + 2.0 * t - 3.0 * t**2
    np.testing.assert_allclose(smoother.rate(parabola), 2.0 - 6.0 * inner, atol=1e-10)
    np.testing.assert_allclose(smoother.second(parabola), -6.0, atol=1e-8)
    w = 2 * np.pi * 1.5
    passed = np.exp(-0.5 * (w * smoother.sigma) ** 2)  # the transform of a Gaussian
    for order, filtered in enumerate((smoother.value, smoother.rate, smoother.second)):
        exact = passed * w**order * np.sin(w * inner + order * np.pi / 2)
        np.testing.assert_allclose(filtered(np.sin(w * t)), exact, atol=2e-5 * w**order)  # the window's cut ends
