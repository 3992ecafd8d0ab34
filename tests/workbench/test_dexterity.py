"""Dexterity against its definition by inverse matrices, isotropic designs, singular poses, and units of length."""

from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import casadi as ca
import numpy as np
import pytest

from motionbase.compile import compile
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.kinematics import Kinematics
from motionbase.platform.legs import Legs, legs_at
from motionbase.platform.load import load_platform
from motionbase.platform.parts import Stroke
from motionbase.spatial.rotations import R_quaternion, quaternion_euler_zyx
from motionbase.workbench.posture import DEFINITIONS, Definition, at_dof, dexterity, scaling

SIMONA = load_platform("simona")
Array = np.ndarray
POSE = np.array([0.3, -0.2, 0.1, 0.1, -0.15, 0.3])


def of_legs(u: Array, b: Array, definition: Definition) -> float:
    """Of legs with these directions at these joints, all seen from the platform's origin."""
    radius = float(np.sqrt(np.mean(np.sum(b**2, axis=1))))
    scale = np.array([1 / radius] * 3 + [1.0] * 3)
    platform = cast(Hexapod, SimpleNamespace(joints=b, twist_scale=scale))
    legs = Legs(ca.SX(6, 1), ca.SX(ca.DM(u)), ca.SX(ca.DM(b)))
    return float(ca.evalf(dexterity(platform, legs, ca.SX.eye(3), definition)))


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_definition(definition: Definition) -> None:
    found = at_dof(SIMONA, POSE, definition)
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
        one = without_compiling(SIMONA, POSE, definition)
        other = without_compiling(scaled, POSE * ([unit] * 3 + [1.0] * 3), definition)
        if definition == "raw":
            assert abs(one - other) > 0.1 * one
        else:
            assert one == pytest.approx(other, rel=1e-12)
