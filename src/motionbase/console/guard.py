"""First check of every request: refuses other sites' pages, unknown host names and unlimited bodies."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from motionbase.console.bodies import Body, Refusal, announced
from motionbase.console.origins import ANOTHER_SITE, foreign_host, foreign_origin, host_name

STREAMED = ("/api/recordings/upload",)  # limited separately
POLICY = (
    "default-src 'self'; connect-src 'self'{post}; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; "
    "worker-src 'self' blob:; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = {
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
    """ASGI middleware for HTTP and WebSocket.

    Args:
        names: host names of the server
        stop_port: of the stop post, the only other address that the page may use; None if there is none
    """

    def __init__(
        self, app: ASGIApp, *, names: frozenset[str], stop_port: Callable[[], int | None] = lambda: None
    ) -> None:
        self._app, self._names, self._stop_port = app, names, stop_port

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request or one WebSocket."""
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
            await _refuse(send, Refusal(403, why))
        else:
            await self._http(scope, receive, send)

    def _foreign(self, scope: Scope) -> str:
        """Why a request cannot be from our own page; "" if it may be."""
        hosts, origins, sites = (_header(scope, name) for name in (b"host", b"origin", b"sec-fetch-site"))
        here = scope.get("server") or ("", 0)
        if why := foreign_host(hosts, self._names | {str(here[0])}) or foreign_origin(origins, hosts[0]):
            return why
        if any(site not in ("same-origin", "none") for site in sites) and not _is_link(scope):
            return ANOTHER_SITE
        return ""

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = Body(receive, announced(_header(scope, b"content-length")), scope["path"] in STREAMED)
        is_answered = False

        async def sealed_send(message: Message) -> None:
            nonlocal is_answered
            if body.refusal and not is_answered:
                return  # the application's answer to a partial body is dropped
            if message["type"] == "http.response.start":
                is_answered = True
                message["headers"] = self._sealed(scope, list(message.get("headers", [])))
            await send(message)

        if body.refusal is None:
            try:
                await self._app(scope, body.receive, sealed_send)
            except Exception:
                if is_answered or body.refusal is None:
                    raise
        if not is_answered and (refusal := body.refusal):
            await _refuse(send, refusal)

    def _sealed(self, scope: Scope, headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        names = {name.lower() for name, _ in headers}
        if scope["path"].startswith("/api") and b"cache-control" not in names:
            headers.append((b"cache-control", b"no-store"))
        policy = POLICY.format(post=self._post(_header(scope, b"host")[0])).encode()
        sealed = [*RAW_HEADERS, (b"content-security-policy", policy)]
        return headers + [(name, value) for name, value in sealed if name not in names]

    def _post(self, host: str) -> str:
        """Source of the stop post in the policy of a page opened under this name, which has been checked."""
        port, name = self._stop_port(), host_name(host)
        return f" http://{name}:{port}" if port is not None and ":" not in name else ""  # policies have no IPv6


def _is_link(scope: Scope) -> bool:
    """Whether this is a link to the page itself, which is harmless: it changes nothing and cannot be framed."""
    return (
        scope["type"] == "http"
        and scope["method"] in ("GET", "HEAD")
        and not scope["path"].startswith("/api/")
        and _header(scope, b"sec-fetch-mode") == ["navigate"]
        and _header(scope, b"sec-fetch-dest") == ["document"]
    )


async def _refuse(send: Send, refusal: Refusal) -> None:
    body = json.dumps({"detail": refusal.why}).encode()
    headers = [
        (b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), *RAW_HEADERS,
        (b"content-security-policy", POLICY.format(post="").encode()), (b"connection", b"close"),
    ]  # fmt: skip
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _header(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name]
