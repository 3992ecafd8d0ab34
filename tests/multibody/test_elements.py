"""Elements against closed forms: frequencies, decay, stopping times, power."""

import math
from typing import Any

import casadi as ca
import numpy as np
import pytest

from motionbase.compile import Port
from motionbase.multibody import GROUND, Body, Joint, Model
from motionbase.multibody.elements import (
    AbstractElement,
    Custom,
    JointDamper,
    JointFriction,
    JointLimit,
    JointSpring,
    Motor,
    PointForce,
    PointSpring,
    Wrench,
)
from motionbase.multibody.joints import Free, prismatic, revolute
from motionbase.multibody.tree.dynamics import Tree
from motionbase.multibody.tree.outputs import Outputs
from motionbase.multibody.tree.state import TreeState
from tests.multibody.mechanisms import motion, numbers
from tests.multibody.random_models import random_model, random_state

X = (1.0, 0.0, 0.0)
NONE = (0.0, 0.0, 0.0)


def cart(*elements: AbstractElement, mass: float = 2.0) -> Model:
    """One mass on a rail."""
    return Model("cart", (Body("cart", mass),), (Joint("rail", GROUND, "cart", prismatic(X)),), NONE, elements)


def test_oscillator_frequency_and_decay() -> None:
    """x = exp(-z w t) cos(w_d t) + ...: RK4 at w h = 0.02 is right to 1e-9."""
    m, k, c, h, n = 2.0, 50.0, 1.2, 4e-3, 1000
    model = cart(JointSpring("spring", "rail", k, rest=0.1), JointDamper("damper", "rail", c))
    x, v = motion(model, Tree(model).forward_dynamics, [0.4], [0.0], h, n, [0.0])
    t = h * np.arange(1, n + 1)
    decay = c / (2 * m)
    w = math.sqrt(k / m - decay**2)
    expected = 0.1 + 0.3 * np.exp(-decay * t) * (np.cos(w * t) + decay / w * np.sin(w * t))
    np.testing.assert_allclose(x[:, 0], expected, atol=2e-8)
    strain = Outputs(Tree(model)).energies.function([0.4], [0.0])[2]
    assert float(strain) == pytest.approx(0.5 * k * 0.3**2)


def test_friction_stops_in_time() -> None:
    """Coulomb friction alone: v0 m / f seconds, less the last bit below v_s; then it stays."""
    m, f, v0, h = 2.0, 3.0, 1.5, 2e-4
    model = cart(JointFriction("friction", "rail", coulomb=f, v_s=1e-3), mass=m)
    stop = v0 * m / f
    _, v = motion(model, Tree(model).forward_dynamics, [0.0], [v0], h, int(1.2 * stop / h), [0.0])
    t = h * np.arange(1, len(v) + 1)
    before = t < 0.99 * stop
    np.testing.assert_allclose(v[before, 0], v0 - f / m * t[before], atol=1e-6)
    assert np.abs(v[t > 1.05 * stop]).max() < 1e-8
    viscous = cart(JointFriction("friction", "rail", viscous=0.8), mass=m)
    _, v = motion(viscous, Tree(viscous).forward_dynamics, [0.0], [v0], 1e-3, 1000, [0.0])
    assert v[-1, 0] == pytest.approx(v0 * math.exp(-0.8 / m), rel=1e-10)


def test_motor_inertia_and_torque() -> None:
    """N^2 J beside the mass, N tau as force; energy counts the rotor."""
    N, J, m, torque = 12.0, 0.02, 2.0, 0.7
    model = cart(Motor("motor", "rail", ratio=N, rotor_inertia=J), mass=m)
    tree = Tree(model)
    assert [str(p) for p in tree.forward_dynamics.inputs[3:]] == ["motor_torque (scalar) [N m]"]
    assert float(tree.mass_matrix.function([0.3])) == pytest.approx(m + N**2 * J)
    assert float(tree.forward_dynamics.function([0.0], [0.0], [0.5], torque)) == pytest.approx(
        (0.5 + N * torque) / (m + N**2 * J)
    )
    assert float(Outputs(tree).energies.function([0.0], [3.0])[0]) == pytest.approx(0.5 * (m + N**2 * J) * 9)


