"""Builds the pyramid of a recording while it is written, so that even the first picture of ten hours is quick.

A thread behind a short queue does it, so records never wait. If the disk is slow the pyramid is abandoned and its
blocks stay; if the disk is full they are removed, too. The first program to draw the recording completes the pyramid.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, final

from motionbase.arrays import Array
from motionbase.record.schema import Schema
from motionbase.recording.overview import pyramid_paths, stamp_of
from motionbase.recording.pyramid_write import PyramidWriter, origin_of

QUEUE_BYTES = 16_000_000  # 11 s at 1 kHz and 178 channels


@final
@dataclass(eq=False)
class Along:
    """The pyramid of one recording's file.

    Attributes:
        path: of the recording; head_bytes: length of the recording before its first chunk
        given_up: why it was abandoned, a sentence; "" if it was not
        remove: remove its blocks, too
    """

    path: Path
    head_bytes: int
    schema: Schema
    given_up: str = ""
    remove: bool = False
    writer: PyramidWriter | None = None


Item: TypeAlias = tuple[Along, Array | None]  # None: the file is finished


@final
class Sidecar:
    """Builds pyramids from records that have been written, in order.

    Args:
        say: called with a sentence for the operator; must not block
    """

    def __init__(self, say: Callable[[str], object], queue_bytes: int = QUEUE_BYTES) -> None:
        self._say, self._limit, self._waiting = say, queue_bytes, 0
        self._items: deque[Item] = deque()
        self._some, self._ending = threading.Condition(), False
        self._thread = threading.Thread(target=self._run, name="motionbase recorder pyramid", daemon=True)
        self._thread.start()

    # ---- the disk's side: never blocks ----

    def begin(self, path: Path, head_bytes: int, schema: Schema) -> Along:
        """Begin the pyramid of a file that has its header."""
        return Along(path, head_bytes, schema)

    def add(self, along: Along, rows: Array) -> None:
        """Add records that are in the file; they must not change."""
        with self._some:
            if along.given_up:
                return
            if self._waiting + rows.nbytes <= self._limit:
                self._waiting += rows.nbytes
                self._items.append((along, rows))
                self._some.notify()
                return
        self.give_up(along, "the disk is too slow")

    def end(self, along: Along) -> None:
        """Finish the pyramid; the file is closed."""
        with self._some:
            self._items.append((along, None))
            self._some.notify()

    def give_up(self, along: Along, why: str, *, remove: bool = False) -> None:
        """Abandon the pyramid and drop its queued records."""
        with self._some:
            told = bool(along.given_up)
            if told and along.remove >= remove:
                return
            along.given_up, along.remove = along.given_up or why, remove
            self._items.append((along, None))
            self._some.notify()
        if not told and along.writer is not None and along.writer.stored:
            self._say(f"{along.path.name}: no more of its overview is written, {why}; its first picture takes longer")

    def close(self, seconds: float) -> None:
        """Write the queue within `seconds`; the rest is built when the recording is drawn."""
        with self._some:
            self._ending = True
            self._some.notify()
        self._thread.join(seconds)

    # ---- the thread ----

    def _run(self) -> None:
        while True:
            with self._some:
                while not self._items:
                    if self._ending:
                        return
                    self._some.wait()
                along, rows = self._items.popleft()
                self._waiting -= rows.nbytes if rows is not None else 0
            try:
                self._do(along, rows)
            except Exception as error:  # any error: the records do not need the pyramid
                why = getattr(error, "strerror", None) or str(error)
                self.give_up(along, why, remove=True)

    def _do(self, along: Along, rows: Array | None) -> None:
        writer = along.writer
        if along.given_up:
            if writer is not None:
                writer.leave()
                if along.remove:
                    along.writer = None
                    with suppress(OSError):
                        writer.abandon()
        elif rows is not None:
            if writer is None:
                origin = origin_of(along.path, along.head_bytes)
                along.writer = writer = PyramidWriter(pyramid_paths(along.path)[0], rows.shape[1], origin)
            writer.add(rows)
        elif writer is not None:
            if writer.stored:
                writer.finish(stamp_of(along.path, writer.count, along.schema))
            else:  # it can be built as quickly when it is needed
                writer.abandon()
            along.writer = None
