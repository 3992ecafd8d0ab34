"""Friction against the published known answers, and its step against fine integration."""

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from motionbase.actuators.friction import friction_step
from motionbase.compile import Kernel, Port, compile, scan
from motionbase.errors import ModelError
from motionbase.multibody.elements.friction_law import Friction, bristle_rate, friction_force, slipping
from motionbase.spatial.rotations import Expr
from tests.tier import often

# the companion example of LuGre's paper, with MBDyn's stiffness
LAW = Friction(coulomb=1.0, static=1.5, stribeck=1e-3, sigma0=1e5, sigma1=np.sqrt(1e5), sigma2=0.4, kappa=0.71)

RATE = compile(Kernel("rate", (Port("z"), Port("v")), (Port("z_dot"),), lambda z, v: bristle_rate(LAW, z, v)))
FORCE = compile(Kernel("force", (Port("z"), Port("v")), (Port("f"),), lambda z, v: friction_force(LAW, z, v)))
ALPHA = compile(Kernel("alpha", (Port("y"),), (Port("a"),), lambda y: slipping(LAW, y)))
STEP = compile(
    Kernel(
        "bristle",
        (Port("z"), Port("dl"), Port("v"), Port("v_next")),
        (Port("z_next"),),
        lambda z, dl, v, v_next: friction_step(LAW, z, dl, v, v_next).z_next,
    )
)


def steady_deflection(v: float) -> float:
    return float((1 + 0.5 * np.exp(-((v / 1e-3) ** 2))) / 1e5)


@pytest.mark.parametrize(("v", "expected"), [(1e-4, 1.49506), (1e-3, 1.18434), (1e-2, 1.00400), (0.1, 1.04000)])
def test_steady_forces(v: float, expected: float) -> None:
    """Known to five decimals; after 50 steady deflections the transient is gone."""
    for sign in (1, -1):
        z = 0.0
        for _ in range(200):
            z = float(STEP(z, sign * 0.25 * steady_deflection(v), sign * v, sign * v))
        assert FORCE(z, sign * v) == pytest.approx(sign * expected, abs=6e-6)


def test_alpha_is_half_at_the_midpoint_with_zero_slope_at_both_ends() -> None:
    assert ALPHA(0.5 * (1 + LAW.kappa)) == pytest.approx(0.5, abs=6e-11)
    assert ALPHA(LAW.kappa) == 0.0 and ALPHA(-0.9) == 0.0
    assert ALPHA(1.0) == pytest.approx(1.0, abs=6e-11) and ALPHA(7.0) == pytest.approx(1.0, abs=6e-11)
    d = 1e-4
    for y, inward in ((LAW.kappa, 1), (1.0, -1)):
        slope = (float(ALPHA(y + inward * d)) - float(ALPHA(y))) / d
        assert abs(slope) < 1e-2  # a sine's end: curvature 58 times d / 2


@pytest.mark.parametrize("y", np.linspace(0.0, 1.2, 13))
def test_alpha_is_the_published_sine(y: float) -> None:
    k = LAW.kappa
    sine = 0.5 * np.sin(np.pi * y / (1 - k) - np.pi * (1 + k) / (2 * (1 - k))) + 0.5
    assert ALPHA(y) == pytest.approx(0.0 if y <= k else 1.0 if y >= 1 else sine, abs=6e-11)  # twice the sine's own


def test_below_break_away_the_bristle_follows_the_motion_exactly() -> None:
    z_ba = LAW.kappa * steady_deflection(1e-4)
    assert RATE(0.999 * z_ba, 1e-4) == 1e-4
    assert float(STEP(0.2 * z_ba, 0.5 * z_ba, 1e-4, 1e-4)) == pytest.approx(0.7 * z_ba, rel=1e-14)
    # unloading from steady sliding: the slope of force over distance is sigma0
    z_ss = steady_deflection(1e-4)
    assert float(STEP(z_ss, -0.1 * z_ss, -1e-4, -1e-4)) == pytest.approx(0.9 * z_ss, rel=1e-14)


def push(drifting: bool) -> tuple[NDArray[np.float64], float]:
    """A kilogram under 0.5 N + 0.3 N sin(20 pi t), after a ramp of one second: x at every 0.1 s, by Runge-Kutta."""

    def force(t: Expr) -> Expr:
        return 0.5 * ca.fmin(t, 1) + ca.if_else(t > 1, 0.3 * ca.sin(20 * np.pi * t), 0)

    def slope(s: Expr, t: Expr) -> Expr:
        z_dot = bristle_rate(LAW, s[2], s[1], drifting=drifting)
        return ca.vertcat(s[1], force(t) - LAW.sigma0 * s[2] - LAW.sigma1 * z_dot - LAW.sigma2 * s[1], z_dot)

    def step(s: Expr, t: Expr) -> tuple[Expr, Expr]:
        h = 1e-4
        k1 = slope(s, t)
        k2 = slope(s + 0.5 * h * k1, t + 0.5 * h)
        k3 = slope(s + 0.5 * h * k2, t + 0.5 * h)
        k4 = slope(s + h * k3, t + h)
        return s + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), t + h

    kernel = Kernel("pushed", (Port("s", 3), Port("t")), (Port("s_next", 3), Port("t_next")), step)
    rows = scan(kernel, {"s": "s_next", "t": "t_next"}, record=["s_next"])(60_000, every=1000, s=np.zeros(3), t=0.0)
    x = rows["s_next"][:, 0]
    return x, float((x[-1] - x[19]) / 4)


