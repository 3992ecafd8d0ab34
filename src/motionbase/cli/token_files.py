"""Tokens in files that their owner alone can read, for output that goes to no terminal."""

import os
from contextlib import suppress
from pathlib import Path
from typing import final

from motionbase.errors import UsageError


@final
class TokenFiles:
    """Those of one console: `RING.token` and the like in a folder, until it ends."""

    def __init__(self, folder: Path, ring: str) -> None:
        self._folder, self._ring = folder, ring
        self._written: dict[Path, str] = {}

    def write(self, kind: str, token: str) -> Path:
        """Keep a token; one of a console before is replaced."""
        path = self._folder / f"{self._ring}.{kind}"
        part = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            part.unlink(missing_ok=True)
            file = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
            with os.fdopen(file, "w") as out:
                out.write(f"{token}\n")
            part.replace(path)
        except OSError as error:
            why = error.strerror or error
            raise UsageError(f"token file {path}: {why}; start the console on a terminal instead") from None
        self._written[path] = token
        return path

    def remove(self) -> None:
        """Unless another console has put its own there."""
        for path, token in self._written.items():
            with suppress(OSError):
                if path.read_text().strip() == token:
                    path.unlink()
