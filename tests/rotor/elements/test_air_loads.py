"""Air loads and inflow of rotors against momentum theory and blade element theory in closed form.

The blade has a hundredth of a metre of chord at five of radius, so that all points of a section see the same air. What
is left are the squares of angles of 3 degrees, and of a step's turn of 2 degrees: some 1e-3.
"""

from __future__ import annotations

from functools import cache

import casadi as ca
import numpy as np
import pytest

from motionbase.arrays import Array
from motionbase.multibody.network.exchange import End
from motionbase.multibody.network.parts import GROUND_PLACE
from motionbase.rotor.elements.air import Inflow, RotorAir
from motionbase.rotor.flight.flying import Flown
from motionbase.rotor.inflow.theory import GRADIENTS, gradient, momentum
from tests.rotor.small_rotor import CHORD, RADIUS, SPEED, lock_number, started
from tests.tier import some_of

DENSITY, TIP, AREA = 40.0, RADIUS * SPEED, np.pi * RADIUS**2
COLLECTIVE = 0.05
SQUARES = 2e-3


def settled(inflow: str, revolutions: int = 15, collective: float = COLLECTIVE, twist: float = 0.0) -> Flown:
    """The last revolution of some in hover."""
    flying = started(180, inflow=inflow, delay=0.05, twist=twist)
    flying.fly(180 * (revolutions - 1), {"collective": collective})
    return flying.fly(180, {"collective": collective})


def thrust_coefficient(flown: Flown) -> float:
    return float(flown.loads[:, 2].mean() / (DENSITY * AREA * TIP**2))


def hover(theta: float) -> tuple[float, float]:
    """(CT, lambda) of CT = sigma a / 2 (theta / 3 - lambda / 2) and CT = 2 lambda^2."""
    k = CHORD / (np.pi * RADIUS) * 2 * np.pi / 4
    lam = (-k / 2 + np.sqrt(k**2 / 4 + 4 * k * theta / 3)) / 2
    return 2 * lam**2, lam


@pytest.mark.parametrize(("inflow", "revolutions"), some_of([("uniform", 20), ("dynamic", 150)], 1))
def test_hover_is_that_of_momentum_theory(inflow: str, revolutions: int) -> None:
    """Thrust, inflow, and coning beta_0 = gamma (theta / 8 - lambda / 6).

    Pitt and Peters' mean flow follows within nine revolutions. Steps leave a residual of 1e-8 of the thrust.
    """
    flown = settled(inflow, revolutions)
    theta = float(flown.angles("pitch").mean())
    C_T, lam = hover(theta)
    assert theta == pytest.approx(COLLECTIVE, rel=1e-2)  # but for the geometry of the links
    assert thrust_coefficient(flown) == pytest.approx(C_T, rel=SQUARES)
    assert flown.induced[-1, 0] / TIP == pytest.approx(lam, rel=SQUARES)
    v = np.sqrt(flown.loads[-1, 2] / (2 * DENSITY * AREA))
    assert flown.induced[-1, 0] == pytest.approx(v, rel=1e-6)
    assert flown.angles("flap").mean() == pytest.approx(lock_number(DENSITY) * (theta / 8 - lam / 6), rel=SQUARES)


@pytest.mark.long("compiles a rotor")
def test_linear_twist_is_a_pitch_at_three_quarters_of_the_radius() -> None:
    """With uniform inflow thrust is that of an untwisted blade with the pitch of 3/4 R."""
    twist = -0.06
    twisted = settled("uniform", 20, COLLECTIVE - 0.75 * twist, twist)
    C_T, lam = hover(float(twisted.angles("pitch").mean()) + 0.75 * twist)
    assert thrust_coefficient(twisted) == pytest.approx(C_T, rel=2 * SQUARES)
    assert twisted.induced[-1, 0] / TIP == pytest.approx(lam, rel=2 * SQUARES)


# ---- the exchange by itself ----------------------------------------------------------------------------------------

LOADS = np.array([10.0, -20.0, 4000.0, 150.0, -80.0, 30.0])


@cache
def exchange(inflow: str) -> ca.Function:
    air = RotorAir("air", "ground", (0.0, 0.0, 0.0), RADIUS, TIP, DENSITY, inflow=inflow)
    h, told, wind, shared, memory = (ca.SX.sym("x", n) for n in (1, 6, 3, 3, 13))
    found = Inflow(air, None, np.zeros(3)).after(End(h, told, GROUND_PLACE, wind, shared, memory))
    return ca.Function("after", [h, told, wind, shared, memory], list(found))


def after(
    inflow: str, wind: Array, loads: Array, field: Array, h: float = 1e-3, begun: float = 0.0
) -> tuple[Array, Array]:
    """What blades read in the next step, and the memory; where it has begun, rates of before are zero."""
    memory = np.array([*field, 0.0, 0.0, 0.0, begun, *np.zeros(6)])
    shared, kept = (x.full().ravel() for x in exchange(inflow)(h, loads, wind, field, memory))
    return shared, kept


