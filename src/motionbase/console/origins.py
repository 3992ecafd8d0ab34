"""Who asks, as browsers say it, and by which name they call this machine.

Browsers let any page send requests to loopback addresses. They also say who asks (`Origin`, `Sec-Fetch-Site`), and
which name they believe to talk to (`Host`): a name that an attacker has pointed at this machine is not one of ours.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Collection, Sequence
from urllib.parse import SplitResult, urlsplit

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")
PORTS = {"http": 80, "https": 443}  # that browsers leave out
ANOTHER_SITE = "a page of another site may not use this console"


def is_loopback(host: str) -> bool:
    """Whether an address to listen on can be reached from this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def own_names(host: str, allow_hosts: Collection[str] = ()) -> frozenset[str]:
    """By which a server on an address may be called."""
    own = LOOPBACK_NAMES if is_loopback(host) else ("localhost", "127.0.0.1")
    return frozenset(name.lower().strip("[]") for name in (host, *own, *allow_hosts))


def foreign_host(hosts: Sequence[str], names: Collection[str]) -> str:
    """Why the Host headers of a request are not one name of ours; "" where they are."""
    if len(hosts) != 1:
        return "a request needs one Host header"
    if host_name(hosts[0]) not in names:
        return f"{hosts[0]!r:.80} is not a name of this console; open the address it printed, or start it with " \
               "--allow-host"  # fmt: skip
    return ""


def foreign_origin(origins: Sequence[str], host: str, port: int | None = None) -> str:
    """Why a page of these origins may not ask here; "" where it is our own.

    Args:
        origins: of the request, none where no page asks
        host: of its one Host header
        port: of the page where that is another one than the request's
    """
    for origin in origins:
        parts = _split(origin)
        if parts is None or parts.scheme not in PORTS or not _is_ours(parts, host, port):
            return f"a page of {origin!r:.80} may not use this console"
    return ""


def host_name(host: str) -> str:
    """Of a Host header, without port and brackets; "" where it is none."""
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
        parts.hostname  # noqa: B018  may be refused as well
        return parts
    except ValueError:
        return None
