"""Layout of a ring's memory: the only definition, described in `docs/ring.md`.

    header     4096 bytes   written once by the writer, sealed by a checksum
    counters   4096 bytes   one cache line each: claim, head, epoch, beat, status, unsaved
    generators              function-generator block, written by consoles under a lock
    commands                operator-command block, likewise
    values                  current parameters of the control law, written by the writer
    schema                  JSON
    platform                TOML or JSON of the platform, for viewers; may be empty
    parameters              JSON: names, units and bounds of the parameters; may be empty
    world                   JSON: scene of the world in which a host's vehicle moves, for viewers; may be empty
    records                 capacity x record_bytes

Sections start at page boundaries, so that a console can map the two blocks, and nothing else, for writing. All numbers
are little-endian.
"""

from __future__ import annotations

import hashlib
import math
import struct
import zlib
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Protocol, final

from motionbase.errors import RingError
from motionbase.record.schema import Schema

MAGIC = b"MBRING\r\n"  # detects transfers that change line ends
VERSION = 3
PAGE = 4096
GENERATOR_BYTES = 2 * PAGE
COMMAND_BYTES = PAGE
VALUE_BYTES = 2 * PAGE
DEFAULT_BYTES = 64_000_000  # of records: 64 MB, or 44,943 records of 178 doubles
LARGEST_TEXT = 16 * 1024 * 1024  # [bytes] of each text that a reader accepts
CONVENTIONS = "SI; x forward, y left, z up; surge sway heave roll pitch yaw; Euler ZYX; t = tick x dt"

# names and formats for `struct`; without NumPy, so that the stop post stays light
FIELDS = (
    ("magic", "8s"), ("version", "I"), ("page", "I"), ("total_bytes", "Q"),
    ("record_bytes", "Q"), ("capacity", "Q"), ("records_at", "Q"),
    ("generators_at", "Q"), ("commands_at", "Q"), ("values_at", "Q"),
    ("schema_at", "Q"), ("schema_bytes", "Q"), ("schema_hash", "32s"),
    ("platform_at", "Q"), ("platform_bytes", "Q"), ("platform_hash", "32s"),
    ("parameters_at", "Q"), ("parameters_bytes", "Q"), ("parameters_hash", "32s"),
    ("world_at", "Q"), ("world_bytes", "Q"), ("world_hash", "32s"),
    ("dt", "d"), ("every", "Q"), ("epoch", "Q"), ("epoch_utc_ns", "q"),
    ("writer_pid", "q"), ("writer", "64s"), ("conventions", "128s"), ("crc", "I"),
)  # fmt: skip
HEADER = struct.Struct("<" + "".join(form for _, form in FIELDS))

# offsets in the page of counters, a cache line apart, so that readers polling the head disturb no other counter
CLAIM, HEAD, EPOCH, BEAT, STATUS, UNSAVED = (64 * k for k in range(6))


class AbstractPlace(Protocol):
    """Bytes by slices: memory, or a file that is read piece by piece."""

    def __len__(self) -> int: ...

    def __getitem__(self, piece: slice) -> bytes: ...


class Status(IntEnum):
    """The writer's own status."""

    NEW = 0
    RUNNING = 1
    STOPPED = 2  # closed in good order
    FAILED = 3  # stopped by a fault; the last records are kept
    RETIRED = 4  # another writer has taken the name


