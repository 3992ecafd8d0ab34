"""Sockets of the link."""

from __future__ import annotations

import ipaddress
import socket

from motionbase.errors import UsageError
from motionbase.host.url import Udp

BUFFER = 1 << 18  # [bytes] that the system keeps for us


def bound(url: Udp) -> socket.socket:
    """A socket that listens where the URL says and never blocks; raises `UsageError` if that cannot be."""
    made = socket.socket(family_of(url.address), socket.SOCK_DGRAM)
    try:
        made.setblocking(False)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
        made.bind((url.address, url.port))
    except OSError as error:
        made.close()
        raise UsageError(f"{url.text!r}: cannot listen at UDP port {url.port}: {error.strerror or error}") from None
    return made


def family_of(address: str) -> socket.AddressFamily:
    """IPv4 or IPv6."""
    return socket.AF_INET6 if ipaddress.ip_address(address).version == 6 else socket.AF_INET
