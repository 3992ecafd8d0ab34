"""Limits for slow or excessive connections of the server.

A connection is a stranger until a request on it has a token. Strangers, viewers and operators are limited separately
(`room.Limits`): too many connections of a kind close only connections of that kind.
"""

from __future__ import annotations

import asyncio
import ipaddress
from typing import Any, final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from motionbase.console.room import Limits, Pool, Rank

AT_ONCE = 128  # connections waiting to be accepted
IDLE_S, LAST_LOOK_S = 5, 0.1  # an idle connection is closed after this time
HEAD_S = 10.0  # time limit for the header of a request
TAKEN_S = 30.0  # a client that takes no data for this long is dropped
FAREWELL_S = 1.0  # time limit for a closed page to disconnect
STATE = "room"  # name of `Room` in the application's state


@final
class Room:
    """All connections of one server, by the token that they have shown."""

    def __init__(self, limits: Limits) -> None:
        self.http: dict[Rank, Pool[HttpProtocol]] = {
            Rank.STRANGER: Pool(limits.strangers),
            Rank.VIEWER: Pool(limits.viewers, limits.viewers_here, lambda one: not one.is_served),
            Rank.OPERATOR: Pool(limits.operators, is_idle=lambda one: not one.is_served),
        }
        # the hub limits those that are served; more may be closing
        self.sockets: Pool[WebSocketProtocol] = Pool(
            2 * (limits.greeting + limits.pages), is_idle=lambda one: one.close_sent
        )


@final
class WebSocketProtocol(WebSocketsSansIOProtocol):
    """Lets a session abort a connection that takes no more data, which ASGI cannot."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """If too many are closing, abort the oldest."""
        super().connection_made(transport)
        self.close_timeout = FAREWELL_S
        gone = self._room.sockets.add(self, address_of(self.client))
        if gone is not None:
            gone.transport.abort()

    @property
    def _room(self) -> Room:
        room = self.app_state[STATE]
        assert isinstance(room, Room)
        return room

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop counting the connection."""
        self._room.sockets.remove(self)
        super().connection_lost(exc)

    async def run_asgi(self) -> None:
        """Run the application with the abort function in its scope."""
        self.scope["state"]["abort"] = self.transport.abort
        await super().run_asgi()


@final
class HttpProtocol(H11Protocol):
    """One HTTP connection."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        room = self.app_state[STATE]
        assert isinstance(room, Room)
        self._room, self._rank = room, Rank.STRANGER
        self.app_state = {**self.app_state, "shown": self._shown}
        self._head_timer: asyncio.TimerHandle | None = None
        self._taken_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Also close a connection that never sends a request; uvicorn closes only those that have."""
        super().connection_made(transport)
        self.timeout_keep_alive_task = self.loop.call_later(IDLE_S, self.timeout_keep_alive_handler)
        self._enter()

    def _enter(self) -> None:
        gone = self._room.http[self._rank].add(self, address_of(self.client))
        if gone is not None:
            gone.transport.abort()

    def _shown(self, rank: Rank) -> None:
        """Count the connection by the token that a request on it has shown."""
        if rank > self._rank and not self.transport.is_closing():
            self._room.http[self._rank].remove(self)
            self._rank = rank
            self._enter()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Count the connection as a WebSocket from now on."""
        self._room.http[self._rank].remove(self)
        super().handle_websocket_upgrade(event)

    @property
    def is_served(self) -> bool:
        """Whether a request is being answered."""
        return self.cycle is not None and not self.cycle.response_complete

    def connection_lost(self, exc: Exception | None) -> None:
        """End timers and stop counting the connection."""
        self._room.http[self._rank].remove(self)
        _cancel(self._head_timer)
        _cancel(self._taken_timer)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Start the time limit of a header with its first byte."""
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            _cancel(self._head_timer)
            self._head_timer = None
        elif self._head_timer is None:
            self._head_timer = self.loop.call_later(HEAD_S, self.transport.abort)

    def pause_writing(self) -> None:
        """The client has not taken the last data yet."""
        super().pause_writing()
        self._taken_timer = self.loop.call_later(TAKEN_S, self.transport.abort)

    def resume_writing(self) -> None:
        """The client has taken the data."""
        _cancel(self._taken_timer)
        super().resume_writing()

    def timeout_keep_alive_handler(self) -> None:
        """Check once more before closing: after a pause of the process, timers run before waiting data is read."""
        self.timeout_keep_alive_task = self.loop.call_later(LAST_LOOK_S, super().timeout_keep_alive_handler)


def address_of(client: tuple[str, int] | None) -> str:
    """Address of the client; an IPv6 network of 2^64 addresses counts as one."""
    try:
        found = ipaddress.ip_address(client[0]) if client is not None else None
    except ValueError:
        return ""
    if not isinstance(found, ipaddress.IPv6Address) or found.is_loopback:
        return str(found)
    return str(found.ipv4_mapped or ipaddress.ip_network((int(found) >> 64 << 64, 64)))


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
