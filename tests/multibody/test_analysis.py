"""Equilibrium, linearisation, modes, reduction and frequency response against closed forms and finite differences."""

import sys
from dataclasses import replace
from typing import Any

import casadi as ca
import numpy as np
import pytest

from motionbase.compile import Port, compile
from motionbase.errors import ModelError
from motionbase.multibody import GROUND, Body, Joint, Model
from motionbase.multibody.analysis import equilibrium, linearise, modes
from motionbase.multibody.analysis.nullspace import allowed
from motionbase.multibody.closures import DistanceClosure, PointClosure, WeldClosure
from motionbase.multibody.eigen import symmetric_modes
from motionbase.multibody.elements import Custom, JointDamper, JointSpring, PointForce, PointSpring
from motionbase.multibody.flexible import beam
from motionbase.multibody.joints import Free, Spherical, fixed, prismatic, revolute, universal
from motionbase.multibody.models.classics import pendulum, top, two_link
from motionbase.multibody.tree.coordinates import moved_slightly
from motionbase.multibody.tree.dynamics import Tree
from motionbase.multibody.tree.loops import Loops
from motionbase.multibody.tree.redundancy import dependent_rows
from tests.multibody.mechanisms import four_bar, four_bar_angles, slider_crank

Array = Any
settled_eig = sys.modules["motionbase.multibody.analysis.modes"]._settled  # `modes` itself is the function
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
G = 9.80665
NONE = (0.0, 0.0, 0.0)
CRANK, COUPLER, ROCKER, BASE = 0.3, 0.8, 0.6, 0.7  # lengths of the four-bar [m]


def chain_of_masses(n: int, m: float, k: float, c: float = 0.0, held: bool = True) -> Model:
    """Masses on a line with springs (and dampers) between neighbours, held at the first or not at all."""
    bodies = tuple(Body(f"m{i}", m, inertia=(0.1, 0.1, 0.1)) for i in range(n))
    joints = tuple(
        Joint(f"s{i}", GROUND if i == 0 else f"m{i - 1}", f"m{i}", prismatic(X), (float(i > 0), 0.0, 0.0))
        for i in range(n)
    )
    springs = [JointSpring(f"k{i}", f"s{i}", k) for i in range(0 if held else 1, n)]
    dampers = [JointDamper(f"c{i}", f"s{i}", c) for i in range(0 if held else 1, n)] if c else []
    return Model("masses", bodies, joints, NONE, (*springs, *dampers))


# ---- modes ---------------------------------------------------------------------------------------------------------


def test_pendulum_frequency_and_unstable_place() -> None:
    found = modes(pendulum(0.75))
    np.testing.assert_allclose(found.frequencies, [np.sqrt(G / 0.75) / (2 * np.pi)], rtol=1e-13)
    assert found.kinds == ("oscillation",) and found.damping[0] == 0
    upside_down = modes(pendulum(0.75), [np.pi])
    assert upside_down.kinds == ("growth",) and upside_down.frequencies[0] == 0
    np.testing.assert_allclose(upside_down.eigenvalues, [np.sqrt(G / 0.75)], rtol=1e-13)
    np.testing.assert_allclose(sorted(upside_down.linear.eigenvalues.real), [-np.sqrt(G / 0.75), np.sqrt(G / 0.75)])


def test_double_pendulum_frequencies() -> None:
    """Roots of m1 l1 l2 w^4 - (m1 + m2)(l1 + l2) g w^2 + (m1 + m2) g^2 = 0."""
    l1, l2, m1, m2 = 1.0, 0.8, 4.0, 3.0
    w2 = np.roots([m1 * l1 * l2, -(m1 + m2) * (l1 + l2) * G, (m1 + m2) * G**2])
    found = modes(two_link(l1, l2, m1, m2), {"shoulder": -np.pi / 2})
    np.testing.assert_allclose(found.frequencies, np.sort(np.sqrt(w2)) / (2 * np.pi), rtol=1e-12)
    for shares in (found.joints, found.bodies):
        np.testing.assert_allclose(np.sum(list(shares.values()), axis=0), 1.0)
    M = found.linear.M
    np.testing.assert_allclose(found.shapes.T @ M @ found.shapes, np.eye(2), atol=1e-12)


