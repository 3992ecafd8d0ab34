"""Sweeps over many poses against measuring every pair."""

import numpy as np
import pytest

from motionbase.platform.load import load_platform
from motionbase.workbench.clearance import Clearance
from motionbase.workbench.distance import (
    transforms,
)
from motionbase.workbench.geometry import Geometry
from motionbase.workbench.posture import at_dof
from motionbase.workbench.requirements import SweptExtremes
from motionbase.workbench.sweep import Sweep, sweep
from tests.workbench.surfaces import whole_surfaces

SIMONA = load_platform("simona")
ROUNDING = 1e-12  # [m]: a thousand roundings of lengths of a metre
Array = np.ndarray


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
