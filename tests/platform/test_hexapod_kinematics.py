"""Lengths, rates, accelerations and Jacobians against direct geometry and finite differences."""

from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from motionbase.compile import compile
from motionbase.platform.kinematics import Kinematics
from motionbase.platform.load import load_platform

PLATFORM = load_platform("emotion-8000")  # its legs are not all equal
KINEMATICS = Kinematics(PLATFORM)
BASE, JOINTS, NEUTRAL = (np.asarray(a) for a in (PLATFORM.base, PLATFORM.joints, PLATFORM.p_neutral))
Q = Rotation.from_euler("ZYX", [0.3, -0.2, 0.25])
P = NEUTRAL + [0.2, -0.15, 0.1]
RNG = np.random.default_rng(11)
OMEGA, V, ALPHA, A = RNG.standard_normal((4, 3))


def wxyz(rotation: Rotation) -> Any:
    return rotation.as_quat(scalar_first=True)


def skew(w: Any) -> Any:
    """Row i is e_i x w."""
    return np.cross(np.eye(3), w)


def moved(t: float) -> tuple[Any, Any]:
    """A motion with the pose, velocity and acceleration above at t = 0.

    R(t) = exp(t skew(omega) + t^2/2 skew(alpha)) R(0): the exponent commutes with its rate to the order needed.
    """
    p = P + t * V + 0.5 * t * t * A
    R = expm(t * skew(OMEGA) + 0.5 * t * t * skew(ALPHA)) @ Q.as_matrix()
    return p, R


def lengths(t: float) -> Any:
    p, R = moved(t)
    return np.linalg.norm(p + JOINTS @ R.T - BASE, axis=1)


def jacobian(t: float) -> Any:
    p, R = moved(t)
    b = JOINTS @ R.T
    d = p + b - BASE
    u = d / np.linalg.norm(d, axis=1)[:, None]
    return np.hstack([np.cross(b, u), u])


def test_inverse_is_the_distance_of_the_joints() -> None:
    l, u = compile(KINEMATICS.inverse)(P, wxyz(Q))
    d = P + Q.apply(JOINTS) - BASE
    np.testing.assert_allclose(l, np.linalg.norm(d, axis=1), rtol=1e-15)
    np.testing.assert_allclose(u * l[:, None], d, rtol=0, atol=1e-14)


def test_neutral_lengths() -> None:
    l, _ = compile(KINEMATICS.inverse)(NEUTRAL, [1, 0, 0, 0])
    np.testing.assert_allclose(l, PLATFORM.l_neutral, rtol=1e-15)
    np.testing.assert_allclose(l, 3.393, rtol=0, atol=1e-3)  # as published; joints to 1 mm


def test_rates_and_accelerations_are_derivatives_of_the_lengths() -> None:
    l, l_dot, l_ddot = compile(KINEMATICS.accelerations)(P, wxyz(Q), OMEGA, V, ALPHA, A)
    h = 1e-3  # five-point formulas: truncation about h^4, rounding 1e-16 / h^2
    m2, m1, zero, p1, p2 = (lengths(k * h) for k in (-2, -1, 0, 1, 2))
    np.testing.assert_allclose(l, zero, rtol=1e-14)
    np.testing.assert_allclose(l_dot, (m2 - 8 * m1 + 8 * p1 - p2) / (12 * h), rtol=0, atol=1e-10)
    np.testing.assert_allclose(l_ddot, (-m2 + 16 * m1 - 30 * zero + 16 * p1 - p2) / (12 * h * h), rtol=0, atol=2e-8)


def test_rates_alone_are_the_same() -> None:
    _, wanted, _ = compile(KINEMATICS.accelerations)(P, wxyz(Q), OMEGA, V, ALPHA, A)
    _, l_dot = compile(KINEMATICS.rates)(P, wxyz(Q), OMEGA, V)
    np.testing.assert_array_equal(l_dot, wanted)


def test_jacobian_maps_velocities_to_rates() -> None:
    J = compile(KINEMATICS.jacobian)(P, wxyz(Q))
    _, l_dot = compile(KINEMATICS.rates)(P, wxyz(Q), OMEGA, V)
    np.testing.assert_allclose(J @ np.concatenate([OMEGA, V]), l_dot, rtol=0, atol=1e-14)


def test_jacobian_rate() -> None:
    J_dot = compile(KINEMATICS.jacobian_rate)(P, wxyz(Q), OMEGA, V)
    h = 1e-3
    wanted = (jacobian(-2 * h) - 8 * jacobian(-h) + 8 * jacobian(h) - jacobian(2 * h)) / (12 * h)
    np.testing.assert_allclose(J_dot, wanted, rtol=0, atol=1e-10)
    _, _, l_ddot = compile(KINEMATICS.accelerations)(P, wxyz(Q), OMEGA, V, ALPHA, A)
    J = compile(KINEMATICS.jacobian)(P, wxyz(Q))
    both = J @ np.concatenate([ALPHA, A]) + J_dot @ np.concatenate([OMEGA, V])
    np.testing.assert_allclose(l_ddot, both, rtol=0, atol=1e-13)


def test_transposed_jacobian_is_moment_and_force_of_the_legs() -> None:
    """Virtual work: forces f along the legs act at the platform joints; moments are about P's origin."""
    f = RNG.standard_normal(6)
    _, u = compile(KINEMATICS.inverse)(P, wxyz(Q))
    forces, arms = f[:, None] * u, Q.apply(JOINTS)
    wanted = np.concatenate([np.cross(arms, forces).sum(axis=0), forces.sum(axis=0)])
    np.testing.assert_allclose(compile(KINEMATICS.jacobian)(P, wxyz(Q)).T @ f, wanted, rtol=0, atol=1e-14)


@pytest.mark.parametrize("dof", [[0.1, -0.2, 0.3, 0.2, -0.3, 0.4], [0, 0, 0, 0, 0, 0], [0, 0, 0, -1.2, 1.4, 3.0]])
def test_degrees_of_freedom_there_and_back(dof: list[float]) -> None:
    p, Q_WP = compile(KINEMATICS.pose_of_dof)(dof)
    np.testing.assert_allclose(p, NEUTRAL + dof[:3], rtol=1e-15)
    wanted = Rotation.from_euler("ZYX", dof[:2:-1]).as_matrix()
    np.testing.assert_allclose(Rotation.from_quat(Q_WP, scalar_first=True).as_matrix(), wanted, rtol=0, atol=1e-15)
    np.testing.assert_allclose(compile(KINEMATICS.dof_of_pose)(p, Q_WP), dof, rtol=0, atol=1e-14)
