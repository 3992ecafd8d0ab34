"""A rotor in the loop: where its controls go and how fast, what stops it, and that it moves as `simulate` moves it."""

import numpy as np
import pytest

from motionbase.executive.model.orders import FRESH_S
from motionbase.executive.tuning import RAMP_S
from motionbase.multibody.models.rotor import turning
from motionbase.multibody.scene import axes_of
from motionbase.multibody.simulate import simulate
from motionbase.record.faults import ModelFault, ModelWarningBit
from motionbase.record.requests import Command, Kind, Reason
from motionbase.record.states import State
from tests.executive.model.rig import Rig, stepped
from tests.executive.model.small_rotor import HEIGHT, HOLD_S, SPEED, SPIN, STEP, rotor, small_rotor

(CONTROL,), (FLIGHT,) = small_rotor().controls, small_rotor().flight
EVERY = 10  # ticks between looks at the operator: a hundred times a second


def answered_for(rig: Rig, seconds: float, height: float) -> np.ndarray:
    """With a controller that asks for this setting."""
    rows = []
    for _ in range(round(seconds / STEP / EVERY)):
        row = rig.run.answer_in.row.copy()
        row[0], row[6:] = rig.run.clock.tick[0], height
        row[1] += 1
        rig.run.answer_in.put(row)
        rows.append(rig.step(EVERY * STEP, every=EVERY))
    return np.concatenate(rows)


@pytest.mark.long("compiles the rotor twice; the same of a robot is in every run")
def test_the_loop_equals_simulate_with_the_settings_it_recorded() -> None:
    """To the bit: same machine code, same start, controls and flight that move on the way."""
    with stepped(rotor()) as rig:
        rows = rig.step(0.1, EVERY)
        rig.tune(HEIGHT, 0.03)
        rig.tune(SPEED, 0.95 * SPIN)
        rows = np.concatenate([rows, rig.step(RAMP_S + 0.1, EVERY)])
    n = len(rows) - 1
    rotor_ = small_rotor()
    inputs = {name: rig.of(rows, name)[:n] for name in (HEIGHT, SPEED)}
    zero = {name: np.zeros(n) for name in ("height_speed", "height_acceleration", "shaft_acceleration")}
    given = {**inputs, **zero}
    motion = simulate(rotor_.model, n * STEP, STEP, v0=turning(rotor_.model, SPIN), inputs=given, engine="network")
    coordinates = [quantity.name for quantity in motion.q_names]
    at = [coordinates.index(axis.name) for axis in axes_of(rotor_.model)]
    np.testing.assert_array_equal(rig.joints(rows, ""), motion.q[:, at])
    assert rig.of(rows, HEIGHT)[-1] == 0.03 and rig.of(rows, "unsolved").max() == 0
    assert set(rig.of(rows, "state")) == {float(State.DRIVE)} and not rig.of(rows, "fault").any()


def test_a_setting_goes_to_its_set_point_at_its_own_rate() -> None:
    with stepped(rotor()) as rig:
        rig.step(0.1, EVERY)
        rig.tune(HEIGHT, 0.04)
        rows = rig.step(1.5, EVERY)
    height = rig.of(rows, HEIGHT)
    assert abs(np.diff(height).max() / (CONTROL.rate * STEP) - 1) < 1e-9 and height[-1] == 0.04
    assert rig.of(rows, f"{HEIGHT}_ref")[-1] == 0.04 and len(rows) > 500


def test_the_swashplate_pitches_the_blades_and_the_shaft_turns() -> None:
    """A link at the horn's end turns the blade by the height over the lever, to first order."""
    with stepped(rotor()) as rig:
        rig.tune(HEIGHT, 0.02)
        rows = rig.step(2.0, EVERY)
    pitch = rig.of(rows, "b10")[-600:]  # about a turn
    assert abs(pitch.mean() - 0.02 / 0.3) < 0.1 * 0.02 / 0.3
    turned = np.unwrap(rig.of(rows, "azimuth"))
    assert abs(turned[-1] - turned[0] - SPIN * STEP * (len(rows) - 1)) < 1e-2
    assert np.isfinite(rows).all() and np.abs(rig.of(rows, "coning")).max() < 0.2


def test_an_emergency_stop_sends_controls_to_their_safe_settings_and_leaves_the_flight() -> None:
    with stepped(rotor()) as rig:
        rig.tune(SPEED, 1.05 * SPIN)
        rig.tune(HEIGHT, 0.04)
        rig.step(1.5, EVERY)
        rig.sender.estop()
        rig.executive.step(1)  # the loop sees it by itself: nobody has listened
        assert rig.run.fault is ModelFault.ESTOP and rig.run.state is State.STOPPING
        rows = rig.step(2.0, EVERY)
        assert CONTROL.safe is not None
        height = rig.of(rows, HEIGHT)
        assert abs(-np.diff(height).min() / (CONTROL.rate * STEP) - 1) < 1e-9 and height[-1] == CONTROL.safe
        assert rig.of(rows, "state")[-1] == State.HELD and np.ptp(rig.of(rows[1:], SPEED)) == 0.0
        assert rig.ask(Command(Kind.DRIVE)).reason is Reason.ESTOP_ACTIVE
        assert rig.ask(Command(Kind.RESET_FAULT)).accepted
        rows = rig.step(0.2, EVERY)
        assert rig.of(rows, "state")[-1] == State.OFF and rig.of(rows, HEIGHT)[-1] == CONTROL.safe
        assert rig.ask(Command(Kind.DRIVE)).accepted
        rows = rig.step(2.0, EVERY)
        assert rig.of(rows, HEIGHT)[-1] == 0.04 and rig.of(rows, "state")[-1] == State.DRIVE


