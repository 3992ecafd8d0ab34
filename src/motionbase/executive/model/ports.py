"""UDP ports of a model and its controller, on this machine alone."""

from __future__ import annotations

import socket
from contextlib import suppress

from motionbase.errors import UsageError

HOST = "127.0.0.1"


def bound(port: int) -> socket.socket:
    """A socket of this machine's own, which does not block; a sentence if the port is taken."""
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        made.bind((HOST, port))
    except OSError as error:
        made.close()
        raise UsageError(f"UDP port {port} of {HOST} cannot be had: {error.strerror}; choose another port") from None
    made.setblocking(False)
    return made


def free_ports(first: int, tries: int = 200) -> int:
    """A port from `first` on that is free together with the next one."""
    for port in range(first, first + 2 * tries, 2):
        with suppress(UsageError):
            for n in (port, port + 1):
                bound(n).close()
            return port
    raise UsageError(f"no two free UDP ports from {first} on; name one with --control-port")
