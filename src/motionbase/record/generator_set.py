"""The seven generators together: numbers for the control law, and bytes in the ring."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from motionbase.errors import GeneratorError
from motionbase.record.generators import COLUMNS, COUNT, Generator, row_problem

Values: TypeAlias = NDArray[np.float64]
NAME_BYTES = 64
ABOUT = struct.Struct(f"<{NAME_BYTES}s{NAME_BYTES}sqq")  # name of the set, who wrote it, process, UTC [ns]
SHAPE = (COUNT, len(COLUMNS))
BYTES = ABOUT.size + 8 * COUNT * len(COLUMNS)


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
