"""What a world hears: devices of a page, through the file beside the ring, and those of the machine."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable
from contextlib import ExitStack
from typing import Protocol, final

from motionbase.errors import RingError
from motionbase.record.world import Hand
from motionbase.ring.backend import AbstractBackend
from motionbase.ring.hand import HandReader

Hear = Callable[[Hashable, Hand], object]


class Ear(Protocol):
    """Devices that a world hears."""

    def speak(self, hear: Hear) -> None:
        """Tell what each has said since the last time."""


@final
class PageEar:
    """What the console, or another program, tells through the file beside the ring."""

    def __init__(self, reader: HandReader) -> None:
        self._reader = reader
        newest = reader.newest()
        self._last = None if newest is None else newest.number  # what was said before is old

    def speak(self, hear: Hear) -> None:
        """The newest message, if it is new."""
        told = self._reader.newest()
        if told is not None and told.number != self._last:
            self._last = told.number
            hear("page", told.hand)


def page_ears(backend: AbstractBackend, stack: ExitStack) -> list[Ear]:
    """Those of the page; a file that cannot be read costs the page's devices and nothing else."""
    try:
        reader = HandReader.attached(backend)
    except RingError as error:
        print(f"the page's devices are not heard: {error}", file=sys.stderr, flush=True)
        return []
    return [] if reader is None else [PageEar(stack.enter_context(reader))]
