"""The multiblade transform: its inverse, its derivatives, and systems and motions whose transform is known."""

import numpy as np
import pytest

from motionbase.errors import ModelError
from motionbase.rotor.stability.multiblade import (
    SecondOrder,
    blade_history,
    fixed_frame,
    fixed_frame_states,
    multiblade,
    multiblade_history,
    multiblade_inverse,
    multiblade_names,
)

PSI = np.array([0.0, 0.3, 2.0, -1.1])
BLADES = pytest.mark.parametrize("blades", [3, 4, 5, 6])


@BLADES
def test_transform_and_inverse(blades: int) -> None:
    T = multiblade(blades, PSI)
    assert T.shape == (4, blades, blades) and len(multiblade_names(blades)) == blades
    np.testing.assert_allclose(
        multiblade_inverse(blades, PSI) @ T, np.broadcast_to(np.eye(blades), T.shape), atol=1e-14
    )
    squares = np.swapaxes(T, 1, 2) @ T
    np.testing.assert_allclose(squares, squares * np.eye(blades), atol=1e-14)  # columns are orthogonal


@BLADES
@pytest.mark.parametrize("order", [1, 2])
def test_derivatives(blades: int, order: int) -> None:
    """Central differences: h^2 / 6 of the third derivative, n^3 of at most 8, and rounding of 1e-16 / h."""
    h = 1e-5
    change = (multiblade(blades, PSI + h, order - 1) - multiblade(blades, PSI - h, order - 1)) / (2 * h)
    np.testing.assert_allclose(multiblade(blades, PSI, order), change, atol=1e-9)


def test_columns_are_those_of_the_names() -> None:
    assert multiblade_names(3) == ("0", "1c", "1s")
    assert multiblade_names(4) == ("0", "1c", "1s", "d")
    assert multiblade_names(6) == ("0", "1c", "1s", "2c", "2s", "d")
    at = 0.4 + np.pi / 2 * np.arange(4)
    expected = np.stack([np.ones(4), np.cos(at), np.sin(at), [1, -1, 1, -1]], axis=1)
    np.testing.assert_allclose(multiblade(4, 0.4), expected, atol=1e-15)


def test_a_tilted_tip_path_is_constant_in_the_fixed_frame() -> None:
    """beta_k = 2 + 0.3 cos psi_k - 0.2 sin psi_k of five blades."""
    psi = np.linspace(0, 9, 40)
    at = psi[:, None] + 2 * np.pi * np.arange(5) / 5
    beta = 2 + 0.3 * np.cos(at) - 0.2 * np.sin(at)
    z = multiblade_history(beta, psi)
    np.testing.assert_allclose(z, np.broadcast_to([2, 0.3, -0.2, 0, 0], z.shape), atol=1e-14)
    np.testing.assert_allclose(blade_history(z, psi), beta, atol=1e-14)


@BLADES
def test_single_blades_in_the_fixed_frame(blades: int) -> None:
    """Equal uncoupled blades with eigenvalue s have s, or s + i n Omega and s - i n Omega, in the fixed frame."""
    m, c, k, omega = 2.0, 0.7, 30.0, 5.0
    one = np.eye(blades)
    system = SecondOrder(m * one, c * one, k * one)
    turned = fixed_frame(system, 0.8, omega, [range(blades)])
    A = np.block(
        [
            [np.zeros_like(one), one],
            [-np.linalg.solve(turned.M, turned.K), -np.linalg.solve(turned.M, turned.C)],
        ]
    )
    s = np.roots([m, c, k])
    shifts = [0.0, *([0.0] if blades % 2 == 0 else [])]
    for n in range(1, (blades - 1) // 2 + 1):
        shifts += [n * omega, -n * omega]
    expected = [root + 1j * shift for root in s for shift in shifts]
    found = np.linalg.eigvals(A)
    by_frequency = found[np.argsort(found.imag)], np.array(expected)[np.argsort(np.imag(expected))]
    np.testing.assert_allclose(*by_frequency, atol=1e-12)


def test_states_and_second_order_agree() -> None:
    rng = np.random.default_rng(1)
    n, omega, psi = 6, 3.0, 1.3  # two coordinates of the hub, four blades out of order
    M, C, K = (rng.normal(size=(n, n)) for _ in range(3))
    M = M @ M.T + n * np.eye(n)
    groups = [[4, 1, 5, 2]]
    turned = fixed_frame(SecondOrder(M, C, K), psi, omega, groups)
    zero, one = np.zeros((n, n)), np.eye(n)
    A = np.block([[zero, one], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])
    B = np.block([[zero, one], [-np.linalg.solve(turned.M, turned.K), -np.linalg.solve(turned.M, turned.C)]])
    np.testing.assert_allclose(fixed_frame_states(A, psi, omega, groups), B, atol=1e-12)


def test_bad_input_is_named() -> None:
    with pytest.raises(ModelError, match="2 blades, it needs at least 3"):
        multiblade(2, 0.0)
    with pytest.raises(ModelError, match="must be"):
        multiblade_history(np.zeros((4, 3)), np.zeros(5))
    with pytest.raises(ModelError, match="0 to 5, once each"):
        fixed_frame_states(np.zeros((12, 12)), 0.0, 1.0, [[0, 1, 6]])
    with pytest.raises(ModelError, match="0 to 5, once each"):
        fixed_frame_states(np.zeros((12, 12)), 0.0, 1.0, [[0, 1, 2], [2, 3, 4]])
