"""Scripted flights, as generators of goals for the autopilot.

A script starts where its aircraft is. If a person takes the controls and gives them back, the script continues from
there: it climbs to a safe height and circles, or takes off first if the aircraft stands on the runway.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Protocol, final

from motionbase.worlds.flight.aircraft import Aircraft
from motionbase.worlds.flight.autopilot import Autopilot, Goal, attitude
from motionbase.worlds.flight.controls import Surfaces
from motionbase.worlds.flight.model import State
from motionbase.worlds.flight.start import CRUISE, FINAL, RUNWAY, WIDTH, Start

Goals = Iterator[Goal]
SAFE_M = 300.0  # height at which a script circles after a person had the controls [m]
APPROACH_S = 12.0  # of the tour: from the cut to the aiming point of the runway
CLIMB_S, TURN_S, ROUGH_S = 2.0, 10.0, 8.0  # parts of the tour
MARK = 1e-6  # by which controls of a person are told from those of the script; a tenth of it is equality


class Flight(Protocol):
    """What a script may read of its world, and do to it."""

    @property
    def aircraft(self) -> Aircraft:
        """The aircraft flown."""

    @property
    def number(self) -> int:
        """Number of the flight: a new one begins after a crash or at the end of a script."""

    @property
    def t(self) -> float:
        """Time [s]."""

    @property
    def state(self) -> State:
        """Present state of the aircraft."""

    @property
    def rest(self) -> Surfaces:
        """The controls at the start of this flight, or of its part after a cut."""

    @property
    def given(self) -> Surfaces:
        """The controls of the last period."""

    @property
    def is_steered_otherwise(self) -> bool:
        """Whether the controls of the last period were not those of the script."""

    def expect(self, surfaces: Surfaces) -> None:
        """The script's controls for the next period."""

    def cut(self, start: Start) -> None:
        """Continue from another start."""

    def stir(self, turbulence: str) -> None:
        """Switch to turbulence of this name; "" means that of the start."""

    def again(self) -> None:
        """Begin again, at time 0."""


def during(flight: Flight, seconds: float, goal: Goal) -> Goals:
    """The same goal for some time."""
    end = flight.t + seconds
    while flight.t < end:
        yield goal


def take_off(flight: Flight) -> Goals:
    """From the runway to 15 m above it."""
    a = flight.aircraft
    while flight.state.wow and flight.state.airspeed < a.speeds.rotate:
        yield Goal(pitch=0.0, throttle=1.0, flaps=a.flaps[0])
    while flight.state.height < a.tall + 15.0:
        yield Goal(pitch=a.climb_pitch, throttle=1.0, flaps=a.flaps[0])


def climb_out(flight: Flight, seconds: float, bank: float = 0.0) -> Goals:
    """A climb, straight or in a turn."""
    a, end = flight.aircraft, flight.t + seconds
    while flight.t < end:
        yield Goal(path=0.5 * a.climb_pitch, bank=bank, speed=a.speeds.climb, flaps=a.flaps[0], gear=0.0)


def land(flight: Flight) -> Goals:
    """From final approach to a full stop."""
    a = flight.aircraft
    down = a.flaps[1]
    while flight.state.height - a.tall > max(2.0, a.flare * -flight.state.v[2]):
        yield Goal(glides=True, speed=a.speeds.approach, flaps=down)
    fast = -flight.state.v[2]
    while not flight.state.wow:
        over = max(0.0, flight.state.height - a.tall)
        sink = min(fast, 0.35 + 0.25 * over)
        speed = max(20.0, flight.state.true_airspeed)
        path = -sink / speed
        pitch = min(a.flare_pitch + 0.05, attitude(flight.state).pitch + 3.0 * (path - flight.state.v[2] / speed))
        yield Goal(pitch=pitch, throttle=0.0, flaps=down)
    yield from during(flight, 2.0, Goal(pitch=0.0, flaps=down))  # the nose comes down before the brakes are applied
    while flight.state.wheel_speed > 0.5:
        yield Goal(pitch=0.0, flaps=down, brakes=0.5)
    yield from during(flight, 3.0, Goal(pitch=0.0, flaps=down, brakes=1.0))


def tour(flight: Flight) -> Goals:
    """Take-off, climbing turn, turbulence, approach and touchdown, in about a minute."""
    yield from take_off(flight)
    yield from climb_out(flight, CLIMB_S)
    yield from climb_out(flight, TURN_S, -math.radians(22.0))
    flight.stir("light")
    a, height = flight.aircraft, flight.state.height + 10.0
    yield from during(flight, ROUGH_S, Goal(height=height, bank=0.0, speed=a.speeds.climb, flaps=a.flaps[0], gear=0.0))
    flight.stir("")
    flight.cut(Start(FINAL, seconds=APPROACH_S))
    yield from land(flight)
    flight.again()


def cruise(flight: Flight) -> Goals:
    """Straight legs and wide turns to both sides, at constant height."""
    a, height, side = flight.aircraft, max(flight.state.height, SAFE_M), 1.0
    heading = attitude(flight.state).heading
    while True:
        yield from during(flight, 20.0, level(a, height, heading=heading))
        yield from during(flight, 12.0, level(a, height, bank=side * math.radians(25.0)))
        heading, side = attitude(flight.state).heading, -side


def level(a: Aircraft, height: float, bank: float | None = None, heading: float | None = None) -> Goal:
    """Level flight at cruise speed."""
    return Goal(height=height, heading=heading, bank=bank, speed=a.speeds.cruise, gear=0.0)


