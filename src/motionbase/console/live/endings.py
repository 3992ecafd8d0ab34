"""Ends of a page's connection: codes of RFC 6455, and our own for a wrong token and a full console."""

from __future__ import annotations

from enum import Enum
from typing import final

BAD_DATA, POLICY, TRY_LATER, NO_TOKEN, NO_ROOM = 1007, 1008, 1013, 4401, 4429


LONGEST_REASON = 123  # limit of a close frame [bytes]


class SessionState(Enum):
    """State of a connection."""

    GREETING = "waits for hello"
    OPEN = "is served"
    ENDING = "is let go"


@final
class Ended(Exception):
    """The server closes the connection with this code and reason."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason.encode()[:LONGEST_REASON].decode(errors="ignore")
