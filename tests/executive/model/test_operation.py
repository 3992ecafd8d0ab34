"""What operators and faults do to a driven model: brakes, states, refusals."""

from dataclasses import replace

import numpy as np
import pytest

from motionbase.compile import compile
from motionbase.executive.model.accept import SHORTER
from motionbase.executive.model.orders import Timing
from motionbase.executive.model.run import MEMORY
from motionbase.executive.tuning import RAMP_S
from motionbase.record.faults import ModelFault, ModelWarningBit
from motionbase.record.requests import Command, Kind, Reason
from motionbase.record.states import State
from tests.executive.model.rig import DT, Rig, arm, robot, stepped


def answered(rig: Rig, torques: np.ndarray, tick: float | None = None) -> None:
    """What a link would put into the mailbox: an answer to the present state."""
    row = rig.run.answer_in.row.copy()
    row[0], row[-6:] = rig.run.clock.tick[0] if tick is None else tick, torques
    row[1] += 1
    rig.run.answer_in.put(row)


def driven_for(rig: Rig, seconds: float, every: int = 20) -> np.ndarray:
    """With a controller that answers every so many ticks with the joints' law."""
    rows = []
    for _ in range(round(seconds / DT / every)):
        state = rig.run.state_out.get()
        if state is not None:
            q, v, ref, kp, kd = state[2:].reshape(5, 6)
            answered(rig, kp * (ref - q) - kd * v, state[0])
        rows.append(rig.step(every * DT, every=every))
    return np.concatenate(rows)


def test_an_emergency_stop_brakes_the_joints_and_a_reset_alone_moves_nothing() -> None:
    with stepped() as rig:
        rig.tune("set_j1", 1.0)
        moving = rig.step(0.9)
        assert np.abs(rig.joints(moving, "_speed")[-1]).max() > 0.3
        rig.sender.estop()
        rig.executive.step(1)  # the loop sees it by itself: nobody has listened
        assert rig.run.fault is ModelFault.ESTOP
        rows = rig.step(1.5)
        stopping, end = rig.of(rows, "state"), rows[-1:]
        assert {State.STOPPING, State.HELD} == set(stopping[1:]) and rig.of(end, "estop")[0] == 1.0
        assert rig.of(end, "brake")[0] == 1.0 and not rig.joints(end, "_torque").any()
        assert np.abs(rig.joints(end, "_speed")).max() < 1e-3
        assert rig.ask(Command(Kind.DRIVE)).reason is Reason.ESTOP_ACTIVE
        assert rig.ask(Command(Kind.RESET_FAULT)).accepted
        rows = rig.step(0.5)
        assert set(rig.of(rows[1:], "state")) == {float(State.OFF)} and not rig.of(rows[1:], "fault").any()
        np.testing.assert_allclose(rig.joints(rows[-1:], ""), rig.joints(end, ""), atol=1e-4)
        assert rig.ask(Command(Kind.DRIVE)).accepted
        rows = rig.step(3.0)
        assert rig.of(rows, "state")[-1] == State.DRIVE and abs(rig.joints(rows, "")[-1, 0] - 1.0) < 0.02


def test_a_stop_that_comes_while_it_is_reset_still_acts() -> None:
    with stepped() as rig:
        rig.step(0.1)
        rig.sender.estop()
        rig.step(0.05)
        rig.ask(Command(Kind.RESET_FAULT))
        rig.sender.estop()
        rows = rig.step(0.1)
        assert rig.of(rows, "estop")[-1] == 1.0 and rig.of(rows, "fault")[-1] == ModelFault.ESTOP


