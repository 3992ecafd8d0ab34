"""Devices that a world hears: those of a page, through the file beside the ring, and those of the machine."""

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
        """Pass on their states since the last call."""


@final
class PageEar:
    """The device that the console or another program writes into the file beside the ring."""

    def __init__(self, reader: HandReader) -> None:
        self._reader = reader
        newest = reader.newest()
        self._last = None if newest is None else newest.number  # an earlier message is stale

    def speak(self, hear: Hear) -> None:
        """Pass on the newest message, if it has changed."""
        told = self._reader.newest()
        if told is not None and told.number != self._last:
            self._last = told.number
            hear("page", told.hand)


def page_ears(backend: AbstractBackend, stack: ExitStack) -> list[Ear]:
    """Devices of the page; if the file cannot be read they are ignored, and nothing else is affected."""
    try:
        reader = HandReader.attached(backend)
    except RingError as error:
        print(f"devices of the page are ignored: {error}", file=sys.stderr, flush=True)
        return []
    return [] if reader is None else [PageEar(stack.enter_context(reader))]
