"""Records as messages: all messages have fixed lengths, so a chunk of records is an array of packed rows.

A row is a record: for every group the header of its message, then its numbers. Encoding is one copy per group, decoding
a view; messages are never handled one by one. Files with another order of messages are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from motionbase.arrays import Array, Bytes, Indices, Structured, Unsigned
from motionbase.errors import RecordingError
from motionbase.record.schema import Schema
from motionbase.recording.mcap.messages import CDR_HEAD
from motionbase.recording.mcap.records import HEAD, Cut, Op

MESSAGE_HEAD = 2 + 4 + 8 + 8  # channel, sequence, log time, publish time
INDEX_ENTRY = np.dtype([("log_time", "<u8"), ("offset", "<u8")])
MOST_GROUPS = 2**16 - 3  # channel numbers have two bytes; 0 and the number of the events are reserved
FIXED = ("op", "length", "channel", "cdr")  # fields that are equal in every row


@final
@dataclass(frozen=True)
class RowLayout:
    """Layout of a schema's records in a chunk; group k has channel number k + 1."""

    schema: Schema

    def __post_init__(self) -> None:
        if len(self.schema.groups) > MOST_GROUPS:
            raise RecordingError(
                f"schema {self.schema.name!r} has {len(self.schema.groups)} groups, a recording holds {MOST_GROUPS}"
            )

    @cached_property
    def groups(self) -> tuple[tuple[str, Indices], ...]:
        """Name of each group and its places in a record."""
        return tuple((g, np.array(self.schema.places(names))) for g, names in self.schema.groups.items())

    @property
    def event_channel(self) -> int:
        """Channel number of the events, after those of the groups."""
        return len(self.groups) + 1

    @cached_property
    def dtype(self) -> np.dtype[np.void]:
        """Packed type of a row: one message after the other."""
        messages = []
        for _, places in self.groups:
            messages.append(
                np.dtype(
                    [
                        ("op", "u1"),
                        ("length", "<u8"),
                        ("channel", "<u2"),
                        ("sequence", "<u4"),
                        ("log_time", "<u8"),
                        ("publish_time", "<u8"),
                        ("cdr", "<u4"),
                        ("data", "<f8", (len(places),)),
                    ]
                )  # fmt: skip
            )
        return np.dtype([(f"group{k}", m) for k, m in enumerate(messages)])

    @cached_property
    def fixed(self) -> Structured:
        """A row with all fields that are equal in every row."""
        row = np.zeros((), self.dtype)
        for k, (_, places) in enumerate(self.groups):
            head = row[f"group{k}"]
            head["op"], head["channel"] = Op.MESSAGE, k + 1
            head["length"] = MESSAGE_HEAD + len(CDR_HEAD) + 8 * len(places)
            head["cdr"] = int.from_bytes(CDR_HEAD, "little")
        return row

    @cached_property
    def offsets(self) -> Unsigned:
        """Offset of each group's message in a row [bytes]."""
        fields = self.dtype.fields
        assert fields is not None
        return np.array([fields[f"group{k}"][1] for k in range(len(self.groups))], dtype=np.uint64)

    def encode(self, rows: Array, first: int, log_time: Unsigned) -> Structured:
        """Messages of the records; `first` is the number of the first, log times in ns of UTC."""
        out = np.repeat(self.fixed[None], len(rows), axis=0)
        sequence = ((first + np.arange(len(rows), dtype=np.uint64)) & np.uint64(0xFFFFFFFF)).astype(np.uint32)
        for k, (_, places) in enumerate(self.groups):
            group = out[f"group{k}"]
            group["sequence"], group["log_time"], group["publish_time"] = sequence, log_time, log_time
            group["data"] = rows[:, places]
        return out

    def message_indexes(self, log_time: Unsigned) -> bytes:
        """The index records that follow a chunk, one for each group."""
        n = len(log_time)
        entries = np.empty(n, INDEX_ENTRY)
        entries["log_time"] = log_time
        starts = np.arange(n, dtype=np.uint64) * np.uint64(self.dtype.itemsize)
        parts = []
        for k, offset in enumerate(self.offsets):
            entries["offset"] = starts + offset
            head = HEAD.pack(Op.MESSAGE_INDEX, self.index_bytes(n) - HEAD.size)
            parts += [head, (k + 1).to_bytes(2, "little"), entries.nbytes.to_bytes(4, "little"), entries.tobytes()]
        return b"".join(parts)

    @staticmethod
    def index_bytes(n: int) -> int:
        """Length of the index record of one group, n messages."""
        return HEAD.size + 2 + 4 + INDEX_ENTRY.itemsize * n

    def decode(self, raw: bytes | memoryview | Bytes) -> Structured:
        """A view of a chunk's rows; `Cut` if the first or the last does not fit this schema."""
        size = self.dtype.itemsize
        if not len(raw) or len(raw) % size:
            raise Cut(f"a chunk of {len(raw)} bytes is no multiple of the record's {size}")
        mask, wanted = self._fixed_bytes
        for at in (0, len(raw) - size):
            if (np.frombuffer(raw, np.uint8, size, at) & mask).tobytes() != wanted:
                raise Cut("a chunk's messages are not those of the schema, in its order")
        return np.frombuffer(raw, self.dtype)

    @cached_property
    def _fixed_bytes(self) -> tuple[Bytes, bytes]:
        """Mask of a row's bytes, 255 where they are equal in all rows and 0 elsewhere; and those bytes."""
        mask = np.zeros((), self.dtype)
        for k in range(len(self.groups)):
            for name in FIXED:
                mask[f"group{k}"][name] = np.iinfo(mask[f"group{k}"][name].dtype).max
        fixed = np.frombuffer(mask.tobytes(), np.uint8)
        return fixed, (fixed & np.frombuffer(self.fixed.tobytes(), np.uint8)).tobytes()

    def columns(self, decoded: Structured, places: Sequence[int], out: Array) -> None:
        """(places, n) channels of decoded rows, each contiguous."""
        if list(places) == list(range(len(self.schema.channels))):
            for k, where in enumerate(self._slices):
                out[where] = decoded[f"group{k}"]["data"].T
            return
        for j, place in enumerate(places):
            k, within = self._where[place]
            out[j] = decoded[f"group{k}"]["data"][:, within]

    @cached_property
    def _slices(self) -> tuple[Indices | slice, ...]:
        """Places of each group in a record, as a slice if they are consecutive, which is faster."""
        found: list[Indices | slice] = []
        for _, places in self.groups:
            first, last = int(places[0]), int(places[-1])
            found.append(slice(first, last + 1) if last - first + 1 == len(places) else places)
        return tuple(found)

    @cached_property
    def _where(self) -> dict[int, tuple[int, int]]:
        """Group, and place in the group, of each place in a record."""
        return {int(p): (k, j) for k, (_, places) in enumerate(self.groups) for j, p in enumerate(places)}
