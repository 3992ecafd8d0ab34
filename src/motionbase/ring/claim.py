"""A process's claim to be the one writer of a ring, which also shows others that it lives.

A claim has three parts, each released by the system however the process ends: a lock on the lock file, a lock on the
ring's own file, and the writer's lifeline. The first is lost if the lock file is removed, the second cannot be found
if the ring's file is removed; the third has no file. A writer must get all three.

The lifeline also takes emergency stops. Before the ring exists they are kept, and put into it before its first record;
afterwards they go into the ring's stop word, which the control law polls.
"""

from __future__ import annotations

import os
import struct
import threading
import time
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, final

from motionbase.native.atomics import atomics
from motionbase.ring.backend import AbstractBackend
from motionbase.ring.command_words import BY_AT, ESTOP_AT, READY_AT, READY_WORD, asked_again, signature
from motionbase.ring.glance import shows_stop
from motionbase.ring.lifeline import Lifeline, Message, Reply, Role, asked, taken
from motionbase.ring.lock import FileLock, is_own

if TYPE_CHECKING:
    from motionbase.ring.layout import Header
    from motionbase.ring.segment import Segment

MOST_KEPT = 64  # names of clients that requested a stop before the ring existed


@final
class Claim:
    """The claim of one process to one ring, held from before it compiles anything until it has closed the ring.

    Refused if another process has the claim or is taking it.

    Args:
        mode: permissions of the ring; users who may write it may also stop its writer
    """

    _held: weakref.WeakSet[Claim] = weakref.WeakSet()

    def __init__(self, backend: AbstractBackend, mode: int = 0o600) -> None:
        self._backend, self._mode, self._guard = backend, mode, threading.Lock()
        self._kept: list[str] = []
        self._about: Message = {}
        self._ring: tuple[Segment, Header] | None = None
        self._lock: FileLock | None = None
        self._line = Lifeline(backend, Role.WRITER, self._answer, is_only=True, admits=self._admits)
        Claim._held.add(self)

    def _admits(self, _user: int, group: int) -> bool:
        return bool(self._mode & 0o002) or (bool(self._mode & 0o020) and group == os.getegid())

    def tell(self, **about: str | float) -> None:
        """Set the details that `who` answers while there is no record yet, such as the platform."""
        self._about = about

    def lock(self) -> None:
        """Take the lock file; must come before any access to the ring."""
        lock = FileLock(self._backend.lock_path, self._mode)
        if not lock.take():
            holder = lock.holder()
            lock.release()
            raise taken(self._backend, holder or 0)
        self._lock = lock

    def begin(self, segment: Segment, header: Header) -> None:
        """Attach to the new ring and put the stops requested so far into it."""
        with self._guard:
            self._ring = segment, header
            lines = asked(self._backend, Role.SUPERVISOR, {"ask": "stops"}, whose=is_own)
            told = [found.said.get("stops") for found in lines]
            waiting = [str(who) for stops in told if isinstance(stops, list) for who in stops]
            for who in (self._kept + waiting)[:MOST_KEPT]:
                self._raise(who)

    def _raise(self, who: str) -> None:
        assert self._ring is not None
        segment, header = self._ring
        at = header.layout.commands_at
        segment.memory[at + BY_AT : at + BY_AT + len(signature(who))] = signature(who)
        (stops,) = struct.unpack_from("<Q", segment.memory, at + ESTOP_AT)
        atomics().store_release(segment.address + at + ESTOP_AT, asked_again(stops))

    def _answer(self, request: Message) -> Reply:
        with self._guard:
            match request.get("ask"):
                case "who":
                    return Reply(self._state())
                case "stop":
                    who = str(request.get("by", ""))[:64]
                    if self._ring is not None:
                        self._raise(who)
                    elif len(self._kept) < MOST_KEPT:
                        self._kept.append(who)
                    return Reply({"stopped": True, **self._state()})
                case _:
                    return Reply({"error": "a writer answers `who` and `stop`"})

    def _state(self) -> Message:
        if self._ring is None:
            return {"pid": os.getpid(), "epoch": 0, "head": 0, "takes": False, "acts": False, "about": self._about}
        segment, header = self._ring
        layout, head = header.layout, segment.head
        (ready,) = struct.unpack_from("<Q", segment.memory, layout.commands_at + READY_AT)
        return {
            "pid": os.getpid(),
            "epoch": header.epoch,
            "head": head,
            "takes": ready == READY_WORD,
            "acts": bool(head) and shows_stop(segment.memory, header, head),
        }

    def release(self) -> None:
        """Release both locks and the lifeline."""
        Claim._held.discard(self)
        if self._lock is not None:
            self._lock.release()
        if self._ring is not None:
            self._ring[0].unlock()
        self._line.close()

    def _forget_in_child(self) -> None:
        if self._ring is not None:
            self._ring[0].unlock()


@final
class Waiting:
    """A supervisor's lifeline: keeps the emergency stops requested before its writer runs.

    Attributes:
        also: answers other requests; returns None for unknown ones
    """

    def __init__(self, backend: AbstractBackend) -> None:
        self._kept: list[tuple[float, str]] = []  # monotonic time [s] and name of the client
        self.also: Callable[[Message], Reply | None] = lambda _: None
        self._line = Lifeline(backend, Role.SUPERVISOR, self._answer)

    def _answer(self, request: Message) -> Reply:
        match request.get("ask"):
            case "stop":
                if len(self._kept) < MOST_KEPT:
                    self._kept.append((time.monotonic(), str(request.get("by", ""))[:64]))
                return Reply({"stopped": True, "pid": os.getpid()})
            case "stops":
                return Reply({"stops": [who for _, who in self._kept]})
            case _:
                return self.also(request) or Reply({"error": "a supervisor answers `stop`, `stops`, `run` and `start`"})

    def forget(self, before: float) -> None:
        """Forget stops requested before a monotonic time [s]: a writer that has since ended has received them."""
        self._kept = [(at, who) for at, who in self._kept if at >= before]

    def close(self) -> None:
        """Close the lifeline; later stops go to the writer."""
        self._line.close()

    def __enter__(self) -> Waiting:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _forget_in_child() -> None:
    for claim in list(Claim._held):
        claim._forget_in_child()


os.register_at_fork(after_in_child=_forget_in_child)
