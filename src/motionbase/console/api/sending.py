"""A file as an answer: what is whole of it now, exactly as long as is said, also while somebody writes it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, final

from fastapi.responses import FileResponse

from motionbase.console.api.sentences import NotThere
from motionbase.recording.growing import whole_bytes


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
    """One download. It reads the file that was opened, whatever takes its name meanwhile."""

    def __init__(self, path: Path) -> None:
        try:
            self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise NotThere(f"file {path.name!r} cannot be read: {error.strerror or error}") from None
        found = os.fstat(self._file)
        try:
            self._size = whole_bytes(self._file, found.st_size)
        except (OSError, ValueError) as error:  # cut short by somebody else at this moment
            os.close(self._file)
            raise NotThere(f"file {path.name!r} cannot be read: {error}") from None
        super().__init__(path, filename=path.name, stat_result=os.stat_result((*found[:6], self._size, *found[7:10])))

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """All of it, or the ranges that are asked for."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            os.close(self._file)

    @asynccontextmanager
    async def _open_file(self) -> AsyncIterator[Any]:
        yield _Beginning(self._file, self._size)
