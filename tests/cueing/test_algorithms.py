"""The adaptive and the optimal washout: against the classical one, scipy, and what every algorithm must do."""

from typing import Any

import numpy as np
import pytest
from scipy import linalg

from motionbase.arrays import Array
from motionbase.cueing.optimal import modes_of
from motionbase.cueing.optimal_design import PLACE, STATES, THETA, exponential, regulator, riccati
from motionbase.errors import MotionBaseError
from motionbase.record.vehicle import G
from tests.cueing.rig import cueing, rows, run, ticks
from tests.cueing.test_classical import AMPLITUDE, W, delayed, response
from tests.cueing.test_limits import AIR, LIMITS, pulses

KINDS = ("classical", "adaptive", "optimal")


def brake(t: Array) -> Array:
    """A push and a stop along x."""
    return np.asarray(pulses([(1.5, 4.0, 0.2), (7.0, 2.0, -0.3)], 12.0)(t))


@pytest.mark.parametrize("kind", KINDS)
def test_every_algorithm_keeps_the_workspace_and_comes_back(kind: str) -> None:
    t = ticks(100.0)
    signals = {"f_x": 12.0, "f_y": -12.0, "f_z": 20.0, "omega_x": 0.5, "omega_y": -0.5, "omega_z": 1.0}
    push = pulses([(1.5, 3.0, 1.0), (6.0, 2.0, -1.0), (10.0, 6.0, 0.5)])
    out = run(
        t, rows(t, **{name: lambda t, most=most: most * push(t) for name, most in signals.items()}), algorithm=kind
    )
    frame = out["host_frame"]
    assert np.all(np.abs(frame[:, 0]) <= np.asarray(LIMITS.position))
    assert out["stroke_left"].min() > AIR["margin"][0] / 2  # for pushes this hard, at 200 Hz
    # the slowest pole of the optimal filters is that of the canals, 80 s, and a person hardly feels it
    assert np.abs(frame[-1, 0]).max() < (0.05 if kind == "optimal" else 1e-5)
    assert np.abs(frame[-1, 1:]).max() < 2e-3


@pytest.mark.parametrize("kind", KINDS)
def test_the_tilt_of_every_algorithm_keeps_its_rate(kind: str) -> None:
    t = ticks(15.0)
    out = run(t, rows(t, f_x=lambda t: np.where(t > 2, 3.0, 0.0)), algorithm=kind, cue_high_pass=[3.0, 3, 1, 1, 0.8, 1])
    assert np.abs(out["host_frame"][:, 1, 4]).max() <= AIR["tilt_rate"][0] * (1 + 1e-9)
    assert out["host_frame"][-1, 0, 4] < -0.05 and out["cue"][-1, 0] > 0.5


# ---- adaptive --------------------------------------------------------------------------------------------------------


def test_without_a_descent_it_is_the_classical_one() -> None:
    t = ticks(10.0)
    samples = rows(t, f_x=brake, omega_z=lambda t: 0.05 * brake(t))
    fixed = run(t, samples, algorithm="adaptive", cue_adaptive_speed=0.0)
    assert np.array_equal(fixed["host_frame"], run(t, samples)["host_frame"])


def test_it_gives_the_onset_and_uses_less_of_the_way() -> None:
    t = ticks(40.0)
    classical, adaptive = (run(t, rows(t, f_x=brake), algorithm=kind)["host_frame"][:, :, 0] for kind in KINDS[:2])
    onset = t < 1.8
    assert adaptive[onset, 2].max() > 0.95 * classical[onset, 2].max() > 0.5
    assert np.abs(adaptive[:, 0]).max() < 0.9 * np.abs(classical[:, 0]).max()
    assert abs(adaptive[-1, 0]) < 1e-3


# ---- optimal ---------------------------------------------------------------------------------------------------------


def test_riccati_and_exponential_are_those_of_scipy() -> None:
    rng = np.random.default_rng(3)
    A, B, C = rng.normal(size=(5, 5)), rng.normal(size=(5, 2)), rng.normal(size=(4, 5))
    D = rng.normal(size=(4, 2))
    wanted = linalg.solve_continuous_are(A, B, C.T @ C, D.T @ D, s=C.T @ D)
    K = np.linalg.solve(D.T @ D, B.T @ wanted + D.T @ C)
    assert regulator(A, B, C, D) == pytest.approx(K, abs=1e-7 * np.abs(K).max())
    assert riccati(A, B @ B.T, C.T @ C) == pytest.approx(
        linalg.solve_continuous_are(A, B, C.T @ C, np.eye(2)), rel=1e-7
    )
    assert exponential(3 * A) == pytest.approx(linalg.expm(3 * A), rel=1e-11)


def test_a_motion_that_nothing_holds_is_refused() -> None:
    with pytest.raises(MotionBaseError, match="let a motion drift"):
        riccati(np.zeros((1, 1)), np.eye(1), np.zeros((1, 1)))


@pytest.mark.parametrize(
    ("channel", "dof", "state", "k"),
    [("f_x", 0, PLACE, 0), ("f_y", 3, THETA, 1), ("omega_z", 5, THETA, 2), ("omega_y", 4, THETA, 0)],
)
def test_the_filters_are_as_designed(channel: str, dof: int, state: int, k: int) -> None:
    mode = modes_of(cueing(algorithm="optimal").cue_set)[k]
    h = np.linalg.solve(1j * W * np.eye(STATES) - mode.A, mode.B[:, 0 if channel[0] == "f" else 1])[state]
    t = ticks(60.0)
    out = run(t, rows(t, **{channel: lambda t: AMPLITUDE * np.sin(W * t)}), algorithm="optimal")
    found = response(t, out["host_frame"][:, 0, dof], W) / AMPLITUDE
    assert found == pytest.approx(AIR["gain"][dof if channel[0] == "o" else k] * h * delayed(W), rel=2e-3)


def test_it_makes_less_of_a_difference_than_any_neighbour() -> None:
    """The regulator is optimal: other gains cost more, by simulation of the cost for an impulse of the demand."""
    A, B = np.array([[0.0, 1.0], [0.0, -0.5]]), np.array([[0.0], [1.0]])
    C, D = np.array([[1.0, 0.0], [0.0, 0.5], [0.0, 0.0]]), np.array([[0.0], [0.3], [0.7]])

    def cost(K: Array) -> float:
        X = linalg.solve_continuous_lyapunov((A - B @ K), -np.eye(2))
        Z = C - D @ K
        return float(np.trace(Z @ X @ Z.T))

    K = regulator(A, B, C, D)
    for change in ([[0.05, 0.0]], [[0.0, 0.05]], [[-0.05, 0.03]]):
        assert cost(K + np.array(change)) > cost(K)


def test_gravity_has_the_sign_of_each_tilt() -> None:
    """A lasting force to the left is a positive roll, one forward a negative pitch."""
    modes: Any = modes_of(cueing(algorithm="optimal").cue_set)
    steady = [-np.linalg.solve(m.A, m.B[:, 0])[THETA] for m in modes[:2]]
    assert steady[0] < 0 < steady[1] and abs(steady[0]) < 1 / G
