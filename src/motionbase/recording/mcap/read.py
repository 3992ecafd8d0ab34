"""Opens an MCAP recording: its metadata and chunks.

A file may be truncated, damaged or foreign. Whatever is intact is found, and `damage` lists what is not, and where.
"""

from __future__ import annotations

import mmap
import struct
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import final

import numpy as np

from motionbase.arrays import Bytes, Ints, Structured
from motionbase.errors import RecordingError, SchemaError
from motionbase.record.schema import Schema
from motionbase.recording.mapping import mapped, require_whole
from motionbase.recording.mcap.chunks import LARGEST_CHUNK, Spoilt, indexed, record_at, searched, unpack_into, unpacked
from motionbase.recording.mcap.messages import Event
from motionbase.recording.mcap.records import HEAD, MAGIC, Cut, Fields, Op, text
from motionbase.recording.mcap.rows import RowLayout
from motionbase.recording.mcap.write import ABOUT, SEAL, seal
from motionbase.recording.source import Damage

LARGEST_EVENTS, MOST_EVENTS = 1 << 26, 1_000_000  # limits: bytes of a chunk of events, and number of events
TRIES = 64  # offsets tried for the copy of the metadata


@final
@dataclass(frozen=True, eq=False)
class McapFile:
    """An open file.

    Attributes:
        about: metadata of its writer
        layout: of the records in a chunk
        chunks: of records, in the order of the file
        events: with their UTC [ns]
        damage: empty for an intact file
    """

    path: Path
    about: dict[str, str]
    layout: RowLayout
    chunks: Structured
    events: tuple[tuple[int, Event], ...]
    damage: tuple[Damage, ...]
    _bytes: mmap.mmap

    @property
    def rows_in(self) -> Ints:
        """Number of records in each chunk."""
        found: Ints = self.chunks["uncompressed"] // self.layout.dtype.itemsize
        return found

    def decoded(self, k: int) -> Structured:
        """The rows of a chunk; `Cut` if it is damaged."""
        return self.layout.decode(unpacked(self._bytes, self.chunks[k]))

    def decode_into(self, room: Bytes, k: int) -> None:
        """Unpack the rows of a chunk into memory of its size; `Cut`, with undefined memory, if it is damaged."""
        unpack_into(room, self._bytes, self.chunks[k])
        self.layout.decode(room)

    def expect(self, first: int, last: int) -> None:
        """Announce that chunks `first` up to `last` will be read, so that the disk fetches them in one go."""
        if hasattr(mmap, "MADV_WILLNEED") and first < last:
            chunks = self.chunks[first:last]
            start = max(0, int(chunks["at"][0])) // mmap.PAGESIZE * mmap.PAGESIZE
            end = min(len(self._bytes), int(chunks["at"][-1]) + int(chunks["compressed"][-1]))
            if start < end:
                self._bytes.madvise(mmap.MADV_WILLNEED, start, end - start)

    def close(self) -> None:
        """Close the file."""
        with suppress(BufferError):  # still in use; unmapped with the last view
            self._bytes.close()


