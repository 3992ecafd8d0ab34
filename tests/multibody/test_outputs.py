"""Outputs against Pinocchio, conservation, gradients and weights."""

import casadi as ca
import numpy as np
import pinocchio as pin
import pytest

from motionbase.errors import ModelError
from motionbase.multibody import GROUND, Body, Joint, Model
from motionbase.multibody.closures import DistanceClosure
from motionbase.multibody.elements import JointSpring, Motor, PointForce
from motionbase.multibody.flexible import beam
from motionbase.multibody.joints import revolute, universal
from motionbase.multibody.lookup import Point
from motionbase.multibody.models.mechanisms import bar
from motionbase.multibody.tree.coordinates import coordinate_rates
from motionbase.multibody.tree.dynamics import Tree
from motionbase.multibody.tree.loops import Loops
from motionbase.multibody.tree.outputs import Outputs
from motionbase.spatial import R_axis_angle
from tests.multibody.mechanisms import DOWN, G, motion, numbers
from tests.multibody.random_models import random_model, random_state
from tests.multibody.test_against_pinocchio import in_pinocchio, orders

KINDS = ["revolute", "prismatic", "universal", "cylindrical", "planar", "spherical", "fixed"]


@pytest.mark.parametrize("seed", range(8))
def test_energy_momentum_and_centre_of_mass_against_pinocchio(seed: int) -> None:
    """Sums of products: 1e-12 relative."""
    model = random_model(seed, 3 + seed, KINDS, free_base=seed % 2 == 0)
    q, v, _ = random_state(model, seed)
    built, places = in_pinocchio(model)
    data = built.createData()
    q_order, v_order = orders(model, built, places)
    q_pin, v_pin = np.empty(built.nq), np.empty(built.nv)
    q_pin[q_order], v_pin[v_order] = q, v
    outputs = Outputs(Tree(model))
    kinetic, potential, strain = map(float, outputs.energies.function(q, v))
    assert kinetic == pytest.approx(pin.computeKineticEnergy(built, data, q_pin, v_pin), rel=1e-12)
    assert potential == pytest.approx(pin.computePotentialEnergy(built, data, q_pin), rel=1e-12)
    assert strain == 0.0
    p_com, v_com = map(numbers, outputs.centre_of_mass.function(q, v))
    pin.centerOfMass(built, data, q_pin, v_pin)
    np.testing.assert_allclose(p_com, data.com[0], atol=1e-12)
    np.testing.assert_allclose(v_com, data.vcom[0], atol=1e-12)
    linear, angular, angular_W = map(numbers, outputs.momenta.function(q, v))
    hg = pin.computeCentroidalMomentum(built, data, q_pin, v_pin)
    np.testing.assert_allclose(linear, hg.linear, atol=1e-11)
    np.testing.assert_allclose(angular, hg.angular, atol=1e-11)
    np.testing.assert_allclose(angular_W, hg.angular + np.cross(p_com, hg.linear), atol=1e-11)


@pytest.mark.parametrize("seed", range(4))
def test_joint_loads_against_pinocchio(seed: int) -> None:
    """Pinocchio's rnea leaves the force that each joint passes on; a push at a point is its external force."""
    kinds = ["revolute", "prismatic", "spherical"]  # one Pinocchio joint for each of ours
    bare = random_model(seed, 6, kinds, free_base=seed % 2 == 0)
    model = Model("pushed", bare.bodies, bare.joints, bare.gravity, (PointForce("push", "b5", moment=True),))
    q, v, v_dot = random_state(model, seed)
    force, moment = np.array([1.0, -2.0, 3.0]), np.array([0.3, 0.2, -0.1])
    loads = Outputs(Tree(model)).joint_loads.function(q, v, v_dot, force, moment)
    built, places = in_pinocchio(model)
    data = built.createData()
    q_order, v_order = orders(model, built, places)
    q_pin, v_pin, a_pin = np.empty(built.nq), np.empty(built.nv), np.empty(built.nv)
    q_pin[q_order], v_pin[v_order], a_pin[v_order] = q, v, v_dot
    pin.forwardKinematics(built, data, q_pin)
    external = pin.StdVec_Force()
    for _ in range(built.njoints):
        external.append(pin.Force.Zero())
    pushed = next(places[j.name][0] for j in model.joints if j.child == "b5")
    R = data.oMi[pushed].rotation
    external[pushed] = pin.Force(R.T @ force, R.T @ moment)
    pin.rnea(built, data, q_pin, v_pin, a_pin, external)
    for joint, load in zip(model.joints, loads, strict=True):
        theirs = data.f[places[joint.name][0]]
        expected = np.concatenate([theirs.angular, theirs.linear])
        np.testing.assert_allclose(numbers(load), expected, atol=1e-10 * np.abs(expected).max())


