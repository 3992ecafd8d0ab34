"""Limits: never exceeded whatever is demanded, transparent inside, and without wind-up."""

from functools import partial
from typing import Any

import casadi as ca
import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from motionbase.compile import Kernel, Scan, compile, kernel, scan
from motionbase.control.limits import LIMITED, SHORT, Limiter, demand_within, falls_short, limited
from tests.tier import often

LIMITER = Limiter.layout.size
LIMIT = Kernel("limit", LIMITED.inputs, LIMITED.outputs, partial(limited, quick=False))

DT = 0.0005
X_MIN, X_MAX, V_MAX, A_MAX, A_CHASE, A_BRAKE = -0.5, 0.7, 1.0, 10.0, 8.0, 5.0
JERK_TIME = 0.04
SCAN = scan(LIMITED, {"before": "after"}, per_step=["target"], record=["motion", "acts", "after"])


def followed(
    target: np.ndarray, before: tuple[float, ...] = (0.0,) * LIMITER, run: Scan = SCAN
) -> dict[str, np.ndarray]:
    bounds: dict[str, Any] = {"x_min": X_MIN, "x_max": X_MAX, "v_max": V_MAX, "a_max": A_MAX, "a_brake": A_BRAKE}
    bounds |= {"a_chase": A_CHASE, "jerk_time": JERK_TIME}
    return dict(run(len(target), dt=DT, **bounds, before=np.array(before), target=target))


def motion_of(positions: np.ndarray) -> np.ndarray:
    v = np.gradient(positions, DT)
    return np.stack([positions, v, np.gradient(v, DT)], axis=1)


pieces = st.lists(
    st.tuples(st.integers(1, 400), st.floats(-3, 3), st.floats(-20, 20), st.floats(-100, 100)), min_size=1, max_size=12
)


@settings(max_examples=often(150), deadline=None)
@given(pieces)
def test_never_exceeded(pieces: list[tuple[int, float, float, float]]) -> None:
    """Targets that jump anywhere with any claimed velocity. Tolerance: rounding of sums of 1e3 ticks."""
    target = np.concatenate([np.repeat([[x, v, a]], n, axis=0) for n, x, v, a in pieces])
    made = followed(target)
    x, v = made["after"][..., 0], made["after"][..., 1]
    assert X_MIN <= x.min() and x.max() <= X_MAX
    assert np.abs(v).max() <= V_MAX
    assert np.abs(np.diff(v, prepend=0.0)).max() <= A_MAX * DT * (1 + 1e-9)


@settings(max_examples=50, deadline=None)
@given(st.floats(0.1, 20.0), st.floats(0.01, 1.0), st.floats(0, 6.28))
def test_transparent_inside(f: float, part: float, phase: float) -> None:
    """A sine within all limits comes out to the bit, once it has been caught."""
    w = 2 * np.pi * f
    amplitude = 0.9 * part * min(0.5, V_MAX / w, A_MAX / w**2, 4 * A_MAX / JERK_TIME / w**3)
    t = np.arange(-2, 4000) * DT
    s, c = np.sin(w * t + phase), np.cos(w * t + phase)
    target = amplitude * np.stack([s, w * c, -(w**2) * s], axis=1)
    v = np.diff(target[:3, 0]) / DT
    made = followed(target[2:], (target[1, 0], v[0], target[1, 2], target[1, 2], 0.0))
    np.testing.assert_array_equal(made["motion"], target[2:])
    assert not made["acts"].any()


def test_release_from_the_limit_is_followed_at_once() -> None:
    """Five seconds far beyond the limit leave no trace: the way back begins with the target's."""
    t = np.arange(14_000) * DT
    x = np.where(t < 5.5, 2.5, np.maximum(0.7 - 0.5 * 0.4 * (t - 5.5) ** 2, 0.3))
    target = motion_of(x)
    target[t < 5.5, 1:] = 0.0
    made = followed(target)
    assert made["motion"][10_900, 0] == pytest.approx(X_MAX, abs=1e-12)  # its last part is exponential
    after = t > 5.51
    moving = after & (x > 0.31)
    # the target's first acceleration is a step of 0.4 m/s^2, which a jerk of 200 m/s^3 meets 2 ms late: a t dt = 4e-7 m
    assert np.abs(made["motion"][moving, 0] - x[moving]).max() < 1e-5


def test_brakes_to_the_limit_without_overshoot() -> None:
    """A target beyond the end: approached by half of the chase's acceleration, and by all of it at most."""
    made = followed(np.repeat([[5.0, 0.0, 0.0]], 6000, axis=0))
    x, v = made["after"][..., 0], made["after"][..., 1]
    assert v.max() == pytest.approx(V_MAX, rel=1e-12)
    braking = v[np.argmax(x > X_MAX - 0.12) :]
    assert np.diff(braking).min() >= -A_CHASE * DT * (1 + 1e-9)
    assert X_MAX - 1e-9 < x[-1] <= X_MAX


def test_a_late_limit_is_kept_with_the_whole_deceleration() -> None:
    """Full speed 0.1 m before the end, where nothing but braking by a_brake from now on is enough."""
    room = V_MAX**2 / (2 * A_BRAKE) + V_MAX * DT
    made = followed(np.repeat([[0.65, 0.0, 0.0]], 2000, axis=0), (X_MAX - room, V_MAX, 0.0, 0.0, 0.0))
    x, v = made["after"][..., 0], made["after"][..., 1]
    assert x.max() <= X_MAX
    assert np.diff(v).min() >= -A_MAX * DT * (1 + 1e-9)


