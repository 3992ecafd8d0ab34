"""Rotors under way: flapping in closed form, the order of the method, starts, and flight at the edge of reason."""

from __future__ import annotations

import copy
import math
from functools import cache

import numpy as np
import pytest
from scipy.optimize import curve_fit

from motionbase.arrays import Array
from motionbase.errors import MotionBaseError, SimulationError
from motionbase.rotor.flight.flying import Flown, Flying
from motionbase.rotor.models.library import rotor_model
from tests.rotor.small_rotor import RADIUS, SPEED, VACUUM, harmonics, lock_number, started

PER = 180
GAMMA = lock_number(40.0)  # 6.3
# Chord over radius is 0.002: the section's own pitch rate shifts phases by 4/3 of half of it. A step turns the blade by
# 0.035 rad; the method's error is of the order of its square, 1.2e-3. Angles are 0.05, their squares 2.5e-3.
CLOSE = 4e-3


def last_turn(flown: Flown, per: int = PER) -> tuple[Array, Array]:
    """Flap and azimuth of the first blade in the last revolution."""
    return flown.angles("flap")[-per:, 0], flown.azimuth[-per:, 0]


def transient(x: Array, A: float, B: float, damping: float, w: float) -> Array:
    found: Array = np.exp(-damping * x) * (A * np.cos(w * x) + B * np.sin(w * x))
    return found


@pytest.mark.parametrize("hinge", [0.0, pytest.param(0.5, marks=pytest.mark.long("compiles a rotor"))])
def test_flapping_in_vacuo_has_the_frequency_of_its_hinge(hinge: float) -> None:
    """nu^2 = 1 + e S / I = 1 + 3/2 e / (R - e), from a free run of ten revolutions that begins with flapping."""
    flying = started(PER, density=VACUUM, hinge=hinge, flapping=0.02)
    flown = flying.fly(10 * PER, {})
    y, psi = flown.angles("flap")[:, 0], SPEED * flown.t
    (_, _, damping, nu), _ = curve_fit(transient, psi, y, p0=[0.0, 0.02, 0.0, 1.0])
    assert np.abs(y).max() > 0.015
    assert nu == pytest.approx(math.sqrt(1 + 1.5 * hinge / (RADIUS - hinge)), rel=1.5e-3)  # squares of 0.035 and 0.02
    assert abs(damping) < 1e-4


def test_flapping_dies_by_a_sixteenth_of_the_lock_number() -> None:
    """beta'' + gamma/8 beta' + beta = 0, with the coning that collective pitch has left."""
    flying = started(PER)
    flying.fly(6 * PER, {"collective": 0.05})
    flown = flying.fly(5 * PER, {})
    after = flown.t > flown.t[0] + 0.08  # the actuators have 200 rad/s
    y, psi = flown.angles("flap")[after, 0], SPEED * (flown.t[after] - flown.t[after][0])
    (_, _, damping, frequency), _ = curve_fit(transient, psi, y, p0=[y[0], 0.0, GAMMA / 16, 0.9])
    assert damping == pytest.approx(GAMMA / 16, rel=CLOSE)
    assert frequency == pytest.approx(math.sqrt(1 - (GAMMA / 16) ** 2), rel=CLOSE)


@pytest.mark.long("compiles a rotor")
def test_cones_by_an_eighth_of_the_lock_number() -> None:
    """beta_0 = gamma theta / 8 without inflow."""
    flown = started(PER).fly(8 * PER, {"collective": 0.05})
    theta = flown.angles("pitch")[-1, 0]
    assert flown.angles("flap")[-1, 0] == pytest.approx(GAMMA * theta / 8, rel=CLOSE)


@pytest.mark.parametrize(("setting", "wanted"), [("cyclic_cos", (0.0, 0.0, 1.0)), ("cyclic_sin", (0.0, -1.0, 0.0))])
def test_flapping_follows_cyclic_pitch_by_ninety_degrees(setting: str, wanted: tuple[float, float, float]) -> None:
    """A blade hinged at the centre is in resonance: beta_1s = theta_1c, beta_1c = -theta_1s, whatever its mass."""
    flap, psi = last_turn(started(PER).fly(10 * PER, {setting: 0.03}))
    np.testing.assert_allclose(harmonics(flap, psi)[:3] / 0.03, wanted, atol=CLOSE)


def test_the_pitch_of_the_blades_is_that_of_the_settings() -> None:
    """Collective, cosine and sine of the azimuth through swashplate and links, but for their geometry."""
    flown = started(PER).fly(6 * PER, {"collective": 0.05, "cyclic_cos": 0.03, "cyclic_sin": -0.02})
    found = harmonics(flown.angles("pitch")[-PER:, 0], flown.azimuth[-PER:, 0])
    np.testing.assert_allclose(found, [0.05, 0.03, -0.02, 0.0, 0.0], atol=1e-3)


