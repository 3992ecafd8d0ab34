"""Each balance recovers what signals in closed form were made with."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from motionbase.actuators.electric import ElectricActuator
from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.arrays import Array
from motionbase.identify import drive as drives
from motionbase.identify.bristle import Bristles, path_of, vector
from motionbase.identify.delays import delays_of
from motionbase.identify.drive import fit_drive, fit_speed
from motionbase.identify.flow import fit_flow
from motionbase.identify.friction import Balance
from motionbase.identify.load import fit_load, inertia_about_centre, ten_of
from motionbase.identify.motion import motion_of
from motionbase.identify.signals import Signals, Stretch
from motionbase.identify.smoothing import Smoother
from motionbase.identify.study import identify
from motionbase.identify.valve import Spools, fit_lag, fit_valves
from motionbase.platform.sizing.forces import G_W
from tests.identify.synthetic import EMOTION, SIMONA, heavier, motion, signals

T = np.arange(0.0, 30.0, 0.005)


def hydraulic() -> HydraulicActuator:
    assert isinstance(SIMONA.actuator, HydraulicActuator)
    return SIMONA.actuator


def electric() -> ElectricActuator:
    assert isinstance(EMOTION.actuator, ElectricActuator)
    return EMOTION.actuator


def test_motion_from_lengths_is_the_motion_that_made_them() -> None:
    at, smoother = motion(SIMONA, T), Smoother(T[1], 0.015)
    found = motion_of(SIMONA, at.lengths, smoother)
    inner = slice(smoother.reach, len(T) - smoother.reach)
    # the filter takes exp(-(w sigma)^2 / 2) of each tone: 0.4 % at 0.97 Hz
    for name, tolerance in (("p", 1e-3), ("v", 4e-3), ("omega", 4e-3), ("a", 3e-2), ("alpha", 3e-2)):
        np.testing.assert_allclose(getattr(found.motion, name), getattr(at.motion, name)[inner], atol=tolerance)


def test_the_load_is_recovered_whatever_its_ten_numbers() -> None:
    """Forces of another formulation, `platform.sizing`; what remains is the filter's, of products of tones."""
    true = heavier(SIMONA)
    at = motion(true, T)
    fit = fit_load(signals(T, l_meas=at.lengths, f_meas=at.forces()), SIMONA).fit
    ten, exact = fit.theta[:10], ten_of(true.payload)
    assert ten[0] == pytest.approx(exact[0], rel=5e-5)
    np.testing.assert_allclose(ten[1:4] / ten[0], true.payload.com, atol=1e-4)
    np.testing.assert_allclose(inertia_about_centre(ten), true.payload.inertia, atol=2e-3 * 5000)
    assert abs(fit.theta[10]) < 1e-5  # no delay


def test_a_late_force_sensor_is_found_and_does_not_change_the_load() -> None:
    true, late = heavier(SIMONA), 0.004
    f, l = motion(true, T - late).forces(), motion(true, T).lengths
    fit = fit_load(signals(T, l_meas=l, f_meas=f), SIMONA).fit
    assert fit.theta[10] == pytest.approx(late, rel=0.01)
    assert fit.theta[0] == pytest.approx(true.payload.mass, rel=1e-4)


def test_friction_is_recovered_from_pressures_and_forces() -> None:
    """Forces along the path by the law of the actuators, with parameters other than those at the start."""
    actuator, at = hydraulic(), motion(SIMONA, T, 0.3)
    true = replace(actuator.friction, coulomb=450.0, static=630.0, stribeck=0.015, sigma2=800.0)
    fine = np.arange(0.0, 30.0, 0.0005)
    path = path_of(signals(fine, l_meas=motion(SIMONA, fine, 0.3).lengths).stretches[0], 0.0005)
    force, _ = Bristles(true).along(vector(true), path)
    force = np.concatenate([np.zeros((path.margin, 6)), force, np.zeros((path.margin, 6))])[::10]
    f, p_rod = at.forces(), np.full((len(T), 6), 4e6)
    p_cap = (f + force + actuator.area_rod * p_rod) / actuator.area_cap
    inner = slice(20, -20)
    made = signals(T[inner], l_meas=at.lengths[inner], f_meas=f[inner], p_cap=p_cap[inner], p_rod=p_rod[inner])
    found = Balance.of(made, actuator).fit()
    assert found is not None and found.slow
    np.testing.assert_allclose(found.fit.theta[:4], [450.0, 180.0, 0.015, 800.0], rtol=0.02)


