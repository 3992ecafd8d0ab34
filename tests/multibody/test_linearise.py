"""Linearisation against finite differences; reduction and frequency response against closed forms."""

from typing import Any

import casadi as ca
import numpy as np
import pytest

from motionbase.compile import Port, compile
from motionbase.errors import ModelError
from motionbase.multibody import GROUND, Body, Joint, Model
from motionbase.multibody.analysis import linearise, modes
from motionbase.multibody.closures import ImposedSpeedClosure
from motionbase.multibody.elements import Custom, PointForce, PointSpring
from motionbase.multibody.joints import Free, Spherical, revolute, universal
from motionbase.multibody.models.classics import top
from motionbase.multibody.tree.coordinates import moved_slightly
from motionbase.multibody.tree.dynamics import Tree
from motionbase.multibody.tree.loops import Loops
from tests.multibody.mechanisms import chain_of_masses, slider_crank

Array = Any
G = 9.80665
NONE = (0.0, 0.0, 0.0)


def cross(a: Array) -> Array:
    """Matrix of a x."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def varied_tree() -> Model:
    bodies = (
        Body("a", 3.0, (0.1, 0.2, 0.3), (0.3, 0.4, 0.5)),
        Body("b", 2.0, (0.3, 0, 0.1), (0.1, 0.2, 0.2), points={"end": (0.5, 0.1, 0)}),
        Body("c", 1.0, (0.2, 0.1, 0), (0.1, 0.1, 0.1)),
    )
    joints = (
        Joint("fly", GROUND, "a", Free()),
        Joint("ball", "a", "b", Spherical(), (0.5, 0, 0.2)),
        Joint("hook", "b", "c", universal(), "end"),
    )
    drag = Custom("drag", lambda state, size: -size * state.v * state.v, ports=(Port("size", (), "-"),))
    spring = PointSpring("spring", "c", NONE, GROUND, (1.0, 1.0, 0.0), 30.0, 2.0, 0.2)
    return Model("varied", bodies, joints, (1.0, 2.0, -9.0), (spring, drag, PointForce("push", "b", "end")))


def test_linearisation_equals_finite_differences() -> None:
    """Central differences of the compiled forward dynamics, moving and not in balance; error h^2 = 1e-10 or so."""
    model, rng, h = varied_tree(), np.random.default_rng(3), 1e-5
    q, v = model.neutral + 0.3 * rng.standard_normal(model.nq), rng.standard_normal(model.nv)
    q[3:7] /= np.linalg.norm(q[3:7])
    q[7:11] /= np.linalg.norm(q[7:11])
    forward = compile(Tree(model).forward_dynamics)
    tau = rng.standard_normal(model.nv)
    given = {p.name: rng.standard_normal(p.array_shape) for p in Tree(model).ports if p.name not in ("q", "v")}
    given["tau"] = tau
    linear = linearise(model, q, v, given)
    n = model.nv

    def slope(of: Any, size: int) -> Array:
        return np.column_stack([(of(h * e) - of(-h * e)) / (2 * h) for e in np.eye(size)])

    by_x = slope(lambda x: forward(q=np.array(moved_slightly(model, ca.DM(q), ca.DM(x))).ravel(), v=v, **given), n)
    by_v = slope(lambda x: forward(q=q, v=v + x, **given), n)
    by_tau = slope(lambda x: forward(q=q, v=v, **{**given, "tau": tau + x}), n)
    np.testing.assert_allclose(linear.A[n:, :n], by_x, atol=1e-6)
    np.testing.assert_allclose(linear.A[n:, n:], by_v, atol=1e-6)
    np.testing.assert_allclose(linear.B[n:, :n], by_tau, atol=1e-6)
    assert linear.inputs[n] == "drag_size" and len(linear.inputs) == linear.B.shape[1]
    by_size = (forward(q=q, v=v, **{**given, "drag_size": given["drag_size"] + h}) - forward(q=q, v=v, **given)) / h
    np.testing.assert_allclose(linear.B[n:, n], by_size, atol=1e-3)
    # of a body that flies: theta_dot = dw - w x theta, x_dot = dv + theta x v - w x x
    np.testing.assert_allclose(linear.A[:3, :3], -cross(v[:3]), atol=1e-12)
    np.testing.assert_allclose(linear.A[3:6, :6], np.hstack([-cross(v[3:6]), -cross(v[:3])]), atol=1e-12)
    np.testing.assert_array_equal(linear.A[:n, n:], np.eye(n))


def test_closed_linearisation_equals_finite_differences() -> None:
    """Along the closed form of the crank angle, in motion: d(crank_ddot) by angle, speed and torque."""
    model = slider_crank(0.3, 0.9)
    crank, speed, h = 0.7, 3.0, 1e-5
    loops = Loops(model, step=1e-3, corrections={"pin": 0.0}, around=[0.7, -0.9, 1.1])
    forward = compile(loops.forward_dynamics)

    def place(angle: float) -> Array:
        rod = np.arcsin(-0.3 / 0.9 * np.sin(angle))
        return np.array([angle, rod - angle, 0.3 * np.cos(angle) + 0.9 * np.cos(rod)])

    def tangent(angle: float) -> Array:
        rod = np.arcsin(-0.3 / 0.9 * np.sin(angle))
        rate = -0.3 / 0.9 * np.cos(angle) / np.cos(rod)
        return np.array([1.0, rate - 1, -0.3 * np.sin(angle) - 0.9 * np.sin(rod) * rate])

    linear = linearise(model, place(crank), tangent(crank) * speed)
    tau = np.zeros(3)
    chosen = ["j_crank", "j_rod", "j_slider"].index(linear.states[0])
    y = tangent(crank)[chosen]  # the crank's angle per unit of the chosen coordinate is 1 / y

    def along(move: float, faster: float) -> float:
        """Acceleration of the chosen coordinate, where that is moved and its speed changed."""
        angle = crank + move / y
        for _ in range(20):
            angle -= (place(angle)[chosen] - place(crank)[chosen] - move) / tangent(angle)[chosen]
        rate = (speed * y + faster) / tangent(angle)[chosen]
        return float(forward(q=place(angle), v=tangent(angle) * rate, tau=tau)[0][chosen])

    by_y, by_w = (along(h, 0) - along(-h, 0)) / (2 * h), (along(0, h) - along(0, -h)) / (2 * h)
    np.testing.assert_allclose(linear.A, np.array([[0.0, 1.0], [by_y, by_w]]), rtol=1e-6, atol=1e-6)
    pushed = forward(q=place(crank), v=tangent(crank) * speed, tau=np.array([1.0, 0, 0]))[0][chosen] - along(0, 0)
    np.testing.assert_allclose(linear.B[1, 0], pushed, rtol=1e-9)
    with pytest.raises(ModelError, match="speeds break closure pin"):
        linearise(model, place(crank), [1.0, 0, 0])


def test_about_a_speed_that_a_closure_imposes() -> None:
    """A pendulum on a turntable about the vertical: g / L cos a - w^2 cos 2 a, and no equation of the turntable."""
    length, rate, angle = 0.4, 3.0, 0.3
    bodies = Body("table", 1.0, inertia=(0.1, 0.1, 0.1)), Body("bob", 1.0, (0, 0, -length))
    joints = Joint("spin", GROUND, "table", revolute()), Joint("pivot", "table", "bob", revolute((0, 1, 0)))
    drive = ImposedSpeedClosure("drive", "table", motion="turn")
    model = Model("turntable", bodies, joints, (0, 0, -G), closures=(drive,))
    linear = linearise(model, {"pivot": angle, "spin": 1.0}, {"spin": rate}, {"drive_speed": rate})
    assert linear.states == ("pivot", "pivot_dot")
    stiffness = G / length * np.cos(angle) - rate**2 * np.cos(2 * angle)
    np.testing.assert_allclose(linear.A, [[0, 1], [-stiffness, 0]], atol=1e-12)
    with pytest.raises(ModelError, match="speeds break closure drive"):
        linearise(model, {"pivot": angle}, {"spin": rate}, {"drive_speed": 2.0})


def test_sleeping_top_is_stable_above_the_known_spin() -> None:
    """I_axial^2 w^2 > 4 I m g h, with I about the tip (Goldstein, section 5.7)."""
    m, height, axial, transverse = 0.5, 0.1, 5e-4, 8e-4
    about_tip = transverse + m * height**2
    limit = np.sqrt(4 * about_tip * m * G * height) / axial
    for spin, growth in ((0.99 * limit, True), (1.01 * limit, False)):
        values = linearise(top(m, height, axial, transverse), v={"tip.wz": spin}).eigenvalues
        assert (values.real.max() > 1.0) == growth
        assert growth or values.real.max() < 1e-3 * spin  # a double zero of the spin itself rounds to its root


def test_frequency_response_of_a_damped_oscillator() -> None:
    m, k, c = 2.0, 300.0, 3.0
    linear = linearise(chain_of_masses(1, m, k, c), outputs={"mass": ("m0", NONE)})
    f = np.array([0.0, 0.5, 1.9, 2.0, 10.0])
    s = 2j * np.pi * f
    exact = 1 / (m * s**2 + c * s + k)
    H = linear.select(["tau.s0"], ["mass.x", "mass.vx", "mass.ax"]).frequency_response(f)
    np.testing.assert_allclose(H[:, :, 0], np.column_stack([exact, s * exact, s * s * exact]), rtol=1e-12, atol=1e-15)
    with pytest.raises(ModelError, match="no output 'mass.q'"):
        linear.select(outputs=["mass.q"])
    with pytest.raises(ModelError, match="not negative"):
        linear.frequency_response([-1.0])
    with pytest.raises(ModelError, match="response at 0 Hz is infinite"):
        linearise(chain_of_masses(2, m, k, held=False)).frequency_response([1.0, 0.0])


def test_modal_reduction_keeps_what_it_should() -> None:
    model = chain_of_masses(8, 2.0, 300.0, 1.0)
    linear = linearise(model)
    full = linear.select(outputs=linear.outputs[:8])
    all_of_it, low = full.reduced(8), full.reduced(3, static=True)
    f = np.array([0.05, 0.2, 0.35])
    H = full.frequency_response(f)
    np.testing.assert_allclose(all_of_it.frequency_response(f), H, atol=1e-10 * np.abs(H).max())
    assert np.abs(low.frequency_response([0.0]) - full.frequency_response([0.0])).max() < 1e-12
    kept = np.abs(low.frequency_response(f) - H).max() / np.abs(H).max()
    bare = np.abs(full.reduced(3).frequency_response(f) - H).max() / np.abs(H).max()
    assert kept < 1e-2 and kept < bare / 3  # (0.35 / 2.4)^2 of what the modes left out do statically
    assert low.states[0] == "mode1" and low.A.shape == (6, 6)
    np.testing.assert_allclose(
        np.sort(full.reduced([0, 2]).eigenvalues.imag)[2:] / (2 * np.pi), modes(model).frequencies[[0, 2]], rtol=1e-3
    )
    with pytest.raises(ModelError, match="modes 0 to 7"):
        full.reduced([8])
