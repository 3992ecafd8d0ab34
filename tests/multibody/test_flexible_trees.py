"""Flexible trees: mass matrix and forces against the sum over particles, conservation, power, and points."""

from functools import cache
from typing import Any

import casadi as ca
import numpy as np
import pytest

from motionbase.multibody import GROUND, Body, Joint, Model
from motionbase.multibody.flexible import ModalPoint, Modes, beam
from motionbase.multibody.joints import Free, Spherical, revolute, universal
from motionbase.multibody.tree.dynamics import Tree
from motionbase.multibody.tree.modal import tangent
from motionbase.multibody.tree.state import TreeState
from tests.multibody.random_models import random_rotation

Array = Any
PARTICLES = 5


def random_modes(rng: np.random.Generator, n: int) -> tuple[Modes, Array, Array, Array]:
    """A cloud of particles with shapes that have nothing special about them; masses, places and shapes too."""
    masses, places = rng.uniform(0.2, 1, PARTICLES), rng.uniform(-0.5, 0.5, (PARTICLES, 3))
    shapes = rng.standard_normal((PARTICLES, 3, n))
    A, B = rng.standard_normal((2, n, n))
    point = ModalPoint(rng.uniform(-0.5, 0.5, 3), rng.standard_normal((3, n)), rng.standard_normal((3, n)))
    modes = Modes.from_particles(masses, places, shapes, stiffness=A @ A.T, damping=B @ B.T, points={"tip": point})
    return modes, masses, places, shapes


@cache
def arm(gravity: bool = True) -> tuple[Model, list[tuple[Array, Array, Array]]]:
    """Two flexible bodies and a rigid one, each on the tip of the one before, and one more on the first."""
    rng = np.random.default_rng(7)
    made = [random_modes(rng, n) for n in (3, 2, 1)]
    bodies = [Body(f"b{k}", modes=modes) for k, (modes, *_) in enumerate(made)]
    motions = [Spherical(), universal(), revolute()]
    carriers: list[tuple[str, Any]] = [(GROUND, (0.1, 0.2, 0.3)), ("b0", "tip"), ("b0", (0.3, -0.2, 0.1))]
    joints = [
        Joint(f"j{k}", parent, f"b{k}", motion, at, random_rotation(rng).tolist())
        for k, ((parent, at), motion) in enumerate(zip(carriers, motions, strict=True))
    ]
    bodies.append(Body("payload", 2.0, (0.2, -0.1, 0.4)))
    joints.append(Joint("grip", "b1", "payload", revolute((1.0, 2.0, -1.0)), "tip"))
    weight = (1.0, -2.0, 3.0) if gravity else (0.0, 0.0, 0.0)
    return Model("arm", tuple(bodies), tuple(joints), weight), [
        *((m, r, s) for _, m, r, s in made),
        (np.array([2.0]), np.array([[0.2, -0.1, 0.4]]), np.zeros((1, 3, 0))),
    ]


def state_of(model: Model, seed: int, size: float = 0.3) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(seed)
    q = rng.uniform(-1, 1, model.nq)
    for joint, (at, modes) in zip(model.joints, model.q_slices, strict=True):
        q[modes] *= size
        if joint.motion.has_quaternion:
            q[at.stop - 4 : at.stop] /= np.linalg.norm(q[at.stop - 4 : at.stop])
    return q, rng.standard_normal(model.nv), rng.standard_normal(model.nv)


def rate(model: Model, q: Array, v: Array) -> Array:
    parts = []
    for joint, (at, _), (own, modes) in zip(model.joints, model.q_slices, model.v_slices, strict=True):
        parts += [joint.motion.rate(q[at, 0], v[own, 0]), v[modes, 0]]
    return ca.vertcat(*parts)


