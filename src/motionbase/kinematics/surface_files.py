"""The surface of a workspace as a mesh file, in W: coloured by what ends it where the format has colours."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import trimesh

from motionbase.errors import UsageError
from motionbase.kinematics.plotting import END_COLOURS
from motionbase.kinematics.surface import Surface

ENDINGS = (".glb", ".stl")


def write_surface(surface: Surface, path: Path | str) -> None:
    """A closed surface, in metres."""
    path = Path(path)
    if path.suffix not in ENDINGS:
        raise UsageError(f"cannot write a mesh to {str(path)!r}: the name must end in {' or '.join(ENDINGS)}")
    mesh = surface.mesh
    colours = np.array([[int(colour[k : k + 2], 16) for k in (1, 3, 5)] + [255] for colour in END_COLOURS], np.uint8)
    made = trimesh.Trimesh(mesh.vertices, mesh.triangles, vertex_colors=colours[surface.ends], process=False)
    try:
        made.export(path)
    except OSError as e:
        raise UsageError(f"cannot write {str(path)!r}: {e.strerror}") from None
