"""Detects crashes."""

from __future__ import annotations

import math

from motionbase.worlds.flight.aircraft import Aircraft
from motionbase.worlds.flight.model import State

SINK = 5.0  # [m/s] at which the landing gear breaks; illustrative, like all numbers here
DIVE = 15.0  # [m/s] above which it is reported as an impact, not a touchdown
BANK, NOSE_DOWN, NOSE_UP = math.radians(35.0), math.radians(12.0), math.radians(40.0)  # with wheels down
BELLY = 0.45  # share of the height on the wheels, below which the belly is on the ground


def crash_of(aircraft: Aircraft, before: State, now: State) -> str:
    """Why the flight ends in this period; "" if it goes on."""
    if not all(map(math.isfinite, (*now.p, *now.v, *now.angles, *now.omega, *now.alpha, *now.f))):
        return "its motion is no longer finite"
    roll, pitch, _ = now.angles
    sink = -before.v[2]
    if now.height < BELLY * aircraft.tall or (now.wow and not before.wow and sink > DIVE):
        return f"it hit the ground at {math.hypot(*now.v):.0f} m/s"
    if now.wow and not before.wow and sink > SINK:
        return f"it touched down at {sink:.1f} m/s of sink rate, its gear bears {SINK:g} m/s"
    if now.wow and (abs(roll) > BANK or pitch > NOSE_DOWN or pitch < -NOSE_UP):
        return f"it touched the ground with a bank of {math.degrees(abs(roll)):.0f} deg, nose {_nose(pitch)}"
    return ""


def _nose(pitch: float) -> str:
    return f"{math.degrees(abs(pitch)):.0f} deg {'down' if pitch > 0 else 'up'}"
