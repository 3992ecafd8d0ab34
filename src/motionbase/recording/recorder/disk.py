"""Disk side of a recorder: threads that write and sync, behind a queue that never blocks.

A disk may be slow, full, or a share that has stopped answering. Data is queued meanwhile, up to a limit; beyond it the
recorder leaves records in the ring until there is room.
"""

from __future__ import annotations

import errno
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import TypeAlias, final

from motionbase.recording.recorder.file_series import Pieces
from motionbase.recording.recorder.items import QUEUE_BYTES, RETRY_S, Chunk, Note

SYNC_S = 1.0
SPARE = 4  # once 1 / SPARE of the queue is full, only records are written
NO_ROOM = (errno.ENOSPC, errno.EDQUOT)  # the file is intact and can continue when there is room
Item: TypeAlias = tuple[Pieces, Chunk | Note | None]  # None ends the file


@final
class Disk:
    """Takes chunks, notes and the ends of files, in order.

    Attributes:
        trouble: why it cannot write now, a sentence; "" if it can
        waiting: bytes in the queue
        unwritten: records dropped at the end

    Args:
        say: called with a sentence for the operator, also from the threads; must not block
    """

    def __init__(self, say: Callable[[str], object], queue_bytes: int = QUEUE_BYTES, retry_s: float = RETRY_S) -> None:
        self.trouble, self.waiting, self.unwritten = "", 0, 0
        self._say, self._limit, self._retry_s = say, queue_bytes, retry_s
        self._items: deque[Item] = deque()
        self._some, self._ending, self._pieces = threading.Condition(), threading.Event(), set[Pieces]()
        self._since: float | None = None  # when writing the current item began
        self._threads = [
            threading.Thread(target=run, name=f"motionbase recorder {what}", daemon=True)
            for what, run in (("disk", self._write), ("sync", self._sync))
        ]
        for thread in self._threads:
            thread.start()

    # ---- the recorder's side: never blocks ----

    def put(self, pieces: Pieces, item: Chunk | Note | None) -> None:
        """Queue an item after all before it."""
        size = item.rows.nbytes if isinstance(item, Chunk) else 0
        with self._some:
            if size and self.waiting + size > self._limit // SPARE:
                pieces.spare("the disk is too slow")
            self.waiting += size
            self._items.append((pieces, item))
            self._some.notify()

    @property
    def is_full(self) -> bool:
        """Whether the queue is so full that no more records should be taken from the ring."""
        return self.waiting >= self._limit

    @property
    def is_half_free(self) -> bool:
        """Whether half of the queue is free again."""
        return self.waiting <= self._limit // 2

    @property
    def busy_s(self) -> float:
        """Time spent on the current item [s]; 0 if there is none."""
        since = self._since
        return time.monotonic() - since if since is not None else 0.0

    def close(self, seconds: float) -> bool:
        """Write the queue within `seconds`; whether everything is in the files and they are finished."""
        self._ending.set()
        with self._some:
            self._some.notify_all()
        self._threads[0].join(seconds)
        with self._some:
            left = [item for _, item in self._items if isinstance(item, Chunk)]
            self.unwritten += sum(len(c.rows) - c.done for c in left)
        return not self._threads[0].is_alive() and not self.unwritten

    # ---- the thread that writes ----

    def _write(self) -> None:
        while True:
            with self._some:
                while not self._items:
                    if self._ending.is_set():
                        return
                    self._some.wait()
                pieces, item = self._items[0]  # stays in the queue until it is written
            self._do(pieces, item)
            self._since = None
            with self._some:
                self._items.popleft()
                self.waiting -= item.rows.nbytes if isinstance(item, Chunk) else 0

    def _do(self, pieces: Pieces, item: Chunk | Note | None) -> None:
        """Write an item, with retries until it succeeds or the recorder ends."""
        began = time.monotonic()
        while True:
            last = self._ending.is_set() or item is None
            self._since = time.monotonic()
            try:
                self._one(pieces, item)
                break
            except Exception as error:  # any other error is a bug, which must not end the thread
                tell = f"recording to {pieces.names.folder} fails: {getattr(error, 'strerror', '') or error}"
                if self.trouble != tell:
                    self.trouble = tell
                    self._say(f"{tell}; it is tried again every {self._retry_s:g} s")
                pieces.spare("the disk takes nothing", full=True)
                if getattr(error, "errno", None) not in NO_ROOM:  # file too large, or gone: begin another
                    pieces.leave()
                if last or not isinstance(error, OSError):
                    self._give_up(pieces, item)
                    return
                self._ending.wait(self._retry_s)
        if self.trouble:
            said, self.trouble = self.trouble, ""
            self._say(f"recording goes on, to {pieces.writer.path if pieces.writer else pieces.names.folder}")
            when = int(item.utc_ns[0]) if isinstance(item, Chunk) else item.utc_ns if item is not None else 0
            with suppress(OSError):
                pieces.note(Note("disk", f"{said}; it was so for {time.monotonic() - began:.1f} s", when))

    def _one(self, pieces: Pieces, item: Chunk | Note | None) -> None:
        if isinstance(item, Chunk):
            pieces.write(item)
            self._pieces.add(pieces)
        elif isinstance(item, Note):
            pieces.note(item)
        else:
            self._pieces.discard(pieces)
            pieces.finish()

    def _give_up(self, pieces: Pieces, item: Chunk | Note | None) -> None:
        if isinstance(item, Chunk) and (left := len(item.rows) - item.done):
            self.unwritten += left
            first, last = item.first + item.done, item.first + len(item.rows) - 1
            with suppress(Exception):  # for a later file, if there is one
                pieces.note(Note("gap", f"{left} records lost, {first} to {last}: they could not be written"))

    # ---- the thread that syncs ----

    def _sync(self) -> None:
        """Sync in a separate thread: it may take seconds, and writing must go on."""
        told = False
        while not self._ending.wait(SYNC_S):
            for pieces in list(self._pieces):
                with pieces.closing:
                    writer = pieces.writer
                    try:
                        if writer is not None:
                            writer.sync()
                        told = False
                    except OSError as error:
                        if not told:
                            self._say(f"{pieces.names.folder}: the disk cannot be synced: {error.strerror or error}")
                        told = True
