"""Closures in the network engine: gears, switches, rows that follow from others, and a mechanism of sliding joints."""

from typing import Any

import numpy as np
import pytest

from motionbase.multibody import GROUND, Body, Joint, Model
from motionbase.multibody.closed import Start
from motionbase.multibody.closures import (
    CouplingClosure,
    CylindricalClosure,
    InLineClosure,
    PointClosure,
    RevoluteClosure,
)
from motionbase.multibody.compare import compare
from motionbase.multibody.joints import Free, prismatic, revolute
from motionbase.multibody.network.engine import Network
from motionbase.multibody.network.simulate import assembled
from motionbase.multibody.tree.loops import Loops
from tests.multibody.mechanisms import accelerations, network_accelerations

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def geared() -> Model:
    """A pinion on an arm, and a rack that follows its angle."""
    bodies = (
        Body("arm", 1.0, (0.3, 0.0, 0.0), (0.01, 0.05, 0.05), points={"tip": (0.6, 0.0, 0.0)}),
        Body("pinion", 0.5, (0.02, 0.0, 0.0), (0.001, 0.001, 0.002)),
        Body("rack", 2.0, (0.0, 0.0, 0.0), (0.1, 0.1, 0.1)),
    )
    joints = (
        Joint("shoulder", GROUND, "arm", revolute(Y)),
        Joint("wheel", "arm", "pinion", revolute(Y), "tip"),
        Joint("slide", GROUND, "rack", prismatic(X), (0.0, 1.0, 0.0)),
    )
    return Model("geared", bodies, joints, closures=(CouplingClosure("gear", "slide", "wheel", 0.04, 0.1),))


def test_a_gear_starts_as_in_the_tree() -> None:
    """Accelerations and the force on the one that follows."""
    model = geared()
    q, v = np.array([0.4, 2.5, 0.2]), np.array([1.0, 3.0, 0.12])
    v_dot, F = (np.array(x).ravel() for x in Loops(model, 1e-3, around=q).forward_dynamics.function(q, v, np.zeros(3)))
    network = Network(model, 1e-3, q, v)
    np.testing.assert_allclose(network_accelerations(network), accelerations(model, q, v, v_dot), rtol=0, atol=1e-7)
    assert network.network.assembly.names[-1] == "gear.coupling"
    assert network.start().own[-1] == pytest.approx(F[0], abs=1e-7)


@pytest.mark.parametrize("on", [1.0, 0.0])
def test_a_switch_counts_at_the_start(on: float) -> None:
    """Held or let go, bodies begin with the accelerations of the tree."""
    bodies = Body("a", 1.0, (0.1, 0, 0), (0.1, 0.1, 0.1)), Body("b", 2.0, inertia=(0.1, 0.1, 0.1))
    joints = Joint("ja", GROUND, "a", revolute(Y)), Joint("jb", GROUND, "b", Free(), (0.5, 0.0, 0.0))
    model = Model(
        "held", bodies, joints, closures=(PointClosure("c", "b", body_b="a", point_b=(0.5, 0, 0), switchable=True),)
    )
    q, v = model.neutral, np.zeros(model.nv)
    v[0], v[-1] = 2.0, -1.0  # the point of a moves at -1 m/s along z, and so does b
    v_dot = np.array(Loops(model, 1e-3, around=q).forward_dynamics.function(q, v, np.zeros(model.nv), on)[0]).ravel()
    found = network_accelerations(Network(model, 1e-3, q, v, inputs={"c_active": on}))
    np.testing.assert_allclose(found, accelerations(model, q, v, v_dot), rtol=0, atol=1e-7)


def four_bar_about(axis: tuple[float, float, float], along: tuple[float, float, float]) -> Model:
    """A planar loop closed by a hinge about any axis: three of its rows follow from the joints."""
    u = np.asarray(along)

    def bar(name: str, length: float) -> Body:
        return Body(name, 1.0, tuple(u * length / 2), (0.1, 0.1, 0.1), points={"tip": tuple(u * length)})

    joints = (
        Joint("j1", GROUND, "crank", revolute(axis)),
        Joint("j2", "crank", "coupler", revolute(axis), "tip"),
        Joint("j3", GROUND, "rocker", revolute(axis), tuple(u * 0.7)),
    )
    bodies = bar("crank", 0.3), bar("coupler", 0.8), bar("rocker", 0.6)
    hinge = RevoluteClosure("loop", "coupler", "tip", "rocker", "tip", axis, axis)
    return Model("four_bar", bodies, joints, (0, 0, 0), closures=(hinge,))


@pytest.mark.parametrize(("axis", "along"), [(X, Y), (Y, Z), (Z, X)], ids="xyz")
def test_rows_that_follow_from_others_are_left_out_along_any_axis(axis: Any, along: Any) -> None:
    """The rows of a closure have the same directions in both engines, so the tree's choice serves the network."""
    model = four_bar_about(axis, along)
    q0 = np.array([0.5, 0.02117, 1.12803])
    q, v, dropped = assembled(model, Start(q0, np.array([8.0, 0.0, 0.0]), (0,), (0,)), 1e-3)
    assert len(dropped) == 3
    network = Network(model, 1e-3, q, v, dropped=dropped)
    least, _ = network.dependence(network.start().ports())
    assert least > 1e-2  # 0 where a row that is needed is missing


def test_every_row_of_a_closure_may_follow_from_others() -> None:
    """A slide that is guided twice: the guide is no part at all."""
    bodies = (Body("block", 1.0, inertia=(0.1, 0.1, 0.1)), Body("free", 1.0, inertia=(0.1, 0.1, 0.1)))
    joints = Joint("j", GROUND, "block", prismatic(X)), Joint("k", "block", "free", revolute(Y), (0.1, 0.0, 0.0))
    model = Model("guided", bodies, joints, closures=(InLineClosure("guide", "block", axis=X),))
    _, _, dropped = assembled(model, Start(np.zeros(2), np.zeros(2)), 1e-3)
    network = Network(model, 1e-3, dropped=dropped)
    assert not [name for name in network.network.assembly.names if name.startswith("guide")]


@pytest.mark.long("compiles two networks")
@pytest.mark.parametrize("which", ["gear", "cylindrical"])
def test_engines_move_alike(which: str) -> None:
    """Half a second, second order; with it taken out, 1e-7."""
    if which == "gear":
        found = compare(geared(), 0.5, q0={"shoulder": 0.4, "wheel": 2.5}, v0={"shoulder": 1.0, "wheel": 3.0})
    else:
        rod = Body("rod", 1.0, (0.3, 0, 0), (0.01, 0.05, 0.05), points={"tip": (0.6, 0, 0)})
        sleeve = Body("sleeve", 0.5, (0.0, 0.0, 0.05), (0.01, 0.01, 0.01))
        joints = Joint("j", GROUND, "rod", revolute(Y)), Joint("k", GROUND, "sleeve", Free(), (0.6, 0, 0))
        on_rod = CylindricalClosure("on", "sleeve", body_b="rod", point_b="tip", axis_a=X, axis_b=X)
        model = Model("sleeve", (rod, sleeve), joints, closures=(on_rod,))
        found = compare(model, 0.5, v0={"j": 2.0, "k.wx": 3.0})
    assert 1.9 < found.order < 2.1
    assert found.difference < 1e-7
