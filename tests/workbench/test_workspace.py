"""Margins and workspace against other ways to compute them, and against the closed form along the axes."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

from motionbase.compile import compile
from motionbase.errors import PlatformError
from motionbase.platform.envelope import axis_limits
from motionbase.platform.gimbals import Gimbals
from motionbase.platform.kinematics import Kinematics
from motionbase.platform.load import PRESETS, load_platform
from motionbase.workbench.clearance import Clearance
from motionbase.workbench.geometry import geometry_of
from motionbase.workbench.mesh import box
from motionbase.workbench.parts import Part
from motionbase.workbench.posture import at_dof
from motionbase.workbench.workspace import LIMITS, Workspace

SIMONA = load_platform("simona")
WIDE = Workspace(SIMONA)
RNG = np.random.default_rng(5)
Array = np.ndarray


def random_poses(n: int) -> tuple[Array, Array, Array]:
    dof = RNG.uniform(-1, 1, (n, 6)) * [0.8, 0.8, 0.6, 0.5, 0.5, 0.8]
    pose = compile(Kinematics(SIMONA).pose_of_dof).map(dof=dof)
    return dof, pose["p_W"], pose["Q_WP"]


def test_margins_are_those_of_the_postures() -> None:
    gimbals = Gimbals((0.6, 0.5), (0.7, 0.4))
    dof, p, Q = random_poses(300)
    found, at = Workspace(SIMONA, gimbals).margins(p, Q), at_dof(SIMONA, dof)
    stroke = np.minimum(at.l.min(axis=1) - SIMONA.stroke.l_min, SIMONA.stroke.l_max - at.l.max(axis=1))
    np.testing.assert_allclose(found.stroke, stroke, atol=1e-15)
    base, platform = np.array(gimbals.base) - np.abs(at.base), np.array(gimbals.platform) - np.abs(at.platform)
    np.testing.assert_allclose(found.bearings, np.minimum(base.min(axis=(1, 2)), platform.min(axis=(1, 2))), atol=1e-15)
    assert {-1, 0, 1} <= set(found.beyond) and LIMITS[0] == "stroke"
    np.testing.assert_array_equal(found.reachable, found.beyond == -1)


def test_distance_of_legs_is_the_least_of_all_places_on_them() -> None:
    """Against a numerical minimum over places on every pair of legs."""
    _, p, Q = random_poses(4)
    found = WIDE.margins(p, Q).legs
    base = np.array(SIMONA.base)
    u = compile(Kinematics(SIMONA).inverse).map(p_W=p, Q_WP=Q)
    for k in range(len(p)):
        legs = u["u_W"][k] * u["l"][k][:, None]
        least = np.inf
        for i in range(6):
            for j in range(i):

                def square(st: Array, i: int = i, j: int = j, legs: Array = legs) -> float:
                    return float(np.sum((base[i] + st[0] * legs[i] - base[j] - st[1] * legs[j]) ** 2))

                best = minimize(square, [0.5, 0.5], bounds=[(0, 1)] * 2, method="L-BFGS-B", tol=1e-14)
                least = min(least, float(np.sqrt(best.fun)))
        assert found[k] == pytest.approx(least, abs=1e-6)  # what the minimiser leaves


@pytest.mark.parametrize("name", PRESETS)
def test_rays_along_the_axes_end_where_the_closed_form_says(name: str) -> None:
    platform = load_platform(name)
    space, wanted = Workspace(platform), axis_limits(platform)
    axes = np.vstack([[-axis, axis] for axis in np.eye(3)])
    np.testing.assert_allclose(space.at_attitude(axes), np.abs(wanted[:3]).ravel(), atol=1e-9)
    turns = space.at_place(axes)
    legs_alone = np.abs(wanted[3:]).ravel()
    assert np.all(turns <= legs_alone + 1e-9)  # bearings of 90 degrees may end it before the strokes do
    np.testing.assert_allclose(turns[:4], legs_alone[:4], atol=1e-9)


def test_narrow_bearings_end_it_sooner() -> None:
    axes = np.vstack([[-axis, axis] for axis in np.eye(3)])
    narrow = Workspace(SIMONA, Gimbals((0.2, 0.2), (0.2, 0.2)))
    reach = narrow.at_attitude(axes)
    assert np.all(reach <= WIDE.at_attitude(axes) + 1e-12) and np.all(reach[:4] < 0.7)
    p = np.array(SIMONA.p_neutral) + reach[:, None] * axes
    found = narrow.margins(p, np.tile([1.0, 0, 0, 0], (6, 1)))
    np.testing.assert_allclose(np.minimum(found.stroke, found.bearings), 0.0, atol=1e-9)  # each ends at a limit


def test_volume_against_throwing_darts() -> None:
    n = 200_000
    size = np.array([2.0, 2.0, 1.0])
    darts = RNG.uniform(-1, 1, (n, 3)) * size
    hit = WIDE.margins(np.array(SIMONA.p_neutral) + darts, np.tile([1.0, 0, 0, 0], (n, 1))).reachable.mean()
    error = np.sqrt(hit * (1 - hit) / n) / hit
    assert WIDE.volume() == pytest.approx(hit * 8 * size.prod(), rel=4 * error)  # four standard deviations
    assert WIDE.volume(rows=30) == pytest.approx(WIDE.volume(rows=40), rel=0.01)  # edges are not smooth


def test_a_place_out_of_reach_is_said() -> None:
    with pytest.raises(PlatformError, match="is itself not reachable"):
        WIDE.at_attitude([1.0, 0, 0], centre=[0.0, 0.0, 9.0])


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
