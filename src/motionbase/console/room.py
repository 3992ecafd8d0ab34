"""Limits of connections, and which one is closed when a limit is reached.

Connections are counted by their token: none, the viewer token, the operator token. Each kind has its own limit, so that
strangers and viewers never take an operator's place. Needs nothing but Python, because the stop post uses it, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Generic, TypeVar, final

Guest = TypeVar("Guest")


class Rank(IntEnum):
    """The token that a connection has shown."""

    STRANGER = 0
    VIEWER = 1
    OPERATOR = 2


@final
@dataclass(frozen=True)
class Limits:
    """Limits of the connections of one console.

    Attributes:
        strangers, viewers, operators: HTTP connections without token, with the viewer and the operator token
        viewers_here: viewers' connections from one address
        greeting: WebSockets before hello
        pages: WebSockets after hello, in all
        viewer_pages: of these, viewers'; the difference is reserved for operators
        pages_here: viewers' pages from one address; all that come through tunnels share one
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
    """A limited number of guests; a new one is always admitted, and an old one removed for it.

    Args:
        most: guests in all
        most_here: guests of one address; None for no such limit
        is_idle: whether a guest can be removed without harm; the oldest of these goes first
    """

    def __init__(
        self, most: int, most_here: int | None = None, is_idle: Callable[[Guest], bool] = lambda guest: True
    ) -> None:
        self._most, self._most_here, self._is_idle = most, most if most_here is None else most_here, is_idle
        self._addresses: dict[Guest, str] = {}  # oldest first

    def __len__(self) -> int:
        return len(self._addresses)

    def add(self, guest: Guest, address: str) -> Guest | None:
        """Admit a guest; returns the guest that must go for it, which is no longer counted."""
        self._addresses[guest] = address
        counts = Counter(self._addresses.values())
        others = [one for one in self._addresses if one is not guest]
        if counts[address] > self._most_here:
            others = [one for one in others if self._addresses[one] == address]
        elif len(self._addresses) > self._most:
            most = max((counts[self._addresses[one]] for one in others), default=0)
            others = [one for one in others if counts[self._addresses[one]] == most]  # from the address with most
        else:
            return None
        gone = next((one for one in others if self._is_idle(one)), others[0] if others else guest)
        self.remove(gone)
        return gone

    def remove(self, guest: Guest) -> None:
        """Remove a guest; no effect if it is not here."""
        self._addresses.pop(guest, None)