def test_joint_load_along_the_joint_is_the_drive() -> None:
    """S' F = tau + spring + N motor - N^2 J v_dot: what drives the joint, less what its rotor takes."""
    bodies = bar("a", 1.0, 2.0), bar("b", 0.8, 1.0)
    joints = Joint("ja", GROUND, "a", revolute()), Joint("jb", "a", "b", revolute(), "tip")
    elements = JointSpring("spring", "ja", 30.0, rest=0.2), Motor("motor", "jb", 20.0, 1e-3)
    tree = Tree(Model("arm", bodies, joints, DOWN, elements))
    q, v, tau, torque = np.array([0.5, -0.7]), np.array([1.0, 2.0]), np.array([3.0, 1.0]), 0.15
    v_dot = numbers(tree.forward_dynamics.function(q, v, tau, torque))
    loads = Outputs(tree).joint_loads.function(q, v, v_dot, torque)
    assert numbers(loads[0])[2] == pytest.approx(3.0 - 30.0 * 0.3, rel=1e-12)
    assert numbers(loads[1])[2] == pytest.approx(1.0 + 20 * torque - 400 * 1e-3 * v_dot[1], rel=1e-12)


def test_hanging_chain_carries_its_weight() -> None:
    """Each joint of a chain at rest carries what hangs below it."""
    masses = [1.0, 2.0, 3.0]
    bodies = [bar(f"link{k}", 0.5, m) for k, m in enumerate(masses)]
    parents = [GROUND, "link0", "link1"]
    joints = [
        Joint(f"j{k}", p, f"link{k}", revolute(), (0.0, 0.0, 0.0) if k == 0 else "tip") for k, p in enumerate(parents)
    ]
    tree = Tree(Model("chain", tuple(bodies), tuple(joints), DOWN))
    q, still = np.array([-np.pi / 2, 0.0, 0.0]), np.zeros(3)
    v_dot = tree.forward_dynamics.function(q, still, still)
    np.testing.assert_allclose(numbers(v_dot), 0.0, atol=1e-13)
    for k, load in enumerate(Outputs(tree).joint_loads.function(q, still, v_dot)):
        hangs = sum(masses[k:]) * G
        np.testing.assert_allclose(numbers(load), [0, 0, 0, -hangs, 0, 0], atol=1e-12)  # x points down


@pytest.mark.parametrize("seed", [0, 2])
def test_free_floating_tree_conserves(seed: int) -> None:
    """No gravity, no forces: momentum and energy stay to 1e-9 over 1 s at 1 kHz (RK4; quaternions drift by as much)."""
    bare = random_model(seed, 4, ["revolute", "universal"], free_base=True)
    model = Model("floating", bare.bodies, bare.joints, (0.0, 0.0, 0.0))
    q, v, _ = random_state(model, seed)
    tree = Tree(model)
    qs, vs = motion(model, tree.forward_dynamics, q, 0.5 * v, 1e-3, 1000, np.zeros(model.nv))
    outputs = Outputs(tree)
    for kernel in (outputs.energies, outputs.momenta):
        start, end = (
            np.concatenate([np.atleast_1d(numbers(x)) for x in kernel.function(*at)])
            for at in ((q, 0.5 * v), (qs[-1], vs[-1]))
        )
        np.testing.assert_allclose(end, start, rtol=0, atol=1e-9 * np.abs(start).max())


def test_gradient_of_the_potential_is_gravity() -> None:
    """dV/dt = -G . v with G the gravity force: the bias force without motion."""
    for seed in range(4):
        model = random_model(seed, 5, KINDS, free_base=seed % 2 == 0)
        q, v, _ = random_state(model, seed)
        tree = Tree(model)
        qs, vs = ca.SX.sym("q", model.nq), ca.SX.sym("v", model.nv)
        potential = Outputs(tree).energies.function(qs, ca.SX(model.nv, 1))[1]
        change = ca.jtimes(potential, qs, coordinate_rates(model, qs, vs))
        gravity = numbers(tree.bias_force.function(q, np.zeros(model.nv)))
        assert float(ca.Function("f", [qs, vs], [change])(q, v)) == pytest.approx(-gravity @ v, rel=1e-11)


def flexible_loop() -> Model:
    """A bending beam on a hinge that carries a bar, whose tip a rod holds to the ground."""
    modes = beam(1.0, 2.0, EI_y=40.0, EI_z=60.0, bending=(2, 1), points={"end": 1.0})
    bodies = Body("beam", modes=modes), bar("bar", 0.6, 1.0)
    joints = (
        Joint("hinge", GROUND, "beam", revolute((0.0, 1.0, 0.0)), (0.1, 0.2, 0.3)),
        Joint("pin", "beam", "bar", universal((0.0, 1.0, 0.0), (0.0, 0.0, 1.0)), "end"),
    )
    closure = DistanceClosure("rod", "bar", "tip", GROUND, (1.8, 0.4, 0.9), 0.7)
    push = PointForce("push", "beam", "end")
    return Model("flexible_loop", bodies, joints, (0.0, 0.0, -9.81), (push,), (closure,))


