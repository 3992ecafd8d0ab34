"""A second reading of drives, and a stop beside their master."""

from collections.abc import Iterator

import can
import numpy as np
import pytest

from motionbase.record.rig import LegState, RigFault
from motionbase.rig.border import Witness
from motionbase.rig.drives.canopen import NMT, TRANSMIT_PDO1, Network
from motionbase.rig.drives.profile import State
from motionbase.rig.drives.witness import DrivesWitness
from tests.rig.drives.bench import Bench, quick_bench, reset

V = 0.05  # of motions [m/s]


@pytest.fixture
def bench() -> Iterator[Bench]:
    """The drives' own watchdogs are too slow to stop anything here."""
    made = quick_bench(watchdog=5.0, silence=5.0)
    yield made
    made.leave()


@pytest.fixture
def witness(bench: Bench) -> Iterator[DrivesWitness]:
    made = DrivesWitness(bench.setup, f"virtual:{bench.channel}")
    yield made
    made.close()


def test_sees_what_the_legs_do(bench: Bench, witness: DrivesWitness) -> None:
    seen: Witness = witness
    first = seen.look(0.0)
    assert first.measured_at == -np.inf and np.isnan(first.l).all()
    bench.moving()
    for _ in range(20):
        bench.run(0.0, go=True, v=V)
        seen.look(bench.now)
    answer = bench.run(0.0, go=True, v=V)
    bench.advance(bench.now + 0.5 * bench.setup.period)
    sight = seen.look(bench.now)
    np.testing.assert_allclose(sight.l, answer.l, atol=1.5 * V * bench.setup.period)
    np.testing.assert_allclose(sight.l, bench.simulated.lengths, atol=3 * V * bench.setup.period)
    assert bench.now - 2 * bench.setup.period <= sight.measured_at <= bench.now


def test_time_of_the_slowest_leg_counts(bench: Bench, witness: DrivesWitness) -> None:
    bench.moving()
    for _ in range(10):
        bench.run(0.0)
        witness.look(bench.now)
    lost_at = witness.look(bench.now).measured_at
    bench.plug(4, False)
    for _ in range(10):
        bench.run(0.0)
        sight = witness.look(bench.now)
    assert sight.measured_at <= lost_at + bench.setup.period
    assert np.isfinite(sight.l).all() and bench.now - sight.measured_at > 8 * bench.setup.period


def test_stops_drives_whose_master_hangs(bench: Bench, witness: DrivesWitness) -> None:
    """Without the stop they would hold the last target, still enabled, until their watchdogs."""
    bench.moving()
    bench.advance(bench.now + 0.2)
    assert all(drive.state is State.OPERATION_ENABLED for drive in bench.drives)
    bench.moving(0.0)
    witness.stop()
    bench.advance(bench.now + 1e-3)
    assert all(drive.state is State.QUICK_STOP_ACTIVE for drive in bench.drives)
    assert all(drive.network is Network.STOPPED for drive in bench.drives)


def test_stops_drives_whose_master_goes_on(bench: Bench, witness: DrivesWitness) -> None:
    """The master commands motion until it finds all drives silent, and no drive obeys; a reset leads back."""
    bench.moving()
    before, speed = bench.simulated.lengths, np.abs(bench.simulated.speeds).max()
    witness.stop()
    answer = bench.run(0.0, go=True, v=V)
    assert answer.all_are(LegState.FOLLOWING)  # it cannot know yet
    assert all(drive.state is State.QUICK_STOP_ACTIVE for drive in bench.drives)
    answer = bench.run(bench.setup.noticing, go=True, v=V)
    assert answer.fault is RigFault.SILENT_LEG and all(answer.faults)
    bench.stands()
    ramp = speed**2 / (2 * bench.setup.deceleration)
    assert np.abs(bench.simulated.lengths - before).max() <= ramp + speed * 2e-3 + 1e-4
    assert "drive 1 was stopped on the bus" in bench.master.why

    reset(bench)
    assert np.abs(bench.simulated.lengths - before).max() <= ramp + speed * 2e-3 + 1e-4
    assert bench.moving().all_are(LegState.FOLLOWING)


def test_a_stop_that_is_kept_up_cannot_be_reset(bench: Bench, witness: DrivesWitness) -> None:
    bench.moving()
    for _ in range(100):
        witness.stop()
        bench.run(0.01)
        with pytest.raises(AssertionError):
            bench.until(lambda a: a.fault is RigFault.NONE, within=0.01)
    assert all(drive.network is Network.STOPPED for drive in bench.drives)


@pytest.mark.parametrize("seed", range(5))
def test_foreign_frames_are_not_seen(bench: Bench, witness: DrivesWitness, seed: int) -> None:
    """Any frame, of any length: only positions of the drives' nodes count."""
    bench.moving()
    for _ in range(10):
        bench.run(0.0)
        sight = witness.look(bench.now)
    assert np.isfinite(sight.l).all()
    chance = np.random.default_rng(seed)
    for _ in range(300):
        identifier, size = int(chance.integers(0x800)), int(chance.integers(9))
        if identifier in (NMT, *(TRANSMIT_PDO1 + n for n in bench.setup.nodes)) and size == 6:
            continue
        message = can.Message(arbitration_id=identifier, data=chance.bytes(size), is_extended_id=False)
        bench.bus._bus.send(message)
    np.testing.assert_array_equal(witness.look(bench.now).l, sight.l)


def test_positions_that_waited_in_a_flood_are_not_new(bench: Bench, witness: DrivesWitness) -> None:
    bench.moving()
    witness.look(bench.now)
    old = witness.look(bench.now).measured_at
    bench.run(2.0)
    for _ in range(2):  # what has come in two seconds is more than a look reads
        assert witness.look(bench.now).measured_at <= old + 2 * bench.setup.period
    for _ in range(50):
        witness.look(bench.now)
    bench.run(0.0)
    assert witness.look(bench.now).measured_at >= bench.now - 2 * bench.setup.period


def test_closed_bus_is_told_and_raises_nothing(bench: Bench, witness: DrivesWitness) -> None:
    witness.close()
    witness.stop()
    assert "does not send" in witness.why
    witness.look(1.0)
    assert "does not receive" in witness.why
