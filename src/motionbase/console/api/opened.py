"""Keeps a few recordings open, so that zooming does not reopen them."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import final

from motionbase.errors import RecordingError
from motionbase.recording.open import open_recording
from motionbase.recording.recording import Recording

KEPT = 4
GROWN_S = 10.0  # shortest time between openings of a growing file


@final
class _Entry:
    """A recording and its users; the first opens it while only others of the same file wait."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.stamp, self.opened_at = _stamp(path), time.monotonic()
        self.lock = threading.Lock()  # reading may build the overview, which must happen once
        self.users, self.is_dropped = 0, False
        self._recording: Recording | None = None

    def opened(self) -> Recording:
        """The open recording; the caller holds the lock."""
        if self._recording is None:
            self._recording = open_recording(self._path)
        return self._recording

    def close(self) -> None:
        """Close it, once it has no users."""
        if self._recording is not None:
            self._recording.close()


@final
class OpenRecordings:
    """The recordings used last; a file that has changed is reopened."""

    def __init__(self, kept: int = KEPT) -> None:
        self._kept, self._lock = kept, threading.Lock()
        self._entries: OrderedDict[Path, _Entry] = OrderedDict()

    @contextmanager
    def use(self, path: Path) -> Iterator[Recording]:
        """Context manager for exclusive use of a recording, which stays open meanwhile."""
        entry = self._taken(path)
        try:
            with entry.lock:
                yield entry.opened()
        finally:
            with self._lock:
                entry.users -= 1
                self._close_unused(entry)

    def _taken(self, path: Path) -> _Entry:
        with self._lock:
            entry = self._entries.get(path)
            if entry is not None and not _is_current(entry, path):
                self._drop(path)
                entry = None
            if entry is None:
                entry = self._entries[path] = _Entry(path)
                while len(self._entries) > self._kept:
                    self._drop(next(iter(self._entries)))
            self._entries.move_to_end(path)
            entry.users += 1
            return entry

    def _drop(self, path: Path) -> None:
        entry = self._entries.pop(path)
        entry.is_dropped = True
        self._close_unused(entry)

    @staticmethod
    def _close_unused(entry: _Entry) -> None:
        if entry.is_dropped and not entry.users:
            entry.close()

    def close(self) -> None:
        """Close all that are not in use."""
        with self._lock:
            for path in list(self._entries):
                self._drop(path)


def _stamp(path: Path) -> tuple[int, int, int]:
    try:
        state = path.stat()
    except OSError as error:
        raise RecordingError(f"recording {path.name!r} cannot be opened: {error.strerror or error}") from None
    return state.st_ino, state.st_size, state.st_mtime_ns


def _is_current(entry: _Entry, path: Path) -> bool:
    now = _stamp(path)
    if now == entry.stamp:
        return True
    grows = now[0] == entry.stamp[0] and now[1] > entry.stamp[1]
    return grows and time.monotonic() - entry.opened_at < GROWN_S