def turbulence(flight: Flight) -> Goals:
    """Level flight in light turbulence, moderate turbulence and the air of the start, in turn."""
    a, height = flight.aircraft, flight.state.height
    while True:
        for strength in ("light", "moderate", ""):
            flight.stir(strength)
            yield from during(flight, 15.0, Goal(height=height, bank=0.0, speed=a.speeds.circuit, gear=0.0))


def steep(flight: Flight) -> Goals:
    """Steep turns to the left and to the right, with 45 degrees of bank."""
    a, height = flight.aircraft, flight.state.height
    while True:
        for bank in (0.0, -45.0, 0.0, 45.0):
            yield from during(flight, 18.0 if bank else 8.0, level(a, height, bank=math.radians(bank)))


def stall(flight: Flight) -> Goals:
    """Slow down at constant height until the wing buffets, then lower the nose and recover; again and again."""
    a, height = flight.aircraft, max(flight.state.height, 2 * SAFE_M)
    yield from climbed(flight, height - 10.0)
    while True:
        end = flight.t + 90.0
        while flight.state.attack < 0.9 * a.shaking.stall_alpha and flight.t < end:
            yield Goal(height=height, bank=0.0, throttle=0.0, gear=0.0)
        yield from during(flight, 1.5, Goal(height=height, bank=0.0, throttle=0.0, gear=0.0))
        yield from during(flight, 4.0, Goal(pitch=-0.12, bank=0.0, throttle=1.0, gear=0.0))
        yield from during(flight, 20.0, Goal(height=height, bank=0.0, speed=a.speeds.circuit, gear=0.0))


def approach(flight: Flight) -> Goals:
    """The last 45 s of an approach, touchdown and roll-out."""
    yield from land(flight)
    flight.again()


def go_on(flight: Flight) -> Goals:
    """Continue after a person: take off if on the runway, climb to a safe height, circle."""
    yield from climbed(flight)
    yield from cruise(flight)


def from_elsewhere(goals: Callable[[Flight], Goals], kind: str) -> Callable[[Flight], Goals]:
    """A script that does not start where it usually does: it climbs first, or cuts to the final approach."""

    def made(flight: Flight) -> Goals:
        if kind == FINAL:
            flight.cut(Start(FINAL))
        elif kind == CRUISE:
            yield from climbed(flight)
        yield from goals(flight)

    return made


def climbed(flight: Flight, height: float = SAFE_M) -> Goals:
    """Take off if on the runway, and climb to a height [m]."""
    a = flight.aircraft
    if flight.state.wow:
        while not _is_lined_up(flight):
            yield Goal(pitch=0.0, heading=attitude(flight.state).heading, brakes=0.6, flaps=a.flaps[0])
        yield from take_off(flight)
    while flight.state.height < height:
        yield Goal(path=0.06, bank=0.0, speed=a.speeds.climb, gear=0.0)


def _is_lined_up(flight: Flight) -> bool:
    state = flight.state
    return abs(state.p[1]) < WIDTH / 2 and abs(math.remainder(attitude(state).heading, 2 * math.pi)) < 0.2


SCRIPTS: dict[str, tuple[Callable[[Flight], Goals], str]] = {
    "tour": (tour, RUNWAY), "takeoff": (go_on, RUNWAY), "approach": (approach, FINAL),
    "cruise": (cruise, CRUISE), "turbulence": (turbulence, CRUISE), "steep": (steep, CRUISE), "stall": (stall, CRUISE),
}  # fmt: skip
"""By name, with where they start unless the option `start` is given; the first is the default."""


def captions(a: Aircraft) -> list[tuple[float, str]]:
    """Captions of the tour from the runway: the time from which each is shown, and its text."""
    climb = a.airborne
    turn = climb + CLIMB_S
    rough = turn + TURN_S
    cut = rough + ROUGH_S
    touch = cut + APPROACH_S
    return [
        (0.0, f"Take-off: {a.title}"), (climb, "Airborne"), (turn, "Climbing turn to the left"),
        (rough, "Turbulence"), (cut, "Final approach"), (touch, "Touchdown, and brakes"), (touch + 8.0, ""),
    ]  # fmt: skip


@final
class Pilot:
    """A script at the controls of a flight; a `Script` of its world."""

    def __init__(self, flight: Flight, goals: Callable[[Flight], Goals]) -> None:
        self._flight, self._first = flight, goals
        self._autopilot = Autopilot(flight.aircraft)
        self._begin(goals, flight.rest)

    def _begin(self, goals: Callable[[Flight], Goals], surfaces: Surfaces) -> None:
        self._goals, self._number = goals(self._flight), self._flight.number
        self._at, self._asked, self._is_beside = -1.0, surfaces, False
        self._autopilot.begin(self._flight.state, surfaces)

    def __call__(self, t: float) -> Surfaces:
        """Controls for the next period; the same again if asked at the same time."""
        if self._flight.number != self._number:
            self._begin(self._first, self._flight.rest)
        if t != self._at:
            self._asked, self._at = self._next(), t
        self._flight.expect(self._asked)
        return self._asked

    def _next(self) -> Surfaces:
        flight = self._flight
        if flight.is_steered_otherwise:
            self._is_beside = True
            given = flight.given
            # the person's controls, with a mark that tells them from the script's
            return given._replace(elevator=given.elevator - math.copysign(MARK, given.elevator))
        if self._is_beside:
            self._begin(go_on, flight.given)
        goal = self._goal()
        if flight.number != self._number:  # a cut
            self._number = flight.number
            self._autopilot.begin(flight.state, flight.rest)
        return self._autopilot.step(flight.state, goal)

    def _goal(self) -> Goal:
        """The next goal; a script at its end starts again."""
        goal = next(self._goals, None)
        if goal is None:
            self._goals = self._first(self._flight)
            goal = next(self._goals, Goal())
        return goal
