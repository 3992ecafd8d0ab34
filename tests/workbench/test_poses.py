"""Kernels on lanes give the bits of one pose at a time."""

import numpy as np
import pytest

from motionbase.compile import compile
from motionbase.platform.kinematics import Kinematics
from motionbase.platform.load import load_platform
from motionbase.workbench.poses import LANES, on_lanes
from motionbase.workbench.posture import posture_kernel

SIMONA = load_platform("simona")
RNG = np.random.default_rng(5)
Array = np.ndarray


def random_poses(n: int) -> tuple[Array, Array, Array]:
    dof = RNG.uniform(-1, 1, (n, 6)) * [0.8, 0.8, 0.6, 0.5, 0.5, 0.8]
    pose = compile(Kinematics(SIMONA).pose_of_dof).map(dof=dof)
    return dof, pose["p_W"], pose["Q_WP"]


@pytest.mark.parametrize("n", [1, LANES, 2 * LANES + 3, 2048 + 5])
def test_lanes_give_the_same_bits(n: int) -> None:
    _, p, Q = random_poses(n)
    kernel = posture_kernel(SIMONA)
    one_by_one = compile(kernel).map(p_W=p, Q_WP=Q)
    for name, values in on_lanes(kernel, p_W=p, Q_WP=Q).items():
        np.testing.assert_array_equal(values, one_by_one[name])
