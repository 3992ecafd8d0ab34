"""When a flight has ended badly."""

from __future__ import annotations

import math

from motionbase.worlds.flight.aircraft import Aircraft
from motionbase.worlds.flight.model import State

SINK = 5.0  # [m/s] at which an undercarriage breaks; illustrative, as all of these
DIVE = 15.0  # [m/s] that nobody would call a touchdown
BANK, NOSE_DOWN, NOSE_UP = math.radians(35.0), math.radians(12.0), math.radians(40.0)  # with which a wheel may touch
BELLY = 0.45  # of the height on the wheels, lower is a belly on the ground


def crash_of(aircraft: Aircraft, before: State, now: State) -> str:
    """Why a flight ends in this period; "" if it goes on."""
    if not all(map(math.isfinite, (*now.p, *now.v, *now.angles, *now.omega, *now.alpha, *now.f))):
        return "its motion is no number any more"
    roll, pitch, _ = now.angles
    sink = -before.v[2]
    if now.height < BELLY * aircraft.tall or (now.wow and not before.wow and sink > DIVE):
        return f"it hit the ground at {math.hypot(*now.v):.0f} m/s"
    if now.wow and not before.wow and sink > SINK:
        return f"it touched down with {sink:.1f} m/s of sink rate, its wheels bear {SINK:g}"
    if now.wow and (abs(roll) > BANK or pitch > NOSE_DOWN or pitch < -NOSE_UP):
        return f"it touched the ground with a bank of {math.degrees(abs(roll)):.0f} deg, nose {_nose(pitch)}"
    return ""


def _nose(pitch: float) -> str:
    return f"{math.degrees(abs(pitch)):.0f} deg {'down' if pitch > 0 else 'up'}"
