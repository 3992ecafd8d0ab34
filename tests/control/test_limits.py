"""Limits: never exceeded whatever is demanded, transparent inside, and without wind-up."""

from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from motionbase.compile import compile, scan
from motionbase.control.limits import LIMIT, WITHIN

DT = 0.0005
X_MIN, X_MAX, V_MAX, A_MAX, A_BRAKE = -0.5, 0.7, 1.0, 10.0, 5.0
SCAN = scan(LIMIT, {"before": "after"}, per_step=["target"], record=["motion", "acts", "after"])


def limited(target: np.ndarray, before: tuple[float, float] = (0.0, 0.0)) -> dict[str, np.ndarray]:
    bounds: dict[str, Any] = {"x_min": X_MIN, "x_max": X_MAX, "v_max": V_MAX, "a_max": A_MAX, "a_brake": A_BRAKE}
    return dict(SCAN(len(target), dt=DT, **bounds, before=np.array(before), target=target))


def motion_of(positions: np.ndarray) -> np.ndarray:
    v = np.gradient(positions, DT)
    return np.stack([positions, v, np.gradient(v, DT)], axis=1)


pieces = st.lists(
    st.tuples(st.integers(1, 400), st.floats(-3, 3), st.floats(-20, 20), st.floats(-100, 100)), min_size=1, max_size=12
)


@settings(max_examples=150, deadline=None)
@given(pieces)
def test_never_exceeded(pieces: list[tuple[int, float, float, float]]) -> None:
    """Targets that jump anywhere with any claimed velocity. Tolerance: rounding of sums of 1e3 ticks."""
    target = np.concatenate([np.repeat([[x, v, a]], n, axis=0) for n, x, v, a in pieces])
    made = limited(target)
    x, v = made["after"][..., 0], made["after"][..., 1]
    assert X_MIN <= x.min() and x.max() <= X_MAX
    assert np.abs(v).max() <= V_MAX
    assert np.abs(np.diff(v, prepend=0.0)).max() <= A_MAX * DT * (1 + 1e-9)


@settings(max_examples=50, deadline=None)
@given(st.floats(0.1, 20.0), st.floats(0.01, 1.0), st.floats(0, 6.28))
def test_transparent_inside(f: float, part: float, phase: float) -> None:
    """A sine within all limits comes out to the bit, once it has been caught."""
    w = 2 * np.pi * f
    amplitude = 0.9 * part * min(0.5, V_MAX / w, A_MAX / w**2)
    t = np.arange(4000) * DT
    s, c = np.sin(w * t + phase), np.cos(w * t + phase)
    target = amplitude * np.stack([s, w * c, -(w**2) * s], axis=1)
    made = limited(target, (float(target[0, 0] - DT * target[0, 1]), float(target[0, 1])))
    np.testing.assert_array_equal(made["motion"], target)
    assert not made["acts"].any()


def test_release_from_the_limit_is_followed_at_once() -> None:
    """Five seconds far beyond the limit leave no trace: the way back begins with the target's."""
    t = np.arange(14_000) * DT
    x = np.where(t < 5.5, 2.5, np.maximum(0.7 - 0.5 * 0.4 * (t - 5.5) ** 2, 0.3))
    target = motion_of(x)
    target[t < 5.5, 1:] = 0.0
    made = limited(target)
    assert made["motion"][10_900, 0] == X_MAX
    after = t > 5.51
    moving = after & (x > 0.31)
    assert np.abs(made["motion"][moving, 0] - x[moving]).max() < 1e-5  # within 10 ms of the release, 4e-5 m away


def test_brakes_to_the_limit_without_overshoot_at_the_given_deceleration() -> None:
    made = limited(np.repeat([[5.0, 0.0, 0.0]], 4000, axis=0))
    x, v = made["after"][..., 0], made["after"][..., 1]
    assert v.max() == V_MAX
    braking = v[np.argmax(x > X_MAX - 0.09) :]
    assert np.diff(braking).min() >= -A_BRAKE * DT * (1 + 1e-9)
    assert x[-1] == pytest.approx(X_MAX, abs=1e-15)
    # sqrt(2 a d): 1 m/s needs 0.1 m at 5 m/s^2; braking begins there to within a tick's way
    begin = x[np.flatnonzero(v == V_MAX)[-1]]
    assert abs((X_MAX - begin) - V_MAX**2 / (2 * A_BRAKE)) <= V_MAX * DT


def test_step_is_chased_without_overshoot() -> None:
    made = limited(np.repeat([[0.4, 0.0, 0.0]], 4000, axis=0))
    x = made["motion"][..., 0]
    assert x.max() <= 0.4 + 1e-15
    assert x[-1] == 0.4


def test_narrowed_range_is_entered_within_the_limits() -> None:
    made = limited(np.repeat([[0.0, 0.0, 0.0]], 4000, axis=0), (-0.8, 0.0))
    x, v = made["after"][..., 0], made["after"][..., 1]
    assert np.abs(np.diff(v, prepend=0.0)).max() <= A_MAX * DT * (1 + 1e-9)
    assert np.diff(x, prepend=-0.8).min() >= 0.0
    assert x[-1] == 0.0


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_target_that_is_no_number_stops_within_the_limits(wrong: float) -> None:
    target = np.repeat([[0.6, 0.0, 0.0]], 1000, axis=0)
    target[150:, :2] = wrong  # on the way, at 0.37 m/s
    made = limited(target)
    v = made["after"][..., 1]
    assert np.isfinite(made["motion"]).all()
    assert v[149] > 0.3 and v[-1] == 0.0
    assert np.abs(np.diff(v)).max() <= A_MAX * DT * (1 + 1e-9)


def test_demand_check() -> None:
    within = compile(WITHIN)
    motion = np.zeros((6, 3))
    assert within(np.ones(6), np.ones(6), motion) == 1.0
    for place, value in (((3, 0), 1.01), ((0, 1), -1.01), ((1, 0), np.nan)):
        wrong = motion.copy()
        wrong[place] = value
        assert within(np.ones(6), np.ones(6), wrong) == 0.0


def test_same_bits_on_python_and_c() -> None:
    rng = np.random.default_rng(2)
    llvm = compile(LIMIT)
    for target in ("python", "c"):
        other = compile(LIMIT, target)
        for _ in range(30):
            x = rng.normal(size=5)
            arguments = (DT, X_MIN, X_MAX, V_MAX, A_MAX, A_BRAKE, x[:2], x[2:])
            for got, want in zip(other(*arguments), llvm(*arguments), strict=True):
                np.testing.assert_array_equal(got, want)
