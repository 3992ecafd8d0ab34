"""The on/off valve of the published rig: one speed, times instead of strokes."""

from typing import Any

import numpy as np
import pytest

from motionbase.actuators.onoff import OnOffActuator, onoff_pulse, onoff_step
from motionbase.compile import Kernel, Port, compile, compose, scan
from motionbase.errors import ModelError

RIG = OnOffActuator()
H = 1e-3


def test_speed_is_twelve_inches_in_1600_milliseconds() -> None:
    assert RIG.speed == pytest.approx(0.1905, abs=1e-12)
    run = scan(onoff_step(RIG), {"opening": "opening_next", "s": "s_next"}, record=["s_next", "s_dot"])
    rows = run(3000, h=H, opening=0.0, s=0.0, u=1.0)
    arrived = H * (1 + np.argmax(rows["s_next"] >= RIG.stroke - 1e-12))
    assert arrived == pytest.approx(1.6 + 0.5 * RIG.switching, abs=1.01 * H)
    assert rows["s_dot"][500] == pytest.approx(0.1905, rel=1e-9)
    assert rows["s_next"][-1] == RIG.stroke


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
    whole = compose("rig", onoff_pulse(RIG), onoff_step(RIG))
    feedback = {"pulse": "pulse_next", "opening": "opening_next", "s": "s_next"}
    n = len(s_cmd)
    tap = Kernel("tap", (Port("s", (), "m"),), (Port("s_meas", (), "m"),), lambda s: s)
    run = scan(
        compose("measured_rig", tap, whole), feedback, per_step=["s_cmd", "renew"], record=["s_next", "opening_next"]
    )
    renew = (np.arange(n) % every == 0).astype(float)
    return run(n, h=H, pulse=0.0, opening=0.0, s=0.15, s_cmd=s_cmd, renew=renew)


def test_time_proportioned_control_stays_within_the_dead_band_of_a_slow_wave() -> None:
    """A wave of less than the valve's speed, renewed at 20 Hz: error below one period's travel and the dead band."""
    t = H * np.arange(8000)
    wave = 0.15 + 0.05 * np.sin(2 * np.pi * 0.3 * t)
    rows = closed_loop(wave, 50)
    error = np.abs(rows["s_next"] - wave)[500:]
    assert np.max(error) < 0.05 * (0.1905 + 0.0943) + RIG.dead_band


def test_the_valve_is_left_alone_within_the_dead_band() -> None:
    rows = closed_loop(np.full(2000, 0.15 + 0.9 * RIG.dead_band), 50)
    assert np.all(rows["opening_next"] == 0.0) and np.all(rows["s_next"] == 0.15)


def test_wrong_parameters() -> None:
    with pytest.raises(ModelError, match="dead_band 1 m must be below the stroke"):
        OnOffActuator(dead_band=1.0)
