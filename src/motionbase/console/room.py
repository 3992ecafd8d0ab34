"""How many connections there may be, and which one goes when there are more.

Connections are counted by what they have shown: no token, the viewer token, the operator token. Each kind has room of
its own, so that no number of strangers or viewers takes an operator's place. Nothing here needs more than Python
itself: the stop post uses it, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Generic, TypeVar, final

Guest = TypeVar("Guest")


class Rank(IntEnum):
    """What a connection has shown."""

    STRANGER = 0
    VIEWER = 1
    OPERATOR = 2


@final
@dataclass(frozen=True)
class Limits:
    """Connections of one console.

    Attributes:
        strangers, viewers, operators: HTTP connections that have shown no token, a viewer's, an operator's
        viewers_here: of the viewers' connections, those from one address
        greeting: WebSockets that have not said hello
        pages: WebSockets that have, in all
        viewer_pages: of these, viewers': the difference is kept for operators
        pages_here: of the viewers' pages, those from one address; all that come by tunnels share one
    """

    strangers: int = 128
    viewers: int = 256
    operators: int = 64
    viewers_here: int = 192
    greeting: int = 128
    pages: int = 128
    viewer_pages: int = 112
    pages_here: int = 96


@final
class Pool(Generic[Guest]):
    """So many guests at most; a new one always gets in, and an old one goes for it.

    Args:
        most: guests in all
        most_here: guests of one address; None leaves that to `most`
        is_idle: whether a guest that is to go could go without harm; of these the oldest goes first
    """

    def __init__(
        self, most: int, most_here: int | None = None, is_idle: Callable[[Guest], bool] = lambda guest: True
    ) -> None:
        self._most, self._most_here, self._is_idle = most, most if most_here is None else most_here, is_idle
        self._addresses: dict[Guest, str] = {}  # oldest first

    def __len__(self) -> int:
        return len(self._addresses)

    def add(self, guest: Guest, address: str) -> Guest | None:
        """Let it in; returns who has to go for it, and is counted no longer."""
        self._addresses[guest] = address
        counts = Counter(self._addresses.values())
        others = [one for one in self._addresses if one is not guest]
        if counts[address] > self._most_here:
            others = [one for one in others if self._addresses[one] == address]
        elif len(self._addresses) > self._most:
            most = max((counts[self._addresses[one]] for one in others), default=0)
            others = [one for one in others if counts[self._addresses[one]] == most]  # who takes most room gives some
        else:
            return None
        gone = next((one for one in others if self._is_idle(one)), others[0] if others else guest)
        self.remove(gone)
        return gone

    def remove(self, guest: Guest) -> None:
        """It is gone; nothing happens where it was not here."""
        self._addresses.pop(guest, None)
