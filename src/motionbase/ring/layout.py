"""Where everything stands in a ring's memory: the one definition, which `docs/ring.md` repeats for people.

    header     4096 bytes   written once by the writer, sealed by a checksum
    counters   4096 bytes   one cache line each: claim, head, epoch, beat, status, unsaved
    generators              function-generator block, written by consoles under a lock
    commands                operator-command block, likewise
    values                  parameters of the control law as they are now, written by the writer
    schema                  JSON
    platform                TOML or JSON of the platform, for viewers; may be empty
    parameters              JSON: names, units and bounds of the parameters; may be empty
    records                 capacity x record_bytes

Sections start at multiples of a page, so that a console can map the two blocks for writing and nothing else. All
numbers are little-endian.
"""

from __future__ import annotations

import hashlib
import zlib
from dataclasses import dataclass
from enum import IntEnum
from typing import final

import numpy as np

from motionbase.errors import RingError
from motionbase.ring.schema import Schema

MAGIC = b"MBRING\r\n"  # a transfer that changes line ends breaks it
VERSION = 2
PAGE = 4096
GENERATOR_BYTES = 2 * PAGE
COMMAND_BYTES = PAGE
VALUE_BYTES = 2 * PAGE
ESTOP_AT = 128  # in the command block: emergency stops asked for; see blocks/commands.py
DEFAULT_BYTES = 64_000_000  # of records: the seed's 64 MB, 44,943 records of 178 doubles
LARGEST_TEXT = 16 * 1024 * 1024  # [bytes] of a schema, platform or table of parameters that a reader may parse
CONVENTIONS = "SI; x forward, y left, z up; surge sway heave roll pitch yaw; Euler ZYX; t = tick x dt"

HEADER = np.dtype(
    [
        ("magic", "S8"), ("version", "<u4"), ("page", "<u4"), ("total_bytes", "<u8"),
        ("record_bytes", "<u8"), ("capacity", "<u8"), ("records_at", "<u8"),
        ("generators_at", "<u8"), ("commands_at", "<u8"), ("values_at", "<u8"),
        ("schema_at", "<u8"), ("schema_bytes", "<u8"), ("schema_hash", "V32"),
        ("platform_at", "<u8"), ("platform_bytes", "<u8"), ("platform_hash", "V32"),
        ("parameters_at", "<u8"), ("parameters_bytes", "<u8"), ("parameters_hash", "V32"),
        ("dt", "<f8"), ("every", "<u8"), ("epoch", "<u8"), ("epoch_utc_ns", "<i8"),
        ("writer_pid", "<i8"), ("writer", "S64"), ("conventions", "S128"), ("crc", "<u4"),
    ]
)  # fmt: skip

# offsets in the page of counters, a cache line apart: readers poll the head, and nothing else may move it about
CLAIM, HEAD, EPOCH, BEAT, STATUS, UNSAVED = (64 * k for k in range(6))


class Status(IntEnum):
    """What the writer last said of itself."""

    NEW = 0
    RUNNING = 1
    STOPPED = 2  # closed in good order
    FAILED = 3  # stopped by a fault; the last records are kept
    RETIRED = 4  # another writer has taken the name


