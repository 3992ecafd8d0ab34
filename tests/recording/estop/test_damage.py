"""Damaged ESTOP files: what is whole of them is read, and right."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from motionbase.errors import RecordingError
from motionbase.recording.estop.details import details_of
from motionbase.recording.estop.save import CHUNK_BYTES, save
from motionbase.recording.mcap.write import McapWriter
from motionbase.recording.open import open_recording
from motionbase.ring.writer import Writer
from tests.recording.files import all_values
from tests.ring.rings import numbered, small_schema, small_writer

CHANNELS = 64  # 512 bytes a record: 128 in a chunk
PER_CHUNK = CHUNK_BYTES // (8 * CHANNELS)
NAME = "a.estop.mcap"


def wide_writer(capacity: int = 1000, **options: Any) -> Writer:
    return small_writer(capacity, CHANNELS, **options)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A file of 900 records, the first of which is number 100."""
    folder = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOTIONBASE_RING_FOLDER", str(folder))
        with wide_writer(900) as writer:
            writer.write(numbered(0, 1000, CHANNELS))
            save("motionbase", folder / NAME, cause="test", event=500)
    return (folder / NAME).read_bytes()


def right_rows(path: Path) -> int:
    """How many can be read; each of them is as it was saved."""
    found = all_values(path)
    there = found[~np.isnan(found).any(axis=1)]
    np.testing.assert_array_equal(there, there[:, :1] * np.ones(CHANNELS))
    assert np.isin(there[:, 0], np.arange(100, 1000)).all() and (np.diff(there[:, 0]) > 0).all()
    return len(there)


FUNCTION_FIXTURE = [HealthCheck.function_scoped_fixture]


@settings(max_examples=80, deadline=None, suppress_health_check=FUNCTION_FIXTURE)
@given(data=st.data())
def test_a_damaged_byte_costs_its_chunk_only(tmp_path: Path, whole: bytes, data: st.DataObject) -> None:
    raw = bytearray(whole)
    ends = st.one_of(st.integers(0, 9000), st.integers(len(raw) - 9000, len(raw) - 1))
    raw[data.draw(st.one_of(st.integers(0, len(raw) - 1), ends))] ^= data.draw(st.integers(1, 255))
    path = tmp_path / NAME
    path.write_bytes(raw)
    if raw[:8] != whole[:8]:
        with pytest.raises(RecordingError):
            open_recording(path)
        return
    assert right_rows(path) >= 900 - PER_CHUNK
    assert (details := details_of(path)).count == 900 and details.event_t == 500


@settings(max_examples=40, deadline=None, suppress_health_check=FUNCTION_FIXTURE)
@given(data=st.data())
def test_a_file_that_was_cut_short_opens_up_to_there(tmp_path: Path, whole: bytes, data: st.DataObject) -> None:
    size = data.draw(st.integers(0, len(whole) - 1))
    path, head = tmp_path / NAME, whole.index(b"zstd")
    path.write_bytes(whole[:size])
    if size < head - 50:
        with pytest.raises(RecordingError):
            all_values(path)
        return
    chunks = whole[:size].count(b"zstd") - 1
    with open_recording(path) as found:
        assert found.damage and found.count >= min(900, chunks * PER_CHUNK)
    assert right_rows(path) >= min(900, chunks * PER_CHUNK)


def test_another_recording_is_no_estop_file(tmp_path: Path) -> None:
    with McapWriter(tmp_path / "a.mcap", small_schema(), {"ring": "rig"}) as writer:
        writer.write_rows(numbered(0, 3), 0, np.arange(3, dtype=np.uint64))
    with pytest.raises(RecordingError, match=r"a\.mcap is no ESTOP file, but another recording; `motionbase info`"):
        details_of(tmp_path / "a.mcap")
