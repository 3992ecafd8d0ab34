"""What bounds leave to be measured against measuring every pair; what the extremes ask of joints."""

import coal
import numpy as np
import pytest

from motionbase.platform.load import load_platform
from motionbase.workbench.clearance import EXACT, Clearance, Thresholds
from motionbase.workbench.distance import (
    box_bounds,
    capsule_bounds,
    moved,
    placed,
    reach_of_frames,
    surface_tree,
    transforms,
)
from motionbase.workbench.geometry import FRAME, Geometry, geometry_of
from motionbase.workbench.posture import Postures, at_dof
from motionbase.workbench.requirements import SweptExtremes, largest_of, legs_out, requirements_of, swept_extremes
from motionbase.workbench.sweep import Sweep, sweep

SIMONA = load_platform("simona")
RNG = np.random.default_rng(12)
ROUNDING = 1e-12  # [m]: a thousand roundings of lengths of a metre
Array = np.ndarray


@pytest.fixture(scope="module")
def simona() -> Clearance:
    return Clearance(geometry_of(SIMONA))


@pytest.fixture(scope="module")
def extremes(simona: Clearance) -> SweptExtremes:
    return swept_extremes(SIMONA, simona)


def test_nearest_pairs_are_those_of_all(simona: Clearance) -> None:
    """Each pair measured by itself, by whole surfaces."""
    at = at_dof(SIMONA, [0.2, 0.3, -0.1, -0.1, 0.1, -0.3])
    every = whole_surfaces(simona.geometry, at.p_W, at.Q_WP)[0]
    nearest = simona.at(at.p_W, at.Q_WP, 25)
    found = np.array([gap.distance for gap in nearest], dtype=np.float64)
    np.testing.assert_allclose(found, np.sort(every)[:25], atol=ROUNDING)
    gap = simona.between("cylinder 1", "rod 2", at.p_W, at.Q_WP)
    pair = [sorted((simona.geometry.parts[i].name, simona.geometry.parts[j].name)) for i, j in simona.geometry.pairs]
    assert gap.distance == pytest.approx(every[pair.index(["cylinder 1", "rod 2"])], abs=ROUNDING)


def whole_surfaces(geometry: Geometry, p_W: Array, Q_WP: Array) -> Array:
    """(n, pairs) distances of whole parts as surfaces: no pieces, no bounds."""
    trees, where = [surface_tree(part.mesh) for part in geometry.parts], geometry.placed(p_W, Q_WP)
    frames = [FRAME[part.frame] for part in geometry.parts]
    request, found = coal.DistanceRequest(), np.empty((len(where), len(geometry.pairs)))
    for n in range(len(where)):
        T = transforms(where.R[n], where.p[n])
        for k, (i, j) in enumerate(geometry.pairs):
            found[n, k] = coal.distance(trees[i], T[frames[i]], trees[j], T[frames[j]], request, coal.DistanceResult())
    return found


def all_pieces(clearance: Clearance, p_W: Array, Q_WP: Array) -> Array:
    """(n, pairs) every pair of pieces measured."""
    where = clearance.geometry.placed(p_W, Q_WP)
    found = np.full((len(where), len(clearance.geometry.pairs)), np.inf)
    for n in range(len(where)):
        T = transforms(where.R[n], where.p[n])
        each = [clearance.exact(q, T)[0] for q in range(len(clearance.first))]
        np.minimum.at(found[n], clearance.pair, each)
    return found


def agrees(swept: Sweep, every: Array, geometry: Geometry) -> None:
    """Least at each pose, least of each pair, and none left out."""
    least = every.min(axis=1)
    expected = np.where(least < swept.within, np.where(least > 0, least, np.nan), np.inf)
    np.testing.assert_allclose(swept.distance, expected, atol=ROUNDING)
    near = swept.pairs >= 0
    np.testing.assert_allclose(every[near, swept.pairs[near]], least[near], atol=ROUNDING)
    names = {(geometry.parts[i].name, geometry.parts[j].name): k for k, (i, j) in enumerate(geometry.pairs)}
    worst = every.min(axis=0)
    assert len(swept.worst) == np.count_nonzero(worst < swept.within)
    for one in swept.worst:
        k = names[one.gap.first, one.gap.second]
        assert (one.gap.distance or 0.0) == pytest.approx(worst[k], abs=ROUNDING)
        assert every[one.pose, k] == pytest.approx(worst[k], abs=ROUNDING)


def test_pruned_is_exhaustive_at_the_extremes_of_simona(simona: Clearance, extremes: SweptExtremes) -> None:
    at, swept = extremes.postures, extremes.clearances
    np.testing.assert_array_equal(extremes.numbers, np.arange(64))
    agrees(swept, all_pieces(simona, at.p_W, at.Q_WP), simona.geometry)
    assert swept.measured < 0.02 * 64 * len(simona.first)  # of all that could have been measured
    some = [21, 45]
    surfaces = whole_surfaces(simona.geometry, at.p_W[some], at.Q_WP[some])
    agrees(sweep(simona, at.p_W[some], at.Q_WP[some]), surfaces, simona.geometry)


def test_pruned_is_exhaustive_along_a_trajectory_with_interference(simona: Clearance) -> None:
    """Far beyond the strokes legs meet each other and the frames."""
    t = np.linspace(0, 1, 11)[:, None]
    at = at_dof(SIMONA, np.hstack([1.6 * t, 0.3 * t, -1.3 * t**2, 0 * t, 0.4 * t, 0.9 * t]))
    swept = sweep(simona, at.p_W, at.Q_WP)
    assert swept.interferes.any() and not swept.interferes.all()
    agrees(swept, all_pieces(simona, at.p_W, at.Q_WP), simona.geometry)
    verdicts = swept.verdicts()
    assert verdicts[0] == "clear" and verdicts[-1] == "interference" and swept.least is not None
    assert swept.least.gap.interferes and swept.least.gap.distance is None


