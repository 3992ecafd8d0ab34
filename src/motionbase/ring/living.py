"""Whether somebody writes a ring, by everything that says so; nothing here needs more than Python."""

from __future__ import annotations

from motionbase.ring.backend import AbstractBackend
from motionbase.ring.lifeline import Role, asked, living
from motionbase.ring.lock import is_held

START = "start a writer, such as motionbase run"


def has_writer(backend: AbstractBackend, *, but_lock: bool = False) -> int | None:
    """The process that writes the ring or is about to, 0 where it cannot be named; None where there is none.

    Args:
        but_lock: whatever the lock file says, which the caller holds
    """
    if (pid := living(backend, Role.WRITER)) is not None:
        return pid
    return 0 if is_held(backend.path) or (not but_lock and is_held(backend.lock_path)) else None


def is_locked(backend: AbstractBackend) -> bool:
    """Whether a writer has the ring that has the name; asks nobody, so it never waits."""
    return is_held(backend.lock_path) or is_held(backend.path)


def is_written(backend: AbstractBackend, epoch: int) -> bool:
    """Whether the writer of this very run lives, whatever became of its lock file and of the ring's name."""
    return is_locked(backend) or is_written_unnamed(backend, epoch)


def is_written_unnamed(backend: AbstractBackend, epoch: int) -> bool:
    """The same by the writer's own word: that of a run whose ring may have no name any more."""
    return any(found.said.get("epoch") == epoch for found in asked(backend, Role.WRITER, {"ask": "who"}))


def unnamed(backend: AbstractBackend) -> str:
    """What is true of a ring that has no name, where a process lives for it all the same; "" where none does."""
    for found in asked(backend, Role.WRITER, {"ask": "who"}):
        if found.said.get("epoch"):
            return f"its name is gone, its writer (process {found.pid}) lives"
        return f"process {found.pid} is about to write it"
    pid = living(backend, Role.SUPERVISOR)
    return "" if pid is None else f"process {pid} is about to start its writer"
