"""The paper's equations, and the laws of six on/off legs: on every target, and against one another."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from motionbase.arrays import Array
from motionbase.compile import compile, scan
from motionbase.errors import ModelError, UsageError
from motionbase.rig.onoff.acquisition import Wiring
from motionbase.rig.onoff.laws import LAWS, NOMINAL, PERIOD, Belief, Law, predictive
from motionbase.rig.onoff.potentiometer import LENGTH, Potentiometer
from motionbase.rig.onoff.simulated import CODES, NOISE, RANGE, VALVES, SimulatedRig

INCH = 0.0254


def test_equation_17() -> None:
    """Curpos = FBD / ACTV * Cylen, with ACTV = 5 V and Cylen = 12 inches."""
    pot = Potentiometer()
    assert pot.extension(1.25) == pytest.approx(3 * INCH, abs=1e-12)
    assert pot.volts(9 * INCH) == pytest.approx(3.75, abs=1e-12)


def test_calibration_recovers_what_a_potentiometer_is() -> None:
    real = Potentiometer(supply=4.9, offset=0.004, scale=1.03)
    s = np.linspace(0, 0.3, 5)
    fitted = Potentiometer(supply=4.9).calibrated(np.array([real.volts(x) for x in s]), s)
    assert fitted.offset == pytest.approx(0.004, abs=1e-12) and fitted.scale == pytest.approx(1.03, abs=1e-12)
    with pytest.raises(UsageError, match="3 voltages over 0.1 V; it takes two or more over at least 0.245 V"):
        real.calibrated(np.array([1.0, 1.05, 1.1]), s[:3])
    with pytest.raises(ModelError, match="supply"):
        Potentiometer(supply=0.0)


def test_wiring_must_use_every_channel_once() -> None:
    with pytest.raises(UsageError, match="analogue inputs are 0, 1, 2, 3, 4, 4"):
        Wiring(inputs=(0, 1, 2, 3, 4, 4))
    with pytest.raises(UsageError, match="digital outputs"):
        Wiring(extend=(0, 2, 4, 6, 8, 11))


def step_of(law: Law, **given: Any) -> tuple[Any, ...]:
    values: dict[str, Any] = {"s_cmd_dot": np.zeros(6), "renew": 1.0, "follow": 1.0, "h": PERIOD} | given
    state = np.tile(law.state.layout.vector(), (6, 1))
    made: tuple[Any, ...] = compile(law.program)(state=state, **values)
    return made


def test_equation_18() -> None:
    """TravTime = ((ComDisp / 12 * 5) - V) / 5 * 1.6 in seconds, positive for the extending solenoid."""
    inches = np.array([9.0, 3.0, 6.0, 0.0, 12.0, 1.0])
    volts = np.array([1.25, 2.5, 2.5, 4.0, 0.5, 5.0])
    expected = ((inches / 12 * 5) - volts) / 5 * 1.6
    pot = Potentiometer()
    s = np.array([pot.extension(v) for v in volts])
    state, u, _ = step_of(LAWS["paper"](), s_cmd=inches * INCH, s_meas=s)
    np.testing.assert_array_equal(u, np.sign(expected))
    np.testing.assert_allclose(state[:, 0] + PERIOD * u, expected, rtol=1e-12)


@pytest.mark.parametrize("name", LAWS)
def test_valves_stay_shut_unless_the_law_may_follow(name: str) -> None:
    _, u, _ = step_of(LAWS[name](), s_cmd=np.full(6, 0.2), s_meas=np.full(6, 0.1), follow=0.0)
    assert not u.any()


def wide(x: Any) -> Array:
    """The same on four lanes."""
    return np.repeat(np.asarray(x, np.float64)[..., None], 4, axis=-1)


def times(seconds: float) -> Array:
    t: Array = PERIOD * np.arange(round(seconds / PERIOD), dtype=np.float64)
    return t


def demand(t: Array) -> tuple[Array, Array]:
    """Six sines with three quarters of the valves' speed at most, and their rates."""
    phase = 2 * np.pi * 0.3 * t[:, None] + np.arange(6)
    return 0.15 + 0.07 * np.sin(phase), 0.07 * 2 * np.pi * 0.3 * np.cos(phase)


@pytest.mark.parametrize("name", LAWS)
def test_the_same_bits_on_every_target_and_lane(name: str) -> None:
    law = LAWS[name]()
    s, s_dot = demand(times(0.2))
    results = []
    for target in ("llvm", "python", "c"):
        step, state = compile(law.program, target), np.tile(law.state.layout.vector(), (6, 1))
        rows = []
        for k in range(40):
            state, u, flow = step(PERIOD, state, s[k], s_dot[k], s[k] - 2e-3 * np.sin(k), float(k % 3 == 0), 1.0)
            rows.append(np.concatenate([state.ravel(), u, flow]))
        results.append(np.array(rows))
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_array_equal(results[0], results[2])
    lanes = compile(law.program, lanes=4)
    four = wide(np.tile(law.state.layout.vector(), (6, 1)))
    for k in range(40):
        meas = s[k] - 2e-3 * np.sin(k)
        four, u, _ = lanes(
            wide(PERIOD), four, wide(s[k]), wide(s_dot[k]), wide(meas), wide(float(k % 3 == 0)), wide(1.0)
        )
    for lane in range(4):
        np.testing.assert_array_equal(np.concatenate([four[..., lane].ravel(), u[..., lane]]), results[0][-1][:-6])


