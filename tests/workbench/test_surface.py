"""Surfaces, the union over attitudes, maps, increments and searches, against closed forms and other ways."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import trimesh

from motionbase.errors import PlatformError, UsageError
from motionbase.platform.envelope import axis_limits
from motionbase.platform.gimbals import Gimbals
from motionbase.platform.load import load_platform
from motionbase.platform.parts import Stroke
from motionbase.platform.sizing.forces import holding_forces
from motionbase.workbench.any_attitude import reachable_surface
from motionbase.workbench.clearance import Clearance
from motionbase.workbench.geometry import geometry_of
from motionbase.workbench.increments import compare, turn_in_steps
from motionbase.workbench.live import Follower
from motionbase.workbench.maps import plane_map, plane_of
from motionbase.workbench.mesh import box
from motionbase.workbench.parts import Part
from motionbase.workbench.posture import at_dof
from motionbase.workbench.singular import worst_pose
from motionbase.workbench.surface import ENDS, SphereGrid, surface_at_attitude, surface_at_place, write_surface
from motionbase.workbench.workspace import LIMITS, Workspace

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


def test_clearance_ends_rays_at_the_distance_to_stop() -> None:
    """A shelf over the middle: straight up, the deck stops 30 mm under it; the closed form is the gap at neutral."""
    geometry = geometry_of(SIMONA)
    deck = SIMONA.p_neutral[2] + geometry.part("platform frame").mesh.box[1][2]
    shelf = Part("shelf", "shelf", "W", box([0.5, 0.5, 0.1], [0, 0, deck + 0.25]))
    space = Workspace(SIMONA, clearance=Clearance(geometry_of(SIMONA, added=[shelf])), stop=0.03)
    found = space.straight([[0, 0, 1], [0, 0, -1]])
    assert found.distance[0] == pytest.approx(0.2 - 0.03, abs=2e-5)  # halved to 2e-4 of a station
    assert LIMITS[found.limit[0]] == "clearance" and LIMITS[found.limit[1]] == "stroke"
    with pytest.raises(PlatformError, match=r"parts are nearer than 0.3 m at the place"):
        replace(space, stop=0.3).straight([[0, 0, 1]])


def test_any_attitude_holds_every_attitude() -> None:
    """Every end is reachable, nothing is beyond the longest leg, and no single attitude gets further."""
    found, level = reachable_surface(SPACE, rows=6), surface_at_attitude(SPACE, rows=6)
    p = found.centre + found.reach[:, None] * found.grid.directions
    assert SPACE.margins(p, found.Q_WP).reachable.all()
    assert np.all(np.linalg.norm(p, axis=1) <= SIMONA.stroke.l_max)  # p is the mean of the legs' vectors
    step = SIMONA.stroke.l_max / 60 / 2**10  # what the last halving leaves
    assert np.all(found.reach >= level.reach - step) and found.volume > 1.5 * level.volume
    for Q in ([np.cos(0.1), np.sin(0.1), 0, 0], [np.cos(0.2), 0, 0, np.sin(0.2)]):
        assert np.all(found.reach >= surface_at_attitude(SPACE, Q, rows=6).reach - 5e-3)  # a local search
    assert "interpolated" in found.notes[0]


def test_surface_files(tmp_path: Path) -> None:
    surface = surface_at_attitude(SPACE, rows=24)
    for name in ("a.glb", "a.stl"):
        write_surface(surface, tmp_path / name)
        mesh = trimesh.load_mesh(tmp_path / name)
        assert mesh.is_watertight
        assert abs(mesh.volume) == pytest.approx(surface.volume, rel=0.05)  # flat between rays, edges cut off
    with pytest.raises(UsageError, match="must end in .glb or .stl"):
        write_surface(surface, tmp_path / "a.obj")


def test_maps_hold_what_the_poses_have() -> None:
    found = plane_map(SPACE, "leg-force", plane_of("surge-heave"), points=11)
    row, column = np.argwhere(np.isfinite(found.values))[3]
    dof = np.zeros(6)
    dof[0], dof[2] = found.x[column], found.y[row]
    at = at_dof(SIMONA, dof)
    wanted = np.abs(holding_forces(SIMONA, at.p_W, at.Q_WP)).max()
    assert found.values[row, column] == pytest.approx(wanted, rel=1e-12)
    l, height, cylinder, rod = SIMONA.l_neutral[0], SIMONA.p_neutral[2], SIMONA.cylinder, SIMONA.rod
    leg = rod.mass + (cylinder.mass * cylinder.com - rod.mass * rod.com) * (1 - (height / l) ** 2) / l  # by moments
    weight = 9.80665 * (SIMONA.payload.mass / 6 + leg)
    assert found.at_neutral == pytest.approx(weight * l / height, rel=1e-9)  # six alike legs share it at neutral
    dexterity = plane_map(SPACE, "dexterity", plane_of("roll-pitch"), points=5)
    condition = plane_map(SPACE, "conditioning", plane_of("roll-pitch"), points=5)
    inside = np.isfinite(dexterity.values)
    assert np.all(condition.values[inside] >= 1 / dexterity.values[inside])  # spectral over Frobenius
    np.testing.assert_array_equal(inside, dexterity.room >= 0)
    with pytest.raises(PlatformError, match="no pose of the plane is within reach"):
        plane_map(SPACE, "dexterity", plane_of("surge-sway"), points=5, at=[0, 0, 3.0, 0, 0, 0]).summary()
    for wrong in ("surge", "surge-surge", "surge-up", "surge-heave-yaw", ""):
        with pytest.raises(PlatformError, match="two of surge, sway"):
            plane_of(wrong)


def test_increments_end_where_the_document_says() -> None:
    """20 degrees of roll, then 30 of yaw, in steps of 1: 10.3 degrees wrong, 0.38 % too long (theta^2 / 4 a step)."""
    odu = load_platform("odu")
    steps = turn_in_steps(np.radians([20, 0, 30]), np.radians(1))
    assert steps.shape == (50, 3)
    found = compare(odu, np.zeros_like(steps), steps)
    errors = {one.form: one.summary() for one in found.forms}
    assert np.degrees(errors["paper"]["attitude_rad"]) == pytest.approx(10.3, abs=0.05)
    assert errors["paper"]["stretch"] == pytest.approx((1 + np.radians(1) ** 2 / 4) ** 50 - 1, rel=1e-9)
    assert errors["exact"]["attitude_rad"] == 0 and errors["scaled, in front"]["legs_at_pose_m"] < 1e-5
    with pytest.raises(PlatformError, match="at least one angle other than 0"):
        turn_in_steps([0, 0, 0], 0.1)
    with pytest.raises(PlatformError, match="at most 1000000 are wanted"):
        turn_in_steps([1, 0, 0], 1e-9)


def test_the_search_says_how_it_was_made_and_heeds_the_bearings() -> None:
    free = worst_pose(SIMONA, samples=200)
    assert "a search, not a proof" in free.sentence and free.crossed == 0 and free.barred == 0
    tight = worst_pose(SIMONA, samples=200, gimbals=Gimbals((0.5, 0.5), (0.5, 0.5)))
    assert tight.barred > 0 and tight.dexterity > free.dexterity
    at = at_dof(SIMONA, tight.dof)
    assert np.abs(at.base).max() <= 0.5 and np.abs(at.platform).max() <= 0.5


def test_a_follower_goes_on_after_nonsense() -> None:
    follower = Follower(SIMONA, None)
    assert "not a number" in follower.at_legs(0.0, np.full(6, np.nan)).trouble
    assert "no pose has these leg lengths" in follower.at_legs(0.1, np.array([9.0, 2, 2, 2, 2, 2])).trouble
    seen = follower.at_legs(0.2, SIMONA.l_neutral + 0.1)
    assert seen.posture is not None and seen.posture.dof[0, 2] == pytest.approx(0.11, abs=0.02)
