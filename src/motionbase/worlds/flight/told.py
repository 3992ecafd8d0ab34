"""Channels of a flight; the same for all aircraft."""

from __future__ import annotations

import math

from motionbase.record.schema import Channel
from motionbase.worlds.flight.autopilot import attitude
from motionbase.worlds.flight.controls import CONTROL_CHANNELS
from motionbase.worlds.flight.model import State

GROUND, AIR, CRASHED = range(3)
PHASES = ("0 on the ground", "1 in the air", "2 crashed")

CHANNELS = (
    *CONTROL_CHANNELS,
    *(
        Channel(f"flight_{name}", unit, text, "flight")
        for name, unit, text in (
            ("airspeed", "m/s", "calibrated airspeed"), ("true_airspeed", "m/s", "true airspeed"),
            ("height", "m", "height over the ground"), ("climb", "m/s", "rate of climb"),
            ("heading", "rad", "heading, clockwise from north, 0 to 2 pi"),
            ("turn", "rad/s", "rate of turn, to the right"),
            ("slip", "rad", "sideslip, positive with wind from the left"), ("attack", "rad", "angle of attack"),
            ("load", "-", "load factor"), ("mach", "-", "Mach number"),
            ("engine", "-", "propeller speed [1/s], or a jet's fan speed as a share of full"),
            ("propeller", "rad", "angle of the propeller as drawn, slower than in reality"),
            ("elevator", "rad", "elevator, trailing edge down"),
            ("left_aileron", "rad", "left aileron, trailing edge down"),
            ("right_aileron", "rad", "right aileron, trailing edge down"),
            ("rudder", "rad", "rudder, trailing edge left"),
            ("flaps", "-", "flaps, 1 all out"), ("gear", "-", "landing gear, 1 down"),
            ("stall", "-", "1 near the stall angle of attack"),
            ("wheels", "N", "load on the wheels"), ("shaking", "m/s^2", "vibration at the pilot's seat, up"),
        )
    ),
    Channel("flight_phase", "-", "where the aircraft is", "flight", codes=PHASES),
)  # fmt: skip
DRAWN_TURN = 1 / 11  # share of the propeller speed that is drawn: at 60 frames a second it would seem to stand still


def told(state: State, spin: float, shaking: float, stall_alpha: float, is_crashed: bool) -> tuple[float, ...]:
    """Values of the channels that follow the controls."""
    now = attitude(state)
    phase = CRASHED if is_crashed else GROUND if state.wow else AIR
    return (
        state.airspeed, state.true_airspeed, state.height, state.v[2], now.heading % (2 * math.pi), now.turn_rate,
        state.slip, state.attack, state.load, state.mach, state.turn, spin * DRAWN_TURN, state.elevator,
        state.left_aileron, state.right_aileron, state.rudder, state.flaps, state.gear,
        float(state.warns or (state.attack > 0.8 * stall_alpha and not state.wow)), state.wheels, shaking, float(phase),
    )  # fmt: skip
