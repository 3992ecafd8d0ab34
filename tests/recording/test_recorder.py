"""The recorder: every record is in the file or counted, whatever the writer or an operator does."""

import re
import threading
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motionbase.errors import RecordingError
from motionbase.recording.mcap.write import log_times
from motionbase.recording.open import open_recording
from motionbase.recording.recorder import control as control
from motionbase.recording.recorder.items import Settings, Split
from motionbase.recording.recorder.recorder import Recorder
from motionbase.recording.recorder.time import Timeline
from tests.recording.recorder_rig import (
    DT,
    OTHER,
    SCHEMA,
    events_in,
    files,
    recorder,
    records_in,
    rows,
    times_in,
    turning,
    until,
    writer,
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MOTIONBASE_RING_FOLDER", str(tmp_path))
    monkeypatch.setenv("MOTIONBASE_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("MOTIONBASE_RING_DEVICE", raising=False)
    return tmp_path


def test_every_record_is_in_the_file_with_its_time_and_what_the_ring_says(folder: Path) -> None:
    given_rows = rows(0, 1000)
    with writer(platform='name = "rig"\nlegs = 6\n', program="a test") as ring:
        with recorder(folder / "run.mcap", note="before breakfast") as made:
            for part in np.array_split(given_rows, 7):
                ring.write(part)
                made.look()
        epoch = ring.header.epoch_utc_ns
    with open_recording(folder / "run.mcap") as found:
        assert found.schema == SCHEMA and list(found.damage) == []
        about = found.source.about
        assert about["epoch_utc_ns"] == str(epoch) and about["ring"] == "rig" and about["writer"] == "a test"
        assert about["platform"].startswith("name") and about["platform_name"] == "rig" and float(about["dt"]) == DT
        assert about["every"] == "1" and about["motionbase"] and about["python"] and about["host"]
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", about["start_utc"])
    np.testing.assert_array_equal(records_in(folder / "run.mcap"), given_rows)
    np.testing.assert_allclose(times_in(folder / "run.mcap"), given_rows[:, 0], atol=1e-9)  # log times are whole ns
    assert "before breakfast" in events_in(folder / "run.mcap", "note")
    assert any("1000 records read, 0 lost" in e for e in events_in(folder / "run.mcap", "recording"))


def test_chunks_hold_a_tenth_of_a_second_at_most(folder: Path) -> None:
    with writer() as ring, recorder(folder / "run.mcap") as made:
        ring.write(rows(0, 2000))
        made.look()
    with open_recording(folder / "run.mcap") as found:
        assert np.diff(found.source.starts).max() == round(0.1 / DT)


def test_a_ring_that_comes_later_is_recorded_from_its_first_record(folder: Path) -> None:
    with recorder(folder / "run.mcap") as made:
        made.look()
        with writer() as ring:
            ring.write(rows(0, 50))
            until(lambda: made.status()["records"] == 50, made.look)
    assert records_in(folder / "run.mcap")[:, 1].tolist() == list(range(50))


def test_a_ring_that_is_there_is_recorded_from_now_on(folder: Path) -> None:
    with writer() as ring:
        ring.write(rows(0, 50))
        with recorder(folder / "run.mcap") as made:
            ring.write(rows(50, 20))
            made.look()
    assert records_in(folder / "run.mcap")[:, 1].tolist() == list(range(50, 70))


def test_overwritten_records_are_counted_exactly(folder: Path) -> None:
    with writer(capacity=64) as ring, recorder(folder / "run.mcap") as made:
        for first, count in ((0, 40), (40, 300), (340, 40)):  # the second laps the ring
            ring.write(rows(first, count))
            made.look()
        lost, status = 380 - made.status()["records"], made.status()
        assert status["lost"] == lost > 0 and status["gaps"] == 1
    numbers = records_in(folder / "run.mcap")[:, 1].astype(int)
    gaps = [(a + 1, b - 1) for a, b in pairwise(numbers.tolist()) if b != a + 1]
    assert len(gaps) == 1 and gaps[0][1] - gaps[0][0] + 1 == lost
    told = events_in(folder / "run.mcap", "gap")
    assert len(told) == 1 and told[0].startswith(f"{lost} records lost, {gaps[0][0]} to {gaps[0][1]}: ")
    with open_recording(folder / "run.mcap") as found:  # it stands where it happened, within a turn of the records
        (event,) = [e for e in found.events if e.kind == "gap"]
        assert gaps[0][0] * DT - DT <= event.t


def test_a_restarted_writer_begins_a_new_file_with_a_time_that_goes_on(folder: Path) -> None:
    with recorder(folder / "run.mcap") as made:
        for _ in range(2):
            with writer() as ring:
                ring.write(rows(0, 30))
                until(lambda: made.status()["writer"] == "live", made.look)
            until(lambda: made.status()["writer"] == "writer stopped", made.look)
    pieces = [folder / "run.mcap", folder / "run_001.mcap"]
    assert files(folder) == pieces
    begins, states, epochs = [], [], []
    for path in pieces:
        assert records_in(path)[:, 1].tolist() == list(range(30)), "a file holds records of one run"
        states += events_in(path, "writer")
        with open_recording(path) as found:
            about = found.source.about
            begins.append(int(about["epoch_utc_ns"]) + round(found.start * 1e9))
            epochs.append(int(about["epoch"]))
    assert begins[0] < begins[1] and epochs[0] < epochs[1]
    assert [s.split(":")[0] for s in states if s.startswith("restarted")] == ["restarted"]
    assert states.count("writer stopped") == 2 and states.count("live") == 2


def test_records_of_another_kind_begin_a_new_file(folder: Path) -> None:
    with recorder(folder / "run.mcap") as made:
        with writer() as ring:
            ring.write(rows(0, 30))
            until(lambda: made.status()["records"] == 30, made.look)
        with writer(schema=OTHER) as ring:
            ring.write(rows(0, 20, channels=2))
            until(lambda: made.status()["records"] == 50, made.look)
    assert len(records_in(folder / "run.mcap")) == 30
    with open_recording(folder / "run_001.mcap") as found:
        assert found.schema == OTHER and found.count == 20


def test_something_else_under_the_rings_name_is_told_and_survived(folder: Path) -> None:
    said: list[str] = []
    with recorder(folder / "run.mcap", said) as made:
        with writer() as ring:
            ring.write(rows(0, 30))
            until(lambda: made.status()["records"] == 30, made.look)
        (folder / "foreign").write_bytes(b"no ring of ours" * 1000)
        (folder / "foreign").rename(folder / "motionbase-rig")
        until(lambda: any("is not a ring of motionbase" in s for s in said), made.look)
        for _ in range(5):
            made.look()
        assert sum("is not a ring of motionbase" in s for s in said) == 1, "once, not at every look"
        (folder / "motionbase-rig").unlink()
        with writer() as ring:
            ring.write(rows(0, 20))
            until(lambda: made.status()["records"] == 50, made.look)
    assert [records_in(p)[:, 1].tolist() for p in files(folder)] == [[*range(30)], [*range(20)]]
    assert any("is not a ring of motionbase" in e for e in events_in(folder / "run.mcap", "writer"))


@pytest.mark.parametrize("split", [Split(ns=250_000_000), Split(bytes=6_000)])
def test_split_files_hold_every_record_once(folder: Path, split: Split) -> None:
    given_rows = rows(0, 1100)
    with writer() as ring, recorder(folder / "out", split=split) as made:
        for part in np.array_split(given_rows, 9):
            ring.write(part)
            made.look()
    found = files(folder / "out")
    stem = found[0].name.removesuffix(".mcap")
    assert re.fullmatch(r"\d{8}T\d{6}Z_rig", stem)
    assert [p.name for p in found[1:]] == [f"{stem}_{k:03d}.mcap" for k in range(1, len(found))]
    parts = [records_in(p) for p in found]
    np.testing.assert_array_equal(np.concatenate(parts), given_rows)
    if split.ns:
        assert [len(p) for p in parts] == [250, 250, 250, 250, 100]
    else:
        assert len(parts) > 3 and all(p.stat().st_size >= 6_000 for p in found[:-1])
    epochs = set()
    for path in found:
        with open_recording(path) as piece:
            assert list(piece.damage) == []
            epochs.add(piece.source.about["epoch_utc_ns"])
    assert len(epochs) == 1
    np.testing.assert_allclose(np.concatenate([times_in(p) for p in found]), given_rows[:, 0], atol=1e-9)


def test_an_operator_notes_splits_stops_and_starts(folder: Path) -> None:
    with writer() as ring:
        made = Recorder(Settings("rig", folder / "run.mcap"), lambda _: None)
        with turning(made):
            assert control.ask("rig", "note", "  a bump  ") == "noted"
            ring.write(rows(0, 100))
            assert "new file" in control.ask("rig", "split")  # what is in the ring by then stays in this one
            ring.write(rows(100, 50))
            assert control.ask("rig", "stop") == "stopped after 150 records"
            with pytest.raises(RecordingError, match="not recording"):
                control.ask("rig", "note", "too late")
            ring.write(rows(150, 10))  # not recorded, whether the recorder has read them by then or not
            assert control.ask("rig", "start") == f"recording to {folder / 'run_2.mcap'}"
            with pytest.raises(RecordingError, match="recording already"):
                control.ask("rig", "start")
            ring.write(rows(160, 5))
            for bad in ("", " ", "x" * 5000):
                with pytest.raises(RecordingError, match="1 to 4096 letters"):
                    control.ask("rig", "note", bad)
            with pytest.raises(RecordingError, match="no command 'dance'"):
                control.ask("rig", "dance")
            until(lambda: control.status("rig")["written"] == 5)
            status = control.status("rig")
            assert status["state"] == "recording" and status["file"] == str(folder / "run_2.mcap")
        with pytest.raises(RecordingError, match="nobody records ring 'rig'"):
            control.status("rig")
    assert [len(records_in(folder / f"run{k}.mcap")) for k in ("", "_001", "_2")] == [100, 50, 5]
    assert records_in(folder / "run_2.mcap")[:, 1].tolist() == [160, 161, 162, 163, 164]
    assert events_in(folder / "run.mcap", "note") == ["a bump"]
    assert not list(folder.glob("motionbase-rig.recorder*")), "nothing is left beside the ring"


def test_recordings_of_one_second_and_names_that_are_taken_get_stems_of_their_own(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("motionbase.recording.recorder.recorder.time.time_ns", lambda: 1_700_000_000 * 10**9)
    said: list[str] = []
    (folder / "out").mkdir()
    (folder / "out" / "20231114T221320Z_rig_3.mcap").write_bytes(b"of somebody else")
    with writer() as ring:
        made = Recorder(Settings("rig", folder / "out"), said.append)
        with turning(made):
            for k in range(3):
                ring.write(rows(10 * k, 10))
                control.ask("rig", "stop")
                control.ask("rig", "start")
    names = [Path(one["first"]).name for one in made.summary()["recordings"]]
    assert names == [f"20231114T221320Z_rig{k}.mcap" for k in ("", "_2", "_4")]
    assert [int(records_in(folder / "out" / name)[0, 1]) for name in names] == [0, 10, 20]
    with open_recording(folder / "out" / names[2]) as found:
        assert found.source.about["recording"] == "20231114T221320Z_rig_4"
    assert [s for s in said if "exists already; recording to" in s and "rig_4.mcap" in s]


def test_a_second_recorder_is_refused_and_one_that_waits_begins_when_asked(folder: Path) -> None:
    with writer() as ring, recorder(folder / "a.mcap", wait=True) as made:
        with pytest.raises(RecordingError, match="recorded already, by process"):
            Recorder(Settings("rig", folder / "b.mcap"), lambda _: None)
        ring.write(rows(0, 10))
        made.look()
        assert made.status()["state"] == "stopped" and not files(folder)
        asking = threading.Thread(target=control.ask, args=("rig", "start"))
        asking.start()
        until(lambda: made.status()["state"] == "recording", made.look)
        asking.join()
        ring.write(rows(10, 10))
        made.look()
    assert records_in(folder / "a.mcap")[:, 1].tolist() == list(range(10, 20))


def test_what_cannot_be_recorded_to_is_refused_at_once(folder: Path) -> None:
    (folder / "old.mcap").touch()
    (folder / "file").touch()
    for out, sentence in (
        (folder / "old.mcap", "exists already; choose another name"),
        (folder / "file" / "new.mcap", "cannot be made"),
        (folder / "run.csv", r"must end in \.mcap"),
    ):
        with pytest.raises(RecordingError, match=sentence):
            Recorder(Settings("rig", out), lambda _: None)
    assert not list(folder.glob("motionbase-rig*"))


times = st.lists(
    st.one_of(st.floats(0, 1e6), st.floats(allow_nan=True, allow_infinity=True), st.integers(0, 50).map(float)),
    min_size=1,
    max_size=30,
)


@given(st.lists(times, min_size=1, max_size=4), st.integers(0, 2**61))
def test_the_time_of_a_recording_never_goes_back(blocks: list[list[float]], epoch: int) -> None:
    line = Timeline()
    line.begin(epoch, DT)
    stamps = np.concatenate([line.stamps(np.array(t)).utc_ns for t in blocks])
    assert (np.diff(stamps.astype(np.int64)) >= 0).all()
    whole = np.concatenate(blocks)
    if np.isfinite(whole).all() and (whole[1:] >= whole[:-1]).all() and whole.max() < 1e9 and whole.min() > -1e9:
        np.testing.assert_array_equal(stamps, log_times(epoch, whole))


def test_the_document_lists_the_state_and_the_events(folder: Path) -> None:
    text = (Path(__file__).resolve().parents[2] / "docs" / "recorder.md").read_text()
    with writer() as ring, recorder(folder / "run.mcap") as made:
        ring.write(rows(0, 10))
        made.look()
        assert [key for key in made.status() if f"`{key}`" not in text] == []
    with open_recording(folder / "run.mcap") as found:
        assert [key for key in found.source.about if f"`{key}`" not in text] == []
