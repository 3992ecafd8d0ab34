"""Grapple and release: closures that are switched while a compiled kernel runs, and the jump when they take hold."""

from itertools import product

import numpy as np
import pytest

from motionbase.compile import compile
from motionbase.errors import ModelError
from motionbase.multibody import GROUND, Body, Joint, Model
from motionbase.multibody.closures import AbstractClosure, DistanceClosure, PointClosure, WeldClosure
from motionbase.multibody.joints import Free, revolute
from motionbase.multibody.tree.dynamics import Tree
from motionbase.multibody.tree.loops import Loops
from motionbase.multibody.tree.outputs import Outputs
from tests.multibody.mechanisms import Array, four_bar, four_bar_angles, motion, numbers

H = 1e-3


def with_closures(*closures: AbstractClosure) -> Model:
    model = four_bar()
    return Model("switched", model.bodies, model.joints, model.gravity, closures=closures)


def test_every_combination_is_the_model_with_just_those_closures() -> None:
    """Two closures that are redundant together (a point, and the same distances): four models in one kernel."""
    q = four_bar_angles(0.7)
    point = PointClosure("point", "coupler", "tip", "rocker", "tip", switchable=True)
    # tip of the coupler at its distance from the rocker's foot: follows from the point closure
    rod = DistanceClosure("rod", "coupler", "tip", GROUND, (0.7, 0.0, 0.0), 0.6, switchable=True)
    loops = Loops(with_closures(point, rod), H, around=q)
    assert "rod.length" in {r.row for r in loops.redundant}
    v, tau = np.array([1.0, -0.5, 0.3]), np.array([0.2, 0.1, -0.4])
    assert [p.name for p in loops.forward_dynamics.inputs] == ["q", "v", "tau", "point_active", "rod_active"]
    forward = compile(loops.forward_dynamics)
    for point_on, rod_on in product((1.0, 0.0), repeat=2):
        held = [c for c, on in ((point, point_on), (rod, rod_on)) if on]
        v_dot, F = forward(q=q, v=v, tau=tau, point_active=point_on, rod_active=rod_on)
        if held:
            fixed = with_closures(*(type(c)(**{**vars(c), "switchable": False}) for c in held))
            expected = Loops(fixed, H, around=q).forward_dynamics.function(q, v, tau)[0]
        else:
            expected = Tree(with_closures()).forward_dynamics.function(q, v, tau)
            np.testing.assert_array_equal(F, 0.0)
        np.testing.assert_allclose(v_dot, numbers(expected), rtol=1e-9)


def test_release_lets_go() -> None:
    """Off from the start and never there give the same motion."""
    q0 = four_bar_angles(0.7)
    loops = Loops(with_closures(PointClosure("loop", "coupler", "tip", "rocker", "tip", switchable=True)), H, around=q0)
    tree = with_closures()
    a, _ = motion(loops.model, loops.forward_dynamics, q0, np.zeros(3), H, 100, np.zeros(3), 0.0)
    b, _ = motion(tree, Tree(tree).forward_dynamics, q0, np.zeros(3), H, 100, np.zeros(3))
    np.testing.assert_allclose(a, b, atol=1e-12)


def arm_and_payload() -> Model:
    """A free-flying base with a two-link arm, and a payload that drifts into its hand."""
    base = Body("base", 100.0, (0.1, 0.0, 0.2), (40.0, 50.0, 60.0))
    links = [Body(f"link{k}", 5.0, (0.5, 0.0, 0.0), (0.1, 0.5, 0.5), points={"tip": (1.0, 0.0, 0.0)}) for k in range(2)]
    load = Body("load", 20.0, (0.1, 0.2, -0.1), (3.0, 4.0, 5.0), points={"pin": (-0.4, 0.0, 0.0)})
    joints = (
        Joint("base", GROUND, "base", Free()),
        Joint("shoulder", "base", "link0", revolute((0.0, 1.0, 0.0)), (0.5, 0.0, 0.0)),
        Joint("elbow", "link0", "link1", revolute((0.0, 0.0, 1.0)), "tip"),
        Joint("load", GROUND, "load", Free()),
    )
    grapple = WeldClosure("grapple", "load", "pin", "link1", "tip", switchable=True)
    return Model("capture", (base, *links, load), joints, (0.0, 0.0, 0.0), closures=(grapple,))


def placed(loops: Loops, q: Array, *active: float) -> Array:
    """Newton steps until the closures are met."""
    project = loops.position_projection().function
    for _ in range(8):
        q = numbers(project(q, *active)[0])
    return q


