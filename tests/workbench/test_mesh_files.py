"""Hostile or careless mesh files: one sentence about the file, within limits of memory and time."""

from __future__ import annotations

import json
import random
import struct
from pathlib import Path

import numpy as np
import pytest
import trimesh

from motionbase.errors import PlatformError
from motionbase.workbench import mesh_files
from motionbase.workbench.mesh import Mesh, checked_mesh
from motionbase.workbench.mesh_files import STL_TRIANGLE, read_mesh


def binary_stl(corners: np.ndarray, said: int | None = None) -> bytes:
    """(n, 3, 3) corners; `said` is the number of triangles that its head tells."""
    rows = np.zeros(len(corners), STL_TRIANGLE)
    rows["corners"] = corners
    return b"\0" * 80 + struct.pack("<I", len(corners) if said is None else said) + rows.tobytes()


def box() -> trimesh.Trimesh:
    made = trimesh.creation.box((1.0, 2.0, 3.0))
    assert isinstance(made, trimesh.Trimesh)
    return made


def exported(kind: str) -> bytes:
    raw = box().export(file_type=kind)
    assert isinstance(raw, bytes | str)
    return raw if isinstance(raw, bytes) else raw.encode()


def refused(path: Path, raw: bytes) -> str:
    path.write_bytes(raw)
    with pytest.raises(PlatformError) as error:
        read_mesh(path)
    said = str(error.value)
    assert "\n" not in said and path.name in said and "No module named" not in said
    return said


@pytest.mark.parametrize("kind", ["stl", "stl_ascii", "glb"])
def test_what_other_programs_write_is_read(tmp_path: Path, kind: str) -> None:
    path, wanted = tmp_path / f"box.{kind[:3]}", box()
    path.write_bytes(exported(kind))
    found = read_mesh(path, scale=2.0)
    assert len(found.vertices) == 8 and len(found.triangles) == 12 and found.is_closed
    np.testing.assert_allclose(found.box, 2.0 * wanted.bounds, rtol=1e-6)  # float32 in the file
    if kind == "stl":  # a binary one may begin with "solid", too
        path.write_bytes(b"solid box" + path.read_bytes()[9:])
        assert len(read_mesh(path).triangles) == 12


def test_a_binary_stl_is_as_long_as_it_says(tmp_path: Path) -> None:
    corners, path = box().triangles, tmp_path / "a.stl"
    assert "says that it has 2000000000 triangles, and its size is that of 12" in refused(
        path, binary_stl(corners, said=2_000_000_000)
    )
    assert "says that it has 12 triangles, and its size is that of 11.8" in refused(path, binary_stl(corners)[:-10])
    assert "it has 20 bytes" in refused(path, b"\x80" * 20)
    assert refused(path, b"\xff\xfe damaged text of no known letters \x80\x81" * 100)
    assert "it has no triangles" in refused(path, binary_stl(np.empty((0, 3, 3))))


def test_text_is_counted_before_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, text = tmp_path / "a.stl", exported("stl_ascii")
    assert "it has 12 triangles and 35 corners" in refused(path, text.replace(b"vertex", b"vortex", 1))
    wrong = text.replace(b"vertex 0", b"vertex x0", 1).replace(b"vertex -0", b"vertex -x0", 1)
    assert "a corner is no number" in refused(path, wrong)
    monkeypatch.setattr(mesh_files, "MOST_TRIANGLES", 11)
    assert "it has 12 triangles, 11 is the most" in refused(path, text)


def test_files_and_triangles_have_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.stl"
    monkeypatch.setattr(mesh_files, "LARGEST_FILE", 600)
    raw = binary_stl(box().triangles)
    assert f"it has {len(raw)} bytes, 600 is the most; make its mesh coarser" in refused(path, raw)