def followed(law: Law, rig: SimulatedRig, seconds: float, motion: Callable[[Array], Any] = demand) -> Array:
    """(n, 6) errors of the legs [m]."""
    t = times(seconds)
    s, s_dot = motion(t)
    rig.extensions[:] = s[0]
    wiring, pot, step = Wiring(), Potentiometer(), compile(law.program)
    state, errors = np.tile(law.state.layout.vector(), (6, 1)), []
    for k, now in enumerate(t):
        volts = rig.read(float(now))
        errors.append(rig.extensions - s[k])
        measured = np.array([pot.extension(float(v)) for v in volts])
        state, u, flow = step(PERIOD, state, s[k], s_dot[k], measured, 1.0, 1.0)
        rig.write(wiring.lines(u))
        rig.throttle(flow)
    return np.array(errors)


def rms(errors: Array, after: float = 1.0) -> float:
    return float(np.sqrt(np.mean(errors[round(after / PERIOD) :] ** 2)))


def test_prediction_halves_the_error_and_throttles_take_more() -> None:
    """On a rig whose valves are slower than the laws believe, and whose speeds differ by up to 13 %."""
    error = {name: rms(followed(make(), SimulatedRig(), 6.0)) for name, make in LAWS.items()}
    assert error["predictive"] < 0.5 * error["paper"] and error["throttled"] < 0.5 * error["predictive"]


def test_predictive_learns_the_speed_of_each_leg_and_direction() -> None:
    law, rig = predictive(VALVES), SimulatedRig(noise=0.0)
    t = times(6.0)
    s = 0.15 + 0.1 * np.sign(np.sin(2 * np.pi * 0.35 * t))  # strokes at full speed
    wiring, pot, step = Wiring(), Potentiometer(), compile(law.program)
    state = np.tile(law.state.layout.vector(), (6, 1))
    for k, now in enumerate(t):
        measured = np.array([pot.extension(float(v)) for v in rig.read(float(now))])
        state, u, _ = step(PERIOD, state, np.full(6, s[k]), np.zeros(6), measured, 1.0, 1.0)
        rig.write(wiring.lines(u))
    learnt = law.state.layout.part(state, "pace")
    np.testing.assert_allclose(learnt, rig.pace, rtol=0.03)


def test_speeds_are_learnt_from_that_of_the_actuator_on() -> None:
    state, _, _ = step_of(predictive(replace(NOMINAL, speed=0.3)), s_cmd=np.full(6, 0.1), s_meas=np.full(6, 0.1))
    np.testing.assert_array_equal(Belief.layout.part(state, "pace"), 0.3)


def test_a_leg_at_its_demand_is_left_alone() -> None:
    """A demand that steps and then stands: at most one pulse corrects what the noise hid, and then no valve opens."""

    def step(t: Array) -> tuple[Array, Array]:
        return 0.15 + np.where(t[:, None] > 1, 0.01, 0.0) * np.ones(6), np.zeros((len(t), 6))

    errors = followed(predictive(), SimulatedRig(), 8.0, step)
    shortest = VALVES.speed * (PERIOD + NOMINAL.delay)  # of a pulse; half of it cannot be corrected
    assert np.ptp(errors[400:], axis=0).max() < shortest and np.ptp(errors[1000:], axis=0).max() < 1e-12
    assert np.abs(errors[-1]).max() < 0.5 * shortest


def test_readings_have_noise_and_sixteen_bits() -> None:
    rig = SimulatedRig()
    volts = np.array([rig.read(0.0) for _ in range(2000)])
    quantum = 2 * RANGE / CODES
    np.testing.assert_allclose(volts / quantum, np.round(volts / quantum), atol=1e-9)
    exact = Potentiometer().volts(0.15)
    # four standard errors of mean and deviation
    np.testing.assert_allclose(volts.mean(axis=0), exact, atol=4 * NOISE / np.sqrt(2000) + quantum)
    np.testing.assert_allclose(volts.std(axis=0), NOISE, rtol=4 / np.sqrt(4000))
    assert (volts == np.array([SimulatedRig().read(0.0)])).all(axis=1).any()  # the same seed, the same noise


def test_twelve_inches_take_1600_milliseconds_on_average() -> None:
    rig = SimulatedRig(s=np.zeros(6))
    rig.write(Wiring().lines(np.ones(6)))
    arrived = np.full(6, np.inf)
    for k in range(400):
        rig.advance(k * PERIOD)
        arrived = np.where(rig.extensions >= LENGTH - 1e-9, np.minimum(arrived, k * PERIOD), arrived)
    late = VALVES.delay + 0.5 * VALVES.switching
    np.testing.assert_allclose(arrived - late, LENGTH / rig.pace[:, 0], atol=1.01 * PERIOD)
    assert LENGTH / rig.pace.mean() == pytest.approx(1.6, rel=0.01)


def test_laws_are_scans_too() -> None:
    """A law's state is fed back by its name, as for any program of ours."""
    run = scan(LAWS["paper"]().program, {"state": "state_next"}, record=["u"])
    rows = run(
        10, h=PERIOD, state=np.zeros((6, 1)), s_cmd=np.full(6, 0.2), s_cmd_dot=np.zeros(6), s_meas=np.full(6, 0.1),
        renew=0.0, follow=1.0,
    )  # fmt: skip
    assert not rows["u"].any() and NOMINAL.dead_band > 0