@cache
def by_particles() -> Any:
    """M and G of the arm as sums over particles: positions are differentiated, nothing of the recursion is used."""
    model, clouds = arm()
    q, v = ca.SX.sym("q", model.nq), ca.SX.sym("v", model.nv)
    state = TreeState.of(model, q, v)
    M, G, G_coriolis = ca.SX(model.nv, model.nv), ca.SX(model.nv, 1), ca.SX(model.nv, 1)
    places = []
    q_dot = rate(model, q, v)
    for k, (masses, r, shapes) in enumerate(clouds):
        T = state.motions[k].T_Wb
        eta, eta_dot = q[model.q_slices[k][1], 0], v[model.v_slices[k][1], 0]
        for m, place, shape in zip(masses, r, shapes, strict=True):
            x = T.point(ca.DM(place) + ca.DM(shape) @ eta)
            x_dot = ca.jtimes(x, q, q_dot)
            J = ca.jacobian(x_dot, v)
            M += m * J.T @ J
            x_ddot = ca.jtimes(x_dot, q, q_dot)  # speeds held
            G -= m * J.T @ (x_ddot - ca.DM(model.gravity))
            G_coriolis -= m * J.T @ (T.R @ (2 * ca.cross(state.motions[k].V[:3], ca.DM(shape) @ eta_dot)))
            places.append(x)
    return ca.Function("particles", [q, v], [M, G, G_coriolis, ca.horzcat(*places)])


@pytest.mark.parametrize("seed", range(3))
def test_equations_are_those_of_the_particles(seed: int) -> None:
    """1e-11 of the largest entry: roundings of sums of a few hundred terms."""
    model, _ = arm()
    q, v, _ = state_of(model, seed)
    M, G, G_coriolis, _ = (np.array(x) for x in by_particles()(q, v))
    tree = Tree(model)
    ours = np.array(tree.mass_matrix.function(q))
    np.testing.assert_allclose(ours, M, rtol=0, atol=1e-11 * np.abs(M).max())
    np.testing.assert_allclose(ours, ours.T, rtol=0, atol=1e-14 * np.abs(M).max())
    assert np.linalg.eigvalsh(ours)[0] > 0
    bias = np.array(tree.bias_force.function(q, v))
    np.testing.assert_allclose(bias, G, rtol=0, atol=1e-11 * np.abs(G).max())
    # the switch takes out 2 omega x (shape eta_dot) of every particle, and nothing else
    without = np.array(Tree(model, coriolis_of_modes=False).bias_force.function(q, v))
    np.testing.assert_allclose(without, G - G_coriolis, rtol=0, atol=1e-11 * np.abs(G).max())
    assert np.abs(G_coriolis).max() > 1e-2 * np.abs(G).max()


def test_kinetic_energy_by_finite_differences() -> None:
    """Particles along q(t): central differences with h = 1e-4, error about h^2."""
    model, clouds = arm()
    q, v, _ = state_of(model, 11)
    masses = np.concatenate([m for m, *_ in clouds])
    symbols = ca.SX.sym("q", model.nq), ca.SX.sym("v", model.nv)
    f = ca.Function("rate", list(symbols), [rate(model, *symbols)])

    def places(t: float) -> Array:
        k1 = np.array(f(q, v)).ravel()
        k2 = np.array(f(q + t / 2 * k1, v)).ravel()
        return np.array(by_particles()(q + t * k2, v)[3])

    x_dot = (places(1e-4) - places(-1e-4)) / 2e-4
    energy = 0.5 * np.sum(masses * np.sum(x_dot**2, axis=0))
    M = np.array(Tree(model).mass_matrix.function(q))
    assert 0.5 * v @ M @ v == pytest.approx(energy, rel=1e-6)


def test_drawn_in_particles() -> None:
    """Particles drawn in by eta' bow eta / 2: the kinetic energy is theirs at any amplitude."""
    rng = np.random.default_rng(5)
    n = 3
    masses, r, shapes = rng.uniform(0.2, 1, 5), rng.uniform(-1, 1, (5, 3)), rng.standard_normal((5, 3, n))
    bow = rng.standard_normal((5, 3, n, n))
    bow = bow + np.swapaxes(bow, 2, 3)
    modes = Modes.from_particles(masses, r, shapes, stiffness=np.eye(n), shortenings=bow)
    model = Model("one", (Body("b", modes=modes),), (Joint("j", GROUND, "b", Free()),))
    V, eta = rng.standard_normal(6), rng.standard_normal(n)
    v = np.concatenate([V, rng.standard_normal(n)])
    place = r + shapes @ eta + 0.5 * np.einsum("pajk,j,k->pa", bow, eta, eta)
    speed = np.cross(V[:3], place) + V[3:] + (shapes + bow @ eta) @ v[6:]
    M = np.array(Tree(model).mass_matrix.function(np.concatenate([model.neutral[:7], eta])))
    assert 0.5 * v @ M @ v == pytest.approx(0.5 * np.sum(masses * np.sum(speed**2, axis=1)), rel=1e-12)


