"""Sockets of both ends: exact reads that can be stopped, and parsing of addresses."""

from __future__ import annotations

import ipaddress
import socket
import threading
import time
from typing import final

from motionbase.errors import MirrorError

LOOK_S = 0.1  # between checks of the stop event while no data comes


class Stopped(Exception):
    """The stop event was set during a wait."""


@final
class Receiver:
    """Reads an exact number of bytes from a socket; an error if it takes too long.

    Args:
        silence: longest wait between two bytes [s]
        within: time limit for everything, from now [s]; None for no limit
    """

    def __init__(self, link: socket.socket, stop: threading.Event, silence: float, within: float | None = None) -> None:
        self._link, self._stop, self._silence = link, stop, silence
        self._end = float("inf") if within is None else time.monotonic() + within

    def __call__(self, count: int) -> bytes:
        """The next `count` bytes."""
        parts = bytearray()
        self._link.settimeout(LOOK_S)
        heard = time.monotonic()
        while len(parts) < count:
            if self._stop.is_set():
                raise Stopped
            try:
                part = self._link.recv(min(count - len(parts), 1 << 20))
            except TimeoutError:
                if (now := time.monotonic()) - heard > self._silence or now > self._end:
                    raise MirrorError(f"nothing came for {self._silence:g} s") from None
                continue
            if not part:
                raise MirrorError("the other side closed the connection")
            parts += part
            heard = time.monotonic()
            if heard > self._end:
                raise MirrorError("the other side takes too long to say what it wants")
        return bytes(parts)


def address(text: str, what: str) -> tuple[str, int]:
    """Host and port of "host:port" or "[ipv6]:port"."""
    host, colon, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]") if host.startswith("[") else host
    if not colon or not host or not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise MirrorError(f"{what} is {text!r}, it must be HOST:PORT with a port up to 65535, as in 127.0.0.1:7178")
    return host, int(port)


def is_loopback(host: str) -> bool:
    """Whether the host can be reached from this machine only."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
