"""Folders for files that outlive a ring."""

from __future__ import annotations

import os
import sys
from pathlib import Path

FOLDER_VARIABLE = "MOTIONBASE_DATA"


def data_folder(name: str) -> Path:
    """A folder in $MOTIONBASE_DATA or, if that is not set, in `motionbase` in the user's data folder."""
    if chosen := os.environ.get(FOLDER_VARIABLE):
        return Path(chosen) / name
    home = Path(os.path.expanduser("~"))
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / "motionbase" / name
    return Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share") / "motionbase" / name
