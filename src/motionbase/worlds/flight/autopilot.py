"""Flies an aircraft: holds attitudes, flight paths, courses and speeds with its controls.

Angles here follow the convention of pilots: pitch is positive nose up; bank, heading and turns are positive right.
"""

from __future__ import annotations

import math
from typing import NamedTuple, final

from motionbase.record.vehicle import G
from motionbase.worlds.flight.aircraft import Aircraft
from motionbase.worlds.flight.controls import Surfaces
from motionbase.worlds.flight.model import DT, State
from motionbase.worlds.flight.start import AIM, SLOPE

PITCH_RATE, BANK_RATE = math.radians(4.0), math.radians(15.0)  # largest rates of the commanded attitude [rad/s]
SWING = math.radians(8.0)  # largest flight path angle, up and down [rad]
BEND = 0.12  # load factor increment with which the flight path is changed
LAG = 5.0  # time constant of the estimated angle between pitch and flight path [s]
STEEP = math.radians(25.0)  # largest bank in turns to a heading [rad]


@final
class Attitude(NamedTuple):
    """Pitch, bank and heading, nose up and to the right [rad], and their rates [rad/s]."""

    pitch: float
    bank: float
    heading: float
    pitch_rate: float
    bank_rate: float
    turn_rate: float


def attitude(state: State) -> Attitude:
    """Attitude of an aircraft; the rates are derivatives of the angles."""
    roll, pitch, yaw = state.angles
    p, q, r = state.omega
    (s, c), cos = (math.sin(roll), math.cos(roll)), max(0.1, math.cos(pitch))
    turn = (q * s + r * c) / cos
    return Attitude(-pitch, roll, -yaw, -(q * c - r * s), p + turn * math.sin(pitch), -turn)


@final
class Goal(NamedTuple):
    """What the autopilot aims for; of goals that exclude each other, the first that is not None counts.

    Attributes:
        pitch: attitude [rad]
        path: flight path angle, up [rad]
        height: above the ground [m]
        glides: follow the glide slope; without it and the goals above, the same
        bank: [rad]
        heading: [rad]; without bank and heading, the centre line of the runway is followed
        speed: airspeed, held by the throttle [m/s]
        throttle: used if there is no speed
    """

    pitch: float | None = None
    path: float | None = None
    height: float | None = None
    glides: bool = False
    bank: float | None = None
    heading: float | None = None
    speed: float | None = None
    throttle: float = 0.0
    flaps: float = 0.0
    gear: float = 1.0
    brakes: float = 0.0


@final
class Follower:
    """Second-order filter with limited rate: follows a goal without a jump of the rate."""

    def __init__(self, hurry: float) -> None:
        self.hurry, self.value, self.rate = hurry, 0.0, 0.0

    def begin(self, value: float, rate: float = 0.0) -> None:
        """Start from this value."""
        self.value, self.rate = value, rate

    def step(self, goal: float, most: float) -> float:
        """The value after a period."""
        change = self.hurry**2 * (goal - self.value) - 2 * self.hurry * self.rate
        self.rate = limited(self.rate + change * DT, most)
        self.value += self.rate * DT
        return self.value


@final
class Hold:
    """Holds a pitch and a bank with elevator and ailerons."""

    def __init__(self, aircraft: Aircraft) -> None:
        self.aircraft = aircraft
        self.pitch, self.bank = Follower(2.5), Follower(2.5)  # commanded, after rate limits
        self._lift, self._roll = 0.0, 0.0  # integral parts of elevator and ailerons

    def begin(self, state: State, surfaces: Surfaces) -> None:
        """Start from this state without a jump."""
        now = attitude(state)
        self.pitch.begin(now.pitch, now.pitch_rate)
        self.bank.begin(now.bank, now.bank_rate)
        self._lift, self._roll = surfaces.elevator, surfaces.aileron

    def step(
        self, state: State, pitch: float, bank: float, rates: tuple[float, float] = (PITCH_RATE, BANK_RATE)
    ) -> tuple[float, float]:
        """Elevator and ailerons.

        Args:
            rates: largest rates of pitch and bank [rad/s]
        """
        now, gains = attitude(state), self.aircraft.gains
        share = max(0.35, min(2.5, (self.aircraft.speeds.circuit / max(state.airspeed, 1.0)) ** 2))  # 1 / pressure
        e, b = self.pitch.step(pitch, rates[0]) - now.pitch, self.bank.step(bank, rates[1]) - now.bank
        self._lift = limited(self._lift + share * gains.pitch * 0.3 * e * DT, 1.0)
        self._roll = limited(self._roll + share * gains.bank * 0.15 * b * DT, 0.4)
        elevator = share * (gains.pitch * e + gains.pitch_rate * (self.pitch.rate - now.pitch_rate)) + self._lift
        aileron = share * (gains.bank * b + gains.bank_rate * (self.bank.rate - now.bank_rate)) + self._roll
        return limited(elevator, 1.0), limited(aileron, 1.0)


