"""The seven generators in the ring: reader for the control law, client for consoles and commands."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import GeneratorError, RingError
from motionbase.record.generator_set import ABOUT, BYTES, SHAPE, GeneratorSet, checked_text, values_problem
from motionbase.ring.backend import DEFAULT_NAME, AbstractBackend
from motionbase.ring.blocks.mapping import BlockMap, Section, attached
from motionbase.ring.blocks.seqlock import Outcome, SeqlockReader, SeqlockWriter
from motionbase.ring.layout import Layout
from motionbase.ring.segment import Segment

KIND, FORMAT = b"MBGN", 1
PATIENCE_S = 0.5  # [s] that a client waits for a write in progress


@final
class GeneratorReader:
    """The generators as the control law reads them: `values` and `version` change together, and only in `poll`.

    An unfinished or refused write leaves both unchanged.

    Args:
        segment: a ring mapped for reading or writing
    """

    def __init__(self, segment: Segment, layout: Layout) -> None:
        self._block = SeqlockReader(segment.address + layout.generators_at, KIND, FORMAT, BYTES)
        self.values: Array = np.zeros(SHAPE)
        self.version, self.reason = 0, ""

    def changed(self) -> bool:
        """Whether there is a write that `poll` has not read yet."""
        return self._block.changed()

    def poll(self) -> Outcome:
        """Read a new write, if there is one; bounded work in two fixed buffers."""
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
    """The generators now in the ring; errors are sentences for the user."""
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
    """Reads and writes the generators of a ring for a console, command or host; it maps no other part for writing."""

    def __init__(self, name: str = DEFAULT_NAME, *, author: str, backend: AbstractBackend | None = None) -> None:
        self._author = checked_text("author", author)
        self.map = BlockMap(Section.GENERATORS, name, backend)
        self._writer = SeqlockWriter(self.map.address, KIND, FORMAT, BYTES, self.map.lock_path, self.map.mode)

    def read(self) -> GeneratorSet:
        """The generators now in the ring."""
        return current(self.map.segment, self.map.header.layout)

    def write(self, wanted: GeneratorSet) -> GeneratorSet:
        """Write a set and return it with its version. The control law reads it at the next transition to drive."""
        self.map.require_writer()
        signed = replace(wanted, author=self._author, pid=os.getpid(), utc_ns=time.time_ns())
        return replace(signed, version=self._writer.write(signed.encoded()))


def shown(name: str = DEFAULT_NAME) -> tuple[GeneratorSet, Segment]:
    """The generators of a ring by name, mapped read only."""
    segment, header = attached(name)
    return current(segment, header.layout), segment
