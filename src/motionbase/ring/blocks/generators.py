"""The seven generators in the ring: who reads and writes them."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from typing import final

import numpy as np

from motionbase.errors import GeneratorError, RingError
from motionbase.record.generator_set import ABOUT, BYTES, SHAPE, GeneratorSet, Values, checked_text, values_problem
from motionbase.ring.backend import DEFAULT_NAME, AbstractBackend
from motionbase.ring.blocks.mapping import BlockMap, Section, attached
from motionbase.ring.blocks.seqlock import Outcome, SeqlockReader, SeqlockWriter
from motionbase.ring.layout import Layout
from motionbase.ring.segment import Segment

KIND, FORMAT = b"MBGN", 1
PATIENCE_S = 0.5  # [s] that a client gives a writer at work


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
