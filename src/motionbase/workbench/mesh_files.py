"""Reads meshes from STL and GLB files.

A file that cannot be read, has no triangles, or has numbers that are not finite is refused. A mesh that is not closed
is accepted with a warning: distances to its surface are correct, but objects wholly inside are not detected. All sizes
stated in a file are checked against its length and fixed limits before memory or time is spent on it.
"""

from __future__ import annotations

import io
import json
import re
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np
import trimesh

from motionbase.arrays import Array, Ints, Singles
from motionbase.errors import PlatformError
from motionbase.workbench.mesh import Mesh, checked_mesh

ENDINGS = (".glb", ".stl")
LARGEST_FILE = 64 * 1000 * 1000  # [bytes]
MOST_TRIANGLES = 1_280_000  # of a file, counted once per instance: a binary STL of 64 MB
MOST_CORNERS = 3 * MOST_TRIANGLES  # of a file, counted once per instance
MOST_PARTS = 10_000  # nodes, meshes, parts of meshes or accessors of a GLB file
STL_HEAD = 84  # bytes: 80 without meaning, then the number of triangles
STL_TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
VERTEX = re.compile(rb"\bvertex\s+([-+.\w]{1,40})\s+([-+.\w]{1,40})\s+([-+.\w]{1,40})", re.IGNORECASE)
GLB_HEAD, GLB_CHUNK = struct.Struct("<4sII"), struct.Struct("<I4s")
GLB_NUMBER = {5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4}  # bytes, by componentType
GLB_ENTRY = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}  # numbers, by type
NOT_SHAPES = ("materials", "textures", "images", "samplers", "animations", "skins", "cameras")


@final
@dataclass(frozen=True)
class MeshWarning:
    """The mesh of a part can be used, but not for everything."""

    part: str
    sentence: str


def read_mesh(file: str | Path, scale: float = 1.0) -> Mesh:
    """The mesh of a file in its own axes, multiplied by `scale` to give metres."""
    path = Path(file)
    owner = f"mesh file {str(file)!r}"
    if path.suffix.lower() not in ENDINGS:
        raise PlatformError(f"{owner}: its name must end in {' or '.join(ENDINGS)}")
    if not path.is_file():
        raise PlatformError(f"{owner}: there is no such file")
    form = path.suffix[1:].lower()
    try:
        with path.open("rb") as opened:
            raw = opened.read(LARGEST_FILE + 1)
        if len(raw) > LARGEST_FILE:
            raise ValueError(f"it has {path.stat().st_size} bytes, {LARGEST_FILE} is the most; make its mesh coarser")
        with np.errstate(all="ignore"):
            corners, triangles = _stl(raw) if form == "stl" else _glb(raw)
    except ImportError:
        raise PlatformError(f"{owner} cannot be read as {form}: it has something in it that is not supported") from None
    except MemoryError:
        raise PlatformError(f"{owner} cannot be read as {form}: there is no memory for it") from None
    except Exception as e:  # parsers of arbitrary files can fail in many ways
        raise PlatformError(f"{owner} cannot be read as {form}: {_first_line(e)}") from None
    return checked_mesh(owner, scale * np.asarray(corners), triangles)


def open_warning(part: str, mesh: Mesh) -> MeshWarning | None:
    """Warn if a mesh is not closed."""
    if mesh.is_closed:
        return None
    return MeshWarning(
        part,
        f"{part}: its mesh is not closed, so distances to it are right, but something wholly inside it is not seen as "
        "interference; close its surface in the program that wrote it",
    )


# ---- STL ----


def _stl(raw: bytes) -> tuple[Array, Ints]:
    """Corners and triangles of an STL file, which is binary if its size fits, else text."""
    said = int.from_bytes(raw[80:STL_HEAD], "little") if len(raw) >= STL_HEAD else 0
    if len(raw) >= STL_HEAD and len(raw) == STL_HEAD + STL_TRIANGLE.itemsize * said:
        corners = np.frombuffer(raw, STL_TRIANGLE, said, STL_HEAD)["corners"].reshape(-1, 3)
    elif raw[:512].lstrip()[:5].lower() == b"solid" and b"\0" not in raw[:STL_HEAD]:
        corners = _stl_text(raw)
    else:
        there = (len(raw) - STL_HEAD) / STL_TRIANGLE.itemsize
        if there < 0:
            raise ValueError(f"it has {len(raw)} bytes, and a file without any triangle has {STL_HEAD}")
        raise ValueError(f"it says that it has {said} triangles, and its size is that of {there:g}")
    return _with_area(corners)