def test_capture_keeps_momentum_and_loses_energy() -> None:
    model = arm_and_payload()
    q0 = np.concatenate([[0, 0, 0, 1, 0, 0, 0, 0.3, -0.4], [2.2, -0.5, -0.3, 1, 0, 0, 0]])
    loops = Loops(model, H, around=q0)
    q = placed(loops, q0, 1.0)
    rng = np.random.default_rng(3)
    v = rng.uniform(-0.5, 0.5, model.nv)
    v_plus, P = (numbers(x) for x in loops.capture.function(q, v, 1.0))
    outputs = Outputs(loops.tree)
    before, after = ([numbers(x) for x in outputs.momenta.function(q, w)] for w in (v, v_plus))
    for a, b in zip(before, after, strict=True):
        np.testing.assert_allclose(b, a, rtol=0, atol=1e-11 * max(1.0, np.abs(a).max()))
    lost = float(outputs.energies.function(q, v)[0]) - float(outputs.energies.function(q, v_plus)[0])
    M = numbers(loops.tree.mass_matrix.function(q))
    assert lost > 0
    np.testing.assert_allclose(lost, 0.5 * (v - v_plus) @ M @ (v - v_plus), rtol=1e-9)  # Carnot's theorem
    rate = numbers(loops.residuals.function(q, v_plus)[1])
    np.testing.assert_allclose(rate, 0.0, atol=1e-13)
    # the payload alone: its change of momentum is the impulse of the weld's first three rows, in the hand's axes
    assert np.linalg.norm(P[:3]) > 1.0
    same, none = (numbers(x) for x in loops.capture.function(q, v, 0.0))
    np.testing.assert_array_equal(same, v)
    np.testing.assert_array_equal(none, 0.0)


def test_held_payload_keeps_momentum_in_motion() -> None:
    """After the capture, 1 s with the arm swinging: 1e-9 of each, by RK4 at 1 kHz."""
    model = arm_and_payload()
    q0 = np.concatenate([[0, 0, 0, 1, 0, 0, 0, 0.3, -0.4], [2.2, -0.5, -0.3, 1, 0, 0, 0]])
    loops = Loops(model, H, around=q0)
    q = placed(loops, q0, 1.0)
    v = numbers(loops.capture.function(q, np.random.default_rng(3).uniform(-0.5, 0.5, model.nv), 1.0)[0])
    outputs = Outputs(loops.tree)
    qs, vs = motion(model, loops.forward_dynamics, q, v, H, 1000, np.zeros(model.nv), 1.0)
    for kernel in (outputs.momenta, outputs.energies):
        start, end = (
            np.concatenate([np.atleast_1d(numbers(x)) for x in kernel.function(*at)])
            for at in ((q, v), (qs[-1], vs[-1]))
        )
        np.testing.assert_allclose(end, start, atol=1e-9 * np.abs(start).max())
    assert np.abs(numbers(loops.residuals.function(qs[-1], vs[-1])[0])).max() < 1e-9


def test_grapples_that_exclude_each_other_are_allowed() -> None:
    """One hand, two pins: each may be held; both at once has no place, and only the others are checked."""
    model = arm_and_payload()
    pins = [
        WeldClosure(f"pin{k}", "load", (0.0, y, 0.0), "link1", "tip", switchable=True)
        for k, y in enumerate((-1.0, 1.0))
    ]
    q0 = np.concatenate([[0, 0, 0, 1, 0, 0, 0, 0.3, -0.4], [2.2, -0.5, -0.3, 1, 0, 0, 0]])
    both = Model("two_pins", model.bodies, model.joints, model.gravity, closures=tuple(pins))
    loops = Loops(both, H, around=q0)
    assert loops.excluded == (("pin0", "pin1"),)
    for k, on in enumerate(((1.0, 0.0), (0.0, 1.0))):
        q = placed(loops, q0, *on)
        alone = Loops(
            Model("one", model.bodies, model.joints, model.gravity, closures=(pins[k],)), H, around=q0
        ).forward_dynamics
        v = np.linspace(-0.3, 0.4, model.nv)
        expected = numbers(alone.function(q, v, np.zeros(model.nv), 1.0)[0])
        got = numbers(loops.forward_dynamics.function(q, v, np.zeros(model.nv), *on)[0])
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-9 * np.abs(expected).max())


def test_too_many_switches_are_refused() -> None:
    closures = [
        DistanceClosure(f"rod{k}", "coupler", "tip", GROUND, (0.7, 0.0, 0.1 * k), 0.6, switchable=True)
        for k in range(7)
    ]
    with pytest.raises(ModelError, match="7 closures are switchable"):
        _ = Loops(with_closures(*closures), H).forward_dynamics.function