@final
@dataclass(frozen=True)
class Layout:
    """Sections of one ring and their places.

    Attributes:
        capacity: records
        dt: period of the control law's ticks [s]; every: ticks between records
        platform: text that describes the platform, "" for none
        parameters: text that describes the parameters of the control law, "" for none
        world: scene of the world in which a host's vehicle moves, "" for none
    """

    schema: Schema
    capacity: int
    dt: float
    every: int
    platform: str = ""
    parameters: str = ""
    world: str = ""

    def __post_init__(self) -> None:
        if self.capacity < 2:
            raise RingError(f"a ring of {self.capacity} records; it must have 2 or more")
        if not (math.isfinite(self.dt) and self.dt > 0):
            raise RingError(f"dt is {self.dt!r} s, it must be a finite number above 0")
        if self.every < 1:
            raise RingError(f"a record every {self.every} ticks; it must be 1 or more")
        for what, _, text in self.texts:
            if len(text.encode()) > LARGEST_TEXT:
                raise RingError(f"the text {what} has {len(text.encode())} bytes, {LARGEST_TEXT} is the most")

    @property
    def generators_at(self) -> int:
        """Offset of the generators, after header and counters."""
        return 2 * PAGE

    @property
    def commands_at(self) -> int:
        """Offset of the commands, after the generators."""
        return self.generators_at + GENERATOR_BYTES

    @property
    def values_at(self) -> int:
        """Offset of the values, after the commands."""
        return self.commands_at + COMMAND_BYTES

    @property
    def schema_at(self) -> int:
        """Offset of the schema, after the values."""
        return self.values_at + VALUE_BYTES

    @property
    def platform_at(self) -> int:
        """Offset of the platform's text, after the schema."""
        return _whole_pages(self.schema_at + len(self.schema.json.encode()))

    @property
    def parameters_at(self) -> int:
        """Offset of the parameters' text, after the platform."""
        return _whole_pages(self.platform_at + len(self.platform.encode()))

    @property
    def world_at(self) -> int:
        """Offset of the world's text, after the parameters."""
        return _whole_pages(self.parameters_at + len(self.parameters.encode()))

    @property
    def records_at(self) -> int:
        """Offset of the records, after the world."""
        return _whole_pages(self.world_at + len(self.world.encode()))

    @property
    def total_bytes(self) -> int:
        """Size of the whole segment."""
        return _whole_pages(self.records_at + self.capacity * self.schema.record_bytes)

    @property
    def texts(self) -> tuple[tuple[str, int, str], ...]:
        """Texts that the writer stores once: name, offset and text of each."""
        return (
            ("schema", self.schema_at, self.schema.json),
            ("platform", self.platform_at, self.platform),
            ("parameters", self.parameters_at, self.parameters),
            ("world", self.world_at, self.world),
        )

    def header(self, writer: str, pid: int, epoch: int, utc_ns: int) -> bytes:
        """The bytes of the header, sealed by a checksum."""
        h: dict[str, Any] = {
            "magic": MAGIC, "version": VERSION, "page": PAGE, "total_bytes": self.total_bytes,
            "record_bytes": self.schema.record_bytes, "capacity": self.capacity, "records_at": self.records_at,
            "generators_at": self.generators_at, "commands_at": self.commands_at, "values_at": self.values_at,
            "dt": self.dt, "every": self.every, "epoch": epoch, "epoch_utc_ns": utc_ns, "writer_pid": pid,
            "writer": writer.encode()[:64], "conventions": CONVENTIONS.encode(), "crc": 0,
        }  # fmt: skip
        for what, at, text in self.texts:
            raw = text.encode()
            h |= {f"{what}_at": at, f"{what}_bytes": len(raw), f"{what}_hash": hashlib.sha256(raw).digest()}
        sealed = HEADER.pack(*(h[name] for name, _ in FIELDS))[:-4]
        return sealed + struct.pack("<I", zlib.crc32(sealed))


@final
@dataclass(frozen=True)
class Header:
    """A header as read, with valid checksum and consistent content."""

    layout: Layout
    epoch: int
    epoch_utc_ns: int
    writer: str
    writer_pid: int

    @staticmethod
    def read(memory: memoryview | AbstractPlace, where: str) -> Header | None:
        """The header of a segment; None if no writer has stored one yet, an error if it is not that of a ring."""
        if len(memory) < 2 * PAGE:
            raise RingError(f"{where} has {len(memory)} bytes, which is too short for a ring; remove it")
        sealed = bytes(memory[0 : HEADER.size])
        if len(sealed) < HEADER.size or not any(sealed[:8]):
            return None
        h = dict(zip((name for name, _ in FIELDS), HEADER.unpack(sealed), strict=True))
        if h["magic"] != MAGIC:
            raise RingError(f"{where} is not a ring of motionbase; remove it or choose another name")
        if h["version"] != VERSION:
            raise RingError(f"{where} has layout version {h['version']}, this program reads {VERSION}; use one version")
        if zlib.crc32(sealed[:-4]) != h["crc"]:
            return None  # being written, or damaged; the reader waits in both cases
        if h["total_bytes"] > len(memory):
            raise RingError(f"{where} has {len(memory)} bytes, its header says {h['total_bytes']}: it was cut short")
        schema = Schema.from_json(_text(memory, h, "schema", where))
        texts = (_text(memory, h, what, where) for what in ("platform", "parameters", "world"))
        layout = Layout(schema, h["capacity"], h["dt"], h["every"], *texts)
        for name in ("generators_at", "commands_at", "values_at", "records_at", "total_bytes"):
            if getattr(layout, name) != h[name]:
                raise RingError(f"{where}: {name} is {h[name]}, its schema and capacity give {getattr(layout, name)}")
        if schema.record_bytes != h["record_bytes"]:
            raise RingError(f"{where}: records of {h['record_bytes']} bytes, its schema has {schema.record_bytes}")
        return Header(
            layout, h["epoch"], h["epoch_utc_ns"], h["writer"].rstrip(b"\0").decode(errors="replace"), h["writer_pid"]
        )


def _text(memory: memoryview | AbstractPlace, h: dict[str, Any], what: str, where: str) -> str:
    at, size, label = h[f"{what}_at"], h[f"{what}_bytes"], what.replace("parameters", "table of parameters")
    if size > LARGEST_TEXT or at + size > len(memory):
        raise RingError(f"{where}: the {label} is said to have {size} bytes at {at}, beyond the end")
    raw = bytes(memory[at : at + size])
    if hashlib.sha256(raw).digest() != h[f"{what}_hash"]:
        raise RingError(f"{where}: the {label} does not match its hash")
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise RingError(f"{where}: the {label} is not UTF-8") from None


def _whole_pages(size: int) -> int:
    return -(-size // PAGE) * PAGE