def test_millions_of_triangles_without_area_go_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They reach nothing that sorts corners."""
    seen: list[int] = []

    def checked(owner: str, corners: np.ndarray, triangles: np.ndarray) -> Mesh:
        seen.append(len(corners))
        return checked_mesh(owner, corners, triangles)

    monkeypatch.setattr(mesh_files, "checked_mesh", checked)
    flat = np.random.default_rng(1).random((200_000, 3, 3), np.float32)
    flat[:, 1] = flat[:, 0]
    said = refused(tmp_path / "flat.stl", binary_stl(flat))
    assert "all of its 200000 triangles are without area" in said and seen == []
    (tmp_path / "some.stl").write_bytes(binary_stl(np.concatenate([flat, box().triangles])))
    assert len(read_mesh(tmp_path / "some.stl").triangles) == 12 and seen == [36]


def test_corners_become_one_as_numpy_would_have_it() -> None:
    dice = np.random.default_rng(3)
    corners = dice.integers(-2, 3, (500, 3)).astype(float) * 0.1
    corners[dice.random((500, 3)) < 0.1] = -0.0
    faces = dice.integers(0, 500, (400, 3))
    found = checked_mesh("x", corners, faces)
    wanted, places = np.unique(corners, axis=0, return_inverse=True)
    assert (found.vertices == wanted).all()
    kept = places.reshape(-1)[faces]
    assert (found.triangles == kept[[len(set(one)) == 3 for one in kept.tolist()]]).all()


def glb(**changes: object) -> bytes:
    """A box, with changes to what it says of itself."""
    raw = exported("glb")
    size = struct.unpack_from("<I", raw, 12)[0]
    tree = {**json.loads(raw[20 : 20 + size]), **changes}
    said = json.dumps(tree).encode()
    said += b" " * (-len(said) % 4)
    rest = raw[20 + size :]
    return struct.pack("<4sIII4s", b"glTF", 2, 20 + len(said) + len(rest), len(said), b"JSON") + said + rest


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"extensionsRequired": ["KHR_draco_mesh_compression"]}, "needs KHR_draco_mesh_compression, which is not read"),
        ({"buffers": [{"uri": "/etc/passwd", "byteLength": 10}]}, "in another file"),
        ({"accessors": [{"count": 2**40, "type": "VEC3", "componentType": 5126}]}, "1099511627776 entries"),
        ({"accessors": [{"count": 3_840_000, "type": "VEC3", "componentType": 5126}]}, "no numbers in the file"),
        ({"accessors": [{"bufferView": 0, "count": 37, "type": "SCALAR", "componentType": 5125}]}, "37 entries, 148"),
        ({"bufferViews": [{"buffer": 0, "byteLength": 10_000}]}, "10000 bytes; there are 240"),
        ({"bufferViews": [{"buffer": 0, "byteLength": -1}]}, "-1 bytes"),
        ({"nodes": [{"children": [1]}, {"mesh": 0}, {"children": [1]}]}, "two parents"),
        ({"nodes": [{"mesh": 0}] * 20_000}, "20000 nodes, 10000 is the most"),
        ({"nodes": [{"mesh": 7}]}, "cannot be read as glb"),
        ({"nodes": "all"}, "no list of objects"),
    ],
)  # fmt: skip
def test_what_a_glb_says_is_checked_before_it_is_believed(
    tmp_path: Path, changes: dict[str, object], said: str
) -> None:
    assert said in refused(tmp_path / "a.glb", glb(**changes))


def test_a_mesh_shown_too_often_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mesh_files, "MOST_TRIANGLES", 100)
    assert "it has 108 triangles, 100 is the most" in refused(tmp_path / "a.glb", glb(nodes=[{"mesh": 0}] * 9))


@pytest.mark.parametrize("shown", [1, 0])
def test_corners_that_no_triangle_uses_are_counted_for_every_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shown: int
) -> None:
    """Each part of a mesh gets a copy of the corners that it names, however few triangles it has."""
    monkeypatch.setattr(mesh_files, "MOST_CORNERS", 100)
    part = {"attributes": {"POSITION": 1}, "indices": 0}  # as they are in a box: 36 indices, 8 corners
    changes = {"meshes": [{"primitives": [part] * 13}], "nodes": [{"mesh": 0}] * shown}
    assert "it has 104 corners, 100 is the most" in refused(tmp_path / "a.glb", glb(**changes))
    monkeypatch.setattr(mesh_files, "MOST_PARTS", 12)
    assert "it has 13 parts of meshes, 12 is the most" in refused(tmp_path / "a.glb", glb(**changes))


def test_bytes_that_many_lists_share_are_counted_for_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reader copies them for each."""
    monkeypatch.setattr(mesh_files, "LARGEST_FILE", 20_000)
    views = [{"buffer": 0, "byteLength": 240}] * 100
    assert "24000 in all, 20000 is the most" in refused(tmp_path / "a.glb", glb(bufferViews=views))


def test_pictures_in_a_glb_are_not_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "a.glb"
    path.write_bytes(glb(images=[{"uri": "file:///etc/passwd"}], materials=[{"name": "m"}], textures=[{"source": 0}]))
    assert len(read_mesh(path).triangles) == 12


@pytest.mark.parametrize("kind", ["stl", "glb"])
def test_changed_bytes_are_read_or_one_sentence(tmp_path: Path, kind: str) -> None:
    raw, dice, path = exported(kind), random.Random(5), tmp_path / f"a.{kind}"
    for _ in range(150):
        spoilt = bytearray(raw)
        for _ in range(dice.randint(1, 8)):
            spoilt[dice.randrange(len(spoilt))] = dice.randrange(256)
        path.write_bytes(spoilt[: dice.choice([len(spoilt), dice.randrange(len(spoilt))])])
        try:
            read_mesh(path)
        except PlatformError as error:
            assert "\n" not in str(error) and "No module named" not in str(error)