def test_spring_mass_chains() -> None:
    n, m, k = 6, 2.0, 300.0
    found = modes(chain_of_masses(n, m, k))
    exact = 2 * np.sqrt(k / m) * np.sin((2 * np.arange(1, n + 1) - 1) * np.pi / (4 * n + 2)) / (2 * np.pi)
    np.testing.assert_allclose(found.frequencies, exact, rtol=1e-12)
    loose = modes(chain_of_masses(n, m, k, held=False))
    exact = 2 * np.sqrt(k / m) * np.sin(np.arange(n) * np.pi / (2 * n)) / (2 * np.pi)
    assert loose.kinds[0] == "rigid" and loose.frequencies[0] == 0 and np.isnan(loose.damping[0])
    np.testing.assert_allclose(loose.frequencies, exact, rtol=1e-12, atol=1e-14)


def test_proportional_damping_and_overdamping() -> None:
    k, m, n = 300.0, 2.0, 4
    beta = 0.01  # C = beta K: ratio beta omega / 2
    found = modes(chain_of_masses(n, m, k, beta * k))
    omega = 2 * np.pi * found.frequencies
    np.testing.assert_allclose(found.damping, beta * omega / 2, rtol=1e-10)
    np.testing.assert_allclose(np.abs(found.eigenvalues), omega, rtol=1e-10)
    stiff = modes(chain_of_masses(1, m, k, 500.0))
    assert stiff.kinds == ("decay",)
    np.testing.assert_allclose(stiff.damping, 500.0 / (2 * np.sqrt(k * m)), rtol=1e-12)
    np.testing.assert_allclose(stiff.eigenvalues, max(np.roots([m, 500.0, k])), rtol=1e-9)


