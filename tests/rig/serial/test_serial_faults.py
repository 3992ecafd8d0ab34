"""Lost bytes, babble, restarts, stuck motors and limits: each ends stopped, with its fault."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motionbase.record.rig import LegState, Order, RigFault, Silence
from motionbase.rig.border import Demand
from motionbase.rig.serial import smc3
from motionbase.rig.serial.backend import SerialLegs
from motionbase.rig.serial.port import MOST_BYTES
from motionbase.rig.serial.setup import Kind
from motionbase.rig.serial.simulated import SimulatedEsp32, SimulatedSmc3
from tests.rig.serial.bench import BEGIN, Bench, setup
from tests.tier import often, some_of


def smc3_bench() -> tuple[Bench, SimulatedSmc3, SimulatedSmc3]:
    bench = Bench(Kind.SMC3)
    first, second = bench.boards
    assert isinstance(first, SimulatedSmc3) and isinstance(second, SimulatedSmc3)
    return bench, first, second


def esp32_bench() -> tuple[Bench, SimulatedEsp32]:
    bench = Bench(Kind.ESP32)
    (board,) = bench.boards
    assert isinstance(board, SimulatedEsp32)
    return bench, board


def test_promises() -> None:
    measured, blind = Bench(Kind.SMC3).promise, Bench(Kind.ESP32).promise
    assert measured.measures and not measured.homes
    assert not blind.measures and blind.homes
    assert measured.silent is blind.silent is Silence.HOLDS


def test_unplugged_board_stops_the_other_one_too() -> None:
    bench, *_ = smc3_bench()
    bench.moving()
    bench.plug(4, False)
    answer = bench.run(0.05, go=True, v=0.05)
    assert answer.faults == (RigFault.NONE,) * 3 + (RigFault.SILENT_LEG,) * 3
    assert "unplugged" in bench.legs.why
    bench.stands()


@pytest.mark.parametrize("kind", Kind)
def test_a_plug_put_in_again_moves_nothing(kind: Kind) -> None:
    """The controller has been restarted and moved by hand meanwhile; it gets no targets before it is enabled."""
    bench = Bench(kind)
    bench.moving()
    bench.plug(0, False)
    bench.run(0.5, go=True)
    board = bench.boards[0]
    board.motors.p += 60
    board.targets = board.motors.p.round()
    bench.plug(0, True)
    before = bench.lengths
    bench.run(1.0, go=True)
    bench.run(1.0, order=Order.RESET)
    np.testing.assert_allclose(bench.lengths, before, atol=2e-4)  # rounded to counts
    assert bench.run(0.5, order=Order.ENABLE).all_are(LegState.UNHOMED if bench.promise.homes else LegState.READY)
    np.testing.assert_allclose(bench.lengths, before, atol=1e-3)  # half of a reading
    bench.moving()


def test_a_motor_without_answers_is_named() -> None:
    bench, first, _ = smc3_bench()
    bench.moving()
    first.mute.add(1)
    answer = bench.run(0.2, go=True, v=0.05)
    assert answer.faults[1] is RigFault.SILENT_LEG and not any(np.delete(answer.faults, 1))
    bench.stands()


def test_one_lost_byte_in_five_hundred_is_no_fault() -> None:
    bench, first, second = smc3_bench()
    bench.ready()
    first.loss = second.loss = 0.002
    for v in (0.05, -0.05, 0.05):
        assert bench.run(2.0, go=True, v=v).all_are(LegState.FOLLOWING)


def test_half_of_all_bytes_lost_is_a_fault() -> None:
    """What is left of frames may look like another one and set a wrong target; the next good one sets it right."""
    bench, first, _ = smc3_bench()
    bench.moving()
    first.loss = 0.5
    fault = bench.run(1.0, go=True, v=0.05).fault
    assert fault in (RigFault.SILENT_LEG, RigFault.DEVICE, RigFault.SENSOR)
    first.loss = 0.0
    bench.run(2.0, go=True, v=0.05)
    assert bench.stands().fault is fault


def test_babble_between_answers_is_a_fault_of_the_device() -> None:
    bench, first, _ = smc3_bench()
    bench.moving()
    first.babble = 30
    answer = bench.run(0.2, go=True, v=0.05)
    assert answer.faults[:3] == (RigFault.DEVICE,) * 3 and not any(answer.faults[3:])
    bench.stands()
    assert bench.run(0.1, order=Order.RESET).fault is RigFault.DEVICE
    first.babble = 0
    bench.run(1.5)
    assert bench.run(0.1, order=Order.RESET).fault is RigFault.NONE
    bench.moving()


@pytest.mark.parametrize("kind", Kind)
def test_a_flood_is_stale(kind: Kind) -> None:
    """What waits behind so much is old."""
    bench = Bench(kind)
    bench.moving()
    bench.boards[0].babble = MOST_BYTES
    assert bench.run(0.1, go=True, v=0.05).fault is RigFault.STALE
    bench.stands()


def test_esp32_ignores_what_it_hears() -> None:
    bench, board = esp32_bench()
    bench.moving()
    board.babble = 40
    assert bench.run(0.5, go=True, v=0.01).all_are(LegState.FOLLOWING)


def test_esp32_that_restarts_must_be_homed_again() -> None:
    bench, board = esp32_bench()
    bench.moving()
    board.restart()
    assert bench.run(0.05, go=True, v=0.05).fault is RigFault.DEVICE
    bench.stands()
    bench.run(0.1, order=Order.RESET)
    assert bench.run(0.5, order=Order.ENABLE).all_are(LegState.UNHOMED)
    bench.moving()


def test_esp32_does_not_notice_a_stuck_motor() -> None:
    """As its promise says: lengths are those that were sent."""
    bench, board = esp32_bench()
    board.motors.stuck.add(2)
    answer = bench.moving()
    assert answer.fault is RigFault.NONE
    np.testing.assert_allclose(answer.l, bench.l, atol=2e-3)
    assert abs(answer.l[2] - bench.lengths[2]) > 5e-3


def test_a_stop_while_homing_forgets_where_the_legs_are() -> None:
    bench, _ = esp32_bench()
    bench.run(0.5, order=Order.ENABLE)
    assert bench.run(0.1, order=Order.HOME).all_are(LegState.HOMING)
    bench.plug(0, False)
    bench.run(0.3)
    bench.plug(0, True)
    bench.run(0.5)
    bench.run(0.1, order=Order.RESET)
    assert bench.run(0.5, order=Order.ENABLE).all_are(LegState.UNHOMED)


def test_a_stuck_motor_is_a_following_error_and_is_not_pushed_on() -> None:
    bench, first, _ = smc3_bench()
    bench.ready()
    first.motors.stuck.add(2)
    answer = bench.run(1.0, go=True, v=0.04)
    assert answer.faults[2] in (RigFault.FOLLOWING_ERROR, RigFault.DEMAND)
    bench.stands()
    if answer.faults[2] is RigFault.FOLLOWING_ERROR:
        assert abs(first.targets[2] - first.motors.p[2]) <= smc3.STEP


def test_a_reading_that_jumps_is_a_sensor_fault() -> None:
    bench, first, _ = smc3_bench()
    bench.ready()
    first.motors.p[0] += 200
    answer = bench.run(0.05)
    assert answer.faults[0] is RigFault.SENSOR


def test_a_controller_that_clips_targets_is_a_fault_of_the_device() -> None:
    """Its limits are narrower than the rig's file says; the legs would stop short."""
    bench = Bench(Kind.SMC3, following=1.0)
    first = bench.boards[0]
    assert isinstance(first, SimulatedSmc3)
    bench.ready()
    first.clip = 400
    answer = bench.run(0.3)
    assert answer.fault is RigFault.DEVICE and not any(answer.faults[3:])


