"""Uploads of recordings: streamed to a part file, checked by opening it, then renamed."""

from __future__ import annotations

import os
import secrets
import shutil
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import final

from fastapi import Request
from starlette.requests import ClientDisconnect

from motionbase import private
from motionbase.console.api import names
from motionbase.console.api.sentences import TooLarge, WrongState
from motionbase.console.api.turns import Turns
from motionbase.console.api.upload_check import check
from motionbase.console.models import RecordingFile
from motionbase.errors import UsageError

LARGEST = 16 * 1024**3  # of an upload [bytes]
LEFT_FREE = 1024**3  # free space kept for the recorder [bytes]
AT_ONCE = 2
FOLDER = ".uploads"
STALE_S = 86_400.0  # age of files left by a killed console
BLOCK = 1 << 20


@final
class Uploads:
    """Uploads into one folder, a few at the same time."""

    def __init__(self, folder: Path, turns: Turns, largest: int = LARGEST) -> None:
        self._folder, self._turns, self._largest, self._running = folder, turns, largest, 0

    async def take(self, name: str, request: Request) -> RecordingFile:
        """Take a whole file or nothing; existing files are never replaced."""
        path = self._checked(name, request.headers.get("content-length", ""))
        if self._running >= AT_ONCE:
            raise WrongState(f"{AT_ONCE} uploads run already; wait until one ends")
        self._running += 1
        part = self._folder / FOLDER / f"{os.getpid()}-{secrets.token_hex(8)}" / path.name
        try:
            await self._turns.take(lambda: self._made(part.parent))
            await self._streamed(request, part)
            return await self._turns.take(lambda: _named(part, path))
        except ClientDisconnect:
            raise UsageError(f"the upload of {name!r} was broken off") from None
        finally:
            self._running -= 1
            with suppress(RuntimeError):  # the console is ending; the next one removes the part
                await self._turns.take(lambda: shutil.rmtree(part.parent, ignore_errors=True))

    def _checked(self, name: str, announced: str) -> Path:
        if names.checked_name("recording", name) and not name.lower().endswith(names.RECORDINGS):
            raise UsageError(f"recording {name!r}: the name must end in {', '.join(names.RECORDINGS)}")
        path = self._folder / name
        if os.path.lexists(path):
            raise WrongState(f"there is a recording {name!r} already; choose another name")
        if announced.isdigit():
            self._check_size(int(announced))
        return path

    def _check_size(self, size: int) -> None:
        if size > self._largest:
            raise TooLarge(f"the file has more than {self._largest} bytes, which is the most that is taken")

    def _made(self, folder: Path) -> None:
        private.make_folder(folder)
        for old in folder.parent.iterdir():
            with suppress(OSError):
                if time.time() - old.stat().st_mtime > STALE_S:
                    shutil.rmtree(old, ignore_errors=True)

    async def _streamed(self, request: Request, part: Path) -> None:
        size, waiting = 0, bytearray()
        file = await self._turns.take(lambda: open(part, "xb", opener=private.opener))
        try:
            async for piece in request.stream():
                size += len(piece)
                self._check_size(size)
                waiting += piece
                if len(waiting) >= BLOCK:
                    await self._turns.take(partial(_write, file.fileno(), bytes(waiting)))
                    waiting.clear()
            await self._turns.take(partial(_write, file.fileno(), bytes(waiting)))
            await self._turns.take(lambda: os.fsync(file.fileno()))
        finally:
            file.close()


def _write(file: int, block: bytes) -> None:
    state = os.fstatvfs(file)
    if state.f_bavail * state.f_frsize < LEFT_FREE + len(block):
        raise TooLarge(f"the disk has less than {LEFT_FREE} bytes left, which stay for the recorder")
    left = memoryview(block)
    while left:
        left = left[os.write(file, left) :]


def _named(part: Path, path: Path) -> RecordingFile:
    """Rename a part that opens as a recording, unless the name has been taken."""
    check(part, path.name)
    try:
        os.link(part, path)
    except FileExistsError:
        raise WrongState(f"there is a recording {path.name!r} already; choose another name") from None
    state = path.stat()
    return RecordingFile.model_validate(
        {
            "file": path.name,
            "bytes": state.st_size,
            "modified_utc": state.st_mtime,
            "format": path.suffix[1:].lower(),
            "is_written": False,
        }
    )
