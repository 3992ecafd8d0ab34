"""Harmonics of sampled signals whose coefficients are known."""

import numpy as np
import pytest

from motionbase.arrays import AnyArray, Array
from motionbase.errors import ModelError
from motionbase.rotor.flight.harmonics import harmonics, periodicity

COS, SIN = np.array([0.5, 0.0, -0.2]), np.array([-0.3, 0.1, 0.0])


def signal(psi: AnyArray) -> Array:
    n = np.arange(1, 4)
    angles = psi[:, None] * n
    return np.asarray(2.0 + np.cos(angles) @ COS + np.sin(angles) @ SIN)


@pytest.mark.parametrize("per_rev", [8, 36, 89.75, 41.3])  # 89.75: steps of 2.5 ms at 267.4 rpm
def test_exact_coefficients(per_rev: float) -> None:
    psi = 0.7 + 2 * np.pi * np.arange(int(5.6 * per_rev)) / per_rev
    found = harmonics(signal(psi), psi, highest=3)
    assert found.revolutions == 5
    np.testing.assert_allclose(found.mean, 2.0, rtol=1e-13)
    np.testing.assert_allclose(found.cos, COS, atol=1e-13)
    np.testing.assert_allclose(found.sin, SIN, atol=1e-13)
    np.testing.assert_allclose(found.amplitude[0], np.hypot(0.5, 0.3), rtol=1e-13)
    np.testing.assert_allclose((found.complex[0] * np.exp(0.4j)).real, 0.5 * np.cos(0.4) - 0.3 * np.sin(0.4))
    assert np.abs(found.at(psi) - signal(psi)).max() < 1e-13
    assert found.residual < 1e-13


def test_several_signals_and_what_is_left() -> None:
    psi = 2 * np.pi * np.arange(720) / 72
    both = np.stack([signal(psi), 0.1 * np.sin(9 * psi)], axis=1)
    found = harmonics(both, psi, highest=5, revolutions=4)
    assert found.revolutions == 4 and found.cos.shape == (5, 2)
    np.testing.assert_allclose(found.cos[:3, 0], COS, atol=1e-13)
    np.testing.assert_allclose(found.residual, [0.0, 0.1 / np.sqrt(2)], atol=1e-13)


def test_half_peak_to_peak() -> None:
    """3 cos psi has 3; the extremes of cos psi + cos 2 psi are 2 and -9/8, found within half a grid step squared."""
    psi = 2 * np.pi * np.arange(90) / 30
    found = harmonics(np.stack([3 * np.cos(psi + 0.3), np.cos(psi) + np.cos(2 * psi)], axis=1), psi, highest=4)
    np.testing.assert_allclose(found.half_peak_to_peak, [3.0, (2 + 9 / 8) / 2], rtol=5e-5)


@pytest.mark.parametrize("per_rev", [40, 41.3])
def test_periodicity_of_a_decaying_transient(per_rev: float) -> None:
    """cos psi + a for an offset that halves each revolution: its change is a / 2^n over one."""
    psi = 2 * np.pi * np.arange(int(6 * per_rev) + 1) / per_rev
    steps = np.floor((psi[-1] - psi) / (2 * np.pi) + 1e-9)  # whole revolutions before the end
    offset = 0.01 * 2.0**steps
    assert periodicity(np.cos(psi), psi) < 1e-12
    np.testing.assert_allclose(periodicity(np.cos(psi) + offset, psi), 0.01, rtol=1e-9)
    assert periodicity(np.full_like(psi, 7e5), psi) == 0


def test_bad_input_is_named() -> None:
    psi = 2 * np.pi * np.arange(24) / 8
    with pytest.raises(ModelError, match="do not determine 5 harmonics; at most 3"):
        harmonics(np.cos(psi), psi, highest=5)
    with pytest.raises(ModelError, match="the highest is number 0, it must be 1 or more"):
        harmonics(np.cos(psi), psi, highest=0)
    with pytest.raises(ModelError, match="4 revolutions are wanted, the signal has 3"):
        harmonics(np.cos(psi), psi, 2, revolutions=4)
    with pytest.raises(ModelError, match="the signal has 0"):
        harmonics(np.cos(psi[:7]), psi[:7], 2)
    with pytest.raises(ModelError, match="at least 2"):
        periodicity(np.cos(psi[:15]), psi[:15], 2)
    with pytest.raises(ModelError, match="ascending"):
        harmonics(np.cos(psi), psi[::-1], 2)
    with pytest.raises(ModelError, match="np.unwrap"):  # as rotors in flight show them
        harmonics(np.cos(psi), np.mod(psi, 2 * np.pi), 2)
    with pytest.raises(ModelError, match="one azimuth a sample"):
        harmonics(np.cos(psi), psi[:-1], 2)
