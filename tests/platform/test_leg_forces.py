"""Leg forces of poses and motions against the plant's own equations, statics and virtual work."""

from functools import cache

import numpy as np
import pytest

from motionbase.compile import compile
from motionbase.errors import PlatformError
from motionbase.plant import motion as plant
from motionbase.plant import rest
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.kinematics import Kinematics
from motionbase.platform.load import PRESETS, load_platform
from motionbase.platform.sizing.forces import BLOCK, LegMotion, Motion, holding_forces, rotations
from motionbase.workbench.maps import MEANING, plane_map, plane_of
from motionbase.workbench.workspace import Workspace

G = 9.80665
UPRIGHT = np.array([[1.0, 0, 0, 0]])


def some_dof(h: Hexapod, n: int = 3) -> tuple[np.ndarray, ...]:
    """Poses, velocities and accelerations with nothing special about them, within the platform's limits."""
    rng, limits = np.random.default_rng(5), h.limits
    return tuple(rng.uniform(-0.8, 0.8, (n, 6)) * of for of in (limits.position, limits.velocity, limits.acceleration))


def poses_of(h: Hexapod, dof: np.ndarray) -> dict[str, np.ndarray]:
    found: dict[str, np.ndarray] = compile(Kinematics(h).pose_of_dof).map(dof=dof)
    return found


@cache
def plant_of(name: str) -> plant.Motion:
    return plant.Motion(load_platform(name))


@pytest.mark.parametrize("name", PRESETS)
def test_holding_forces_are_those_at_which_the_plant_stands_still(name: str) -> None:
    """Of 1e4 N, rounding leaves 1e-14 of them."""
    h = load_platform(name)
    pose = poses_of(h, np.vstack([np.zeros(6), some_dof(h)[0]]))
    wanted = [rest.holding_forces(plant_of(name), *one) for one in zip(pose["p_W"], pose["Q_WP"], strict=True)]
    np.testing.assert_allclose(holding_forces(h, **pose), wanted, rtol=1e-12)


@pytest.mark.parametrize("name", PRESETS)
def test_forces_of_a_motion_accelerate_the_plant_as_asked(name: str) -> None:
    """The plant under these forces has the accelerations that they were computed for; rotors and legs included."""
    h, (dof, dof_dot, dof_ddot) = load_platform(name), some_dof(load_platform(name))
    motion, pose = Motion.of_dof(h, dof, dof_dot, dof_ddot), poses_of(h, dof)
    np.testing.assert_allclose(motion.R, rotations(pose["Q_WP"]), atol=1e-14)
    legs = LegMotion(h, motion)
    f = legs.forces(reflected=plant_of(name).kind.reflected)
    dynamics = compile(plant_of(name).mechanism.forward_dynamics)
    for k, R in enumerate(motion.R):
        V = np.concatenate([R.T @ motion.omega[k], R.T @ motion.v[k]])
        V_dot, l, l_dot, l_ddot, _ = dynamics(pose["p_W"][k], pose["Q_WP"][k], V, f[k], np.zeros(6))
        a = R @ V_dot[3:] + np.cross(motion.omega[k], motion.v[k])
        np.testing.assert_allclose(R @ V_dot[:3], motion.alpha[k], atol=1e-11)  # rounding leaves 2e-13 of 10
        np.testing.assert_allclose(a, motion.a[k], atol=1e-11)
        for found, wanted in ((l, legs.lengths), (l_dot, legs.l_dot), (l_ddot, legs.l_ddot)):
            np.testing.assert_allclose(found, wanted[k], atol=1e-11)


@pytest.mark.parametrize("name", PRESETS)
def test_level_legs_carry_payload_rods_and_their_share_of_the_cylinders(name: str) -> None:
    """By hand at neutral: the vertical parts of all forces, each leg by its moments about its foot."""
    h = load_platform(name)
    f = holding_forces(h, np.array([h.p_neutral]), UPRIGHT)[0]
    legs = np.array(h.p_neutral) + np.array(h.joints) - np.array(h.base)
    sine = legs[:, 2] / h.l_neutral
    lever = (h.cylinder.mass * h.cylinder.com + h.rod.mass * (h.l_neutral - h.rod.com)) / h.l_neutral
    # across the leg the upper joint carries what the lever says; along it the rod alone hangs on the actuator
    at_joint = G * (lever * (1 - sine**2) + h.rod.mass * sine**2)
    assert f @ sine == pytest.approx(G * h.payload.mass + at_joint.sum(), rel=1e-12)


def test_a_load_from_outside_adds_by_virtual_work() -> None:
    h = load_platform("simona")
    wrench = np.array([300.0, -200.0, 100.0, 1000.0, -500.0, 2000.0])
    pose = poses_of(h, some_dof(h)[0])
    J = compile(Kinematics(h).jacobian).map(**pose)["J"]
    more = holding_forces(h, **pose, wrench_W=wrench) - holding_forces(h, **pose)
    for k in range(len(J)):
        np.testing.assert_allclose(J[k].T @ more[k], -wrench, atol=1e-8)


def test_many_poses_are_taken_in_blocks() -> None:
    h = load_platform("odu")
    n = BLOCK + 3
    found = holding_forces(h, np.tile(h.p_neutral, (n, 1)), np.tile(UPRIGHT, (n, 1)))
    assert found.shape == (n, 6) and np.ptp(found, axis=0).max() == 0
    assert holding_forces(h, np.empty((0, 3)), np.empty((0, 4))).shape == (0, 6)


def test_a_load_that_is_none_is_said() -> None:
    h = load_platform("simona")
    with pytest.raises(PlatformError, match="six finite numbers are wanted: moment"):
        holding_forces(h, np.array([h.p_neutral]), UPRIGHT, wrench_W=[1.0, 2.0])


def test_the_map_of_forces_has_the_legs_and_says_so() -> None:
    found = plane_map(Workspace(load_platform("odu")), "leg-force", plane_of("surge-heave"), points=3)
    h = load_platform("odu")
    assert found.at_neutral == pytest.approx(
        np.abs(rest.holding_forces(plant_of("odu"), np.array(h.p_neutral), UPRIGHT[0])).max()
    )
    assert "payload and legs (cylinders and rods)" in MEANING["leg-force"]
    assert found.summary()["meaning"] == MEANING["leg-force"]
