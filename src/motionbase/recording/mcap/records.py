"""Records of the MCAP format, version 0, as bytes, with the names of https://mcap.dev/spec.

A record is an opcode (u8), the length of the rest (u64) and its fields, all little-endian. Texts and maps start with
their length in bytes (u32).
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from enum import IntEnum

MAGIC = b"\x89MCAP0\r\n"
PROFILE, LIBRARY = "ros2", "motionbase"
HEAD = struct.Struct("<BQ")  # opcode, length


class Op(IntEnum):
    """Opcodes of records."""

    HEADER = 1
    FOOTER = 2
    SCHEMA = 3
    CHANNEL = 4
    MESSAGE = 5
    CHUNK = 6
    MESSAGE_INDEX = 7
    CHUNK_INDEX = 8
    STATISTICS = 11
    METADATA = 12
    METADATA_INDEX = 13
    SUMMARY_OFFSET = 14
    DATA_END = 15


def record(op: Op, *parts: bytes) -> bytes:
    """A record of an opcode and its fields."""
    body = b"".join(parts)
    return HEAD.pack(op, len(body)) + body


def u16(x: int) -> bytes:
    """A number in two bytes."""
    return struct.pack("<H", x)


def u32(x: int) -> bytes:
    """A number in four bytes."""
    return struct.pack("<I", x)


def u64(*numbers: int) -> bytes:
    """Numbers in eight bytes each."""
    return struct.pack(f"<{len(numbers)}Q", *numbers)


def text(s: str) -> bytes:
    """Length and UTF-8."""
    raw = s.encode()
    return u32(len(raw)) + raw


def text_map(entries: Mapping[str, str]) -> bytes:
    """Bytes of all entries, then each key and value."""
    raw = b"".join(text(k) + text(v) for k, v in entries.items())
    return u32(len(raw)) + raw


def header() -> bytes:
    """The first record of a file."""
    return record(Op.HEADER, text(PROFILE), text(LIBRARY))


def schema(number: int, name: str, definition: str) -> bytes:
    """A message definition of ROS 2."""
    raw = definition.encode()
    return record(Op.SCHEMA, u16(number), text(name), text("ros2msg"), u32(len(raw)), raw)


def channel(number: int, topic: str, metadata: Mapping[str, str]) -> bytes:
    """A channel with the schema of the same number and messages in CDR."""
    return record(Op.CHANNEL, u16(number), u16(number), text(topic), text("cdr"), text_map(metadata))


def metadata(name: str, entries: Mapping[str, str]) -> bytes:
    """A metadata record: text by name."""
    return record(Op.METADATA, text(name), text_map(entries))


def message(number: int, sequence: int, log_time: int, data: bytes) -> bytes:
    """One message of a channel; published when it was logged."""
    return record(Op.MESSAGE, u16(number), u32(sequence & 0xFFFFFFFF), u64(log_time, log_time), data)


class Cut(ValueError):
    """A field is truncated or invalid."""


class Fields:
    """Reads fields one after the other, never beyond the end."""

    def __init__(self, raw: bytes | memoryview) -> None:
        self._raw, self._at = memoryview(raw), 0

    def take(self, n: int) -> memoryview:
        """The next n bytes."""
        if n < 0 or self._at + n > len(self._raw):
            raise Cut(f"{n} bytes are wanted, {len(self._raw) - self._at} are left")
        self._at += n
        return self._raw[self._at - n : self._at]

    def number(self, form: str) -> int:
        """One whole number by its `struct` format letter."""
        found: int = struct.unpack(f"<{form}", self.take(struct.calcsize(f"<{form}")))[0]
        return found

    def text(self) -> str:
        """Length and UTF-8."""
        try:
            return bytes(self.take(self.number("I"))).decode()
        except UnicodeDecodeError as e:
            raise Cut(str(e)) from None

    def text_map(self) -> dict[str, str]:
        """All entries."""
        inner, found = Fields(self.take(self.number("I"))), {}
        while inner.left:
            key = inner.text()
            found[key] = inner.text()
        return found

    @property
    def left(self) -> int:
        """Number of bytes not read yet."""
        return len(self._raw) - self._at
