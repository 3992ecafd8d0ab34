"""Passes tokens and addresses to this user only: private files, and a browser without a token in its arguments."""

import atexit
import html
import os
import tempfile
import threading
import webbrowser
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, final

from motionbase import private
from motionbase.errors import RingError, UsageError

if TYPE_CHECKING:
    from motionbase.ring.lock import FileLock

MOST = 100  # most consoles of one ring
FOUND_BY_THEN_S = 30.0


@final
class TokenFiles:
    """Token files of one console, such as `RING.token`, removed when it ends.

    A second console of the same ring has `RING.2.token`, and so on; names of killed consoles are reused.
    """

    def __init__(self, folder: Path, ring: str) -> None:
        self._folder, self._ring = folder, ring
        self._written: list[Path] = []
        self._lock: FileLock | None = None  # of the name; the system releases it however the console ends
        self._stem = ""

    def write(self, kind: str, token: str) -> Path:
        """Write a token file."""
        try:
            path = self._folder / f"{self._claimed()}.{kind}"
            part = path.with_name(f".{path.name}.{os.getpid()}")
            part.unlink(missing_ok=True)
            file = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
            with os.fdopen(file, "w") as out:
                out.write(f"{token}\n")
            part.replace(path)
        except (OSError, RingError) as error:
            why = (error.strerror if isinstance(error, OSError) else None) or error
            raise UsageError(
                f"token file in {self._folder}: {why}; start the console on a terminal, or give --token-file"
            ) from None
        self._written.append(path)
        return path

    def _claimed(self) -> str:
        """The first part of the names, which no other living console has."""
        if self._lock is None:
            private.make_folder(self._folder)
            for number in range(1, MOST + 1):
                self._stem = self._ring if number == 1 else f"{self._ring}.{number}"
                from motionbase.ring.lock import FileLock  # needs NumPy, see `signals_blocked` of executive/base.py

                lock = FileLock(self._folder / f".{self._stem}.token.lock")
                if lock.take():
                    self._lock = lock
                    return self._stem
                lock.release()
            raise RingError(f"{MOST} consoles of ring {self._ring!r} run already")
        return self._stem

    def remove(self) -> None:
        """Remove the token files."""
        for path in self._written:
            with suppress(OSError):
                path.unlink()
        if self._lock is not None:
            with suppress(OSError):
                self._lock.path.unlink()
            self._lock.release()


def open_privately(address: str) -> None:
    """Open the address in a browser through a file that only this user can read.

    An address with a token must not be an argument of the browser: all users of a machine see the command lines of
    its processes. The file is in the home folder, because sandboxed browsers see no others; it is soon removed.
    """
    try:
        handle, name = tempfile.mkstemp(prefix="motionbase-console-", suffix=".html", dir=Path.home())
        with os.fdopen(handle, "w") as file:  # mkstemp makes it readable for this user only
            target = html.escape(address)
            file.write(
                '<!doctype html><meta charset="utf-8"><title>motionbase console</title>'
                f'<meta http-equiv="refresh" content="0;url={target}"><a href="{target}">motionbase console</a>'
            )
    except OSError:
        return  # the address has been printed, too
    later = threading.Timer(FOUND_BY_THEN_S, _remove, (name,))
    later.daemon = True
    later.start()
    atexit.register(_remove, name)
    threading.Thread(target=_open, args=(name,), daemon=True).start()


def _open(name: str) -> None:
    with suppress(webbrowser.Error, OSError):
        webbrowser.open(Path(name).as_uri())


def _remove(name: str) -> None:
    Path(name).unlink(missing_ok=True)
