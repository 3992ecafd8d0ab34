"""The search for the worst pose: no corner or random pose is worse, and a singular pose in the strokes is found."""

from dataclasses import replace

import numpy as np
import pytest

from motionbase.platform.gimbals import Gimbals
from motionbase.platform.load import load_platform
from motionbase.platform.parts import Stroke
from motionbase.workbench.posture import at_dof, at_legs
from motionbase.workbench.singular import worst_pose

SIMONA = load_platform("simona")


@pytest.mark.parametrize("name", ["simona", "odu"])
def test_nothing_within_the_strokes_is_worse(name: str) -> None:
    platform = load_platform(name)
    worst = worst_pose(platform, samples=500)
    assert worst.lost == 0 and 0.3 < worst.dexterity < 1
    assert at_dof(platform, worst.dof).dexterity[0] == pytest.approx(worst.dexterity, rel=1e-9)
    assert np.all((worst.l >= platform.stroke.l_min) & (worst.l <= platform.stroke.l_max))
    rng = np.random.default_rng(1)
    near_neutral = platform.l_neutral + rng.uniform(-1, 1, (300, 6)) * 0.3 * platform.stroke.length
    for lengths in np.clip(near_neutral, platform.stroke.l_min, platform.stroke.l_max):
        assert at_legs(platform, lengths).dexterity[0] >= worst.dexterity


def test_strokes_that_reach_a_quarter_turn_reach_a_singular_pose() -> None:
    """Longer legs let SIMONA yaw by 90 degrees, where it locks: the search reaches it, or loses the path there."""
    long = replace(SIMONA, stroke=Stroke(1.5, 4.2, 1.4, 4.3, 0.05), l_down=1.45)
    worst = worst_pose(long, samples=500)
    assert worst.dexterity < 0.05 or worst.lost > 0


def test_the_search_says_how_it_was_made_and_heeds_the_bearings() -> None:
    free = worst_pose(SIMONA, samples=200)
    assert "a search, not a proof" in free.sentence and free.crossed == 0 and free.barred == 0
    tight = worst_pose(SIMONA, samples=200, gimbals=Gimbals((0.5, 0.5), (0.5, 0.5)))
    assert tight.barred > 0 and tight.dexterity > free.dexterity
    at = at_dof(SIMONA, tight.dof)
    assert np.abs(at.base).max() <= 0.5 and np.abs(at.platform).max() <= 0.5
