"""The robot in the loop moves as `simulate` moves it, and its law is what it says it is."""

from functools import cache
from pathlib import Path

import numpy as np

from motionbase.executive.model.code import ModelCode
from motionbase.executive.model.orders import Timing
from motionbase.executive.model.robot import Robot
from motionbase.executive.tuning import RAMP_S
from motionbase.multibody.manipulator.driven import BENT, DrivenModel, driven
from motionbase.multibody.models import MODELS
from motionbase.multibody.models.robot import KD, KP, Q_REF, servo_robot
from motionbase.multibody.network.engine import Network
from motionbase.multibody.network.start import places_at
from motionbase.multibody.simulate import simulate
from motionbase.multibody.tree.dynamics import Tree
from motionbase.record.faults import ModelWarningBit
from motionbase.record.requests import Command, Kind
from motionbase.record.states import State
from tests.executive.model.rig import DT, Rig, arm, stepped
from tests.multibody.test_driven import LIFT, MOTOR, lift


@cache
def swinging() -> DrivenModel:
    """A model that has no friction, and no gains of its own."""
    return driven(MODELS["pendulum"].build())


@cache
def pendulum() -> ModelCode:
    """In the loop."""
    return ModelCode.of(Robot(swinging()), Timing(DT, 0.05, True))


def scales(rig: Rig, rows: np.ndarray) -> dict[str, np.ndarray]:
    """Inputs of the friction elements, from what the record shows."""
    friction, brake = rig.of(rows, "friction_scale"), rig.of(rows, "brake")
    return {name: f * friction + b * brake for name, (f, b) in arm().friction.items()}


def test_the_loop_equals_simulate_with_the_torques_it_recorded() -> None:
    """To the bit: same machine code, same start, brakes that open and a friction that is tuned on the way."""
    with stepped(automatic=False) as rig:
        rows = rig.step(0.01)  # brakes are closed in the first tick, as they are at the start
        assert rig.ask(Command(Kind.DRIVE)).accepted
        rows = np.concatenate([rows, rig.step(0.9)])
        rig.tune("friction", 2.5)
        rows = np.concatenate([rows, rig.step(RAMP_S + 0.1)])
        model = rig.run.code.plant.model
    n = len(rows) - 1
    inputs = {"tau": rig.joints(rows, "_torque")[:n], **{k: x[:n] for k, x in scales(rig, rows).items()}}
    motion = simulate(model, n * DT, DT, inputs=inputs, engine="network")
    np.testing.assert_array_equal(rig.joints(rows, ""), motion.q)
    np.testing.assert_array_equal(rig.joints(rows, "_speed"), motion.v)
    assert rig.of(rows, "unsolved").max() == 0 and rig.of(rows, "fault").max() == 0
    assert rig.of(rows, "friction_scale")[-1] == 2.5 and rig.of(rows, "brake")[0] == 1.0
    assert rig.of(rows, "state")[-1] == State.DRIVE


def test_torques_are_those_of_the_joint_controllers() -> None:
    with stepped() as rig:
        rows = rig.step(1.0)
    q, v, ref, torque = (rig.joints(rows, ending) for ending in ("", "_speed", "_ref", "_torque"))
    limit, engaged = np.array([j.torque for j in arm().joints]), 1.0 - rig.of(rows, "brake")[:, None]
    wished = np.array(KP) * (ref - q) - np.array(KD) * v
    np.testing.assert_allclose(torque, engaged * np.clip(wished, -limit, limit), rtol=1e-12, atol=1e-9)
    assert np.abs(torque).max() > 500  # gravity
    cut = (np.abs(wished) > limit).any(axis=1)
    np.testing.assert_array_equal(rig.of(rows, "warning").astype(int) & ModelWarningBit.TORQUE_LIMIT > 0, cut)


def test_at_rest_drives_and_friction_carry_the_weight() -> None:
    """Against the tree engine: with no acceleration, torque + friction = weight."""
    with stepped() as rig:
        rig.step(1.0)
        rig.tune("friction", 3.0)
        row = rig.step(8.0)[-1:]
    assert np.abs(rig.joints(row, "_speed")).max() < 1e-6
    assert np.abs(rig.joints(row, "_friction")).max() > 10
    bare = Tree(MODELS["robot6"].build())
    q = rig.joints(row, "")[0]
    weight = -np.array(bare.forward_dynamics.function(q, np.zeros(6), np.zeros(6))).ravel()
    weight = np.array(bare.mass_matrix.function(q)) @ weight
    np.testing.assert_allclose(rig.joints(row, "_torque")[0] + rig.joints(row, "_friction")[0], weight, atol=1e-2)


