"""Control of six legs with on/off valves, as programs: the paper's, one that predicts the coasting, one with throttles.

All have the same ports, so they can be exchanged, run on lanes and be exported as C:

    (h, state, s_cmd, s_cmd_dot, s_meas, renew, follow) -> (state_next, u, throttle)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil
from typing import Any, final

import casadi as ca

from motionbase.actuators.limits import limited
from motionbase.actuators.onoff import OnOffActuator, OnOffLeg, Pace, moved, open_speed, run_down, travel_time
from motionbase.compile import Port, Program, Struct, for_each, q, repeat
from motionbase.rig.onoff.acquisition import LEGS

SX = ca.SX
NOMINAL = OnOffActuator(delay=0.010, switching=0.020, dead_band=5e-4)
PAPERS = replace(NOMINAL, dead_band=0.0)
PERIOD = 0.005  # [s] of the laws


@final
@dataclass(frozen=True)
class Law:
    """A control law of six legs.

    Attributes:
        name: for people and files
        program: a step
        state: what the program feeds back for each leg
        throttles: it needs flow-control valves
    """

    name: str
    program: Program
    state: type[Struct]
    throttles: bool = False


class Pulse(Struct):
    """State of the paper's control of a leg."""

    left: SX = q("s", text="time for which the valve must still be open; the sign is the direction")


class Belief(Struct):
    """What the predictive laws believe of a leg."""

    leg: OnOffLeg = q(of=OnOffLeg)
    pace: Pace = q(of=Pace)
    u: SX = q("-", text="last command")
    flow: SX = q("-", text="last command of the flow-control valve", start=1.0)
    held: SX = q("s", text="for which the command must still last, so that the solenoid surely pulls in")
    age: SX = q("s", text="of the demand")
    begun: SX = q("-", text="1 after the first measurement")


@final
@dataclass(frozen=True)
class Tuning:
    """Gains of the predictive laws.

    Attributes:
        correction: of the believed extension by a measurement
        learning: of the believed speed, where the valve is fully open
        spread: bound of a learnt speed over the nominal one
        gain: of the error, for a flow-control valve [1/s]
        least_flow: of a flow-control valve, over its largest; below it the leg holds
    """

    correction: float = 0.3
    learning: float = 0.01
    spread: float = 0.4
    gain: float = 12.0
    least_flow: float = 0.02


TUNED = Tuning()


def paper(actuator: OnOffActuator = PAPERS) -> Law:
    """Equation (18): a new demand opens a valve for the travel time of the error; nothing else counts."""

    def leg(h: SX, x: Pulse, s_cmd: SX, s_meas: SX, renew: SX, follow: SX) -> tuple[Pulse, SX, SX]:
        left = ca.if_else(renew > 0.5, travel_time(actuator, _within(actuator, s_cmd) - s_meas), x.left)
        left, u = run_down(h, ca.if_else(follow > 0.5, left, 0))
        return Pulse(left), u, ca.SX(1)

    def step(h: SX, state: Pulse, s_cmd: SX, s_cmd_dot: SX, s_meas: SX, renew: SX, follow: SX) -> tuple[Pulse, SX, SX]:
        made: tuple[Pulse, SX, SX] = for_each(
            lambda x, cmd, meas: leg(h, x, cmd, meas, renew, follow), state, s_cmd, s_meas
        )
        return made

    return Law("paper", _program("onoff_paper", Pulse, step, "equation (18) for six legs"), Pulse)


def predictive(actuator: OnOffActuator = NOMINAL, tuning: Tuning = TUNED, period: float = PERIOD) -> Law:
    """Open a valve if the leg will then come to rest nearer to the demand.

    Where it comes to rest is predicted with the model of valve and cylinder, from what is already under way; the demand
    is taken on by its rate. Speeds up and down are learnt.
    """

    def leg(h: SX, x: Belief, s_cmd: SX, s_cmd_dot: SX, follow: SX) -> tuple[Belief, SX, SX]:
        wanted = _within(actuator, s_cmd + s_cmd_dot * (x.age + _middle(actuator, period)))
        shut, up, down = (
            ca.fabs(wanted - _end(actuator, period, x, pulse)) for pulse in (0.0, *_pulses(actuator, period, x))
        )
        helps = ca.logic_and(ca.fmin(up, down) < shut, ca.logic_or(shut > actuator.dead_band, x.u != 0))
        best = ca.if_else(helps, ca.if_else(up < down, 1, -1), 0)
        best = ca.if_else(best * x.leg.opening < 0, 0, best)  # a valve is shut before it is reversed
        u = ca.if_else(follow > 0.5, ca.if_else(x.held > 0.5 * h, x.u, best), 0)
        held = ca.if_else(u == x.u, ca.fmax(x.held - h, 0), actuator.delay)
        return x.replace(u=u, held=held), u, ca.SX(1)

    return _believing("predictive", actuator, tuning, leg)


def throttled(actuator: OnOffActuator = NOMINAL, tuning: Tuning = TUNED, period: float = PERIOD) -> Law:
    """With flow-control valves, which the paper wished for: the speed of the demand, and more by the error."""

    def leg(h: SX, x: Belief, s_cmd: SX, s_cmd_dot: SX, follow: SX) -> tuple[Belief, SX, SX]:
        ahead = actuator.delay + 0.5 * period
        wanted = _within(actuator, s_cmd + s_cmd_dot * (x.age + ahead))
        v = s_cmd_dot + tuning.gain * (wanted - x.leg.s - ahead * open_speed(x.pace, x.leg.opening) * x.leg.throttle)
        flow = ca.fmin(ca.fabs(v) / ca.if_else(v > 0, x.pace.up, x.pace.down), 1)
        moves = ca.logic_and(follow > 0.5, flow > tuning.least_flow)
        u = ca.if_else(moves, ca.sign(v), 0)
        flow = ca.if_else(moves, flow, 0)
        return x.replace(u=u, flow=flow), u, flow

    return _believing("throttled", actuator, tuning, leg, throttles=True)