@final
class Autopilot:
    """Moves all controls to reach a goal."""

    def __init__(self, aircraft: Aircraft) -> None:
        self.aircraft, self._hold = aircraft, Hold(aircraft)
        self._path, self._attack, self._thrust = Follower(1.0), 0.0, 0.0
        self._last = Surfaces()

    def begin(self, state: State, surfaces: Surfaces) -> None:
        """Start from this state without a jump."""
        self._hold.begin(state, surfaces)
        self._path.begin(climb(state))
        self._attack = attitude(state).pitch - climb(state)
        self._thrust, self._last = surfaces.throttle, surfaces

    def step(self, state: State, goal: Goal) -> Surfaces:
        """Controls for the next period."""
        elevator, aileron = self._hold.step(state, self._pitch(state, goal), self._bank(state, goal))
        last, is_on_line = self._last, goal.bank is None and goal.heading is None
        self._last = Surfaces(
            elevator, aileron, rudder(state, line_heading(state) if is_on_line else None),
            toward(last.throttle, self._throttle(state, goal), 0.5 * DT), toward(last.flaps, goal.flaps, 0.2 * DT),
            toward(last.brakes, goal.brakes, DT), toward(last.gear, goal.gear, 2.0 * DT), last.trim,
        )  # fmt: skip
        return self._last

    def _pitch(self, state: State, goal: Goal) -> float:
        now, rises = attitude(state), climb(state)
        self._attack += (now.pitch - rises - self._attack) * DT / LAG
        if goal.pitch is not None:
            self._path.begin(rises)
            return goal.pitch
        speed, most = max(state.true_airspeed, 10.0), 0.6 * self.aircraft.climb_pitch
        if goal.path is not None:
            wanted = goal.path
        elif goal.height is not None:
            wanted = max(-SWING, min(most, 0.1 * (goal.height - state.height) / speed))
        else:
            line = self.aircraft.tall + (AIM - state.p[0]) * math.tan(SLOPE)
            wanted = limited(0.25 * (line - state.height) / speed - SLOPE, SWING)
        slow = 0.0 if goal.speed is None else max(0.0, min(1.0, 6.0 * (0.9 - state.airspeed / goal.speed)))
        path = self._path.step(wanted - 0.15 * slow, BEND * G / speed)  # height is given up before the wing stalls
        return min(limited(path + self._attack + 0.5 * (path - rises), 0.4), 0.4 - 0.3 * slow)

    def _bank(self, state: State, goal: Goal) -> float:
        if goal.bank is not None:
            return goal.bank
        speed = max(state.true_airspeed, 10.0)
        if goal.heading is not None:
            off = wrapped(goal.heading - attitude(state).heading)
            return limited(1.2 * off, STEEP)
        if state.wow:
            return 0.0
        track = -math.atan2(state.v[1], max(1.0, state.v[0]))
        course = limited(0.5 * state.p[1] / speed, 0.5)  # right of the centre line is -y
        return limited(0.21 * speed / G * wrapped(course - track), STEEP)

    def _throttle(self, state: State, goal: Goal) -> float:
        if goal.speed is None:
            self._thrust = goal.throttle
            return goal.throttle
        e = goal.speed - state.airspeed
        gain = self.aircraft.gains.throttle
        self._thrust = max(0.0, min(1.0, self._thrust + 0.3 * gain * limited(e, 4.0) * DT))
        return max(0.0, min(1.0, self._thrust + gain * e))


def rudder(state: State, heading: float | None) -> float:
    """Pedals, positive left: on the wheels they hold a heading or damp; in the air they remove the sideslip."""
    if not state.wow:
        return limited(3.0 * state.slip, 0.5)
    now = attitude(state)
    off = 0.0 if heading is None else wrapped(now.heading - heading)
    return limited(12.0 / max(12.0, state.wheel_speed) * (3.0 * off + 2.0 * now.turn_rate), 1.0)


def line_heading(state: State) -> float:
    """Heading that leads back to the centre line while on the wheels [rad]."""
    return limited(0.02 * state.p[1], 0.15)


def climb(state: State) -> float:
    """Flight path angle, positive up [rad]."""
    return math.atan2(state.v[2], max(10.0, math.hypot(state.v[0], state.v[1])))


def toward(value: float, goal: float, way: float) -> float:
    """The value moved towards a goal, by at most this much."""
    return value + limited(goal - value, way)


def limited(value: float, most: float) -> float:
    """Within -most and most."""
    return max(-most, min(most, value))


def wrapped(angle: float) -> float:
    """The same angle between -pi and pi."""
    return math.remainder(angle, 2 * math.pi)