def test_a_motor_beyond_its_limits_is_switched_off() -> None:
    bench, _, second = smc3_bench()
    bench.moving()
    second.off.add(1)
    answer = bench.run(0.1, go=True, v=0.05)
    assert answer.faults[4] is RigFault.LIMIT_SWITCH and not any(np.delete(answer.faults, 4))
    bench.stands()
    bench.run(0.1, order=Order.RESET)
    bench.moving()  # enabled again
    assert not second.off


def test_a_motor_that_cannot_be_switched_on_is_a_fault() -> None:
    bench, first, _ = smc3_bench()
    first.motors.p[0] = 5
    bench.run(0.5, order=Order.ENABLE)
    answer = bench.run(bench.setup.boot + 3.0)
    assert answer.faults[0] is RigFault.LIMIT_SWITCH and not any(answer.faults[1:])


def test_a_board_that_is_switched_on_gets_targets_where_its_legs_are() -> None:
    """SMC3 goes to the middle after a restart; enabling stops it where it is."""
    bench, first, _ = smc3_bench()
    first.restart()
    bench.run(0.05)
    assert np.abs(first.motors.p - first.targets).min() > 20
    bench.ready()
    assert np.abs(first.motors.p - 512).max() > 20
    before = bench.lengths
    bench.run(1.0)
    np.testing.assert_allclose(bench.lengths, before, atol=1e-5)


