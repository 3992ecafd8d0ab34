"""Leg rates against corners of the box and exact rates."""

import itertools

import numpy as np
import pytest

from motionbase.compile import compile
from motionbase.platform.demand import LegDemand
from motionbase.platform.kinematics import Kinematics
from motionbase.platform.load import load_platform
from motionbase.workbench.maps import most_leg_rates
from motionbase.workbench.trajectory import leg_rates

SIMONA = load_platform("simona")
DOF = np.array([[0.3, -0.2, 0.1, 0.1, -0.15, 0.3], [-0.4, 0.1, 0.2, -0.2, 0.1, 0.2]])
POSES = compile(Kinematics(SIMONA).pose_of_dof).map(dof=DOF)
JACOBIANS = compile(Kinematics(SIMONA).jacobian).map(**POSES)["J"]


def test_rates_are_those_of_the_worst_corner() -> None:
    limits = np.array(SIMONA.limits.velocity)[[3, 4, 5, 0, 1, 2]]
    corners = limits * np.array(list(itertools.product((-1, 1), repeat=6)))
    wanted = np.abs(JACOBIANS @ corners.T).max(axis=2)
    np.testing.assert_allclose(most_leg_rates(SIMONA, **POSES), wanted, rtol=1e-14)


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
