"""A base that follows a host, in simulated time: the record, silence, a host that returns, counters."""

import os
from pathlib import Path

import numpy as np
import pytest

from motionbase.executive.base import LOOKS, Lasting
from motionbase.executive.host.rows import status_of
from motionbase.host.format import Frame
from motionbase.plant.fault_plan import FaultEvent, FaultKind, FaultPlan
from motionbase.record.cueing import LINK
from motionbase.record.faults import WarningBit
from motionbase.record.requests import Command, Kind, Reason
from motionbase.record.states import Mode, State
from motionbase.ring.blocks.commands import CommandSender
from tests.executive.host.rig import hosted, of, swaying

UP_S = 16.0  # in drive by then: it rises for 8 s


def test_the_base_follows_a_host_comes_to_rest_when_it_is_silent_and_goes_on_when_it_returns(
    ring_folder: Path,
) -> None:
    """Silence is told at once, settles after a second, and ends by itself, because the operator is automatic."""
    with hosted() as rig:
        rows = rig.step(UP_S)
        assert of(rows, "state")[-1] == State.DRIVE and set(of(rows, "mode")) == {float(Mode.HOST)}
        driven = rows[of(rows, "state") == State.DRIVE][200:]
        sent = np.array([swaying(t - 0.01)[3] for t in of(driven, "t")])
        # a frame every 10 ms is bridged over that time: the demand is at most so late
        assert np.abs(of(driven, "cmd_roll") - sent).max() < 0.05 * 2 * np.pi * 0.4 * 0.015
        assert np.abs(of(driven, "pose_meas_roll") - of(driven, "cmd_roll")).max() < 2e-3
        assert not of(driven, "warning").any() and of(driven, "host_age").max() < 0.0101
        frames = of(rows, "host_frames")
        np.testing.assert_array_equal(of(rows, "link_frames"), frames)
        assert frames[-1] == rig.sent

        rows = rig.step(8.0, None)
        t, state = of(rows, "t") - of(rows, "t")[0], of(rows, "state")
        silent = of(rows, "warning").astype(int) & WarningBit.HOST_SILENT != 0
        assert 0.05 < t[silent][0] < 0.6 and silent[t > 0.6].all()
        assert 0.9 < t[state == State.SETTLING][0] < 1.1 and state[-1] == State.STANDBY
        assert np.abs(of(rows, "acc_z") - 9.80665).max() < 1.0  # no jolt on the way
        assert np.abs(of(rows, "pose_meas_roll")[-1]) < 1e-3 and set(of(rows, "fault")) == {0.0}

        rows = rig.step(4.0)
        assert of(rows, "state")[-1] == State.DRIVE and of(rows, "warning")[-1] == 0


def test_a_base_without_the_automatic_operator_stays_in_standby_until_a_person_asks(ring_folder: Path) -> None:
    with hosted(FaultPlan((FaultEvent(FaultKind.HOST_DROPOUT, UP_S, until=UP_S + 6.0),))) as rig:
        rig.step(UP_S)
        rig.run.arrays["automatic"][...] = 0.0
        sender = CommandSender("rig", sender="test")
        rows = rig.step(5.0)
        assert of(rows, "state")[-1] == State.STANDBY and of(rows, "warning")[-1] == WarningBit.HOST_SILENT
        assert of(rows, "link_frames")[-1] == rig.sent > of(rows, "host_frames")[-1]  # heard, and kept from the law
        number = sender.send(Command(Kind.DRIVE), valid=60.0)
        rig.step(0.1)
        ack = sender.wait(number)
        assert ack is not None and ack.reason is Reason.NOT_READY
        rows = rig.step(3.0)
        assert of(rows, "state")[-1] == State.STANDBY and of(rows, "warning")[-1] == 0
        sender.send(Command(Kind.DRIVE), valid=60.0)
        assert of(rig.step(2.0), "state")[-1] == State.DRIVE


def test_the_record_holds_the_counters_and_the_host_is_told_the_state(ring_folder: Path) -> None:
    with hosted() as rig:
        host = rig.run.host
        assert host is not None
        rig.told.counts((5, 4, 3, 2, 1, 6))
        rows = rig.step(0.2, None)
        assert [of(rows, channel.name)[-1] for channel in LINK] == [5, 4, 3, 2, 1, 6]
        assert of(rows, "host_lost")[-1] == 4 + 3 + 1
        row = host.exchange.states.get()
        assert row is not None
        status = status_of(row)
        assert status.tick == of(rows, "tick")[-1] + 19
        assert status.t == pytest.approx(of(rows, "t")[-1] + 19 * 5e-4)
        assert (status.state, status.mode) == (State.RISING, Mode.HOST)
        assert status.pose[2] == pytest.approx(of(rows, "pose_hat_heave")[-1], abs=1e-3)


def test_the_tick_after_the_one_that_takes_a_frame_is_the_first_that_answers_it(ring_folder: Path) -> None:
    """Two bases with the same noise; a frame differs. The trajectory has no step, so the tick of the frame does not."""
    valves = []
    for roll in (0.0, 1e-3):
        with hosted() as rig:
            rig.step(UP_S)
            row = swaying(rig.t)
            row[3] += roll
            rig.told.frame(Frame(tuple(row)), (0,) * 6)
            found = []
            for _ in range(3):
                rig.executive.step(1)
                found.append(rig.run.arrays["valve_cmd"].copy())
            assert rig.run.arrays["host_count"] == rig.sent + 1
            valves.append(np.array(found))
    same = (valves[0] == valves[1]).all(axis=1)
    assert same.tolist() == [True, False, False]


def test_frames_that_law_and_guard_must_bear(ring_folder: Path) -> None:
    """Frames far outside are refused by the law, with a warning; the platform does not leave its limits."""
    with hosted() as rig:
        rig.step(UP_S)
        for number in (1e6, 1e300, -1e9, np.nan):
            rows = rig.step(0.2, lambda t, x=number: [x] * 18)  # type: ignore[misc]
            assert np.isfinite(rows).all() and set(of(rows, "fault")) == {0.0}
            assert np.abs(of(rows, "pose_meas_roll")).max() < 0.06
        assert of(rows, "link_malformed")[-1] > 0
        rows = rig.step(3.0)
        assert of(rows, "state")[-1] == State.DRIVE and of(rows, "warning")[-1] == 0


def test_an_exchange_that_is_cut_short_is_silence(ring_folder: Path) -> None:
    with hosted() as rig:
        assert rig.run.host is not None
        rig.step(0.2)
        os.truncate(rig.run.host.exchange.path, 0)
        rows = rig.step(0.5, None)
        assert np.isfinite(rows).all() and of(rows, "warning")[-1] == WarningBit.HOST_SILENT
        assert of(rows, "link_frames")[-1] == rig.sent


def test_silence_is_told_when_it_lasts() -> None:
    """A host whose frames come as rarely as the law bears is silent in every other look."""
    silent, lasting = "; the host is silent", Lasting()
    assert {lasting.of(silent * (k % 2)) for k in range(41)} == {""}
    told = [lasting.of(silent) for _ in range(LOOKS)] + [lasting.of("") for _ in range(LOOKS)]
    assert told == [""] * (LOOKS - 1) + [silent] * LOOKS + [""]
