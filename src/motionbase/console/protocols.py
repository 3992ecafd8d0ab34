"""Connections of the server: none is held by who sends half a request, takes no answer, or opens hundreds."""

from __future__ import annotations

import asyncio
import itertools
from typing import Any, final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

MOST_CONNECTIONS = 512  # of 128 pages: a browser keeps one or two of its six open when nothing is asked
AT_ONCE = 128  # that may come before there is room for them
IDLE_S, LAST_LOOK_S = 5, 0.1  # after which a connection that says nothing is closed
HEAD_S = 10.0  # within which the head of a request has come
TAKEN_S = 30.0  # a client that takes nothing for so long is let go
NUMBERS = itertools.count()  # of connections, in the order in which they came


@final
class WebSocketProtocol(WebSocketsSansIOProtocol):
    """Lets the session cut a connection that takes nothing any more, which ASGI cannot."""

    async def run_asgi(self) -> None:
        """As ever."""
        self.scope["state"]["abort"] = self.transport.abort
        await super().run_asgi()


@final
class HttpProtocol(H11Protocol):
    """One connection; where there are too many, the oldest that asks nothing goes, so that a new one gets in.

    Attributes:
        number: the larger the younger
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.number = next(NUMBERS)
        self._head_timer: asyncio.TimerHandle | None = None
        self._taken_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Close one that never asks for anything, as it is done with one that has asked before."""
        super().connection_made(transport)
        self.timeout_keep_alive_task = self.loop.call_later(IDLE_S, self.timeout_keep_alive_handler)
        if len(self.connections) > MOST_CONNECTIONS:
            self._make_room()

    def _make_room(self) -> None:
        there = [one for one in self.connections if not one.transport.is_closing()]
        if len(there) > MOST_CONNECTIONS:
            asks_nothing = [one for one in there if isinstance(one, HttpProtocol) and not one.is_served]
            min(asks_nothing, key=lambda one: one.number).transport.abort()

    @property
    def is_served(self) -> bool:
        """Whether a request of it is being answered."""
        return self.cycle is not None and not self.cycle.response_complete

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody waits for it any more."""
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


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
