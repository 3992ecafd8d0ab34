"""The end of an MCAP file: right for the official reader, and small in memory however many chunks there are."""

from __future__ import annotations

import errno
import os
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from mcap.reader import make_reader

from motionbase.record.hexapod import hexapod_schema
from motionbase.recording.mcap import summary
from motionbase.recording.mcap.messages import Event
from motionbase.recording.mcap.summary import ChunkPlace
from motionbase.recording.mcap.write import McapWriter
from motionbase.recording.open import open_recording
from tests.recording.files import EPOCH, schema_of, waves

CHUNKS = 37


def write_mixed(path: Path) -> Path:
    """Chunks of one to three records with events between them, now and then several, also at the start."""
    schema = schema_of(20, 4)
    with McapWriter(path, schema, {"epoch_utc_ns": str(EPOCH)}) as writer:
        for k in range(CHUNKS):
            if k % 4 == 0:
                writer.write_events([Event(0.1, "note", "x" * j) for j in range(k % 3 + 1)], [EPOCH + k] * (k % 3 + 1))
            count = k % 3 + 1
            log_time = np.arange(count, dtype=np.uint64) + np.uint64(EPOCH + 10 * k)
            writer.write_rows(waves(schema, count), 3 * k, log_time)
    return path


@pytest.mark.parametrize("at_once", [1, 5, 4096])
def test_the_official_reader_finds_every_chunk_in_the_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(summary, "AT_ONCE", at_once)
    path = write_mixed(tmp_path / "a.mcap")
    with path.open("rb") as file:
        reader = make_reader(file, validate_crcs=True)
        found = reader.get_summary()
        assert found is not None and found.statistics is not None
        assert found.statistics.chunk_count == len(found.chunk_indexes) == CHUNKS + 10
        assert (found.statistics.message_start_time, found.statistics.message_end_time) == (EPOCH, EPOCH + 360)
        messages = list(reader.iter_messages())
        assert len(messages) == found.statistics.message_count == sum(found.statistics.channel_message_counts.values())
        raw = path.read_bytes()
        for index in found.chunk_indexes:  # every place it names holds the record that it says
            assert raw[index.chunk_start_offset] == 6
            end = index.chunk_start_offset + index.chunk_length
            assert min(index.message_index_offsets.values()) == end
            for channel, offset in index.message_index_offsets.items():
                assert raw[offset] == 7 and int.from_bytes(raw[offset + 9 : offset + 11], "little") == channel
                assert offset < end + index.message_index_length
    with open_recording(path) as ours:
        assert list(ours.damage) == [] and ours.count == sum(k % 3 + 1 for k in range(CHUNKS))


def test_the_end_takes_no_memory_for_the_number_of_chunks(tmp_path: Path) -> None:
    """Two hours of chunks: all their index records together are 18 MB."""
    writer = McapWriter(tmp_path / "a.mcap", hexapod_schema(), {})
    index = writer.layout.index_bytes(1) * len(writer.layout.groups)
    for k in range(72_000):
        writer._places.add(ChunkPlace(k, k + 9, 1000 + k, 100, 1, index, 50, writer.layout.dtype.itemsize))
    tracemalloc.start()
    try:
        writer.close()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (tmp_path / "a.mcap").stat().st_size > 18_000_000
    assert peak < 5_000_000  # some copies of 4096 index records, 257 bytes each
    with (tmp_path / "a.mcap").open("rb") as file:
        found = make_reader(file, validate_crcs=True).get_summary()
    assert found is not None and len(found.chunk_indexes) == 72_000
    assert found.chunk_indexes[-1].chunk_start_offset == 1000 + 71_999


@pytest.mark.parametrize("after", [0, 1, 3, 6])
def test_a_disk_that_is_full_at_the_end_leaves_the_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    """Writes of the end fail half way, the first or a later one."""
    schema, calls, write = schema_of(6, 3), 0, os.write
    writer = McapWriter(tmp_path / "a.mcap", schema, {"epoch_utc_ns": "0"})
    writer.write_rows(waves(schema, 50), 0, np.arange(50, dtype=np.uint64))
    size = writer.bytes

    def failing(file: int, data: memoryview) -> int:
        nonlocal calls
        calls += 1
        if calls > after + 1:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(file, data[: len(data) // 2] if calls == after + 1 else data)

    monkeypatch.setattr("motionbase.recording.mcap.write.os.write", failing)
    with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
        writer.close()
    assert writer.bytes == size == (tmp_path / "a.mcap").stat().st_size
    with open_recording(tmp_path / "a.mcap") as found:
        assert found.count == 50 and [d for d in found.damage if "no end" in d.text]
