"""The orientation that a sphere follows: bounds, shortest way, targets that are met exactly."""

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import ArrayLike, NDArray

from motionbase.compile import Kernel, Port, scan
from motionbase.control.sphere import ports
from motionbase.control.sphere.ports import Reference, parameters_of
from motionbase.control.sphere.reference import chased, error_vector
from motionbase.spatial import R_quaternion, quaternion_rotation_vector, rotation_vector

Array: TypeAlias = NDArray[np.float64]
Target: TypeAlias = Callable[[float], tuple[Array, Array, Array]]
VELOCITY, ACCELERATION, CHASE, DT = math.radians(35), math.radians(350), 6.0, 5e-4
PARAMETERS = parameters_of(VELOCITY, ACCELERATION)


def reference(p: Any, follow: Any, gently: Any, Q: Any, omega: Any, *target: Any) -> Any:
    alpha, after = chased(p, DT, follow, gently, Reference(Q, omega), ports.Target(*target))
    return alpha, after.Q, after.omega


RUN = scan(
    Kernel(
        "reference",
        (PARAMETERS.port("p"), ports.FOLLOW, Port("gently"), ports.Q_REF, ports.OMEGA_REF, ports.Q_TARGET,
         ports.OMEGA_TARGET, ports.ALPHA_TARGET),
        (ports.ALPHA_REF, Port("Q_ref_next", 4), Port("omega_ref_next", 3, "rad/s")),
        reference,
    ),
    {"Q_ref": "Q_ref_next", "omega_ref": "omega_ref_next"},
    per_step=["Q_target", "omega_target", "alpha_target"], record=["alpha_ref", "Q_ref_next", "omega_ref_next"],
)  # fmt: skip
UPRIGHT = np.array([1.0, 0, 0, 0])
ANY_VECTOR = st.lists(st.floats(-3, 3), min_size=3, max_size=3).map(np.array)


def followed(
    target: Target, seconds: float, omega: ArrayLike = (0.0, 0.0, 0.0), follow: float = 1.0, gently: float = 1.0
) -> tuple[Array, Array, Array]:
    """Rows of alpha, Q, omega after each tick; the target is a function of time."""
    rows = [np.array(x) for x in zip(*(target(DT * k) for k in range(round(seconds / DT))), strict=True)]
    wanted: dict[str, Any] = dict(zip(("Q_target", "omega_target", "alpha_target"), rows, strict=True))
    p = PARAMETERS.layout.vector({"sphere_chase": CHASE})
    found = RUN(len(rows[0]), p=p, follow=follow, gently=gently, Q_ref=UPRIGHT, omega_ref=omega, **wanted)
    return found["alpha_ref"], found["Q_ref_next"], found["omega_ref_next"]


def turned(axis: ArrayLike, angle: float) -> Array:
    unit = np.asarray(axis, dtype=np.float64) / np.linalg.norm(np.asarray(axis))
    return np.array([math.cos(angle / 2), *(math.sin(angle / 2) * unit)])


def angle(P: Array, Q: Array) -> float:
    """Exact for small ones, where an arc cosine is not."""
    return 4 * math.asin(min(1.0, 0.5 * float(np.linalg.norm(P * np.sign(P @ Q) - Q))))


@given(ANY_VECTOR)
@settings(max_examples=60, deadline=None)
def test_the_logarithm_undoes_the_exponential(theta: Array) -> None:
    """Up to half a turn; beyond, the short way round has the same rotation matrix."""
    Q = ca.evalf(quaternion_rotation_vector(ca.SX(ca.DM(theta))))
    back = np.array(ca.evalf(rotation_vector(ca.SX(Q)))).ravel()
    assert np.linalg.norm(back) <= math.pi + 1e-12
    again = ca.evalf(R_quaternion(quaternion_rotation_vector(ca.SX(ca.DM(back)))))
    np.testing.assert_allclose(np.array(again), np.array(ca.evalf(R_quaternion(ca.SX(Q)))), atol=1e-14)
    if np.linalg.norm(theta) < math.pi - 1e-6:
        np.testing.assert_allclose(back, theta, atol=1e-14)


def test_a_quaternion_and_its_negative_are_the_same_orientation() -> None:
    Q = ca.SX(ca.DM(turned([1, 2, 3], 2.5)))
    np.testing.assert_array_equal(np.array(ca.evalf(rotation_vector(Q))), np.array(ca.evalf(rotation_vector(-Q))))
    assert float(ca.evalf(ca.norm_2(error_vector(Q, -Q)))) <= 1e-15


@pytest.mark.parametrize("degrees", [2.0, 80.0, 179.0])
def test_a_target_that_stands_is_reached_within_the_bounds_and_without_overshoot(degrees: float) -> None:
    Qt = turned([1, -2, 0.5], math.radians(degrees))
    alpha, Q, omega = followed(lambda t: (Qt, np.zeros(3), np.zeros(3)), 8.0)
    assert np.linalg.norm(omega, axis=1).max() <= VELOCITY * (1 + 1e-12)
    assert np.linalg.norm(alpha, axis=1).max() <= ACCELERATION * (1 + 1e-12)
    left = np.array([angle(q, Qt) for q in Q[::10]])
    assert left[-1] < 1e-6
    assert np.all(np.diff(left) <= 1e-9)  # nearer with every step: it never turns back
    assert np.abs(np.linalg.norm(Q, axis=1) - 1).max() < 1e-15


def test_a_target_that_turns_without_end_is_met_and_nothing_lags() -> None:
    rate = math.radians(20)

    def target(t: float) -> tuple[Array, Array, Array]:
        return turned([0, 0, 1], rate * t), np.array([0, 0, rate]), np.zeros(3)

    _, Q, omega = followed(target, 20.0)  # more than one turn
    at = [target((k + 1) * DT)[0] for k in range(len(Q))]
    late = np.array([angle(q, p) for q, p in zip(Q[::20], at[::20], strict=True)])
    assert late[-200:].max() < 1e-7
    np.testing.assert_allclose(omega[-1], [0, 0, rate], atol=1e-9)


def test_a_smooth_target_from_rest_is_met_exactly_from_the_start() -> None:
    """Within the bounds of spin and acceleration the reference is the target, but for the second order of the tick."""
    a, w = math.radians(10), 2 * math.pi * 0.3

    def target(t: float) -> tuple[Array, Array, Array]:
        x, v, c = a * (1 - math.cos(w * t)), a * w * math.sin(w * t), a * w * w * math.cos(w * t)
        return turned([0, 1, 0], x), np.array([0, v, 0]), np.array([0, c, 0])

    _, Q, _ = followed(target, 4.0)
    late = [angle(q, target((k + 1) * DT)[0]) for k, q in enumerate(Q[:-1])][::10]
    assert max(late) < 2e-5  # c DT / (4 CHASE): what a change of the acceleration within a tick leaves


def test_to_rest_at_the_largest_deceleration_and_gently() -> None:
    spin = np.array([0.4, 0.2, -0.3])
    speed = float(np.linalg.norm(spin))
    for gently in (1.0, 0.25):
        alpha, _, omega = followed(lambda t: (UPRIGHT, np.zeros(3), np.zeros(3)), 1.0, omega=spin, follow=0.0,
                                   gently=gently)  # fmt: skip
        stopped = np.flatnonzero(np.linalg.norm(omega, axis=1) == 0)
        assert DT * stopped[0] == pytest.approx(speed / (gently * ACCELERATION), abs=2 * DT)
        assert np.linalg.norm(alpha, axis=1).max() <= gently * ACCELERATION * (1 + 1e-12)
