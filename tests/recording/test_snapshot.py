"""ESTOP files of version 0.1, written by that version: they open for ever, with what is whole of a damaged one."""

import shutil
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from motionbase.cli.main import main
from motionbase.errors import RecordingError
from motionbase.record.faults import Fault
from motionbase.record.states import State
from motionbase.recording.estop.details import details_of
from motionbase.recording.estop.files import files, save_ring
from motionbase.recording.estop.report import report
from motionbase.recording.export import export
from motionbase.recording.open import open_recording
from motionbase.recording.sources.snapshot import Snapshot
from motionbase.recording.sources.snapshot_format import MAGIC, SEAL, VERSION
from motionbase.recording.split import split
from tests.recording.files import OLD_ESTOP, all_values, old_numbered
from tests.ring.rings import numbered, small_writer

CHANNELS, FIRST, END = 64, 100, 1000
CHUNK_BYTES = 64 * 1024
PER_CHUNK = CHUNK_BYTES // (8 * CHANNELS)
RECORDS_AT = old_numbered().index(numbered(FIRST, 1, CHANNELS).tobytes())


def old_rows() -> np.ndarray:
    """What is in `OLD_ESTOP`, as it was computed for the old writer."""
    n = np.arange(50.0, 300.0)
    stopped = n >= 200
    state = np.where(stopped, State.ABORT, State.DRIVE)
    fault = np.where(stopped, Fault.ESTOP, Fault.NONE)
    return np.stack([n / 100, n, stopped, state, fault, np.sin(n / 10), 1000 * np.cos(n / 7)], axis=1)


# ---- a file as it was written ----


def test_an_old_file_is_a_recording(tmp_path: Path) -> None:
    with open_recording(OLD_ESTOP) as found:
        assert found.source.kind == "ESTOP file" and found.count == 250 and not found.damage
        assert (found.start, found.end) == (0.5, 2.99) and found.source.about["platform"] == "legs = 6\n"
        assert [(e.t, e.kind, e.text) for e in found.events] == [(2.0, "estop", "emergency stop in record 200")]
        export(found, tmp_path / "a.mcap")
        export(found, tmp_path / "a.csv")
        pieces = split(found, tmp_path / "pieces", records=100, ending=".mcap")
    for path in (OLD_ESTOP, tmp_path / "a.mcap", tmp_path / "a.csv"):
        np.testing.assert_array_equal(all_values(path), old_rows())
    np.testing.assert_array_equal(np.concatenate([all_values(p.path) for p in pieces]), old_rows())


def test_an_old_file_says_what_happened(capsys: pytest.CaptureFixture[str]) -> None:
    d = details_of(OLD_ESTOP)
    assert (d.ring, d.event, d.event_t, d.first, d.count, d.capacity) == ("rig", 200, 2.0, 50, 250, 250)
    assert (d.cause, d.before_s, d.after_s) == ("emergency stop in record 200", 1.5, 0.99)
    told = report(OLD_ESTOP)
    assert told["at_the_stop"] == {
        "t": 2.0, "state_before": "drive", "state": "abort", "fault": "estop", "fault_sentence": None,
    }  # fmt: skip
    assert told["second_before"]["records"] == 101 and told["damage"] == []
    assert main(["estop", str(OLD_ESTOP)]) == 0 and "drive before, abort at the stop" in capsys.readouterr().out
    assert main(["info", str(OLD_ESTOP)]) == 0 and "stop at 2 s, 1.5 s before it" in capsys.readouterr().out


