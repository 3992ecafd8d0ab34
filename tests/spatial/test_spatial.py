"""Rotations, transforms and inertias against SciPy, axioms and finite differences."""

from typing import Any

import casadi as ca
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from motionbase import spatial as sp

EPS = 1e-14  # a few dozen roundings of numbers of order one
angle = st.floats(-3, 3)
vector = st.tuples(angle, angle, angle).map(np.array)


def same(a: Any, b: Any, atol: float = EPS) -> None:
    np.testing.assert_allclose(np.array(ca.DM(a)).squeeze(), np.array(ca.DM(b)).squeeze(), atol=atol)


def rotation(v: np.ndarray) -> np.ndarray:
    return np.asarray(Rotation.from_rotvec(v).as_matrix())


@given(vector)
def test_rotation_vector_and_quaternion_agree_with_scipy(v: np.ndarray) -> None:
    Q = sp.quaternion_rotation_vector(ca.DM(v))
    same(sp.R_quaternion(Q), rotation(v))
    same(ca.norm_2(Q), 1.0)
    if (n := np.linalg.norm(v)) > 1e-6:
        same(sp.R_axis_angle(ca.DM(v / n), n), rotation(v))
        same(sp.R_quaternion(sp.quaternion_axis_angle(ca.DM(v / n), n)), rotation(v))


@given(vector)
def test_euler_angles_agree_with_scipy_and_return(v: np.ndarray) -> None:
    R = Rotation.from_euler("ZYX", v[::-1]).as_matrix()
    same(sp.R_euler_zyx(ca.DM(v)), R)
    same(sp.R_quaternion(sp.quaternion_euler_zyx(ca.DM(v))), R)
    same(sp.R_euler_zyx(sp.euler_zyx(ca.DM(R))), R)


@given(vector, vector)
def test_products_compose(a: np.ndarray, b: np.ndarray) -> None:
    P, Q = (sp.quaternion_rotation_vector(ca.DM(v)) for v in (a, b))
    same(sp.R_quaternion(sp.quaternion_product(P, Q)), rotation(a) @ rotation(b))
    same(sp.skew(ca.DM(a)) @ b, np.cross(a, b), 1e-13)


@given(vector, vector)
def test_quaternion_rate_is_the_derivative(a: np.ndarray, omega: np.ndarray) -> None:
    """Central difference of Q(t) = Q exp(omega t): error h^2 |omega|^3 / 24 < 3e-10 for h = 1e-5."""
    Q, h = sp.quaternion_rotation_vector(ca.DM(a)), 1e-5

    def at(t: float) -> Any:
        return sp.quaternion_product(Q, sp.quaternion_rotation_vector(ca.DM(omega * t)))

    same((at(h) - at(-h)) / (2 * h), sp.quaternion_rate(Q, ca.DM(omega)), 1e-9)


@given(vector, vector, vector, vector)
def test_power_does_not_depend_on_the_frame(a: np.ndarray, p: np.ndarray, w: np.ndarray, v: np.ndarray) -> None:
    T = sp.Transform(ca.DM(rotation(a)), ca.DM(p))
    motion, force = ca.DM(np.r_[w, v]), ca.DM(np.r_[v, p + w])
    same(ca.dot(T.motion_to_b(motion), force), ca.dot(motion, T.force_to_a(force)), 1e-12)
    back = T.inverse() @ T
    same(back.R, np.eye(3))
    same(back.p, np.zeros(3), 1e-13)
    same(T.inverse().point(T.point(ca.DM(w))), w, 1e-13)


@given(vector, vector, vector)
def test_inertia_keeps_kinetic_energy(a: np.ndarray, p: np.ndarray, w: np.ndarray) -> None:
    T = sp.Transform(ca.DM(rotation(a)), ca.DM(p))
    body = sp.RigidInertia.of(2.5, ca.DM([0.3, -0.1, 0.2]), ca.DM(np.diag([0.4, 0.5, 0.6])))
    motion_a = ca.DM(np.r_[w, p])
    in_b, in_a = T.motion_to_b(motion_a), body.moved_to_a(T)
    same(ca.dot(motion_a, in_a.times(motion_a)), ca.dot(in_b, body.times(in_b)), 1e-11)


@given(vector, vector, vector, vector)
def test_cross_operators_are_dual(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> None:
    m, n, f = (ca.DM(np.r_[x, y]) for x, y in ((a, b), (c, d), (b, c)))
    same(ca.dot(sp.cross_motion(m, n), f), -ca.dot(n, sp.cross_force(m, f)), 1e-12)


def test_unit_quaternion() -> None:
    same(sp.unit_quaternion(ca.DM([2.0, 0.0, 0.0, 0.0])), [1, 0, 0, 0])


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_axis_rotation_leaves_no_trace_of_zero_components(axis: int) -> None:
    q = ca.SX.sym("q")
    R = sp.R_axis_angle(ca.DM.eye(3)[:, axis], q)
    f = ca.Function("f", [q], [R], {"cse": True})
    # an input, sin, cos, a negation, 1, and five outputs that are not structural zeros
    assert f.n_instructions() == 10
