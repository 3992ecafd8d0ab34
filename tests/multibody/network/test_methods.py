"""The two-step methods: order, spectral radius at infinity, stability, for constant and varying steps."""

from __future__ import annotations

import numpy as np
import pytest

from motionbase.errors import SimulationError
from motionbase.multibody.network.methods import (
    BDF2,
    IMPLICIT_EULER,
    METHODS,
    MS,
    AdaptiveMultistep,
    Coefficients,
    Multistep,
    ms,
)


def roots(method: Multistep, z: complex) -> np.ndarray:
    """Amplification of y' = lambda y per step, z = lambda h."""
    c = method.weights(1.0)
    return np.roots([1 - c.b0 * z, -(c.a1 + c.b1 * z), -(c.a2 + c.b2 * z)])


@pytest.mark.parametrize("radius", [0.0, 0.3, 0.6, 1.0])
def test_both_roots_at_infinity_are_the_radius(radius: float) -> None:
    """At z = -1e12 the roots differ from their limit by about 1e-6: the root of a double root's perturbation."""
    np.testing.assert_allclose(np.abs(roots(ms(radius), -1e12)), radius, atol=2e-6)


@pytest.mark.parametrize("radius", [0.0, 0.3, 0.6, 1.0])
def test_ms_is_a_stable(radius: float) -> None:
    """No root leaves the unit disc for any z in the left half plane, the imaginary axis included."""
    rng = np.random.default_rng(0)
    sizes, angles = 10 ** rng.uniform(-3, 4, 2000), rng.uniform(0.5 * np.pi, 1.5 * np.pi, 2000)
    largest = max(np.abs(roots(ms(radius), z)).max() for z in sizes * np.exp(1j * angles))
    assert largest <= 1 + 1e-9  # rounding of the roots


def test_radius_zero_is_bdf2() -> None:
    np.testing.assert_allclose(BDF2.weights(1.0), [4 / 3, -1 / 3, 2 / 3, 0, 0, 1], atol=1e-15)


@pytest.mark.parametrize("method", [MS, BDF2])
def test_order_two_with_steps_that_vary(method: Multistep) -> None:
    """y' = -y with steps in turn longer and shorter: halving all of them quarters the error."""

    def error(h: float) -> float:
        t, steps = [0.0], 0
        while t[-1] < 2.0 - 1e-12:
            t.append(t[-1] + h * (1.5 if steps % 2 else 0.7))
            steps += 1
        y = [1.0, float(np.exp(-t[1]))]
        for k in range(2, len(t)):
            step, last = t[k] - t[k - 1], t[k - 1] - t[k - 2]
            c = method.weights(step / last)
            known = c.a1 * y[-1] + c.a2 * y[-2] + step * (-c.b1 * y[-1] - c.b2 * y[-2])
            y.append(known / (1 + step * c.b0))
        return abs(y[-1] - float(np.exp(-t[-1])))

    order = np.log2(error(0.02) / error(0.01))
    assert 1.8 < order < 2.3


@pytest.mark.parametrize("ratio", [0.5, 1.0, 2.0])
def test_the_error_follows_from_the_correction(ratio: float) -> None:
    """y = t^3 / 6: local error of the formula over how far the predicted derivative was off, times b0."""
    c = MS.weights(ratio)

    def y(t: float) -> float:
        return t**3 / 6

    def rate(t: float) -> float:
        return t**2 / 2

    back = -1 / ratio
    exact_rates = c.a1 * y(0) + c.a2 * y(back) + c.b0 * rate(1) + c.b1 * rate(0) + c.b2 * rate(back)
    error = abs(y(1) - exact_rates)
    change = c.b0 * (rate(1) - (rate(0) + ratio * (rate(0) - rate(back))))
    assert MS.error_over_change(ratio) == pytest.approx(error / change, rel=1e-12)


def test_a_method_that_is_not_of_its_order_is_refused() -> None:
    def weights(ratio: float) -> Coefficients:
        return Coefficients(1.0, 0.0, 0.6, 0.4, 0.0, ratio)

    with pytest.raises(SimulationError, match="'wrong' is not of order 2"):
        Multistep("wrong", 2, 0.5, weights)


def test_bad_numbers_are_refused() -> None:
    with pytest.raises(SimulationError, match=r"spectral radius is 1\.5"):
        ms(1.5)
    with pytest.raises(SimulationError, match="tells no error"):
        AdaptiveMultistep(IMPLICIT_EULER)
    with pytest.raises(SimulationError, match="tolerance is 0"):
        AdaptiveMultistep(MS, tolerance=0.0)
    assert set(METHODS) >= {"ms", "bdf2", "trapezoidal", "implicit_euler", "ms_adaptive"}