def test_blocks_make_no_difference(simona: Clearance, monkeypatch: pytest.MonkeyPatch) -> None:
    at = at_dof(SIMONA, 0.3 * np.sin(np.linspace(0, 6, 30))[:, None] * [0.9, 0.5, 1.0, 0.4, -0.6, 0.7])
    whole = sweep(simona, at.p_W, at.Q_WP)
    monkeypatch.setattr("motionbase.workbench.sweep.BLOCK", 7)
    parts = sweep(simona, at.p_W, at.Q_WP)
    np.testing.assert_array_equal(whole.distance, parts.distance)
    assert [one.gap.distance for one in whole.worst] == [one.gap.distance for one in parts.worst]


def test_bounds_are_never_more_than_distances(simona: Clearance) -> None:
    """Capsules, boxes, and how far pieces have gone between two poses."""
    at = at_dof(SIMONA, RNG.uniform(-1, 1, (2, 6)) * [0.5, 0.5, 0.3, 0.2, 0.2, 0.3])
    where, some = simona.geometry.placed(at.p_W, at.Q_WP), RNG.choice(len(simona.first), 600, replace=False)
    first, second = simona.first[some], simona.second[some]
    exact = np.empty((2, len(some)))
    for n in range(2):
        T = transforms(where.R[n], where.p[n])
        exact[n] = [simona.exact(int(q), T)[0] for q in some]
        here = placed(simona.hulls, where.R[n], where.p[n])
        capsules, boxes = capsule_bounds(here, first, second), box_bounds(here, first, second)
        assert np.all(capsules <= exact[n]) and np.all(boxes <= exact[n])
        assert np.median(exact[n] - capsules) < 0.1  # and they are some use
    way = moved(simona.hulls, first, second, (where.R[0], where.p[0]), (where.R[1], where.p[1]))
    assert np.all(np.abs(exact[1] - exact[0]) <= way + ROUNDING)
    shift, turn = reach_of_frames(where.R[0], where.p[0], where.R, where.p)
    ways = shift[simona.hulls.frame] + turn[simona.hulls.frame] * simona.hulls.furthest
    assert np.all(np.abs(exact[1] - exact[0]) <= ways[first] + ways[second] + ROUNDING)


def test_requirements_of_the_extremes(extremes: SweptExtremes) -> None:
    """By the mirror of the platform, leg 1 needs what leg 6 needs, with some angles the other way round."""
    at = extremes.postures
    largest = extremes.largest
    assert largest["base, second bearing"].largest == pytest.approx(np.abs(at.base[:, :, 1]).max())
    assert largest["rod rotation"].largest == pytest.approx(np.abs(at.rotation).max())
    for one in extremes.requirements:
        mirror = next(o for o in extremes.requirements if o.joint == one.joint and o.leg == 7 - one.leg)
        assert one.largest == pytest.approx(mirror.largest, abs=1e-9)  # of Newton's method
    rows = extremes.angle_rows()
    assert len(rows) == 30 and rows[0]["joint"] == "base, first bearing" and rows[-1]["leg"] == 6
    first = extremes.requirements[0]
    assert at.base[first.at_most, 0, 0] == first.most and rows[0]["at_most"] == legs_out(first.at_most)
    table = extremes.clearance_rows(Thresholds(warn=0.2))
    assert [row["verdict"] for row in table[:1]] == ["warn"] and len(table) == len(extremes.clearances.worst)
    distances = [float(str(row["distance_m"] or 0)) for row in table]
    assert np.all(np.diff(distances) >= -EXACT)  # equally near ones are in the order of the parts


def test_extremes_in_words() -> None:
    assert [legs_out(n) for n in (0, 1, 9, 63)] == ["all legs in", "leg 1 out", "legs 1, 4 out", "all legs out"]


def test_which_of_mirrored_pairs_and_legs_is_named_does_not_hang_on_rounding(simona: Clearance) -> None:
    """At neutral every pair has its mirror image, as near to nine digits."""
    p, Q = np.array([SIMONA.p_neutral] * 2), np.array([(1.0, 0.0, 0.0, 0.0)] * 2)

    def named(seed: int) -> tuple[list[tuple[str, str]], list[int], list[tuple[str, str]]]:
        moved = p + 1e-14 * np.random.default_rng(seed).uniform(-1, 1, p.shape)
        swept = sweep(simona, moved, Q)
        gaps = simona.at(moved[0], Q[0], nearest=8)
        return (
            [(gap.first, gap.second) for gap in gaps],
            swept.pairs.tolist(),
            [(one.gap.first, one.gap.second) for one in swept.worst],
        )

    wanted = named(0)
    assert all(named(seed) == wanted for seed in range(1, 6))


def test_the_pose_and_the_leg_that_need_most_are_the_first_of_equals() -> None:
    """Angles that differ by a few roundings."""
    noise = 1 + 1e-15 * np.arange(30).reshape(5, 6)
    both = np.array([0.3, -0.1, 0.3, 0.3, -0.1])[:, None] * noise
    bearings, none = np.stack([both, both], axis=2), np.zeros(5)
    found = requirements_of(Postures(none, none, none, none, bearings, bearings, both, none, none))
    assert {(one.at_least, one.at_most) for one in found} == {(1, 0)}
    assert {one.leg for one in largest_of(found).values()} == {1}