def test_damping_that_couples_modes_gives_those_of_the_damped_system() -> None:
    model = chain_of_masses(3, 2.0, 300.0)
    model = replace(model, elements=(*model.elements, JointDamper("c", "s1", 8.0)))
    found = modes(model)
    M = 2.0 * np.array([[3.0, 2, 1], [2, 2, 1], [1, 1, 1]])  # relative displacements
    K, C = 300.0 * np.eye(3), np.diag([0, 8.0, 0])
    A = np.block([[np.zeros((3, 3)), np.eye(3)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])
    exact = np.linalg.eigvals(A)
    exact = exact[exact.imag > 0]
    exact = exact[np.argsort(np.abs(exact))]
    np.testing.assert_allclose(found.eigenvalues, exact, rtol=1e-9)
    np.testing.assert_allclose(found.damping, -exact.real / np.abs(exact), rtol=1e-8)
    for s, x in zip(found.eigenvalues, found.shapes.T, strict=True):
        np.testing.assert_allclose((s * s * M + s * C + K) @ x, 0, atol=1e-9 * 300)


@pytest.mark.parametrize("redundant", [False, True])
def test_pendulum_by_closure_equals_pendulum_by_joint(redundant: bool) -> None:
    """A free bar pinned to the ground by a closure swings like one on a hinge; redundant rows change nothing."""
    bar = Body("bar", 2.0, (0, 0, -0.4), (0.1, 0.12, 0.03))
    hinged = Model("hinged", (bar,), (Joint("hinge", GROUND, "bar", universal(X, Y)),), (0, 0, -G))
    pins = [PointClosure("pin", "bar", NONE, GROUND)] + [PointClosure("again", "bar", NONE, GROUND)] * redundant
    free = Model("free", (bar,), (Joint("fly", GROUND, "bar", Free()),), (0, 0, -G), closures=tuple(pins))
    exact = np.sqrt(2.0 * G * 0.4 / (np.array([0.1, 0.12]) + 2.0 * 0.16)) / (2 * np.pi)
    np.testing.assert_allclose(modes(hinged).frequencies, np.sort(exact), rtol=1e-12)
    pinned = modes(free)
    np.testing.assert_allclose(pinned.frequencies, [0, *np.sort(exact)], rtol=1e-10, atol=1e-12)
    assert pinned.kinds == ("rigid", "oscillation", "oscillation")  # it turns freely about z
    assert len(modes(replace(free, gravity=NONE), closures=False)) == 6


def test_pendulum_on_a_massless_rod_needs_the_closure_force() -> None:
    """A point mass held at a distance: all its stiffness comes from the closure's force (geometric stiffness)."""
    bob = Body("bob", 1.5)
    slides = (Joint("x", GROUND, "cart", prismatic(X)), Joint("z", "cart", "bob", prismatic(Z)))
    rod = DistanceClosure("rod", "bob", NONE, GROUND, NONE, 0.6)
    model = Model("rod", (Body("cart"), bob), slides, (0, 0, -G), closures=(rod,))
    rest = equilibrium(model, {"x": 0.3, "z": -0.4})
    np.testing.assert_allclose(rest.q, [0, -0.6], atol=1e-10)
    np.testing.assert_allclose(rest.F, [-1.5 * G], rtol=1e-9)
    found = modes(model, rest.q)
    np.testing.assert_allclose(found.frequencies, [np.sqrt(G / 0.6) / (2 * np.pi)], rtol=1e-9)
    assert found.linear.states == ("x", "x_dot")


def test_free_body_has_six_zero_modes() -> None:
    body = Body("b", 3.0, (0.1, 0.2, -0.1), (0.3, 0.4, 0.5))
    model = Model("free", (body,), (Joint("fly", GROUND, "b", Free()),), NONE)
    found = modes(model, {"fly": [1, 2, 3, 0.5, 0.5, -0.5, 0.5]})
    assert found.kinds == ("rigid",) * 6 and not found.frequencies.any()


def test_free_chain_has_six_zero_modes_and_one_spring() -> None:
    bodies = Body("a", 3.0, (0.1, 0, 0), (0.3, 0.4, 0.5)), Body("b", 2.0, (0.3, 0, 0), (0.1, 0.2, 0.2))
    joints = Joint("fly", GROUND, "a", Free()), Joint("hinge", "a", "b", revolute(), (0.5, 0, 0))
    model = Model("two", bodies, joints, NONE, (JointSpring("k", "hinge", 50.0, rest=0.4),))
    rest = equilibrium(model, {"hinge": 0.1})
    np.testing.assert_allclose(rest.q[7], 0.4)
    found = modes(model, rest.q)
    assert found.kinds == ("rigid",) * 6 + ("oscillation",)
    M = np.array(Tree(model).mass_matrix.function(rest.q))
    effective = 1 / np.linalg.inv(M)[6, 6]
    np.testing.assert_allclose(found.frequencies[-1], np.sqrt(50.0 / effective) / (2 * np.pi), rtol=1e-9)


def test_clamped_beam_on_a_stiff_and_on_no_joint() -> None:
    """Euler and Bernoulli's clamped-free beam, 0.1 % for three modes; and pinned-free on a loose hinge."""
    shapes = beam(2.0, 3.0, EI_z=500.0, bending=(8, 0), damping=0.02)
    scale = np.sqrt(500.0 / 3.0) / 2.0**2 / (2 * np.pi)
    held = Model("beam", (Body("b", modes=shapes),), (Joint("j", GROUND, "b", fixed()),), NONE)
    found = modes(held)
    np.testing.assert_allclose(
        found.frequencies[:3], scale * np.array([1.8751041, 4.6940911, 7.8547574]) ** 2, rtol=1e-3
    )
    np.testing.assert_allclose(found.damping, 0.02, rtol=1e-6)
    loose = Model(
        "beam", (Body("b", modes=shapes.with_damping(np.zeros((8, 8)))),), (Joint("j", GROUND, "b", revolute()),), NONE
    )
    turning = modes(loose)
    assert turning.kinds[0] == "rigid"
    np.testing.assert_allclose(turning.frequencies[1:3], scale * np.array([3.9266023, 7.0685827]) ** 2, rtol=1e-3)
    assert turning.joints["b.modes"][1] > 0.3


def test_places_that_are_not_at_rest_are_refused() -> None:
    with pytest.raises(ModelError, match="not at rest here: the force on 'pivot'"):
        modes(pendulum(), [0.1])
    with pytest.raises(ModelError, match="coordinates miss closure loop"):
        modes(four_bar(), [0.3, 0, 0])
    model = Model(
        "stuck", (Body("b", 1.0),), (Joint("s", GROUND, "b", prismatic()),), closures=(WeldClosure("w", "b"),)
    )
    with pytest.raises(ModelError, match="let nothing move"):
        modes(model)


# ---- equilibrium ---------------------------------------------------------------------------------------------------


def hanging_chain(n: int, l: float, span: float) -> Model:
    """Bars with point masses at their ends, hung up at both ends; in the x-z plane."""
    bodies = tuple(Body(f"b{k}", 1.0, (l, 0, 0), points={"end": (l, 0, 0)}) for k in range(n))
    joints = tuple(
        Joint(f"j{k}", GROUND if k == 0 else f"b{k - 1}", f"b{k}", revolute(Y), NONE if k == 0 else "end")
        for k in range(n)
    )
    hook = PointClosure("hook", f"b{n - 1}", "end", GROUND, (span, 0, 0))
    return Model("chain", bodies, joints, (0, 0, -G), closures=(hook,))


def test_hanging_chain_is_a_string_polygon() -> None:
    """Horizontal force is the same in all links, and tan(slope) rises by the same step from link to link."""
    n = 6
    model = hanging_chain(n, 0.5, 2.0)
    guess = np.full(n, -0.3)
    guess[0] = 1.0
    rest = equilibrium(model, guess)
    slopes = np.tan(np.cumsum(rest.q))
    np.testing.assert_allclose(np.diff(slopes, 2), 0, atol=1e-8)
    np.testing.assert_allclose(slopes, -slopes[::-1], atol=1e-8)
    assert slopes[0] > 0 and rest.force < 1e-8 and rest.closure < 1e-10 and rest.steps < 60
    found = modes(model, rest.q)
    assert set(found.kinds) == {"oscillation"} and len(found) == n - 2


def test_four_bar_with_spring_balances() -> None:
    """The work of gravity and spring along the crank's turn, from the closed-form angles, is zero at rest."""
    spring = PointSpring("spring", "crank", "tip", GROUND, (BASE, 0.0, 0.0), 200.0, length=0.3)
    model = four_bar(elements=(spring,))
    rest = equilibrium(model, four_bar_angles(1.0))

    def energy(crank: float) -> float:
        _, coupler, rocker = four_bar_angles(crank)
        tip = CRANK * np.array([np.cos(crank), np.sin(crank)])
        middle = tip[1] + COUPLER / 2 * np.sin(crank + coupler)
        weight = 9.81 * (1.0 * tip[1] / 2 + 2.0 * middle + 1.5 * ROCKER / 2 * np.sin(rocker))
        return float(weight + 100.0 * (np.hypot(tip[0] - BASE, tip[1]) - 0.3) ** 2)

    h = 1e-4
    crank = rest.q[0]
    slope = (energy(crank + h) - energy(crank - h)) / (2 * h)
    curve = (energy(crank + h) - 2 * energy(crank) + energy(crank - h)) / h**2
    assert abs(slope) < 1e-5 * curve
    found = modes(model, rest.q)
    at = found.linear
    assert len(found) == 1 and at.n == 1
    tangent = at.basis / at.basis[0]
    mass = float((tangent.T @ np.array(Tree(model).mass_matrix.function(rest.q)) @ tangent).item())
    np.testing.assert_allclose(found.frequencies[0], np.sqrt(curve / mass) / (2 * np.pi), rtol=1e-5)


def test_equilibrium_searches_and_inputs() -> None:
    np.testing.assert_allclose(equilibrium(pendulum(), [np.pi / 2]).q, 0, atol=1e-12)
    np.testing.assert_allclose(equilibrium(pendulum(), [3.0], search="nearest").q, np.pi, atol=1e-12)
    held = equilibrium(pendulum(0.75, 2.0), inputs={"tau": [2.0 * G * 0.75 / 2]})
    np.testing.assert_allclose(held.q, np.pi / 6, atol=1e-12)
    turned = equilibrium(top(), {"tip": [0.9, 0.3, 0.2, 0.1]})
    R_zz = 1 - 2 * (turned.q[1] ** 2 + turned.q[2] ** 2)
    np.testing.assert_allclose(R_zz, -1, atol=1e-12)
    with pytest.raises(ModelError, match="'pivot' is still|no equilibrium"):
        equilibrium(pendulum(0.75, 2.0), inputs={"tau": [2.1 * G * 0.75]})
    falling = Model("falling", (Body("b", 2.0, inertia=(1, 1, 1)),), (Joint("fly", GROUND, "b", Free()),))
    with pytest.raises(ModelError, match=r"no equilibrium found .* 'fly.z' is still -19.6"):
        equilibrium(falling)
    with pytest.raises(ModelError, match="no coordinates near the guess meet the closures; hook"):
        equilibrium(hanging_chain(3, 0.5, 2.0))
    with pytest.raises(ModelError, match="no input 'torque'"):
        equilibrium(pendulum(), inputs={"torque": 1.0})
    with pytest.raises(ModelError, match="search is 'best'"):
        equilibrium(pendulum(), search="best")  # type: ignore[arg-type]


def cross(a: Array) -> Array:
    """Matrix of a x."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


# ---- linearisation -------------------------------------------------------------------------------------------------


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


def test_sleeping_top_is_stable_above_the_known_spin() -> None:
    """I_axial^2 w^2 > 4 I m g h, with I about the tip (Goldstein, section 5.7)."""
    m, height, axial, transverse = 0.5, 0.1, 5e-4, 8e-4
    about_tip = transverse + m * height**2
    limit = np.sqrt(4 * about_tip * m * G * height) / axial
    for spin, growth in ((0.99 * limit, True), (1.01 * limit, False)):
        values = linearise(top(m, height, axial, transverse), v={"tip.wz": spin}).eigenvalues
        assert (values.real.max() > 1.0) == growth
        assert growth or values.real.max() < 1e-3 * spin  # a double zero of the spin itself rounds to its root


# ---- reduction and frequency response ------------------------------------------------------------------------------


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


def test_search_for_a_stable_place_leaves_saddles() -> None:
    """From a plane of symmetry, a ball joint's weight could stop at the top of its circle; it must not."""
    upright = Model("up", (Body("b", 1.0, (0, 0, 0.5), (0.1, 0.1, 0.1)),), (Joint("u", GROUND, "b", universal(X, Y)),))
    hook = replace(upright, elements=(JointSpring("k", "u", 100.0, rest=0.0),))  # holds one axis only
    rest = equilibrium(hook, {"u": [0.2, 0.0]})
    assert set(modes(hook, rest.q).kinds) == {"oscillation"}
    stays = equilibrium(hook, {"u": [0.0, 0.0]})  # in balance itself: it is what was asked for
    np.testing.assert_array_equal(stays.q, 0)
    assert modes(hook, stays.q).kinds == ("growth", "oscillation")


# ---- equals: nothing hangs on rounding ----------------------------------------------------------------------------


def noise(seed: int, *shape: int) -> Array:
    """Relative, of the size of a few roundings."""
    return 1 + 1e-14 * np.random.default_rng(seed).uniform(-1, 1, shape)


def test_modes_of_equal_frequency_do_not_hang_on_rounding() -> None:
    """A plane of eigenvectors, tilted in four coordinates: the same two come out, whatever LAPACK made of it."""
    Q = np.linalg.qr(np.random.default_rng(1).standard_normal((4, 4)))[0]
    K, M = Q @ np.diag([1.0, 4.0, 4.0, 9.0]) @ Q.T, np.eye(4)
    wanted = symmetric_modes(K, M)[1]
    np.testing.assert_allclose(K @ wanted, wanted * [1, 4, 4, 9], atol=1e-12)
    for seed in range(20):
        np.testing.assert_allclose(symmetric_modes(K * noise(seed, 4, 4), M)[1], wanted, atol=1e-9)


def test_damped_modes_of_equal_frequency_do_not_hang_on_rounding() -> None:
    """Two alike of a chain of three masses with one damper, in mixed coordinates: each mode is there twice."""
    K, C = np.array([(2.0, -1, 0), (-1, 2, -1), (0, -1, 1)]), np.diag([0.0, 0.3, 0.0])
    Q = np.linalg.qr(np.random.default_rng(2).standard_normal((6, 6)))[0]
    both = (Q @ np.kron(np.eye(2), matrix) @ Q.T for matrix in (K, C))
    stiffness, damping = both
    A = np.block([[np.zeros((6, 6)), np.eye(6)], [-stiffness, -damping]])
    values, vectors = settled_eig(*np.linalg.eig(A))
    np.testing.assert_allclose(A @ vectors, vectors * values, atol=1e-11)
    for seed in range(20):
        again = settled_eig(*np.linalg.eig(A * noise(seed, 12, 12)))
        np.testing.assert_allclose(again[0], values, atol=1e-11)
        np.testing.assert_allclose(again[1], vectors, atol=1e-8)


def test_independent_coordinates_and_dependent_rows_do_not_hang_on_rounding() -> None:
    """Four coordinates alike in one closure; then two pairs of equal rows: both pairs are named."""
    rows = np.array([(1.0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 1, 0), (0, 0, 1)])
    for seed in range(20):
        assert allowed(noise(seed, 1, 4)).independent == (0, 1, 2)
        least, names = dependent_rows(rows * noise(seed, 5, 3), "abcde")
        assert least < 1e-12 and names == ("a", "b", "c", "d")