def test_lugre_creeps_and_the_elastoplastic_law_does_not() -> None:
    """Known: 52 um/s and 266 um at 6 s against less than 0.02 um/s and 4.4 um."""
    x, drift = push(drifting=True)
    assert drift == pytest.approx(52e-6, abs=0.6e-6)
    assert x[-1] == pytest.approx(266e-6, abs=1e-6)
    x, drift = push(drifting=False)
    assert abs(drift) < 0.02e-6
    assert x[-1] == pytest.approx(4.4e-6, abs=0.1e-6)


def test_step_is_of_second_order() -> None:
    """Through a reversal, at the Stribeck speed, with steps down to a fiftieth of the steady deflection."""

    def speed(t: float) -> float:
        return float(1.5e-3 * np.cos(2 * np.pi * t))

    def place(t: float) -> float:
        return float(1.5e-3 * np.sin(2 * np.pi * t) / (2 * np.pi))

    span = 0.3
    exact = solve_ivp(
        lambda t, z: [float(RATE(z[0], speed(t)))], (0, span), [2e-6], rtol=1e-9, atol=1e-15, max_step=5e-4
    ).y[0, -1]
    errors = []
    for n in (400, 800, 1600):
        z, h = 2e-6, span / n
        for k in range(n):
            t = k * h
            dl = place(t + h) - place(t)
            z = float(STEP(z, dl, dl / h, speed(t + h)))
        errors.append(abs(z - exact))
    orders = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert np.all(orders > 1.7), (errors, orders)
    assert errors[-1] < 1e-5 * steady_deflection(1e-3)


@given(y=st.floats(-3, 3), distance=st.floats(-1e6, 1e6), v=st.floats(-1.0, 1.0), v_next=st.floats(-1.0, 1.0))
@settings(max_examples=often(300), deadline=None)
def test_step_never_passes_the_steady_deflection(y: float, distance: float, v: float, v_next: float) -> None:
    z = y * steady_deflection(v)
    largest = max(abs(z), LAW.static / LAW.sigma0)
    z_next = float(STEP(z, distance * steady_deflection(v), v, v_next))
    assert abs(z_next) <= largest * (1 + 1e-12)


def test_a_long_step_ends_in_steady_sliding() -> None:
    assert float(STEP(-1e-5, 1e-3, 1.1e-3, 1e-3)) == pytest.approx(steady_deflection(1e-3), rel=0.01)


END = compile(
    Kernel(
        "end_force",
        (Port("z"), Port("dl"), Port("v"), Port("v_next")),
        (Port("z_next"), Port("f")),
        lambda z, dl, v, v_next: friction_step(LAW, z, dl, v, v_next),
    )
)


@pytest.mark.parametrize("y", [-0.9, 0.3, 0.8, 0.95, 1.0])
@pytest.mark.parametrize("v", [5e-4, -2e-3])
def test_force_at_the_end_of_a_short_step_is_the_law_s(y: float, v: float) -> None:
    """At even speed to second order; where f_s changes there is a first-order part of the bristle's damping."""
    z = y * np.sign(v) * steady_deflection(v)

    def error(h: float, rate: float) -> float:
        v_next = v * (1 + rate * h)
        mean = 0.5 * (v + v_next)
        z_next, f = (float(value) for value in END(z, h * mean, mean, v_next))
        return abs(f - float(FORCE(z_next, v_next)))

    assert error(1e-4, 0.0) < 0.3 * error(2e-4, 0.0) + 1e-9
    assert error(2e-4, 50.0) < 0.02 * LAW.sigma1 * abs(v)
    assert error(5e-5, 50.0) < 0.002 * LAW.sigma1 * abs(v)


@pytest.mark.parametrize("v_next", [0.9e-3, 1.1e-3])
def test_force_at_the_end_of_a_long_step_is_that_of_steady_sliding(v_next: float) -> None:
    f = float(END(-1e-5, 1e-2, 1e-3, v_next)[1])
    steady = 1 + 0.5 * np.exp(-((v_next / 1e-3) ** 2)) + 0.4 * v_next
    assert f == pytest.approx(steady, abs=2e-3)  # curvature of the Stribeck bend over a tenth of its speed


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"static": 0.5}, "static 0.5 N is below coulomb 1 N"),
        ({"kappa": 1.0}, "kappa is 1"),
        ({"sigma0": 0.0}, "sigma0 is 0"),
        ({"coulomb": float("nan")}, "coulomb is nan"),
    ],
)
def test_wrong_parameters(change: dict[str, float], words: str) -> None:
    good = dict(coulomb=1.0, static=1.5, stribeck=1e-3, sigma0=1e5, sigma1=1.0, sigma2=0.4, kappa=0.7)
    with pytest.raises(ModelError, match=words):
        Friction(**(good | change))
