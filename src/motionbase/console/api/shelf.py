"""Small files by name that pages keep, such as layouts: one folder, one ending, so many at most."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import final

from motionbase import private
from motionbase.console.api.names import NAME, checked_name
from motionbase.console.api.sentences import NotThere
from motionbase.errors import UsageError
from motionbase.recording.whole import whole_or_not

MOST_FILES = 1000


@final
@dataclass(frozen=True)
class Shelf:
    """A folder of ours.

    Attributes:
        what: that is kept, for people
        ending: of the files' names
    """

    folder: Path
    what: str
    ending: str

    @property
    def names(self) -> list[str]:
        """In order."""
        if not self.folder.is_dir():
            return []
        files = (path for path in self.folder.iterdir() if path.name.endswith(self.ending) and path.is_file())
        return sorted(name for path in files if NAME.fullmatch(name := path.name.removesuffix(self.ending)))

    def file(self, name: str) -> Path:
        """One that is there."""
        path = self._path(name)
        if not path.is_file() or path.is_symlink():
            raise NotThere(f"there is no {self.what} {name!r}; there are: {', '.join(self.names) or 'none'}")
        return path

    def keep(self, name: str, content: bytes) -> None:
        """Whole or not at all; one of that name is replaced."""
        path = self._path(name)
        private.make_folder(self.folder)
        if not path.exists() and len(self.names) >= MOST_FILES:
            raise UsageError(f"there are {MOST_FILES} files of this kind already; remove some first")
        with whole_or_not(path, force=True) as part:
            private.write_file(part, content)

    def remove(self, name: str) -> list[str]:
        """Names of those that are left."""
        self.file(name).unlink(missing_ok=True)
        return self.names

    def _path(self, name: str) -> Path:
        return self.folder / f"{checked_name(self.what, name)}{self.ending}"