def _stl_text(raw: bytes) -> Singles:
    """(corners, 3) of a text file, limited in number."""
    facets = raw.lower().count(b"endfacet")
    if facets > MOST_TRIANGLES:
        raise ValueError(f"it has {facets} triangles, {MOST_TRIANGLES} is the most; make its mesh coarser")
    found = VERTEX.findall(raw)
    if len(found) != 3 * facets:
        raise ValueError(
            f"it has {facets} triangles and {len(found)} corners with three numbers; three each are wanted"
        )
    try:
        return np.array(found, dtype="S40").astype(np.float32).reshape(-1, 3)
    except ValueError as e:
        raise ValueError(f"a corner is no number: {_first_line(e)}") from None


def _with_area(corners: Singles) -> tuple[Array, Ints]:
    """Corners without triangles that have two equal corners: millions of them would cost half a minute later."""
    each = corners.reshape(-1, 3, 3)
    if not len(each):
        raise ValueError("it has no triangles; a surface of at least four is wanted")
    a, b, c = each[:, 0], each[:, 1], each[:, 2]
    has_area = (a != b).any(axis=1) & (b != c).any(axis=1) & (c != a).any(axis=1)
    kept = np.ascontiguousarray(each[has_area]).reshape(-1, 3)
    if not len(kept):
        raise ValueError(f"all of its {len(each)} triangles are without area; a surface is wanted")
    return kept.astype(np.float64), np.arange(len(kept), dtype=np.int64).reshape(-1, 3)


# ---- GLB ----


def _glb(raw: bytes) -> tuple[Array, Ints]:
    """Corners and triangles of all instances. Only shapes are read: no images, no other files."""
    if len(raw) < GLB_HEAD.size + GLB_CHUNK.size:
        raise ValueError(f"it has {len(raw)} bytes, which is no GLB file")
    magic, version, length = GLB_HEAD.unpack_from(raw)
    size, kind = GLB_CHUNK.unpack_from(raw, GLB_HEAD.size)
    begin = GLB_HEAD.size + GLB_CHUNK.size
    if magic != b"glTF" or version != 2 or kind != b"JSON":
        raise ValueError("it does not begin as a GLB file of version 2")
    if length != len(raw) or begin + size > len(raw):
        raise ValueError(f"it says that it has {length} bytes, and it has {len(raw)}")
    try:
        tree = json.loads(raw[begin : begin + size])
    except (ValueError, RecursionError):
        raise ValueError("what it says of itself is no JSON") from None
    if not isinstance(tree, dict):
        raise ValueError("what it says of itself is no JSON object")
    rest = raw[begin + size :]
    _check_glb(tree, max(0, len(rest) - GLB_CHUNK.size))
    for name in NOT_SHAPES:
        tree.pop(name, None)
    for mesh in tree.get("meshes", ()):
        mesh["primitives"] = [_shape(part) for part in mesh["primitives"]]
    said = json.dumps(tree).encode()
    said += b" " * (-len(said) % 4)
    head = GLB_HEAD.pack(magic, version, begin + len(said) + len(rest)) + GLB_CHUNK.pack(len(said), kind)
    scene: Any = trimesh.load_scene(io.BytesIO(head + said + rest), file_type="glb", process=False)
    found = scene.to_mesh()
    return np.asarray(found.vertices, np.float64), np.asarray(found.faces, np.int64)


def _shape(part: dict[str, Any]) -> dict[str, Any]:
    """A part of a mesh without colours and the like, which would be copied for every part that uses them."""
    kept = {name: value for name, value in part.items() if name in ("indices", "mode")}
    return {"attributes": {"POSITION": part["attributes"]["POSITION"]}, **kept}


