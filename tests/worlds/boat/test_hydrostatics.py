"""Hydrostatics by panels against closed forms of boxes, against clipping by trimesh, and capsizing."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
import trimesh

from motionbase.errors import ModelError
from motionbase.worlds.boat.hydrostatics import Hydrostatics
from motionbase.worlds.boat.lines import Lines, hull_mesh
from motionbase.worlds.boat.mesh import Mesh, mesh_from_file

L, B, D, T, KG = 10.0, 4.0, 2.0, 1.0, 1.2
BM = B**2 / (12 * T)
GM = T / 2 + BM - KG
V_HULL = Lines("v", 7.5, 2.5, 1.2, 0.45, cabin=(0.35, 0.62, 1.6, 0.9))
SHIP = Lines("ship", 175.0, 25.4, 15.0, 9.5, waterplane=0.711, block=0.57, transom=0.3)


@cache
def box(kg: float = KG) -> Hydrostatics:
    return Hydrostatics(hull_mesh(Lines("box", L, B, D, T)), (0.0, 0.0, kg), L * B * T)


@pytest.mark.parametrize("lines", [V_HULL, SHIP, Lines("ship", 2, 0.25, 0.3, 0.1, spacing=0.79)], ids=lambda x: x.form)
def test_hulls_are_closed_and_turned_outward(lines: Lines) -> None:
    mesh = hull_mesh(lines)
    whole = trimesh.Trimesh(mesh.vertices, mesh.faces, process=False)
    assert whole.is_watertight and whole.is_winding_consistent
    assert mesh.gap < 1e-12
    assert mesh.volume == pytest.approx(whole.volume) and mesh.volume > 0


def test_box_floats_by_archimedes() -> None:
    """Rounding, and central differences whose step leaves 1e-8 of an angle's third power."""
    assert box().draft == pytest.approx(T, abs=1e-12)
    assert box().waterplane == pytest.approx(L * B, rel=1e-8)
    assert box().metacentric_heights == pytest.approx((GM, T / 2 + L**2 / (12 * T) - KG), rel=1e-6)


def test_a_hull_trims_about_its_centre_of_flotation() -> None:
    """A box of 10 m on a half box below its stern, draft 2 m: GM_L = KB + B L^3 / 12 / V - KG at constant displacement.

    The centre of flotation is amidships, 0.83 m ahead of the centre of gravity: about that one it would be 8 % more.
    """
    low, high = (hull_mesh(Lines("box", length, B, D, T)) for length in (5.0, 10.0))
    keel = Mesh(low.vertices * [1, 1, 0.5] - [2.5, 0, 0], low.faces)
    volume, kb = 5 * B * 1 + 10 * B * 1, (5 * 0.5 + 10 * 1.5) / 15
    hull = Hydrostatics(Mesh.joined([keel, high.moved(np.array([0.0, 0.0, 1.0]))]), (-5 * 2.5 / 15, 0.0, KG), volume)
    assert hull.draft == pytest.approx(2.0) and hull.upright.trim == pytest.approx(0.0, abs=1e-9)
    assert hull.metacentric_heights[0] == pytest.approx(kb + 10 * B**3 / 12 / volume - KG, rel=1e-6)
    assert hull.metacentric_heights[1] == pytest.approx(kb + B * 10**3 / 12 / volume - KG, rel=1e-6)


def test_box_lever_is_wall_sided() -> None:
    """GZ = sin(phi) (GM + BM tan(phi)^2 / 2), exact until the deck or the bilge crosses the water at 26.6 degrees."""
    phi = np.deg2rad([0.0, 3.0, 10.0, 20.0, 26.5, -15.0])
    np.testing.assert_allclose(box().levers(phi), np.sin(phi) * (GM + 0.5 * BM * np.tan(phi) ** 2), atol=1e-9)


def test_box_on_its_side_and_upside_down() -> None:
    """At 90 degrees a box of half its volume floats at mid-breadth: the lever is the height of the centre."""
    on_side, over = box().levers(np.deg2rad([90.0, 180.0]))
    assert on_side == pytest.approx(-(KG - D / 2), abs=1e-9)
    assert over == pytest.approx(0.0, abs=1e-9)


def test_loaded_box_trims_by_its_longitudinal_metacentre() -> None:
    """A centre of gravity 1 cm ahead trims by atan(0.01 / GM_L) to first order; the next is below 1e-4 of it."""
    moved = Hydrostatics(box().mesh, (0.01, 0.0, KG), L * B * T)
    gm = T / 2 + L**2 / (12 * T) - KG
    assert moved.upright.trim == pytest.approx(0.01 / gm, rel=1e-4)


