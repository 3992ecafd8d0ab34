"""Stored derived channels of operators: for every page, ring and recording that they fit, even after a restart."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import final

from motionbase import private
from motionbase.console.live.derived import MOST_KEPT
from motionbase.console.models import Derive
from motionbase.recording.whole import whole_or_not

LARGEST = 64 * 1024  # of the file [bytes]


@final
class KeptFormulas:
    """Stored formulas of a console, in one file; thread-safe."""

    def __init__(self, path: Path) -> None:
        self._path, self._lock = path, threading.Lock()
        self._all = {one.name: one for one in _read(path)}

    def all(self) -> tuple[Derive, ...]:
        """All formulas, in order of creation."""
        with self._lock:
            return tuple(self._all.values())

    def keep(self, made: Derive) -> None:
        """Store a formula; one of that name is replaced in place."""
        with self._lock:
            self._all[made.name] = made
            self._write()

    def remove(self, name: str) -> bool:
        """Remove a formula; False if there was none."""
        with self._lock:
            if self._all.pop(name, None) is None:
                return False
            self._write()
            return True

    def _write(self) -> None:
        private.make_folder(self._path.parent)
        text = json.dumps([one.model_dump() for one in self._all.values()], indent=1)
        with whole_or_not(self._path, force=True) as part:
            private.write_file(part, text.encode())


def _read(path: Path) -> list[Derive]:
    """The formulas in a file; none if it cannot be read, so that a console always starts."""
    try:
        if path.stat().st_size > LARGEST:
            return []
        return [Derive.model_validate(one) for one in json.loads(path.read_text(encoding="utf-8"))][:MOST_KEPT]
    except (OSError, ValueError, TypeError, RecursionError):
        return []
