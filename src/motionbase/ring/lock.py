"""A lock that dies with its holder, for one writer of a ring and one at a time of each block; whose files count."""

from __future__ import annotations

import fcntl
import os
import pwd
import stat
import time
from pathlib import Path
from typing import final

from motionbase.errors import RingError

OWNERS_VARIABLE = "MOTIONBASE_RING_OWNERS"  # names or numbers of users with commas between, or any
ANY = "any"
RETRIES, PAUSE_S = 5, 0.01  # somebody may just be looking whether it is held


@final
class FileLock:
    """An exclusive lock on a file, released by the system whatever happens to the process.

    A forked child lets go of its copy at once: it must not keep the lock of a parent that has ended.
    """

    _held: set[FileLock] = set()

    def __init__(self, path: Path, mode: int = 0o600) -> None:
        self.path, self._mode = path, mode
        self._file = self._opened()

    def _opened(self) -> int:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        try:
            file = os.open(self.path, flags, self._mode)
        except OSError as error:
            raise RingError(f"lock {self.path}: {error.strerror or error}") from None
        info = os.fstat(file)
        why = foreign(info.st_uid) if stat.S_ISREG(info.st_mode) else "is not a file; remove it"
        if why:
            os.close(file)
            raise RingError(f"lock {self.path} {why}")
        return file

    def take(self, retries: int = RETRIES) -> bool:
        """Whether it was free; the holder's process number is written into the file for people."""
        for attempt in range(retries):
            if attempt:
                time.sleep(PAUSE_S)
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            if self._is_at_path():
                break
            os.close(self._file)  # somebody removed the file meanwhile: a lock on it would keep nobody out
            self._file = self._opened()
        else:
            return False
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, str(os.getpid()).encode(), 0)
        FileLock._held.add(self)
        return True

    def _is_at_path(self) -> bool:
        try:
            return os.path.samestat(os.fstat(self._file), os.stat(self.path))
        except OSError:
            return False

    def holder(self) -> int | None:
        """The process that wrote itself into the file."""
        text = os.pread(self._file, 20, 0)
        return int(text) if text.isdigit() else None

    def release(self) -> None:
        """Let go; the file stays."""
        FileLock._held.discard(self)
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def __enter__(self) -> FileLock:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def is_held(path: Path) -> bool:
    """Whether some process holds a lock on the file."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)  # a pipe there must not make anybody wait
    except OSError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return False
    except BlockingIOError:
        return True
    finally:
        os.close(file)


def is_own(user: int) -> bool:
    """Whether this is the user of this process, or root: nobody else may act for it."""
    return user in (os.geteuid(), 0)


def is_trusted(user: int) -> bool:
    """Whether what this user made may be read."""
    if is_own(user):
        return True
    allowed = [word.strip() for word in os.environ.get(OWNERS_VARIABLE, "").split(",") if word.strip()]
    return ANY in allowed or str(user) in allowed or user_name(user) in allowed


def user_name(user: int) -> str:
    """As people know the user; the number where nobody has that number."""
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return str(user)


def foreign(user: int) -> str:
    """Why something of this user is not used, for the end of a sentence; "" where it may be."""
    if is_trusted(user):
        return ""
    name, who = user_name(user), f"user {user}"
    own = os.geteuid()
    return (
        f"belongs to {who if name == str(user) else f'{name} ({who})'}, not to you (user {own}) nor to root; "
        f"remove it, or set {OWNERS_VARIABLE}={name} to trust that user"
    )


def _forget_in_child() -> None:
    for lock in list(FileLock._held):
        lock.release()


os.register_at_fork(after_in_child=_forget_in_child)
