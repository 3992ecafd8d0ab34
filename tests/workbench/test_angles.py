"""Angles of joints and actuators against explicit frames, and against the gimbals of the dynamics."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from motionbase.compile import Kernel, Port, compile
from motionbase.errors import PlatformError
from motionbase.platform.gimbals import Gimbals, neutral_frames
from motionbase.platform.kinematics import POSE, Kinematics
from motionbase.platform.load import PRESETS, load_platform
from motionbase.platform.mechanism import Mechanism
from motionbase.spatial.rotations import R_quaternion
from motionbase.workbench.posture import Postures, at_dof, at_legs, postures

SIMONA = load_platform("simona")
SPREAD = np.array([0.3, 0.3, 0.25, 0.2, 0.2, 0.35])  # of the poses [m, rad]
ROUNDING = 1e-13  # [rad]: a hundred roundings of numbers near 1
Array = np.ndarray
dofs = arrays(np.float64, 6, elements=st.floats(-1, 1)).map(lambda x: x * SPREAD)


def about(axis: int, angle: float) -> Array:
    """Rotation about a coordinate axis."""
    c, s = np.cos(angle), np.sin(angle)
    R = np.eye(3)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R[i, i], R[i, j], R[j, i], R[j, j] = c, -s, s, c
    return R


def turned(neutral: Array, angles: Array) -> Array:
    """Axes after the first bearing has turned, then the second, which the first carries."""
    axes: Array = neutral @ about(0, angles[0]) @ about(1, angles[1])
    return axes


def rotation(found: Postures) -> Array:
    """R_WP of the first pose."""
    return np.array(compile(Kernel("R", POSE[1:], (Port("R", (3, 3), "-"),), R_quaternion))(Q_WP=found.Q_WP[0]))


@settings(deadline=None, max_examples=60)
@given(dofs)
def test_bearings_turn_the_legs_to_where_they_point(dof: Array) -> None:
    """Frames put together from the angles have the legs as third axes; what is left between is the rods' rotation."""
    found = at_dof(SIMONA, dof)
    R, frames = rotation(found), neutral_frames(SIMONA)
    for leg in range(6):
        d = found.p_W[0] + R @ np.array(SIMONA.joints[leg]) - np.array(SIMONA.base[leg])
        u = d / np.linalg.norm(d)
        cylinder = turned(frames[leg], found.base[0, leg])
        rod = R @ turned(frames[leg], found.platform[0, leg])
        np.testing.assert_allclose(cylinder[:, 2], u, atol=ROUNDING)
        np.testing.assert_allclose(rod[:, 2], u, atol=ROUNDING)
        np.testing.assert_allclose(cylinder.T @ rod, about(2, found.rotation[0, leg]), atol=ROUNDING)
        elevation, azimuth = found.actuator[0, leg]
        flat = np.cos(elevation)
        np.testing.assert_allclose(
            u, [flat * np.cos(azimuth), flat * np.sin(azimuth), np.sin(elevation)], atol=ROUNDING
        )


@pytest.mark.parametrize("name", PRESETS)
def test_neutral_has_no_angles(name: str) -> None:
    found = at_dof(load_platform(name), np.zeros(6))
    for angles in (found.base, found.platform, found.rotation):
        assert np.abs(angles).max() < ROUNDING


def test_the_dynamics_has_the_same_angles_at_the_base() -> None:
    s = SIMONA
    mechanism = Mechanism(np.array(s.base), np.array(s.joints), np.array(s.p_neutral), s.payload, s.cylinder, s.rod)
    size = mechanism.model.neutral.size
    coordinates = Kernel("q", POSE, (Port("q", size, "-"),), mechanism.coordinates)
    found = at_dof(s, [0.2, -0.1, 0.1, 0.1, -0.15, 0.2])
    q = compile(coordinates)(p_W=found.p_W[0], Q_WP=found.Q_WP[0])[7:].reshape(6, 3)
    np.testing.assert_allclose(found.base[0], q[:, :2], atol=ROUNDING)


def test_leg_lengths_lead_back_to_the_pose() -> None:
    dof = np.outer(np.linspace(0, 1, 20), [0.3, -0.2, 0.1, 0.1, -0.15, 0.3])
    wanted = at_dof(SIMONA, dof)
    found = at_legs(SIMONA, wanted.l)
    np.testing.assert_allclose(found.dof, dof, atol=1e-9)  # forward kinematics stops at 1e-10 m
    np.testing.assert_allclose(found.rotation, wanted.rotation, atol=1e-9)


def test_what_has_no_answer_is_said() -> None:
    with pytest.raises(PlatformError, match=r"no pose was found with the leg lengths of row 2, 9\.0000"):
        at_legs(SIMONA, np.array([SIMONA.l_neutral, [9.0, 2.2, 2.2, 2.2, 2.2, 2.2]]))
    with pytest.raises(PlatformError, match="rows of 6 finite numbers are wanted"):
        at_dof(SIMONA, [[0.0, np.nan, 0, 0, 0, 0]])
    on_the_base = np.array(SIMONA.base[3]) - np.array(SIMONA.joints[3])
    with pytest.raises(PlatformError, match="both joints of leg 4 in one place"):
        postures(SIMONA, on_the_base, [1.0, 0, 0, 0])
    with pytest.raises(PlatformError, match="gimbals: base is .*two angles above 0"):
        Gimbals(base=(0.5, -0.1))
    with pytest.raises(PlatformError, match="gimbals: platform is"):
        Gimbals(platform=(2.0, 0.1))


def test_one_by_one_is_the_same_as_all_at_once() -> None:
    dof = np.random.default_rng(3).uniform(-1, 1, (13, 6)) * SPREAD  # no multiple of any number of lanes
    together = at_dof(SIMONA, dof)
    pose = compile(Kinematics(SIMONA).pose_of_dof).map(dof=dof)
    for k in range(len(dof)):
        alone = postures(SIMONA, pose["p_W"][k], pose["Q_WP"][k])
        np.testing.assert_array_equal(alone.base[0], together.base[k])
        assert alone.dexterity[0] == together.dexterity[k]
