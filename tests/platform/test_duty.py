"""What manoeuvres ask of the legs against statics, energy, sine waves and closed forms."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from motionbase.actuators.electric import ElectricActuator
from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.compile import compile
from motionbase.errors import PlatformError
from motionbase.plant import motion as plant
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.load import load_platform
from motionbase.platform.sizing.capability import friction_force
from motionbase.platform.sizing.duty import Duty, duty_of
from motionbase.platform.sizing.fitted import fitted
from motionbase.platform.sizing.forces import Motion, holding_forces
from motionbase.platform.sizing.plot import write_duty
from motionbase.spatial.rotations import quaternion_euler_zyx

EMOTION, SIMONA = load_platform("emotion-1500"), load_platform("simona")
TURN = 2 * math.pi


def heaving(h: Hexapod, amplitude: float, frequency: float = 0.5, periods: int = 2, n: int = 1000) -> Duty:
    """Of a sine over whole periods, every moment of the last one but one to have an even mean."""
    t = np.linspace(0.0, periods / frequency, periods * n + 1)
    x = np.zeros((3, len(t), 6))
    w = TURN * frequency
    x[0, :, 2] = amplitude * np.sin(w * t)
    x[1, :, 2], x[2, :, 2] = amplitude * w * np.cos(w * t), -amplitude * w**2 * np.sin(w * t)
    return duty_of(h, t, *x)


@pytest.mark.parametrize("h", [EMOTION, SIMONA], ids=lambda h: h.name)
def test_standing_still_takes_the_holding_forces_and_nothing_else(h: Hexapod) -> None:
    still = np.zeros((5, 6))
    duty = duty_of(h, np.arange(5.0), still, still, still)
    wanted = holding_forces(h, np.array([h.p_neutral]), np.array([[1.0, 0, 0, 0]]))[0]
    np.testing.assert_allclose(duty.force, np.tile(wanted, (5, 1)), rtol=1e-12)
    for row, f in zip(duty.rows(), wanted, strict=True):
        assert row["force_max_N"] == pytest.approx(f) and row["force_rms_N"] == pytest.approx(f)
        assert row["power_peak_W"] == row["power_mean_W"] == row["heat_mean_W"] == row["speed_peak_m_s"] == 0
        assert row["force_reserve"] == pytest.approx(duty.has.push / f)
    assert not duty.beyond()


def test_a_small_sine_has_the_root_mean_squares_of_a_sine() -> None:
    """By 0.1 mm the legs hardly turn: speed and what weight does not take of the force are sines, to 1e-4 of them."""
    duty = heaving(EMOTION, 1e-4)
    rows = duty.rows()
    sine = EMOTION.p_neutral[2] / EMOTION.l_neutral
    np.testing.assert_allclose([r["speed_peak_m_s"] for r in rows], sine * 1e-4 * math.pi, rtol=2e-4)
    np.testing.assert_allclose([r["speed_rms_m_s"] for r in rows], sine * 1e-4 * math.pi / math.sqrt(2), rtol=2e-4)
    load = duty.load - duty.mean(duty.load)
    np.testing.assert_allclose(duty.rms(load), np.abs(load).max(axis=0) / math.sqrt(2), rtol=1e-3)
    # the whole platform goes up and down as one mass: its legs' vertical forces are its weight and inertia
    moved = (duty.load @ sine - (duty.load @ sine).mean()) / (-1e-4 * math.pi**2 * np.sin(math.pi * duty.t) + 1e-300)
    mass = np.median(moved)
    rotors = EMOTION.actuator.reflected_mass * (sine**2).sum()  # type: ignore[union-attr]
    assert EMOTION.moving_mass + rotors < mass < EMOTION.moving_mass + rotors + 6 * EMOTION.cylinder.mass


@pytest.mark.parametrize("h", [EMOTION, SIMONA], ids=lambda h: h.name)
def test_over_whole_periods_the_drives_spend_what_friction_takes(h: Hexapod) -> None:
    """Weight and inertia give back what they took: rounding and the trapezia leave 1e-9 of the peak power."""
    duty = heaving(h, 0.2)
    peak = np.abs(duty.power).max()
    lost = duty.mean(friction_force(h.actuator.friction, duty.l_dot) * duty.l_dot)
    np.testing.assert_allclose(duty.mean(duty.power), lost, atol=1e-6 * peak)
    np.testing.assert_allclose(duty.power, duty.force * duty.l_dot)


@pytest.mark.parametrize("h", [EMOTION, SIMONA], ids=lambda h: h.name)
def test_work_of_the_legs_is_the_energy_of_the_plant(h: Hexapod) -> None:
    """From rest to some motion: the integral of load times rate is what the plant's masses and rotors then have."""
    t = np.linspace(0.0, 1.0, 4001)
    far = np.array([0.2, -0.15, 0.2, 0.06, 0.05, 0.08])
    s = np.stack([t**3, 3 * t**2, 6 * t])[:, :, None] * far  # at rest at first, in motion at last
    duty = duty_of(h, t, *s)
    work = np.trapezoid((duty.load * duty.l_dot).sum(axis=1), t)
    mechanism = plant.Motion(h).mechanism
    energies = compile(mechanism.energies)

    def energy(k: int) -> float:
        at = Motion.of_dof(h, s[0, k], s[1, k])
        V = np.concatenate([at.R[0].T @ at.omega[0], at.R[0].T @ at.v[0]])
        Q = np.array(quaternion_euler_zyx(s[0, k, 3:])).ravel()
        return float(sum(energies(p_W=at.p[0], Q_WP=Q, V_P=V)))

    assert work == pytest.approx(energy(-1) - energy(0), rel=2e-7)  # trapezia: h^2 / 12 of the slope