def flexible_pair(stiffening: bool) -> Tree:
    """A free beam, bending both ways, stretching and twisting, with a second beam on a hinge at its tip."""
    first = beam(
        3.0, 2.0, EI_y=40.0, EI_z=60.0, EA=2e3, GJ=30.0, bending=(2, 2), axial=1, torsion=1,
        inertia_per_length=(0.05, 0.03, 0.02),
    )  # fmt: skip
    second = beam(2.0, 1.0, EI_y=20.0, bending=(0, 2), inertia_per_length=(0.02, 0.01, 0.01))
    model = Model(
        "pair",
        (Body("a", modes=first), Body("b", modes=second)),
        (Joint("fly", GROUND, "a", Free()), Joint("hinge", "a", "b", revolute((0.0, 1.0, 0.0)), "tip")),
        (0.0, 0.0, 0.0),
    )
    return Tree(model, stiffening=stiffening)


def invariants(tree: Tree) -> Any:
    """Energy, then momentum and angular momentum about the world's origin."""
    model = tree.model
    q, v = ca.SX.sym("q", model.nq), ca.SX.sym("v", model.nv)
    M = tree.state(q, v).mass_matrix()
    eta = ca.SX(model.nv, 1)
    for (_, at_q), (_, at_v) in zip(model.q_slices, model.v_slices, strict=True):
        eta[at_v] = q[at_q]
    energy = 0.5 * (ca.dot(v, M @ v) + ca.dot(eta, ca.DM(tree.stiffness) @ eta))
    p = (M @ v)[:6]  # the free joint's speeds are the root's: what they meet is the whole tree's momentum
    R = tree.state(q, v).motions[0].T_Wb.R
    linear = R @ p[3:]
    return ca.Function("invariants", [q, v], [energy, linear, R @ p[:3] + ca.cross(q[:3], linear)])


def march(tree: Tree, q: Array, v: Array, dt: float, steps: int) -> tuple[Array, Array]:
    """Classical Runge-Kutta."""
    model = tree.model
    x, u = ca.SX.sym("q", model.nq), ca.SX.sym("v", model.nv)
    f = tree.forward_dynamics.function
    y = ca.MX.sym("y", model.nq + model.nv)
    g = ca.Function("rate", [x, u], [rate(model, x, u)])
    slope = ca.Function("f", [y], [ca.vertcat(g(y[: model.nq], y[model.nq :]), f(y[: model.nq], y[model.nq :], 0))])
    k1 = slope(y)
    k2 = slope(y + dt / 2 * k1)
    k3 = slope(y + dt / 2 * k2)
    k4 = slope(y + dt * k3)
    step = ca.Function("step", [y], [y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)])
    at = np.array(step.mapaccum(steps)(np.concatenate([q, v])))[:, -1]
    return at[: model.nq], at[model.nq :]


@pytest.mark.parametrize("stiffening", [False, True])
def test_free_flight_conserves_energy_and_momentum(stiffening: bool) -> None:
    """Half a second, deflections of 3 % of the length: drift below 1e-8 at 1 ms, and the motion is of fourth order."""
    tree = flexible_pair(stiffening)
    q, v, _ = state_of(tree.model, 3, size=0.0)
    v[6:] *= 0.3
    of = invariants(tree)
    start = [np.array(x) for x in of(q, v)]
    ends = {n: march(tree, q, v, 0.5 / n, n) for n in (250, 500, 2000)}
    assert np.abs(ends[500][0][7:]).max() > 0.05  # it does bend
    for x, x0 in zip(of(*ends[500]), start, strict=True):
        assert np.abs(np.array(x) - x0).max() < 1e-8 * np.linalg.norm(x0)
    coarse, fine = (np.abs(ends[n][0] - ends[2000][0]).max() for n in (250, 500))
    assert coarse / fine > 14


