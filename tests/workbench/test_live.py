"""Records of a running platform, one after the other."""

import numpy as np
import pytest

from motionbase.platform.load import load_platform
from motionbase.workbench.live import Follower

SIMONA = load_platform("simona")


def test_a_follower_goes_on_after_nonsense() -> None:
    follower = Follower(SIMONA, None)
    assert "not a number" in follower.at_legs(0.0, np.full(6, np.nan)).trouble
    assert "no pose has these leg lengths" in follower.at_legs(0.1, np.array([9.0, 2, 2, 2, 2, 2])).trouble
    seen = follower.at_legs(0.2, SIMONA.l_neutral + 0.1)
    assert seen.posture is not None and seen.posture.dof[0, 2] == pytest.approx(0.11, abs=0.02)