@final
@dataclass(frozen=True)
class Layout:
    """The sections of one ring.

    Attributes:
        capacity: records
        dt: period of the control law's ticks [s]; every: ticks between records
        platform: text that describes the platform, "" for none
        parameters: text that describes the parameters of the control law, "" for none
    """

    schema: Schema
    capacity: int
    dt: float
    every: int
    platform: str = ""
    parameters: str = ""

    def __post_init__(self) -> None:
        if self.capacity < 2:
            raise RingError(f"a ring of {self.capacity} records; it must have 2 or more")
        if not (np.isfinite(self.dt) and self.dt > 0):
            raise RingError(f"dt is {self.dt!r} s, it must be a finite number above 0")
        if self.every < 1:
            raise RingError(f"a record every {self.every} ticks; it must be 1 or more")
        if max(len(text.encode()) for text in (self.schema.json, self.platform, self.parameters)) > LARGEST_TEXT:
            raise RingError("the schema, the platform's or the parameters' description has more than 16 MiB of text")

    @property
    def generators_at(self) -> int:
        """After header and counters."""
        return 2 * PAGE

    @property
    def commands_at(self) -> int:
        """After the generators."""
        return self.generators_at + GENERATOR_BYTES

    @property
    def values_at(self) -> int:
        """After the commands."""
        return self.commands_at + COMMAND_BYTES

    @property
    def schema_at(self) -> int:
        """After the values."""
        return self.values_at + VALUE_BYTES

    @property
    def platform_at(self) -> int:
        """After the schema."""
        return _whole_pages(self.schema_at + len(self.schema.json.encode()))

    @property
    def parameters_at(self) -> int:
        """After the platform."""
        return _whole_pages(self.platform_at + len(self.platform.encode()))

    @property
    def records_at(self) -> int:
        """After the parameters."""
        return _whole_pages(self.parameters_at + len(self.parameters.encode()))

    @property
    def total_bytes(self) -> int:
        """Of the whole segment."""
        return _whole_pages(self.records_at + self.capacity * self.schema.record_bytes)

    @property
    def texts(self) -> tuple[tuple[str, int, str], ...]:
        """What the writer says once: name, place and text of each."""
        return (
            ("schema", self.schema_at, self.schema.json),
            ("platform", self.platform_at, self.platform),
            ("parameters", self.parameters_at, self.parameters),
        )

    def header(self, writer: str, pid: int, epoch: int, utc_ns: int) -> bytes:
        """The sealed header."""
        h = np.zeros((), HEADER)
        h["magic"], h["version"], h["page"], h["total_bytes"] = MAGIC, VERSION, PAGE, self.total_bytes
        h["record_bytes"], h["capacity"], h["records_at"] = self.schema.record_bytes, self.capacity, self.records_at
        h["generators_at"], h["commands_at"], h["values_at"] = self.generators_at, self.commands_at, self.values_at
        for what, at, text in self.texts:
            raw = text.encode()
            h[f"{what}_at"], h[f"{what}_bytes"], h[f"{what}_hash"] = at, len(raw), hashlib.sha256(raw).digest()
        h["dt"], h["every"], h["epoch"], h["epoch_utc_ns"] = self.dt, self.every, epoch, utc_ns
        h["writer_pid"], h["writer"], h["conventions"] = pid, writer.encode()[:64], CONVENTIONS.encode()
        h["crc"] = zlib.crc32(h.tobytes()[:-4])
        return h.tobytes()


@final
@dataclass(frozen=True)
class Header:
    """A header as read, checked against its checksum and against itself."""

    layout: Layout
    epoch: int
    epoch_utc_ns: int
    writer: str
    writer_pid: int

    @staticmethod
    def read(memory: memoryview, where: str) -> Header | None:
        """The header of a mapped segment; None where no writer has put one yet; an error where it is not ours."""
        if len(memory) < 2 * PAGE:
            raise RingError(f"{where} has {len(memory)} bytes, which is too short for a ring; remove it")
        sealed = bytes(memory[: HEADER.itemsize])
        h = np.frombuffer(sealed, HEADER)[0]
        if not any(sealed[:8]):
            return None
        if h["magic"] != MAGIC:
            raise RingError(f"{where} is not a ring of motionbase; remove it or choose another name")
        if h["version"] != VERSION:
            raise RingError(f"{where} has layout version {h['version']}, this program reads {VERSION}; use one version")
        if zlib.crc32(sealed[:-4]) != h["crc"]:
            return None  # being written, or damaged: the same to a reader, who waits
        if h["total_bytes"] > len(memory):
            raise RingError(f"{where} has {len(memory)} bytes, its header says {h['total_bytes']}: it was cut short")
        schema = Schema.from_json(_text(memory, h, "schema", where))
        texts = (_text(memory, h, what, where) for what in ("platform", "parameters"))
        layout = Layout(schema, int(h["capacity"]), float(h["dt"]), int(h["every"]), *texts)
        for name in ("generators_at", "commands_at", "values_at", "records_at", "total_bytes"):
            if getattr(layout, name) != h[name]:
                raise RingError(f"{where}: {name} is {h[name]}, its schema and capacity give {getattr(layout, name)}")
        if schema.record_bytes != h["record_bytes"]:
            raise RingError(f"{where}: records of {h['record_bytes']} bytes, its schema has {schema.record_bytes}")
        return Header(
            layout, int(h["epoch"]), int(h["epoch_utc_ns"]), h["writer"].decode(errors="replace"), int(h["writer_pid"])
        )


def _text(memory: memoryview, h: np.void, what: str, where: str) -> str:
    at, size, label = int(h[f"{what}_at"]), int(h[f"{what}_bytes"]), what.replace("parameters", "table of parameters")
    if size > LARGEST_TEXT or at + size > len(memory):
        raise RingError(f"{where}: the {label} is said to have {size} bytes at {at}, beyond the end")
    raw = bytes(memory[at : at + size])
    if hashlib.sha256(raw).digest() != bytes(h[f"{what}_hash"]):
        raise RingError(f"{where}: the {label} does not match its hash")
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise RingError(f"{where}: the {label} is not UTF-8") from None


def _whole_pages(size: int) -> int:
    return -(-size // PAGE) * PAGE
