"""Displacements of legs become the pose that has these lengths: the inverse kinematics is the independent truth."""

from functools import cache

import numpy as np
import pytest

from motionbase.arrays import Array
from motionbase.host.format import Options
from motionbase.host.legs import PoseOfLegs
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.load import load_platform


@cache
def platform() -> Hexapod:
    return load_platform("simona")


def lengths(dof: Array) -> Array:
    """Of the legs, by rotation matrices written out here: ZYX."""
    x, y, z = dof[3:]
    cx, sx, cy, sy, cz, sz = np.cos(x), np.sin(x), np.cos(y), np.sin(y), np.cos(z), np.sin(z)
    R = (
        np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
        @ np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
        @ np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    )
    ends = np.asarray(platform().joints) @ R.T + np.asarray(platform().p_neutral) + dof[:3]
    found: Array = np.sqrt(np.sum((ends - np.asarray(platform().base)) ** 2, axis=1))
    return found


@pytest.mark.parametrize("zero", ["retracted", "neutral"])
def test_a_motion_of_legs_is_a_motion_of_the_platform(zero: str) -> None:
    t = 0.0
    made = PoseOfLegs(platform(), Options(zero=zero, clock=lambda: t))
    begin = platform().l_neutral if zero == "neutral" else platform().stroke.l_min
    for k in range(120):
        t = k / 60
        dof = np.array([0.3, -0.2, 0.15, 0.1, -0.1, 0.2]) * np.sin(2 * t)
        row = made(tuple((lengths(dof) - begin).tolist()))
        assert row is not None and row[:6] == pytest.approx(dof.tolist(), abs=1e-8)
    assert row is not None and row[6] == pytest.approx(0.6 * np.cos(2 * t), abs=0.01)


def test_legs_that_no_platform_has_are_no_pose() -> None:
    made = PoseOfLegs(platform(), Options(zero="neutral", clock=lambda: 0.0))
    assert made((0.0,) * 6) == pytest.approx((0.0,) * 18, abs=1e-12)
    assert made((1e6, 0.0, 0.0, 0.0, 0.0, 0.0)) is None
    assert made((1e300,) * 6) is None
    assert made((0.0,) * 6) is not None  # the search begins again at neutral
