"""A CAN bus between processes of one machine, for simulated drives: unix datagram sockets that meet in a folder.

Every participant binds a socket in the folder and sends each frame to all others there. Frames do not compete for the
bus, so their order is that of sending. A participant that does not read loses frames; nobody waits for it.
"""

from __future__ import annotations

import os
import secrets
import select
import socket
import stat
import struct
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, final

from motionbase.errors import UsageError
from motionbase.rig.drives.canopen import Frame

if TYPE_CHECKING:
    import can

RECORD = struct.Struct("=HB5x8s")  # identifier, bytes of data, data
MOST_IN_DATAGRAM = 64  # frames; Linux queues ten datagrams for a reader unless it is told otherwise
PREFIX, LONGEST_PATH = "can-", 107  # of a socket's name, and of its path [bytes]
SETTLING = 0.05  # in which two changes of a folder may carry the same time [s]


@final
class LocalBus:
    """A connection to the bus.

    Attributes:
        lost: frames that a participant had no room for
        malformed: datagrams that were none of this bus and were dropped
    """

    def __init__(self, folder: str | Path) -> None:
        self._folder = os.path.abspath(folder)
        self.lost = self.malformed = 0
        self._name = f"{PREFIX}{os.getpid()}-{secrets.token_hex(3)}"
        self._others: dict[str, socket.socket] = {}
        self._received: deque[Frame] = deque()
        self._changed_at, self._settled_at, self._is_sure = -1, 0.0, False
        self._place = _own_folder(self._folder)
        try:
            self._socket = self._bound()
        except BaseException:
            os.close(self._place)
            raise
        self._poll = select.poll()
        self._poll.register(self._socket, select.POLLIN)

    def put(self, frames: Sequence[Frame]) -> None:
        """Send frames to all others."""
        if self._place < 0:
            raise OSError("the local CAN bus is closed")
        self._look()
        for k in range(0, len(frames), MOST_IN_DATAGRAM):
            part = frames[k : k + MOST_IN_DATAGRAM]
            datagram = b"".join([RECORD.pack(frame.id, len(frame.data), frame.data) for frame in part])
            for name, other in list(self._others.items()):
                try:
                    other.send(datagram)
                except (BlockingIOError, InterruptedError):
                    self.lost += len(part)
                except OSError as error:  # it is gone
                    self._forget(name, error)

    def take(self, most: int, wait: float = 0.0) -> list[Frame]:
        """Frames of the others.

        Args:
            most: the rest stays for the next call
            wait: for the first one [s], in whole milliseconds
        """
        if self._place < 0:
            raise OSError("the local CAN bus is closed")
        if wait > 0.0 and not self._received:
            self._poll.poll(wait * 1e3)
        for _ in range(most):
            if len(self._received) >= most:
                break
            try:
                self._received += self._read(self._socket.recv(MOST_IN_DATAGRAM * RECORD.size + 1))
            except (BlockingIOError, InterruptedError):
                break
        return [self._received.popleft() for _ in range(min(most, len(self._received)))]

    def send(self, msg: can.Message, timeout: float | None = None) -> None:
        """Send a message of python-can; this bus has short identifiers, and data frames only."""
        if msg.is_extended_id or msg.is_remote_frame or msg.is_error_frame or msg.is_fd:
            raise OSError("the local CAN bus carries data frames with identifiers of 11 bits only")
        self.put([Frame(msg.arbitration_id, bytes(msg.data))])

    def recv(self, timeout: float | None = None) -> can.Message | None:
        """The next message, None if there is none in time; without a limit it waits."""
        import can

        wait = 3600.0 if timeout is None else timeout
        while not (frames := self.take(1, wait)) and timeout is None:
            pass
        return can.Message(arbitration_id=frames[0].id, data=frames[0].data, is_extended_id=False) if frames else None

    def fileno(self) -> int:
        """For a poll: readable when frames have come."""
        return self._socket.fileno()

    def shutdown(self) -> None:
        """Leave the bus; twice does no harm."""
        if self._place < 0:
            return
        with suppress(FileNotFoundError):
            os.unlink(self._name, dir_fd=self._place)
        for other in self._others.values():
            other.close()
        self._others.clear()
        self._socket.close()
        os.close(self._place)
        self._place = -1

    def _bound(self) -> socket.socket:
        """A socket that takes its final name when it is complete; until then nobody takes it for a dead one."""
        path = os.path.join(self._folder, self._name)
        hidden = os.path.join(self._folder, "." + self._name)
        if len(os.fsencode(hidden)) > LONGEST_PATH:
            room = LONGEST_PATH - len(os.fsencode(hidden)) + len(os.fsencode(self._folder))
            raise UsageError(
                f"local CAN bus: folder {self._folder!r} has a path of {len(os.fsencode(self._folder))} bytes, "
                f"names of sockets have room for {room}"
            )
        made = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            made.bind(hidden)
            os.rename(hidden, path)
            made.setblocking(False)
        except OSError as error:
            made.close()
            raise UsageError(f"local CAN bus: no socket can be made in {self._folder!r}: {error.strerror}") from None
        return made

    def _look(self) -> None:
        """Connect to who has come, if the folder has changed.

        Times of a folder have steps of some milliseconds, so a change is looked at again when others have other times.
        """
        changed_at, now = os.fstat(self._place).st_mtime_ns, time.monotonic()
        if changed_at != self._changed_at:
            self._changed_at, self._settled_at, self._is_sure = changed_at, now + SETTLING, False
        if self._is_sure:
            return
        self._is_sure = now > self._settled_at
        for name in os.listdir(self._place):
            if name.startswith(PREFIX) and name != self._name and name not in self._others:
                self._meet(name)

    def _meet(self, name: str) -> None:
        """A socket of its own for each participant: a full one takes no room from the others."""
        other = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        other.setblocking(False)
        self._others[name] = other
        try:
            if not stat.S_ISSOCK(os.stat(name, dir_fd=self._place, follow_symlinks=False).st_mode):
                raise OSError
            other.connect(os.path.join(self._folder, name))
        except OSError as error:
            self._forget(name, error)

    def _forget(self, name: str, error: OSError) -> None:
        """A participant that is gone; what a dead process left in the folder is removed."""
        self._others.pop(name).close()
        if isinstance(error, ConnectionRefusedError):
            with suppress(OSError):
                os.unlink(name, dir_fd=self._place)

    def _read(self, datagram: bytes) -> list[Frame]:
        if not datagram or len(datagram) % RECORD.size:
            self.malformed += 1
            return []
        records = list(RECORD.iter_unpack(datagram))
        if any(identifier > 0x7FF or size > 8 for identifier, size, _ in records):
            self.malformed += 1
            return []
        return [Frame(identifier, data[:size]) for identifier, size, data in records]


def _own_folder(folder: str) -> int:
    """The open folder of a bus; only its owner may enter it."""
    try:
        place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise UsageError(f"local CAN bus: folder {folder!r} cannot be used: {error.strerror}") from None
    found = os.fstat(place)
    if found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) & 0o077:
        os.close(place)
        raise UsageError(
            f"local CAN bus: folder {folder!r} belongs to user {found.st_uid} and has mode "
            f"{stat.S_IMODE(found.st_mode):04o}; it must be yours (user {os.geteuid()}) with mode 0700"
        )
    return place
