"""Ports for servers that must have one known beforehand, or the same one again."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def reserved_port() -> Iterator[int]:
    """A free port of 127.0.0.1 that the system gives to nobody else; connections to it are refused.

    A socket is bound to it without listening. The system then chooses this port for no other socket, but a server that
    asks for it by its number, with SO_REUSEADDR as servers do, gets it.
    """
    with socket.socket() as bound:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(("127.0.0.1", 0))
        yield int(bound.getsockname()[1])


def free_udp_port() -> int:
    """A port of 127.0.0.1 that was free a moment ago; the system does not give it out again soon."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
