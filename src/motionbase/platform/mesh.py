"""Meshes of a platform's parts, from users' files: for displays and for clearances."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import final

from motionbase.errors import PlatformError
from motionbase.platform.parts import checked_number

PARTS = ("base", "platform", "cylinder", "rod")
ENDINGS = (".glb", ".stl")
GREY = "#8b949e"


@final
@dataclass(frozen=True)
class MeshFile:
    """A mesh of one part, in the axes and about the origin of its frame.

    The base is drawn in W, the platform in P; a cylinder from the base joint and a rod from the platform joint, both
    with z along the leg from base to platform.

    Attributes:
        file: path of a .glb or .stl file
        part: base, platform, cylinder or rod; all six legs share those of cylinder and rod
        scale: factor from the file's numbers to metres
        colour: #rrggbb, for meshes without their own colours
    """

    file: str
    part: str
    scale: float = 1.0
    colour: str = GREY

    def __post_init__(self) -> None:
        if not isinstance(self.file, str) or not self.file.lower().endswith(ENDINGS):
            raise PlatformError(f"mesh: file is {self.file!r:.80}, a name ending in {' or '.join(ENDINGS)} is wanted")
        if self.part not in PARTS:
            raise PlatformError(f"mesh: part is {self.part!r:.80}, it must be one of {', '.join(PARTS)}")
        object.__setattr__(self, "scale", checked_number("mesh", "scale", self.scale, "m"))
        if not isinstance(self.colour, str) or not re.fullmatch(r"#[0-9a-fA-F]{6}", self.colour):
            raise PlatformError(f"mesh: colour is {self.colour!r:.80}, #rrggbb is wanted")

    @property
    def format(self) -> str:
        """glb or stl."""
        return Path(self.file).suffix[1:].lower()


def with_absolute_files(text: str, meshes: object, folder: Path) -> str:
    """A platform's text with absolute paths of its parsed `meshes`; relative paths are from `folder`."""
    if not isinstance(meshes, list) or not all(isinstance(m, dict) and isinstance(m.get("file"), str) for m in meshes):
        return text  # none, or invalid, which is reported when it is loaded
    lines, mine = [], False
    for line in text.splitlines():
        if re.match(r"\s*\[", line):
            mine = re.match(r"""\s*\[\[\s*["']?meshes["']?\s*\]\]""", line) is not None
        if not mine:
            lines.append(line)
    for mesh in meshes:
        absolute = {**mesh, "file": str((folder / mesh["file"]).absolute())}
        lines += ["", "[[meshes]]", *(f"{key} = {json.dumps(value)}" for key, value in absolute.items())]
    found = "\n".join(lines) + "\n"
    try:
        whole = len(tomllib.loads(found)["meshes"]) == len(meshes)
    except (ValueError, KeyError):
        whole = False
    if not whole:
        raise PlatformError("meshes: write each as a table of its own, under [[meshes]]")
    return found
