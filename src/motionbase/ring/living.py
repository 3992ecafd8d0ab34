"""Whether a ring has a writer, by its locks and lifelines; needs nothing but Python."""

from __future__ import annotations

from motionbase.ring.backend import AbstractBackend
from motionbase.ring.lifeline import Role, asked, living
from motionbase.ring.lock import is_held

START = "start a writer, such as motionbase run"


def has_writer(backend: AbstractBackend, *, but_lock: bool = False) -> int | None:
    """Process that writes the ring or is about to, 0 if its id is unknown; None if there is none.

    Args:
        but_lock: ignore the lock file, because the caller holds it
    """
    if (pid := living(backend, Role.WRITER)) is not None:
        return pid
    return 0 if is_held(backend.path) or (not but_lock and is_held(backend.lock_path)) else None


def is_locked(backend: AbstractBackend) -> bool:
    """Whether a writer holds a lock of the ring that now has the name; sends no request, so it never waits."""
    return is_held(backend.lock_path) or is_held(backend.path)


def is_written(backend: AbstractBackend, epoch: int) -> bool:
    """Whether the writer of this run lives, even if its lock file or the ring's name was removed."""
    return is_locked(backend) or is_written_unnamed(backend, epoch)


def is_written_unnamed(backend: AbstractBackend, epoch: int) -> bool:
    """Whether a writer answers with this epoch on its lifeline, which works even if the ring's name is gone."""
    return any(found.said.get("epoch") == epoch for found in asked(backend, Role.WRITER, {"ask": "who"}))


def unnamed(backend: AbstractBackend) -> str:
    """What processes of a ring exist although it has no name, as text; "" if none."""
    for found in asked(backend, Role.WRITER, {"ask": "who"}):
        if found.said.get("epoch"):
            return f"its name was removed, but its writer (process {found.pid}) is alive"
        return f"process {found.pid} is about to write it"
    pid = living(backend, Role.SUPERVISOR)
    return "" if pid is None else f"process {pid} is about to start its writer"
