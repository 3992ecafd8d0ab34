"""Rates of the legs against each other and the gyros: a rigid platform agrees, and one wrong sensor is told apart."""

from typing import Any

import numpy as np
import pytest

from motionbase.compile import compile
from motionbase.control.agreement import agreement_of
from motionbase.platform.load import load_platform

SIMONA = load_platform("simona")
KERNEL = compile(agreement_of(SIMONA))
DT = 5e-4


def turned(angles: np.ndarray) -> np.ndarray:
    roll, pitch, yaw = angles
    cr, sr, cp, sp, cy, sy = np.cos(roll), np.sin(roll), np.cos(pitch), np.sin(pitch), np.cos(yaw), np.sin(yaw)
    about_x = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    about_y = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    return np.asarray(np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]]) @ about_y @ about_x)


def legs(dof: np.ndarray, v: np.ndarray, omega_W: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Unit vectors (6, 3), leg rates, and angular rate in P of a platform in motion: plain vector geometry."""
    R = turned(dof[3:])
    b = np.asarray(SIMONA.joints) @ R.T
    d = np.asarray(SIMONA.p_neutral) + dof[:3] + b - np.asarray(SIMONA.base)
    u = d / np.linalg.norm(d, axis=1, keepdims=True)
    return u, np.sum(u * (v + np.cross(omega_W, b)), axis=1), R.T @ omega_W


def after(ticks: int, dof: np.ndarray, l_dot: np.ndarray, omega: np.ndarray, **changes: Any) -> np.ndarray:
    state = np.zeros((6, 4))
    for _ in range(ticks):
        given: dict[str, Any] = {"drift_corner": 1.0, "dt": DT, "before": state, "fresh": 0.0, "omega": omega}
        given |= {"apart": np.zeros(6), "doubted": np.zeros(6)}
        state = np.asarray(KERNEL(**given | {"dof": dof, "l_dot": l_dot} | changes))
    return state


@pytest.mark.parametrize("seed", range(4))
def test_a_rigid_platform_agrees_with_itself_in_any_pose_and_motion(seed: int) -> None:
    rng = np.random.default_rng(seed)
    dof = rng.uniform(-1, 1, 6) * [0.4, 0.4, 0.3, 0.3, 0.3, 0.4]
    _, l_dot, omega = legs(dof, rng.uniform(-1, 1, 3), rng.uniform(-1, 1, 3))
    assert np.abs(after(200, dof, l_dot, omega)[:, 0]).max() < 1e-14  # 0.1 s of 1 m/s: rounding


@pytest.mark.parametrize("leg", range(6))
def test_a_wrong_rate_leaves_its_own_part_of_the_projection(leg: int) -> None:
    """After a tenth of a second nearly all of it is gathered: 5 % go the way of drift_corner."""
    rng = np.random.default_rng(7)
    dof = rng.uniform(-1, 1, 6) * [0.3, 0.3, 0.3, 0.2, 0.2, 0.3]
    u, l_dot, omega = legs(dof, rng.uniform(-1, 1, 3), rng.uniform(-1, 1, 3))
    projection = np.eye(6) - u @ np.linalg.solve(u.T @ u, u.T)
    l_dot[leg] += 0.02
    found = after(200, dof, l_dot, omega)
    np.testing.assert_allclose(found[:, 2], np.diag(projection), atol=1e-12)
    np.testing.assert_allclose(found[:, 0], 0.002 * projection[:, leg], atol=0.06 * 0.002)
    blamed = found[:, 0] * 0.002 > 0.5 * found[:, 2] * 0.002**2  # what the monitor of a leg 2 mm apart would say
    assert blamed[leg]


def test_the_bias_of_a_gyro_is_forgotten_and_its_loss_blames_nobody() -> None:
    """0.3 degrees a second for a minute: less than a hundredth of what 5 mm of drift would need to blame a rate."""
    dof = np.zeros(6)
    _, l_dot, omega = legs(dof, np.zeros(3), np.zeros(3))
    found = after(120_000 // 20, dof, l_dot, omega + np.radians(0.3), dt=20 * DT)
    assert np.abs(found[:, 0]).max() < 0.1 * 0.5 * 0.5 * 5e-3
    lost = after(10, dof, l_dot, np.full(3, np.nan))
    assert np.isfinite(lost).all()


def test_it_starts_anew() -> None:
    dof = np.zeros(6)
    _, l_dot, omega = legs(dof, np.zeros(3), np.zeros(3))
    l_dot[2] += 1.0
    assert not after(5, dof, l_dot, omega, fresh=1.0)[:, :2].any()


@pytest.mark.parametrize("wrong", [0.0, np.nan, 1e6], ids=["not there", "nan", "absurd"])
def test_gyros_that_contradict_the_legs_are_found_by_the_first_turn(wrong: float) -> None:
    """Turned by 5 mrad, legs of 1.6 m from the centre disagree by millimetres, and their own drift explains nothing."""
    dof = np.zeros(6)
    _, l_dot, _ = legs(dof, np.zeros(3), np.array([0.0, 0.1, 0.0]))
    assert not after(10, dof, l_dot, np.full(3, wrong))[:, 3].any()
    assert after(100, dof, l_dot, np.full(3, wrong))[:, 3].all()
    excused = {"doubted": np.array([0.0, 1.0, 0.0, 0.0, 0.0, 0.0])}
    assert not after(100, dof, l_dot, np.full(3, wrong), **excused)[:, 3].any()  # a leg's own sensors are to blame
    assert not after(100, dof, l_dot, np.full(3, wrong), apart=np.full(6, 0.02))[:, 3].any()