def _check_glb(tree: dict[str, Any], numbers: int) -> None:
    """Check that its contents are within limits and form a tree: a few bytes can instance a mesh a billion times.

    Args:
        numbers: size of its binary chunk [bytes]
    """
    if needed := tree.get("extensionsRequired"):
        raise ValueError(f"it needs {', '.join(map(str, needed))}, which is not read; export it without")
    lists = {name: tree.get(name, []) for name in ("accessors", "bufferViews", "buffers", "meshes", "nodes")}
    for name, found in lists.items():
        if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
            raise ValueError(f"its {name} are no list of objects")
    lists["parts of meshes"] = [part for mesh in lists["meshes"] for part in mesh["primitives"]]
    for name, found in lists.items():
        if len(found) > MOST_PARTS:
            raise ValueError(f"it has {len(found)} {name}, {MOST_PARTS} is the most")
    if any("uri" in buffer for buffer in lists["buffers"]):
        raise ValueError("its numbers are in another file; export it as one file")
    views = [_view_bytes(view, numbers) for view in lists["bufferViews"]]
    counts = [_count(accessor) for accessor in lists["accessors"]]
    taken = [
        _accessor_bytes(accessor, count, views) for accessor, count in zip(lists["accessors"], counts, strict=True)
    ]
    if max(sum(views), sum(taken)) > LARGEST_FILE:
        raise ValueError(
            f"its lists share their bytes: {max(sum(views), sum(taken))} in all, {LARGEST_FILE} is the most"
        )
    children = [child for node in lists["nodes"] for child in node.get("children", ())]
    if len(children) != len({str(child) for child in children}):
        raise ValueError("a node of it has two parents; nodes must be a tree")
    shown = [node["mesh"] for node in lists["nodes"] if "mesh" in node]
    for what, most, is_triangles in (("triangles", MOST_TRIANGLES, True), ("corners", MOST_CORNERS, False)):
        each = [_size(mesh, counts, is_triangles) for mesh in lists["meshes"]]
        total = max(sum(each), sum(each[mesh] for mesh in shown))  # a mesh without instances is read, too
        if total > most:
            raise ValueError(f"it has {total} {what}, {most} is the most; make its mesh coarser")


def _view_bytes(view: dict[str, Any], numbers: int) -> int:
    size = view.get("byteLength")
    if not isinstance(size, int) or not 0 <= size <= numbers:
        raise ValueError(f"one of its bufferViews says that it has {size!r:.40} bytes; there are {numbers}")
    return size


def _count(accessor: dict[str, Any]) -> int:
    count = accessor.get("count")
    if not isinstance(count, int) or not 0 <= count <= MOST_CORNERS or "sparse" in accessor:
        raise ValueError(f"one of its lists says that it has {count!r:.40} entries; 0 to {MOST_CORNERS} are taken")
    return count


def _accessor_bytes(accessor: dict[str, Any], count: int, views: list[int]) -> int:
    """Bytes that a list uses of its bufferView. A list without one would be zeros that are not in the file."""
    view = accessor.get("bufferView")
    if not isinstance(view, int) or not 0 <= view < len(views):
        raise ValueError(f"one of its lists, of {count} entries, has no numbers in the file")
    taken = count * GLB_NUMBER[accessor["componentType"]] * GLB_ENTRY[accessor["type"]]
    if taken > views[view]:
        raise ValueError(f"one of its lists has {count} entries, {taken} bytes, and its bufferView has {views[view]}")
    return taken


def _size(mesh: dict[str, Any], counts: list[int], triangles: bool) -> int:
    """Number of triangles or corners of a mesh; there may be more corners than the triangles use."""
    corners: list[int] = [part["attributes"]["POSITION"] for part in mesh["primitives"]]
    if not triangles:
        return sum(counts[k] for k in corners)
    used: list[int] = [part.get("indices", k) for part, k in zip(mesh["primitives"], corners, strict=True)]
    return sum(counts[k] for k in used) // 3


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0][:200] if str(error).strip() else type(error).__name__
