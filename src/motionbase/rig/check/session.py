"""A check under way: its report, the hand on the machine and the person beside it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import final

from motionbase.errors import UsageError
from motionbase.rig.border import PowerUnit
from motionbase.rig.check.advice import Advice
from motionbase.rig.check.hand import Clock, Hand
from motionbase.rig.check.person import Person
from motionbase.rig.check.report import Failed, Report, Step, Verdict

IDLE = 0.02  # [s]
ALL = (1, 2, 3, 4, 5, 6)


@final
@dataclass(frozen=True)
class Options:
    """How a check is done.

    Attributes:
        legs: that are moved, from 1
        way: of a leg's slow movement [m]
        speed: of it [m/s]
        tape: difference between a tape and a reading of one length that is allowed [m]
        change: the same for a change of a length, where errors of the tape's ends fall out [m]
        rest: for which the readings are watched first [s]
    """

    legs: tuple[int, ...] = ALL
    way: float = 0.03
    speed: float = 0.01
    tape: float = 0.005
    change: float = 0.003
    rest: float = 2.0

    def __post_init__(self) -> None:
        if not self.legs or not set(self.legs) <= set(ALL) or len(set(self.legs)) < len(self.legs):
            raise UsageError(f"legs are {', '.join(map(str, self.legs))}; legs have the numbers 1 to 6")
        for name, least, most in (("way", 0.01, 0.1), ("speed", 0.001, 0.05), ("tape", 0.001, 0.02),
                                  ("change", 0.001, 0.02), ("rest", 0.1, 60.0)):  # fmt: skip
            if not (math.isfinite(value := getattr(self, name)) and least <= value <= most):
                unit = {"speed": "m/s", "rest": "s"}.get(name, "m")
                raise UsageError(f"check: {name} is {value:g} {unit}, it must be {least:g} to {most:g} {unit}")
        if self.change > 0.5 * self.way:
            raise UsageError(f"check: change is {self.change:g} m, it must be at most half of way, {self.way:g} m")


@final
@dataclass
class Session:
    """What all steps work with.

    Attributes:
        tape: lengths that the person measured at rest, by leg from 1 [m]
        clock: on which all runs
        hand: on the machine, once its backend is open
        power: the source of pressure, if the file has one
        asked: whether somebody wants the check to end
    """

    report: Report
    person: Person
    options: Options
    advice: Advice
    clock: Clock
    tape: dict[int, float] = field(default_factory=dict)
    hand: Hand | None = None
    power: PowerUnit | None = None
    asked: Callable[[], bool] = lambda: False

    @property
    def at(self) -> Hand:
        """The hand, which is there by now."""
        assert self.hand is not None
        return self.hand

    @contextmanager
    def step(self, what: str, leg: int = 0) -> Iterator[Step]:
        """A step: it passes if nothing in it fails."""
        step = Step(what, leg)
        self.report.steps.append(step)
        if self.hand is not None:
            self.hand.step, self.hand.leg = what, leg
        self.person.tell(f"{len(self.report.steps)}. {what}{f', leg {leg}' if leg else ''}")
        try:
            yield step
        except Failed as failed:
            step.verdict, step.fault = Verdict.FAILED, str(failed)
            raise
        if step.verdict is Verdict.UNFINISHED:
            step.verdict = Verdict.PASSED
        self.person.tell(f"   {step.verdict.value}{f': {step.measured}' if step.measured else ''}")

    def leave(self, question: str) -> None:
        """Ask for leave; without it, the check ends here."""
        if not self.person.agrees(question, self.idle):
            raise Declined

    def attend(self, text: str) -> None:
        """Wait until the person looks."""
        self.person.attend(text, self.idle)

    def idle(self) -> None:
        """A cycle in which nothing may move; before there are any, the power unit hears that we live."""
        if self.hand is not None:
            self.hand.idle()
        else:
            self.wait(IDLE)

    def wait(self, seconds: float) -> None:
        """Let time pass before the backend is open."""
        now = self.clock.skip(seconds)
        if self.power is not None:
            self.power.look(now)


class Declined(Exception):
    """The person did not give leave, or went away."""