@pytest.mark.parametrize("size", [0.001, 0.02, 0.4, -0.3])
def test_step_is_chased_without_overshoot_and_with_bounded_jerk(size: float) -> None:
    """Overshoot: the last metres of a chase are exponential, what is left is the catch, a_follow dt^2 < j dt^3."""
    made = followed(np.repeat([[size, 0.0, 0.0]], 4000, axis=0))
    x, a = made["motion"][..., 0] * np.sign(size), made["after"][..., 2]
    assert x.max() <= abs(size) + A_CHASE / JERK_TIME * DT**3
    assert x[-1] == abs(size)
    assert np.abs(np.diff(a, prepend=0.0)).max() <= A_CHASE / JERK_TIME * DT * (1 + 1e-9)
    assert np.abs(a).max() <= A_CHASE * (1 + 1e-9)


def test_moving_target_is_caught() -> None:
    """From rest, half a metre from a sine: met for good within a second, passed through to the bit from then on."""
    w, t = 2 * np.pi * 0.5, np.arange(4000) * DT
    target = 0.2 * np.stack([np.cos(w * t), -w * np.sin(w * t), -(w**2) * np.cos(w * t)], axis=1)
    made = followed(target, (-0.3, 0.0, 0.0, 0.0, 0.0))
    assert np.flatnonzero(made["acts"])[-1] * DT < 1.0
    np.testing.assert_array_equal(made["motion"][-1000:], target[-1000:])


@pytest.mark.parametrize("f", [1.0, 2.0, 4.0, 8.0])
@pytest.mark.parametrize("over", [1.02, 1.3, 2.0, 5.0])
def test_a_target_that_is_too_fast_is_not_overshot(f: float, over: float) -> None:
    """Sines of more acceleration than allowed: the output never swings wider than its target, but for a few percent."""
    w, t = 2 * np.pi * f, np.arange(8000) * DT
    amplitude = min(over * A_CHASE / w**2, 0.45)
    fade = np.minimum(t / 1.0, 1.0) ** 3
    made = followed(motion_of(amplitude * fade * np.sin(w * t)))
    assert np.abs(made["motion"][4000:, 0]).max() <= 1.05 * amplitude


def test_narrowed_range_is_entered_within_the_limits() -> None:
    made = followed(np.repeat([[0.0, 0.0, 0.0]], 4000, axis=0), (-0.8, 0.0, 0.0, 0.0, 0.0))
    x, v = made["after"][..., 0], made["after"][..., 1]
    assert np.abs(np.diff(v, prepend=0.0)).max() <= A_MAX * DT * (1 + 1e-9)
    assert np.diff(x, prepend=-0.8).min() >= 0.0
    assert x[-1] == 0.0


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_target_that_is_no_number_stops_within_the_limits(wrong: float) -> None:
    target = np.repeat([[0.6, 0.0, 0.0]], 1000, axis=0)
    target[150:] = wrong  # on the way, at 0.44 m/s
    made = followed(target)
    v = made["after"][..., 1]
    assert np.isfinite(made["motion"]).all()
    assert v[149] > 0.3 and v[-1] == 0.0
    assert np.abs(np.diff(v)).max() <= A_MAX * DT * (1 + 1e-9)


@pytest.mark.parametrize(("size", "told"), [(0.9 * SHORT, False), (1.1 * SHORT, True)])
def test_what_is_only_smoothed_is_no_warning(size: float, told: bool) -> None:
    """A step is chased either way; people are told where the output is noticeably away, and of a NaN."""
    span = X_MAX - X_MIN
    target = np.array([size * span, 0.0, 0.0])
    made = followed(np.repeat([target], 10, axis=0))
    output = ca.SX(made["motion"][0])
    assert made["acts"][0] == 1.0
    assert float(falls_short(output, ca.SX(target), ca.SX(span))) == told
    assert float(falls_short(output, ca.SX(np.full(3, np.nan)), ca.SX(span))) == 1.0


def test_demand_check() -> None:
    within = compile(kernel(demand_within))
    motion = np.zeros((6, 3))
    assert within(np.ones(6), np.ones(6), motion) == 1.0
    for place, value in (((3, 0), 1.01), ((0, 1), -1.01), ((1, 0), np.nan)):
        wrong = motion.copy()
        wrong[place] = value
        assert within(np.ones(6), np.ones(6), wrong) == 0.0


PLAIN = scan(LIMIT, {"before": "after"}, per_step=["target"], record=["motion", "acts", "after"])


@settings(max_examples=often(100), deadline=None)
@given(pieces, st.floats(0.1, 8.0), st.floats(0.0, 0.9))
def test_the_quick_way_gives_the_same_bits(
    pieces: list[tuple[int, float, float, float]], f: float, amplitude: float
) -> None:
    """Sines through the limits and jumps after them: with the short cut and without."""
    w, t = 2 * np.pi * f, np.arange(3000) * DT
    sine = amplitude * np.stack([np.sin(w * t), w * np.cos(w * t), -(w**2) * np.sin(w * t)], axis=1)
    target = np.concatenate([sine, *(np.repeat([[x, v, a]], n, axis=0) for n, x, v, a in pieces), sine])
    quick, plain = followed(target), followed(target, run=PLAIN)
    for name in quick:
        np.testing.assert_array_equal(quick[name], plain[name])


def test_same_bits_on_python_and_c() -> None:
    rng = np.random.default_rng(2)
    llvm = compile(LIMITED)
    for target in ("python", "c"):
        other = compile(LIMITED, target)
        for _ in range(30):
            x = rng.normal(size=8)
            arguments = (DT, JERK_TIME, X_MIN, X_MAX, V_MAX, A_MAX, A_CHASE, A_BRAKE, x[:5], x[5:])
            for got, want in zip(other(*arguments), llvm(*arguments), strict=True):
                np.testing.assert_array_equal(got, want)