def test_limit_is_one_sided_and_conserves() -> None:
    """A bounce without damping comes back as fast as it went in; with damping, slower; inside, no force at all."""
    limit = JointLimit("stops", "rail", -0.1, 0.2, stiffness=1e4, blend=5e-3)
    model = cart(limit)
    tree = Tree(model)
    assert float(tree.forward_dynamics.function([0.19], [5.0], [0.0])) == 0.0
    assert float(tree.forward_dynamics.function([0.25], [0.0], [0.0])) == pytest.approx(-1e4 * (0.05 - 0.0025) / 2)
    assert float(tree.forward_dynamics.function([-0.15], [0.0], [0.0])) == pytest.approx(1e4 * (0.05 - 0.0025) / 2)
    x, v = motion(model, tree.forward_dynamics, [0.15], [1.0], 1e-4, 1600, [0.0])
    assert v[-1, 0] == pytest.approx(-1.0, abs=1e-7) and x.max() > 0.2
    E = [sum(map(float, Outputs(tree).energies.function(a, b))) for a, b in zip(x[::20], v[::20], strict=True)]
    assert np.ptp(E) < 1e-6
    soft = cart(JointLimit("stops", "rail", -0.1, 0.2, stiffness=1e4, damping=60.0, blend=5e-3))
    _, v = motion(soft, Tree(soft).forward_dynamics, [0.15], [1.0], 1e-4, 1600, [0.0])
    assert -0.9 < v[-1, 0] < -0.3
    # leaving fast, the damper alone would pull
    assert float(Tree(soft).forward_dynamics.function([0.21], [-50.0], [0.0])) == 0.0
    upper = cart(JointLimit("stop", "rail", -math.inf, 0.2, stiffness=1e4))
    assert float(Tree(upper).forward_dynamics.function([-9.0], [0.0], [0.0])) == 0.0


@pytest.mark.parametrize("axes", ["world", "body"])
def test_power_of_a_point_force(axes: Any) -> None:
    """F . v + m . omega of the point, in random trees."""
    for seed in range(4):
        bare = random_model(seed, 5, ["revolute", "universal", "spherical", "planar"], free_base=seed % 2 == 0)
        push = PointForce("push", "b4", (0.1, 0.2, 0.3), axes, moment=True)
        model = Model("pushed", bare.bodies, bare.joints, bare.gravity, (push,))
        q, v, _ = random_state(model, seed)
        rng = np.random.default_rng(seed)
        force, moment = rng.standard_normal(3), rng.standard_normal(3)
        tree = Tree(model)
        assert [p.name for p in tree.element_force.inputs] == ["q", "v", "push_force", "push_moment"]
        power = numbers(tree.element_force.function(q, v, force, moment)) @ v
        qs, vs = ca.SX.sym("q", model.nq), ca.SX.sym("v", model.nv)
        at = TreeState.of(model, qs, vs).point("b4", (0.1, 0.2, 0.3))
        R, velocity = (numbers(x) for x in ca.Function("at", [qs, vs], [at.R, at.velocity])(q, v))
        if axes == "body":
            force, moment = R @ force, R @ moment
        assert power == pytest.approx(velocity @ np.concatenate([moment, force]), rel=1e-12)


def test_point_spring_between_bodies() -> None:
    """Two masses on one rail: relative motion at sqrt(k / m_reduced), momentum kept; and energy with damping zero."""
    m1, m2, k, l, h = 2.0, 3.0, 40.0, 0.5, 2e-3
    bodies = Body("a", m1), Body("b", m2)
    joints = Joint("ra", GROUND, "a", prismatic(X)), Joint("rb", GROUND, "b", prismatic(X))
    model = Model("pair", bodies, joints, NONE, (PointSpring("s", "a", body_b="b", stiffness=k, length=l),))
    x, v = motion(model, Tree(model).forward_dynamics, [0.0, 0.7], [0.3, 0.3], h, 500, [0.0, 0.0])
    w = math.sqrt(k * (1 / m1 + 1 / m2))
    t = h * np.arange(1, 501)
    np.testing.assert_allclose(x[:, 1] - x[:, 0] - l, 0.2 * np.cos(w * t), atol=1e-8)
    np.testing.assert_allclose(v @ [m1, m2], 0.3 * (m1 + m2), atol=1e-12)
    at_rest = Tree(model).element_force.function([0.4, 0.4], [0.0, 0.0])  # coincident ends: no direction, no force
    np.testing.assert_array_equal(numbers(at_rest), 0.0)


