"""Storage of small named files for pages, such as layouts: one folder, one ending, a limited number."""

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
    """A folder of stored files.

    Attributes:
        what: name of the kind of file, for messages
        ending: of the files' names
    """

    folder: Path
    what: str
    ending: str

    @property
    def names(self) -> list[str]:
        """Sorted names."""
        if not self.folder.is_dir():
            return []
        files = (path for path in self.folder.iterdir() if path.name.endswith(self.ending) and path.is_file())
        return sorted(name for path in files if NAME.fullmatch(name := path.name.removesuffix(self.ending)))

    def file(self, name: str) -> Path:
        """Path of a stored file; an error if there is none."""
        path = self._path(name)
        if not path.is_file() or path.is_symlink():
            raise NotThere(f"there is no {self.what} {name!r}; there are: {', '.join(self.names) or 'none'}")
        return path

    def keep(self, name: str, content: bytes) -> None:
        """Store a file atomically, replacing one of that name."""
        path = self._path(name)
        private.make_folder(self.folder)
        if not path.exists() and len(self.names) >= MOST_FILES:
            raise UsageError(f"there are {MOST_FILES} files of this kind already; remove some first")
        with whole_or_not(path, force=True) as part:
            private.write_file(part, content)

    def remove(self, name: str) -> list[str]:
        """Remove a file; returns the remaining names."""
        self.file(name).unlink(missing_ok=True)
        return self.names

    def _path(self, name: str) -> Path:
        return self.folder / f"{checked_name(self.what, name)}{self.ending}"
