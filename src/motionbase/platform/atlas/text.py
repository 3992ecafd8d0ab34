"""The kind of platform that a name, file or text describes, and the text in a ring for a platform with a sphere."""

from __future__ import annotations

import json
from pathlib import Path

from motionbase.errors import ModelError, PlatformError
from motionbase.multibody.loaders.toml_source import TomlSource
from motionbase.platform.atlas.atlas import Atlas
from motionbase.platform.atlas.load import load_atlas, load_atlas_text
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.load import FOLDER, SPHERES, load_text, platform_text

KIND = "sphere"


def is_sphere(reference: Path | str) -> bool:
    """Whether it is a sphere on wheels; False for a file that cannot be read."""
    if str(reference) in SPHERES:
        return True
    if Path(reference).suffix.lower() != ".toml":
        return False
    try:
        return TomlSource.read(reference).data.get("kind") == KIND
    except ModelError:
        return False


def sphere_text(reference: Path | str) -> str:
    """Text of the platform including the text of its stage, so that a ring and its recordings need no other file."""
    path = FOLDER / f"{reference}.toml" if str(reference) in SPHERES else Path(reference)
    stage = json.dumps(platform_text(load_atlas(reference).stage))  # a JSON string is also a TOML string
    return f"stage_text = {stage}\n{platform_text(path)}"


def platforms_of_text(text: str, name: str = "platform") -> tuple[Hexapod, Atlas | None]:
    """The hexapod in the text of a ring or recording, and the sphere on it if there is one."""
    try:
        is_one = TomlSource.of(name, text).data.get("kind") == KIND
    except ModelError as e:
        raise PlatformError(str(e)) from None
    if not is_one:
        return load_text(text, name), None
    atlas, stage = load_atlas_text(text, name)
    return stage, atlas
