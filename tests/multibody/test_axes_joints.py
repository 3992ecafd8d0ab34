"""Joints of any list of turns and slides in the network engine, against the tree."""

from typing import Any

import numpy as np
import pytest

from motionbase.errors import ModelError
from motionbase.multibody import GROUND, Body, Joint, Model
from motionbase.multibody.elements import (
    AbstractElement,
    Custom,
    JointDamper,
    JointFriction,
    JointLimit,
    JointSpring,
    Load,
    Motor,
)
from motionbase.multibody.joints import Axes, Slide, Turn, revolute
from motionbase.multibody.network.engine import Network
from motionbase.multibody.simulate import simulate
from motionbase.multibody.tree.dynamics import Tree
from tests.multibody.mechanisms import accelerations, network_accelerations

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
THREE_TURNS = (Turn(Z), Turn(Y), Turn(X))
TURN_SLIDE = (Turn(Z), Slide((1.0, 0.0, 0.5)))
FOUR = (Slide(Y), Turn(X), Turn((0.0, 0.6, 0.8)), Slide(Z))
ELEMENTS: tuple[AbstractElement, ...] = (
    JointSpring("spring", "wrist", 200.0, rest=0.1, axis=1),
    JointDamper("damper", "wrist", 3.0, axis=1),
    JointFriction("friction", "wrist", viscous=0.05, coulomb=0.1, v_s=0.1),
    JointLimit("stop", "wrist", -1.0, 0.2, 50.0, axis=0),
    Motor("motor", "wrist", ratio=2.0),
)


def arm(steps: tuple[Any, ...], elements: tuple[AbstractElement, ...] = ()) -> Model:
    """A hand on an arm that swings."""
    upper = Body("arm", 2.0, (0.3, 0.05, 0.0), (0.05, 0.1, 0.12), points={"tip": (0.6, 0.0, 0.0)})
    hand = Body("hand", 1.0, (0.2, 0.0, 0.1), (0.02, 0.03, 0.025))
    joints = Joint("root", GROUND, "arm", revolute(Y)), Joint("wrist", "arm", "hand", Axes(steps), "tip")
    return Model("arm", (upper, hand), joints, elements=elements)


def start(model: Model) -> tuple[Any, Any]:
    return np.array([0.2, 0.3, -0.2, 0.25, 0.1])[: model.nq], np.array([1.0, 0.8, -0.5, 0.7, 0.3])[: model.nv]


@pytest.mark.parametrize(
    ("steps", "elements"),
    [(THREE_TURNS, ()), (TURN_SLIDE, ELEMENTS), (FOUR, ()), ((Turn(X), Turn(Y), Turn(X)), ())],
    ids=["three turns", "turn and slide", "four", "Euler angles"],
)
def test_accelerations_are_those_of_the_tree(steps: tuple[Any, ...], elements: tuple[AbstractElement, ...]) -> None:
    """At a start with tau, springs, dampers, friction, stops and a motor; second rates by a difference over 1e-5 s."""
    model = arm(steps, elements)
    q, v = start(model)
    tau = 0.5 + np.arange(model.nv)
    torque = [0.7] if elements else []
    v_dot = np.array(Tree(model).forward_dynamics.function(q, v, tau, *torque)).ravel()
    network = Network(model, 1e-3, q, v, inputs={"tau": tau, **({"motor_torque": 0.7} if elements else {})})
    expected = accelerations(model, q, v, v_dot)
    size = max(1.0, float(np.abs(expected).max()))
    np.testing.assert_allclose(network_accelerations(network), expected, rtol=0, atol=1e-7 * size)
    found = network.start()
    # the joint's coordinates are unknowns: found from the places, with their rates
    names = network.network.assembly.names[-len(found.own) :]
    at = names.index("wrist.axis_1")
    np.testing.assert_allclose(found.own[at : at + len(steps)], q[1:], rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.own_dot[at : at + len(steps)], v[1:], rtol=0, atol=1e-12)
    assert network.equations == 2 * 12 + 5 + 6 + len(steps)


@pytest.mark.long("compiles two networks")
@pytest.mark.parametrize(("steps", "elements"), [(THREE_TURNS, ()), (TURN_SLIDE, ELEMENTS)], ids=["turns", "slide"])
def test_motion_is_that_of_the_tree(steps: tuple[Any, ...], elements: tuple[AbstractElement, ...]) -> None:
    """Half a second: the difference falls with the square of the step."""
    model = arm(steps, elements)
    q, v = start(model)
    tree = simulate(model, 0.5, 2.5e-4, every=4, q0=q, v0=v)
    coarse = simulate(model, 0.5, 1e-3, q0=q, v0=v, engine="network")
    fine = simulate(model, 0.5, 5e-4, every=2, q0=q, v0=v, engine="network")
    gaps = [np.abs(run.q - tree.q).max() for run in (coarse, fine)]
    assert gaps[0] < 1e-4 and 3.5 < gaps[0] / gaps[1] < 4.5


def test_other_elements_on_such_a_joint_are_refused() -> None:
    """A function of one's own may ask for anything; it is told what is known."""
    own = Custom("own", lambda state: Load({2: -state.q[2]}))
    with pytest.raises(ModelError, match=r"joint 'wrist': in the network engine, .* use the tree engine"):
        Network(arm(THREE_TURNS, (own,)), 1e-3).start()
