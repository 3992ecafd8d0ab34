"""Host motion in two: against composing poses, finite differences of a motion, and the legs of the stage."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from motionbase.compile import compile
from motionbase.errors import PlatformError
from motionbase.platform.atlas.decoupling import Decoupling
from motionbase.platform.atlas.load import load_atlas
from motionbase.platform.kinematics import Kinematics
from motionbase.platform.load import load_platform

ATLAS = load_atlas("atlas")
STAGE = load_platform(ATLAS.stage)
HEAD = np.asarray(ATLAS.points["head"])
DECOUPLED, COMPOSED = (compile(kernel) for kernel in (Decoupling(ATLAS).decoupled, Decoupling(ATLAS).composed))
ZERO = np.zeros(3)


def wxyz(rotation: Rotation) -> Any:
    return rotation.as_quat(scalar_first=True)


def pose(p: Any, R: Any) -> np.ndarray:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R, p
    return T


@pytest.mark.parametrize("seed", range(5))
def test_poses_compose_to_what_the_host_wants(seed: int) -> None:
    """World to stage to sphere to head: T_WD = T_WP T_PG T_GS T_SD, anywhere up to upside down."""
    rng = np.random.default_rng(seed)
    p_host, turn = rng.uniform(-0.3, 0.3, 3), Rotation.random(rng=rng)
    Q, p_stage, *_ = DECOUPLED(p_host, 3.0 * wxyz(turn), ZERO, ZERO, ZERO, ZERO)  # any length of the quaternion
    T_WP = pose(np.asarray(STAGE.p_neutral) + p_stage, np.eye(3))  # level
    T_PG, T_SD = pose(ATLAS.mount, np.eye(3)), pose(HEAD, np.eye(3))
    T_GS = pose(ZERO, Rotation.from_quat(Q, scalar_first=True).as_matrix())
    T_WD = T_WP @ T_PG @ T_GS @ T_SD
    at_neutral = np.asarray(STAGE.p_neutral) + np.asarray(ATLAS.mount) + HEAD
    np.testing.assert_allclose(T_WD, pose(at_neutral + p_host, turn.as_matrix()), rtol=0, atol=1e-14)


def motion(t: float) -> tuple[np.ndarray, Rotation]:
    """A smooth motion of the host: a figure of eight while turning over."""
    p = 0.1 * np.array([math.sin(t), math.sin(2 * t), math.cos(1.3 * t)])
    return p, Rotation.from_euler("ZYX", [0.9 * t, 0.5 * math.sin(t), 1.1 * t]) * Rotation.from_rotvec([0.2, -0.4, 0.1])


def rates(t: float, h: float = 1e-3) -> tuple[np.ndarray, ...]:
    """Velocity, angular velocity, acceleration, angular acceleration in W, by differences of sixth order."""
    weights = {1: 3 / 4, 2: -3 / 20, 3: 1 / 60}

    def spin(s: float) -> np.ndarray:
        """Of a symmetric difference of rotations, extrapolated."""
        R = motion(s)[1]
        part = [
            (motion(s + k * h)[1] * R.inv()).as_rotvec() - (motion(s - k * h)[1] * R.inv()).as_rotvec() for k in weights
        ]
        return np.asarray(sum(w * d for w, d in zip(weights.values(), part, strict=True)) / h)

    def velocity(s: float) -> np.ndarray:
        return np.asarray(sum(w * (motion(s + k * h)[0] - motion(s - k * h)[0]) for k, w in weights.items()) / h)

    def change(of: Any) -> np.ndarray:
        return np.asarray(sum(w * (of(t + k * h) - of(t - k * h)) for k, w in weights.items()) / h)

    return velocity(t), spin(t), change(velocity), change(spin)


@pytest.mark.parametrize("t", [0.0, 0.7, 2.9])
def test_rates_are_those_of_the_motion(t: float) -> None:
    """The stage's velocity and acceleration are derivatives of its displacement; the wheels' speeds J_omega Omega."""

    def at(s: float) -> Any:
        p, R = motion(s)
        v, omega, a, alpha = rates(s)
        return DECOUPLED(p, wxyz(R), v, omega, a, alpha)

    h, now = 1e-3, at(t)
    weights = {1: 3 / 4, 2: -3 / 20, 3: 1 / 60}
    for value, rate in ((1, 2), (2, 3), (4, 5)):
        found = sum(w * (at(t + k * h)[value] - at(t - k * h)[value]) for k, w in weights.items()) / h
        # rounding 1e-16 / h^2 of second differences, times the wheels' gain of 11
        np.testing.assert_allclose(now[rate], found, rtol=0, atol=3e-8)
    np.testing.assert_allclose(now[4], ATLAS.J_omega @ rates(t)[1], rtol=0, atol=1e-12)


def test_the_way_back() -> None:
    rng = np.random.default_rng(7)
    for _ in range(10):
        p, v, omega, a, alpha = rng.standard_normal((5, 3))
        Q, p_stage, v_stage, a_stage, *_ = DECOUPLED(p, wxyz(Rotation.random(rng=rng)), v, omega, a, alpha)
        back = COMPOSED(p_stage, Q, v_stage, omega, a_stage, alpha)
        for found, given in zip(back, (p, v, a), strict=True):
            np.testing.assert_allclose(found, given, rtol=0, atol=1e-14 * 10)


def test_at_the_centre_the_two_are_independent() -> None:
    """The stage follows the host alone, whatever the sphere does; to the bit."""
    centre = compile(Decoupling(ATLAS, "centre").decoupled)
    rng = np.random.default_rng(2)
    p, v, omega, a, alpha = rng.standard_normal((5, 3))
    _, *stage, _, _ = centre(p, wxyz(Rotation.random(rng=rng)), v, omega, a, alpha)
    for found, given in zip(stage, (p, v, a), strict=True):
        np.testing.assert_array_equal(found, given)


def test_a_steady_spin_asks_the_stage_for_a_circle() -> None:
    """Yaw at a constant rate with the head still: the stage goes round with the head's distance from the axis."""
    omega = np.array([0.0, 0.0, 0.5])
    out = [
        DECOUPLED(ZERO, wxyz(Rotation.from_rotvec(s * omega)), ZERO, omega, ZERO, ZERO) for s in np.linspace(0, 9, 7)
    ]
    for _, p, v, a, wheels, _ in out:
        assert np.hypot(*(p - HEAD)[:2]) == pytest.approx(np.hypot(*HEAD[:2]), rel=1e-14)
        assert np.linalg.norm(v) == pytest.approx(0.5 * np.hypot(*HEAD[:2]), rel=1e-14)
        assert np.linalg.norm(a) == pytest.approx(0.25 * np.hypot(*HEAD[:2]), rel=1e-13)
        np.testing.assert_allclose(wheels, 0.5 * 7.6 * math.sqrt(0.5), rtol=1e-13)  # level contacts turn alike


