"""Connections of the server: limits for slow and for excessive ones.

A connection is a stranger until a request on it shows a token. Strangers, viewers and operators have room of their own
(`room.Limits`): a crowd closes connections of its own kind and no others.
"""

from __future__ import annotations

import asyncio
import ipaddress
from typing import Any, final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from motionbase.console.room import Limits, Pool, Rank

AT_ONCE = 128  # that wait to be accepted
IDLE_S, LAST_LOOK_S = 5, 0.1  # after which a connection that says nothing is closed
HEAD_S = 10.0  # within which the head of a request has come
TAKEN_S = 30.0  # a client that takes nothing for so long is let go
FAREWELL_S = 1.0  # within which a page that is let go has closed
STATE = "room"  # the name of `Room` in the state of the application


@final
class Room:
    """All connections of one server, by what they have shown."""

    def __init__(self, limits: Limits) -> None:
        self.http: dict[Rank, Pool[HttpProtocol]] = {
            Rank.STRANGER: Pool(limits.strangers),
            Rank.VIEWER: Pool(limits.viewers, limits.viewers_here, lambda one: not one.is_served),
            Rank.OPERATOR: Pool(limits.operators, is_idle=lambda one: not one.is_served),
        }
        # the hub bounds those that are served; some more may be closing
        self.sockets: Pool[WebSocketProtocol] = Pool(
            2 * (limits.greeting + limits.pages), is_idle=lambda one: one.close_sent
        )


@final
class WebSocketProtocol(WebSocketsSansIOProtocol):
    """Lets the session cut a connection that takes nothing any more, which ASGI cannot."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Where too many are on their way out, the oldest is cut off."""
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
        """It is counted no longer."""
        self._room.sockets.remove(self)
        super().connection_lost(exc)

    async def run_asgi(self) -> None:
        """As ever."""
        self.scope["state"]["abort"] = self.transport.abort
        await super().run_asgi()


@final
class HttpProtocol(H11Protocol):
    """One connection."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        room = self.app_state[STATE]
        assert isinstance(room, Room)
        self._room, self._rank = room, Rank.STRANGER
        self.app_state = {**self.app_state, "shown": self._shown}
        self._head_timer: asyncio.TimerHandle | None = None
        self._taken_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Close one that never asks for anything, as it is done with one that has asked before."""
        super().connection_made(transport)
        self.timeout_keep_alive_task = self.loop.call_later(IDLE_S, self.timeout_keep_alive_handler)
        self._enter()

    def _enter(self) -> None:
        gone = self._room.http[self._rank].add(self, address_of(self.client))
        if gone is not None:
            gone.transport.abort()

    def _shown(self, rank: Rank) -> None:
        """A request on this connection has shown a token: from now on it has room among its like."""
        if rank > self._rank and not self.transport.is_closing():
            self._room.http[self._rank].remove(self)
            self._rank = rank
            self._enter()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """From now on it is a WebSocket and counted as such."""
        self._room.http[self._rank].remove(self)
        super().handle_websocket_upgrade(event)

    @property
    def is_served(self) -> bool:
        """Whether a request of it is being answered."""
        return self.cycle is not None and not self.cycle.response_complete

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody waits for it any more."""
        self._room.http[self._rank].remove(self)
        _cancel(self._head_timer)
        _cancel(self._taken_timer)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """The time for a head runs from its first byte, however the others come."""
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            _cancel(self._head_timer)
            self._head_timer = None
        elif self._head_timer is None:
            self._head_timer = self.loop.call_later(HEAD_S, self.transport.abort)

    def pause_writing(self) -> None:
        """What was sent last has not been taken yet."""
        super().pause_writing()
        self._taken_timer = self.loop.call_later(TAKEN_S, self.transport.abort)

    def resume_writing(self) -> None:
        """It has."""
        _cancel(self._taken_timer)
        super().resume_writing()

    def timeout_keep_alive_handler(self) -> None:
        """Look once more first: after a halt of the process, timers run before what has come meanwhile is read."""
        self.timeout_keep_alive_task = self.loop.call_later(LAST_LOOK_S, super().timeout_keep_alive_handler)


def address_of(client: tuple[str, int] | None) -> str:
    """Of who is at the other end; an IPv6 user has a network of 2^64 addresses and counts as one."""
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
