"""Lifelines: every process that lives for a ring (writer, supervisor, stop post) listens on a Unix socket of its own.

The socket's name is abstract: the system keeps it for as long as its process lives, and in no folder. So nobody can
remove it, nothing is left of a process that was killed, and one that is found is alive. The name has the ring's folder
(by device and inode, so that another folder of the same path is another) and the ring's own name. Who is at the other
end is the system's word (SO_PEERCRED), on both sides. Whoever asks passes over a socket of a user whose rings it would
not read; whoever answers hears its own user, root, and those who may write the ring, however many are trusted to read.

One packet asks, one answers, both JSON of at most 4096 bytes. Linux only; elsewhere nobody is found.
"""

from __future__ import annotations

import errno
import json
import os
import selectors
import socket
import struct
import sys
import threading
import time
import weakref
from collections.abc import Callable, Container, Iterator
from contextlib import suppress
from enum import Enum
from typing import Any, NamedTuple, TypeAlias, final

from motionbase.errors import RingError
from motionbase.ring.backend import AbstractBackend, Device
from motionbase.ring.lock import is_own, is_trusted
from motionbase.ring.printer import to_stderr

Message: TypeAlias = dict[str, Any]
LARGEST = 4096  # [bytes] of a packet
PLACES = 8  # names of one role: other users may sit on some, and a ring may have several supervisors and posts
MOST_WAITING = 32  # connections that have not asked yet; one more, and the oldest goes
ASK_S = 1.0  # within which a packet has come, on either side
PAUSE_S = 0.05  # after a connection that this process has no descriptor for
PEER = struct.Struct("3i")  # process, user, group
TIME = struct.Struct("ll")  # seconds, microseconds
GONE_AGAIN = (errno.EAGAIN, errno.ECONNABORTED)
HERE = sys.platform == "linux"


class Role(Enum):
    """What a process is to a ring."""

    WRITER = "writer"
    SUPERVISOR = "supervisor"
    POST = "post"


class Found(NamedTuple):
    """What somebody who lives answered.

    Attributes:
        files: open files that came along; whoever asked closes them
    """

    role: Role
    place: int
    pid: int
    said: Message
    files: tuple[int, ...] = ()


class Reply(NamedTuple):
    """An answer, with open files that go along."""

    said: Message
    files: tuple[int, ...] = ()


Answer: TypeAlias = Callable[[Message], Reply]


def address(backend: AbstractBackend, role: Role, place: int) -> bytes:
    """Of a socket; the first byte, 0, is what makes it abstract."""
    try:
        info = os.stat(backend.path if isinstance(backend, Device) else backend.path.parent)
        where = f"{info.st_dev:x}:{info.st_ino:x}"
    except OSError:
        where = "nowhere"  # no folder: no ring can be made there
    name = "" if isinstance(backend, Device) else backend.path.name
    return f"\0motionbase/{where}/{name}/{role.value}.{place}".encode()


@final
class Lifeline:
    """Listens in a thread of its own until it is closed or the process ends; it costs nothing while nobody asks.

    Args:
        answer: to each request, in that thread; it must not wait
        is_only: refuse where a process of a user we trust has this role already
        admits: whether a user may ask who is neither the own one nor root
    """

    _open: weakref.WeakSet[Lifeline] = weakref.WeakSet()

    def __init__(
        self,
        backend: AbstractBackend,
        role: Role,
        answer: Answer,
        *,
        is_only: bool = False,
        admits: Callable[[int, int], bool] = lambda _user, _group: False,
    ) -> None:
        self._answer, self._admits = answer, admits
        self._listening: socket.socket | None = None
        self.place = -1
        if HERE and (bound := _bound(backend, role, is_only)) is not None:
            self._listening, self.place = bound
        self._wake, self._woken = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK) if self._listening else (-1, -1)
        self._thread = threading.Thread(target=self._serve, name=f"motionbase {role.value} line", daemon=True)
        Lifeline._open.add(self)
        if self._listening is not None:
            self._thread.start()

    def _serve(self) -> None:
        listening, waiting = self._listening, dict[socket.socket, float]()  # until when each may ask; oldest first
        assert listening is not None
        with selectors.DefaultSelector() as ready:
            ready.register(self._wake, selectors.EVENT_READ)
            ready.register(listening, selectors.EVENT_READ)
            while True:
                wait = max(0.0, min(waiting.values()) - time.monotonic()) if waiting else None
                events = [key.fileobj for key, _ in ready.select(wait)]
                if self._wake in events:
                    break
                for one in [one for one in waiting if one in events]:
                    ready.unregister(one)
                    del waiting[one]
                    self._reply(one)
                if listening in events and (made := self._welcomed(listening)) is not None:
                    waiting[made] = time.monotonic() + ASK_S
                    ready.register(made, selectors.EVENT_READ)
                late = [one for one, until in waiting.items() if until <= time.monotonic()]
                for one in [*late, *(list(waiting)[:1] if len(waiting) > MOST_WAITING else [])]:
                    if waiting.pop(one, None) is not None:
                        ready.unregister(one)
                        one.close()
        for one in waiting:
            one.close()
        for end in (self._wake, self._woken):
            os.close(end)

    def _welcomed(self, listening: socket.socket) -> socket.socket | None:
        try:
            made, _ = listening.accept()
        except OSError as error:
            if error.errno not in GONE_AGAIN:  # no descriptor is free: it still waits, and would wake us at once
                time.sleep(PAUSE_S)
            return None
        made.setblocking(False)
        _, user, group = peer(made)
        if is_own(user) or self._admits(user, group):
            return made
        made.close()
        return None

    def _reply(self, one: socket.socket) -> None:
        with one, suppress(OSError):
            said = message(one.recv(LARGEST + 1))
            try:
                reply = self._answer(said) if said is not None else Reply({"error": "this is no request"})
            except Exception as error:  # whatever it is, the next one may be a stop
                reply = Reply({"error": f"{type(error).__name__}: {error}"[:1000]})
            raw = json.dumps(reply.said).encode()
            socket.send_fds(one, [raw[:LARGEST]], list(reply.files))

    def close(self) -> None:
        """Let go of the name."""
        Lifeline._open.discard(self)
        if self._listening is None:
            return
        with suppress(OSError):
            os.write(self._woken, b"\0")
        if self._thread is not threading.current_thread():
            self._thread.join(ASK_S)
        self._listening.close()  # the name is free from here on
        self._listening = None

    def _forget_in_child(self) -> None:
        if self._listening is not None:
            self._listening.close()
            self._listening = None


