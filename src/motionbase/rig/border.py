"""The border to everything that moves legs: one demand in and one answer out per cycle, the same for every backend.

A backend is a simulated machine, data acquisition with valves, drives on a bus, or a controller on a serial line. Units
are SI. Legs are numbered from 0 here, from 1 for people.

The rules, which `tests/rig/conformance.py` holds every backend to:

- Nothing moves before ENABLE, then HOME if the backend must, and `go` in the demand. A demand never homes or enables.
- A leg follows only while `go` is set, `stop` is not, and the demand's count changes within `Promise.silence`.
- `go` counts only after a cycle without it in which all legs were ready: a `go` left set neither survives a fault nor
  acts on legs that have just been switched on.
- The first demand with `go`, and any later one, may be at most `Promise.jump` from the leg; otherwise the fault DEMAND.
- `stop`, a fault of one leg, or silence stops all legs. Faults are latched: RESET clears them if their cause is gone,
  and leaves the legs off or ready. RESET moves nothing.
- The time of the oldest measurement never runs backwards and is never later than the cycle.
- `cycle` returns within a period and never raises for what the machine does: that is a fault in the answer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol, final

import numpy as np

from motionbase.arrays import Array
from motionbase.record.rig import LegState, Order, RigFault, Silence


@final
@dataclass(frozen=True)
class Promise:
    """What a backend is and guarantees.

    Attributes:
        name: for people, with the device where there is one
        period: of a cycle [s]
        least, most: (6,) lengths of the legs that it accepts [m]
        jump: largest distance of a demand from the leg that it follows [m]
        silence: time without a new demand after which it acts by itself [s]
        silent: what it does then
        homes: whether legs must be homed after they are switched on
        measures: whether the lengths in answers are measured; otherwise they are those that were last sent to the
            machine, and a leg that does not follow goes unnoticed
    """

    name: str
    period: float
    least: Array
    most: Array
    jump: float
    silence: float
    silent: Silence
    homes: bool
    measures: bool = True


@final
@dataclass(frozen=True)
class Demand:
    """What a control law and its operator ask for in a cycle.

    Attributes:
        count: changes with every new demand; the same count twice is silence
        l: (6,) lengths of the legs [m]
        l_dot: (6,) their rates [m/s]
        go: the operator lets the legs follow
        stop: stop now, and latch the fault EMERGENCY_STOP
    """

    count: int
    l: Array
    l_dot: Array
    go: bool = False
    stop: bool = False
    order: Order = Order.NONE


@final
@dataclass(frozen=True)
class Answer:
    """What the machine says in a cycle.

    Attributes:
        measured_at: when the oldest of the lengths was measured, on the clock of `cycle` [s]
        l: (6,) measured lengths of the legs [m]
        states: of the legs
        faults: of the legs, latched
        codes: the devices' own codes of these faults, 0 if there are none
    """

    measured_at: float
    l: Array
    states: tuple[LegState, ...]
    faults: tuple[RigFault, ...]
    codes: tuple[int, ...] = field(default=(0,) * 6)

    @property
    def fault(self) -> RigFault:
        """The smallest number among the legs' faults, NONE if there is none."""
        return min((fault for fault in self.faults if fault), default=RigFault.NONE)

    def all_are(self, *states: LegState) -> bool:
        """Whether every leg is in one of these states."""
        return all(state in states for state in self.states)


class Actuators(Protocol):
    """Six legs that can be moved."""

    @property
    def promise(self) -> Promise:
        """What the backend guarantees."""
        ...

    def cycle(self, now: float, demand: Demand) -> Answer:
        """One exchange with the machine, at a time on a monotonic clock [s]: the newest measurements come back."""
        ...

    def close(self) -> None:
        """Stop, switch off, release the devices; also after an error."""
        ...


@final
@dataclass(frozen=True)
class Sight:
    """What somebody beside the backend sees of the legs.

    Attributes:
        measured_at: when the oldest of the lengths was measured, on a monotonic clock [s]; -inf before the first
        l: (6,) lengths of the legs [m]; NaN where a leg has not been seen
    """

    measured_at: float
    l: Array


class Witness(Protocol):
    """A second reading of a machine, independent of the backend that moves it, which may only stop it."""

    def look(self, now: float) -> Sight:
        """The newest reading; it waits for nothing and never raises for what the machine does."""
        ...

    def stop(self) -> None:
        """Stop the legs by a path of its own; may be called again and again."""
        ...

    def close(self) -> None:
        """Release the devices; nothing moves or stops by it."""
        ...


class Machine(Protocol):
    """A simulated machine that a process of its own plays in real time, behind sockets, lines or a bus."""

    @property
    def period(self) -> float:
        """How often `advance` should be called [s]."""
        ...

    def advance(self, now: float) -> None:
        """Answer what has come and move on until a time on a monotonic clock [s]."""
        ...

    def close(self) -> None:
        """Unplug it."""
        ...


@final
@dataclass(frozen=True)
class PowerState:
    """What a hydraulic power unit says.

    Attributes:
        measured_at: time of the reading on a monotonic clock [s]; -inf before the first
        running: the pump runs
        p_supply, p_return: pressures of both lines [Pa]
        temperature: of the oil [K]
        fault: SUPPLY for too little oil or pressure, TEMPERATURE for hot oil, SENSOR for values that no sensor gives,
            SILENT_LEG without an answer, STALE if the reading is old, SILENT_LAW if the pump was stopped because nobody
            looked, DEVICE for alarms of its own
        code: the unit's own code of the fault
    """

    measured_at: float
    running: bool
    p_supply: float
    p_return: float
    temperature: float
    fault: RigFault
    code: int = 0


class PowerUnit(Protocol):
    """The source of pressure of hydraulic legs; its own thread talks to it, so nothing here waits."""

    def look(self, now: float) -> PowerState:
        """The newest reading."""
        ...

    def run(self, on: bool) -> None:
        """Ask for the pump to run or to stop."""
        ...

    def close(self) -> None:
        """Stop the pump and release the line."""
        ...


def refused(promise: Promise, demand: Demand, l: Array) -> tuple[bool, ...]:
    """For each leg, whether at this length [m] it must not follow the demand; every backend asks it.

    A rate that is no number refuses its leg too; comparisons with NaN are false.
    """
    inside = np.isfinite(demand.l_dot) & (promise.least <= demand.l) & (demand.l <= promise.most)
    near = np.abs(demand.l - l) <= promise.jump
    return tuple(bool(no) for no in ~(inside & near))
