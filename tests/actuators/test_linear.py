"""Closed forms of a leg against its full equations."""

from dataclasses import replace
from typing import Any

import casadi as ca
import numpy as np
import pytest

from motionbase.actuators.leg import leg_rates
from motionbase.actuators.linear import (
    linear_leg,
    no_load_speed,
    oil_frequency,
    oil_stiffness,
    oil_volumes,
    softest_length,
    stall_force,
    steady_speed,
)
from motionbase.actuators.single_leg import single_leg_rates
from motionbase.errors import ModelError
from tests.actuators.legs import FRICTION, LEG, MASS, STROKE, motion, stepper

# as near to none as the parameters allow: friction of a millionth of the rated force, no leakage
SMOOTH = replace(FRICTION, coulomb=0.01, static=0.01, sigma0=1e3, sigma1=0.0, sigma2=0.0)
IDEAL = replace(LEG, leakage_internal=0.0, leakage_external=0.0, friction=SMOOTH, valve_rate=1e4)
DRAINED = replace(IDEAL, p_return=0.0)


def test_no_load_speed_of_equal_areas() -> None:
    """Q_N sqrt(p_s / (2 drop_N)) / A: the rated drop twice, over both lands."""
    equal = replace(DRAINED, area_rod=LEG.area_cap)
    expected = LEG.rated_flow * np.sqrt(LEG.p_supply / (2 * LEG.rated_drop)) / LEG.area_cap
    assert no_load_speed(equal) == pytest.approx(expected, rel=1e-14)
    assert no_load_speed(equal, extending=False) == pytest.approx(-expected, rel=1e-14)


def test_no_load_speed_of_unequal_areas() -> None:
    """Extending: Q_N sqrt(p_s / ((1 + r^3) drop_N)) / A_cap with r = A_rod / A_cap; retracting: sqrt(r) times that."""
    r = LEG.area_rod / LEG.area_cap
    extending = LEG.rated_flow * np.sqrt(LEG.p_supply / ((1 + r**3) * LEG.rated_drop)) / LEG.area_cap
    assert no_load_speed(DRAINED) == pytest.approx(extending, rel=1e-14)
    assert no_load_speed(DRAINED, extending=False) == pytest.approx(-np.sqrt(r) * extending, rel=1e-14)


@pytest.mark.parametrize("u", [1.0, -1.0, 0.4, -0.4])
def test_steady_speed_of_the_full_equations(u: float) -> None:
    """A light load reaches the closed form; 1e-5 covers the friction left and the laminar part of the edges."""
    start = 2.2 if u > 0 else 3.2
    x = np.array([0, 0, 5e6, 8e6, 0.0])
    rows = motion(stepper(IDEAL), IDEAL, np.full(900, u), 1e-3, 5e-4, f_load=0.0, m=100.0, l=start, x=x)
    assert rows["l_dot_next"][-1] == pytest.approx(steady_speed(IDEAL, u), rel=1e-5)


@pytest.mark.parametrize("u", [1.0, -1.0])
def test_stalled_leg_sees_the_whole_drop(u: float) -> None:
    """At a stop with the valve open and no leakage the drop over the piston goes to p_supply."""
    end = STROKE.hard_max if u > 0 else STROKE.hard_min
    rows = motion(stepper(DRAINED), DRAINED, np.full(4000, u), 1e-3, 1e-3, l=end - u * 0.02, f_load=0.0)
    p_cap, p_rod = rows["x_next"][-1, 2:4]
    assert u * (p_cap - p_rod) == pytest.approx(DRAINED.p_supply, rel=1e-3)  # the last bit comes through the cushion
    # what the stop holds is the stall force
    assert LEG.area_cap * p_cap - LEG.area_rod * p_rod == pytest.approx(stall_force(DRAINED, u > 0), rel=1e-3)


@pytest.mark.parametrize("l", [2.3, 2.7061, 3.1])
def test_shut_in_frequency(l: float) -> None:
    """A small swing on the closed valve: period by zero crossings; w h = 0.04 costs (w h)^2 / 24 of it."""
    w = oil_frequency(IDEAL, STROKE, l, MASS)
    ticks = round(20 * 2 * np.pi / w / 2.5e-4)
    rows = motion(stepper(IDEAL), IDEAL, np.zeros(ticks), 2.5e-4, 2.5e-4, l=l, l_dot=1e-3)
    v = rows["l_dot_next"]
    down = np.flatnonzero((v[:-1] > 0) & (v[1:] <= 0))
    crossings = 2.5e-4 * (down + v[down] / (v[down] - v[down + 1]))
    found = 2 * np.pi * (len(crossings) - 1) / (crossings[-1] - crossings[0])
    assert found == pytest.approx(w, rel=3e-4)


