"""The step of a hydraulic power unit: its readings, and the pump with the person's leave."""

from __future__ import annotations

import math
from collections.abc import Callable

from motionbase.rig.border import PowerState, PowerUnit
from motionbase.rig.check.report import Failed, StopAsked
from motionbase.rig.check.session import Session
from motionbase.rig.check.standing import BUTTON

ANSWERING, STARTING, STEADY = 10.0, 120.0, 3.0  # [s] until it answers, until the pump runs, for which it must
LOOKS = 0.1  # [s] between looks
ZERO = 273.15  # [K]


def powered(session: Session) -> None:
    """Does the unit answer, does the pump start, does the pressure stay?"""
    power = session.power
    if power is None:
        return
    with session.step("power unit") as step:
        state = _until(session, power, lambda s: math.isfinite(s.measured_at), ANSWERING, "answer")
        step.values = {"at rest": state.p_supply}
        session.leave(f"{BUTTON}: may the pump start?")
        power.run(True)
        _until(session, power, lambda s: s.running and not s.fault, STARTING, "run")
        for _ in range(round(STEADY / LOOKS)):
            state = _looked(session, power)
            if state.fault or not state.running:
                raise Failed(f"power unit: the pump was to keep running, it has {_trouble(power, state)}")
        step.done = f"the pump was started and ran for {STEADY:g} s"
        step.measured = f"{1e-5 * state.p_supply:.0f} bar supply, {1e-5 * state.p_return:.0f} bar return"
        if math.isfinite(state.temperature):
            step.measured += f", oil {state.temperature - ZERO:.0f} degC"
        step.values |= {"p_supply": state.p_supply, "p_return": state.p_return, "temperature": state.temperature}


def _until(
    session: Session, power: PowerUnit, what: Callable[[PowerState], bool], within: float, wanted: str
) -> PowerState:
    for _ in range(round(within / LOOKS)):
        state = _looked(session, power)
        if what(state):
            return state
        if wanted == "run" and state.fault:
            break
    raise Failed(f"power unit: it was to {wanted} within {within:g} s, it has {_trouble(power, state)}")


def _looked(session: Session, power: PowerUnit) -> PowerState:
    if session.asked():
        raise StopAsked
    return power.look(session.clock.skip(LOOKS))


def _trouble(power: PowerUnit, state: PowerState) -> str:
    """Fault and reason, for people."""
    said = str(getattr(power, "why", ""))
    return f"the fault {state.fault.name}{f': {said}' if said else ''}" if state.fault else "no fault, but does not run"
