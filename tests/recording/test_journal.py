"""Events are in the recording with tick and time: found in records, requested of the ring, done by people."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from motionbase.errors import RecordingError
from motionbase.record.requests import Command, Kind, Result
from motionbase.record.schema import Channel, Schema
from motionbase.recording.changes import AT_ONCE
from motionbase.recording.export import export
from motionbase.recording.happened import SIDE_COLUMNS
from motionbase.recording.journal import Journal, RecordWatch
from motionbase.recording.mcap.messages import Event
from motionbase.recording.open import open_recording
from motionbase.recording.recorder import control
from motionbase.recording.recorder.items import Split
from motionbase.recording.split import split
from motionbase.ring.blocks.commands import CommandReceiver, CommandSender
from motionbase.ring.blocks.requests import Asked
from motionbase.ring.command_words import signed
from motionbase.ring.writer import Writer
from tests.recording.files import write_mcap
from tests.recording.recorder_rig import DT, files, recorder, turning, until

SCHEMA = Schema(
    "base",
    (
        Channel("t", "s", "time", "time"),
        Channel("tick", "-", "of the law", "time"),
        Channel("state", "-", "state", "status", codes=("off", "down", "drive", "abort")),
        Channel("fault", "-", "fault", "status", codes=("none", "tracking: a leg does not follow")),
        Channel("warning", "-", "warnings", "status", bits=("host silent", "leg limit")),
        Channel("estop", "-", "stop", "status"),
        Channel("generators_version", "-", "generators", "status"),
        Channel("command_ack", "-", "commands", "status"),
        Channel("x", "m", "a number", "numbers"),
    ),
)
PLACE = SCHEMA.index


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MOTIONBASE_RING_FOLDER", str(tmp_path))
    monkeypatch.setenv("MOTIONBASE_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("MOTIONBASE_RING_DEVICE", raising=False)
    return tmp_path


def records(first: int, count: int, **changes: tuple[int, float]) -> np.ndarray:
    """Records first, first + 1, ...; every change is (from which record on, which value)."""
    number = np.arange(first, first + count)
    rows = np.zeros((count, len(SCHEMA.channels)))
    rows[:, 0], rows[:, 1], rows[:, PLACE["x"]] = number * DT, 2 * number, np.sin(number)
    for name, (at, value) in changes.items():
        rows[:, PLACE[name]] = np.where(number >= at, value, 0.0)
    return rows


RUN = {"state": (400, 2.0), "fault": (700, 1.0), "warning": (650, 3.0), "estop": (700, 1.0)}
IN_RUN = [
    (0, "state", "state off", False),
    (400, "state", "state drive", False),
    (650, "warning", "warning host silent, leg limit", True),
    (700, "fault", "fault tracking: a leg does not follow", True),
    (700, "estop", "the emergency stop acts", True),
]


def in_records(events: Sequence[Event]) -> list[tuple[int, str, str, bool]]:
    """Record, kind, text; the tick must be the one of the record."""
    found = [e for e in events if e.tick is not None and e.kind in ("state", "fault", "warning", "estop")]
    assert all(e.tick == 2 * round(e.t / DT) for e in found)
    return [(round(e.t / DT), e.kind, e.text, e.is_bad) for e in found]


@pytest.mark.parametrize("size", [1, 7, 400, 1000])
def test_blocks_of_any_size_tell_the_same(size: int) -> None:
    rows, watch, found = records(0, 1000, **RUN), RecordWatch(SCHEMA), []
    for at in range(0, 1000, size):
        found += [(at + f.k, f.kind, f.text, f.is_bad) for f in watch.find(rows[at : at + size])]
    assert found == IN_RUN


def test_noise_in_a_channel_of_states_is_bounded() -> None:
    """One hour of a state that changes with every record."""
    rows = records(0, 3600)
    rows[:, 0] = np.arange(3600.0)
    rows[:, PLACE["state"]] = np.arange(3600) % 2
    watch = RecordWatch(SCHEMA)
    dense = rows.copy()
    dense[:, 0] /= 1000  # 3.6 s
    assert len(watch.find(dense)) <= AT_ONCE + 4
    told = [f.text for f in watch.find(np.column_stack([dense[:, 0] + 3.6, dense[:, 1:]]))]
    assert len(told) <= 4 and any("more times" in text for text in told)


def test_what_noise_left_behind_is_told_once_it_is_over() -> None:
    """A fault that comes and goes too quickly to be reported each time, and then stays, is reported at the end."""
    rows, watch = records(0, 3000), RecordWatch(SCHEMA)
    rows[:, PLACE["fault"]] = np.where(np.arange(3000) < 101, np.arange(3000) % 2, 1.0)
    found = [f for at in range(0, 3000, 100) for f in watch.find(rows[at : at + 100]) if f.kind == "fault"]
    assert [f.is_bad for f in found[:2]] == [True, False] and len(found) == AT_ONCE + 1
    assert found[-1].is_bad and found[-1].text == (
        f"fault changed {101 - AT_ONCE} more times, at last: fault tracking: a leg does not follow"
    )


def test_a_request_stands_at_the_record_that_took_it() -> None:
    journal = Journal(SCHEMA)
    journal.asked([Asked("request", "drive", "Anna", number=3), Asked("generators", "armed", "Anna")], 0.0)
    assert [(f.k, f.text) for f in journal.find(records(0, 10, command_ack=(20, 3.0)))][1:] == [(9, "armed")]
    assert [(f.k, f.text) for f in journal.find(records(10, 20, command_ack=(20, 3.0)))] == [(10, "drive")]
    journal.asked([Asked("request", "again", "Anna", number=4)], 1.0)
    assert journal.find(records(30, 10)) == [] and [one.text for one in journal.rest()] == ["again"]


def test_a_flood_of_requests_is_bounded_and_counted() -> None:
    journal = Journal(SCHEMA)
    for k in range(10_000):
        journal.asked([Asked("request", "drive", "", number=0)], k * 1e-3)
    assert len(journal.find(records(0, 1))) < 200


def test_the_recorder_writes_it_with_tick_and_time(folder: Path) -> None:
    with Writer(SCHEMA, name="rig", dt=DT, capacity=8192) as ring:
        receiver = CommandReceiver(ring.segment, ring.header.layout)
        with recorder(folder / "run.mcap") as made:
            ring.write(records(0, 300))
            made.look()
            CommandSender("rig", sender=signed("console", "Anna")).send(Command(Kind.DRIVE))
            order = receiver.poll()
            assert order is not None
            receiver.answer(order, Result.ACCEPTED)
            ring.write(records(300, 700, **RUN, command_ack=(390, 1.0), generators_version=(400, 2.0)))
            made.look()
            with turning(made):
                control.ask("rig", "event", "Anna took the operator's seat", kind="seat", person="Anna")
                control.ask("rig", "note", "a bump", person="Anna")
                with pytest.raises(RecordingError, match="no event 'state'"):
                    control.ask("rig", "event", "x", kind="state")
    with open_recording(folder / "run.mcap") as found:
        assert in_records(found.events) == IN_RUN
        assert found.journal() == list(found.events), "nothing has to be looked for"
        by_text = {e.text: e for e in found.events}
    drive = by_text["drive asked for by Anna (console): accepted"]
    assert (drive.kind, drive.tick, drive.person) == ("request", 780, "Anna")
    assert drive.t == pytest.approx(0.39, abs=1e-9)
    assert by_text["generators version 2 run"].tick == 800
    seat, note = by_text["Anna took the operator's seat"], by_text["a bump"]
    assert (seat.kind, seat.person, note.kind, note.person) == ("seat", "Anna", "note", "Anna")
    assert seat.tick == 2 * 999 and seat.t >= 0.999


def test_others_cannot_flood_a_recording(folder: Path) -> None:
    with Writer(SCHEMA, name="rig", dt=DT, capacity=8192) as ring, recorder(folder / "run.mcap") as made:
        ring.write(records(0, 10))
        made.look()
        asks = [control.Ask("event", f"alarm {k}", "alarm") for k in range(1000)]
        answers = [made._obeyed(ask) for ask in asks]
    assert sum(done for done, _ in answers) < 250
    assert "a second" in answers[-1][1]


def test_pieces_of_a_recorder_have_their_own_events(folder: Path) -> None:
    """The file is split at record 500, in the middle of a chunk."""
    with Writer(SCHEMA, name="rig", dt=DT, capacity=8192) as ring:
        with recorder(folder, split=Split(ns=500_000_000)) as made:
            ring.write(records(0, 1000, **RUN))
            made.look()
    first, second = files(folder)
    with open_recording(first) as found:
        assert in_records(found.journal()) == IN_RUN[:2]
    with open_recording(second) as found:
        assert in_records(found.events) == IN_RUN[2:]
        assert in_records(found.journal()) == [(500, "state", "state drive", False), *IN_RUN[2:]]


def test_what_was_cut_off_is_told_once_more(folder: Path) -> None:
    with Writer(SCHEMA, name="rig", dt=DT, capacity=8192) as ring, recorder(folder / "run.mcap") as made:
        ring.write(records(0, 300))
        made.look()
        until(lambda: made.status()["written"] >= 300, made.look)
        size = (folder / "run.mcap").stat().st_size
        ring.write(records(300, 500, **RUN))
        made.look()
        until(lambda: made.status()["written"] >= 800, made.look)
        with (folder / "run.mcap").open("r+b") as file:
            file.truncate(size)
        ring.write(records(800, 100, **RUN))
        made.look()
    told = {e.text for path in files(folder) for e in _events(path)}
    assert {text for _, _, text, _ in IN_RUN} <= told


def _events(path: Path) -> list[Event]:
    with open_recording(path) as found:
        return list(found.events)


@pytest.mark.parametrize("count", [1000, 200_000])
def test_a_recording_without_such_events_is_looked_through(tmp_path: Path, count: int) -> None:
    """The longer one by its pyramid."""
    rows = records(0, count, **{name: (count // 1000 * at, value) for name, (at, value) in RUN.items()})
    note = Event(0.25, "note", "of an old recorder")
    with open_recording(write_mcap(tmp_path / "old.mcap", SCHEMA, rows, 1000, events=(note,))) as found:
        assert list(found.events) == [note]
        events = found.journal()
    wanted = [(count // 1000 * at, *rest) for at, *rest in IN_RUN]
    assert in_records(events) == wanted and note in events


@pytest.mark.parametrize("ending", [".mcap", ".parquet", ".csv"])
def test_exports_have_them_too(tmp_path: Path, ending: str) -> None:
    note = Event(0.25, "note", 'a\tb\n"c"', None, "Anna")
    source = write_mcap(tmp_path / "old.mcap", SCHEMA, records(0, 1000, **RUN), events=(note,))
    with open_recording(source) as found:
        export(found, tmp_path / f"all{ending}")
        export(found, tmp_path / f"part{ending}", ["x"], 0.5, 0.8)
        pieces = split(found, tmp_path / "pieces", records=500, ending=ending)
    with open_recording(tmp_path / f"all{ending}") as found:
        assert in_records(found.journal()) == IN_RUN
        (kept,) = [e for e in found.journal() if e.kind == "note"]
        assert (kept.t, " ".join(kept.text.split()), kept.person) == (0.25, 'a b "c"', "Anna")
    with open_recording(tmp_path / f"part{ending}") as found:
        assert in_records(found.journal()) == [(500, "state", "state drive", False), *IN_RUN[2:]]
    with open_recording(pieces[1].path) as found:
        assert in_records(found.journal()) == [(500, "state", "state drive", False), *IN_RUN[2:]]
    if ending == ".csv":
        lines = (tmp_path / "all.events.tsv").read_text().splitlines()
        assert lines[0].split("\t") == ["t [s]", "tick", "kind", "person", "is_bad", "text"] and len(lines) == 7


def test_a_tick_that_no_file_has_room_for_is_left_out(tmp_path: Path) -> None:
    for tick in (None, 7, 2**63 - 1):
        assert Event.from_cdr(Event(0.5, "note", "a bump", tick).cdr()).tick == tick
    for tick in (2**63, 10**30, -2):
        assert Event.from_cdr(Event(0.5, "note", "a bump", tick).cdr()).tick is None


def test_a_side_file_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("t,state\n0,1\n1,2\n")
    (tmp_path / "a.events.tsv").write_text("mine\n")
    with open_recording(tmp_path / "a.csv") as found:
        assert found.events == () and len(found.journal()) in (0, 2)
        with pytest.raises(RecordingError, match="exists already"):
            (tmp_path / "b.events.tsv").write_text("mine\n")
            export(found, tmp_path / "b.csv")
    assert (tmp_path / "b.events.tsv").read_text() == "mine\n" and not (tmp_path / "b.csv").exists()


@pytest.mark.parametrize(
    "line",
    ["nan\t\tnote\t\t0\tx", "inf\t\tnote\t\t0\tx", f"1.0\t{10**30}\tnote\t\t0\tx", "1.0\t-5\tnote\t\t0\tx",
     "1.0\t٣\tnote\t\t0\tx"],
)  # fmt: skip
def test_events_beside_a_file_that_cannot_be_are_none_of_ours(tmp_path: Path, line: str) -> None:
    """Invalid times cannot be drawn, and invalid ticks cannot be stored."""
    (tmp_path / "a.csv").write_text("t,x\n0,1\n1,2\n")
    head = "\t".join(SIDE_COLUMNS)
    (tmp_path / "a.events.tsv").write_text(f"{head}\n{line}\n")
    with open_recording(tmp_path / "a.csv") as found:
        assert list(found.events) == [] and list(found.journal()) == []
        export(found, tmp_path / "b.mcap")
    (tmp_path / "a.events.tsv").write_text(f"{head}\n0.5\t7\tnote\tAnna\t0\ta bump\n")
    with open_recording(tmp_path / "a.csv") as found:
        assert list(found.events) == [Event(0.5, "note", "a bump", 7, "Anna")]