def test_the_legs_of_the_stage_take_the_head_there() -> None:
    """Leg lengths of the demand, and forward kinematics of the stage from neutral."""
    kinematics = Kinematics(STAGE)
    p_host, turn = np.array([0.05, -0.04, 0.06]), Rotation.from_euler("ZYX", [0.3, 0.1, -0.15])
    Q, p_stage, *_ = DECOUPLED(p_host, wxyz(turn), ZERO, ZERO, ZERO, ZERO)
    l, _ = compile(kinematics.inverse)(np.asarray(STAGE.p_neutral) + p_stage, (1, 0, 0, 0))
    assert STAGE.stroke.l_min < l.min() and l.max() < STAGE.stroke.l_max
    p_W, Q_WP, *_, converged = compile(kinematics.forward)(l, STAGE.p_neutral, (1, 0, 0, 0))
    assert converged == 1
    head = p_W + np.asarray(ATLAS.mount) + turn.apply(HEAD)
    wanted = np.asarray(STAGE.p_neutral) + np.asarray(ATLAS.mount) + HEAD + p_host
    np.testing.assert_allclose(head, wanted, rtol=0, atol=1e-9)  # the legs fit to 1e-10 m
    np.testing.assert_allclose(np.abs(Q_WP), [1, 0, 0, 0], atol=1e-9)


def test_a_head_off_the_centre_is_not_free_to_turn() -> None:
    """Turned by an angle about an axis across r, a point that stays asks for 2 |r| sin(angle / 2) of the stage."""
    axis = np.cross(HEAD, [0.0, 1.0, 0.0]) / np.linalg.norm(HEAD)
    for angle in (0.3, 1.0, math.pi):
        _, p_stage, *_ = DECOUPLED(ZERO, wxyz(Rotation.from_rotvec(angle * axis)), ZERO, ZERO, ZERO, ZERO)
        assert np.linalg.norm(p_stage) == pytest.approx(2 * np.linalg.norm(HEAD) * math.sin(angle / 2), rel=1e-13)


def test_a_point_that_is_not_there() -> None:
    with pytest.raises(PlatformError, match="platform 'atlas' has no point 'eye'; points: centre, head"):
        Decoupling(ATLAS, "eye")
