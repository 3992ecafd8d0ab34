"""Angles of joints and actuators, and dexterity, against frames, the gimbals of the dynamics and definitions."""

from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from motionbase.compile import Kernel, Port, compile
from motionbase.errors import PlatformError
from motionbase.platform.gimbals import Gimbals, neutral_frames
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.kinematics import POSE, Kinematics
from motionbase.platform.legs import Legs, legs_at
from motionbase.platform.load import PRESETS, load_platform
from motionbase.platform.mechanism import Mechanism
from motionbase.platform.parts import Stroke
from motionbase.spatial.rotations import R_quaternion, quaternion_euler_zyx
from motionbase.workbench.posture import (
    DEFINITIONS,
    Definition,
    Postures,
    at_dof,
    at_legs,
    dexterity,
    postures,
    scaling,
)

SIMONA = load_platform("simona")
SPREAD = np.array([0.3, 0.3, 0.25, 0.2, 0.2, 0.35])  # of the poses [m, rad]
ROUNDING = 1e-13  # [rad]: a hundred roundings of numbers near 1
Array = np.ndarray
dofs = arrays(np.float64, 6, elements=st.floats(-1, 1)).map(lambda x: x * SPREAD)
HERE = np.array([0.3, -0.2, 0.1, 0.1, -0.15, 0.3])


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


def of_legs(u: Array, b: Array, definition: Definition) -> float:
    """Of legs with these directions at these joints, all seen from the platform's origin."""
    radius = float(np.sqrt(np.mean(np.sum(b**2, axis=1))))
    scale = np.array([1 / radius] * 3 + [1.0] * 3)
    platform = cast(Hexapod, SimpleNamespace(joints=b, twist_scale=scale))
    legs = Legs(ca.SX(6, 1), ca.SX(ca.DM(u)), ca.SX(ca.DM(b)))
    return float(ca.evalf(dexterity(platform, legs, ca.SX.eye(3), definition)))


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_definition(definition: Definition) -> None:
    found = at_dof(SIMONA, HERE, definition)
    pose = {"p_W": found.p_W[0], "Q_WP": found.Q_WP[0]}
    J = compile(Kinematics(SIMONA).jacobian)(**pose)
    w, x, y, z = pose["Q_WP"]
    R = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                  [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                  [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])  # fmt: skip
    K = np.hstack([J[:, :3] @ R, J[:, 3:] @ R]) @ scaling(SIMONA, definition)
    wanted = 6 / (np.linalg.norm(K) * np.linalg.norm(np.linalg.inv(K)))
    assert found.dexterity[0] == pytest.approx(wanted, rel=1e-12)  # squares of a condition number of 5, some rounding
    least, most = np.linalg.svd(K)[1][[-1, 0]]
    assert least / most <= found.dexterity[0] <= 1  # no worse than by the 2-norm


def test_the_velocities_of_the_joints_are_what_points_means() -> None:
    """K of `points` has the singular values of the map from joint velocities to leg rates."""
    J = compile(Kinematics(SIMONA).jacobian)(p_W=np.array(SIMONA.p_neutral), Q_WP=np.array([1.0, 0, 0, 0]))
    G = np.vstack([np.hstack([np.cross(np.eye(3), b).T, np.eye(3)]) for b in np.array(SIMONA.joints)])
    np.testing.assert_allclose(G @ [0, 0, 1, 0, 0, 0], np.cross([0, 0, 1], SIMONA.joints).ravel(), atol=1e-15)
    by_points = np.linalg.svd(J @ np.linalg.pinv(G))[1]
    np.testing.assert_allclose(np.linalg.svd(J @ scaling(SIMONA, "points"))[1], by_points, rtol=1e-12)


def test_isotropic_designs_have_one() -> None:
    """Joints at the corners of an octahedron with legs along its tangents: all rows are normal to each other."""
    axes = np.eye(3)
    b = np.vstack([[axes[k], -axes[k]] for k in range(3)])
    u = np.vstack([[axes[(k + 1) % 3]] * 2 for k in range(3)])
    assert of_legs(u, b, "characteristic") == pytest.approx(1.0, rel=1e-14)
    assert of_legs(u, 0.3 * b, "characteristic") == pytest.approx(1.0, rel=1e-14)
    leaning = u + 0.1 * b
    assert of_legs(leaning / np.linalg.norm(leaning, axis=1)[:, None], b, "characteristic") < 0.999


def test_a_quarter_turn_is_singular() -> None:
    """Hexagons a sixth of a turn apart lock at a quarter turn, whatever the height (Fichter)."""
    turns = np.zeros((3, 6))
    turns[:, 5] = np.radians([0, 60, 90])
    for definition in DEFINITIONS:
        found = at_dof(SIMONA, turns, definition).dexterity
        assert found[1] > 0.01 and found[2] < 1e-7  # the root of rounding, for the matrix is squared


def without_compiling(platform: Hexapod, dof: Array, definition: Definition) -> float:
    """At a pose, by CasADi's own arithmetic."""
    p, Q = ca.SX(ca.DM(platform.p_neutral) + ca.DM(dof[:3])), quaternion_euler_zyx(ca.SX(ca.DM(dof[3:])))
    return float(ca.evalf(dexterity(platform, legs_at(platform, p, Q), R_quaternion(Q), definition)))


@pytest.mark.parametrize("unit", [1000.0, 1 / 0.0254])
def test_units_of_length_change_nothing(unit: float) -> None:
    """The same platform measured in millimetres and in inches."""
    s = SIMONA.stroke
    scaled = replace(
        SIMONA,
        base=tuple((unit * x, unit * y, unit * z) for x, y, z in SIMONA.base),
        joints=tuple((unit * x, unit * y, unit * z) for x, y, z in SIMONA.joints),
        p_neutral=tuple(unit * np.array(SIMONA.p_neutral)),
        l_down=unit * SIMONA.l_down,
        stroke=Stroke(*(unit * x for x in (s.l_min, s.l_max, s.hard_min, s.hard_max, s.cushion))),
        limits=replace(
            SIMONA.limits,
            velocity=tuple(np.array(SIMONA.limits.velocity) * ([unit] * 3 + [1.0] * 3)),
            leg_velocity=unit * SIMONA.limits.leg_velocity,
        ),
    )
    for definition in DEFINITIONS:
        one = without_compiling(SIMONA, HERE, definition)
        other = without_compiling(scaled, HERE * ([unit] * 3 + [1.0] * 3), definition)
        if definition == "raw":
            assert abs(one - other) > 0.1 * one
        else:
            assert one == pytest.approx(other, rel=1e-12)
