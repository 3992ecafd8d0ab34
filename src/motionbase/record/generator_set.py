"""The seven generators as a set: numbers for the control law, bytes for the ring."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import GeneratorError
from motionbase.record.generators import COLUMNS, COUNT, Generator, row_problem

NAME_BYTES = 64
ABOUT = struct.Struct(f"<{NAME_BYTES}s{NAME_BYTES}sqq")  # name of the set, author, process id, UTC [ns]
SHAPE = (COUNT, len(COLUMNS))
BYTES = ABOUT.size + 8 * COUNT * len(COLUMNS)


@final
@dataclass(frozen=True)
class GeneratorSet:
    """Seven generators; the missing ones are off.

    Attributes:
        name: shown to users
        version: version of the ring's block; 0 if it was never written or the set is not from a ring
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
            raise GeneratorError(f"{given} generators given, at most {COUNT} are possible")
        object.__setattr__(self, "generators", (*self.generators, *(Generator() for _ in range(COUNT - given))))
        for what, text in (("name", self.name), ("author", self.author)):
            checked_text(what, text)

    @property
    def values(self) -> Array:
        """(7, 16) array for the control law, columns in the order of COLUMNS."""
        return np.array([g.row for g in self.generators])

    @property
    def enabled(self) -> tuple[int, ...]:
        """Numbers, from 1, of the enabled generators."""
        return tuple(n for n, g in enumerate(self.generators, start=1) if g.enabled)

    @staticmethod
    def from_values(values: Array, name: str = "") -> GeneratorSet:
        """The set described by an array; raises `GeneratorError` for the first invalid generator."""
        if values.shape != SHAPE:
            raise GeneratorError(f"generators have shape {values.shape}, it must be {SHAPE}")
        rows = values.tolist()
        if problem := values_problem(rows):
            raise GeneratorError(problem)
        return GeneratorSet(tuple(Generator.from_row(row) for row in rows), name)

    def encoded(self) -> bytes:
        """The payload for the ring's block."""
        about = ABOUT.pack(self.name.encode(), self.author.encode(), self.pid, self.utc_ns)
        return about + self.values.astype("<f8").tobytes()

    @staticmethod
    def decoded(payload: bytes | memoryview) -> GeneratorSet:
        """The set in a payload; raises `GeneratorError` if it is not valid."""
        if len(payload) != BYTES:
            raise GeneratorError(f"the block of generators has {len(payload)} bytes, it must have {BYTES}")
        name, author, pid, utc_ns = ABOUT.unpack_from(payload)
        values = np.frombuffer(payload, "<f8", offset=ABOUT.size).astype(np.float64).reshape(SHAPE)
        try:
            texts = [raw.rstrip(b"\0").decode() for raw in (name, author)]
        except UnicodeDecodeError:
            raise GeneratorError("the name or author of the generators is not a text in UTF-8") from None
        found = GeneratorSet.from_values(values, texts[0])
        return replace(found, author=texts[1], pid=pid, utc_ns=utc_ns)


def values_problem(rows: Iterable[list[float]]) -> str:
    """What is wrong with the first invalid row, with the number of its generator; "" if all are valid."""
    for number, row in enumerate(rows, start=1):
        if problem := row_problem(row):
            return f"generator {number}: {problem}"
    return ""


def checked_text(what: str, text: object) -> str:
    """The text, if it fits into the ring and can be printed on a terminal."""
    if not isinstance(text, str) or not text.isprintable() or len(text.encode(errors="replace")) > NAME_BYTES:
        raise GeneratorError(f"{what} is {text!r:.80}, it must be printable text of at most {NAME_BYTES} bytes")
    return text