def test_torque_speed_and_heat_of_a_screw() -> None:
    duty = heaving(EMOTION, 0.2)
    a = EMOTION.actuator
    assert isinstance(a, ElectricActuator) and duty.torque is not None and duty.flow is None
    np.testing.assert_allclose(duty.torque * TURN, duty.force * a.lead)
    assert duty.rows()[0]["motor_speed_peak_rad_s"] == pytest.approx(np.abs(duty.l_dot[:, 0]).max() * TURN / a.lead)
    # all that the drives put in, they braked or friction took; the rest came back
    put_in, braked = duty.mean(np.maximum(duty.power, 0)), duty.mean(np.maximum(-duty.power, 0))
    np.testing.assert_allclose(put_in, duty.mean(duty.heat), rtol=1e-5)
    assert np.all(braked < put_in)


def test_flow_and_heat_of_a_cylinder() -> None:
    """Areas are equal: the flow is area times speed; the oil's heat is all that the supply puts in over a period."""
    duty = heaving(SIMONA, 0.2)
    a = SIMONA.actuator
    assert isinstance(a, HydraulicActuator) and duty.flow is not None and duty.torque is None
    np.testing.assert_allclose(duty.flow, a.area_cap * np.abs(duty.l_dot))
    spent = (a.p_supply - a.p_return) * duty.mean(duty.flow)
    np.testing.assert_allclose(duty.mean(duty.heat), spent, rtol=1e-6)
    assert duty.heat.min() > -1e-9
    every = duty.totals()
    assert every["flow_peak_m3_s"] == pytest.approx(duty.flow.sum(axis=1).max())
    assert every["supply_mean_W"] == pytest.approx(a.p_supply * duty.mean(duty.flow).sum())
    odu = load_platform("odu")
    uneven, b = heaving(odu, 0.05), odu.actuator
    assert isinstance(b, HydraulicActuator) and uneven.flow is not None
    out = uneven.l_dot > 0
    np.testing.assert_allclose(uneven.flow[out], b.area_cap * uneven.l_dot[out])
    np.testing.assert_allclose(uneven.flow[~out], -b.area_rod * uneven.l_dot[~out])


