"""A follower through everything that can happen to a ring."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from motionbase.console.live import follower as follower_module
from motionbase.console.live.events import KEPT, EventLog
from motionbase.console.live.follower import Follower
from motionbase.console.live.ring_status import ring_status
from motionbase.console.live.runs import Run
from motionbase.console.models import Event
from motionbase.errors import MotionBaseError
from motionbase.record.hexapod import hexapod_schema
from motionbase.record.schema import Channel, Schema
from motionbase.ring.backend import find
from motionbase.ring.waveforms import records
from motionbase.ring.writer import Writer
from tests.console.live_rig import DT, RING, own_rings, rows, schema, wait_for, writer


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return own_rings(tmp_path, monkeypatch)


@pytest.fixture
def events() -> EventLog:
    return EventLog()


@pytest.fixture
def follower(folder: Path, events: EventLog) -> Iterator[Follower]:
    made = Follower("live", RING, find(RING), events)
    yield made
    made.close()


def texts(events: EventLog, what: str) -> list[str]:
    return [e.text for e in events.last() if e.what == what]


def test_it_waits_for_a_ring_and_shows_all_that_was_there_before(follower: Follower) -> None:
    assert not follower.turn() and ring_status(follower).state == "none" and follower.newest is None
    with writer() as made:
        made.write(rows(0, 5000))
        wait_for(follower.turn)
        while follower.turn():
            pass
        state: str = follower.state
        assert state == "live" and follower.history is not None and follower.history.count == 5000
        np.testing.assert_array_equal(follower.newest, rows(4999, 1)[0])
        assert follower.value("x") == 4999.0 and follower.value("nothing") is None


def test_changes_are_found_exactly_by_record(
    follower: Follower, events: EventLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("motionbase.console.live.events.time", SimpleNamespace(time=lambda: 1000.0))
    with writer() as made:
        state = np.repeat([3.0, 4.0, 5.0], [1000, 1, 999])
        fault = np.where(np.arange(2000) == 1500, 2.0, 0.0)
        warning = np.where(np.arange(2000) >= 1999, 5.0, 0.0) + 2**17  # an unnamed bit is left alone
        made.write(rows(0, 2000, state=state, fault=fault, warning=warning, estop=(np.arange(2000) > 1600) * 1.0))
        follower.turn()
        shown = [e for e in events.last() if e.what != "writer"]
        found = [(round(e.t or 0, 9), e.what, e.text, e.is_bad) for e in shown]
    when = [1000.0 - 1.999 + t for t, *_ in found]
    np.testing.assert_allclose([e.utc for e in shown], when, atol=1e-6, err_msg="when it was, not when it was read")
    assert found == [
        (0.0, "state", "state standby", False),
        (1.0, "state", "state engaging", False),
        (1.001, "state", "state drive", False),
        (1.5, "fault", "fault valve: it sticks", True),
        (1.501, "fault", "no fault any more", False),
        (1.601, "estop", "the emergency stop acts", True),
        (1.999, "warning", "warning host silent, dof limit", True),
    ]


def test_a_change_between_two_reads_is_found_once(follower: Follower, events: EventLog) -> None:
    with writer() as made:
        for k in range(6):
            made.write(rows(10 * k, 10, mode=float(k >= 3)))
            follower.turn()
    assert [(e.t, e.text) for e in events.last() if e.what == "mode"] == [(0.03, "mode maintenance")]


def test_a_ring_of_waveforms_makes_no_flood_of_events(follower: Follower, events: EventLog) -> None:
    with Writer(hexapod_schema(), name=RING, dt=DT) as made:
        made.write(records(hexapod_schema(), 0, 3000, DT))
        follower.turn()
    assert [e.text for e in events.last()][1:] in ([], ["the writer stopped"]), "the latter on a very slow machine"


def test_a_channel_that_changes_with_every_record_is_told_in_bounded_words(
    follower: Follower, events: EventLog
) -> None:
    with writer() as made:
        made.write(rows(0, 1000, mode=np.arange(1000) % 2))
        follower.turn()
        assert len(texts(events, "mode")) == 20
        made.write(rows(1000, 5000, mode=np.arange(1000, 6000) % 2))
        follower.turn()
    found = texts(events, "mode")
    counted = re.compile(r"mode changed \d+ more times, at last: mode \w+")
    assert any(counted.fullmatch(text) for text in found), f"the rest is counted: {found}"
    assert len(found) < 30, "some at once, then one a second"


def test_a_new_writer_is_a_new_generation(follower: Follower, events: EventLog) -> None:
    with writer() as made:
        made.write(rows(0, 100))
        follower.turn()
        before = follower.run
    follower.turn()
    assert follower.state == "lost" and follower.run is before, "what was shown stays"
    with writer() as again:
        again.write(rows(0, 7))
        wait_for(lambda: follower.turn() and follower.run is not before)
        assert before is not None and follower.run is not None
        assert follower.generation == before.generation + 1 and follower.run.history.count == 7
    assert texts(events, "writer")[1:] == [
        "the writer stopped", "the writer was restarted: test, small, 11 channels, 1000 Hz", "the writer is back",
    ]  # fmt: skip


def test_another_schema_takes_along_the_derived_channels_that_fit(follower: Follower, events: EventLog) -> None:
    with writer() as made:
        made.write(rows(0, 10))
        follower.turn()
        follower.derive("twice", "2 * x", "m")
        follower.derive("late", "lateness * 1000", "ms")
    other = Schema("other", (Channel("t", "s", "time", "time"), Channel("x", "m", "a quantity", "numbers")))
    with writer(made=other) as again:
        again.write(np.array([[0.0, 21.0]]))
        wait_for(lambda: follower.turn() and follower.schema is not None and follower.schema.name == "other")
        np.testing.assert_array_equal(follower.newest, [0.0, 21.0, 42.0])
        assert follower.run is not None
        assert [c.name for c in follower.run.described().channels] == ["t", "x", "twice"]
    assert texts(events, "note") == ["derived channel 'late' has no place in schema 'other'"]


def test_time_that_runs_back_is_a_new_generation_of_the_same_writer(follower: Follower) -> None:
    with writer() as made:
        made.write(rows(0, 100))
        follower.turn()
        generation = follower.generation
        made.write(rows(100, 10))
        made.write(rows(40, 5))
        made.write(rows(50, 5))
        follower.turn()
        assert follower.generation == generation + 1 and follower.history is not None
        np.testing.assert_array_equal(follower.history.rows(0, 99, slice(1, 2))[0], [*range(40, 45), *range(50, 55)])
        made.write(np.concatenate((rows(3, 2), rows(2, 2), rows(1, 2))))
        follower.turn()
        assert follower.generation == generation + 4
        np.testing.assert_array_equal(follower.history.rows(0, 99, slice(1, 2))[0], [1, 2])


def test_records_without_time_do_no_harm(follower: Follower) -> None:
    with writer() as made:
        given = rows(0, 10)
        given[[0, 4, 5], 0] = np.nan, np.inf, -np.inf
        made.write(given)
        follower.turn()
        assert follower.history is not None
        t = follower.history.rows(0, 10, slice(0, 1))[0]
        np.testing.assert_allclose(t, [0, 0.001, 0.002, 0.003, 0.003, 0.003, 0.006, 0.007, 0.008, 0.009])


def test_gaps_and_losses_are_told(follower: Follower, events: EventLog) -> None:
    with writer() as made:
        made.write(rows(0, 10))
        follower.turn()
        made.write(rows(15, 10))
        follower.turn()
        for k in range(5):
            made.write(rows(25 + 10_000 * k, 10_000))
        follower.turn()
    gaps = [e for e in events.last() if e.what == "gap"]
    assert gaps[0].text == "5 records are missing" and gaps[0].t == 0.015 and gaps[0].is_bad
    assert "overwritten before the console could read them" in gaps[1].text
    lost = int(gaps[1].text.split()[0])
    assert gaps[2].text == f"{lost} records are missing"


def test_a_file_that_is_no_ring_is_told_and_survived(follower: Follower, events: EventLog) -> None:
    path = find(RING).path
    path.write_bytes(b"no ring " * 10_000)
    follower.start()
    wait_for(lambda: "is not a ring" in follower.state_text)
    assert follower.state == "none" and len(texts(events, "writer")) == 1
    path.unlink()
    with writer() as made:
        made.write(rows(0, 3))
        wait_for(lambda: follower.history is not None and follower.history.count == 3)


def test_derived_channels_of_a_ring(follower: Follower) -> None:
    with pytest.raises(MotionBaseError, match="has shown no channels yet"):
        follower.derive("twice", "2 * x", "m")
    with writer() as made:
        made.write(rows(0, 50))
        follower.turn()
        told: list[int] = []
        follower.listen(lambda: told.append(1))
        follower.derive("twice", "2 * x", "m")
        assert told and follower.run is not None and follower.run.revision == 1
        made.write(rows(50, 1))
        follower.turn()
        assert follower.newest is not None and follower.newest[-1] == 100.0
        assert follower.run.described().channels[-1].formula == "2 * x"
        follower.remove_derived("twice")
        made.write(rows(51, 1))
        follower.turn()
        assert follower.newest is not None and len(follower.newest) == len(schema().channels)


def test_status_of_a_ring(follower: Follower) -> None:
    nothing = ring_status(follower)
    assert (nothing.state, nothing.channels, nothing.timing, nothing.platform) == ("none", 0, None, "")
    with writer(platform='name = "test bench"') as made:
        made.write(rows(0, 10, lateness=1e-4, estop=1.0, overruns=np.arange(10), load=0.5))
        follower.turn()
        made.write(rows(10, 10, lateness=3e-4, estop=1.0, overruns=np.arange(10, 20), load=0.25))
        follower.turn()
        found = ring_status(follower)
    assert (found.name, found.state, found.platform, found.rate_hz) == (RING, "live", "test bench", 1000.0)
    assert found.estop_acts and not found.takes_commands and not found.is_hardware
    assert found.timing is not None and found.timing.late_max_s == 3e-4 and found.timing.lost == 0
    assert found.timing.rate_hz > 0 and found.timing.overruns == 9.0


def test_the_rate_is_the_writers_however_late_the_console_takes_records(
    follower: Follower, monkeypatch: pytest.MonkeyPatch
) -> None:
    """200 records a second; turns come late, take long, and begin with all that the ring had before."""
    clock = SimpleNamespace(now=0.0, slow=0.0)
    monkeypatch.setattr(follower_module, "time", SimpleNamespace(monotonic=lambda: clock.now))
    with writer() as made:
        written = 500
        made.write(rows(0, written))

        def passes(seconds: float) -> None:
            nonlocal written
            clock.now += seconds
            made.write(rows(written, count := round(200 * seconds)))
            written += count

        def slowly(run: Run, taken: np.ndarray) -> None:
            append(run, taken)
            passes(clock.slow)

        append = follower._append
        monkeypatch.setattr(follower, "_append", slowly)
        found = []
        for late, clock.slow in (
            (0.05, 0.0),
            (0.05, 0.3),
            (0.05, 0.0),
            (1.5, 0.4),
            (0.02, 0.0),
            (0.3, 0.2),
            (0.6, 0.0),
        ):
            passes(late)
            follower.turn()
            timing = ring_status(follower).timing
            assert timing is not None
            found.append(timing.rate_hz)
    assert found[0] == 0.0 and found[1:] == pytest.approx([200.0] * 6)


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs /proc")
def test_a_closed_one_keeps_nothing_of_the_ring_open(follower: Follower) -> None:
    follower.start()
    with writer() as made:
        made.write(rows(0, 10))
        wait_for(lambda: follower.state == "live" and follower.history)
        before = _open_of_ring()
        follower.close()
        assert before - _open_of_ring() == 2  # for records and for requests
    assert follower.value("x") == 9.0


def _open_of_ring() -> int:
    """Files of the ring that this process has open; a mapping counts."""
    links = []
    for one in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):  # that of the listing itself
            links.append(str(one.readlink()))
    return sum(f"motionbase-{RING}" in link for link in links)


def test_the_log_keeps_the_last_thousand_and_tells_each_once() -> None:
    log, heard = EventLog(), list[Event]()
    log.listen(heard.append)
    for k in range(KEPT + 5):
        log.add("note", f"note {k}", source="replay" if k % 2 else "live")
    assert len(log.last()) == KEPT and log.last()[-1].text == f"note {KEPT + 4}" and len(heard) == KEPT + 5
    assert [e.number for e in heard] == list(range(1, KEPT + 6))
    assert {e.source for e in log.last("replay")} == {"replay"}
