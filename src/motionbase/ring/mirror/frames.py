"""Wire format of mirrors: frames with length and checksum, checked before their content is used.

    frame      magic "MBMR", version, kind, 2 bytes zero, length of the payload, CRC-32 of all before it and the payload
    HELLO      client to server, once: where to begin, epoch and number of the next record wanted
    RING       server: layout of the records, and number of the first that follows
    RECORDS    server: number of the first, how many were lost before it, rows
    STATE      server, twice a second: state and head of the writer
    REFUSED    server, then it closes: one sentence

All numbers are little-endian, rows are the ring's own float64.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from itertools import accumulate
from typing import NamedTuple, final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import MirrorError, MotionBaseError
from motionbase.record.schema import Schema
from motionbase.ring.layout import LARGEST_TEXT, Layout
from motionbase.ring.reader import ReaderState

MAGIC, VERSION = b"MBMR", 2
START = struct.Struct("<4sBBHI")
CRC = struct.Struct("<I")
LARGEST = 3 * LARGEST_TEXT + 1024  # largest payload [bytes]: a RING with the longest texts
LARGEST_HELLO, LARGEST_SENTENCE = 64, 1000
STATES = tuple(ReaderState)  # a state's index is its number on the wire


class Kind(IntEnum):
    """Kind of a frame."""

    HELLO = 1
    RING = 2
    RECORDS = 3
    STATE = 4
    REFUSED = 5


class Begin(IntEnum):
    """Where a client begins."""

    HEAD = 0
    OLDEST = 1
    RESUME = 2  # at the record after the last received one


class Frame(NamedTuple):
    """A frame with valid length and checksum."""

    kind: Kind
    payload: bytes


def encoded(kind: Kind, payload: bytes) -> bytes:
    """The bytes of a frame."""
    start = START.pack(MAGIC, VERSION, kind, 0, len(payload))
    return start + CRC.pack(zlib.crc32(payload, zlib.crc32(start))) + payload


def read_frame(receive: Callable[[int], bytes], largest: int = LARGEST) -> Frame:
    """The next frame.

    Args:
        receive: returns exactly that many bytes, or raises
        largest: largest payload accepted [bytes]; no more is ever received
    """
    start = receive(START.size)
    magic, version, kind, zero, length = START.unpack(start)
    if magic != MAGIC:
        raise MirrorError(f"the other side does not speak the mirror's protocol: it began with {magic!r}")
    if version != VERSION:
        raise MirrorError(f"the other side speaks version {version} of the mirror's protocol, this program {VERSION}")
    if zero != 0 or kind not in Kind._value2member_map_:
        raise MirrorError(f"a frame of unknown kind {kind} came")
    if length > largest:
        raise MirrorError(f"a frame {Kind(kind).name} of {length} bytes came, {largest} at most are accepted")
    (crc,) = CRC.unpack(receive(CRC.size))
    payload = receive(length)
    if zlib.crc32(payload, zlib.crc32(start)) != crc:
        raise MirrorError(f"a frame {Kind(kind).name} of {length} bytes came with a wrong checksum")
    return Frame(Kind(kind), payload)


@final
@dataclass(frozen=True)
class Hello:
    """Request of a client; epoch and next matter only with RESUME."""

    begin: Begin
    epoch: int = 0
    next: int = 0
    FORM = struct.Struct("<BQQ")

    def encoded(self) -> bytes:
        """As a frame."""
        return encoded(Kind.HELLO, self.FORM.pack(self.begin, self.epoch, self.next))

    @staticmethod
    def decoded(payload: bytes) -> Hello:
        """From a payload."""
        begin, epoch, following = _unpacked(Hello.FORM, payload, Kind.HELLO)
        if begin not in Begin._value2member_map_:
            raise MirrorError(f"a HELLO asked to begin at {begin}, it must be 0 to 2")
        return Hello(Begin(begin), epoch, following)


@final
@dataclass(frozen=True)
class Ring:
    """The source's layout, run and time base.

    Attributes:
        first: number of the first record that follows, lost ones included
    """

    layout: Layout
    epoch: int
    utc_ns: int
    first: int
    writer: str
    FORM = struct.Struct("<QqQdQQHIII")

    def encoded(self) -> bytes:
        """As a frame."""
        layout = self.layout
        texts = [t.encode() for t in (self.writer[:64], layout.schema.json, layout.platform, layout.world)]
        numbers = self.epoch, self.utc_ns, self.first, layout.dt, layout.every, layout.capacity
        return encoded(Kind.RING, self.FORM.pack(*numbers, *map(len, texts)) + b"".join(texts))

    @staticmethod
    def decoded(payload: bytes) -> Ring:
        """From a payload; schema and layout are checked like those of a local ring."""
        size = Ring.FORM.size
        *numbers, a, b, c, d = _unpacked(Ring.FORM, payload[:size], Kind.RING)
        epoch, utc_ns, first, dt, every, capacity = numbers
        texts = payload[size:]
        if len(texts) != a + b + c + d:
            raise MirrorError(f"a frame RING has {len(texts)} bytes of text, it says {a + b + c + d}")
        try:
            ends = accumulate((a, b, c, d))
            writer, schema, platform, world = (
                texts[end - n : end].decode() for end, n in zip(ends, (a, b, c, d), strict=True)
            )
            layout = Layout(Schema.from_json(schema), capacity, dt, every, platform, world=world)
        except (UnicodeDecodeError, MotionBaseError) as error:
            raise MirrorError(f"a frame RING is not well formed: {error}") from None
        return Ring(layout, epoch, utc_ns, first, writer)


@final
@dataclass(frozen=True)
class Records:
    """Rows (n, channels), the number of the first, and how many were lost just before it."""

    first: int
    lost: int
    rows: Array
    FORM = struct.Struct("<QQI")

    def encoded(self) -> bytes:
        """As a frame."""
        rows = np.ascontiguousarray(self.rows, dtype="<f8")
        return encoded(Kind.RECORDS, self.FORM.pack(self.first, self.lost, len(rows)) + rows.tobytes())

    @staticmethod
    def decoded(payload: bytes, channels: int) -> Records:
        """From a payload of records with this number of channels."""
        size = Records.FORM.size
        first, lost, count = _unpacked(Records.FORM, payload[:size], Kind.RECORDS)
        if len(payload) - size != 8 * channels * count:
            raise MirrorError(
                f"a frame RECORDS has {len(payload) - size} bytes of rows, {count} of {channels} channels are announced"
            )
        rows = np.frombuffer(payload, "<f8", offset=size).reshape(count, channels)
        return Records(first, lost, rows)


@final
@dataclass(frozen=True)
class State:
    """State and head of the source's writer."""

    state: ReaderState
    head: int
    FORM = struct.Struct("<BQ")

    def encoded(self) -> bytes:
        """As a frame."""
        return encoded(Kind.STATE, self.FORM.pack(STATES.index(self.state), self.head))

    @staticmethod
    def decoded(payload: bytes) -> State:
        """From a payload."""
        state, head = _unpacked(State.FORM, payload, Kind.STATE)
        if state >= len(STATES):
            raise MirrorError(f"a frame STATE says state {state}, it must be 0 to {len(STATES) - 1}")
        return State(STATES[state], head)


def refused(sentence: str) -> bytes:
    """The frame that refuses a client, sent before the server closes the connection."""
    return encoded(Kind.REFUSED, sentence.encode()[:LARGEST_SENTENCE])


def sentence_of(payload: bytes) -> str:
    """Sentence of a REFUSED frame, as one printable line."""
    text = payload[:LARGEST_SENTENCE].decode(errors="replace")
    return "".join(c if c.isprintable() else " " for c in text)


def _unpacked(form: struct.Struct, payload: bytes, kind: Kind) -> tuple[int, ...]:
    if len(payload) != form.size:
        raise MirrorError(f"a frame {kind.name} has {len(payload)} bytes, {form.size} are wanted")
    return form.unpack(payload)
