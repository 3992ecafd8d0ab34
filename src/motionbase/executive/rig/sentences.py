"""What the process of a rig says when states or faults of legs change: why they stopped, when, what was measured."""

from __future__ import annotations

from typing import final

from motionbase.executive.rig.driver import Driver
from motionbase.record.rig import LegState, RigFault, StopCause, device_code
from motionbase.rig.border import Actuators, Answer


@final
class Sentences:
    """Remembers what was said."""

    def __init__(self) -> None:
        self._states: tuple[LegState, ...] = ()
        self._faults: tuple[RigFault, ...] = ()
        self._cause = StopCause.NONE

    def news(self, driver: Driver, tick: int | None, legs: Actuators) -> str | None:
        """A sentence if something has changed that people want to know."""
        answer = driver.answer
        if answer is None:
            return None
        cause, faults, states = driver.cause, answer.faults, answer.states
        failed, stopped = faults != self._faults and any(faults), cause is not self._cause and bool(cause)
        moved = states != self._states and len(set(states)) == 1 and not any(faults)
        self._states, self._faults, self._cause = states, faults, cause
        if failed or stopped:
            when = "before the first tick" if tick is None else f"tick {tick}"
            return f"legs stopped, {when}: {_why(cause, answer, driver)}{_more(legs)}"
        return f"legs: {states[0].name.lower()}" if moved else None


def _why(cause: StopCause, answer: Answer, driver: Driver) -> str:
    """The cause, or every leg's fault with what was measured and asked for."""
    if cause:
        return cause.sentence
    found = []
    for leg, (fault, code) in enumerate(zip(answer.faults, answer.codes, strict=True)):
        if fault:
            device = f" (device: {device_code(code)})" if code else ""
            asked = f", {driver.demand.l[leg]:.4f} m was asked for" if driver.demand.go else ""
            found.append(
                f"leg {leg + 1}: {fault.name.lower().replace('_', ' ')}{device} at {answer.l[leg]:.4f} m{asked}"
            )
    if len(found) == len(answer.faults) and len(set(answer.faults)) == 1:
        return f"all legs: {answer.faults[0].name.lower().replace('_', ' ')}"
    return "; ".join(found)


def _more(legs: Actuators) -> str:
    """What the backend itself says of its trouble."""
    why = getattr(legs, "why", "")
    return f"; {why}" if why else ""