def test_brakes_stop_a_falling_arm() -> None:
    """Controller and friction off, so that it falls; then the brakes close."""
    with stepped() as rig:
        rig.tune("friction", 0.0)
        rig.step(RAMP_S + 0.1)
        rig.tune("control", 0.0)
        falling = rig.step(RAMP_S + 0.1)
        assert not rig.joints(falling, "_torque")[-1].any() and np.abs(rig.joints(falling, "_speed")[-1]).max() > 1.0
        assert rig.ask(Command(Kind.OFF)).accepted
        rows = rig.step(2.0)
    assert rig.of(rows, "state")[-1] == State.OFF and not rig.of(rows, "fault").any()
    assert np.abs(rig.joints(rows, "_speed")[-1]).max() < 1e-3


def test_settle_freeze_and_abort() -> None:
    with stepped() as rig:
        assert rig.ask(Command(Kind.FREEZE)).reason is Reason.WRONG_STATE
        rig.step(0.7)
        assert rig.ask(Command(Kind.FREEZE)).accepted
        rows = rig.step(0.3)
        assert set(rig.of(rows[1:], "state")) == {float(State.FREEZE)}
        assert np.ptp(rig.joints(rows[1:], "_ref"), axis=0).max() == 0.0
        assert rig.ask(Command(Kind.SETTLE)).accepted
        rows = rig.step(1.0)
        assert rig.of(rows, "state")[1] == State.SETTLING and rig.of(rows, "state")[-1] == State.STANDBY
        np.testing.assert_array_equal(rig.joints(rows, "_ref")[-1], 0.0)
        assert rig.ask(Command(Kind.ABORT)).accepted
        rows = rig.step(0.5)
        assert rig.of(rows, "fault")[-1] == ModelFault.OPERATOR_ABORT and rig.of(rows, "state")[-1] == State.HELD
        assert rig.ask(Command(Kind.DRIVE)).reason is Reason.FAULT_ACTIVE
        assert rig.ask(Command(Kind.PLAY)).reason is Reason.NOT_SUPPORTED


def test_parameters_have_bounds() -> None:
    with stepped() as rig:
        assert rig.tune("friction", 3.5).reason is Reason.OUT_OF_RANGE
        assert rig.tune("set_j3", 4.0).reason is Reason.OUT_OF_RANGE
        assert rig.ask(Command(Kind.TUNE, (400.0, 0.0))).reason is Reason.NO_PARAMETER


def test_a_step_that_is_not_solved_is_tried_again_from_one_state() -> None:
    with stepped() as rig:
        rig.step(0.7)
        rig.run.arrays["two"][2, 0] = 1e9  # no step leads on from here and the state before
        before = rig.run.arrays["one"].copy()
        rig.executive.step(1)
        np.testing.assert_array_equal(rig.run.arrays["one"], before)
        rows = rig.step(0.2)
        assert rig.of(rows, "unsolved")[-1] == 1 and not rig.of(rows, "fault").any()
        repeated = rig.of(rows, "warning").astype(int) & ModelWarningBit.STEP_REPEATED > 0
        assert repeated.sum() == 1 and set(rig.of(rows, "state")) == {float(State.DRIVE)}


def test_a_model_that_cannot_go_on_waits_at_its_last_good_state() -> None:
    with stepped() as rig:
        rig.step(0.7)
        rig.run.arrays["one"][2, 7:10] = 1e9
        before = rig.run.arrays["one"].copy()
        rows = rig.step(0.3)
        np.testing.assert_array_equal(rig.run.arrays["one"], before)
        assert rig.of(rows, "fault")[-1] == ModelFault.UNSOLVED and rig.of(rows, "unsolved")[-1] == len(rows)
        assert np.isfinite(rows).all() and rig.of(rows, "brake")[-1] == 1.0
        assert rig.ask(Command(Kind.DRIVE)).reason is Reason.FAULT_ACTIVE
        rig.ask(Command(Kind.RESET_FAULT))
        assert rig.of(rig.step(0.01), "fault")[-1] == ModelFault.UNSOLVED  # the cause is still there


