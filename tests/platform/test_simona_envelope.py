"""The envelope of the SIMONA preset against published and independently computed numbers, to their printed digits."""

import dataclasses

import numpy as np
import pytest

from motionbase.compile import compile
from motionbase.platform.envelope import Extremes, axis_limits, extremes
from motionbase.platform.hexapod import Points
from motionbase.platform.kinematics import Kinematics
from motionbase.platform.layout import from_z_down, renumbered
from motionbase.platform.load import load_platform

SIMONA = load_platform("simona")
# In the axes of the source (x forward, y right, z down), legs 1 to 6 in its order, printed to 0.1 mm.
UPPER = [(1.5969, 0.1), (-0.7118, 1.4329), (-0.8850, 1.3329), (-0.8850, -1.3329), (-0.7118, -1.4329), (1.5969, -0.1)]
LOWER = [(1.0711, 1.2551), (0.5514, 1.5551), (-1.6225, 0.3), (-1.6225, -0.3), (0.5514, -1.5551), (1.0711, -1.2551)]


@pytest.mark.parametrize(("ours", "listed"), [(SIMONA.joints, UPPER), (SIMONA.base, LOWER)], ids=["upper", "lower"])
def test_joints_are_those_of_the_source(ours: Points, listed: list[tuple[float, float]]) -> None:
    source = np.column_stack([listed, np.zeros(6)])
    wanted = renumbered(from_z_down(source), [6, 5, 4, 3, 2, 1])
    np.testing.assert_allclose(ours, wanted, rtol=0, atol=0.5e-4)  # half of the last printed digit


def test_neutral_legs() -> None:
    np.testing.assert_allclose(SIMONA.l_neutral, 2.7061, rtol=0, atol=0.5e-4)
    assert SIMONA.points == {"eye": (0.0, 0.0, 1.2075), "omct": (0.0, 0.0, 0.8575)}


def test_the_down_position_is_0_69_m_below_neutral() -> None:
    b = np.asarray(SIMONA.joints) - np.asarray(SIMONA.base) + [0, 0, 2.39 - 0.69]
    np.testing.assert_allclose(np.linalg.norm(b, axis=1), SIMONA.l_down, rtol=0, atol=0.5e-4)


def test_single_axis_limits_are_the_published_ones() -> None:
    """The source's heave, sway, pitch and yaw have the opposite sign: its y axis is to the right, z down."""
    found = axis_limits(SIMONA)
    # heave to 1 mm: the tables give 0.635 and 0.636 for 0.6356
    np.testing.assert_allclose(found[:3], [[-0.981, 1.259], [-1.030, 1.030], [-0.678, 0.6355]], rtol=0, atol=5.1e-4)
    degrees = [[-25.9, 25.9], [-24.3, 23.7], [-41.6, 41.6]]
    np.testing.assert_allclose(np.degrees(found[3:]), degrees, rtol=0, atol=0.05)


@pytest.mark.parametrize("name", ["simona", "cmf", "emotion-8000", "emotion-1500", "odu"])
def test_at_an_axis_limit_one_leg_is_at_its_end_and_none_beyond(name: str) -> None:
    platform = load_platform(name)
    kinematics, stroke = Kinematics(platform), platform.stroke
    pose_of_dof, inverse = compile(kinematics.pose_of_dof), compile(kinematics.inverse)
    limits = axis_limits(platform)
    for axis, side in np.ndindex(6, 2):
        for share in np.linspace(0.05, 1.0, 20):
            dof = np.zeros(6)
            dof[axis] = share * limits[axis, side]
            l, _ = inverse(*pose_of_dof(dof))
            room = min(l.min() - stroke.l_min, stroke.l_max - l.max())
            assert room > -1e-12
        assert room < 1e-9, (axis, side)


def test_an_axis_that_no_leg_limits_goes_half_a_turn() -> None:
    stroke = dataclasses.replace(SIMONA.stroke, l_min=1e-3, hard_min=1e-3, l_max=9.0, hard_max=9.0)
    legs = dataclasses.replace(SIMONA.cylinder, com=0.0)
    free = dataclasses.replace(SIMONA, stroke=stroke, cylinder=legs, rod=legs)
    np.testing.assert_array_equal(axis_limits(free)[3:], [[-np.pi, np.pi]] * 3)


def ranges(found: Extremes) -> tuple[np.ndarray, np.ndarray]:
    scale = np.array([1, 1, 1, *[180 / np.pi] * 3])
    return found.dof.min(axis=0) * scale, found.dof.max(axis=0) * scale


def test_the_64_extremes() -> None:
    """Ranges of the reference computation, converted from its axes: y, z, pitch and yaw change sign."""
    found = extremes(SIMONA)
    assert found.converged.all()
    assert len(np.unique(found.l, axis=0)) == 64
    assert found.iterations.max() == 6
    J = np.array([compile(Kinematics(SIMONA).jacobian)(p, Q) for p, Q in zip(found.p_W, found.Q_WP, strict=True)])
    assert np.linalg.cond(J).max() == pytest.approx(4.50, abs=0.005)  # of the reference: metres and radians
    radius = np.sqrt(np.mean(np.sum(np.square(SIMONA.joints), axis=1)))
    assert radius == pytest.approx(1.6, rel=1e-12)  # all joints are on one circle
    scaled = np.concatenate([J[:, :, :3] / radius, J[:, :, 3:]], axis=2)
    np.testing.assert_allclose(found.condition, np.linalg.cond(scaled), rtol=1e-9)
    low, high = ranges(found)
    np.testing.assert_allclose(low[:3], [-1.571, -1.689, -0.799], rtol=0, atol=5.1e-4)
    np.testing.assert_allclose(high[:3], [1.565, 1.689, 0.636], rtol=0, atol=5.1e-4)
    np.testing.assert_allclose(low[3:], [-32.27, -34.35, -55.10], rtol=0, atol=0.0051)
    np.testing.assert_allclose(high[3:], [32.27, 33.17, 55.10], rtol=0, atol=0.0051)


def test_the_64_extremes_of_the_hard_ends() -> None:
    found = extremes(SIMONA, hard=True)
    assert found.converged.all()
    assert found.iterations.max() == 7
    assert set(np.unique(found.l)) == {2.081, 3.331}


def test_extremes_that_do_not_exist_are_told() -> None:
    """Between inferred hard ends, two opposite legs of the eMotion-1500 out and four in have no pose above the base."""
    found = extremes(load_platform("emotion-1500"), hard=True)
    assert found.converged.sum() == 61
    lost = found.l[~found.converged]
    np.testing.assert_array_equal(np.sum(lost == 2.3902, axis=1), 2)