def message(raw: bytes) -> Message | None:
    """A packet that is a JSON object; None where it is anything else."""
    if len(raw) > LARGEST:
        return None
    try:
        said = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return said if isinstance(said, dict) else None


def peer(made: socket.socket) -> tuple[int, int, int]:
    """Process, user and group at the other end, as the system says; the process is 0 where it is in another world."""
    found = PEER.unpack(made.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, PEER.size))
    return found[0], found[1], found[2]


def asked(
    backend: AbstractBackend,
    role: Role,
    request: Message,
    timeout: float = ASK_S,
    known: Container[tuple[Role, int, int]] = (),
    but: int = -1,
    whose: Callable[[int], bool] = is_trusted,
) -> Iterator[Found]:
    """What everybody of a role answers, one after the other.

    Args:
        timeout: who is silent for longer [s] has said nothing, and is found all the same
        known: role, place and process of who is not asked; but: the place of who is not asked either
        whose: the users who are asked; `is_own` where what they say is acted on, not only read
    """
    if not HERE:
        return
    for place in range(PLACES):
        if place == but or (made := _connected(backend, role, place, timeout, whose)) is None:
            continue
        files: tuple[int, ...] = ()
        with made:
            pid = peer(made)[0]
            if (role, place, pid) in known:
                continue
            try:
                made.send(json.dumps(request).encode())
                raw, got, _, _ = socket.recv_fds(made, LARGEST + 1, PLACES, socket.MSG_CMSG_CLOEXEC)
                files = tuple(got)
            except OSError:
                raw = b""
        said = message(raw)
        if said is None:
            for file in files:
                os.close(file)
            said, files = {}, ()
        yield Found(role, place, pid, said, files)


def living(backend: AbstractBackend, role: Role, but: int = -1) -> int | None:
    """The process that has a role, without asking it anything; None where nobody has, on another place than `but`."""
    for place in range(PLACES) if HERE else ():
        if place != but and (made := _connected(backend, role, place)) is not None:
            with made:
                return peer(made)[0]
    return None


def _connected(
    backend: AbstractBackend,
    role: Role,
    place: int,
    timeout: float = ASK_S,
    whose: Callable[[int], bool] = is_trusted,
) -> socket.socket | None:
    """A connection to who has a name and is trusted.

    The system keeps the time, on a socket that blocks: one of Python's own with a timeout is refused at once where a
    crowd has filled the queue of the other side.
    """
    made = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET | socket.SOCK_CLOEXEC)
    try:
        seconds, rest = divmod(timeout, 1.0)
        for option in (socket.SO_SNDTIMEO, socket.SO_RCVTIMEO):
            made.setsockopt(socket.SOL_SOCKET, option, TIME.pack(int(seconds), max(1, int(1e6 * rest))))
        made.connect(address(backend, role, place))
        if whose(peer(made)[1]):
            return made
    except OSError:
        pass
    made.close()
    return None


def _bound(backend: AbstractBackend, role: Role, is_only: bool) -> tuple[socket.socket, int] | None:
    """A socket that listens, on the first name that is free; None, with a sentence on stderr, where none is.

    Any user of the machine can take these names, and must not keep a base from starting by it.
    """
    if is_only and (pid := living(backend, role)) is not None:
        raise taken(backend, pid)
    for place in range(PLACES):
        made = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET | socket.SOCK_CLOEXEC)
        try:
            made.bind(address(backend, role, place))
            made.listen(MOST_WAITING)
            made.setblocking(False)
            if is_only and (pid := living(backend, role, but=place)) is not None:
                made.close()  # two began at once, on two names, because a third has just left the first
                raise taken(backend, pid)
            return made, place
        except OSError as error:
            made.close()
            if error.errno != errno.EADDRINUSE:
                raise RingError(f"{backend}: no socket for its {role.value}: {error.strerror or error}") from None
            if is_only and (pid := living(backend, role)) is not None:
                raise taken(backend, pid) from None
    to_stderr(
        f"motionbase: {backend}: all {PLACES} socket names of its {role.value} are taken by others; it goes on without "
        "one, and an emergency stop reaches it by the ring alone"
    )
    return None


@final
class Taken(RingError):
    """Somebody writes the ring."""


def taken(backend: AbstractBackend, pid: int) -> Taken:
    """There is a writer already."""
    gone = "" if backend.path.exists() else " whose ring's name was removed"
    name = getattr(backend, "name", "device")
    who = f"process {pid}" if pid else "a process that cannot be seen from here"
    return Taken(f"ring {name!r} has a writer already, {who}{gone}; stop it or choose another name")


def _forget_in_child() -> None:
    """A forked child must not keep the names of a parent that has ended."""
    for line in list(Lifeline._open):
        line._forget_in_child()


os.register_at_fork(after_in_child=_forget_in_child)
