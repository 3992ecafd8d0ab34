"""Leg rates and holding forces against corners of the box, virtual work and statics."""

import itertools

import numpy as np
import pytest

from motionbase.compile import compile
from motionbase.errors import PlatformError
from motionbase.kinematics.effort import holding_forces, leg_rates, most_leg_rates
from motionbase.platform.demand import LegDemand
from motionbase.platform.kinematics import Kinematics
from motionbase.platform.load import PRESETS, load_platform
from motionbase.platform.mechanism import STANDARD_GRAVITY

SIMONA = load_platform("simona")
DOF = np.array([[0.3, -0.2, 0.1, 0.1, -0.15, 0.3], [-0.4, 0.1, 0.2, -0.2, 0.1, 0.2]])
POSES = compile(Kinematics(SIMONA).pose_of_dof).map(dof=DOF)
JACOBIANS = compile(Kinematics(SIMONA).jacobian).map(**POSES)["J"]


def test_rates_are_those_of_the_worst_corner() -> None:
    limits = np.array(SIMONA.limits.velocity)[[3, 4, 5, 0, 1, 2]]
    corners = limits * np.array(list(itertools.product((-1, 1), repeat=6)))
    wanted = np.abs(JACOBIANS @ corners.T).max(axis=2)
    np.testing.assert_allclose(most_leg_rates(SIMONA, **POSES), wanted, rtol=1e-14)


def test_forces_balance_weight_and_load() -> None:
    """J' f is the moment about P's origin and the force that the legs exert: the load with the other sign."""
    wrench = np.array([300.0, -200.0, 100.0, 1000.0, -500.0, 2000.0])
    f = holding_forces(SIMONA, **POSES, wrench_W=wrench)
    weight = SIMONA.payload.mass * np.array(STANDARD_GRAVITY)
    for k, J in enumerate(JACOBIANS):
        w, x, y, z = POSES["Q_WP"][k]
        com = np.array(SIMONA.payload.com)
        v = np.array([x, y, z])
        arm = com + 2 * w * np.cross(v, com) + 2 * np.cross(v, np.cross(v, com))
        load = wrench + np.concatenate([np.cross(arm, weight), weight])
        np.testing.assert_allclose(J.T @ f[k], -load, atol=1e-8)  # of tens of kN, 1e-12 of them


@pytest.mark.parametrize("name", PRESETS)
def test_legs_carry_the_weight_at_neutral(name: str) -> None:
    platform = load_platform(name)
    f = holding_forces(platform, np.array([platform.p_neutral]), np.array([[1.0, 0, 0, 0]]))[0]
    legs = np.array(platform.p_neutral) + np.array(platform.joints) - np.array(platform.base)
    upward = legs[:, 2] / platform.l_neutral
    assert f @ upward == pytest.approx(9.80665 * platform.payload.mass, rel=1e-10)


def test_a_load_that_is_none_is_said() -> None:
    with pytest.raises(PlatformError, match="six finite numbers are wanted: moment"):
        holding_forces(SIMONA, **POSES, wrench_W=[1.0, 2.0])


def test_leg_rates_of_a_trajectory_are_those_of_its_motion() -> None:
    """Differences of second order: an error of h^2 l''' / 6, here 2e-5 m/s; halving the step quarters it."""

    def error(h: float) -> float:
        t = np.arange(0.0, 2.0, h)
        dof, dof_dot = np.zeros((2, len(t), 6))
        dof[:, 2], dof_dot[:, 2] = 0.2 * np.sin(3 * t), 0.6 * np.cos(3 * t)
        dof[:, 5], dof_dot[:, 5] = 0.1 * np.sin(2 * t), 0.2 * np.cos(2 * t)
        l, l_dot = LegDemand(SIMONA)(dof, dof_dot)
        return float(np.abs(leg_rates(t, l) - l_dot)[2:-2].max())

    coarse, fine = error(0.02), error(0.01)
    assert fine < 2e-4 and coarse / fine == pytest.approx(4, rel=0.1)


def test_leg_rates_are_unknown_where_time_stands_or_jumps_back() -> None:
    t, l = np.array([0.0, 1.0, 1.0, 2.0, 3.0, 0.0, 1.0]), np.arange(42.0).reshape(7, 6)
    unknown = np.isnan(leg_rates(t, l)).all(axis=1)
    assert unknown.tolist() == [False, True, True, False, True, True, False]
    np.testing.assert_allclose(leg_rates(t, l)[[0, 3, 6]], 6.0)
    assert np.isnan(leg_rates([0.0], l[:1])).all()
