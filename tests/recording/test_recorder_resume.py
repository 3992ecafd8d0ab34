"""A recorder that is started again goes on after the last record on the disk, and records one run only."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from motionbase.errors import RecordingError
from motionbase.recording.mcap.tail import tail
from motionbase.recording.mcap.write import McapWriter, log_times
from motionbase.recording.open import open_recording
from motionbase.recording.recorder.files import place
from motionbase.recording.recorder.items import Settings
from motionbase.recording.recorder.process import command as recorder_command
from motionbase.recording.recorder.recorder import Recorder
from motionbase.recording.recorder.resume import recorded
from motionbase.ring.catalogue import left_epoch
from motionbase.ring.writer import Writer
from tests.recording.recorder_rig import DT, SCHEMA, events_in, files, recorder, records_in, rows, until, writer
from tests.ring.ring_processes import writer as writer_process

KINDS: list[dict[str, Any]] = [{}, {"oldest": True}, {"after": 0}]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MOTIONBASE_RING_FOLDER", str(tmp_path))
    monkeypatch.setenv("MOTIONBASE_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("MOTIONBASE_RING_DEVICE", raising=False)
    return tmp_path


def _numbers(out: Path) -> list[int]:
    return [int(n) for path in files(out) for n in records_in(path)[:, 1]]


def _killed(folder: Path, ring: Writer, count: int, cut: int = 0) -> Path:
    """A folder as a recorder leaves it that is killed after `count` records: its file has no end."""
    out = folder / "out"
    out.mkdir()
    with recorder(folder / "before" / "run.mcap") as made:
        ring.write(rows(0, count))
        until(lambda: made.status()["written"] == count, made.look)
        shutil.copy(folder / "before" / "run.mcap", out / "run.mcap")
    if cut:
        raw = (out / "run.mcap").read_bytes()
        (out / "run.mcap").write_bytes(raw[:-cut])
    return out


@pytest.mark.parametrize("how", KINDS)
def test_a_recorder_started_again_goes_on_after_the_last_record_on_the_disk(folder: Path, how: dict[str, Any]) -> None:
    said: list[str] = []
    with writer() as ring:
        out = _killed(folder, ring, 300)
        ring.write(rows(300, 250))
        with recorder(out / "run.mcap", said, **how) as made:
            ring.write(rows(550, 50))
            until(lambda: made.status()["written"] == 300, made.look)
    assert [p.name for p in files(out)] == ["run.mcap", "run_001.mcap"] and _numbers(out) == list(range(600))
    second = out / "run_001.mcap"
    assert events_in(second, "gap") == [] and made.summary()["lost"] == 0
    assert "goes on with record 300, after the last in run.mcap" in events_in(second, "recording")
    with open_recording(second) as found:
        assert found.source.about["recording"] == "run" and found.source.about["piece"] == "1"
        np.testing.assert_allclose(found.columns("t")["time"], np.arange(300, 600) * DT, atol=1e-9)
    assert any("goes on with record 300" in s for s in said)


@pytest.mark.parametrize("cut", [1, 3300, 5000, 9000])
def test_a_chunk_that_was_not_finished_is_written_again(folder: Path, cut: int) -> None:
    with writer() as ring:
        out = _killed(folder, ring, 300, cut)
        with recorder(out / "run.mcap", after=0) as made:
            made.look()
    assert _numbers(out) == list(range(300))
    with open_recording(out / "run.mcap") as found:
        assert (found.count < 300) == (cut > 3230), "the index of a chunk has 3230 bytes, its records do without"


def test_what_the_ring_has_overwritten_meanwhile_is_told_as_a_gap_of_exactly_known_length(folder: Path) -> None:
    with writer(capacity=512) as ring:
        out = _killed(folder, ring, 300)
        ring.write(rows(300, 2000))
        with recorder(out / "run.mcap", after=0) as made:
            until(lambda: made.status()["written"] > 0, made.look)
    numbers = _numbers(out)
    first = numbers[300]
    assert numbers == [*range(300), *range(first, 2300)] and 2300 - 512 <= first < 2300 - 400
    gap = f"{first - 300} records lost, 300 to {first - 1}: no recorder ran, the ring overwrote them"
    assert events_in(out / "run_001.mcap", "gap") == [gap] and made.summary()["lost"] == first - 300


def test_by_hand_another_recording_begins_where_the_ring_has_forgotten_the_last(folder: Path) -> None:
    with writer(capacity=512) as ring:
        out = _killed(folder, ring, 300)
        ring.write(rows(300, 2000))
        with pytest.raises(RecordingError, match="exists already"):
            Recorder(Settings("rig", out / "run.mcap"), lambda _: None)
        with recorder(out / "next.mcap") as made:
            ring.write(rows(2300, 10))
            made.look()
    assert records_in(out / "next.mcap")[:, 1].tolist() == list(range(2300, 2310))
    assert events_in(out / "next.mcap", "gap") == []


def test_a_recording_that_was_ended_is_followed_by_another_and_no_record_is_in_both(folder: Path) -> None:
    with writer() as ring:
        for k in range(3):
            ring.write(rows(100 * k, 50))
            with recorder(folder / "out", oldest=k > 0) as made:
                ring.write(rows(100 * k + 50, 50))
                made.look()
    assert len(files(folder / "out")) == 3 and _numbers(folder / "out") == list(range(50, 300))
    assert all(events_in(p, "gap") == [] for p in files(folder / "out"))


def test_the_oldest_records_of_a_ring_that_has_gone_round_are_no_gap(folder: Path) -> None:
    with writer(capacity=512) as ring:
        ring.write(rows(0, 2000))
        with recorder(folder / "run.mcap", oldest=True) as made:
            ring.write(rows(2000, 10))
            made.look()
    assert events_in(folder / "run.mcap", "gap") == [] and made.summary()["lost"] == 0
    numbers = records_in(folder / "run.mcap")[:, 1].astype(int).tolist()
    assert numbers == list(range(numbers[0], 2010))


def test_a_run_has_its_own_records_only_whatever_an_earlier_one_left(folder: Path) -> None:
    """The ring of a writer that was killed lies there when the next run begins."""
    with writer_process(folder, "rig", 500) as dead:
        assert left_epoch("rig") == 0, "its writer lives"
        dead.kill()
        dead.wait()
    epoch = left_epoch("rig")
    assert epoch and recorder_command("rig")[-2:] == ("--after", str(epoch))
    said: list[str] = []
    for out, options in (("run", {"after": epoch}), ("by hand", {"oldest": True})):
        with recorder(folder / out, said, **options) as made:
            for _ in range(5):
                made.look()
            assert made.status()["state"] == "waiting" and made.status()["records"] == 0
            with writer() as ring:
                ring.write(rows(0, 40))
                until(lambda: made.status()["records"] == 40, made.look)
        (path,) = files(folder / out)
        assert records_in(path)[:, 1].tolist() == list(range(40)) and events_in(path, "gap") == []
        if out == "run":  # once more, for the other
            with writer_process(folder, "rig", 500) as dead:
                dead.kill()
                dead.wait()
    assert [s for s in said if "was left by a run that has ended: it is not recorded" in s]


def test_numbers_beyond_those_of_messages_are_known_from_the_ring(folder: Path) -> None:
    first, count = 2**32 - 20, 50
    about = {"ring": "rig", "epoch": "7", "epoch_utc_ns": "0", "recording": "run", "piece": "4"}
    some = rows(first, count)
    with McapWriter(folder / "run_004.mcap", SCHEMA, about) as file:
        file.write_rows(some, first, log_times(0, some[:, 0]))
    assert tail(folder / "run_004.mcap") is not None
    for base in (0, 5 * 2**32):
        found = recorded(place(folder / "run.mcap", "rig"), 7, base + first + count + 1000)
        assert found is not None and found.next == base + first + count and found.piece == 5 and found.ended
    assert recorded(place(folder / "run.mcap", "rig"), 8, 10**10) is None, "of another run"


@pytest.mark.parametrize(
    "wrong",
    [
        {"recording": None}, {"recording": ""}, {"recording": "../other"}, {"recording": "/tmp/other"},
        {"recording": ".."}, {"recording": "a\0b"}, {"piece": "²"}, {"piece": "9" * 5000}, {"epoch_utc_ns": "9" * 19},
    ],
)  # fmt: skip
def test_what_a_file_says_of_itself_chooses_no_other_place(folder: Path, wrong: dict[str, str | None]) -> None:
    about = {"ring": "rig", "epoch": "7", "epoch_utc_ns": "0", "recording": "run", "piece": "4"}
    said = {key: value for key, value in {**about, **wrong}.items() if value is not None}
    with McapWriter(folder / "run_004.mcap", SCHEMA, said) as file:
        file.write_rows(rows(0, 10), 0, log_times(0, rows(0, 10)[:, 0]))
    assert recorded(place(folder / "run.mcap", "rig"), 7, 20) is None


def test_a_killed_recorders_unnamed_file_is_removed_by_the_next(folder: Path) -> None:
    from motionbase.ring.parts import here

    (folder / "out").mkdir()
    left = folder / "out" / f".20260101T000000Z_rig.mcap.{here()}.{2**22 + 1}.t00000000.part"
    other = folder / "out" / f".run.mcap.pyramid.{here()}.{2**22 + 1}.t00000000.part"
    for path in (left, other):
        path.touch()
    with recorder(folder / "out"):
        assert not left.exists() and other.exists()
