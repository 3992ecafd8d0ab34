"""What the extremes ask of the joints."""

import numpy as np
import pytest

from motionbase.platform.envelope import extremes
from motionbase.platform.gimbals import Gimbals
from motionbase.platform.load import PRESETS, load_platform
from motionbase.workbench.clearance import EXACT, Clearance, Thresholds
from motionbase.workbench.geometry import geometry_of
from motionbase.workbench.posture import Postures, at_dof
from motionbase.workbench.requirements import SweptExtremes, largest_of, legs_out, requirements_of, swept_extremes

SIMONA = load_platform("simona")
ODU = load_platform("odu")
ROUNDING = 1e-12


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


def test_the_pose_and_the_leg_that_need_most_are_the_first_of_equals() -> None:
    """Angles that differ by a few roundings."""
    noise = 1 + 1e-15 * np.arange(30).reshape(5, 6)
    both = np.array([0.3, -0.1, 0.3, 0.3, -0.1])[:, None] * noise
    bearings, none = np.stack([both, both], axis=2), np.zeros(5)
    found = requirements_of(Postures(none, none, none, none, bearings, bearings, both, none, none))
    assert {(one.at_least, one.at_most) for one in found} == {(1, 0)}
    assert {one.leg for one in largest_of(found).values()} == {1}


@pytest.mark.parametrize("name", PRESETS)
def test_bearings_of_presets_allow_the_hard_extremes(name: str) -> None:
    """With the 3 degrees that the files promise, or straight at 90."""
    platform = load_platform(name)
    found = extremes(platform, hard=True)
    dof = found.dof[found.converged]
    needs = largest_of(requirements_of(at_dof(platform, dof)))
    for end, ranges in (("base", platform.gimbals.base), ("platform", platform.gimbals.platform)):
        for which, allowed in zip(("first", "second"), ranges, strict=True):
            assert needs[f"{end}, {which} bearing"].largest + np.radians(3) <= allowed + ROUNDING
    assert "gimbals" in platform.illustrative


def test_extremes_compile_once(monkeypatch: pytest.MonkeyPatch) -> None:
    extremes(ODU)
    monkeypatch.setattr("motionbase.platform.envelope.compile", lambda *_: pytest.fail("compiled again"))
    assert extremes(load_platform("odu"), hard=True).converged.all()


def test_bearings_with_one_axis_have_defaults() -> None:
    assert Gimbals().base_axes == () and swept_extremes(ODU, Clearance(geometry_of(ODU))).clearances.worst
