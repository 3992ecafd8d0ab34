"""The gate before everything: foreign pages, foreign names of this machine and bodies without end do not get in.

Browsers let any page send requests to loopback addresses. They also say who asks (`Origin`, `Sec-Fetch-Site`), and
which name they believe to talk to (`Host`): a name that an attacker has pointed at this machine is not one of ours.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from typing import final
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from motionbase.console.access import is_loopback

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")
LARGEST_BODY = 1024 * 1024  # bytes
STREAMED = ("/api/recordings/upload",)  # has a limit of its own
HEADERS = {
    "content-security-policy": "default-src 'self'; connect-src 'self'; img-src 'self' data: blob:; "
    "style-src 'self' 'unsafe-inline'; worker-src 'self' blob:; frame-ancestors 'none'; base-uri 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
RAW_HEADERS = [(name.encode(), value.encode()) for name, value in HEADERS.items()]


@final
class Guard:
    """Pure ASGI, for HTTP and WebSocket alike.

    Args:
        host: the address that the server listens on
        allow_hosts: further names by which browsers may call it
    """

    def __init__(self, app: ASGIApp, *, host: str, allow_hosts: Collection[str] = ()) -> None:
        self._app = app
        own = LOOPBACK_NAMES if is_loopback(host) else ("localhost", "127.0.0.1")
        self._names = {name.lower().strip("[]") for name in (host, *own, *allow_hosts)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request, or one WebSocket."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        why = self._foreign(scope)
        if scope["type"] == "websocket":
            if why:
                await receive()
                await send({"type": "websocket.close", "code": 1008, "reason": why})
                return
            await self._app(scope, receive, send)
        elif why:
            await _refuse(send, 403, why)
        else:
            await self._http(scope, receive, send)

    def _foreign(self, scope: Scope) -> str:
        """Why a request is not from our own page; "" where it may be."""
        hosts, origins, sites = (_header(scope, name) for name in (b"host", b"origin", b"sec-fetch-site"))
        if len(hosts) != 1:
            return "a request needs one Host header"
        here = scope.get("server") or ("", 0)
        if _name(hosts[0]) not in self._names | {str(here[0])}:
            return f"{hosts[0]!r:.80} is not a name of this console; open the address it printed, or start it with " \
                   "--allow-host"  # fmt: skip
        for origin in origins:
            parts = _split(origin)
            if parts is None or parts[0] not in ("http", "https") or parts[1].lower() != hosts[0].lower():
                return f"a page of {origin!r:.80} may not use this console"
        if any(site not in ("same-origin", "none") for site in sites) and not _is_link(scope):
            return "a page of another site may not use this console"
        return ""

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = _Body(None if scope["path"] in STREAMED else LARGEST_BODY, _announced(scope))

        async def limited_receive() -> Message:
            message = await receive()
            body.size += len(message.get("body", b""))
            return {"type": "http.disconnect"} if body.is_too_large else message

        async def sealed_send(message: Message) -> None:
            if body.is_too_large and not body.answered:
                return  # what the application makes of half a body is of no interest
            if message["type"] == "http.response.start":
                body.answered = True
                message["headers"] = _sealed(scope, list(message.get("headers", [])))
            await send(message)

        if not body.is_too_large:
            try:
                await self._app(scope, limited_receive, sealed_send)
            except Exception:
                if body.answered or not body.is_too_large:
                    raise
        if body.is_too_large and not body.answered:
            await _refuse(send, 413, f"the request has more than {LARGEST_BODY} bytes, which is all that is taken")


@final
@dataclass
class _Body:
    """Of a request: what it may have, what it is said to have, and what has come [bytes]."""

    limit: int | None
    announced: int
    size: int = 0
    answered: bool = False

    @property
    def is_too_large(self) -> bool:
        return self.limit is not None and max(self.size, self.announced) > self.limit


def _is_link(scope: Scope) -> bool:
    """Somebody followed a link to the page itself: it asks for nothing, and cannot be framed."""
    return (
        scope["type"] == "http"
        and scope["method"] in ("GET", "HEAD")
        and not scope["path"].startswith("/api/")
        and _header(scope, b"sec-fetch-mode") == ["navigate"]
        and _header(scope, b"sec-fetch-dest") == ["document"]
    )


def _sealed(scope: Scope, headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    names = {name.lower() for name, _ in headers}
    if scope["path"].startswith("/api") and b"cache-control" not in names:
        headers.append((b"cache-control", b"no-store"))
    return headers + [(name, value) for name, value in RAW_HEADERS if name not in names]


async def _refuse(send: Send, status: int, why: str) -> None:
    body = json.dumps({"detail": why}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), *RAW_HEADERS]
    await send({"type": "http.response.start", "status": status, "headers": [*headers, (b"connection", b"close")]})
    await send({"type": "http.response.body", "body": body})


def _header(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name]


def _announced(scope: Scope) -> int:
    lengths = _header(scope, b"content-length")
    return int(lengths[0]) if lengths and lengths[0].isdigit() else 0


def _name(host: str) -> str:
    """Of a Host header, without port and brackets; "" where it is none."""
    parts = _split(f"//{host}")
    return (parts[2] or "") if parts is not None else ""


def _split(text: str) -> tuple[str, str, str | None] | None:
    """Scheme, host with port, and host alone."""
    try:
        parts = urlsplit(text)
        return parts.scheme, parts.netloc, parts.hostname
    except ValueError:
        return None
