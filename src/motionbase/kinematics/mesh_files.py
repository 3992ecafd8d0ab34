"""Meshes of STL and GLB files.

A file that cannot be read, has no triangles or numbers that are not finite is refused. One that is not closed is taken,
with a warning: distances to its surface are right, but whether something is wholly inside cannot be known.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np
import trimesh

from motionbase.errors import PlatformError
from motionbase.kinematics.mesh import Mesh, checked_mesh

ENDINGS = (".glb", ".stl")


@final
@dataclass(frozen=True)
class MeshWarning:
    """Of a part whose mesh can be used, but not for everything."""

    part: str
    sentence: str


def read_mesh(file: str | Path, scale: float = 1.0) -> Mesh:
    """The triangles of a file, times `scale` to be metres; its own axes."""
    path = Path(file)
    owner = f"mesh file {str(file)!r}"
    if path.suffix.lower() not in ENDINGS:
        raise PlatformError(f"{owner}: its name must end in {' or '.join(ENDINGS)}")
    if not path.is_file():
        raise PlatformError(f"{owner}: there is no such file")
    try:
        with np.errstate(all="ignore"):
            scene: Any = trimesh.load_scene(path, process=False)
            found = scene.to_mesh()
    except Exception as e:  # readers of foreign files fail in many ways
        raise PlatformError(f"{owner} cannot be read as {path.suffix[1:].lower()}: {_first_line(e)}") from None
    return checked_mesh(owner, scale * np.asarray(found.vertices), np.asarray(found.faces))


def open_warning(part: str, mesh: Mesh) -> MeshWarning | None:
    """Where a mesh is not closed."""
    if mesh.is_closed:
        return None
    return MeshWarning(
        part,
        f"{part}: its mesh is not closed, so distances to it are right, but something wholly inside it is not seen as "
        "interference; close its surface in the program that wrote it",
    )


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
