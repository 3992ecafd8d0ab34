"""Downloads: what is whole of a file now, exactly as long as is said; and tickets, by which a browser fetches one.

A page has its token in memory and sends it in a header; a browser that saves a file by itself sends no such header. A
token in the address would stay in histories and logs. A cookie would be sent to whatever listens on any other port of
this machine. So a page asks for a ticket, with its token, and follows the address that has it.
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

GOOD_S = 60.0  # within which the download has to begin
MOST = 256  # tickets


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


@final
class _Beginning:
    """The first bytes of an open file, as Starlette reads them."""

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
    """One download. It reads the file that was opened, whatever takes its name meanwhile.

    The file is closed with the object: a client that goes at once leaves one that is never called.
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
        except (OSError, ValueError) as error:  # cut short by somebody else at this moment
            self._close()
            raise NotThere(f"file {path.name!r} cannot be read: {error}") from None
        super().__init__(path, filename=path.name, stat_result=os.stat_result((*found[:6], self._size, *found[7:10])))

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """All of it, or the ranges that are asked for."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._close()

    @asynccontextmanager
    async def _open_file(self) -> AsyncIterator[Any]:
        yield _Beginning(self._file, self._size)