@pytest.mark.parametrize("heel", [0.0, 0.4, 1.3, 2.5])
def test_volume_of_a_hull_is_that_of_a_clipped_mesh(heel: float) -> None:
    """The clipped surface, closed by the plane z = 0: its volume is a third of the sum of corner times area vector."""
    hull = Hydrostatics(hull_mesh(V_HULL), (-0.4, 0.0, 0.75), 2.2)
    height, trim = 0.2, 0.1
    c, s, ct, st = np.cos(heel), np.sin(heel), np.cos(trim), np.sin(trim)
    R = np.array([[ct, st * s, st * c], [0, c, -s], [-st, ct * s, ct * c]])
    points = hull.about_centre.vertices @ R.T + np.array([0, 0, height])
    vertices, faces, _ = trimesh.intersections.slice_faces_plane(  # type: ignore[no-untyped-call]
        points, hull.mesh.faces, [0, 0, -1.0], [0, 0, 0.0]
    )
    below = trimesh.Trimesh(vertices, faces, process=False)
    volume = np.sum(below.triangles[:, 0] * np.cross(
        below.triangles[:, 1] - below.triangles[:, 0], below.triangles[:, 2] - below.triangles[:, 0])) / 6  # fmt: skip
    found = hull.sums(height, heel, trim)[0]
    assert found[0] == pytest.approx(volume, rel=1e-9)
    assert found[3] == pytest.approx(below.area, rel=1e-9)


def test_force_is_continuous_where_triangles_get_wet() -> None:
    """Steps of 1 um in height change the volume by the waterplane times the step, never by a jump of a panel."""
    hull = Hydrostatics(hull_mesh(V_HULL), (-0.4, 0.0, 0.75), 2.2)
    z = np.linspace(0.1, 0.9, 400)
    both = hull.sums(np.stack([z, z + 1e-6], -1).ravel(), 0.2, 0.0)[:, 0].reshape(-1, 2)
    assert np.all(np.abs(np.diff(both, axis=1)) < 1e-6 * 7.5 * 2.5 * 1.3)


def test_a_cabin_brings_a_boat_back() -> None:
    high, low = (Hydrostatics(hull_mesh(V_HULL), (-0.6, 0.0, kg), 2.2) for kg in (0.85, 0.4))
    assert 60 < np.degrees(high.vanishing_angle()) < 140
    assert high.vanishing_angle() < low.vanishing_angle()
    around = high.vanishing_angle()
    before, after = high.levers([around - 0.05, around + 0.05])
    assert before > 0 > after


def test_ship_has_the_coefficients_it_was_asked_for() -> None:
    """Ends have a least breadth of 1 %, so that no triangle vanishes; this adds up to 0.5 %."""
    hull = Hydrostatics(hull_mesh(SHIP), (0.0, 0.0, 9.5), 175 * 25.4 * 9.5 * 0.57)
    assert hull.sums(0.0, 0.0, 0.0)[0, 0] == pytest.approx(hull.volume, rel=5e-3)
    step = np.diff(hull.sums([1e-4, -1e-4], 0.0, 0.0)[:, 0])[0] / 2e-4
    assert step == pytest.approx(0.711 * 175 * 25.4, rel=5e-3)


def test_mesh_files_float_too(tmp_path: Path) -> None:
    path = tmp_path / "barge.stl"
    up = np.eye(4)
    up[2, 3] = D / 2
    trimesh.creation.box((L, B, D), up).export(path)
    hull = Hydrostatics(mesh_from_file(path), (0.0, 0.0, KG), L * B * T)
    assert hull.draft == pytest.approx(T)
    open_box = Mesh(hull.mesh.vertices, hull.mesh.faces[2:])
    trimesh.Trimesh(open_box.vertices, open_box.faces).export(path)
    with pytest.raises(ModelError, match="not closed"):
        mesh_from_file(path)
    path.write_text("no mesh")
    with pytest.raises(ModelError, match="barge"):
        mesh_from_file(path)


def test_what_cannot_float_is_refused() -> None:
    with pytest.raises(ModelError, match="cannot float"):
        Hydrostatics(box().mesh, (0.0, 0.0, KG), 81.0)
    with pytest.raises(ModelError, match="draft"):
        Lines("box", 1, 1, 1, 2)
    with pytest.raises(ModelError, match="block"):
        hull_mesh(Lines("ship", 10, 2, 1, 0.5, block=0.95, waterplane=0.75))
    with pytest.raises(ModelError, match="deadrise"):
        Lines("v", 10, 2, 1, 0.5, deadrise=90)
