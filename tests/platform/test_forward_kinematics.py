"""Forward kinematics: back to the pose the lengths came from, and honest where there is none."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motionbase.compile import compile
from motionbase.platform.forward import ITERATIONS, TOLERANCE, forward_kinematics
from motionbase.platform.kinematics import Kinematics
from motionbase.platform.load import PRESETS, load_platform
from tests.tier import often

SIMONA = load_platform("simona")
KINEMATICS = Kinematics(SIMONA)
FORWARD, INVERSE, POSE = (compile(k) for k in (KINEMATICS.forward, KINEMATICS.inverse, KINEMATICS.pose_of_dof))
NEUTRAL = SIMONA.p_neutral, (1.0, 0.0, 0.0, 0.0)
# An error of the lengths becomes one of the pose by the inverse Jacobian, whose norm is below 5 in the workspace.
POSE_TOLERANCE = 5 * 6**0.5 * TOLERANCE
unit = st.floats(-1.0, 1.0)


def within_stroke(dof: list[float]) -> list[float]:
    """The pose drawn back towards neutral until every leg is within its stroke."""
    for _ in range(40):
        l, _ = INVERSE(*POSE(dof))
        if l.min() >= SIMONA.stroke.l_min and l.max() <= SIMONA.stroke.l_max:
            return dof
        dof = [0.9 * x for x in dof]
    raise AssertionError("neutral is outside the stroke")


@given(st.tuples(unit, unit, unit, unit, unit, unit))
@settings(max_examples=often(200), deadline=None)
def test_round_trip_from_neutral(shares: tuple[float, ...]) -> None:
    dof = within_stroke([1.5 * s if k < 2 else 0.9 * s for k, s in enumerate(shares)])
    p, Q = POSE(dof)
    l, _ = INVERSE(p, Q)
    p_W, Q_WP, residual, iterations, converged = FORWARD(l, *NEUTRAL)
    assert converged == 1
    assert residual <= TOLERANCE
    assert iterations <= 7
    np.testing.assert_allclose(p_W, p, rtol=0, atol=POSE_TOLERANCE)
    np.testing.assert_allclose(np.sign(Q_WP @ Q) * Q_WP, Q, rtol=0, atol=POSE_TOLERANCE)
    assert abs(Q_WP @ Q_WP - 1) < 1e-14


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_comes_back(name: str) -> None:
    platform = load_platform(name)
    kinematics = Kinematics(platform)
    dof = 0.4 * np.asarray(platform.limits.position) * [1, -1, 1, -1, 1, -1]
    p, Q = compile(kinematics.pose_of_dof)(dof)
    l, _ = compile(kinematics.inverse)(p, Q)
    p_W, Q_WP, _, _, converged = compile(kinematics.forward)(l, platform.p_neutral, (1, 0, 0, 0))
    assert converged == 1
    np.testing.assert_allclose(np.concatenate([p_W, Q_WP]), np.concatenate([p, Q]), rtol=0, atol=1e-9)


def test_a_start_at_the_answer_is_kept_to_the_bit() -> None:
    p, Q = POSE([0.2, 0.1, -0.3, 0.1, 0.2, -0.3])
    l, _ = INVERSE(p, Q)
    p_W, Q_WP, _, iterations, converged = FORWARD(l, p, Q)
    assert (iterations, converged) == (0, 1)
    np.testing.assert_array_equal(np.concatenate([p_W, Q_WP]), np.concatenate([p, Q]))


def test_a_start_one_tick_away_takes_one_or_two_steps() -> None:
    """A millisecond at 1 m/s and 1 rad/s."""
    p, Q = POSE([0.2, 0.1, -0.3, 0.1, 0.2, -0.3])
    start = POSE([0.201, 0.101, -0.301, 0.101, 0.201, -0.301])
    _, _, _, iterations, converged = FORWARD(INVERSE(p, Q)[0], *start)
    assert converged == 1
    assert iterations == 2


def test_convergence_is_quadratic() -> None:
    """The error after one more step is at most about the square of the error before, in metres."""
    p, Q = POSE([0.05, -0.05, 0.07, 0.05, -0.05, 0.05])
    l, _ = INVERSE(p, Q)
    errors = [float(compile(forward_kinematics(SIMONA, n, 1e-15))(l, *NEUTRAL)[2]) for n in (1, 2, 3)]
    assert 1e-4 < errors[0] < 1e-2
    assert errors[1] < 2 * errors[0] ** 2
    assert errors[2] < max(2 * errors[1] ** 2, 2e-15)


@pytest.mark.parametrize("l", [[2.2, 3.3, 1.0, 5.0, 2.0, 0.1], [0.1] * 6, [1e200] * 6, [2.7, 2.7, 2.7, 2.7, 2.7, 20.0]])
def test_lengths_that_no_pose_has_are_told(l: list[float]) -> None:
    p, Q, residual, iterations, converged = FORWARD(l, *NEUTRAL)
    assert converged == 0
    assert iterations == ITERATIONS
    assert residual > 1e-3
    assert np.all(np.isfinite(p)) and np.all(np.isfinite(Q))


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
@pytest.mark.parametrize("mode", ["strict", "fast"])
def test_a_length_that_is_no_number_leaves_the_start(wrong: float, mode: str) -> None:
    l = SIMONA.l_neutral.copy()
    l[2] = wrong
    start = POSE([0.1, 0, 0, 0, 0, 0.1])
    forward = compile(KINEMATICS.forward, mode="fast" if mode == "fast" else "strict")
    p, Q, residual, _, converged = forward(l, *start)
    assert converged == 0
    assert residual == np.inf
    np.testing.assert_allclose(np.concatenate([p, Q]), np.concatenate(start), rtol=0, atol=1e-15)


def test_a_singular_start_divides_by_nothing() -> None:
    """At a yaw of 90 degrees the legs lose a degree of freedom, whatever the numbers of such a symmetric platform."""
    start = POSE([0, 0, 0, 0, 0, np.pi / 2])
    J = compile(KINEMATICS.jacobian)(*start)
    assert np.linalg.cond(J) > 1e3
    p, Q, *_ = FORWARD(SIMONA.l_neutral, *start)
    assert np.all(np.isfinite(p)) and np.all(np.isfinite(Q))


def test_fast_mode_and_lanes_agree_with_strict() -> None:
    """Both stop within the tolerance; lanes run on until the slowest is done and keep what the others had."""
    rng = np.random.default_rng(3)
    poses = [POSE(0.3 * rng.uniform(-1, 1, 6)) for _ in range(8)]
    l = np.stack([INVERSE(*pose)[0] for pose in poses], axis=-1)
    wanted = [FORWARD(l[:, k], *NEUTRAL) for k in range(8)]
    start = [np.repeat(np.asarray(a)[:, None], 8, axis=1) for a in NEUTRAL]
    lanes = compile(KINEMATICS.forward, lanes=8)(l, *start)
    for k, one in enumerate(wanted):
        for many, alone in zip(lanes, one, strict=True):
            np.testing.assert_array_equal(many[..., k], alone)
        fast = compile(KINEMATICS.forward, mode="fast")(l[:, k], *NEUTRAL)
        np.testing.assert_allclose(fast[0], one[0], rtol=0, atol=2 * POSE_TOLERANCE)


def test_the_interpreter_gives_the_same_bits() -> None:
    l, _ = INVERSE(*POSE([0.2, -0.1, 0.1, 0.1, -0.2, 0.3]))
    reference = compile(KINEMATICS.forward, "python")(l, *NEUTRAL)
    for ours, wanted in zip(FORWARD(l, *NEUTRAL), reference, strict=True):
        np.testing.assert_array_equal(ours, wanted)