def test_held_set_points_are_those_of_servos_in_the_model() -> None:
    """Where no friction acts, the place of rest is that of springs in the joints, by the tree engine."""
    with stepped() as rig:
        rig.tune("friction", 0.0)
        row = rig.step(24.0)[-1:]
    servos = simulate(servo_robot(), 24.0, 1e-3, every=1000)
    np.testing.assert_allclose(rig.joints(row, "")[0], servos.q[-1], atol=1e-6)  # both have swung out to about 1e-7
    np.testing.assert_array_equal(rig.joints(row, "_ref")[0], Q_REF)


def test_a_step_of_a_set_point_is_no_step_of_torque() -> None:
    with stepped() as rig:
        rig.step(4.0)
        assert rig.tune("set_j1", 2.0).accepted
        rows = rig.step(3.0)
    ref, torque = rig.joints(rows, "_ref")[:, 0], rig.joints(rows, "_torque")[:, 0]
    fastest = np.abs(np.diff(ref)).max()
    assert fastest <= 1.0 * DT * (1 + 1e-9) and ref[-1] == 2.0
    # kp times the way of a tick, and what the joint itself moves meanwhile
    assert np.abs(np.diff(torque)).max() < KP[0] * DT * 3
    assert abs(rig.joints(rows, "")[-1, 0] - 2.0) < 0.01


def test_poses_are_those_of_the_tree() -> None:
    with stepped() as rig:
        rows = rig.step(1.0)
        model = rig.run.code.plant.model
    place, row = rig.run.code.plant.schema.place("link6_x"), rows[-1]
    bare = Network(MODELS["robot6"].build(), DT).network
    found = places_at(bare, rig.joints(rows, "")[-1], np.zeros(6))[5]
    R = found[3:12].reshape(3, 3)
    np.testing.assert_allclose(row[place : place + 3], found[:3] - R @ np.array(model.bodies[5].com), atol=1e-12)
    assert abs(np.linalg.norm(row[place + 3 : place + 7]) - 1) < 1e-12


def test_an_angle_goes_on_after_half_a_turn() -> None:
    code = pendulum()
    name = swinging().joints[0].name
    with stepped(code) as rig:
        rig.tune(f"set_{name}", 3.1)
        rows = rig.step(4.5)
        rig.run.parameters[0] = rig.run.operator.tuner._goals[0] = 3.6  # beyond the bounds that operators have
        rows = np.concatenate([rows, rig.step(2.0)])
    angle = rig.joints(rows, "")[:, 0]
    assert np.abs(np.diff(angle)).max() < 0.01 and angle[-1] > 3.3


def test_a_model_without_friction_gets_brakes_that_hold_it() -> None:
    plant = swinging()
    assert set(plant.friction.values()) == {(0.0, 1.0)} and len(plant.joints) == 1
    level = plant.model.elements[-1].coulomb  # type: ignore[attr-defined]
    with stepped(pendulum(), automatic=False) as rig:
        rows = rig.step(1.0)
    assert set(rig.of(rows, "state")) == {float(State.OFF)}
    # it carries twice the largest weight, so bristles bend by half of BENT at most, and swing as far again
    assert np.abs(rig.joints(rows, "") - rig.joints(rows[:1], "")).max() < BENT and level > 0


def test_joints_without_a_motor_swing_as_they_like(tmp_path: Path) -> None:
    """Of a lift with a hinged arm: the winch follows its set point, the arm swings, and both have their channels."""
    plant = driven(lift(tmp_path, LIFT + MOTOR))
    with stepped(ModelCode.of(Robot(plant), Timing(DT, 0.05, True))) as rig:
        assert [p.name for p in rig.run.code.plant.parameters.parameters][:1] == ["set_rail"]
        rig.tune("set_rail", 0.5)
        rows = rig.step(6.0)
    kp, weight = plant.joints[0].kp, 110.0 * 9.81
    rail, hinge = rig.joints(rows, "").T
    # at the end the arm still swings, and with it the load on the winch, by less than the weight of the arm itself
    assert abs(rail[-1] - (0.5 - weight / kp)) < 10.0 * 9.81 / kp * 3 and np.ptp(hinge) > 1.0
    np.testing.assert_array_equal(rig.joints(rows, "_torque")[:, 1], 0.0)
    np.testing.assert_array_equal(rig.joints(rows, "_ref")[:, 1], hinge)
    assert rig.of(rows, "unsolved")[-1] == 0 and rig.run.code.plant.schema.channels[2].unit == "m"
