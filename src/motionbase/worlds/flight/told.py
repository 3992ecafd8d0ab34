"""What a flight tells its record, beside its controls; the same for all aircraft."""

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
            ("turn", "rad/s", "rate of the heading, to the right"),
            ("slip", "rad", "sideslip, wind from the left"), ("attack", "rad", "angle of attack"),
            ("load", "-", "load factor"), ("mach", "-", "Mach number"),
            ("engine", "-", "turns of the propeller a second, or share of a jet's fan speed"),
            ("propeller", "rad", "angle of the propeller as it is drawn: slower than it turns"),
            ("elevator", "rad", "elevator, trailing edge down"),
            ("left_aileron", "rad", "left aileron, trailing edge down"),
            ("right_aileron", "rad", "right aileron, trailing edge down"),
            ("rudder", "rad", "rudder, trailing edge left"),
            ("flaps", "-", "flaps, 1 all out"), ("gear", "-", "landing gear, 1 down"),
            ("stall", "-", "1 near the angle of attack at which the wing stalls"),
            ("wheels", "N", "load on the wheels"), ("shaking", "m/s^2", "vibration at the pilot's seat, up"),
        )
    ),
    Channel("flight_phase", "-", "where the aircraft is", "flight", codes=PHASES),
)  # fmt: skip
DRAWN_TURN = 1 / 11  # of a propeller's speed: what is seen 60 times a second would stand or turn back


def told(state: State, spin: float, shaking: float, stall_alpha: float, is_crashed: bool) -> tuple[float, ...]:
    """Values of the channels after the controls."""
    now = attitude(state)
    phase = CRASHED if is_crashed else GROUND if state.wow else AIR
    return (
        state.airspeed, state.true_airspeed, state.height, state.v[2], now.heading % (2 * math.pi), now.turn_rate,
        state.slip, state.attack, state.load, state.mach, state.turn, spin * DRAWN_TURN, state.elevator,
        state.left_aileron, state.right_aileron, state.rudder, state.flaps, state.gear,
        float(state.warns or (state.attack > 0.8 * stall_alpha and not state.wow)), state.wheels, shaking, float(phase),
    )  # fmt: skip
