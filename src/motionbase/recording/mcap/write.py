"""Writes a recording as MCAP, one chunk for each batch of records; the file stays readable if the writer is killed."""

from __future__ import annotations

import errno
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self, final

import numpy as np
import zstandard

from motionbase import private
from motionbase.arrays import Array, Unsigned
from motionbase.record.schema import Schema
from motionbase.recording.mcap import records as mcap
from motionbase.recording.mcap.messages import (
    EVENT_DEFINITION,
    EVENTS_TOPIC,
    PACKAGE,
    Event,
    definition,
    topic,
    type_names,
)
from motionbase.recording.mcap.records import Op, u16, u32, u64
from motionbase.recording.mcap.rows import RowLayout
from motionbase.recording.mcap.summary import ChunkPlace, Kept, Places, chunk_indexes, statistics, summary
from motionbase.recording.whole import link_new, sweep
from motionbase.ring.parts import part_of

COMPRESSION, LEVEL = "zstd", 1
# appends at the current end: if the file is truncated, the next check of its size shows it
APPENDING = os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
ABOUT = "motionbase"  # name of the metadata that describes the file
SEAL = "seal"  # its entry with the checksum of all others


def log_times(epoch_utc_ns: int, t: Array) -> Unsigned:
    """UTC of records [ns] from their times since the epoch [s]; an invalid time counts as the epoch."""
    ns = np.nan_to_num(np.rint(t * 1e9), nan=0.0, posinf=0.0, neginf=0.0)
    utc = epoch_utc_ns + np.clip(ns, -(2.0**62), 2.0**62).astype(np.int64)
    return np.asarray(np.maximum(utc, 0), dtype=np.uint64)


def seal(about: Mapping[str, str]) -> str:
    """CRC-32 of a file's metadata."""
    return f"{zlib.crc32(mcap.text_map(about)):08x}"


