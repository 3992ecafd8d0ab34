"""Lifelines: each process of a ring (writer, supervisor, stop post) listens on its own abstract Unix socket.

An abstract name is in no folder, and the system keeps it exactly as long as its process lives. So it cannot be removed,
a killed process leaves nothing behind, and a process that is found is alive. The name contains the ring's folder (by
device and inode, so that containers with equal paths differ) and the ring's name. Both sides get the other's process
and user from the system (SO_PEERCRED). A client skips sockets of users whose rings it would not read; a server answers
its own user, root, and users who may write the ring, but not those who may only read it.

Request and answer are one packet each, JSON of at most 4096 bytes. Linux only; elsewhere no process is found.
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
LARGEST = 4096  # largest packet [bytes]
PLACES = 8  # names of one role: other users may occupy some, and a ring may have several supervisors and posts
MOST_WAITING = 32  # connections without a request yet; beyond this the oldest is dropped
ASK_S = 1.0  # longest wait for a packet, on either side
PAUSE_S = 0.05  # after a failed accept for want of a file descriptor
PEER = struct.Struct("3i")  # process, user, group
TIME = struct.Struct("ll")  # seconds, microseconds
GONE_AGAIN = (errno.EAGAIN, errno.ECONNABORTED)
HERE = sys.platform == "linux"


class Role(Enum):
    """Role of a process in the run of a ring."""

    WRITER = "writer"
    SUPERVISOR = "supervisor"
    POST = "post"


class Found(NamedTuple):
    """Answer of a living process.

    Attributes:
        files: open files sent with the answer; the client closes them
    """

    role: Role
    place: int
    pid: int
    said: Message
    files: tuple[int, ...] = ()


class Reply(NamedTuple):
    """An answer, with open files to send."""

    said: Message
    files: tuple[int, ...] = ()


Answer: TypeAlias = Callable[[Message], Reply]


def address(backend: AbstractBackend, role: Role, place: int) -> bytes:
    """Address of a socket; the first byte, 0, makes it abstract."""
    try:
        info = os.stat(backend.path if isinstance(backend, Device) else backend.path.parent)
        where = f"{info.st_dev:x}:{info.st_ino:x}"
    except OSError:
        where = "nowhere"  # no folder, so no ring can exist there
    name = "" if isinstance(backend, Device) else backend.path.name
    return f"\0motionbase/{where}/{name}/{role.value}.{place}".encode()


@final
class Lifeline:
    """Listens in its own thread until it is closed or the process ends; idle between requests.

    Args:
        answer: called in that thread for each request; it must not block
        is_only: raise an error if a process of a trusted user has this role already
        admits: whether to answer a user other than this process's own and root
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
        listening, waiting = self._listening, dict[socket.socket, float]()  # time limit for each request; oldest first
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
            if error.errno not in GONE_AGAIN:  # no descriptor is free: the connection stays queued
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
            except Exception as error:  # keep serving: the next request may be a stop
                reply = Reply({"error": f"{type(error).__name__}: {error}"[:1000]})
            raw = json.dumps(reply.said).encode()
            socket.send_fds(one, [raw[:LARGEST]], list(reply.files))

    def close(self) -> None:
        """Stop listening and free the name."""
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
    """The JSON object in a packet; None if it is anything else."""
    if len(raw) > LARGEST:
        return None
    try:
        said = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return said if isinstance(said, dict) else None


def peer(made: socket.socket) -> tuple[int, int, int]:
    """Process, user and group at the other end, from the system; the process is 0 in another PID namespace."""
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
    """Send a request to every process of a role, one after the other, and yield their answers.

    Args:
        timeout: for each process [s]; one that does not answer in time is still yielded, with an empty answer
        known: role, place and process of those to skip; but: a place to skip
        whose: whether to ask a user's process; `is_own` if the answer is acted on and not only shown
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
    """A process that has a role, found without a request; None if there is none at a place other than `but`."""
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
    """A connection to the process at a place, if there is one and its user is trusted.

    The time limit is that of the system on a blocking socket: with Python's own timeout the socket does not block, and
    connecting fails at once while the other side's queue is full.
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
    """A listening socket on the first free name; None, with a message on stderr, if all are taken.

    Any user of the machine can take these names; that must not keep a base from starting.
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
                made.close()  # two processes started at once on two names, because a third has just freed the first
                raise taken(backend, pid)
            return made, place
        except OSError as error:
            made.close()
            if error.errno != errno.EADDRINUSE:
                raise RingError(f"{backend}: no socket for its {role.value}: {error.strerror or error}") from None
            if is_only and (pid := living(backend, role)) is not None:
                raise taken(backend, pid) from None
    to_stderr(
        f"motionbase: {backend}: all {PLACES} socket names of its {role.value} are taken by other users; it runs "
        "without one, and an emergency stop reaches it only through the ring"
    )
    return None


@final
class Taken(RingError):
    """The ring has a writer already."""


def taken(backend: AbstractBackend, pid: int) -> Taken:
    """The error for a ring that has a writer already."""
    gone = "" if backend.path.exists() else " whose ring's name was removed"
    name = getattr(backend, "name", "device")
    who = f"process {pid}" if pid else "a process that cannot be seen from here"
    return Taken(f"ring {name!r} has a writer already, {who}{gone}; stop it or choose another name")


def _forget_in_child() -> None:
    """A forked child must not keep the names of a parent that has ended."""
    for line in list(Lifeline._open):
        line._forget_in_child()


os.register_at_fork(after_in_child=_forget_in_child)
