"""Tyres: slopes, peaks and the ellipse of the Magic Formula; transients, standstill."""

import math

import casadi as ca
import numpy as np
import pytest

from motionbase.worlds.drive import tyre as tyres
from motionbase.worlds.drive.car import load_car

TYRE = load_car("hatchback").tyre
LOAD, V = TYRE.load, 20.0


def _function() -> ca.Function:
    load, rolling = ca.SX.sym("load"), ca.SX.sym("rolling")
    sliding, bent = ca.SX.sym("sliding", 2), ca.SX.sym("bent", 2)
    found = tyres.contact(TYRE, load, ca.SX(1), (sliding[0], sliding[1]), rolling, bent)
    outputs = [ca.vertcat(*found.force), ca.vertcat(*found.rate), ca.vertcat(*found.peak)]
    return ca.Function("tyre", [load, rolling, sliding, bent], outputs)


CONTACT = _function()


def steady(slip_x: float, slip_y: float, load: float = LOAD, v: float = V) -> np.ndarray:
    """Forces after the deflections have come to rest: where their rates are zero, F = c x."""
    sliding, c = np.array([-slip_x * v, -slip_y * v]), np.array(tyres.springs(TYRE))
    small = np.array([1e-6, 1e-6])
    rest, near = (np.array(CONTACT(load, v, sliding, bent)[1]).ravel() for bent in (np.zeros(2), small))
    bent = rest * small / (rest - near)  # the rates are linear in the deflections
    force = np.array(CONTACT(load, v, sliding, bent)[0]).ravel()
    np.testing.assert_allclose(force, c * bent, rtol=1e-9, atol=1e-6)
    return force


def test_slopes_at_small_slip_are_the_given_stiffnesses() -> None:
    """Within the cubic term of the curve, (B s)^2 / 3 or so: 1e-3 at B s = 0.02; CREEP adds 5e-5."""
    lengthwise, sideways = steady(1e-3, 0.0)[0] / 1e-3, steady(0.0, 1e-3)[1] / 1e-3
    cornering = TYRE.cornering * LOAD * math.sin(2 * math.atan(1 / TYRE.cornering_load))
    assert lengthwise == pytest.approx(TYRE.slip_stiffness * LOAD, rel=2e-3)
    assert sideways == pytest.approx(cornering, rel=2e-3)


def test_the_peak_is_the_grip_and_falls_with_load() -> None:
    """The largest force over many slips; 0.1 % is the spacing of the slips about the peak."""
    slips = np.linspace(0.02, 0.5, 120)
    for load in (0.5 * LOAD, LOAD, 1.6 * LOAD):
        share = 1 - TYRE.grip_drop * (load / LOAD - 1)
        largest = max(steady(s, 0.0, load)[0] for s in slips)
        assert largest == pytest.approx(TYRE.grip_x * share * load, rel=1e-3)


def test_combined_slip_stays_on_the_ellipse_and_points_against_the_slip() -> None:
    peak = np.array(CONTACT(LOAD, V, np.zeros(2), np.zeros(2))[2]).ravel()
    largest = 0.0
    for angle in np.linspace(0, 2 * math.pi, 13):
        for size in (0.03, 0.08, 0.15, 0.4):
            force = steady(size * math.cos(angle), size * math.sin(angle))
            assert force[0] * math.cos(angle) >= -1e-6 and force[1] * math.sin(angle) >= -1e-6
            largest = max(largest, float(np.hypot(*(force / peak))))
            assert largest <= 1 + 1e-9
    assert largest > 0.98


def test_forces_build_up_over_the_relaxation_length() -> None:
    """After a small step of slip the force misses exp(-way / length) of its end; the law is linear there to 1e-3."""
    dt, slip = 1e-4, 1e-3
    bent = np.zeros(2)
    way = TYRE.relaxation_y
    for _ in range(round(way / V / dt)):
        bent = bent + dt * np.array(CONTACT(LOAD, V, [0.0, -slip * V], bent)[1]).ravel()
    end = steady(0.0, slip)[1] / tyres.springs(TYRE)[1]
    # the damper takes part of the step at once: the lag d / c is added to the length over the speed
    wanted = 1 - math.exp(-(way / V) / (way / V + tyres.LAG))
    assert bent[1] / end == pytest.approx(wanted, rel=5e-3)


def test_a_tyre_that_stands_is_a_spring_and_holds_what_the_grip_can() -> None:
    c = tyres.springs(TYRE)[0]
    force, rate, peak = (np.array(x).ravel() for x in CONTACT(LOAD, 0.0, np.zeros(2), [-0.001, 0.0]))
    assert force[0] == pytest.approx(-0.001 * c, rel=0.02) and abs(rate[0]) < 1e-4
    pulled = 0.0
    for _ in range(300):  # 0.2 m/s for 3 s: it slides and transmits the sliding force
        pulled += 1e-2 * float(CONTACT(LOAD, 0.0, [0.2, 0.0], [pulled, 0.0])[1][0])
    force = np.array(CONTACT(LOAD, 0.0, [0.2, 0.0], [pulled, 0.0])[0]).ravel()
    assert -peak[0] <= force[0] < -0.7 * peak[0]


def test_no_force_without_load_or_beyond_the_peak() -> None:
    for load in (0.0, 1.0, 50.0, 5e4):
        for v in (0.0, 0.01, 3.0, 90.0):
            for s in (0.0, 1e-4, 0.5, 60.0):
                force, _, peak = (np.array(x).ravel() for x in CONTACT(load, v, [s, -s], [0.3, -0.3]))
                assert np.all(np.abs(force) <= 1.0001 * peak + 1e-3)
