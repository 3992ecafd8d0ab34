"""Natural modes against closed forms; nothing hangs on rounding where frequencies are equal."""

import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from motionbase.errors import ModelError
from motionbase.multibody import GROUND, Body, Joint, Model
from motionbase.multibody.analysis import equilibrium, modes
from motionbase.multibody.analysis.nullspace import allowed
from motionbase.multibody.closures import DistanceClosure, PointClosure, WeldClosure
from motionbase.multibody.eigen import symmetric_modes
from motionbase.multibody.elements import JointDamper, JointSpring
from motionbase.multibody.flexible import beam
from motionbase.multibody.joints import Free, fixed, prismatic, revolute, universal
from motionbase.multibody.models.classics import pendulum, two_link
from motionbase.multibody.tree.dynamics import Tree
from motionbase.multibody.tree.redundancy import dependent_rows
from tests.multibody.mechanisms import chain_of_masses, four_bar

Array = Any
settled_eig = sys.modules["motionbase.multibody.analysis.modes"]._settled  # `modes` itself is the function
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
G = 9.80665
NONE = (0.0, 0.0, 0.0)


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
    assert stiff.kinds == ("driver",)
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
