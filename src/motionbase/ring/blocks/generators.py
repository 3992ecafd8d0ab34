"""The seven generators together: numbers for the control law, bytes in the ring, and who reads and writes them."""

from __future__ import annotations

import os
import struct
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from motionbase.errors import GeneratorError, RingError
from motionbase.record.generators import COLUMNS, COUNT, Generator, row_problem
from motionbase.ring.backend import DEFAULT_NAME, AbstractBackend
from motionbase.ring.blocks.mapping import BlockMap, Section, attached
from motionbase.ring.blocks.seqlock import Outcome, SeqlockReader, SeqlockWriter
from motionbase.ring.layout import Layout
from motionbase.ring.segment import Segment

Values: TypeAlias = NDArray[np.float64]
KIND, FORMAT = b"MBGN", 1
NAME_BYTES = 64
ABOUT = struct.Struct(f"<{NAME_BYTES}s{NAME_BYTES}sqq")  # name of the set, who wrote it, process, UTC [ns]
SHAPE = (COUNT, len(COLUMNS))
BYTES = ABOUT.size + 8 * COUNT * len(COLUMNS)
PATIENCE_S = 0.5  # [s] that a client gives a writer at work


@final
@dataclass(frozen=True)
class GeneratorSet:
    """Seven generators; those not given are off.

    Attributes:
        name: for people
        version: of the ring's block, 0 where it has never been written or the set is not from a ring
        author, pid, utc_ns: who wrote it into the ring, and when
    """

    generators: tuple[Generator, ...] = ()
    name: str = ""
    version: int = 0
    author: str = ""
    pid: int = 0
    utc_ns: int = 0

    def __post_init__(self) -> None:
        given = len(self.generators)
        if given > COUNT:
            raise GeneratorError(f"{given} generators, there are {COUNT}")
        object.__setattr__(self, "generators", (*self.generators, *(Generator() for _ in range(COUNT - given))))
        for what, text in (("name", self.name), ("author", self.author)):
            checked_text(what, text)

    @property
    def values(self) -> Values:
        """(7, 16) as the control law takes them, columns in the order of COLUMNS."""
        return np.array([g.row for g in self.generators])

    @property
    def enabled(self) -> tuple[int, ...]:
        """Numbers, from 1, of those that are on."""
        return tuple(n for n, g in enumerate(self.generators, start=1) if g.enabled)

    @staticmethod
    def from_values(values: Values, name: str = "") -> GeneratorSet:
        """The set of an array of numbers, or one sentence about the generator that cannot be."""
        if values.shape != SHAPE:
            raise GeneratorError(f"generators have shape {values.shape}, {SHAPE} is wanted")
        rows = values.tolist()
        if problem := values_problem(rows):
            raise GeneratorError(problem)
        return GeneratorSet(tuple(Generator.from_row(row) for row in rows), name)

    def encoded(self) -> bytes:
        """The payload of the ring's block."""
        about = ABOUT.pack(self.name.encode(), self.author.encode(), self.pid, self.utc_ns)
        return about + self.values.astype("<f8").tobytes()

    @staticmethod
    def decoded(payload: bytes | memoryview) -> GeneratorSet:
        """The set of a payload; whatever is not one gets a sentence."""
        if len(payload) != BYTES:
            raise GeneratorError(f"generators of {len(payload)} bytes, {BYTES} are wanted")
        name, author, pid, utc_ns = ABOUT.unpack_from(payload)
        values = np.frombuffer(payload, "<f8", offset=ABOUT.size).astype(np.float64).reshape(SHAPE)
        try:
            texts = [raw.rstrip(b"\0").decode() for raw in (name, author)]
        except UnicodeDecodeError:
            raise GeneratorError("the name or author of the generators is not a text in UTF-8") from None
        found = GeneratorSet.from_values(values, texts[0])
        return replace(found, author=texts[1], pid=pid, utc_ns=utc_ns)


def values_problem(rows: Iterable[list[float]]) -> str:
    """What is wrong with the first bad row, with the number of its generator; "" if all are good."""
    for number, row in enumerate(rows, start=1):
        if problem := row_problem(row):
            return f"generator {number}: {problem}"
    return ""


def checked_text(what: str, text: object) -> str:
    """A text that fits the ring and a terminal."""
    if not isinstance(text, str) or not text.isprintable() or len(text.encode(errors="replace")) > NAME_BYTES:
        raise GeneratorError(f"{what} is {text!r:.80}, it must be printable text of at most {NAME_BYTES} bytes")
    return text


@final
class GeneratorReader:
    """The generators as the control law sees them: `values` and `version` change together, in `poll`, and only then.

    A write that is unfinished or refused leaves them as they were.

    Args:
        segment: a ring mapped for reading or writing
    """

    def __init__(self, segment: Segment, layout: Layout) -> None:
        self._block = SeqlockReader(segment.address + layout.generators_at, KIND, FORMAT, BYTES)
        self.values: Values = np.zeros(SHAPE)
        self.version, self.reason = 0, ""

    def changed(self) -> bool:
        """Whether `poll` would find something, without taking it."""
        return self._block.changed()

    def poll(self) -> Outcome:
        """Look whether somebody has written; bounded work, two fixed buffers."""
        outcome = self._block.poll()
        if outcome is Outcome.UNCHANGED or outcome is Outcome.UNFINISHED:
            return outcome
        if outcome is Outcome.REFUSED:
            self.reason = self._block.reason
            return outcome
        values = np.frombuffer(self._block.payload, "<f8", offset=ABOUT.size).reshape(SHAPE)
        if problem := values_problem(values.tolist()):
            self.reason = problem
            return Outcome.REFUSED
        np.copyto(self.values, values)
        self.version, self.reason = self._block.version, ""
        return outcome


def current(segment: Segment, layout: Layout) -> GeneratorSet:
    """What is in the ring now, for people."""
    block = SeqlockReader(segment.address + layout.generators_at, KIND, FORMAT, BYTES)
    outcome = block.wait(PATIENCE_S)
    if outcome is Outcome.UNFINISHED:
        raise RingError(f"{segment.backend}: a writer of the generators died in the middle; set or clear them again")
    if outcome is Outcome.REFUSED:
        raise RingError(f"{segment.backend}: the generators are refused: {block.reason}; set or clear them again")
    try:
        return replace(GeneratorSet.decoded(block.payload), version=block.version)
    except GeneratorError as error:
        raise RingError(f"{segment.backend}: the generators are refused: {error}; set or clear them again") from None


@final
class GeneratorClient:
    """A console, command or host that reads and writes the generators of a ring; it cannot touch its records."""

    def __init__(self, name: str = DEFAULT_NAME, *, author: str, backend: AbstractBackend | None = None) -> None:
        self._author = checked_text("author", author)
        self.map = BlockMap(Section.GENERATORS, name, backend)
        self._writer = SeqlockWriter(self.map.address, KIND, FORMAT, BYTES, self.map.lock_path, self.map.mode)

    def read(self) -> GeneratorSet:
        """What is in the ring now."""
        return current(self.map.segment, self.map.header.layout)

    def write(self, wanted: GeneratorSet) -> GeneratorSet:
        """Put it into the ring; returns it with its version. The control law takes it on the next change to drive."""
        self.map.require_writer()
        signed = replace(wanted, author=self._author, pid=os.getpid(), utc_ns=time.time_ns())
        return replace(signed, version=self._writer.write(signed.encoded()))


def shown(name: str = DEFAULT_NAME) -> tuple[GeneratorSet, Segment]:
    """The generators of a ring by name, without the right to write."""
    segment, header = attached(name)
    return current(segment, header.layout), segment