def test_what_is_beyond_is_told_with_leg_and_moment() -> None:
    assert not heaving(SIMONA, 0.2).beyond()
    far = heaving(SIMONA, 0.8, frequency=0.1)
    assert {one.what for one in far.beyond()} == {"length"}
    fast = heaving(SIMONA, 0.25, frequency=0.75)
    speeds = [one for one in fast.beyond() if one.what == "speed"]
    assert len(speeds) == 6 and speeds[0].has == 0.85
    assert speeds[0].asked == pytest.approx(np.abs(fast.l_dot[:, 0]).max())
    assert "leg 1: speed of 1." in speeds[0].sentence
    heavy = replace(SIMONA, payload=replace(SIMONA.payload, mass=20000.0))
    (first, *_) = [one for one in heaving(heavy, 0.05).beyond() if one.what == "force"]
    assert first.has == pytest.approx(first.asked * heaving(heavy, 0.05).reserve.min(), rel=1e-6)


def test_times_must_go_on() -> None:
    still = np.zeros((3, 6))
    with pytest.raises(PlatformError, match="times of a manoeuvre must go on, and stand at 1 s"):
        duty_of(SIMONA, [0.0, 1.0, 1.0], still, still, still)
    with pytest.raises(PlatformError, match="are wanted"):
        duty_of(SIMONA, [0.0, 1.0], still, still, still)


@pytest.mark.parametrize("h", [EMOTION, SIMONA], ids=lambda h: h.name)
def test_picture(h: Hexapod, tmp_path: Path) -> None:
    write_duty(heaving(h, 0.1, n=50), tmp_path / "duty.png")
    assert (tmp_path / "duty.png").stat().st_size > 50_000


# ---- derivatives of samples ----------------------------------------------------------------------------------------


def test_cubics_are_fitted_exactly_at_any_times() -> None:
    t = np.sort(np.random.default_rng(2).uniform(0, 2, 40))
    x = np.stack([1 + 2 * t - 3 * t**2 + t**3, t], axis=1)
    for window in (0.0, 0.6):
        at, rate, rate_of_rate = fitted(t, x, window)
        np.testing.assert_allclose(at, x, atol=1e-12)
        np.testing.assert_allclose(rate[:, 0], 2 - 6 * t + 3 * t**2, atol=1e-8)
        np.testing.assert_allclose(rate_of_rate[:, 0], -6 + 6 * t, atol=1e-6)  # random times may nearly coincide
        np.testing.assert_allclose(rate[:, 1], 1.0, atol=1e-8)


def test_sines_are_fitted_to_second_order_and_noise_is_smoothed() -> None:
    def error(h: float, window: float = 0.0, noise: float = 0.0) -> float:
        t = np.arange(0.0, 2.0, h)
        x = np.sin(3 * t)[:, None] + noise * np.random.default_rng(1).standard_normal((len(t), 1))
        return float(np.abs(fitted(t, x, window)[2][:, 0] + 9 * np.sin(3 * t))[30:-30].max())

    assert error(0.02) / error(0.01) == pytest.approx(4, rel=0.1)
    assert error(1e-3, 0.05, 5e-6) < 0.1 < error(1e-3, 0.0, 5e-6)  # 27 noise / (n^2.5 h^2), n samples to a window


@pytest.mark.parametrize(
    ("t", "message"),
    [
        ([0, 1, 2], "has 3 moments, at least 5 are wanted"),
        ([0, 1, 2, 2, 3, 4], "time goes from 2 to 2 s at record 4"),
        ([0, 1, 2, 3, 0, 1], "time goes from 3 to 0 s at record 5"),
    ],
)
def test_samples_that_tell_no_motion(t: list[float], message: str) -> None:
    with pytest.raises(PlatformError, match=message):
        fitted(np.array(t, dtype=np.float64), np.zeros((len(t), 6)))
