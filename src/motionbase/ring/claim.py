"""What makes a process the one writer of a ring, and by what others see that it lives.

Three things say so, each released by the system whatever ends the process: a lock on the lock file, a lock on the
ring's own file, and the writer's lifeline. The first can be removed with its file, the second is out of reach once the
ring's name is gone; the third has no name that anybody could remove. Whoever wants to write must get all three.

The lifeline also takes emergency stops. Before the ring is there they are kept, and put into it before its first
record; afterwards they go into the ring's own word, which the control law looks at in any case.
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

MOST_KEPT = 64  # names of who asked for a stop before the ring was there


@final
class Claim:
    """Of one process on one ring, from before it compiles anything until it has closed the ring.

    Refused where another process has it, or is about to.

    Args:
        mode: permissions of the ring; who may write it may also stop its writer
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
        """What whoever asks is told, a few words, while there is no record yet: which platform, say."""
        self._about = about

    def lock(self) -> None:
        """Take the lock file, before anything of the ring is touched."""
        lock = FileLock(self._backend.lock_path, self._mode)
        if not lock.take():
            holder = lock.holder()
            lock.release()
            raise taken(self._backend, holder or 0)
        self._lock = lock

    def begin(self, segment: Segment, header: Header) -> None:
        """The ring is there: what was asked for meanwhile is put into it."""
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
        """Let go of all of it."""
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
    """A supervisor's lifeline: keeps the emergency stops that are asked for before its writer lives.

    Attributes:
        also: answers what is no matter of stops; None for what it does not know
    """

    def __init__(self, backend: AbstractBackend) -> None:
        self._kept: list[tuple[float, str]] = []  # when, by the monotonic clock [s], and who
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
        """Stops that were asked for before a time of the monotonic clock [s]: a writer has met them, and ended."""
        self._kept = [(at, who) for at, who in self._kept if at >= before]

    def close(self) -> None:
        """Whoever asks later asks the writer."""
        self._line.close()

    def __enter__(self) -> Waiting:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _forget_in_child() -> None:
    for claim in list(Claim._held):
        claim._forget_in_child()


os.register_at_fork(after_in_child=_forget_in_child)
