"""Object code on disk: keyed by content, private to its owner, robust against damage and concurrent processes.

Entries are executed, so the folder must belong to this user and be closed to others; otherwise the cache is not used.
Every entry carries a digest of its bytes: a damaged or truncated entry is deleted and built again.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import sys
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import final

MAGIC = b"motionbase object 1\n"
SUFFIX = ".mbo"
LIMIT_BYTES = 512 * 1024 * 1024  # above this the least recently used entries are deleted


class CacheWarning(UserWarning):
    """The cache is not used, for the given reason; everything works without it, but starts more slowly."""


def default_folder() -> Path:
    """$MOTIONBASE_CACHE, else motionbase/objects in the user's cache folder."""
    if chosen := os.environ.get("MOTIONBASE_CACHE"):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "motionbase" / "objects"


def source_digest(folder: Path, *packages: str) -> str:
    """Hash of the Python source in a folder and of package versions, so that changed source never finds old objects."""
    from importlib.metadata import version  # slow to import, and readers of a ring need no key

    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.read_bytes())
    for package in packages:
        digest.update(version(package).encode())
    return digest.hexdigest()


@final
@dataclass(frozen=True)
class Entry:
    """One cached object: path, size, time of last use."""

    path: Path
    bytes: int
    used: float


@final
class ObjectCache:
    """A folder of objects by key. Reading and writing never raise: a cache that cannot be used is skipped."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or default_folder()

    def refusal(self) -> str | None:
        """Why the folder cannot be trusted or used, or None; a missing folder is created."""
        try:
            with contextlib.suppress(FileExistsError):
                self.folder.mkdir(mode=0o700, parents=True)
            status = os.lstat(self.folder)
        except OSError as error:
            return f"cannot make it ({error.strerror})"
        if stat.S_ISLNK(status.st_mode):
            return "it is a symbolic link: give the folder itself"
        if not stat.S_ISDIR(status.st_mode):
            return "it is a file, not a folder"
        if hasattr(os, "getuid") and status.st_uid != os.getuid():
            return "it belongs to another user"
        if stat.S_IMODE(status.st_mode) & 0o077:
            return "other users can reach it: make it private with chmod 700"
        return None

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}{SUFFIX}"

    def __contains__(self, key: str) -> bool:
        """Whether there is an entry for a key; the entry is neither read nor marked as used."""
        return self._path(key).is_file()

    def get(self, key: str) -> bytes | None:
        """The object for a key, or None; an entry that is damaged or belongs to another user is removed."""
        if refusal := self.refusal():
            _warn(f"object cache {self.folder} is not used: {refusal}")
            return None
        path = self._path(key)
        try:
            content = _read(path)
        except FileNotFoundError:
            return None
        except OSError:
            content = b""
        payload = _unsealed(key, content)
        if payload is None:
            self._discard(path)
            return None
        with contextlib.suppress(OSError):
            os.utime(path)
        return payload

    def put(self, key: str, payload: bytes) -> None:
        """Store an object: written to a temporary file and renamed, so a reader sees all of it or nothing."""
        if self.refusal() is not None:
            return
        try:
            handle, name = tempfile.mkstemp(dir=self.folder, prefix=".new-")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(_sealed(key, payload))
                os.replace(name, self._path(key))
            except OSError:
                self._discard(Path(name))
                raise
        except FileNotFoundError:
            return  # another process has cleared the folder
        except OSError as error:
            _warn(f"object cache {self.folder}: {error.strerror}")
            return
        self._trim()

    def entries(self) -> list[Entry]:
        """All entries, least recently used first."""
        found = []
        with contextlib.suppress(OSError):
            for path in self.folder.glob(f"*{SUFFIX}"):
                with contextlib.suppress(OSError):
                    status = path.stat()
                    found.append(Entry(path, status.st_size, status.st_mtime))
        return sorted(found, key=lambda entry: entry.used)

    def clear(self) -> int:
        """Delete every entry; returns how many there were."""
        entries = self.entries()
        for path in (*(e.path for e in entries), *self._leftovers()):
            self._discard(path)
        return len(entries)

    def _leftovers(self) -> Iterator[Path]:
        """Temporary files of processes that were killed while writing."""
        with contextlib.suppress(OSError):
            yield from self.folder.glob(".new-*")

    def _trim(self) -> None:
        entries = self.entries()
        excess = sum(e.bytes for e in entries) - LIMIT_BYTES
        for entry in entries:
            if excess <= 0:
                break
            self._discard(entry.path)
            excess -= entry.bytes

    @staticmethod
    def _discard(path: Path) -> None:
        with contextlib.suppress(OSError):
            path.unlink()


def _warn(message: str) -> None:
    """Warn at the first line of the call stack outside motionbase."""
    package = str(Path(__file__).parents[1]) + os.sep
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(package):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, CacheWarning, stacklevel=level)


def _read(path: Path) -> bytes:
    """The content of a regular file owned by this user; links, folders and pipes are refused."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode) or (hasattr(os, "getuid") and status.st_uid != os.getuid()):
        os.close(handle)
        return b""
    with os.fdopen(handle, "rb") as file:
        return file.read()


def _sealed(key: str, payload: bytes) -> bytes:
    return MAGIC + _seal(key, payload) + payload


def _seal(key: str, payload: bytes) -> bytes:
    """The digest covers the key as well, so a renamed entry is not valid under its new name."""
    return hashlib.sha256(key.encode() + payload).digest()


def _unsealed(key: str, content: bytes) -> bytes | None:
    """The payload of an entry, or None if its bytes are not those that were written."""
    start = len(MAGIC) + 32
    if len(content) < start or not content.startswith(MAGIC):
        return None
    payload = content[start:]
    return payload if _seal(key, payload) == content[len(MAGIC) : start] else None
