"""The on/off valve of the published rig: one speed, times instead of strokes."""

from typing import Any

import numpy as np
import pytest

from motionbase.actuators.onoff import OnOffActuator, OnOffLeg, Pace, onoff_pulse, onoff_step
from motionbase.compile import Kernel, Port, compile, compose, scan
from motionbase.errors import ModelError

RIG = OnOffActuator()
H = 1e-3
PACE = Pace.layout.vector()


def opened(actuator: OnOffActuator, u: Any, s: float, pace: Any = PACE, throttle: float = 1.0) -> dict[str, Any]:
    """Extension [m], its rate [m/s] and the valve's opening for a row of commands."""
    run = scan(onoff_step(actuator), {"leg": "leg_next"}, per_step=["u"], record=["leg_next", "s_dot"])
    leg = OnOffLeg.layout.vector({"s": s})
    rows = run(len(u), h=H, leg=leg, pace=pace, u=np.asarray(u, float), throttle=throttle)
    part = OnOffLeg.layout.part
    return {name: part(rows["leg_next"], name)[:, 0] for name in ("s", "opening", "pulled")} | {"s_dot": rows["s_dot"]}


def test_speed_is_twelve_inches_in_1600_milliseconds() -> None:
    assert RIG.speed == pytest.approx(0.1905, abs=1e-12)
    rows = opened(RIG, np.ones(3000), 0.0)
    arrived = H * (1 + np.argmax(rows["s"] >= RIG.stroke - 1e-12))
    assert arrived == pytest.approx(1.6 + 0.5 * RIG.switching, abs=1.01 * H)
    assert rows["s_dot"][500] == pytest.approx(0.1905, rel=1e-9)
    assert rows["s"][-1] == RIG.stroke


def pulse(length: float, u: float = 1.0) -> Any:
    """A command for a time [s], then none for a second."""
    n = round(length / H)
    return np.concatenate([np.full(n, u), np.zeros(1000)])


@pytest.mark.parametrize("u", [-1.0, 1.0])
def test_a_leg_coasts_when_its_command_ends(u: float) -> None:
    """The valve opens and closes late by the same delay, so a pulse travels its own length; the last of it coasts."""
    slow = OnOffActuator(delay=0.012, switching=0.02)
    rows = opened(slow, pulse(0.1, u), 0.15)
    travelled = abs(rows["s"] - 0.15)
    assert travelled[-1] == pytest.approx(0.1 * slow.speed, rel=1e-9)
    coast = travelled[-1] - travelled[99]
    assert coast == pytest.approx(slow.speed * (slow.delay + 0.5 * slow.switching), abs=1.01 * H * slow.speed)


def test_a_pulse_shorter_than_the_delay_moves_nothing() -> None:
    slow = OnOffActuator(delay=0.012)
    assert np.ptp(opened(slow, pulse(0.011), 0.15)["s"]) == 0
    assert np.ptp(opened(slow, pulse(0.013), 0.15)["s"]) > 0


def test_speeds_up_and_down_differ_and_a_throttle_scales_them() -> None:
    pace = Pace.layout.vector({"up": 0.2, "down": 0.15})
    up, down = (opened(RIG, np.full(500, u), 0.15, pace=pace) for u in (1.0, -1.0))
    assert up["s_dot"][400] == pytest.approx(0.2) and down["s_dot"][400] == pytest.approx(-0.15)
    assert opened(RIG, np.ones(500), 0.15, throttle=0.3)["s_dot"][400] == pytest.approx(0.3 * RIG.speed)


def test_reversal_passes_the_middle() -> None:
    """The other solenoid pulls only after the first has let go."""
    rows = opened(OnOffActuator(delay=0.01), np.repeat([1.0, -1.0], 100), 0.15)
    steps = rows["pulled"][np.flatnonzero(np.diff(rows["pulled"], prepend=0.0))]
    assert steps.tolist() == [1.0, 0.0, -1.0]


def test_published_travel_time() -> None:
    """TravTime = (ComDisp / 12 * 5 - V) / 5 * 1.6 with ComDisp in inches and 5 V for twelve inches, in seconds."""
    inches, volts = 9.0, 1.25
    expected = (inches / 12 * 5 - volts) / 5 * 1.6
    pulse, u = compile(onoff_pulse(RIG))(
        h=H, pulse=0.0, s_cmd=inches * 0.0254, s_meas=volts / 5 * RIG.stroke, renew=1.0
    )
    assert pulse + H == pytest.approx(expected, rel=1e-12)
    assert u == 1.0
    assert compile(onoff_pulse(RIG))(h=H, pulse=0.0, s_cmd=0.1, s_meas=0.2, renew=1.0)[1] == -1.0


def closed_loop(s_cmd: Any, every: int) -> dict[str, Any]:
    tap = Kernel("tap", (OnOffLeg.port("leg"),), (Port("s_meas", (), "m"),), lambda leg: leg.s)
    rig = compose("measured_rig", tap, onoff_pulse(RIG), onoff_step(RIG))
    feedback = {"pulse": "pulse_next", "leg": "leg_next"}
    run = scan(rig, feedback, per_step=["s_cmd", "renew"], record=["leg_next"])
    renew = (np.arange(len(s_cmd)) % every == 0).astype(float)
    begin = OnOffLeg.layout.vector({"s": 0.15})
    rows = run(len(s_cmd), h=H, pulse=0.0, leg=begin, pace=PACE, throttle=1.0, s_cmd=s_cmd, renew=renew)["leg_next"]
    return {name: OnOffLeg.layout.part(rows, name)[:, 0] for name in ("s", "opening")}


def test_time_proportioned_control_stays_within_the_dead_band_of_a_slow_wave() -> None:
    """A wave of less than the valve's speed, renewed at 20 Hz: error below one period's travel and the dead band."""
    t = H * np.arange(8000)
    wave = 0.15 + 0.05 * np.sin(2 * np.pi * 0.3 * t)
    rows = closed_loop(wave, 50)
    error = np.abs(rows["s"] - wave)[500:]
    assert np.max(error) < 0.05 * (0.1905 + 0.0943) + RIG.dead_band


def test_the_valve_is_left_alone_within_the_dead_band() -> None:
    rows = closed_loop(np.full(2000, 0.15 + 0.9 * RIG.dead_band), 50)
    assert np.all(rows["opening"] == 0.0) and np.all(rows["s"] == 0.15)


def test_wrong_parameters() -> None:
    with pytest.raises(ModelError, match="dead_band 1 m must be below the stroke"):
        OnOffActuator(dead_band=1.0)