def test_derivatives_of_the_friction_are_those_of_differences() -> None:
    actuator = hydraulic()
    path = path_of(signals(T, l_meas=motion(SIMONA, T).lengths).stretches[0], T[1])
    bristles, p = Bristles(actuator.friction), vector(actuator.friction)
    _, by = bristles.along(p, path)
    for k, step in enumerate((0.01, 0.01, 1e-7, 0.01)):
        around = [bristles.along(p + sign * step * np.eye(4)[k], path)[0] for sign in (1, -1)]
        difference = (around[0] - around[1]) / (2 * step)
        wrong = np.abs(by[..., k] - difference) > 1e-3 * np.abs(by[..., k]).max()
        assert wrong.mean() < 0.01  # where the law bends, differences are wrong


def flowing(leak: float, gain: float, offset: float = 0.0) -> dict[str, Array]:
    """A leg with equal areas between constant pressures: the spool's opening follows from its speed."""
    a, n = hydraulic(), len(T)
    k, apart = gain * a.flow_gain, 4e6
    p_cap, p_rod = 0.5 * (a.p_supply + a.p_return + apart), 0.5 * (a.p_supply + a.p_return - apart)
    phase = np.arange(6)
    l = 2.7 + 0.2 * np.sin(2 * np.pi * 0.4 * T[:, None] + phase)
    q = a.area_cap * 0.2 * 2 * np.pi * 0.4 * np.cos(2 * np.pi * 0.4 * T[:, None] + phase) + leak * apart
    drop = np.where(q > 0, a.p_supply - p_cap, p_cap - a.p_return)
    whole = {"p_cap": np.full((n, 6), p_cap), "p_rod": np.full((n, 6), p_rod)}
    lines = {"p_supply": np.full(n, a.p_supply), "p_return": np.full(n, a.p_return)}
    return {"l_meas": l, "valve_meas": q / (k * np.sqrt(drop)) + offset, **whole, **lines}


def test_flow_leakage_and_offset_are_recovered_where_pressures_stand() -> None:
    lossless = replace(SIMONA, actuator=replace(hydraulic(), leakage_external=0.0))
    fit = fit_flow(signals(T, **flowing(8e-12, 0.8, 0.01)), lossless).fit
    assert fit.theta[0] == pytest.approx(0.8 * hydraulic().rated_flow, rel=1e-4)
    assert fit.theta[1] == pytest.approx(8e-12, rel=0.01)
    np.testing.assert_allclose(fit.theta[5:] / fit.theta[0], 0.01, rtol=0.01)
    assert abs(fit.theta[2]) < 1e-14  # external leakage


def test_the_compliance_of_oil_shows_where_pressures_move() -> None:
    """Cap pressure and length are given, the spool follows; the rod pressure is integrated with much smaller steps."""
    a, modulus, fine = hydraulic(), 0.8e9, 1e-3
    t = np.arange(0.0, 15.0, fine)
    turn, phase = t[:, None], np.arange(6)
    w, e = 2 * np.pi * 0.7, 2 * np.pi * 0.31
    p = 8.25e6 + 3e6 * np.sin(w * turn + phase)
    l, l_dot = 2.7 + 0.02 * np.sin(e * turn + 2 * phase), 0.02 * e * np.cos(e * turn + 2 * phase)
    cap = a.volume_cap + a.area_cap * (l - SIMONA.stroke.hard_min)
    rod = a.volume_rod + a.area_rod * (SIMONA.stroke.hard_max - l)
    q = a.area_cap * l_dot + cap / modulus * 3e6 * w * np.cos(w * turn + phase)
    u = q / (a.flow_gain * np.sqrt(np.where(q > 0, a.p_supply - p, p - a.p_return)))

    def rate(k: int, p_rod: Array) -> Array:
        drop = np.where(u[k] > 0, p_rod - a.p_return, a.p_supply - p_rod)
        return np.asarray(
            modulus / rod[k] * (a.area_rod * l_dot[k] - a.flow_gain * u[k] * np.sqrt(np.maximum(drop, 0)))
        )

    p_rod = np.empty_like(p)
    p_rod[0] = 8.25e6
    for k in range(len(t) - 1):
        ahead = p_rod[k] + fine * rate(k, p_rod[k])
        p_rod[k + 1] = p_rod[k] + 0.5 * fine * (rate(k, p_rod[k]) + rate(k + 1, ahead))
    lines = {"p_supply": np.full(len(t), a.p_supply), "p_return": np.full(len(t), a.p_return)}
    tight = replace(SIMONA, actuator=replace(a, leakage_internal=0.0, leakage_external=0.0))
    fit = fit_flow(signals(t, l_meas=l, valve_meas=u, p_cap=p, p_rod=p_rod, **lines).thinned(500.0), tight).fit
    assert fit.theta[0] == pytest.approx(a.rated_flow, rel=1e-3)
    assert fit.theta[3] == pytest.approx(1 / modulus, rel=5e-3)
    assert np.abs(fit.theta[1:3]).max() < 1e-14


