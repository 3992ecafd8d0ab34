"""The judge of demands compiles its kinematics in the background, once for each platform."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from motionbase.console.api import host
from motionbase.console.api.judge import Demand, Judge, counted, told
from motionbase.console.models import Exceeded
from motionbase.platform import demand
from motionbase.platform.demand import LegDemand
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.load import load_platform
from tests.console.api_rig import wait_for


def test_every_judge_prepares_itself_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even one at the memory address of an earlier judge that has been deleted."""
    platform, made = load_platform("simona"), list[object]()

    def prepared(given: Hexapod) -> LegDemand:
        made.append(given)
        return LegDemand(given)

    monkeypatch.setattr(demand, "LegDemand", prepared)
    nothing = Demand(np.zeros(1), np.zeros((6, 3, 1)), np.zeros((6, 3, 1)))
    for count in (1, 2, 3):
        one = Judge(platform)
        for _ in range(3):
            if not one.is_ready:
                host._exceeded(one, nothing)
        wait_for(partial(_is_ready, one))
        assert len(made) == count


def _is_ready(one: Judge) -> bool:
    return one.is_ready


def test_limits_are_counted_and_told_in_degrees() -> None:
    yaw = Exceeded(what="yaw", value=np.pi / 2, limit=np.pi / 6, unit="rad", t=1.0)
    assert told(yaw) == ("90", "30", "deg") and told(yaw.model_copy(update={"unit": "m/s^2"})).unit == "m/s^2"
    assert (counted([yaw]), counted([yaw, yaw])) == ("1 limit", "2 limits")