@pytest.mark.parametrize("inflow", GRADIENTS)
def test_gradients_are_those_of_inflow_theory(inflow: str) -> None:
    """The air goes along -x: the tail is at -x, the advancing side at -y."""
    wind, mean = np.array([-0.1 * TIP, 0.0, -2.0]), 1.3
    shared, _ = after(inflow, wind, LOADS, np.array([mean, 0.0, 0.0]))
    k = gradient(inflow, ca.DM(0.1), ca.DM((2.0 + mean) / TIP))
    wanted = [-float(k.k_c) / RADIUS, -float(k.k_s) / RADIUS]
    np.testing.assert_allclose(shared[1:] / shared[0], wanted, rtol=1e-6, atol=1e-12)  # TINY over the wind: 5e-8
    lam = float(momentum(ca.SX(LOADS[2] / (DENSITY * AREA * TIP**2)), ca.SX(0.1), ca.SX(2.0 / TIP)).lam)
    assert shared[0] == pytest.approx(mean + 1e-3 * (lam * TIP - mean) / 0.1, rel=1e-9)


@pytest.mark.long("compiles a rotor")
def test_dynamic_inflow_settles_at_its_static_gain() -> None:
    """With constant thrust and no moment: Glauert's mean and Pitt and Peters' gradient, 15 pi / 32 tan(chi / 2)."""
    wind, loads, field = np.array([-0.1 * TIP, 0.0, -2.0]), np.array([0.0, 0.0, 4000.0, 0.0, 0.0, 0.0]), np.zeros(3)
    for _ in range(3000):
        field = after("dynamic", wind, loads, field, 2e-2)[1][:3]
    C_T = loads[2] / (DENSITY * AREA * TIP**2)
    lam = float(momentum(ca.SX(C_T), ca.SX(0.1), ca.SX(2.0 / TIP)).lam)
    k = gradient("pitt_peters", ca.DM(0.1), ca.DM(2.0 / TIP + lam))
    np.testing.assert_allclose(field / (TIP * lam), [1.0, -float(k.k_c) / RADIUS, 0.0], rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("speed", [0.0, 20.0])
def test_flight_to_any_side_is_the_same_flight_turned(speed: float) -> None:
    """Pitt and Peters' states about axes of the wind; in still air moments tilt the flow alike in all directions."""

    def turned(angle: float) -> Array:
        c, s = np.cos(angle), np.sin(angle)
        R = np.array([[c, -s], [s, c]])
        loads = np.concatenate([R @ LOADS[:2], LOADS[2:3], R @ LOADS[3:5], LOADS[5:]])
        field = np.array([3.0, *(R @ [0.2, -0.1])])
        _, kept = after("dynamic", np.array([*(R @ [-speed, 0.0]), -1.0]), loads, field)
        return np.array([kept[3], *(R.T @ kept[4:6])])

    straight = turned(0.0)
    for angle in (0.7, 2.5, -1.2):
        np.testing.assert_allclose(turned(angle), straight, rtol=2e-6)  # of TINY against induced 4 m/s
    assert np.abs(straight).min() > 0.1


def test_adams_and_bashforth_go_on_from_two_rates() -> None:
    """The first step has one rate; from then on 3/2 of this one less half of the last."""
    wind, field = np.array([0.0, 0.0, -2.0]), np.array([1.0, 0.0, 0.0])
    _, first = after("uniform", wind, LOADS, field)
    _, later = after("uniform", wind, LOADS, field, begun=1.0)  # with a last rate of zero
    assert later[0] - 1.0 == pytest.approx(1.5 * (first[0] - 1.0), rel=1e-12)


def test_the_ground_holds_the_air_back() -> None:
    """Half a radius above it the flow that blades read is 3/4; what the exchange integrates is without the ground."""
    air = RotorAir("air", "ground", (0.0, 0.0, 3.0), RADIUS, TIP, DENSITY, in_ground_effect=True)
    memory = np.array([2.0, *np.zeros(12)])
    inputs = ca.DM([0.0, 0.0, 0.0, 3.0 - RADIUS / 2])
    end = End(ca.DM(1e-9), ca.DM(LOADS), GROUND_PLACE, inputs, ca.DM([1.5, 0, 0]), ca.DM(memory))
    shared, kept = Inflow(air, None, np.array([0.0, 0.0, 3.0])).after(end)
    assert float(ca.DM(ca.evalf(ca.SX(shared)))[0]) == pytest.approx(1.5, rel=1e-6)
    assert float(ca.DM(ca.evalf(ca.SX(kept)))[0]) == pytest.approx(2.0, rel=1e-6)


def test_no_air_is_not_induced() -> None:
    """Of zero density, which momentum theory would divide by."""
    air = RotorAir("air", "ground", (0.0, 0.0, 0.0), RADIUS, TIP, 0.0, inflow="dynamic")
    memory = ca.DM([*np.zeros(13)])
    shared, _ = Inflow(air, None, np.zeros(3)).after(
        End(ca.DM(1e-3), ca.DM(LOADS), GROUND_PLACE, ca.DM(3, 1), ca.DM(3, 1), memory)
    )
    assert np.all(ca.DM(ca.evalf(ca.SX(shared))).full() == 0.0)