def open_mcap(path: Path) -> McapFile:
    """Open a file; `RecordingError` if it is not an MCAP recording of motionbase."""
    raw = mapped(path)
    if raw[: len(MAGIC)] != MAGIC:
        raise RecordingError(f"recording {str(path)!r} is no MCAP file: it does not begin as one")
    damage: list[Damage] = []
    about, first, is_copy = described(raw)
    if about is None:
        raise RecordingError(f"recording {str(path)!r} was not written by motionbase, or its beginning is damaged")
    if is_copy:
        damage.append(Damage("the beginning is damaged; its copy at the end was used", 0, 0))
    try:
        layout = RowLayout(Schema.from_json(about["schema"]))
    except (KeyError, SchemaError) as e:
        reason = "it has no schema" if isinstance(e, KeyError) else str(e)
        raise RecordingError(f"recording {str(path)!r} was not written by motionbase: {reason}") from None
    found, spoilt = indexed(raw), list[Spoilt]()
    if without_end := found is None:
        found, spoilt = searched(raw, first, layout)
    is_event = found["channel"] == layout.event_channel
    inside = found["uncompressed"]
    fits = (inside % layout.dtype.itemsize == 0) & (inside >= 0) & (inside <= LARGEST_CHUNK)
    whole = ~is_event & fits
    places = np.concatenate([[0], np.cumsum(np.where(whole, inside // layout.dtype.itemsize, 0))])
    for chunks, size in spoilt:
        damage.append(_at(f"{size} bytes could not be read", places[chunks]))
    if (lost := ~is_event & ~fits).any():
        text = f"{int(lost.sum())} chunks hold no records of the file's schema"
        damage.append(_at(text, places[int(np.argmax(lost))]))
    events, unread = _events(raw, found[is_event])
    damage += [_at(f"events could not be read: {why}", places[:-1][is_event][k]) for k, why in unread]
    if without_end:
        text = "the file has no end: it is being written, its writer was killed, or it was cut"
        damage.append(_at(text, places[-1]))
    require_whole(raw, path)
    return McapFile(path, about, layout, found[whole], tuple(events), tuple(damage), raw)


def _at(text: str, place: np.int64) -> Damage:
    """Damage between two records, or at the end."""
    return Damage(text, int(place), int(place))


def described(raw: mmap.mmap) -> tuple[dict[str, str] | None, int, bool]:
    """What the file says of itself, where the first chunk may be, and whether only the copy at the end was whole."""
    about, first = beginning(raw)
    return (about, first, False) if about is not None else (_copy(raw), first, True)


def beginning(raw: mmap.mmap) -> tuple[dict[str, str] | None, int]:
    """The metadata at the beginning, if intact, and the offset from which to search the first chunk."""
    at, about = len(MAGIC), None
    try:
        while at < len(raw):
            op, body = record_at(raw, at)
            if op in (Op.CHUNK, Op.DATA_END):
                break
            if op == Op.METADATA and about is None:
                about = _about(body)
            at += HEAD.size + len(body)
    except Cut:
        pass  # chunks are searched from here
    return about, at


def _copy(raw: mmap.mmap) -> dict[str, str] | None:
    """The copy of the metadata at the end of the file."""
    at = len(raw)
    for _ in range(TRIES):
        at = raw.rfind(text(ABOUT), 0, at)
        if at < HEAD.size:
            return None
        with suppress(Cut):
            op, body = record_at(raw, at - HEAD.size)
            if op == Op.METADATA and (found := _about(body)) is not None:
                return found
    return None


def _about(body: memoryview) -> dict[str, str] | None:
    """Entries of our metadata; None if they are foreign or damaged."""
    fields = Fields(body)
    if fields.text() != ABOUT:
        return None
    entries = fields.text_map()
    return entries if entries.pop(SEAL, None) == seal(entries) else None


def _events(raw: mmap.mmap, chunks: Structured) -> tuple[list[tuple[int, Event]], list[tuple[int, str]]]:
    """Events with their UTC [ns]; and the chunks that could not be read completely, with the reason."""
    found: list[tuple[int, Event]] = []
    unread: list[tuple[int, str]] = []
    for k, chunk in enumerate(chunks):
        try:
            if int(chunk["uncompressed"]) > LARGEST_EVENTS or len(found) > MOST_EVENTS:
                raise Cut(f"more than {LARGEST_EVENTS} bytes at once, or {MOST_EVENTS} in all, are no events of ours")
            inside, at = unpacked(raw, chunk).tobytes(), 0
            while at < len(inside):
                op, length = HEAD.unpack_from(inside, at)
                if not 1 <= op <= Op.DATA_END:
                    raise Cut("there is something else than messages among the events")
                fields = Fields(memoryview(inside)[at + HEAD.size : at + HEAD.size + length])
                fields.take(2 + 4)
                when = fields.number("Q")
                fields.take(8)
                if op == Op.MESSAGE:
                    found.append((when, Event.from_cdr(fields.take(fields.left))))
                at += HEAD.size + length
        except (Cut, struct.error) as e:
            unread.append((k, str(e)))
    return found, unread
