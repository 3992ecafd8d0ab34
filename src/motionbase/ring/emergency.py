"""The emergency stop by every available path: the word in the ring, and the lifelines of its writer and supervisor.

A stop that comes before the base runs is latched: by the writer that is still compiling, by the supervisor that is
about to start the writer, or in the ring that has no record yet. The writer then starts with the stop active, and only
the operator's reset ends it. If the ring's file name was removed, the stop reaches the writer through its lifeline.
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import final

from motionbase.errors import RingError
from motionbase.ring.backend import AbstractBackend, Device, find
from motionbase.ring.glance import Glance
from motionbase.ring.lifeline import Found, Role, asked
from motionbase.ring.living import is_locked

ACTS = "the emergency stop acts"
HARDWARE = "but the base has not answered: use the hardware stop"
NO_ANSWER = f"asked for, {HARDWARE}"
LATCHED = "latched: the base has not begun, it will not rise; the operator's reset ends it"
ROUNDS = 5  # searches for rings and processes that started meanwhile
ACTS_S, LOOK_S = 0.5, 0.005  # longest wait for the base, and time between checks
LINE_S = 0.5  # longest wait for an answer on a lifeline


@final
class NoAnswer(RingError):
    """The base received the emergency stop, but no record shows that it acted."""


@final
class Stopper:
    """Requests emergency stops of one ring. It keeps the ring open, because opening takes most of the time."""

    def __init__(self, ring: str, backend: AbstractBackend | None = None) -> None:
        self.ring, self.backend = ring, backend or find(ring)
        self._glance: Glance | None = None
        with suppress(RingError):  # no ring yet
            self._attached()

    def _attached(self) -> Glance:
        if self._glance is None or not self._glance.is_current:
            self._glance = None
            self._glance = Glance(self.ring, self.backend)
        return self._glance

    def press(self, who: str) -> Press:
        """Raise the stop word of the ring at once, without lock, slot or wait."""
        if self._glance is not None:
            self._glance.stop(who)  # the ring opened before, even if its name is gone
        try:
            return Press(self, who, self._raised(who))
        except RingError as error:
            return Press(self, who, None, error)

    def _raised(self, who: str) -> tuple[Glance, int]:
        """Stop the ring that now has the name; returns it and its record count before. `RingError` without a writer."""
        for _ in range(ROUNDS):
            glance = self._attached()
            before = glance.head
            glance.stop(who)
            if glance.is_current:
                break
        where = f"ring {self.ring!r} ({self.backend})"
        if glance.has_ended:
            raise RingError(f"{where}: its writer has stopped")
        if not isinstance(self.backend, Device) and not is_locked(self.backend):
            raise RingError(f"{where}: its writer has died")
        if before and not glance.takes_commands:
            raise RingError(f"{where} takes no commands")
        return glance, before

    def stop(self, who: str) -> str:
        """Stop by every path, wait for the base, and return a sentence that says what happened.

        Raises:
            RingError: there is no writer; `NoAnswer`: the base received the stop and has not acted
        """
        pressed = self.press(who)
        pressed.ask_lines()
        end = time.monotonic() + ACTS_S
        while pressed.is_open and time.monotonic() < end:
            time.sleep(LOOK_S)
        text = pressed.text
        if text.endswith(HARDWARE):
            raise NoAnswer(text)
        return text


@final
class Press:
    """One requested stop.

    Attributes:
        refusal: why the stop could not be written into the ring; None if it was
    """

    def __init__(
        self, stopper: Stopper, who: str, ring: tuple[Glance, int] | None, refusal: RingError | None = None
    ) -> None:
        self._backend, self._who, self._ring, self.refusal = stopper.backend, who, ring, refusal
        self._reached: list[Found] = []
        self._acts = False

    def ask_lines(self) -> None:
        """Send the stop to every process of the ring, even those that start meanwhile; half a second each at most.

        A writer that is not found here has no lifeline yet; once it has one, it asks its supervisor for latched stops.
        """
        known = set[tuple[Role, int, int]]()
        for _ in range(ROUNDS):
            before = len(known)
            for role in (Role.WRITER, Role.SUPERVISOR):
                for found in asked(self._backend, role, {"ask": "stop", "by": self._who}, LINE_S, known):
                    known.add((role, found.place, found.pid))
                    if found.said.get("stopped"):
                        self._reached.append(found)
            if len(known) == before:
                return

    @property
    def _writer(self) -> Found | None:
        """The writer that took the stop on its lifeline, if its ring has records."""
        return next((f for f in self._reached if f.role is Role.WRITER and f.said.get("head")), None)

    @property
    def is_open(self) -> bool:
        """Whether to wait on: a process has the stop, but no record shows it yet. May ask on the lifeline."""
        if not self._acts and self._ring is not None:
            glance, before = self._ring
            self._acts = glance.shows_stop(before)
        elif not self._acts and self._writer is not None:
            self._acts = any(f.said.get("acts") for f in asked(self._backend, Role.WRITER, {"ask": "who"}, LINE_S))
        return not self._acts and (self._ring is not None or self._writer is not None)

    @property
    def text(self) -> str:
        """The result so far, as a sentence; raises the refusal if no process was reached."""
        if self._ring is not None:
            latched = self._ring[0].head == 0
            return ACTS if self._acts else LATCHED if latched else NO_ANSWER
        assert self.refusal is not None
        if (writer := self._writer) is not None and writer.said.get("takes"):
            way = f"its writer (process {writer.pid}) lives; the stop reached it by its socket"
            said = "and acts" if self._acts else HARDWARE
            return f"the ring's name is gone, {way}, {said}"
        if writer is None and self._reached:
            return LATCHED
        raise self.refusal
