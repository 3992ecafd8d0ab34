"""Damaged, cut and foreign MCAP files: no wrong number, a sentence for each, and only what is damaged is lost."""

from __future__ import annotations

import struct
import tempfile
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcap.writer import Writer as OfficialWriter

from motionbase.errors import RecordingError
from motionbase.recording.open import open_recording
from motionbase.recording.recording import Recording
from tests.recording.files import NOTES, Rows, schema_of, waves, write_mcap
from tests.tier import often

# ---- damage ----


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, Rows]:
    """A file of 20 chunks, and its records."""
    schema = schema_of(12, 3)
    rows = waves(schema, 1000)
    path = write_mcap(tmp_path_factory.mktemp("whole") / "a.mcap", schema, rows, chunk=50)
    return path.read_bytes(), rows


def check(found: Recording, rows: Rows) -> int:
    """Everything that comes out is right, or NaN and said; returns how many records are right."""
    columns = found.columns()
    values = np.array([columns[name] for name in found.schema.index]).T
    lost = np.isnan(values).all(axis=1)
    assert found.damage or (not lost.any() and found.count == len(rows))
    number = np.rint(columns["time"] / 0.001).astype(int)
    good = ~lost
    np.testing.assert_array_equal(values[good], rows[number[good]])
    np.testing.assert_allclose(columns["time"][good], rows[number[good], 0], atol=1e-12)  # ns to s, one rounding
    assert len(set(number[good])) == good.sum()
    assert all(e in NOTES for e in found.events)
    return int(good.sum())