def test_silence_of_the_controller_closes_the_brakes_and_its_answers_open_them() -> None:
    with stepped(robot(internal=False)) as rig:
        rows = rig.step(0.3)
        assert set(rig.of(rows, "state")) == {float(State.OFF)} and not rig.of(rows, "fault").any()
        assert rig.ask(Command(Kind.DRIVE)).reason is Reason.NOT_READY
        rows = driven_for(rig, 1.5)
        assert rig.of(rows, "state")[-1] == State.DRIVE and rig.of(rows, "controller_age")[-1] < 0.03
        rows = rig.step(0.6)
        silent = rig.of(rows, "fault") == ModelFault.CONTROLLER_SILENT
        age = rig.of(rows, "controller_age")
        first = int(np.argmax(silent))
        assert 0.05 < age[first] < 0.05 + 2 * DT and silent[first:].all()
        assert rig.of(rows, "state")[-1] == State.HELD and not rig.joints(rows, "_torque")[-1].any()
        fade = rig.of(rows, "brake")[first - 1 :]
        assert 0 < np.diff(fade).max() < 0.01 and fade[-1] == 1.0
        rows = driven_for(rig, 1.0)
        assert rig.of(rows, "state")[-1] == State.DRIVE and rig.of(rows, "fault")[-1] == 0


@pytest.mark.parametrize("seconds", [0.892, 1.127, 1.4325])
def test_brakes_that_close_on_a_moving_robot_bring_it_to_rest(seconds: float) -> None:
    """Where torques of 0.1 s ago still act, and then brakes close: moments at which steps were not solved once."""
    timing = Timing(DT, 0.1, False)
    code = replace(robot(), timing=timing, command=compile(robot().plant.command(timing)))
    with stepped(code) as rig:
        driven_for(rig, seconds, every=2)
        rows = rig.step(1.0)
    assert rig.of(rows, "fault")[-1] == ModelFault.CONTROLLER_SILENT and rig.of(rows, "state")[-1] == State.HELD
    assert rig.of(rows, "unsolved")[-1] < SHORTER
    assert np.abs(rig.joints(rows, "_speed")[-1]).max() < 1e-3


def test_a_torque_beyond_the_drive_is_cut() -> None:
    with stepped(robot(internal=False)) as rig:
        driven_for(rig, 1.0)
        answered(rig, np.array([1e300, -1e300, 0.0, 0.0, 0.0, 0.0]))
        rows = rig.step(10 * DT, every=10)
    limits = [joint.torque for joint in arm().joints]
    np.testing.assert_allclose(rig.joints(rows, "_torque")[-1, :2], [limits[0], -limits[1]])
    assert np.isfinite(rows).all() and rig.of(rows, "unsolved")[-1] == 0


@pytest.mark.parametrize("kind", [Kind.OFF, Kind.DRIVE])
def test_an_order_is_taken_once(kind: Kind) -> None:
    with stepped() as rig:
        rig.ask(Command(kind))
        taken = rig.run.arrays["memory"][MEMORY["taken"]]
        rig.step(0.1)
        assert taken == 1.0 and rig.run.arrays["memory"][MEMORY["taken"]] == 1.0


def test_brakes_that_close_on_a_moving_arm_stop_it_without_a_fault() -> None:
    """From ten motions: the joints turn round together, where a step is hardest to solve."""
    rng, tries = np.random.default_rng(1), 0.0
    for _ in range(10):
        with stepped() as rig:
            rig.step(0.3)
            for k in range(1, 7):
                rig.tune(f"set_j{k}", float(np.clip(0.8 * rng.standard_normal(), -2.5, 2.5)))
            rig.tune("friction", float(rng.uniform(0.2, 3.0)))
            rig.step(0.4 + float(rng.uniform(0.0, 1.2)))
            rig.ask(Command(Kind.OFF))
            rows = rig.step(1.0)
            assert not rig.of(rows, "fault").any() and rig.of(rows, "state")[-1] == State.OFF
            assert np.abs(rig.joints(rows, "_speed")[-1]).max() < 1e-3
            tries += rig.of(rows, "unsolved")[-1]
    assert 0 < tries <= 30  # of 20,000 steps, about one in a braking: shorter steps get over them
