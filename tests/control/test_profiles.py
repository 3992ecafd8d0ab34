"""Moves: where they begin and end, continuity, and the bounds of velocity and acceleration."""

import hypothesis.strategies as st
import numpy as np
from hypothesis import given, settings

from motionbase.compile import compile, kernel
from motionbase.control import profiles

RUN_PLAN, RUN_MOVE = compile(kernel(profiles.planned)), compile(kernel(profiles.moved))
V_MAX, A_MAX, LEAST = 0.3, 1.2, 0.5


def moved(now: list[float], target: float, goes: float, tau: np.ndarray) -> tuple[np.ndarray, float]:
    plan, duration = RUN_PLAN(LEAST, V_MAX, A_MAX, now, target, goes)
    n = len(tau)
    motion = RUN_MOVE.map(plan=np.repeat(plan[None], n, axis=0), duration=np.full(n, float(duration)), tau=tau)["moved"]
    return np.asarray(motion), float(max(duration, plan[3]))


states = st.tuples(st.floats(-1, 1), st.floats(-1, 1), st.floats(-2, 2))


@settings(max_examples=100, deadline=None)
@given(states, st.floats(-2, 2))
def test_move_begins_as_it_was_and_ends_at_rest_at_its_target(now: tuple[float, ...], target: float) -> None:
    _, end = moved(list(now), target, 1.0, np.zeros(1))
    motion, _ = moved(list(now), target, 1.0, np.array([0.0, end, end + 10]))
    np.testing.assert_allclose(motion[0], now, atol=1e-12)
    np.testing.assert_allclose(motion[1:], [[target, 0, 0]] * 2, atol=1e-12)


@settings(max_examples=100, deadline=None)
@given(states, st.floats(-2, 2), st.sampled_from([0.0, 1.0]))
def test_move_stays_within_its_bounds(now: tuple[float, ...], target: float, goes: float) -> None:
    """Stop and travel run at once: each is bounded, so their sum is."""
    _, v, a = now
    _, end = moved(list(now), target, goes, np.zeros(1))
    motion, _ = moved(list(now), target, goes, np.linspace(0, end, 400))
    T_stop = max(LEAST, 1.5 * abs(v) / A_MAX)
    assert np.abs(motion[:, 1]).max() <= goes * V_MAX + abs(v) + 4 / 27 * abs(a) * T_stop + 1e-12
    assert np.abs(motion[:, 2]).max() <= goes * A_MAX + min(A_MAX, 1.5 * abs(v) / LEAST) + abs(a) + 1e-12


def test_derivatives_are_consistent() -> None:
    """Central differences over 2 us, as for the generators."""
    h, tau = 1e-6, np.array([0.1, 0.3, 0.77, 1.9, 3.0])
    early, now, late = (moved([0.1, -0.4, 1.0], 0.9, 1.0, tau + k * h)[0] for k in (-1, 0, 1))
    np.testing.assert_allclose((late - early)[:, :2] / (2 * h), now[:, 1:], atol=1e-8)


def test_blend_has_consistent_derivatives_and_both_ends() -> None:
    """From one sine to another; central differences over 2 us as above."""
    blend, h, duration = compile(kernel(profiles.blended)), 1e-6, 1.3

    def wave(w: float, t: float) -> np.ndarray:
        return np.array([np.sin(w * t), w * np.cos(w * t), -(w**2) * np.sin(w * t)])

    def at(t: float) -> np.ndarray:
        return np.asarray(blend(duration, t, wave(1.0, t), wave(2.5, t)))

    np.testing.assert_array_equal(at(0.0), wave(1.0, 0.0))
    np.testing.assert_allclose(at(duration), wave(2.5, duration), atol=1e-15)
    for t in (0.2, 0.7, 1.1):
        np.testing.assert_allclose((at(t + h) - at(t - h))[:2] / (2 * h), at(t)[1:], atol=1e-7)


def test_rest_to_rest_uses_the_whole_of_a_bound() -> None:
    """The shortest quintic touches the velocity or the acceleration bound, and no other is exceeded."""
    for distance in (0.02, 5.0):
        _, end = moved([0, 0, 0], distance, 1.0, np.zeros(1))
        motion, _ = moved([0, 0, 0], distance, 1.0, np.linspace(0, end, 20_001))
        used = max(np.abs(motion[:, 1]).max() / V_MAX, np.abs(motion[:, 2]).max() / A_MAX)
        if end > LEAST:
            np.testing.assert_allclose(used, 1.0, atol=1e-6)
        assert used <= 1.0 + 1e-12