@pytest.mark.parametrize("percent", range(0, 100))
def test_a_cut_file_has_all_chunks_before_the_cut(percent: int, whole: tuple[bytes, Rows], tmp_path: Path) -> None:
    raw, rows = whole
    path = tmp_path / "cut.mcap"
    path.write_bytes(raw[: len(raw) * percent // 100])
    try:
        with open_recording(path) as found:
            good = check(found, rows)
            assert found.damage and good % 50 == 0
            np.testing.assert_array_equal(found.columns("t")["t"][:good], rows[:good, 0])  # from the first on
            begin = raw.index(b"zstd")
            assert good >= (len(path.read_bytes()) - begin) / (len(raw) - begin) * 1000 - 250
    except RecordingError as e:
        assert percent <= 10 and "\n" not in str(e)


def test_a_file_that_is_cut_by_its_last_byte_is_whole_in_its_records(whole: tuple[bytes, Rows], tmp_path: Path) -> None:
    raw, rows = whole
    (tmp_path / "a.mcap").write_bytes(raw[:-1])
    with open_recording(tmp_path / "a.mcap") as found:
        assert check(found, rows) == 1000 and len(found.events) == 2


@settings(max_examples=often(300), deadline=None)
@given(data=st.data())
def test_changed_bytes_never_give_a_wrong_number(data: st.DataObject, whole: tuple[bytes, Rows]) -> None:
    raw, rows = whole
    spoilt = bytearray(raw[: data.draw(st.sampled_from([len(raw), len(raw) - 9, len(raw) * 2 // 3]))])
    for _ in range(data.draw(st.integers(1, 4))):
        spoilt[data.draw(st.integers(0, len(spoilt) - 1))] ^= data.draw(st.integers(1, 255))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.mcap"
        path.write_bytes(spoilt)
        try:
            with open_recording(path) as found:
                check(found, rows)
        except RecordingError as e:
            assert "\n" not in str(e)


@pytest.mark.parametrize("chunk", range(3))
def test_every_byte_of_a_chunk_s_head_may_be_wrong_in_a_file_without_end(
    chunk: int, whole: tuple[bytes, Rows], tmp_path: Path
) -> None:
    """The head has no checksum; times and sizes in it must not be believed."""
    raw, rows = whole
    mark = -1
    for _ in range(chunk + 1):
        mark = raw.index(b"zstd", mark + 1)
    for at in range(mark - 41, mark + 12):
        for change in (0x01, 0x80):
            spoilt = bytearray(raw[: len(raw) - 40])
            spoilt[at] ^= change
            path = tmp_path / f"{at}_{change}.mcap"
            path.write_bytes(spoilt)
            with open_recording(path) as found:
                assert check(found, rows) >= 900
                assert found.end == pytest.approx(0.999) and found.rows_between(0.2, 0.3)[1] > 100


def test_a_damaged_beginning_costs_nothing(whole: tuple[bytes, Rows], tmp_path: Path) -> None:
    raw, rows = whole
    for at in range(8, raw.index(b"zstd") - 50, 13):
        spoilt = bytearray(raw)
        spoilt[at] ^= 0x11
        (tmp_path / "a.mcap").write_bytes(spoilt)
        with open_recording(tmp_path / "a.mcap") as found:
            assert check(found, rows) == 1000 and found.schema == schema_of(12, 3)


def test_a_damaged_chunk_is_said_once_and_costs_itself(whole: tuple[bytes, Rows], tmp_path: Path) -> None:
    raw, rows = whole
    spoilt = bytearray(raw)
    spoilt[raw.index(b"zstd", len(raw) // 3) + 100] ^= 0xFF
    (tmp_path / "a.mcap").write_bytes(spoilt)
    with open_recording(tmp_path / "a.mcap") as found:
        assert found.count == 1000 and check(found, rows) == 950
        found.columns("x1")
        assert len(found.damage) == 1 and "could not be read" in found.damage[0].text


def test_a_frame_that_asks_for_much_memory_is_refused(whole: tuple[bytes, Rows], tmp_path: Path) -> None:
    """The size in a zstd frame is believed by its decoder, so it is looked at first."""
    raw, rows = whole
    at = raw.index(b"\x28\xb5\x2f\xfd")
    spoilt = bytearray(raw)
    spoilt[at + 4] = 0xE0  # eight bytes of size follow
    spoilt[at + 5 : at + 13] = (2**50).to_bytes(8, "little")
    (tmp_path / "a.mcap").write_bytes(spoilt)
    with open_recording(tmp_path / "a.mcap") as found:
        assert check(found, rows) == 950


@settings(max_examples=often(150), deadline=None)
@given(data=st.data())
def test_a_forged_index_gets_a_sentence_at_worst(data: st.DataObject, whole: tuple[bytes, Rows]) -> None:
    """Its checksum is right, what it says is not: nothing but a sentence may come of it."""
    raw = bytearray(whole[0])
    (start,) = struct.unpack_from("<Q", raw, len(raw) - 28)
    for _ in range(data.draw(st.integers(1, 6))):
        raw[data.draw(st.integers(start, len(raw) - 38))] = data.draw(st.integers(0, 255))
    raw[-12:-8] = struct.pack("<I", zlib.crc32(raw[start:-12]))
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "a.mcap").write_bytes(raw)
        try:
            with open_recording(Path(folder) / "a.mcap") as found:
                found.columns("x1")
                found.rows_between(0.1, 0.5)
        except RecordingError as e:
            assert "\n" not in str(e)


# ---- what is no recording of ours ----


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (b"", "is empty"),
        (b"\x89MCAP1\r\n" + bytes(100), "does not begin as one"),
        (b"\x89MCAP0\r\n", "was not written by motionbase"),
        (b"\x89MCAP0\r\n" + bytes(1000), "was not written by motionbase"),
        (b"hello", "does not begin as one"),
    ],
)
def test_what_is_no_recording_gets_a_sentence(raw: bytes, sentence: str, tmp_path: Path) -> None:
    (tmp_path / "a.mcap").write_bytes(raw)
    with pytest.raises(RecordingError, match=sentence):
        open_recording(tmp_path / "a.mcap")


def test_other_people_s_files_get_a_sentence(tmp_path: Path) -> None:
    with (tmp_path / "a.mcap").open("wb") as file:
        writer = OfficialWriter(file)
        writer.start("ros2", "somebody")
        schema = writer.register_schema("a/msg/B", "ros2msg", b"float64 x")
        channel = writer.register_channel("/b", "cdr", schema)
        writer.add_metadata("motionbase", {"schema": "{}"})
        writer.add_message(channel, 5, bytes(12), 5)
        writer.finish()  # type: ignore[no-untyped-call]
    with pytest.raises(RecordingError, match="was not written by motionbase"):
        open_recording(tmp_path / "a.mcap")


def test_a_missing_file_and_a_folder_get_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="does not exist"):
        open_recording(tmp_path / "none.mcap")
    with pytest.raises(RecordingError, match="is a folder"):
        open_recording(tmp_path)
