"""The hand on a machine during a check: cycles at the backend's period, slow movements of one leg, stops."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, final

import numpy as np

from motionbase.arrays import Array
from motionbase.record.rig import LegState, Order, RigFault
from motionbase.rig.border import Actuators, Answer, Demand, PowerUnit, Sight, Witness
from motionbase.rig.check.report import Failed, StopAsked

LEGS = 6
AT_REST = LegState.READY, LegState.OFF, LegState.FAULT, LegState.UNHOMED
STRAY = 0.003  # [m] that a leg which should stand may be read to move
STILL = 1.6e-3  # [m] within which readings of a leg that stands may lie; a step of SMC3 is about that
STARTED = 3  # cycles after which legs that may follow do
SETTLED = 0.3  # [s] for which a leg has to stand to be at rest
STOPPING = 3.0  # [s] longest time until stopped legs must be at rest


class Clock(Protocol):
    """Time on which a check runs."""

    def next(self, period: float) -> float:
        """Wait until the next cycle is due; its time [s]."""
        ...

    def skip(self, seconds: float) -> float:
        """Let time pass without a cycle; the time then [s]."""
        ...


@final
class RealClock:
    """The monotonic clock; a cycle that is late is not made up for."""

    def __init__(self) -> None:
        self._due = time.monotonic()

    def next(self, period: float) -> float:
        """Sleep until it is time."""
        self._due = max(self._due + period, time.monotonic() - period)
        time.sleep(max(self._due - time.monotonic(), 0.0))
        return time.monotonic()

    def skip(self, seconds: float) -> float:
        """Sleep."""
        time.sleep(seconds)
        self._due = time.monotonic()
        return self._due


@final
@dataclass(frozen=True)
class Seen:
    """A cycle of a check, for whoever looks on.

    Attributes:
        now: its time [s]
        step: name of the step
        leg: that the step is about, from 1; 0 for all
        l: (6,) demanded lengths [m]
        go: whether the legs may follow
        stop: whether they are stopped
        answer: what came back
        sight: (6,) lengths by the second reading [m]; NaN if there is none
    """

    now: float
    step: str
    leg: int
    l: Array
    go: bool
    stop: bool
    answer: Answer
    sight: Array


@final
class Hand:
    """Works on six legs.

    Attributes:
        promise: of the backend
        answer: the last one
        l: (6,) last demand [m]
        step, leg: what is going on, for those who look on
        witness: looks in every cycle, if there is one
        power: the source of pressure, if it can be asked
        sight: what it saw last
    """

    def __init__(
        self, actuators: Actuators, clock: Clock, watch: Callable[[Seen], None] = lambda seen: None,
        asked: Callable[[], bool] = lambda: False,
    ) -> None:  # fmt: skip
        """Nothing happens yet.

        Args:
            actuators: the legs
            clock: on which they are cycled
            watch: is shown every cycle
            asked: whether somebody wants the check to end, asked after every cycle
        """
        self._actuators, self._clock, self._watch, self._asked = actuators, clock, watch, asked
        self._left = False
        self.promise, self.step, self.leg = actuators.promise, "", 0
        self.l = 0.5 * (self.promise.least + self.promise.most)
        self.now, self._count = 0.0, 0
        self.witness: Witness | None = None
        self.power: PowerUnit | None = None
        self.sight = Sight(-np.inf, np.full(LEGS, np.nan))
        self.answer = Answer(-np.inf, self.l, (LegState.OFF,) * LEGS, (RigFault.NONE,) * LEGS)

    @property
    def why(self) -> str:
        """What the backend says is wrong, for people."""
        return str(getattr(self._actuators, "why", ""))

    def cycle(
        self, l_dot: Array | None = None, *, go: bool = False, stop: bool = False, order: Order = Order.NONE
    ) -> Answer:
        """One exchange with the machine."""
        self.now = self._clock.next(self.promise.period)
        self._count += 1
        rates = np.zeros(LEGS) if l_dot is None else l_dot
        self.answer = self._actuators.cycle(self.now, Demand(self._count, self.l, rates, go, stop, order))
        if self.power is not None:
            self.power.look(self.now)  # so that it hears that we live
        if self.witness is not None:
            self.sight = self.witness.look(self.now)
        self._watch(Seen(self.now, self.step, self.leg, self.l, go, stop, self.answer, self.sight.l))
        if self._asked() and not self._left:
            self._left = True
            raise StopAsked
        return self.answer

    def idle(self) -> None:
        """A cycle in which nothing may move, while a person thinks."""
        self.cycle()

    def hold(self, seconds: float, *, go: bool = False) -> Array:
        """(cycles, 6) lengths [m] while nothing is asked for."""
        return np.array([self.cycle(go=go).l for _ in range(self.cycles(seconds))])

    def cycles(self, seconds: float) -> int:
        """Cycles in a time, at least one."""
        return max(round(seconds / self.promise.period), 1)

    def until(self, what: Callable[[Answer], bool], within: float, wanted: str) -> Answer:
        """Cycles without a demand until an answer is as wanted; a fault ends them."""
        for _ in range(self.cycles(within)):
            answer = self.cycle()
            self.expect_no_fault()
            if what(answer):
                return answer
        raise Failed(f"the legs were to be {wanted} within {within:g} s, they are {self.states}{self._because}")

    def stay(self) -> None:
        """Wait until all legs hold; then the demand becomes what is measured, and they may follow without moving."""
        if not self.cycle().all_are(LegState.READY):
            self.until(lambda a: a.all_are(LegState.READY), STOPPING, "at rest and ready")
        self.l = np.clip(self.answer.l, self.promise.least, self.promise.most)
        self.cycle()

    def expect_no_fault(self) -> None:
        """Stop if a leg or the power unit has a fault."""
        if self.power is not None and (fault := self.power.look(self.now).fault):
            self.stop()
            raise Failed(f"the power unit has the fault {fault.name}: {getattr(self.power, 'why', '')}")
        faulty = [(k, fault) for k, fault in enumerate(self.answer.faults, 1) if fault]
        if faulty:
            self.stop()
            codes = {k: code for k, code in enumerate(self.answer.codes, 1) if code}
            named = ", ".join(
                f"leg {k} {fault.name}{f' (code {codes[k]:X}h)' if k in codes else ''}" for k, fault in faulty
            )
            raise Failed(f"no fault was expected, the machine has: {named}{self._because}")

    def move(self, leg: int, way: float, speed: float, share: float = 1.0) -> None:
        """A slow movement of one leg, from 1; all legs stop if another one moves, or at a fault.

        Args:
            leg: which
            way: how far it is to become longer [m]
            speed: [m/s]
            share: of the way after which this returns, with the leg still moving
        """
        begin, at_first, rate = self.l.copy(), self.answer.l.copy(), np.zeros(LEGS)
        n = self.cycles(abs(way) / speed)
        rate[leg - 1] = way / (n * self.promise.period)
        for k in range(1, round(share * n) + 1):
            self.l = begin.copy()
            self.l[leg - 1] += way * k / n
            self.cycle(rate, go=True)
            self._expect_alone(leg, at_first)
            if k > STARTED and not self.answer.all_are(LegState.FOLLOWING):
                raise Failed(f"leg {leg}: all legs were to follow, they are {self.states}{self._because}")

    def stop(self) -> tuple[float, Array]:
        """Stop all legs; time until they are at rest [s], and (6,) how far they went meanwhile [m]."""
        begin, settled = self.answer.l.copy(), self.cycles(SETTLED)
        rows = [begin]
        for _ in range(self.cycles(STOPPING)):
            rows.append(self.cycle(stop=True).l)
            stands = len(rows) > settled and np.ptp(rows[-settled:], axis=0).max() < STILL
            if stands and self.answer.all_are(*AT_REST):
                break
        end = np.mean(rows[-settled:], axis=0)
        moving = np.flatnonzero(np.abs(np.array(rows) - end).max(axis=1) > STILL)
        self.l = np.clip(self.answer.l, self.promise.least, self.promise.most)
        return float(moving[-1] + 1 if len(moving) else 0) * self.promise.period, end - begin

    def silence(self, seconds: float) -> None:
        """No cycle at all for a time."""
        self._clock.skip(seconds)

    def reset(self) -> None:
        """Clear the faults; nothing may move by it."""
        before = self.answer.l.copy()
        self.cycle(order=Order.RESET)
        for _ in range(self.cycles(STOPPING)):
            if self.answer.fault is RigFault.NONE:
                break
            self.cycle(order=Order.RESET)
        self.expect_no_fault()
        self.expect_still(before, "RESET")

    def ready(self, within: float) -> None:
        """Switch on, and wait for legs that hold."""
        self.cycle(order=Order.ENABLE)
        self.until(lambda a: a.all_are(LegState.READY, LegState.UNHOMED), within, "switched on")

    def expect_still(self, before: Array, what: str) -> None:
        """No leg has moved from these lengths [m]."""
        gone = self.answer.l - before
        if (far := np.abs(gone)).max() > STRAY:
            leg = int(np.argmax(far))
            raise Failed(
                f"leg {leg + 1}: nothing was to move by {what}, it went {1e3 * gone[leg]:+.1f} mm: find out why before "
                "you go on"
            )

    def _expect_alone(self, leg: int, at_first: Array) -> None:
        self.expect_no_fault()
        others = np.abs(self.answer.l - at_first)
        others[leg - 1] = 0.0
        if others.max() > STRAY:
            other = int(np.argmax(others)) + 1
            own = self.answer.l[leg - 1] - at_first[leg - 1]
            self.l = np.clip(self.answer.l, self.promise.least, self.promise.most)
            self.cycle(go=True)  # a controller whose reading is another leg's would go on to an old target
            self.stop()
            raise Failed(
                f"leg {leg}: it alone was to move, but leg {other} is read to have moved by "
                f"{1e3 * others[other - 1]:.1f} mm (leg {leg} by {1e3 * own:+.1f} mm): their readings or their drives "
                "are exchanged or coupled"
            )

    @property
    def states(self) -> str:
        """States of the legs, for people."""
        return ", ".join(sorted({state.name for state in self.answer.states}))

    @property
    def _because(self) -> str:
        return f" ({self.why})" if self.why else ""
