"""Pilot aids for people without practice: the stick commands attitudes, and stalls and hard landings are prevented.

In the air the elevator control commands a pitch rate; let go, the pitch is held, and it is lowered before the wing
stalls. The aileron control commands a bank angle; let go, the wings level. The rudder coordinates turns, and holds the
heading on the wheels. Close to the ground the nose is raised as in a flare if the aircraft sinks too fast.
"""

from __future__ import annotations

import math
from typing import final

from motionbase.worlds.flight.aircraft import Aircraft
from motionbase.worlds.flight.autopilot import Hold, attitude, limited, rudder, toward
from motionbase.worlds.flight.controls import Surfaces
from motionbase.worlds.flight.model import DT, State

FADE_S = 0.5  # in which the aids fade in and out
RISE = math.radians(7.0)  # pitch rate at full elevator [rad/s]
ROLL = math.radians(30.0)  # largest bank rate [rad/s]
BANK = math.radians(40.0)  # at full aileron [rad]
UP, DOWN = math.radians(22.0), math.radians(-12.0)  # largest and smallest pitch [rad]
SUNK = math.radians(-4.0)  # largest pitch at the stall [rad]
NEAR, GUST_S = 0.6, 0.25  # share of the stall angle of attack from which pitch is limited; smoothing of gusts [s]
ALONE = 0.04  # a control this close to its rest counts as let go
FLARE_M, SINK, SINK_RATE = 15.0, 0.7, 0.22  # where sink is limited [m], to [m/s] and more per metre of height


@final
class Aids:
    """The aids of one flight."""

    def __init__(self, aircraft: Aircraft) -> None:
        self.aircraft, self._hold, self._share, self._pitch = aircraft, Hold(aircraft), 0.0, 0.0
        self._attack = 0.0  # angle of attack over that of the stall, gusts smoothed
        self._heading: float | None = None

    def step(self, state: State, stick: Surfaces, is_by_hand: bool) -> Surfaces:
        """The controls as the aids change them; a script flies without aids."""
        if self._share == 0.0 and is_by_hand:
            self._begin(state, stick)
        self._share = toward(self._share, float(is_by_hand), DT / FADE_S)
        if self._share == 0.0:
            return stick
        flown = self._on_wheels(state, stick) if state.wow else self._in_the_air(state, stick)
        return stick._replace(
            elevator=stick.elevator + self._share * (flown.elevator - stick.elevator),
            aileron=stick.aileron + self._share * (flown.aileron - stick.aileron),
            rudder=stick.rudder + self._share * (flown.rudder - stick.rudder),
        )

    def _begin(self, state: State, stick: Surfaces) -> None:
        self._hold.begin(state, stick)
        self._pitch, self._heading = attitude(state).pitch, None

    def _on_wheels(self, state: State, stick: Surfaces) -> Surfaces:
        """Pitch is limited to that of a take-off; ailerons steer too, so that the arrow keys alone are enough."""
        now = attitude(state)
        high = max(0.0, min(1.0, (now.pitch - 0.9 * self.aircraft.climb_pitch) / 0.06))
        elevator = stick.elevator * (1.0 - high) if stick.elevator > 0.0 else stick.elevator
        pedals = limited(stick.rudder - stick.aileron, 1.0)
        if abs(pedals) > ALONE:
            self._heading = None
        elif self._heading is None and abs(now.turn_rate) < 0.05:
            self._heading = now.heading
        steers = rudder(state, self._heading)
        gently = 8.0 / max(8.0, state.wheel_speed)  # less deflection at speed
        self._begin_air(state, elevator, stick)
        return stick._replace(
            elevator=elevator, aileron=0.3 * stick.aileron, rudder=limited(steers + gently * pedals, 1.0)
        )

    def _begin_air(self, state: State, elevator: float, stick: Surfaces) -> None:
        self._hold.begin(state, stick._replace(elevator=0.5 * elevator, aileron=0.0))
        self._pitch = attitude(state).pitch

    def _in_the_air(self, state: State, stick: Surfaces) -> Surfaces:
        self._heading = None
        now, low, high = attitude(state), DOWN, UP
        self._pitch += RISE * stick.elevator * DT
        # near the stall the largest pitch is lowered, to below the horizon
        self._attack += (state.attack / self.aircraft.shaking.stall_alpha - self._attack) * DT / GUST_S
        near = max(0.0, min(1.0, (self._attack - NEAR) / (1.0 - NEAR)))
        high += near * (SUNK - high)
        sinks, over = -state.v[2], state.height - self.aircraft.tall
        if over < FLARE_M:
            fast = sinks - SINK - SINK_RATE * over
            if fast > 0.0:
                low = max(low, min(self.aircraft.flare_pitch + 0.06, now.pitch + 2.5 * fast / state.airspeed))
        self._pitch = min(high, max(low, self._pitch))
        elevator, aileron = self._hold.step(state, self._pitch, BANK * stick.aileron, (1.3 * RISE, ROLL))
        return stick._replace(
            elevator=elevator, aileron=aileron, rudder=limited(rudder(state, None) + 0.5 * stick.rudder, 1.0)
        )