@pytest.mark.parametrize("stiffening", [False, True])
def test_power(stiffening: bool) -> None:
    """The rate of energy is what joints put in less what damping takes: exact derivatives, so roundings only."""
    tree = Tree(arm(gravity=False)[0], stiffening=stiffening) if not stiffening else flexible_pair(True)
    model = tree.model
    q, v, tau = state_of(model, 5)
    for _, at in model.v_slices:
        tau[at] = 0.0
    energy = invariants(tree)
    x, u = ca.SX.sym("q", model.nq), ca.SX.sym("v", model.nv)
    E = energy(x, u)[0]
    gradient = ca.Function("gradient", [x, u], [ca.gradient(E, x), ca.gradient(E, u), rate(model, x, u)])
    by_q, by_v, q_dot = (np.array(g).ravel() for g in gradient(q, v))
    v_dot = np.array(tree.forward_dynamics.function(q, v, tau)).ravel()
    power = v @ tau - v @ tree.damping @ v
    assert by_q @ q_dot + by_v @ v_dot == pytest.approx(power, abs=1e-9 * float(abs(by_v @ v_dot)))


@pytest.mark.parametrize("name", ["arm", "pair"])
def test_points_by_finite_differences(name: str) -> None:
    """Position, velocity and acceleration of a tip on a tip; central differences with h = 1e-5."""
    tree = Tree(arm()[0]) if name == "arm" else flexible_pair(True)
    model = tree.model
    q0, v0, _ = state_of(model, 9)
    q, v = ca.SX.sym("q", model.nq), ca.SX.sym("v", model.nv)
    at = tree.state(q, v).point("b1" if name == "arm" else "b", "tip")
    place = ca.Function("place", [q, v], [at.p, at.R, at.velocity, at.J, at.acceleration])
    f = ca.Function("rate", [q, v], [rate(model, q, v)])
    h = 1e-5

    def along(t: float) -> list[Array]:
        k1 = np.array(f(q0, v0)).ravel()
        k2 = np.array(f(q0 + t / 2 * k1, v0)).ravel()
        return [np.array(x).squeeze() for x in place(q0 + t * k2, v0)]

    now, after, before = along(0.0), along(h), along(-h)
    W = (after[1] - before[1]) / (2 * h) @ now[1].T
    np.testing.assert_allclose(now[2][3:], (after[0] - before[0]) / (2 * h), atol=1e-6)
    np.testing.assert_allclose(now[2][:3], [W[2, 1], W[0, 2], W[1, 0]], atol=1e-6)
    np.testing.assert_allclose(now[3] @ v0, now[2], atol=1e-12)
    np.testing.assert_allclose(now[4], (after[2] - before[2]) / (2 * h), atol=1e-4)


def test_free_fall_and_steady_flight_deform_nothing() -> None:
    """A uniform gravity field and a steady velocity of the whole change no modal acceleration, stiffening included."""
    still = flexible_pair(True)
    falling = Tree(Model("falling", still.model.bodies, still.model.joints, (3.0, -5.0, 7.0)))
    q, v, tau = state_of(still.model, 4, size=0.1)
    at_rest = np.array(still.forward_dynamics.function(q, v, tau)).ravel()
    R = np.array(ca.evalf(still.state(ca.DM(q), ca.DM(v)).motions[0].T_Wb.R))
    weight = np.concatenate([np.zeros(3), R.T @ [3.0, -5.0, 7.0], np.zeros(len(v) - 6)])
    fallen = np.array(falling.forward_dynamics.function(q, v, tau)).ravel()
    np.testing.assert_allclose(fallen, at_rest + weight, atol=1e-8 * np.abs(at_rest).max())
    flown = v + np.concatenate([np.zeros(3), R.T @ [2.0, 1.0, -4.0], np.zeros(len(v) - 6)])
    moving = np.array(still.forward_dynamics.function(q, flown, tau)).ravel()
    np.testing.assert_allclose(moving[6:], at_rest[6:], atol=1e-8 * np.abs(at_rest).max())


def test_tangent_of_a_pendulum() -> None:
    """m l^2 x_ddot + c x_dot + m g l x: gravity's stiffness at rest, by hand."""
    model = Model("p", (Body("b", 2.0, (0.0, 0.0, -0.5)),), (Joint("j", GROUND, "b", revolute((0.0, 1.0, 0.0))),))
    M, C, K = (float(x) for x in Tree(model).linearised.function(0.0, 0.0, 0.0))
    assert (M, C) == (0.5, 0.0) and K == pytest.approx(2.0 * 9.81 * 0.5)
    assert tangent(model, ca.SX(1, 1), ca.SX.sym("q"), ca.SX.sym("v"))[0].shape == (1, 1)
