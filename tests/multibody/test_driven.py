"""Drives and brakes on the joints of a model: which joints, which gains, and what the brakes can hold."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from motionbase.arrays import Array
from motionbase.errors import ModelError
from motionbase.multibody.elements import Motor, Stiction
from motionbase.multibody.loaders.named import load_model
from motionbase.multibody.manipulator.driven import HOLDS, RATIO, SPEED, STOP_S, driven
from motionbase.multibody.model import Model
from motionbase.multibody.models import MODELS
from motionbase.multibody.models.robot import KD, KP, driven_robot, servo_robot
from motionbase.multibody.names import q_of
from motionbase.multibody.simulate import simulate
from motionbase.multibody.tree.dynamics import Tree

LIFT = """
name = "lift"
[bodies.car]
mass = 100.0
inertia = [5.0, 5.0, 5.0]
[bodies.arm]
mass = 10.0
com = [0.5, 0.0, 0.0]
inertia = [0.1, 0.8, 0.8]
[joints.rail]
type = "prismatic"
parent = "ground"
child = "car"
axis = [0, 0, 1]
[joints.hinge]
type = "revolute"
parent = "car"
child = "arm"
axis = [0, 1, 0]
[elements.stop]
type = "limit"
joint = "rail"
lower = -0.2
upper = 0.7
stiffness = 1e6
"""
MOTOR = '[elements.winch]\ntype = "motor"\njoint = "rail"\nratio = 10.0\nrotor_inertia = 0.01\n'


def lift(folder: Path, text: str = LIFT) -> Model:
    (folder / "lift.toml").write_text(text)
    return load_model(folder / "lift.toml")


@pytest.mark.parametrize("name", MODELS)
def test_every_model_is_driven_or_refused_in_one_sentence(name: str) -> None:
    model = MODELS[name].build()
    try:
        plant = driven(model, q_of(model, MODELS[name].q0))
    except ModelError as refused:
        assert "cannot be run in real time" in str(refused) and "\n" not in str(refused)
        return
    assert plant.joints and all(j.kp > 0 and j.kd > 0 and j.torque > 0 for j in plant.joints)
    assert {f"{e.name}_active" for e in plant.model.elements if isinstance(e, Stiction)} == set(plant.friction)


def test_weights_inertias_and_stops(tmp_path: Path) -> None:
    rail, hinge = driven(lift(tmp_path)).joints
    assert (rail.unit, hinge.unit) == ("m", "rad") and rail.travel == (-0.2, 0.7)
    weight, inertia = 110.0 * 9.81, 110.0
    np.testing.assert_allclose(rail.torque, 2 * (HOLDS * weight + inertia * SPEED["m"] / STOP_S))
    own = 0.8 + 10.0 * 0.5**2
    np.testing.assert_allclose(hinge.torque, 2 * (HOLDS * 10.0 * 9.81 * 0.5 + own * SPEED["rad"] / STOP_S))
    np.testing.assert_allclose(hinge.kd, 2 * RATIO * np.sqrt(hinge.kp * own))  # of a second-order system


def test_only_joints_with_motors_are_driven_if_there_are_any(tmp_path: Path) -> None:
    plant = driven(lift(tmp_path, LIFT + MOTOR))
    assert [joint.name for joint in plant.joints] == ["rail"]
    assert any(isinstance(element, Motor) for element in plant.model.elements)


def test_the_robot_has_its_own_gains_and_friction_apart_from_its_brakes() -> None:
    plant = driven(driven_robot())
    assert [j.kp for j in plant.joints] == list(KP) and [j.kd for j in plant.joints] == list(KD)
    assert len(plant.model.elements) == 12
    assert list(plant.friction.values()) == [(1.0, 0.0)] * 6 + [(0.0, 1.0)] * 6


def test_brakes_hold_the_largest_weight_in_any_configuration() -> None:
    """Against the tree engine, at random places."""
    plant, bare, rng = driven(driven_robot()), MODELS["robot6"].build(), np.random.default_rng(3)
    tree = Tree(bare)
    for _ in range(50):
        q = rng.uniform(-np.pi, np.pi, 6)
        a = np.array(tree.forward_dynamics.function(q, np.zeros(6), np.zeros(6))).ravel()
        weight = np.abs(np.array(tree.mass_matrix.function(q)) @ a)
        assert np.all(weight * HOLDS <= np.array([j.torque / 2 for j in plant.joints]))


def test_friction_that_an_input_scales() -> None:
    """By 1 it is that of the model, to the bit; by 0 there is none; by half it is that of half the levels."""
    arm = servo_robot(friction=True, axes=1)
    rubbing = [element for element in arm.elements if isinstance(element, Stiction)]

    def moved(elements: Sequence[Stiction], scale: float | None = None) -> Array:
        scales = {} if scale is None else {f"{e.name}_active": scale for e in elements}
        inputs: dict[str, Any] = {"tau": lambda t: np.array([200.0]) * np.sin(9 * t), **scales}
        model = replace(arm, elements=tuple(elements))
        return simulate(model, 0.3, 5e-4, inputs=inputs, engine="network").q

    scaled = [replace(e, scaled=True) for e in rubbing]
    full, none = moved(rubbing), moved([])
    assert np.abs(full - none).max() > 1e-3
    np.testing.assert_array_equal(moved(scaled), full)
    np.testing.assert_array_equal(moved(scaled, 1.0), full)
    np.testing.assert_allclose(moved(scaled, 0.0), none, atol=1e-12)
    halved = [
        replace(e, coulomb=e.coulomb / 2, static=e.static / 2, sigma0=e.sigma0 / 2, sigma1=e.sigma1 / 2)
        for e in rubbing
    ]  # the same bristle with half the force
    np.testing.assert_allclose(moved(scaled, 0.5), moved(halved), atol=1e-10)