@final
class McapWriter:
    """Writes one file; data is in the file when a call returns, and on the disk after `sync`.

    The file gets its name once its header is on the disk, so any file of that name can be opened.
    """

    def __init__(self, path: Path, schema: Schema, about: Mapping[str, str]) -> None:
        self.path, self.layout = path, RowLayout(schema)
        self.bytes, self.rows = 0, 0
        self._event_channel = self.layout.event_channel
        self._places = Places()
        self._counts = dict.fromkeys(range(1, self._event_channel + 1), 0)
        self._compress = zstandard.ZstdCompressor(level=LEVEL).compress
        said = {**about, "schema": schema.json}
        self._about = mcap.metadata(ABOUT, {**said, SEAL: seal(said)})
        head = mcap.MAGIC + mcap.header() + self._kinds()
        self._about_at = len(head)
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
        sweep(path)
        part = part_of(path)
        self._fd = private.open_file(part, APPENDING | os.O_CREAT | os.O_EXCL)
        try:
            self._put(head + self._about)
            self.sync()
            link_new(part, path)
            self._reopen()
        except BaseException:  # for example a full disk: leave no file
            self.abandon()
            part.unlink(missing_ok=True)
            raise

    def _reopen(self) -> None:
        """Open the file again by its name, so that the system shows the descriptor under that name.

        If the name is gone, or belongs to another file, the first descriptor stays in use.
        """
        try:
            spare = os.open(self.path, APPENDING)
        except OSError:
            return
        if os.path.samestat(os.fstat(spare), os.fstat(self._fd)):
            self._fd, spare = spare, self._fd
        os.close(spare)

    def _kinds(self) -> bytes:
        """Schemas and channels, written at the start, so that an unfinished file can be read, and again at the end."""
        schema, parts = self.layout.schema, []
        types = type_names(schema)
        for k, (group, _) in enumerate(self.layout.groups, start=1):
            parts.append(mcap.schema(k, types[group], definition(schema, group)))
            parts.append(mcap.channel(k, topic(group), {"group": group}))
        parts.append(mcap.schema(self._event_channel, f"{PACKAGE}/msg/Event", EVENT_DEFINITION))
        parts.append(mcap.channel(self._event_channel, EVENTS_TOPIC, {}))
        return b"".join(parts)

    def _put(self, raw: bytes) -> None:
        """Append all bytes or none: what a full disk took of them is truncated."""
        left = memoryview(raw)
        try:
            while left:
                left = left[os.write(self._fd, left) :]
        except OSError:
            os.ftruncate(self._fd, self.bytes)
            raise
        self.bytes += len(raw)

    # ---- data ----

    def write_rows(self, rows: Array, first: int, log_time: Unsigned) -> None:
        """Write a chunk of records; `first` is the number of the first since the writer's epoch."""
        if not len(rows):
            return
        raw = self.layout.encode(rows, first, log_time).tobytes()
        index = self.layout.message_indexes(log_time)
        self._chunk(raw, int(log_time.min()), int(log_time.max()), len(rows), index, first)
        self.rows += len(rows)
        for k in range(1, self._event_channel):
            self._counts[k] += len(rows)

    def write_events(self, events: Sequence[Event], log_time: Sequence[int]) -> None:
        """Write a chunk of events, apart from records, so that chunks of records have one layout."""
        if not events:
            return
        parts, entries, at = [], b"", 0
        for event, when in zip(events, log_time, strict=True):
            entries += u64(when, at)
            parts.append(mcap.message(self._event_channel, self._counts[self._event_channel], when, event.cdr()))
            self._counts[self._event_channel] += 1
            at += len(parts[-1])
        index = mcap.record(Op.MESSAGE_INDEX, u16(self._event_channel), u32(len(entries)), entries)
        self._chunk(b"".join(parts), min(log_time), max(log_time), 0, index)

    def _chunk(self, raw: bytes, start: int, end: int, rows: int, index: bytes, first: int = 0) -> None:
        packed = self._compress(raw)
        times = u64(start, end, len(raw)) + u32(zlib.crc32(raw))
        chunk = mcap.record(Op.CHUNK, times, mcap.text(COMPRESSION), u64(len(packed)), packed)
        found = ChunkPlace(start, end, self.bytes, len(chunk), rows, len(index), len(packed), len(raw), first)
        self._put(chunk + index)
        self._places.add(found)

    def sync(self) -> None:
        """Flush the file to the disk."""
        os.fsync(self._fd)

    # ---- the file if moved, deleted or truncated ----

    @property
    def descriptor(self) -> int:
        """Descriptor of the open file, even if its name is gone."""
        return self._fd

    def keep(self, size: int) -> Kept:
        """Keep the whole chunks of a file truncated to `size` bytes and return what is left. Then abandon it."""
        left = self._places.before(size)
        os.ftruncate(self._fd, left.end or min(size, self._about_at + len(self._about)))
        return left

    # ---- the end ----

    def close(self) -> None:
        """Write index and footer; without them the file can be read, but has to be searched through."""
        if self._fd < 0:
            return
        begin = self.bytes
        try:
            for piece in self._end():
                self._put(piece)
            self.sync()
        except OSError:  # remove the partial index; the file is as good as before
            self.bytes = begin
            with suppress(OSError):
                os.ftruncate(self._fd, begin)
            raise
        finally:
            os.close(self._fd)
            self._fd = -1

    def abandon(self) -> None:
        """Close without an index, if the disk accepts no more data."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _end(self) -> Iterator[bytes]:
        again = self.bytes
        yield self._about + mcap.record(Op.DATA_END, u32(0))  # second copy, in case the first is damaged
        kinds, abouts = _records(self._kinds()), (self._about_at, again)
        yield from summary(
            self.bytes,
            (
                *((op, [one for one in kinds if one[0] == op]) for op in (Op.SCHEMA, Op.CHANNEL)),
                (Op.STATISTICS, [statistics(self._places, self._counts, len(abouts))]),
                (Op.CHUNK_INDEX, chunk_indexes(self._places, self.layout, COMPRESSION)),
                (Op.METADATA_INDEX, [
                    mcap.record(Op.METADATA_INDEX, u64(at, len(self._about)), mcap.text(ABOUT)) for at in abouts]),
            ),
        )  # fmt: skip

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _records(raw: bytes) -> list[bytes]:
    found, at = [], 0
    while at < len(raw):
        _, length = mcap.HEAD.unpack_from(raw, at)
        found.append(raw[at : at + mcap.HEAD.size + length])
        at += mcap.HEAD.size + length
    return found
