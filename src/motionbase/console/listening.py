"""Listening sockets."""

from __future__ import annotations

import errno
import socket

from motionbase.errors import UsageError

QUEUE = 128  # connections waiting to be accepted


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens at an address; an error with one sentence if that fails."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        # asyncio disables Nagle's algorithm only for sockets declared as TCP; with it answers take 40 ms
        made = socket.socket(family, kind, protocol)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            made.bind(address)
            made.listen(QUEUE)
        except OSError:
            made.close()
            raise
        return made
    except OSError as error:
        used = error.errno == errno.EADDRINUSE
        hint = "another console may be there; choose another with --port, or 0 for any" if used else "choose another"
        raise UsageError(f"address {host}:{port} cannot be used: {error.strerror or error}; {hint}") from None
