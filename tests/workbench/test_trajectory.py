"""Leg rates along a trajectory against exact rates."""

import numpy as np
import pytest

from motionbase.platform.demand import LegDemand
from motionbase.platform.load import load_platform
from motionbase.workbench.trajectory import leg_rates

SIMONA = load_platform("simona")


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
