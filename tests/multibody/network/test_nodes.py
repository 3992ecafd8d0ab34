"""Increments of orientation, and predictions and corrections of nodes."""

from __future__ import annotations

import casadi as ca
import numpy as np

from motionbase.multibody.network.methods import MS
from motionbase.multibody.network.nodes import Correction, Momentum, Node, Place, Weights, corrected_node, predicted
from motionbase.multibody.network.rotations import (
    R_increment,
    increment_of,
    omega_of_rate,
    quaternion_increment,
    rate_of_omega,
)
from motionbase.spatial import R_quaternion

RNG = np.random.default_rng(3)


def number(expression: ca.SX) -> np.ndarray:
    return np.array(ca.evalf(ca.SX(expression)))


def test_increments_are_rotations_by_twice_the_arctangent() -> None:
    g = RNG.standard_normal(3)
    R = number(R_increment(ca.DM(g)))
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-15)
    angle = np.arccos((np.trace(R) - 1) / 2)
    assert abs(angle - 2 * np.arctan(np.linalg.norm(g) / 2)) < 1e-14
    np.testing.assert_allclose(number(R_quaternion(quaternion_increment(ca.DM(g)))), R, atol=1e-15)
    np.testing.assert_allclose(number(increment_of(quaternion_increment(ca.DM(g)))).ravel(), g, atol=1e-14)


def test_angular_velocity_is_that_of_the_rotation() -> None:
    """R_dot R' by the complex step, exact to rounding, is skew(omega)."""
    g, g_dot = RNG.standard_normal(3), RNG.standard_normal(3)
    s = ca.SX.sym("s")
    R = R_increment(ca.DM(g) + s * ca.DM(g_dot))
    R_dot = ca.Function("R_dot", [s], [ca.reshape(ca.jacobian(ca.vec(R), s), 3, 3)])(0)
    S = np.array(R_dot) @ number(R_increment(ca.DM(g))).T
    omega = number(omega_of_rate(ca.DM(g), ca.DM(g_dot))).ravel()
    np.testing.assert_allclose([S[2, 1], S[0, 2], S[1, 0]], omega, atol=1e-14)
    np.testing.assert_allclose(number(rate_of_omega(ca.DM(g), ca.DM(omega))).ravel(), g_dot, atol=1e-14)


def node_at(t: float, omega: np.ndarray, v: np.ndarray) -> Node:
    angle = float(np.linalg.norm(omega)) * t
    Q = np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * omega / np.linalg.norm(omega)])
    values = {"x": v * t, "Q": Q, "v": v, "omega": omega}
    return Node.of(ca.SX(ca.DM(Node.layout.vector(values))))


def test_a_steady_motion_is_predicted_to_third_order() -> None:
    """Positions exactly; orientation with the error of the method's own formula, which falls as h^3."""
    omega, v = np.array([0.3, -0.4, 0.5]), np.array([1.0, 2.0, -1.0])

    def error(h: float) -> tuple[float, float]:
        w = Weights.of(ca.SX(ca.DM(MS.weights(1.0).row(h))))
        found = predicted(w, node_at(0.0, omega, v), node_at(-h, omega, v))
        R = number(R_quaternion(node_at(h, omega, v).Q))
        return float(np.abs(number(found.place.x).ravel() - v * h).max()), float(
            np.abs(number(found.place.R) - R).max()
        )

    (x1, R1), (x2, R2) = error(0.02), error(0.01)
    assert max(x1, x2) < 1e-15
    assert 7.5 < R1 / R2 < 8.5


def test_corrections_are_in_the_axes_of_the_node() -> None:
    """A turn about a node's own z axis leaves that axis alone; the quaternion stays of length one."""
    Q = np.array([0.5, 0.5, 0.5, 0.5])
    R = number(R_quaternion(ca.DM(Q)))
    place = Place(ca.SX(3, 1), ca.SX(ca.DM(R)), ca.SX(3, 1), ca.SX(3, 1))
    d = Correction.of(ca.SX(ca.DM([1.0, 0, 0, 0, 0, 2.0, *[0.0] * 6])))
    new, _ = corrected_node(ca.SX(0.1), place, Momentum.of(ca.SX.zeros(12)), ca.SX(ca.DM(Q)), d)
    turned = number(R_quaternion(new.Q))
    np.testing.assert_allclose(turned[:, 2], R[:, 2], atol=1e-15)
    np.testing.assert_allclose(number(new.x).ravel(), 0.1 * R[:, 0], atol=1e-15)
    np.testing.assert_allclose(number(new.omega).ravel(), 2.0 / (1 + 0.01) * R[:, 2], rtol=1e-12)
    assert abs(float(np.linalg.norm(number(new.Q))) - 1) < 1e-15