def test_valves_are_recovered_from_commands_and_spools() -> None:
    """Spools of other valves behind steps and noise, read one and a half ticks late."""
    dt, a = 5e-4, hydraulic()
    rng = np.random.default_rng(4)
    u = 0.3 * np.sign(np.sin(2 * np.pi * 3.0 * dt * np.arange(30_000)))[:, None] * np.ones(6)
    u += 0.02 * rng.normal(size=u.shape)
    true, _ = Spools(a, dt).along(np.array([400.0, 0.6]), u, np.zeros(6))
    late = np.concatenate([true[:2], 0.5 * (true[1:-1] + true[:-2])])
    t = np.arange(0.0, dt * (len(u) - 0.5), dt)
    made = signals(t, valve_cmd=u, valve_meas=late + 1e-4 * rng.normal(size=u.shape))
    fit = fit_valves(made, a)
    np.testing.assert_allclose(fit.theta, [400.0, 0.6, 1.5 * dt], rtol=5e-3)


def test_the_lag_of_a_spool_is_found() -> None:
    w = 2 * np.pi * 0.7
    u = 0.3 * np.sin(w * T)[:, None] * np.ones(6)
    fit = fit_lag(signals(T, valve_cmd=u, valve_meas=0.3 * np.sin(w * (T - 0.006))[:, None] * np.ones(6)))
    assert fit.theta[1] == pytest.approx(0.006, rel=1e-2)


def test_the_speed_loop_of_a_drive_is_recovered() -> None:
    """Speed and command of any motion; the motor's force by the loop's own equation, with its lag."""
    a = electric()
    dt, v_max, w, mass = 5e-4, 0.7, 150.0, 800.0
    t = np.arange(0.0, 30.0, dt)
    gain = w * mass
    l, l_dot, error, total = np.zeros((4, len(t), 6))
    for k, f in enumerate((0.3, 0.7, 1.3)):
        turn = 2 * np.pi * f
        angle = turn * t[:, None] + np.arange(6) * (k + 1)
        l -= 0.05 * np.cos(angle) / turn
        l_dot += 0.05 * np.sin(angle)
        error += 2e-3 * np.cos(angle + 1)
        total += 2e-3 * np.sin(angle + 1) / turn
    wanted = gain * error + 0.25 * gain * w * total
    motor = np.stack([np.interp(t - a.torque_lag, t, x) for x in wanted.T], axis=1)
    cut = slice(100, -100)
    made = signals(t[cut], valve_cmd=((l_dot + error) / v_max)[cut], l_meas=l[cut], f_meas=motor[cut])
    fit = fit_drive(made, a).fit
    assert drives.v_max(fit.theta) == pytest.approx(v_max, rel=1e-3)
    assert drives.bandwidth(fit.theta) == pytest.approx(w, rel=0.02)
    assert drives.tuned_mass(fit.theta) == pytest.approx(mass, rel=0.02)


def test_the_speed_at_full_command_is_found_without_forces() -> None:
    l, l_dot, a = motion(EMOTION, T, 0.3).lengths, motion(EMOTION, T - 0.005, 0.3).l_dot, electric()
    made = signals(T, valve_cmd=motion(EMOTION, T + 0.005, 0.3).l_dot / 0.66, l_meas=l, f_meas=np.zeros_like(l_dot))
    assert fit_speed(made).theta[0] == pytest.approx(0.66, rel=1e-3)
    assert fit_speed(made).theta[1] / 0.66 == pytest.approx(0.005, rel=0.05)
    silent = Signals(made.dt, tuple(Stretch(s.t, {k: s[k] for k in ("valve_cmd", "l_meas")}) for s in made.stretches))
    found = identify(silent, EMOTION)
    assert found.estimates["actuator.speed_max"].value == pytest.approx(0.66 * a.ratio, rel=1e-3)
    assert {"actuator.speed_bandwidth", "actuator.friction", "payload.mass"} <= set(found.hidden)


@pytest.mark.parametrize("late", [0.0, 0.003])
def test_delays_of_sensors_that_see_the_motion(late: float) -> None:
    at, then = motion(SIMONA, T), motion(SIMONA, T - late)
    R = np.swapaxes(then.motion.R, 1, 2)
    felt: dict[str, Any] = {
        "l_dot_meas": then.l_dot, "l_ddot_meas": then.l_ddot,
        "acc": np.einsum("nij,nj->ni", R, then.motion.a - G_W) + 0.05,  # an offset does no harm
        "omega": np.einsum("nij,nj->ni", R, then.motion.omega),
    }  # fmt: skip
    ahead = motion(SIMONA, T + 0.01).lengths
    found = delays_of(signals(T, l_meas=at.lengths, l_cmd=ahead, **felt), SIMONA)
    following = found.pop("following")
    assert following.value == pytest.approx(0.01, rel=0.01)
    assert set(found) == {"velocity", "acceleration", "specific_force", "rate"}
    for one in found.values():
        assert one.value == pytest.approx(late, abs=5e-5)