def test_law_as_a_compliant_contact() -> None:
    """Two balls that push when nearer than 0.3 m: they part as fast as they met."""
    r, k = 0.3, 5e3

    def law(l: Any, rate: Any) -> Any:
        return -k * ca.fmax(r - l, 0)

    bodies = Body("a", 1.0), Body("b", 1.0)
    joints = Joint("ra", GROUND, "a", prismatic(X)), Joint("rb", GROUND, "b", prismatic(X))
    model = Model("balls", bodies, joints, NONE, (PointSpring("touch", "a", body_b="b", law=law),))
    _, v = motion(model, Tree(model).forward_dynamics, [0.0, 0.5], [1.0, -1.0], 1e-4, 2000, [0.0, 0.0])
    np.testing.assert_allclose(v[-1], [-1.0, 1.0], atol=1e-4)  # the kink costs RK4 its order


def test_custom_gravity_gradient() -> None:
    """A satellite librates in pitch at n sqrt(3 (I_roll - I_yaw) / I_pitch) about the local vertical (small angles)."""
    n, I = 0.001, (30.0, 50.0, 20.0)  # roll along the path, pitch normal to the orbit, yaw down

    def gradient(state: TreeState) -> Any:
        R = state.point("sat").R  # orbital axes stand still here: the test looks at pitch alone, in one plane
        down = R.T @ ca.DM([0, 0, 1])
        moment = 3 * n**2 * ca.cross(down, ca.DM(np.diag(I)) @ down)
        return ca.vertcat(R @ moment, ca.DM.zeros(3))

    body = Body("sat", 100.0, inertia=I)
    joint = Joint("pitch", GROUND, "sat", revolute((0.0, 1.0, 0.0)))
    model = Model("sat", (body,), (joint,), NONE, (Custom("gradient", gradient, body="sat"),))
    w = n * math.sqrt(3 * (I[0] - I[2]) / I[1])
    h = 2 * math.pi / w / 1000
    x, _ = motion(model, Tree(model).forward_dynamics, [1e-3], [0.0], h, 1000, [0.0])
    assert x[-1, 0] == pytest.approx(1e-3, rel=1e-6) and x[499, 0] == pytest.approx(-1e-3, rel=1e-6)


def test_custom_forms() -> None:
    """A generalised force, a wrench and a list of wrenches say the same."""
    bare = random_model(3, 4, ["revolute", "universal"], free_base=False)

    def wrench(state: TreeState, gain: Any) -> Any:
        return gain * ca.vertcat(0.1, 0.2, 0.3, state.point("b3", (0.1, 0.0, 0.0)).velocity[3:])

    def generalised(state: TreeState, gain: Any) -> Any:
        return state.point("b3", (0.1, 0.0, 0.0)).J.T @ wrench(state, gain)

    def several(state: TreeState, gain: Any) -> Any:
        value = wrench(state, gain)
        return (Wrench("b3", (0.1, 0.0, 0.0), value), Wrench(GROUND, (0.0, 0.0, 0.0), -value))

    gain = (Port("gain", (), "-"),)
    forms = (
        Custom("c", wrench, body="b3", point=(0.1, 0.0, 0.0), ports=gain),
        Custom("c", generalised, ports=gain),
        Custom("c", several, ports=gain),
    )
    q, v, _ = random_state(bare, 3)
    found = []
    for form in forms:
        model = Model("custom", bare.bodies, bare.joints, bare.gravity, (form,))
        assert Tree(model).element_force.inputs[2].name == "c_gain"
        found.append(numbers(Tree(model).element_force.function(q, v, 0.7)))
    np.testing.assert_allclose(found[1], found[0], atol=1e-14)
    np.testing.assert_allclose(found[2], found[0], atol=1e-14)
    assert np.abs(found[0]).max() > 0


def test_order_of_inputs() -> None:
    """Elements in the model's order, each with its own order within, after q, v and tau."""
    model = Model(
        "order",
        (Body("b", 1.0, inertia=(1.0, 1.0, 1.0)),),
        (Joint("j", GROUND, "b", Free()),),
        elements=(PointForce("f", "b", moment=True), JointDamper("d", "j", 1.0, axis=5), Motor("m", "j", axis=2)),
    )
    names = [p.name for p in Tree(model).forward_dynamics.inputs]
    assert names == ["q", "v", "tau", "f_force", "f_moment", "m_torque"]
