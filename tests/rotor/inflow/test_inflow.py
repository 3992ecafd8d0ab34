"""Inflow: momentum theory, gradients, ground effect and three dynamic states against closed forms."""

import math

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motionbase.arrays import Array
from motionbase.compile import Kernel, Port, compile
from motionbase.errors import UsageError
from motionbase.rotor.inflow.theory import (
    GRADIENTS,
    DynamicInflow,
    delayed,
    dynamic_inflow_rate,
    gradient,
    ground_effect,
    momentum,
)
from tests.tier import often

SCALARS = Port("thrust"), Port("mu"), Port("lam_c")
MOMENTUM = compile(Kernel("momentum", SCALARS, (Port("lam"), Port("residual")), lambda *x: tuple(momentum(*x))))
MOMENTS = Port("thrust"), Port("roll"), Port("pitch"), Port("mu"), Port("lam_axial")
RATE = compile(Kernel("rate", (DynamicInflow.port("x"), *MOMENTS), (Port("x_dot", 3),), dynamic_inflow_rate))


def test_hover_is_that_of_a_disk() -> None:
    for thrust in (1e-4, 5e-3, 0.02):
        lam, residual = MOMENTUM(thrust, 0.0, 0.0)
        assert abs(lam / math.sqrt(thrust / 2) - 1) < 1e-7 and residual < 1e-12  # SMALLEST over lam^2 is 2e-8 at most


def test_climb_and_forward_flight_solve_a_quadratic_and_a_quartic() -> None:
    thrust, climb = 0.006, 0.03
    lam, _ = MOMENTUM(thrust, 0.0, climb)
    assert abs(lam - (-climb / 2 + math.sqrt(climb**2 / 4 + thrust / 2))) < 1e-9
    mu = 0.15
    level, _ = MOMENTUM(thrust, mu, 0.0)
    assert abs(level**2 - (-(mu**2) / 2 + math.sqrt(mu**4 / 4 + (thrust / 2) ** 2))) < 1e-9


@settings(max_examples=often(300), deadline=None)
@given(thrust=st.floats(-0.03, 0.03), mu=st.floats(-0.5, 0.5), lam_c=st.floats(-0.3, 0.3))
def test_any_flight_gives_a_finite_answer_and_climbs_the_right_one(thrust: float, mu: float, lam_c: float) -> None:
    lam, residual = MOMENTUM(thrust, mu, lam_c)
    assert math.isfinite(lam) and abs(lam) <= 2 * (thrust**2 / 4 + 1e-24) ** 0.25 + 1e-15
    if lam_c * thrust >= 0 or abs(mu) > 2 * math.sqrt(abs(thrust)):  # no ring of vortices
        assert residual < 1e-9
    mirrored, _ = MOMENTUM(-thrust, mu, -lam_c)
    assert abs(mirrored + lam) < 1e-12


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients_vanish_in_hover_and_are_finite_at_every_angle(name: str) -> None:
    mu, through = ca.SX.sym("mu"), ca.SX.sym("through")
    found = ca.Function("g", [mu, through], list(gradient(name, mu, through)))
    hover = [float(x) for x in found(0.0, 0.05)]
    assert np.allclose(hover, 0.0, atol=1e-9)
    edgewise = [float(x) for x in found(0.3, 0.0)]
    wanted = {"uniform": 0.0, "coleman": 1.0, "drees": 4 / 3 * (1 - 1.8 * 0.09), "white_blake": math.sqrt(2),
              "howlett": 1.0, "pitt_peters": 15 * math.pi / 32}[name]  # fmt: skip
    assert abs(edgewise[0] - wanted) < 1e-9 and abs(edgewise[1] - (-0.6 if name == "drees" else 0.0)) < 1e-12
    assert all(math.isfinite(float(x)) for x in found(0.0, 0.0))


def test_an_unknown_gradient_is_named() -> None:
    with pytest.raises(UsageError, match="no inflow gradient 'drees2'"):
        gradient("drees2", ca.SX(0), ca.SX(1))


def settled(thrust: float, roll: float, pitch: float, mu: float, axial: float) -> Array:
    """Where the three states come to rest."""
    x = np.array([math.sqrt(thrust / 2), 0.0, 0.0])
    for _ in range(6_000):
        x = x + 0.2 * RATE(x, thrust, roll, pitch, mu, axial)
    return np.asarray(x)


@pytest.mark.parametrize(("mu", "axial"), [(0.0, 0.0), (0.1, 0.0), (0.3, 0.02)])
def test_three_states_come_to_rest_at_momentum_theory_with_their_gradient(mu: float, axial: float) -> None:
    """Without moments on the disk: the mean is Glauert's, the harmonic 15 pi / 32 tan(chi / 2) of it."""
    lam_0, lam_c, lam_s = settled(0.006, 0.0, 0.0, mu, axial)
    mean, _ = MOMENTUM(0.006, mu, axial)
    chi = math.atan2(mu, axial + mean)
    assert abs(lam_0 / mean - 1) < 1e-6 and abs(lam_s) < 1e-12
    assert abs(lam_c - 15 * math.pi / 32 * math.tan(chi / 2) * lam_0) < 1e-9


def test_moments_in_hover_draw_their_own_inflow() -> None:
    """L = diag(1/2, 2, 2) in hover; the flow of the harmonics is twice that of the mean."""
    lam_0, lam_c, lam_s = settled(0.006, 2e-5, -3e-5, 0.0, 0.0)
    assert abs(lam_c - 2 * -3e-5 / (2 * lam_0)) < 1e-9 and abs(lam_s - 2 * 2e-5 / (2 * lam_0)) < 1e-9


def test_a_small_change_in_hover_dies_out_with_its_time_constant() -> None:
    """Linear about hover: (8 / 3 pi) d' + 4 lam_0 d = 0 for the mean, since speed times lam_0 goes with its square."""
    lam = math.sqrt(0.003)
    rate = RATE(np.array([lam + 1e-6, 0.0, 0.0]), 0.006, 0.0, 0.0, 0.0, 0.0)[0] / 1e-6
    assert abs(rate / (-4 * lam * 3 * math.pi / 8) - 1) < 1e-4  # the change itself over lam


@settings(max_examples=often(200), deadline=None)
@given(x=st.tuples(*[st.floats(-0.3, 0.3)] * 3), u=st.tuples(*[st.floats(-0.05, 0.05)] * 3),
       mu=st.floats(-0.5, 0.5), axial=st.floats(-0.3, 0.3))  # fmt: skip
def test_rates_are_finite_anywhere(x: tuple[float, ...], u: tuple[float, ...], mu: float, axial: float) -> None:
    assert np.isfinite(RATE(np.array(x), *u, mu, axial)).all()


def test_ground_and_delay() -> None:
    assert float(ground_effect(ca.DM(1.0), 1.0)) == 1 - 1 / 16 and float(ground_effect(ca.DM(0.1), 1.0)) == 0.4375
    assert float(delayed(1.0, 0.0, 0.98)) == 0.98