LAWS: dict[str, Callable[..., Law]] = {"paper": paper, "predictive": predictive, "throttled": throttled}


def _believing(name: str, actuator: OnOffActuator, tuning: Tuning, leg: Any, throttles: bool = False) -> Law:
    """A law that decides by what it believes of each leg."""

    def step(
        h: SX, state: Belief, s_cmd: SX, s_cmd_dot: SX, s_meas: SX, renew: SX, follow: SX
    ) -> tuple[Belief, SX, SX]:
        def one(x: Belief, cmd: SX, cmd_dot: SX, meas: SX) -> tuple[Belief, SX, SX]:
            seen = believed(actuator, tuning, h, x, meas)
            aged = seen.replace(age=ca.if_else(renew > 0.5, 0, x.age + h))
            decided: tuple[Belief, SX, SX] = leg(h, aged, cmd, cmd_dot, follow)
            return decided

        made: tuple[Belief, SX, SX] = for_each(one, state, s_cmd, s_cmd_dot, s_meas)
        return made

    return Law(name, _program(f"onoff_{name}", Belief, step, f"{name} control of six legs"), Belief, throttles)


def believed(actuator: OnOffActuator, tuning: Tuning, h: SX, x: Belief, s_meas: SX) -> Belief:
    """The leg after the last command, corrected by a measurement; a leg at full speed also corrects its speed."""
    after = moved(actuator, h, x.leg, x.pace, x.u, x.flow)
    off = ca.if_else(x.begun > 0.5, s_meas - after.s, 0)
    s = ca.if_else(x.begun > 0.5, after.s + tuning.correction * off, s_meas)
    full = ca.logic_and(ca.fabs(x.leg.opening) >= 1, x.leg.throttle > 0.2)
    rate = tuning.learning * off / (h * ca.fmax(x.leg.throttle, 0.2))
    up, down = (ca.if_else(x.begun > 0.5, speed, actuator.speed) for speed in (x.pace.up, x.pace.down))
    pace = Pace(
        _learnt(actuator, tuning, up + ca.if_else(ca.logic_and(full, x.leg.opening > 0), rate, 0)),
        _learnt(actuator, tuning, down - ca.if_else(ca.logic_and(full, x.leg.opening < 0), rate, 0)),
    )
    return x.replace(leg=after.replace(s=s), pace=pace, begun=ca.SX(1))


def _learnt(actuator: OnOffActuator, tuning: Tuning, speed: SX) -> SX:
    bound = tuning.spread * actuator.speed
    within: SX = actuator.speed + limited(speed - actuator.speed, bound)
    return within


def _within(actuator: OnOffActuator, s: SX) -> SX:
    held: SX = ca.fmin(ca.fmax(s, 0), actuator.stroke)
    return held


def _steps(actuator: OnOffActuator, period: float) -> int:
    """Periods after which every pulse that is tried has ended and the leg is at rest."""
    return ceil((2 * actuator.delay + 2 * actuator.switching) / period) + 2


def _middle(actuator: OnOffActuator, period: float) -> float:
    """Time ahead at which demand and leg are compared [s]: the middle of the motion that a pulse from now on makes.

    So the error that a pulse removes is as large before it as after it.
    """
    return actuator.delay + 0.5 * actuator.switching + period


def _pulses(actuator: OnOffActuator, period: float, x: Belief) -> tuple[SX, SX]:
    """The shortest pulses that still make a difference, up and down [s]: a period after the solenoid has pulled in."""
    missing = (ca.if_else(x.leg.pulled * way > 0.5, 0, actuator.delay * (1 - way * x.leg.current)) for way in (1, -1))
    up, down = missing
    return up + period, -(down + period)


def _end(actuator: OnOffActuator, period: float, x: Belief, pulse: Any) -> SX:
    """Extension at rest if the valve is commanded for a time from now on, and then shut [m]."""

    def turn(leg: OnOffLeg, left: SX) -> tuple[OnOffLeg, SX]:
        left, u = run_down(ca.SX(period), left)
        return moved(actuator, ca.SX(period), leg, x.pace, u), left

    end, _ = repeat(_steps(actuator, period), turn, x.leg, ca.SX(pulse))
    s: SX = end.s
    return s


def _program(name: str, state: type[Struct], step: Any, description: str) -> Program:
    inputs = (
        Port("h", (), "s", "time since the last step"),
        state.port("state", rows=LEGS),
        Port("s_cmd", LEGS, "m", "demanded extensions"),
        Port("s_cmd_dot", LEGS, "m/s", "their rates"),
        Port("s_meas", LEGS, "m", "measured extensions"),
        Port("renew", (), "-", "1 if the demand is new"),
        Port("follow", (), "-", "0 shuts all valves"),
    )
    outputs = (
        state.port("state_next", rows=LEGS),
        Port("u", LEGS, "-", "-1 retract, 0 hold, 1 extend"),
        Port("throttle", LEGS, "-", "openings of flow-control valves, 0 to 1"),
    )
    return Program(name, inputs, outputs, step, description)
