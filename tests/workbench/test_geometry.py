"""Parts and frames of every preset: closed meshes, frames against the bearing angles, files in place of parts."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

from motionbase.errors import PlatformError
from motionbase.platform.gimbals import neutral_frames
from motionbase.platform.load import PRESETS, load_platform
from motionbase.platform.mesh import MeshFile
from motionbase.platform.shape import shape_of
from motionbase.workbench.clearance import Clearance
from motionbase.workbench.geometry import (
    DIMENSIONS,
    FRAMES,
    NEIGHBOURS,
    ONE_BODY,
    SHARES,
    SLIDES,
    file_part,
    geometry_of,
    placement,
)
from motionbase.workbench.mesh import Mesh, box, joined
from motionbase.workbench.mesh_files import read_mesh
from motionbase.workbench.posture import at_dof

SIMONA = load_platform("simona")
RNG = np.random.default_rng(11)
IDENTITY = (1.0, 0.0, 0.0, 0.0)
Array = np.ndarray


def volume(mesh: Mesh) -> float:
    a, b, c = np.moveaxis(mesh.vertices[mesh.triangles], 1, 0)
    return float(np.sum(a * np.cross(b, c)) / 6)


@pytest.mark.parametrize("name", PRESETS)
def test_every_part_of_every_preset_is_closed(name: str) -> None:
    platform = load_platform(name)
    geometry = geometry_of(platform)
    assert not geometry.warnings
    for part in geometry.parts:
        assert part.mesh.is_closed and part.frame in FRAMES
        assert all(piece.is_convex and volume(piece) > 0 for piece in part.mesh.pieces), part.name
        assert trimesh.Trimesh(part.mesh.vertices, part.mesh.triangles, process=False).is_watertight
    names = [part.name for part in geometry.parts]
    assert len(set(names)) == len(names) and {"cylinder 3", "rod 6", "base cross 1", "platform frame"} <= set(names)
    assert ("manifold 1" in names) == ("pipes 1" in names) == (name in ("cmf", "odu", "simona"))
    assert ("motor 1" in names) != ("manifold 1" in names)
    assert ("catwalk" in names) == (name == "cmf")
    assert sum(len(part.mesh.triangles) for part in geometry.parts) < 10_000


@pytest.mark.parametrize("name", PRESETS)
def test_no_preset_interferes_at_neutral(name: str) -> None:
    platform = load_platform(name)
    nearest = Clearance(geometry_of(platform)).at(platform.p_neutral, IDENTITY, 1)[0]
    assert nearest.distance is not None and nearest.distance > 0.0254


def test_frames_are_those_of_the_bearing_angles() -> None:
    """Each is the neutral frame turned by the posture's angles: about x, then about y; the rod's by its rotation."""
    at = at_dof(SIMONA, RNG.uniform(-1, 1, (20, 6)) * [0.5, 0.5, 0.4, 0.3, 0.3, 0.4])
    where, neutral = placement(SIMONA, at.p_W, at.Q_WP), neutral_frames(SIMONA)
    for n in range(len(at)):
        R_WP = Rotation.from_quat(at.Q_WP[n], scalar_first=True).as_matrix()
        np.testing.assert_allclose(where.T("P")[n], _T(R_WP, at.p_W[n]), atol=1e-14)
        np.testing.assert_array_equal(where.T("W")[n], np.eye(4))
        for k in range(6):
            foot, head = np.array(SIMONA.base[k]), at.p_W[n] + R_WP @ SIMONA.joints[k]
            x, (a, b) = neutral[k], at.base[n, k]
            cylinder = x @ _turn("XY", [a, b])
            u = (head - foot) / np.linalg.norm(head - foot)
            np.testing.assert_allclose(cylinder[:, 2], u, atol=1e-12)
            expected = {
                "base cross": (x @ _turn("X", [a]), foot),
                "cylinder": (cylinder, foot),
                "rod": (cylinder @ _turn("Z", [at.rotation[n, k]]), head),
                "platform cross": (R_WP @ x @ _turn("X", [at.platform[n, k, 0]]), head),
            }
            for kind, (R, p) in expected.items():
                np.testing.assert_allclose(where.T(f"{kind} {k + 1}")[n], _T(R, p), atol=1e-12)  # rounding of angles
            np.testing.assert_allclose(expected["rod"][0], R_WP @ x @ _turn("XY", at.platform[n, k]), atol=1e-12)


def _turn(axes: str, angles: Array | list[float]) -> Array:
    return np.asarray(Rotation.from_euler(axes, angles).as_matrix())


def _T(R: Array, p: Array) -> Array:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R, p
    return T


def test_poses_that_are_none_are_said() -> None:
    with pytest.raises(PlatformError, match="unit quaternions are wanted"):
        placement(SIMONA, SIMONA.p_neutral, (1.0, 0.1, 0, 0))
    with pytest.raises(PlatformError, match=r"p_W is \[\[0.0, 0, nan\]\], rows of 3 finite numbers are wanted"):
        placement(SIMONA, [[0.0, 0, np.nan]], IDENTITY)
    foot = np.array(SIMONA.base[2]) - SIMONA.joints[2]
    with pytest.raises(PlatformError, match="pose 1 puts both joints of leg 3 in one place"):
        placement(SIMONA, foot, IDENTITY)


def test_pairs_of_a_joint_are_left_out_and_listed() -> None:
    geometry = geometry_of(SIMONA)
    reasons = {frozenset((one.first, one.second)): one.reason for one in geometry.left_out}
    assert reasons[frozenset(("cylinder 3", "rod 3"))] == reasons[frozenset(("pipes 3", "rod 3"))] == SLIDES
    assert (
        reasons[frozenset(("cylinder 3", "base fork 3"))] == reasons[frozenset(("rod 3", "platform fork 3"))] == SHARES
    )
    assert reasons[frozenset(("platform frame", "platform fork 1"))] == ONE_BODY
    looked_at = {frozenset((geometry.parts[i].name, geometry.parts[j].name)) for i, j in geometry.pairs}
    assert not looked_at & reasons.keys()
    n = len(geometry.parts)
    assert len(looked_at) + len(reasons) == n * (n - 1) // 2
    for pair in (("cylinder 3", "rod 4"), ("cylinder 3", "base frame"), ("rod 3", "platform frame"),
                 ("cylinder 3", "base fork 4"), ("manifold 3", "base fork 3"), ("rod 1", "rod 6")):  # fmt: skip
        assert frozenset(pair) in looked_at


def test_neighbours_in_one_fork_are_left_out() -> None:
    wide = replace(shape_of(SIMONA), platform_fork=0.07)  # cheeks and pins reach over the 0.2 m between two joints
    reasons = {(one.first, one.second): one.reason for one in geometry_of(SIMONA, wide).left_out}
    assert NEIGHBOURS in reasons.values()
    shared = {pair for pair, reason in reasons.items() if reason == NEIGHBOURS}
    assert ("platform cross 1", "platform fork 6") in shared and ("platform cross 1", "platform fork 2") not in shared


@pytest.mark.parametrize("ending", ["stl", "glb"])
def test_files_stand_in_for_parts(tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"tube.{ending}"
    tube = joined([box([60, 60, 1500], [0, 0, 750]), box([40, 10, 10], [50, 0, 400])])  # millimetres, a lug towards x
    trimesh.Trimesh(tube.vertices, tube.triangles, process=False).export(file)
    own = replace(SIMONA, meshes=(MeshFile(str(file), "cylinder", 0.001),))
    geometry = geometry_of(own)
    names = [part.name for part in geometry.parts]
    assert "cylinder 6" in names and not any(name.startswith(("manifold", "pipes")) for name in names)
    part = geometry.part("cylinder 2")
    assert volume(part.mesh) == pytest.approx((60 * 60 * 1500 + 4000) * 1e-9, rel=1e-6)  # single precision of the file
    where = geometry.placed(own.p_neutral, IDENTITY)
    out = part.mesh.vertices[np.argmax(np.linalg.norm(part.mesh.vertices[:, :2], axis=1))] * [1, 1, 0]
    foot = np.array(own.base[1]) * [1, 1, 0]
    assert (where.T("cylinder 2")[0, :3, :3] @ out) @ foot > 0.9 * 0.05 * np.linalg.norm(foot) * 0.5  # looks outwards
    base = geometry_of(replace(SIMONA, meshes=(MeshFile(str(file), "base", 0.001),)))
    assert "base" in [p.name for p in base.parts] and not any(p.kind in ("base frame", "base fork") for p in base.parts)


def test_added_parts_take_the_place_of_their_namesakes(tmp_path: Path) -> None:
    trimesh.creation.box((1, 1, 0.1)).export(tmp_path / "cab.stl")
    cab = file_part(tmp_path / "cab.stl", "cab", "P")
    plain = geometry_of(SIMONA)
    assert len(geometry_of(SIMONA, added=[cab]).parts) == len(plain.parts) + 1
    mine = replace(cab, name="platform frame", kind="platform frame")
    found = geometry_of(SIMONA, added=[mine])
    assert len(found.parts) == len(plain.parts) and found.part("platform frame").mesh is cab.mesh
    with pytest.raises(PlatformError, match="no frame 'roof'; frames: W, P, base cross 1"):
        geometry_of(SIMONA, added=[replace(cab, frame="roof")])
    with pytest.raises(PlatformError, match="has no part 'cabin'; parts: base frame"):
        found.part("cabin")


def test_files_that_cannot_be_used_are_said(tmp_path: Path) -> None:
    with pytest.raises(PlatformError, match=r"gone.stl': there is no such file"):
        read_mesh(tmp_path / "gone.stl")
    with pytest.raises(PlatformError, match=r"its name must end in .glb or .stl"):
        read_mesh(tmp_path / "tube.step")
    for name in ("a.glb", "a.stl"):
        (tmp_path / name).write_bytes(b"no mesh at all" * 20)
        with pytest.raises(PlatformError, match=f"{name}' (cannot be read as {name[-3:]}|has no triangles)"):
            read_mesh(tmp_path / name)
    (tmp_path / "none.stl").write_bytes(bytes(84))
    with pytest.raises(PlatformError, match=r"none.stl' (has no triangles|cannot be read as stl)"):
        read_mesh(tmp_path / "none.stl")
    corners = np.full((1, 50), 0, np.uint8)
    corners[0, 12:48] = np.array([0, 0, 0, 1, 0, 0, 0, np.nan, 0], np.float32).view(np.uint8)
    (tmp_path / "nan.stl").write_bytes(bytes(80) + np.uint32(1).tobytes() + corners.tobytes())
    with pytest.raises(PlatformError, match=r"nan.stl': 1 of its 3 corners are not finite numbers"):
        read_mesh(tmp_path / "nan.stl")


def test_a_mesh_that_is_not_closed_is_taken_with_a_warning(tmp_path: Path) -> None:
    whole = box([1, 1, 1])
    fin = Mesh(np.vstack([whole.vertices, [[2, 2, 2]]]), np.vstack([whole.triangles, [[0, 1, 8]]]))  # not manifold
    for mesh in (Mesh(whole.vertices, whole.triangles[1:]), fin):
        trimesh.Trimesh(mesh.vertices, mesh.triangles, process=False).export(tmp_path / "cab.stl")
        geometry = geometry_of(SIMONA, added=[file_part(tmp_path / "cab.stl", "cab", "P")])
        (warning,) = geometry.warnings
        assert warning.part == "cab" and "is not closed, so distances to it are right" in warning.sentence


def test_positions_and_attitudes_are_as_many() -> None:
    with pytest.raises(PlatformError, match="there are 2 positions and 1 attitudes"):
        placement(SIMONA, [SIMONA.p_neutral] * 2, (1.0, 0, 0, 0))


def test_given_dimensions_are_judged() -> None:
    simona = load_platform("simona")
    given = replace(simona.shape, rod_radius=0.02, rod_length=1.5, base_fork=0.05)
    geometry = geometry_of(replace(simona, shape=given))
    derived = {part.name for part in geometry.parts if geometry.is_derived(part.name)}
    assert {"rod 1", "base fork 3", "base cross 6"}.isdisjoint(derived)
    assert {"cylinder 1", "manifold 2", "base frame", "platform frame"} <= derived
    assert {part.kind for part in geometry.parts} <= set(DIMENSIONS)
