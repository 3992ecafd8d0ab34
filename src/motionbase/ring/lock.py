"""File locks that the system releases with their process, and the users whose files are trusted."""

from __future__ import annotations

import fcntl
import os
import pwd
import stat
import time
from pathlib import Path
from typing import final

from motionbase.errors import RingError

OWNERS_VARIABLE = "MOTIONBASE_RING_OWNERS"  # user names or numbers separated by commas, or `any`
ANY = "any"
RETRIES, PAUSE_S = 5, 0.01  # another process may be testing the lock at this moment


@final
class FileLock:
    """An exclusive lock on a file, released by the system however the process ends.

    A forked child closes its copy at once, so that it does not keep the lock of a parent that has ended.
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
        """Take the lock; False if it is held. The holder's process id is written into the file for display."""
        for attempt in range(retries):
            if attempt:
                time.sleep(PAUSE_S)
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            if self._is_at_path():
                break
            os.close(self._file)  # the file was removed meanwhile: a lock on it would have no effect
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
        """Process id stored in the file."""
        text = os.pread(self._file, 20, 0)
        return int(text) if text.isdigit() else None

    def release(self) -> None:
        """Release the lock; the file stays."""
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
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)  # opening a pipe would block
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
    """Whether this is the user of this process or root; no other user may act for it."""
    return user in (os.geteuid(), 0)


def is_trusted(user: int) -> bool:
    """Whether files of this user may be read."""
    if is_own(user):
        return True
    allowed = [word.strip() for word in os.environ.get(OWNERS_VARIABLE, "").split(",") if word.strip()]
    return ANY in allowed or str(user) in allowed or user_name(user) in allowed


def user_name(user: int) -> str:
    """Name of a user, or the number as text if there is no name."""
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return str(user)


def foreign(user: int) -> str:
    """Why a file of this user is refused, as the end of a sentence; "" if it is accepted."""
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
