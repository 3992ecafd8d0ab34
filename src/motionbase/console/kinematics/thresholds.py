"""Clearance thresholds for warning and alarm, set by operators and stored in a file per platform."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import final

from motionbase.console.api.sentences import NotThere
from motionbase.console.api.shelf import Shelf
from motionbase.console.models import ClearanceThresholds
from motionbase.errors import MotionBaseError

# defaults of workbench.clearance.Thresholds, compared by a test; importing that module takes seconds
USUAL = ClearanceThresholds(warn=0.05, stop=0.0254)
LARGEST = 4096  # of a file [bytes]


@final
class KeptThresholds:
    """Thresholds of a console; thread-safe.

    Args:
        folder: of the files
    """

    def __init__(self, folder: Path) -> None:
        self._shelf = Shelf(folder, "clearance thresholds", ".json")
        self._lock = threading.Lock()
        self._known: dict[str, ClearanceThresholds] = {}

    def of(self, platform: str) -> ClearanceThresholds:
        """Thresholds of a platform by name; the defaults if none are stored or readable."""
        with self._lock:
            if platform not in self._known:
                self._known[platform] = self._read(platform)
            return self._known[platform]

    def keep(self, platform: str, wanted: ClearanceThresholds) -> ClearanceThresholds:
        """Store thresholds, which survive a restart."""
        with self._lock:
            self._shelf.keep(platform, wanted.model_dump_json().encode())
            self._known[platform] = wanted
            return wanted

    def _read(self, platform: str) -> ClearanceThresholds:
        try:
            path = self._shelf.file(platform)
            if path.stat().st_size > LARGEST:
                return USUAL
            return ClearanceThresholds.model_validate_json(path.read_text(encoding="utf-8"))
        except (NotThere, MotionBaseError, OSError, ValueError):  # ValueError includes errors of UTF-8 and of the model
            return USUAL