def test_a_board_that_restarted_while_it_was_off_gets_new_targets() -> None:
    """Its port stayed; where it was sent before counts no more, even if that is near."""
    bench, first, _ = smc3_bench()
    bench.moving(1.0, v=0.05)
    bench.run(0.6, order=Order.DISABLE)
    before = first.targets.copy()
    first.restart()
    bench.run(0.03)
    gone = first.motors.p.copy()
    assert 3 < np.abs(gone - before).min() and np.abs(gone - before).max() < 0.02 * 3580
    bench.run(0.6, order=Order.ENABLE)
    assert (np.abs(first.targets - gone) < np.abs(first.targets - before)).all()


def test_disable_and_enable_leave_the_targets_as_they_are() -> None:
    bench, first, second = smc3_bench()
    bench.moving()
    bench.run(0.6, order=Order.DISABLE)
    before = [*first.targets, *second.targets]
    assert bench.run(0.6, order=Order.ENABLE).all_are(LegState.READY)
    assert [*first.targets, *second.targets] == before


def test_a_board_that_hears_nothing_for_long_has_less_power() -> None:
    """15 s in the source; firmware that cuts the power lets the leg go."""
    bench, first, second = smc3_bench()
    second.weak = 0.0
    for board in (first, second):
        board.advance(16.0)
        board.targets = board.targets + 50
    far = first.motors.p.copy(), second.motors.p.copy()
    for board in (first, second):
        board.advance(16.05)
    assert (first.motors.p > far[0]).all() and (second.motors.p == far[1]).all()


@settings(max_examples=often(100), deadline=None)
@given(heard=st.lists(st.binary(max_size=40), max_size=30))
def test_any_bytes_give_answers_without_movement(heard: list[bytes]) -> None:
    """A port that says anything: `cycle` never raises, and legs that are not sure of their lengths follow nothing."""
    said, sent = iter(heard), list[bytes]()

    class Anything:
        name = "anything"

        def read(self) -> bytes:
            return next(said, b"")

        def write(self, data: bytes) -> None:
            sent.append(data)

        def close(self) -> None:
            pass

    legs = SerialLegs(setup(Kind.SMC3), [Anything, Anything])
    for k in range(40):
        order = Order.ENABLE if k % 3 == 0 else Order.RESET if k % 3 == 1 else Order.NONE
        answer = legs.cycle(k * 0.01, Demand(k, BEGIN, np.zeros(6), k % 2 == 0, order=order))
        assert np.isfinite(answer.l).all() and LegState.FOLLOWING not in answer.states
    assert all(len(data) <= Kind.SMC3.most_bytes for data in sent)


@pytest.mark.parametrize(("times", "kind"), some_of([(15, kind) for kind in Kind] + [(1000, kind) for kind in Kind], 2))
def test_unplugged_at_random_always_ends_stopped(times: int, kind: Kind) -> None:
    random, bench = np.random.default_rng(7), Bench(kind)
    for _ in range(times):
        bench.moving(float(random.uniform(0.05, 0.3)), v=float(random.choice([-0.03, 0.03])))
        leg = int(random.integers(6))
        bench.plug(leg, False)
        answer = bench.run(0.05, go=True, v=0.03)
        assert answer.faults[leg] is RigFault.SILENT_LEG
        bench.stands(0.1)
        bench.plug(leg, True)
        bench.run(0.5)
        assert bench.run(0.1, order=Order.RESET).fault is RigFault.NONE
