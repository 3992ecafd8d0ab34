"""The loop of an electric leg: its design against closed forms, its feed-forward against a drive, its limits."""

import math
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from motionbase.actuators.electric import electric_step
from motionbase.compile import compile, kernel
from motionbase.control.electric import Gains, speed_compensator
from motionbase.control.electric_design import LinearDrive, gains_for, is_stable, margins, open_loop, speed_loop
from motionbase.control.law import ControlLaw
from motionbase.control.leg_control import ElectricControl
from motionbase.errors import ModelError
from motionbase.platform.load import load_platform
from tests.control.named import Named

LAW = ControlLaw(load_platform("emotion-1500"))
LEGS = LAW.legs
assert isinstance(LEGS, ElectricControl)
DRIVE, STROKE, DT = LEGS.actuator, LAW.platform.stroke, LAW.dt
LINEAR = LEGS.linear
W = 200.0
IDEAL = LinearDrive(gain=W * 600.0, bandwidth=W, lag=0.0, viscous=0.0, masses=(600.0,), delay=0.0)
MIDDLE = 1.9


# ---- design --------------------------------------------------------------------------------------------------------


def test_speed_loop_of_the_mass_it_is_tuned_for() -> None:
    """T = w (s + w/4) / (s + w/2)^2: critically damped."""
    above, below = speed_loop(IDEAL, 600.0)
    s = 1j * np.array([1.0, 50.0, 300.0])
    wanted = W * (s + W / 4) / (s + W / 2) ** 2
    np.testing.assert_allclose(np.polyval(above, s) / np.polyval(below, s), wanted, rtol=1e-12)
    np.testing.assert_allclose(open_loop(IDEAL, 7.0, 600.0, s.imag), 7.0 * wanted / s, rtol=1e-12)


@pytest.mark.parametrize("mass", LINEAR.masses)
def test_margins_are_where_the_loop_loses_its_stability(mass: float) -> None:
    """By the roots: a little less than the margin of gain, or of delay, decays, a little more does not."""
    one, k_p = replace(LINEAR, masses=(mass,)), LEGS.designed["k_p"]
    found = margins(one, k_p)
    # 2 %: the grid of frequencies is 0.24 % fine, and the roots have the delay by Pade
    assert is_stable(one, 0.98 * found.gain * k_p, mass) and not is_stable(one, 1.02 * found.gain * k_p, mass)
    late = found.phase / found.bandwidth
    for part, stable in ((0.9, True), (1.1, False)):
        assert is_stable(replace(one, delay=one.delay + part * late), k_p, mass) is stable


def test_every_mode_keeps_the_margins() -> None:
    for name in ("emotion-1500", "emotion-8000"):
        legs = ControlLaw(load_platform(name)).legs
        worst = legs.margins()
        assert worst.stable and worst.phase >= math.radians(60) and worst.gain >= 3
        assert worst.phase == min(legs.margins(m).phase for m in legs.masses)
    more = margins(LINEAR, LEGS.designed["k_p"] / 0.93)
    assert more.phase < math.radians(60) or more.gain < 3  # the largest gain of the series that does


def test_rotors_are_in_the_masses() -> None:
    bare = ElectricControl(LAW.platform, replace(DRIVE, inertia=1e-9), DT)
    np.testing.assert_allclose(np.subtract(LEGS.masses, bare.masses), DRIVE.reflected_mass, rtol=1e-3)


def test_a_drive_without_margins_is_refused() -> None:
    with pytest.raises(ModelError, match="a factor of 3; the platform acts on its legs as up to 3139 kg each"):
        gains_for(replace(LINEAR, delay=30.0))


# ---- the loop ------------------------------------------------------------------------------------------------------


@cache
def loop() -> Named:
    return Named(kernel(speed_compensator(DRIVE, STROKE.hard_min, STROKE.hard_max)))


def stepped(**changes: Any) -> list[np.ndarray]:
    values = {g.name: LAW.parameters.find(g.name).start_values[0] for g in Gains.layout.ports}
    rest = {"dt": DT, "leg_state": np.zeros(2), "reference": [MIDDLE, 0.0, 0.0], "f_ff": 0.0, "quiet": 0.0, "l": MIDDLE}
    return [np.asarray(x) for x in loop()(**{**values, **rest, **changes})]