def test_softest_length_is_a_minimum() -> None:
    l = softest_length(LEG, STROKE)
    k = oil_stiffness(LEG, STROKE, l)
    assert STROKE.hard_min < l < STROKE.hard_max
    assert k < oil_stiffness(LEG, STROKE, l - 1e-3) and k < oil_stiffness(LEG, STROKE, l + 1e-3)


def test_mid_stroke_stiffness_of_equal_areas() -> None:
    """4 E A / stroke without dead volume; 8 MN/m for 1 GPa, 25 cm^2 and 1.25 m."""
    plain = replace(LEG, area_cap=2.5e-3, area_rod=2.5e-3, volume_cap=1e-12, volume_rod=1e-12)
    assert oil_stiffness(plain, STROKE, 0.5 * (STROKE.hard_min + STROKE.hard_max)) == pytest.approx(8e6, rel=1e-6)


@pytest.mark.parametrize(("spool", "force"), [(0.3, 5000.0), (-0.5, 5000.0), (0.05, -3000.0)])
def test_state_space_is_the_derivative_of_the_equations(spool: float, force: float) -> None:
    """Columns by exact differentiation of the full rates at the same point."""
    law = replace(FRICTION, coulomb=0.01, static=0.01, sigma0=1.0, sigma1=0.0)
    actuator = replace(LEG, friction=law)
    linear = linear_leg(actuator, STROKE, 2.6, MASS, spool, force)
    kernel = single_leg_rates(actuator, STROKE)
    symbols = kernel.trace.symbols
    names = [p.name for p in kernel.inputs]
    x, l, l_dot, u = (symbols[names.index(n)] for n in ("x", "l", "l_dot", "u"))
    x_dot, l_ddot, _ = kernel.trace.expressions
    state = ca.vertcat(x[:4], l, l_dot)
    rate = ca.vertcat(x_dot[:4], l_dot, l_ddot)
    exact = ca.Function("exact", list(symbols), [ca.jacobian(rate, state), ca.jacobian(rate, u)])
    point: dict[str, Any] = {
        "m": MASS,
        "f_load": 0.0,
        "x": [spool, 0.0, linear.p_cap, linear.p_rod, 0.0],
        "l": 2.6,
        "l_dot": linear.l_dot,
        "u": spool,
        "p_supply": LEG.p_supply,
        "p_return": LEG.p_return,
        "abort": 0.0,
    }
    A, B = (np.array(m) for m in exact(*(point[n] for n in names)))
    A[2:4, 4] = 0.0  # the length changes the volumes; at the steady point the flow is nought but for leakage
    np.testing.assert_allclose(linear.A, A, rtol=1e-9, atol=1e-9 * np.max(np.abs(A)))
    np.testing.assert_allclose(linear.B, B.ravel(), rtol=1e-9)
    balance = leg_rates(replace(actuator, leakage_internal=0.0, leakage_external=0.0), STROKE)
    outputs = balance.function.call([ca.DM(point[p.name]) for p in balance.inputs])
    assert float(outputs[1]) + law.sigma2 * linear.l_dot == pytest.approx(force, abs=0.1)


def test_damping_and_gain_of_the_transfer() -> None:
    """The oscillating pair of A, and the speed per opening at zero frequency."""
    linear = linear_leg(LEG, STROKE, 2.6, MASS, 0.05, 5000.0)
    poles = np.linalg.eigvals(linear.A[2:, 2:][np.ix_([0, 1, 3], [0, 1, 3])])
    pole = poles[np.argmax(poles.imag)]
    assert abs(pole) == pytest.approx(linear.frequency, rel=2 * linear.damping)
    assert -pole.real / abs(pole) == pytest.approx(linear.damping, rel=0.2)  # first order in the losses
    faster = steady_speed(LEG, 0.0501, 5000.0) - steady_speed(LEG, 0.0499, 5000.0)
    assert linear.velocity_gain == pytest.approx(faster / 2e-4, rel=1e-9)
    assert linear.flow_gain_cap == pytest.approx(LEG.area_cap * linear.velocity_gain)


def test_wrong_points() -> None:
    with pytest.raises(ModelError, match="must be below the stall force"):
        steady_speed(LEG, 1.0, 1e6)
    with pytest.raises(ModelError, match="outside the stroke"):
        oil_volumes(LEG, STROKE, 1.0)
