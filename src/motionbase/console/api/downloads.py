"""Downloads: the complete part of a file, with its exact length; and tickets, with which a browser fetches a file.

A page sends its token in a header, but a browser that saves a file sends no such header. A token in the address would
stay in histories and logs, and a cookie would be sent to every port of this machine. So a page requests a ticket with
its token, and opens the address that contains the ticket.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import time
import weakref
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, final

from fastapi.responses import FileResponse

from motionbase.console.api.sentences import NotThere
from motionbase.recording.growing import whole_bytes

GOOD_S = 60.0  # time within which the download must begin
MOST = 256  # valid tickets


@final
class Tickets:
    """Tickets in circulation.

    Args:
        clock: monotonic [s]
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._files: dict[str, tuple[str, float]] = {}  # file and expiry by ticket, oldest first

    def give(self, file: str) -> str:
        """Issue a ticket; if there are too many, the oldest becomes invalid."""
        ticket, now = secrets.token_urlsafe(24), self._clock()
        kept = [(one, what) for one, what in self._files.items() if what[1] > now]
        self._files = dict([*kept, (ticket, (file, now + GOOD_S))][-MOST:])
        return ticket

    def file(self, ticket: str) -> str | None:
        """The file of a ticket; None if it is invalid or has expired."""
        file, until = self._files.get(ticket, ("", 0.0))
        return file if until > self._clock() else None


@final
class _Beginning:
    """The first bytes of an open file, in the form that Starlette reads."""

    def __init__(self, file: int, size: int) -> None:
        self._file, self._size, self._at = file, size, 0

    async def seek(self, at: int) -> None:
        self._at = at

    async def read(self, most: int) -> bytes:
        wanted = max(0, min(most, self._size - self._at))
        found = await asyncio.to_thread(os.pread, self._file, wanted, self._at)
        self._at += len(found)
        return found


@final
class Sent(FileResponse):
    """One download. It reads the opened file, even if another takes its name meanwhile.

    The file is closed with the object: if the client leaves at once, the response is never called.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise NotThere(f"file {path.name!r} cannot be read: {error.strerror or error}") from None
        self._close = weakref.finalize(self, os.close, self._file)
        found = os.fstat(self._file)
        try:
            self._size = whole_bytes(self._file, found.st_size)
        except (OSError, ValueError) as error:  # truncated by another process at this moment
            self._close()
            raise NotThere(f"file {path.name!r} cannot be read: {error}") from None
        super().__init__(path, filename=path.name, stat_result=os.stat_result((*found[:6], self._size, *found[7:10])))

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Send all of it, or the requested ranges."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._close()

    @asynccontextmanager
    async def _open_file(self) -> AsyncIterator[Any]:
        yield _Beginning(self._file, self._size)
