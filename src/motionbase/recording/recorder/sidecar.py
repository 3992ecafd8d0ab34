"""The pyramid of a recording, built along with it: the first picture of ten hours is then there at once.

A thread of its own behind a short queue: records never wait for it. Where the disk is slow the pyramid is given up and
its blocks stay; where the disk is full they are removed, too. Whoever draws the recording goes on from what there is.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, final

from motionbase.record.schema import Schema
from motionbase.recording.mcap.rows import Rows
from motionbase.recording.overview import pyramid_paths, stamp_of
from motionbase.recording.pyramid_write import PyramidWriter, origin_of

QUEUE_BYTES = 16_000_000  # 11 s at 1 kHz and 178 channels


@final
@dataclass(eq=False)
class Along:
    """The pyramid of one file.

    Attributes:
        path: of the recording; head_bytes: of it, before its first chunk
        given_up: why, a sentence; "" if it goes on
        remove: its blocks, too
    """

    path: Path
    head_bytes: int
    schema: Schema
    given_up: str = ""
    remove: bool = False
    writer: PyramidWriter | None = None


Item: TypeAlias = tuple[Along, Rows | None]  # None: the file has ended


@final
class Sidecar:
    """Takes the records of files that have been written, in order.

    Args:
        say: takes a sentence for people; must not block
    """

    def __init__(self, say: Callable[[str], object], queue_bytes: int = QUEUE_BYTES) -> None:
        self._say, self._limit, self._waiting = say, queue_bytes, 0
        self._items: deque[Item] = deque()
        self._some, self._ending = threading.Condition(), False
        self._thread = threading.Thread(target=self._run, name="motionbase recorder pyramid", daemon=True)
        self._thread.start()

    # ---- the disk's side: never waits ----

    def begin(self, path: Path, head_bytes: int, schema: Schema) -> Along:
        """A file that has its head."""
        return Along(path, head_bytes, schema)

    def add(self, along: Along, rows: Rows) -> None:
        """Records that are in the file; they stay as they are."""
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
        """The file is closed."""
        with self._some:
            self._items.append((along, None))
            self._some.notify()

    def give_up(self, along: Along, why: str, *, remove: bool = False) -> None:
        """Write no more of it; what waits is dropped."""
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
        """Write what waits, for so long at most [s]; what is not written then is left to those who draw."""
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
            except Exception as error:  # whatever it is, the records do not need it
                why = getattr(error, "strerror", None) or str(error)
                self.give_up(along, why, remove=True)

    def _do(self, along: Along, rows: Rows | None) -> None:
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
            else:  # it is built as quickly when it is wanted
                writer.abandon()
            along.writer = None
