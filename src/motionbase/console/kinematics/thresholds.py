"""Clearances at which to warn and to raise the alarm, as the operator set them: by platform, kept in a file each."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import final

from motionbase.console.api.sentences import NotThere
from motionbase.console.api.shelf import Shelf
from motionbase.console.models import ClearanceThresholds
from motionbase.errors import MotionBaseError

# of workbench.clearance.Thresholds, which a test compares: that module takes seconds to load
USUAL = ClearanceThresholds(warn=0.05, stop=0.0254)
LARGEST = 4096  # bytes of a file


@final
class KeptThresholds:
    """Those of a console; any thread may ask.

    Args:
        folder: of the files
    """

    def __init__(self, folder: Path) -> None:
        self._shelf = Shelf(folder, "clearance thresholds", ".json")
        self._lock = threading.Lock()
        self._known: dict[str, ClearanceThresholds] = {}

    def of(self, platform: str) -> ClearanceThresholds:
        """As set for a platform of this name; the usual ones where nobody has, or what is kept cannot be read."""
        with self._lock:
            if platform not in self._known:
                self._known[platform] = self._read(platform)
            return self._known[platform]

    def keep(self, platform: str, wanted: ClearanceThresholds) -> ClearanceThresholds:
        """From now on, also after a restart."""
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
        except (NotThere, MotionBaseError, OSError, ValueError):  # ValueError: those of UTF-8 and of the model, too
            return USUAL
