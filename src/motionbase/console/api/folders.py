"""Rewords messages for pages: files get the names that pages know, and paths of folders are hidden."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from motionbase.ring.folders import data_folder

if TYPE_CHECKING:
    from motionbase.console.console import Console

ESTOP = "estop"
QUOTED = re.compile(r"(?<=')/(?:[^'/]+/)*([^'/]+)(?=')")


def last_parts(text: str) -> str:
    """A text with only the last part of quoted paths, for a recorder that writes to another folder."""
    return QUOTED.sub(r"\1", text)


def shown(console: Console, text: str) -> str:
    """A text without the paths of the console's folders."""
    settings = console.settings
    for folder, name in ((settings.recordings, ""), (data_folder(ESTOP), f"{ESTOP}/"), (settings.data, "")):
        for path in {str(folder), str(folder.absolute()), str(folder.resolve())}:
            if path not in ("", os.curdir, os.sep):
                text = text.replace(f"{path}{os.sep}", name)
    return text