def test_feed_forward_undoes_the_lag_of_the_speed_loop() -> None:
    """One leg with its mass, no feedback: it follows 4 Hz to a part in a hundred; without force it does not."""
    mass, weight = 400.0, 400.0 * 9.80665
    total, plant = mass + DRIVE.reflected_mass, compile(electric_step(DRIVE, STROKE))
    w, amplitude = 2 * math.pi * 4.0, 0.01

    def error(ff_force: float) -> float:
        # the drive carries the weight already, the motion begins from rest: a sine squared
        x, state = np.array([weight, weight, 0.0, 0.0]), np.array([ff_force * weight, 0.0])
        l, v, a, worst = MIDDLE, 0.0, 0.0, 0.0
        for k in range(600):
            t = k * DT
            reference = [
                MIDDLE + amplitude * (1 - math.cos(w * t)), amplitude * w * math.sin(w * t),
                amplitude * w**2 * math.cos(w * t) * (t > 0),
            ]  # fmt: skip
            f_ff = weight + mass * reference[2]
            worst = max(worst, abs(reference[0] - l))
            state, u, _, _ = stepped(k_p=0.0, ff_force=ff_force, leg_state=state, reference=reference, f_ff=f_ff, l=l)
            half = v + 0.5 * DT * a
            l_next, ahead = l + DT * half, half + 0.5 * DT * a
            x, f, _ = plant(h=DT, x=x, l=l, l_next=l_next, l_dot_next=ahead, u=float(u), abort=0.0)
            a = (float(f) - weight) / total
            l, v = l_next, half + 0.5 * DT * a
        return worst

    # what is left is the lag of the current at the first jump, and friction's Stribeck part
    assert error(1.0) < 0.01 * amplitude
    assert error(0.0) > 0.05 * amplitude


def test_the_motor_is_asked_for_the_weight_when_the_brake_opens() -> None:
    """The drive's integral is empty then: the whole force comes from the speed command, K v_max u."""
    _, u, *_ = stepped(f_ff=3000.0, valve_rate_max=1e9)
    assert float(u) * DRIVE.v_max * DRIVE.speed_gain == pytest.approx(3000.0)


def test_quiet_is_no_command_and_an_empty_integral() -> None:
    state, u, u_ff, u_fb = stepped(quiet=1.0, leg_state=[2e3, 0.01], reference=[2.0, 0.3, 1.0])
    assert (float(u), float(u_ff), float(u_fb), float(state[0])) == (0.0, 0.0, 0.0, 0.0)
    _, u, *_ = stepped(quiet=1.0, leg_state=[2e3, 0.5])  # a command of half the speed takes its time to go
    assert float(u) == pytest.approx(0.5 - 40.0 * DT)


@pytest.mark.parametrize(("l", "target", "most"), [(STROKE.hard_max - 0.03, 3.0, 0.2), (STROKE.hard_min, -1.0, -0.05)])
def test_authority_falls_towards_the_ends(l: float, target: float, most: float) -> None:
    _, u, *_ = stepped(l=l, reference=[target, 0.0, 0.0], valve_rate_max=1e9)
    assert float(u) == pytest.approx(most)
    _, away, *_ = stepped(l=l, reference=[l - (target - l), 0.0, 0.0], valve_rate_max=1e9)
    assert float(away) == -math.copysign(1.0, most)


def test_law_has_the_parameters_and_the_state_of_its_legs() -> None:
    names = {f.name for f in LAW.parameters.ports}
    assert {g.name for g in Gains.layout.ports} <= names and "k_dp" not in names
    assert LAW.state.find("leg_state").dims == (6, 2)
    simona = ControlLaw(load_platform("simona"))
    assert "k_dp" in {f.name for f in simona.parameters.ports} and simona.state.size > LAW.state.size
    speed = LAW.parameters.find("speed_max").start_values[0]
    assert DRIVE.v_max < speed < 1.1 * DRIVE.v_max  # only a load that drives its drive is so fast
