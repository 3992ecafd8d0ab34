"""Steering from a page: devices of the page with the operator's seat, passed on to the file beside the live ring."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import final

from motionbase.console.access import Access, Caller
from motionbase.errors import RingError
from motionbase.record.world import Hand
from motionbase.ring.backend import AbstractBackend
from motionbase.ring.hand import HandTaken, HandWriter

IDLE_S = 2.0  # after which another console may steer
AGAIN_S = 0.25  # between checks whether there is a vehicle, and still the same one
MOST_A_SECOND = 250

VIEWER = "viewers cannot steer: enter the operator token"
NO_SEAT = "take the operator's seat to steer"
TAKEN = "{name} has the operator's seat and steers"
NO_VEHICLE = "there is no vehicle to steer: the base follows no world"
ELSEWHERE = "another console or program steers this vehicle"


@final
class Rate:
    """Limits the messages of a page; those above the limit are dropped, because newer ones follow."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._at, self._left = clock, clock(), float(MOST_A_SECOND)

    def admits(self) -> bool:
        """Whether one more message may be used now."""
        now = self._clock()
        self._left = min(float(MOST_A_SECOND), self._left + MOST_A_SECOND * (now - self._at))
        self._at = now
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True


@final
class Helm:
    """Used only in the event loop.

    Args:
        access: who has the seat
        backend: of the live ring
        clock: monotonic [s]
    """

    def __init__(self, access: Access, backend: AbstractBackend, clock: Callable[[], float] = time.monotonic) -> None:
        self._access, self._backend, self._clock = access, backend, clock
        self._writer: HandWriter | None = None
        self._why = NO_VEHICLE
        self._looked_at = self._steered_at = -float("inf")
        self._client = ""  # who steered last

    def steer(self, caller: Caller, hand: Hand) -> str:
        """Pass on the state of a page's device; returns why that is refused, or ""."""
        if why := self._why_not(caller):
            return why
        now = self._clock()
        if now - self._looked_at >= AGAIN_S:
            self._looked_at = now
            self._look()
        if self._writer is None:
            return self._why
        self._writer.write(hand)
        self._steered_at, self._client = now, caller.client
        return ""

    def left(self, client: str) -> None:
        """A page has gone: if it steered, release the vehicle."""
        if client == self._client:
            self.close()

    def rest(self) -> None:
        """Let another console steer if no page has for a while; called regularly."""
        if self._writer is not None and self._clock() - self._steered_at > IDLE_S:
            self.close()

    def close(self) -> None:
        """Release the vehicle."""
        if self._writer is not None:
            self._writer.close()
        self._writer, self._client, self._looked_at = None, "", -float("inf")

    def _why_not(self, caller: Caller) -> str:
        if caller.role != "operator":
            return VIEWER
        if self._access.seat.is_held_by(caller.client):
            return ""
        holder = self._access.seat.holder
        return NO_SEAT if holder is None else TAKEN.format(name=holder.name)

    def _look(self) -> None:
        if self._writer is not None and self._writer.is_replaced():
            self.close()
        if self._writer is None:
            try:
                self._writer = HandWriter.attached(self._backend)
                self._why = NO_VEHICLE
            except HandTaken:
                self._why = ELSEWHERE
            except RingError as error:
                self._why = str(error)
