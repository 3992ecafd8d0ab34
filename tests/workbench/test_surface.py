"""Surfaces all round: the grid, ends against closed forms and their causes, files."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import trimesh

from motionbase.errors import UsageError
from motionbase.platform.envelope import axis_limits
from motionbase.platform.gimbals import Gimbals
from motionbase.platform.load import load_platform
from motionbase.platform.parts import Stroke
from motionbase.workbench.posture import at_dof
from motionbase.workbench.surface import ENDS, SphereGrid, surface_at_attitude, surface_at_place, write_surface
from motionbase.workbench.workspace import Workspace

SIMONA = load_platform("simona")
SPACE = Workspace(SIMONA)
UP, DOWN = -1, -2  # places of the poles among the rays


def test_the_grid_measures_a_sphere_and_closes_it() -> None:
    grid = SphereGrid(8)
    assert grid.weights.sum() == pytest.approx(4 * np.pi, rel=1e-12)
    x, y, z = grid.directions.T
    assert grid.weights @ (x**4 * z**2) == pytest.approx(4 * np.pi / 35, rel=1e-12)  # a polynomial: exact
    mesh = grid.mesh(np.zeros(3), np.ones(len(x)))
    assert mesh.is_closed and mesh.contains([0, 0, 0]) and mesh.winding([0, 0, 0])[0] == pytest.approx(1.0)
    beside = grid.neighbours()
    assert np.all(np.sum(grid.directions[beside] * grid.directions[:, None], axis=2)[:-2] > 0.8)


def test_poles_end_where_the_closed_form_says_and_name_the_leg() -> None:
    """Heave and yaw of SIMONA; yaw to 41.6 degrees, as computed independently from its geometry."""
    limits = axis_limits(SIMONA)
    reach, turns = surface_at_attitude(SPACE, rows=4), surface_at_place(SPACE, rows=4)
    np.testing.assert_allclose(reach.reach[[DOWN, UP]], np.abs(limits[2]), atol=1e-9)
    np.testing.assert_allclose(turns.reach[[DOWN, UP]], np.abs(limits[5]), atol=1e-9)
    assert np.degrees(turns.reach[UP]) == pytest.approx(41.6, abs=0.05)
    assert [ENDS[k] for k in reach.ends[[DOWN, UP]]] == ["leg in", "leg out"]
    found = at_dof(SIMONA, [0, 0, limits[2, 1], 0, 0, 0])
    assert found.l.max() == pytest.approx(SIMONA.stroke.l_max) and 1 <= reach.leg[UP] <= 6


def test_narrow_bearings_and_thick_legs_are_named() -> None:
    narrow = surface_at_attitude(Workspace(SIMONA, Gimbals((0.15, 0.15), (0.15, 0.15))), rows=4)
    assert narrow.shares["bearings"] > 0.5
    long = replace(SIMONA, stroke=Stroke(1.5, 4.2, 1.4, 4.3, 0.05), l_down=1.45)
    thick = surface_at_place(Workspace(long, Gimbals(), thickness=0.19), rows=4)  # neighbours' joints are 0.2 m apart
    assert thick.shares["legs"] > 0.1 and sum(thick.shares.values()) == pytest.approx(1.0)
    assert ENDS[thick.ends[UP]] == "legs"  # legs cross as it yaws


def test_surface_files(tmp_path: Path) -> None:
    surface = surface_at_attitude(SPACE, rows=24)
    for name in ("a.glb", "a.stl"):
        write_surface(surface, tmp_path / name)
        mesh = trimesh.load_mesh(tmp_path / name)
        assert mesh.is_watertight
        assert abs(mesh.volume) == pytest.approx(surface.volume, rel=0.05)  # flat between rays, edges cut off
    with pytest.raises(UsageError, match="must end in .glb or .stl"):
        write_surface(surface, tmp_path / "a.obj")
