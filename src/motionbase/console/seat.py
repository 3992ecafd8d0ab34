"""The operator's seat: one page at a time holds it, and only that page may request changes of state.

A page whose connection drops keeps its seat for a while; then the page that has waited longest gets it.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import final

from motionbase.console.api.sentences import WrongState
from motionbase.console.models import Seat

AWAY_S = 3.0  # without contact counts as away; a reload is shorter
LEFT_S = 30.0  # after this time the seat is free; a reload or a brief network failure is shorter
MOST_WAITING = 16


@final
class SeatTaken(WrongState):
    """Another page has the seat."""


@final
class OperatorSeat:
    """The seat and its queue.

    Args:
        tell: called with a sentence whenever the seat changes hands
        clock: monotonic [s]
    """

    def __init__(self, tell: Callable[[str], object], clock: Callable[[], float] = time.monotonic) -> None:
        self._tell, self._clock, self._lock = tell, clock, threading.Lock()
        self._holder: Seat | None = None
        self._sockets: Counter[str] = Counter()  # of operators' pages, by client
        self._seen = -float("inf")  # last contact of the holder without a socket
        self._waiting: dict[str, str] = {}  # names in the queue by client, longest wait first

    @property
    def holder(self) -> Seat | None:
        """The present holder; None if there is none, or it has been away for 30 s and nobody waits."""
        with self._lock:
            holder = self._holder
            is_here = holder is not None and self._sockets[holder.client] > 0
            if holder is None or is_here or self._clock() - self._seen < LEFT_S:
                waiting = list(self._waiting.values())
                away = not is_here and self._clock() - self._seen >= AWAY_S
                return holder and holder.model_copy(update={"away": away, "waiting": waiting})
            said = self._passed_on(holder, f"{holder.name} was away for {LEFT_S:g} s and lost the operator's seat")
        self._tell(said)
        return self.holder

    def _passed_on(self, before: Seat, said: str) -> str:
        """Pass the seat to the connected page that has waited longest; returns a sentence. Needs the lock."""
        self._holder = None
        for client, name in list(self._waiting.items()):
            del self._waiting[client]
            if self._sockets[client] > 0:
                self._sit(client, name)
                return f"{said}; {name}, who waited for it, has it now"
        return said

    def _sit(self, client: str, name: str) -> Seat:
        self._waiting.pop(client, None)
        self._holder, self._seen = Seat(client=client, name=name, since_utc=time.time()), self._clock()
        return self._holder

    @property
    def who(self) -> tuple[str, str] | None:
        """Client and name of the holder."""
        holder = self.holder
        return None if holder is None else (holder.client, holder.name)

    def is_held_by(self, client: str) -> bool:
        """Whether this page has the seat; counts as contact."""
        holder = self.holder
        with self._lock:
            if holder is None or holder.client != client:
                return False
            self._seen = self._clock()
            return True

    def take(self, client: str, name: str, force: bool = False, from_client: str | None = None) -> Seat:
        """Take the seat; refused while another page has it, unless by force from that very page."""
        self.holder  # noqa: B018  frees a seat whose page is gone
        with self._lock:
            before = self._holder
            if before is not None and before.client != client:
                if not force:
                    raise SeatTaken(
                        f"the operator's seat is taken by {before.name!r}; wait for it, or take it with force"
                    )
                if before.client != from_client:
                    raise SeatTaken(
                        f"the operator's seat is taken by {before.name!r} now, whom the request does not name; "
                        "look again who has it"
                    )
            seat = self._sit(client, name)
        if before is None:
            self._tell(f"{name} took the operator's seat")
        elif before.client != client:
            self._tell(f"{name} took the operator's seat from {before.name}")
        return seat

    def wait(self, client: str, name: str) -> None:
        """Take the seat if it is free, else join the queue; a page in the queue keeps its place."""
        holder = self.holder
        if holder is None or holder.client == client:
            self.take(client, name)
            return
        with self._lock:
            if client in self._waiting:
                return
            if len(self._waiting) >= MOST_WAITING:
                raise SeatTaken(
                    f"{MOST_WAITING} pages wait for the operator's seat, which is the most; try again later"
                )
            self._waiting[client] = name
        self._tell(f"{name} waits for the operator's seat")

    def place(self, client: str) -> int | None:
        """Place in the queue, 1 for the next; None for a page that does not wait."""
        with self._lock:
            waiting = list(self._waiting)
        return waiting.index(client) + 1 if client in waiting else None

    def release(self, client: str) -> None:
        """Leave the seat, or the queue; no effect if another page has the seat."""
        with self._lock:
            holder, name = self._holder, self._waiting.pop(client, None)
            if holder is not None and holder.client == client:
                said = self._passed_on(holder, f"{holder.name} left the operator's seat")
            elif name is not None:
                said = f"{name} does not wait for the operator's seat any more"
            else:
                return
        self._tell(said)

    def arrived(self, client: str) -> None:
        """A WebSocket of an operator's page opened."""
        with self._lock:
            self._sockets[client] += 1

    def left(self, client: str) -> None:
        """A WebSocket of an operator's page closed."""
        with self._lock:
            self._sockets[client] -= 1
            if self._sockets[client] <= 0:
                del self._sockets[client]
                if self._holder is not None and self._holder.client == client:
                    self._seen = self._clock()
