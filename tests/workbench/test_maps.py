"""Maps over two degrees of freedom against the poses in them, closed forms and corners of the box."""

import itertools

import numpy as np
import pytest

from motionbase.compile import compile
from motionbase.errors import PlatformError
from motionbase.platform.kinematics import Kinematics
from motionbase.platform.load import load_platform
from motionbase.platform.sizing.forces import holding_forces
from motionbase.workbench.maps import most_leg_rates, plane_map, plane_of
from motionbase.workbench.posture import at_dof
from motionbase.workbench.workspace import Workspace

SIMONA = load_platform("simona")
SPACE = Workspace(SIMONA)
DOF = np.array([[0.3, -0.2, 0.1, 0.1, -0.15, 0.3], [-0.4, 0.1, 0.2, -0.2, 0.1, 0.2]])
POSES = compile(Kinematics(SIMONA).pose_of_dof).map(dof=DOF)
JACOBIANS = compile(Kinematics(SIMONA).jacobian).map(**POSES)["J"]


def test_maps_hold_what_the_poses_have() -> None:
    found = plane_map(SPACE, "leg-force", plane_of("surge-heave"), points=11)
    row, column = np.argwhere(np.isfinite(found.values))[3]
    dof = np.zeros(6)
    dof[0], dof[2] = found.x[column], found.y[row]
    at = at_dof(SIMONA, dof)
    wanted = np.abs(holding_forces(SIMONA, at.p_W, at.Q_WP)).max()
    assert found.values[row, column] == pytest.approx(wanted, rel=1e-12)
    l, height, cylinder, rod = SIMONA.l_neutral[0], SIMONA.p_neutral[2], SIMONA.cylinder, SIMONA.rod
    leg = rod.mass + (cylinder.mass * cylinder.com - rod.mass * rod.com) * (1 - (height / l) ** 2) / l  # by moments
    weight = 9.80665 * (SIMONA.payload.mass / 6 + leg)
    assert found.at_neutral == pytest.approx(weight * l / height, rel=1e-9)  # six alike legs share it at neutral
    dexterity = plane_map(SPACE, "dexterity", plane_of("roll-pitch"), points=5)
    condition = plane_map(SPACE, "conditioning", plane_of("roll-pitch"), points=5)
    inside = np.isfinite(dexterity.values)
    assert np.all(condition.values[inside] >= 1 / dexterity.values[inside])  # spectral over Frobenius
    np.testing.assert_array_equal(inside, dexterity.room >= 0)
    with pytest.raises(PlatformError, match="no pose of the plane is within reach"):
        plane_map(SPACE, "dexterity", plane_of("surge-sway"), points=5, at=[0, 0, 3.0, 0, 0, 0]).summary()
    for wrong in ("surge", "surge-surge", "surge-up", "surge-heave-yaw", ""):
        with pytest.raises(PlatformError, match="two of surge, sway"):
            plane_of(wrong)


def test_rates_are_those_of_the_worst_corner() -> None:
    limits = np.array(SIMONA.limits.velocity)[[3, 4, 5, 0, 1, 2]]
    corners = limits * np.array(list(itertools.product((-1, 1), repeat=6)))
    wanted = np.abs(JACOBIANS @ corners.T).max(axis=2)
    np.testing.assert_allclose(most_leg_rates(SIMONA, **POSES), wanted, rtol=1e-14)