def test_joint_load_of_a_flexible_loop_balances_its_momentum() -> None:
    """Root load, weight, rod and push together are the rate of linear and angular momentum (about the origin)."""
    model = flexible_loop()
    loops = Loops(model, 1e-3)
    outputs = Outputs(loops.tree)
    rng = np.random.default_rng(4)
    q, v, tau = loops.places[0].copy(), rng.standard_normal(model.nv), np.zeros(model.nv)
    q[model.q_slices[0][1]] += [0.02, -0.01, 0.03]
    force = np.array([3.0, -2.0, 5.0])
    v_dot, F = loops.forward_dynamics.function(q, v, tau, force)
    qs, vs, a = ca.SX.sym("q", model.nq), ca.SX.sym("v", model.nv), ca.SX.sym("a", model.nv)
    linear, _, angular = outputs.momenta.function(qs, vs)
    rate = ca.jtimes(ca.vertcat(angular, linear), ca.vertcat(qs, vs), ca.vertcat(coordinate_rates(model, qs, vs), a))
    changes = numbers(ca.Function("rate", [qs, vs, a], [rate])(q, v, v_dot))
    load = numbers(outputs.joint_loads.function(q, v, v_dot, force, F)[0])
    places: dict[str, tuple[str, Point]] = {"root": ("beam", (0, 0, 0)), "end": ("beam", "end"), "tip": ("bar", "tip")}
    at = outputs.points(places).function(q, v, v_dot)
    root, end, tip = (numbers(at[k]) for k in (0, 3, 6))
    R = R_axis_angle(ca.DM([0, 1, 0]), q[0])
    com = numbers(outputs.centre_of_mass.function(q, v)[0])
    rod = numbers(loops.reactions.function(q, v, tau, force))[3:]
    weight = 3.0 * np.array(model.gravity)
    moment, push_on = numbers(R @ load[:3]), numbers(R @ load[3:])
    total = np.concatenate(
        [
            moment + np.cross(root, push_on) + np.cross(com, weight) + np.cross(end, force) + np.cross(tip, rod),
            push_on + weight + force + rod,
        ]
    )
    np.testing.assert_allclose(total, changes, atol=1e-9 * np.abs(changes).max())


def test_flexible_loop_conserves_energy() -> None:
    """Strain, gravity and motion together; the beam's modes are at 25 to 170 rad/s, RK4 at 5 kHz for 0.4 s."""
    model = flexible_loop()
    loops = Loops(model, 2e-4)
    q0 = loops.places[0]
    v0 = numbers(loops.velocity_projection().function(q0, [0.5, 0.2, -0.1, 0.3, 0.4, -0.6]))
    q, v = motion(model, loops.forward_dynamics, q0, v0, 2e-4, 2000, np.zeros(model.nv), np.zeros(3))
    energies = Outputs(loops.tree).energies.function
    parts = np.array([list(map(float, energies(a, b))) for a, b in zip(q[::50], v[::50], strict=True)])
    assert np.ptp(parts[:, 2]) > 0.01
    assert np.ptp(parts.sum(axis=1)) < 1e-7 * np.ptp(parts[:, 0])
    assert np.abs(numbers(loops.residuals.function(q[-1], v[-1])[0])) < 1e-9


def test_point_outputs() -> None:
    """A swinging bar's tip: centripetal and tangential acceleration."""
    tree = Tree(Model("bar", (bar("bar", 0.8, 1.0),), (Joint("j", GROUND, "bar", revolute()),), DOWN))
    kernel = Outputs(tree).points({"tip": ("bar", "tip"), "mid": ("bar", (0.4, 0.0, 0.0)), "home": (GROUND, (1, 2, 3))})
    assert [p.name for p in kernel.outputs[:3]] == ["tip_position", "tip_velocity", "tip_acceleration"]
    q, w, alpha = 0.0, 3.0, 5.0
    p, V, A, *rest = map(numbers, kernel.function([q], [w], [alpha]))
    np.testing.assert_allclose(p, [0.8, 0, 0], atol=1e-15)
    np.testing.assert_allclose(V, [0, 0, w, 0, 0.8 * w, 0], atol=1e-15)
    np.testing.assert_allclose(A, [0, 0, alpha, -0.8 * w**2, 0.8 * alpha, 0], atol=1e-14)
    np.testing.assert_allclose(rest[2], [0, 0, alpha, -0.4 * w**2, 0.4 * alpha, 0], atol=1e-14)
    np.testing.assert_allclose(rest[3], [1, 2, 3])
    with pytest.raises(ModelError, match=r"output 'x': body 'bar' has no point 'top'; points: tip"):
        Outputs(tree).points({"x": ("bar", "top")})
