"""Tickets for downloads: addresses that a browser can fetch by itself, for a minute and for one file.

A page has its token in memory and sends it in a header; a browser that saves a file by itself sends no such header. A
token in the address would stay in histories and logs. A cookie would be sent to whatever listens on any other port of
this machine. So a page asks for a ticket, with its token, and follows the address that has it.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from typing import final

GOOD_S = 60.0  # within which the download has to begin
MOST = 256


@final
class Tickets:
    """Those that have been given out.

    Args:
        clock: monotonic [s]
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._files: dict[str, tuple[str, float]] = {}  # by ticket, oldest first: the file, and until when

    def give(self, file: str) -> str:
        """A new one; of too many the oldest is good no longer."""
        ticket, now = secrets.token_urlsafe(24), self._clock()
        kept = [(one, what) for one, what in self._files.items() if what[1] > now]
        self._files = dict([*kept, (ticket, (file, now + GOOD_S))][-MOST:])
        return ticket

    def file(self, ticket: str) -> str | None:
        """For which it is good; None where it is not, or not any more."""
        file, until = self._files.get(ticket, ("", 0.0))
        return file if until > self._clock() else None
