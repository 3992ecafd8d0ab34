"""Checks the origin of requests and the host name by which browsers address this machine.

Browsers let any page send requests to loopback addresses. They also send the page's origin (`Origin`,
`Sec-Fetch-Site`) and the host name that they use (`Host`): a name that an attacker has pointed at this machine is not
one of ours.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Collection, Sequence
from urllib.parse import SplitResult, urlsplit

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")
PORTS = {"http": 80, "https": 443}  # default ports, which browsers leave out
ANOTHER_SITE = "a page of another site may not use this console"


def is_loopback(host: str) -> bool:
    """Whether an address to listen on can be reached from this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def own_names(host: str, allow_hosts: Collection[str] = ()) -> frozenset[str]:
    """Host names of a server on an address."""
    own = LOOPBACK_NAMES if is_loopback(host) else ("localhost", "127.0.0.1")
    return frozenset(name.lower().strip("[]") for name in (host, *own, *allow_hosts))


def foreign_host(hosts: Sequence[str], names: Collection[str]) -> str:
    """Why the Host headers of a request are refused; "" if they are one of our names."""
    if len(hosts) != 1:
        return "a request needs one Host header"
    if host_name(hosts[0]) not in names:
        return f"{hosts[0]!r:.80} is not a name of this console; open the address it printed, or start it with " \
               "--allow-host"  # fmt: skip
    return ""


def foreign_origin(origins: Sequence[str], host: str, port: int | None = None) -> str:
    """Why a page of these origins is refused; "" if it is our own.

    Args:
        origins: of the request, none if it does not come from a page
        host: its one Host header
        port: of the page, if that differs from the request's
    """
    for origin in origins:
        parts = _split(origin)
        if parts is None or parts.scheme not in PORTS or not _is_ours(parts, host, port):
            return f"a page of {origin!r:.80} may not use this console"
    return ""


def host_name(host: str) -> str:
    """Name in a Host header, without port and brackets; "" if invalid."""
    parts = _split(f"//{host}")
    return (parts.hostname or "") if parts is not None else ""


def _is_ours(origin: SplitResult, host: str, port: int | None) -> bool:
    if port is None:
        return origin.netloc.lower() == host.lower()
    try:
        asked_from = origin.port or PORTS[origin.scheme]
    except ValueError:
        return False
    bare = not (origin.username or origin.password or origin.path or origin.query or origin.fragment)
    return bare and origin.hostname == host_name(host) and asked_from == port


def _split(text: str) -> SplitResult | None:
    try:
        parts = urlsplit(text)
        parts.hostname  # noqa: B018  raises for an invalid name
        return parts
    except ValueError:
        return None
