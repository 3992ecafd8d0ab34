"""The operator's seat: one page at a time holds it, and only from there can what changes state be asked."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import final

from motionbase.console.api.sentences import WrongState
from motionbase.console.models import Seat

LEFT_S = 30.0  # a page that is gone for so long has left its seat: a reload is quicker


@final
class SeatTaken(WrongState):
    """Somebody else has it."""


@final
class OperatorSeat:
    """Who operates.

    Args:
        tell: takes a sentence whenever it changes hands
        clock: monotonic [s]
    """

    def __init__(self, tell: Callable[[str], object], clock: Callable[[], float] = time.monotonic) -> None:
        self._tell, self._clock, self._lock = tell, clock, threading.Lock()
        self._holder: Seat | None = None
        self._sockets: Counter[str] = Counter()  # of operators, by client
        self._seen = -float("inf")  # when the holder last showed life without a socket

    @property
    def holder(self) -> Seat | None:
        """Who has it now; None where nobody has, or the last one is gone for 30 s."""
        with self._lock:
            holder = self._holder
            if holder is None or self._sockets[holder.client] or self._clock() - self._seen < LEFT_S:
                return holder
            self._holder = None
        self._tell(f"{holder.name} left the operator's seat")
        return None

    @property
    def who(self) -> tuple[str, str] | None:
        """Client and name of who has it."""
        holder = self.holder
        return None if holder is None else (holder.client, holder.name)

    def is_held_by(self, client: str) -> bool:
        """Whether this page has it; who asks shows life."""
        holder = self.holder
        with self._lock:
            if holder is None or holder.client != client:
                return False
            self._seen = self._clock()
            return True

    def take(self, client: str, name: str, force: bool = False, from_client: str | None = None) -> Seat:
        """Sit down; refused while another page has it, unless by force from that very page."""
        self.holder  # noqa: B018  one whose page is gone has left it
        with self._lock:
            before = self._holder
            if before is not None and before.client != client:
                if not force:
                    raise SeatTaken(
                        f"the operator's seat is taken by {before.name!r}; ask for it, or take it with force"
                    )
                if before.client != from_client:
                    raise SeatTaken(
                        f"the operator's seat is taken by {before.name!r} now, whom the request does not name; "
                        "look again who has it"
                    )
            seat = Seat(client=client, name=name, since_utc=time.time())
            self._holder, self._seen = seat, self._clock()
        if before is None:
            self._tell(f"{name} took the operator's seat")
        elif before.client != client:
            self._tell(f"{name} took the operator's seat from {before.name}")
        return seat

    def release(self, client: str) -> None:
        """Stand up; nothing happens where another page has it."""
        with self._lock:
            holder = self._holder
            if holder is None or holder.client != client:
                return
            self._holder = None
        self._tell(f"{holder.name} left the operator's seat")

    def arrived(self, client: str) -> None:
        """A WebSocket of an operator's page opened."""
        with self._lock:
            self._sockets[client] += 1

    def left(self, client: str) -> None:
        """It closed."""
        with self._lock:
            self._sockets[client] -= 1
            if self._sockets[client] <= 0:
                del self._sockets[client]
                if self._holder is not None and self._holder.client == client:
                    self._seen = self._clock()