def test_freeze_settle_and_off() -> None:
    with stepped(rotor()) as rig:
        rig.tune(HEIGHT, 0.04)
        rig.step(0.5, EVERY)
        assert rig.ask(Command(Kind.FREEZE)).accepted
        rows = rig.step(0.3, EVERY)
        assert set(rig.of(rows[1:], "state")) == {float(State.FREEZE)} and np.ptp(rig.of(rows[1:], HEIGHT)) == 0.0
        assert rig.ask(Command(Kind.SETTLE)).accepted
        rows = rig.step(1.0, EVERY)
        assert rig.of(rows, "state")[1] == State.SETTLING and rig.of(rows, "state")[-1] == State.STANDBY
        assert rig.of(rows, HEIGHT)[-1] == CONTROL.start
        assert rig.ask(Command(Kind.OFF)).accepted
        rows = rig.step(1.0, EVERY)
        assert rig.of(rows, "state")[-1] == State.OFF and rig.of(rows, HEIGHT)[-1] == CONTROL.safe
        assert not rig.of(rows, "fault").any()


def test_silence_of_the_controller_freezes_the_controls_and_its_answers_move_them_again() -> None:
    with stepped(rotor(internal=False)) as rig:
        rows = rig.step(0.3, EVERY)
        assert set(rig.of(rows, "state")) == {float(State.OFF)} and np.ptp(rig.of(rows, HEIGHT)) == 0.0
        assert rig.ask(Command(Kind.DRIVE)).reason is Reason.NOT_READY
        rows = answered_for(rig, 0.5, 0.05)
        assert rig.of(rows, "state")[-1] == State.DRIVE and 0 < rig.of(rows, HEIGHT)[-1] < 0.05
        rows = rig.step(0.5, EVERY)
        silent, age = rig.of(rows, "fault") == ModelFault.CONTROLLER_SILENT, rig.of(rows, "controller_age")
        first = int(np.argmax(silent))
        assert HOLD_S < age[first] < HOLD_S + 2 * STEP and silent[first:].all()
        assert np.ptp(rig.of(rows, HEIGHT)[first:]) == 0.0 and rig.of(rows, "state")[-1] == State.HELD
        frozen = rig.of(rows, HEIGHT)[-1]
        rows = answered_for(rig, FRESH_S - 2 * EVERY * STEP, 0.05)
        assert np.ptp(rig.of(rows, HEIGHT)) == 0.0  # not by one answer that came late
        rows = answered_for(rig, 0.1, 0.05)
        assert rig.of(rows, HEIGHT)[-1] > frozen and rig.of(rows, "state")[-1] == State.DRIVE


def test_what_a_controller_asks_beyond_the_bounds_is_cut() -> None:
    with stepped(rotor(internal=False)) as rig:
        rows = answered_for(rig, 2.5, 1e300)
    assert rig.of(rows, HEIGHT)[-1] == CONTROL.most and np.isfinite(rows).all()
    assert int(rig.of(rows, "warning")[-1]) & ModelWarningBit.TORQUE_LIMIT


def test_a_rotor_that_cannot_go_on_waits_with_its_controls_as_they_are() -> None:
    with stepped(rotor()) as rig:
        rig.tune(HEIGHT, 0.04)
        rig.step(0.3, EVERY)
        rig.run.arrays["one"][2, 7:10] = 1e9
        before = rig.run.arrays["one"].copy()
        rows = rig.step(0.5, EVERY)
    np.testing.assert_array_equal(rig.run.arrays["one"], before)
    assert rig.of(rows, "fault")[-1] == ModelFault.UNSOLVED and np.isfinite(rows).all()
    assert rig.of(rows, HEIGHT)[-1] > CONTROL.start and np.ptp(rig.of(rows, HEIGHT)[-100:]) == 0.0


def test_a_controller_gets_set_points_settings_and_outputs() -> None:
    with stepped(rotor()) as rig:
        rig.tune(HEIGHT, 0.04)
        row = rig.step(0.3, EVERY)[-1:]
        state = rig.run.state_out.get()
    assert state is not None and state[0] == rig.of(row, "tick")[0]
    names = ("t", f"{HEIGHT}_ref", HEIGHT, "azimuth", "coning")
    np.testing.assert_array_equal(state[1:], [rig.of(row, name)[0] for name in names])