def test_the_disk_is_blown_back() -> None:
    """In edgewise flight without inflow, with theta_0 and mu: terms of mu^4 (reversed flow) are left out.

    beta_0 = gamma theta / 8 (1 + mu^2), beta_1c = -8/3 mu theta / (1 - mu^2 / 2), beta_1s = -4/3 mu beta_0 / (1 +
    mu^2 / 2): back over the tail, and up on the side where the coned blades meet the air from below.
    """
    mu = 0.12
    flying = started(PER)
    flown = flying.fly(14 * PER, {"collective": 0.05, "airspeed": mu * SPEED * RADIUS})
    theta = flown.angles("pitch")[-PER:, 0].mean()
    flap = harmonics(*last_turn(flown))
    coning = GAMMA * theta / 8 * (1 + mu**2)
    assert flap[0] == pytest.approx(coning, rel=CLOSE)
    assert flap[1] == pytest.approx(-8 / 3 * mu * theta / (1 - mu**2 / 2), rel=CLOSE)
    # at resonance errors of the frequency are phases, and the cosine is three times as large
    assert flap[2] == pytest.approx(-4 / 3 * mu * coning / (1 + mu**2 / 2), abs=2 * CLOSE * abs(flap[1]))


@pytest.mark.long("compiles a rotor at three steps")
def test_periodic_loads_are_of_second_order_in_the_step() -> None:
    """Forward flight with inflow that is coupled from step to step: errors fall fourfold with half the step.

    Of flapping (mean, cosine, sine), thrust (mean, cosine) and torque (cosine; its mean is a small difference).
    """

    def found(per: int) -> Array:
        flying = started(per, inflow="uniform", delay=0.05, corrections=10)
        flown = flying.fly(16 * per, {"collective": 0.05, "airspeed": 30.0})
        flap, psi = last_turn(flown, per)
        thrust, torque = (harmonics(flown.loads[-per:, k], psi) for k in (2, 5))
        return np.array([*harmonics(flap, psi)[:3], *thrust[:2], torque[1]])

    coarse, middle, fine = (found(per) for per in (90, 180, 360))
    orders = np.log2(np.abs((coarse - middle) / (middle - fine)))
    np.testing.assert_allclose(orders, 2.0, atol=0.15)


# ---- at the edge of reason -----------------------------------------------------------------------------------------


@cache
def compact() -> Flying:
    return Flying.of(rotor_model("puma_compact"))


def flown_there(settings: dict[str, float], revolutions: int = 6) -> Flown:
    """The compact Puma, with settings that are reached in half a second."""
    flying = copy.copy(compact())
    return flying.fly(90 * revolutions, lambda t: {name: value * min(1.0, t / 0.5) for name, value in settings.items()})


TIP = 28.0 * 7.49


@pytest.mark.long("compiles a rotor")
@pytest.mark.parametrize(
    "settings",
    [
        {"collective": math.radians(25.0)},
        {"collective": 0.05, "airspeed": 0.8 * TIP},
        {"collective": 0.1, "airspeed": 7.0, "shaft_angle": math.pi / 2},
        {"collective": 0.1, "airspeed": 12.0, "shaft_angle": math.pi / 2},
        {"collective": 0.0, "airspeed": 30.0, "shaft_angle": math.pi / 2},
    ],
    ids=["stall", "reversed flow", "vortex ring", "faster descent", "windmill"],
)
def test_flight_at_the_edge_stays_finite(settings: dict[str, float]) -> None:
    flown = flown_there(settings)
    assert np.all(np.isfinite(flown.nodes)) and np.all(np.isfinite(flown.loads)) and np.all(np.isfinite(flown.induced))
    assert np.abs(flown.angles("flap")).max() < 0.5
    assert np.abs(flown.induced[-1]).max() < 60.0


@pytest.mark.long("compiles a rotor")
def test_settings_that_are_no_numbers_are_refused() -> None:
    with pytest.raises(MotionBaseError, match=r"setting 'collective' is nan, a finite number is wanted"):
        flown_there({"collective": math.nan})
    with pytest.raises(MotionBaseError, match=r"no setting 'throttle'; settings: collective"):
        flown_there({"throttle": 1.0})


def test_a_flight_has_a_step() -> None:
    for steps in (0, 10.5):
        with pytest.raises(MotionBaseError, match=rf"{steps} steps are asked for, a whole number of 1 or more"):
            started(PER).fly(steps, {})  # type: ignore[arg-type]


def test_what_cannot_be_solved_says_so() -> None:
    """Blades that turn by a third of a revolution in a step."""
    with pytest.raises(SimulationError, match=r"rotor 'small': a step between t = .* was not solved .* smaller step"):
        started(3).fly(30, {"collective": 0.3})


@pytest.mark.long("compiles a rotor")
def test_a_locked_swashplate_holds_the_pitch() -> None:
    """Actuators that take an hour to move."""
    flown = started(PER, bandwidth=1e-4).fly(2 * PER, {"collective": 0.2, "cyclic_sin": 0.1})
    assert np.abs(flown.angles("pitch")).max() < 1e-3


@pytest.mark.long("compiles a rotor")
def test_a_rotor_that_stands_feels_the_wind() -> None:
    """Loads are those of the wind alone, and no speed is divided by."""
    flown = started(PER, speed=1e-6).fly(PER, {"airspeed": 10.0, "shaft_angle": 0.3})
    assert np.all(np.isfinite(flown.nodes)) and np.all(np.isfinite(flown.loads))
    assert np.abs(flown.loads[-1]).max() > 1.0
