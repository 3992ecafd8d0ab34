"""A serial port: raw, for one process alone, and never waiting; and a link that opens it again."""

from __future__ import annotations

import fcntl
import os
import termios
from collections.abc import Callable
from typing import Protocol, final

from motionbase.errors import MotionBaseError, UsageError

MOST_BYTES = 1024  # that are read in one cycle: 20 ms of a full line; controllers answer with a few dozen
RETRY = 0.2  # [s] between attempts to open a lost port


class SerialError(MotionBaseError):
    """The port cannot be opened, send or receive; the message says why."""


class Port(Protocol):
    """A serial line; its methods return at once and raise `SerialError`."""

    @property
    def name(self) -> str:
        """For people."""
        ...

    def read(self) -> bytes:
        """What has arrived, at most `MOST_BYTES`."""
        ...

    def write(self, data: bytes) -> None:
        """Send."""
        ...

    def close(self) -> None:
        """Release the line; a second call does nothing."""
        ...


@final
class SerialPort:
    """A serial device: 8 bits, no parity, one stop bit, no flow control."""

    def __init__(self, path: str, baud: int) -> None:
        self.name = path
        speed = getattr(termios, f"B{baud}", None)
        if speed is None:
            raise UsageError(f"serial port {path}: {baud} baud is not available on this system")
        self._fd = -1
        try:
            self._fd = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)  # keeps out our own processes, those of root too
            fcntl.ioctl(self._fd, termios.TIOCEXCL)  # keeps out other programs
            _make_raw(self._fd, speed)
            termios.tcflush(self._fd, termios.TCIOFLUSH)
        except BlockingIOError:
            self.close()
            raise SerialError(f"serial port {path} is in use by another process") from None
        except (OSError, termios.error) as error:
            self.close()
            raise SerialError(f"serial port {path} cannot be opened: {_reason(error)}") from None

    def read(self) -> bytes:
        """What has arrived."""
        try:
            data = os.read(self._fd, MOST_BYTES)
        except BlockingIOError:
            return b""
        except OSError as error:
            raise SerialError(f"serial port {self.name} does not receive: {_reason(error)}") from None
        if not data:
            raise SerialError(f"serial port {self.name} is unplugged")
        return data

    def write(self, data: bytes) -> None:
        """Send; a line that takes only a part counts as broken, because the rest would be late."""
        try:
            sent = os.write(self._fd, data)
        except BlockingIOError:
            sent = 0
        except OSError as error:
            raise SerialError(f"serial port {self.name} does not send: {_reason(error)}") from None
        if sent < len(data):
            raise SerialError(f"serial port {self.name} does not send: its buffer is full")

    def close(self) -> None:
        """Release the device; its last bytes are still sent."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def _make_raw(fd: int, speed: int) -> None:
    """Without HUPCL, because a falling DTR line resets an Arduino."""
    characters: list[bytes | int] = [b"\0"] * len(termios.tcgetattr(fd)[6])
    characters[termios.VMIN], characters[termios.VTIME] = 1, 0  # so that an empty read means unplugged
    control = termios.CS8 | termios.CREAD | termios.CLOCAL
    attributes: list[int | list[bytes | int]] = [0, 0, control, 0, speed, speed, characters]
    termios.tcsetattr(fd, termios.TCSANOW, attributes)


def _reason(error: OSError | termios.error) -> str:
    return str(error.args[-1]).lower() if error.args else type(error).__name__


@final
class Link:
    """A port that is opened again when it was lost.

    Attributes:
        why: what is wrong, empty if nothing is
        opened: how many times the port was opened
    """

    def __init__(self, open_port: Callable[[], Port]) -> None:
        """Opens the port; raises `SerialError` if that fails this first time."""
        self._open, self._port = open_port, open_port()
        self.name, self.why, self.opened = self._port.name, "", 1
        self._retry_at = -float("inf")

    def read(self, now: float, reopen: bool) -> bytes:
        """What has arrived; a lost port is opened again if that is allowed, because it takes a few milliseconds."""
        try:
            if self.why and reopen and now >= self._retry_at:
                self._retry_at = now + RETRY
                self._port.close()
                self._port = self._open()
                self.why, self.opened = "", self.opened + 1
            return b"" if self.why else self._port.read()
        except SerialError as error:
            self.why = str(error)
            return b""

    def write(self, data: bytes) -> None:
        """Send, unless the port is lost."""
        try:
            if data and not self.why:
                self._port.write(data)
        except SerialError as error:
            self.why = str(error)

    def close(self) -> None:
        """Release the port."""
        self._port.close()