def test_old_and_new_files_are_kept_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The newest three of a ring, whatever their format."""
    monkeypatch.setenv("MOTIONBASE_RING_FOLDER", str(tmp_path))
    monkeypatch.delenv("MOTIONBASE_RING_DEVICE", raising=False)
    folder = tmp_path / "estop"
    folder.mkdir()
    old = [folder / f"2026111{k}T152444.848Z_rig.estop" for k in range(3)]
    other = folder / "20200101T000000.000Z_other.estop"
    for path in (*old, other):
        shutil.copy(OLD_ESTOP, path)
    with small_writer(name="rig") as writer:
        writer.write(numbered(0, 10))
        saved = save_ring(writer.segment, "rig", cause="test", folder=folder)
    assert saved.removed == (old[0],) and not old[0].exists() and other.exists()
    assert [f.path for f in files(folder, "rig")] == [saved.path, old[2], old[1]]
    assert all(f.details is not None for f in files(folder)) and saved.path.name.endswith("Z_rig.estop.mcap")


# ---- damage ----


def opened(tmp_path: Path, raw: bytes) -> Snapshot:
    (tmp_path / "damaged.estop").write_bytes(raw)
    return Snapshot.open(tmp_path / "damaged.estop")


def rows_of(found: Snapshot) -> np.ndarray:
    return np.concatenate([np.empty((0, CHANNELS)), *(run.rows for run in found.runs)])


def lost(found: Snapshot) -> int:
    return sum(loss.records for loss in found.losses)


def check_what_is_whole(found: Snapshot) -> None:
    """Every row is the one that was saved; rows and losses together are all of them."""
    numbers = [n for run in found.runs for n in range(run.first, run.first + len(run.rows))]
    np.testing.assert_array_equal(rows_of(found), np.array(numbers)[:, None] * np.ones(CHANNELS))
    missing = [n for loss in found.losses for n in range(loss.first, loss.first + loss.records)]
    assert sorted([*numbers, *missing]) == list(range(FIRST, END))


FUNCTION_FIXTURE = [HealthCheck.function_scoped_fixture]


def test_a_whole_file(tmp_path: Path) -> None:
    found = opened(tmp_path, old_numbered())
    check_what_is_whole(found)
    assert not found.losses and not found.notes and not found.runs[0].rows.flags.writeable


@settings(max_examples=60, deadline=None, suppress_health_check=FUNCTION_FIXTURE)
@given(data=st.data())
def test_flipped_bits_cost_their_chunks_only(tmp_path: Path, data: st.DataObject) -> None:
    raw = bytearray(old_numbered())
    place = st.one_of(
        st.integers(0, len(raw) - 1), st.integers(0, RECORDS_AT), st.integers(len(raw) - 8000, len(raw) - 1)
    )
    at = data.draw(place)
    raw[at] ^= data.draw(st.integers(1, 255))
    found = opened(tmp_path, bytes(raw))
    check_what_is_whole(found)
    assert lost(found) <= PER_CHUNK
    inside = RECORDS_AT <= at < RECORDS_AT + 900 * 8 * CHANNELS
    if inside:
        chunk = (at - RECORDS_AT) // CHUNK_BYTES
        assert found.losses == ((100 + chunk * PER_CHUNK, min(PER_CHUNK, 900 - chunk * PER_CHUNK)),)


@settings(max_examples=60, deadline=None, suppress_health_check=FUNCTION_FIXTURE)
@given(data=st.data())
def test_a_file_that_was_cut_short(tmp_path: Path, data: st.DataObject) -> None:
    raw = old_numbered()
    size = data.draw(st.one_of(st.integers(0, RECORDS_AT), st.integers(RECORDS_AT, len(raw) - 1)))
    if size < SEAL.size + SEAL.unpack_from(raw)[2]:
        with pytest.raises(RecordingError, match=r"damaged\.estop"):
            opened(tmp_path, raw[:size])
        return
    found = opened(tmp_path, raw[:size])
    check_what_is_whole(found)
    assert found.notes == ("the end of the file is missing or damaged",)
    rows = max(0, size - RECORDS_AT) // (8 * CHANNELS)
    assert len(rows_of(found)) == (900 if rows >= 900 else rows // PER_CHUNK * PER_CHUNK)


@settings(max_examples=40, deadline=None, suppress_health_check=FUNCTION_FIXTURE)
@given(data=st.data())
def test_many_damaged_places(tmp_path: Path, data: st.DataObject) -> None:
    raw = bytearray(old_numbered())
    for at in data.draw(st.lists(st.integers(RECORDS_AT, RECORDS_AT + 900 * 512 - 1), max_size=5)):
        raw[at] ^= 0xFF
    check_what_is_whole(opened(tmp_path, bytes(raw)))


@settings(max_examples=60, deadline=None, suppress_health_check=FUNCTION_FIXTURE)
@given(raw=st.one_of(st.binary(max_size=200), st.binary(max_size=100).map(lambda b: b"MBSNAP\r\n" + b)))
def test_anything_else_gets_a_sentence(tmp_path: Path, raw: bytes) -> None:
    with pytest.raises(RecordingError, match=r"damaged\.estop"):
        opened(tmp_path, raw)


def test_both_headers_gone(tmp_path: Path) -> None:
    raw = bytearray(old_numbered())
    raw[40] ^= 1
    raw[-40] ^= 1
    with pytest.raises(RecordingError, match="the header is damaged, and so is its copy"):
        opened(tmp_path, bytes(raw))
    raw[40] ^= 1
    assert lost(opened(tmp_path, bytes(raw))) == 0


def test_another_version_is_refused(tmp_path: Path) -> None:
    raw = bytearray(old_numbered())
    for at in (8, len(raw) - SEAL.size + 8):
        struct.pack_into("<I", raw, at, 2)
    with pytest.raises(RecordingError, match="has version 2, this program reads 1"):
        opened(tmp_path, bytes(raw))
    with pytest.raises(RecordingError, match=r"nothing\.estop cannot be read: No such file"):
        Snapshot.open(tmp_path / "nothing.estop")


def test_a_damaged_old_recording_has_a_gap(tmp_path: Path) -> None:
    raw = bytearray(old_numbered())
    raw[len(raw) // 2] ^= 0xFF
    path = tmp_path / "a.estop"
    path.write_bytes(raw)
    with open_recording(path) as found:
        (damage,) = found.damage
        assert 900 - found.count == PER_CHUNK and "are damaged or missing" in damage.text
        assert damage.first == damage.last
        t = found.columns("t")["t"]
        assert t[damage.place] - t[damage.place - 1] == PER_CHUNK + 1  # it lies where the records are missing
        np.testing.assert_array_equal(found.columns("x5")["x5"], t)
    path.write_bytes(b"MBSNAP\r\n" + bytes(100))
    with pytest.raises(RecordingError, match=r"a\.estop"):
        open_recording(path)


def test_the_document_tells_the_format() -> None:
    text = (Path(__file__).resolve().parents[2] / "docs" / "estop.md").read_text()
    assert f"| seal | {SEAL.size} |" in text and f"version, {VERSION} (u32)" in text
    assert MAGIC == b"MBSNAP\r\n" and "`MBSNAP` and a line end" in text
    assert b'"schema":{"channels":[{"description":"time"' in old_numbered(), "people can read the header"
