"""A minimal HTTP server: one request and one answer per connection. Slow connections never keep others out."""

from __future__ import annotations

import asyncio
import errno
import json
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from http import HTTPStatus
from typing import NamedTuple, TypeAlias, final

import h11

from motionbase.console.listening import QUEUE
from motionbase.console.room import Pool

ASK_S = 2.0  # time limit for a request, and for taking the answer
MOST_WAITING = 64  # connections without a request; beyond this, one of the address with most is dropped
LARGEST_HEAD = 16 * 1024  # header of a request [bytes]
PAUSE_S = 0.05  # after a failed accept for want of a file descriptor
GONE_AGAIN = (errno.EAGAIN, errno.ECONNABORTED)
SEALED = (("cache-control", "no-store"), ("x-content-type-options", "nosniff"), ("connection", "close"))


class Asked(NamedTuple):
    """A request, without its body."""

    method: str
    path: str
    headers: tuple[tuple[str, str], ...]
    here: str  # local address of the connection

    def all(self, name: str) -> list[str]:
        """All values of a header."""
        return [value for key, value in self.headers if key == name]


class Reply(NamedTuple):
    """An answer."""

    status: int
    body: dict[str, object] | None = None
    headers: tuple[tuple[str, str], ...] = ()

    @property
    def raw(self) -> bytes:
        """The bytes of the answer."""
        body = b"" if self.body is None else json.dumps(self.body).encode()
        kind = (("content-type", "application/json"),) if body else ()
        head = [*kind, ("content-length", str(len(body))), *SEALED, *self.headers]
        lines = [f"HTTP/1.1 {self.status} {HTTPStatus(self.status).phrase}", *(f"{k}: {v}" for k, v in head), "", ""]
        return "\r\n".join(lines).encode("latin-1") + body


Answer: TypeAlias = Callable[[Asked], Awaitable[Reply]]


@final
class Door:
    """A server on a listening socket; created, used and closed in one event loop.

    It accepts connections itself, because asyncio's server, when closed, drops those just accepted.

    Args:
        made: the socket, from which another process may accept as well
        answer: called for each request
    """

    def __init__(self, made: socket.socket, answer: Answer) -> None:
        self._made, self._answer = made, answer
        self._waiting: Pool[asyncio.StreamWriter] = Pool(MOST_WAITING)
        self._inside: set[asyncio.Task[None]] = set()
        self._loop = asyncio.get_running_loop()
        made.setblocking(False)
        self._open()

    def _open(self) -> None:
        if self._made.fileno() >= 0:  # may have been closed during a pause
            self._loop.add_reader(self._made, self._accept)

    def _accept(self) -> None:
        """Accept all queued connections."""
        for _ in range(QUEUE):
            try:
                one, _ = self._made.accept()
            except OSError as error:
                if error.errno not in GONE_AGAIN:  # no descriptor is free: the connection stays queued
                    self._loop.remove_reader(self._made)
                    self._loop.call_later(PAUSE_S, self._open)
                return
            task = self._loop.create_task(self._welcome(one))
            self._inside.add(task)
            task.add_done_callback(self._inside.discard)

    async def close(self, seconds: float) -> None:
        """Accept the queued connections and no more, and answer all of them within `seconds`."""
        self._loop.remove_reader(self._made)
        self._accept()
        self._made.close()
        if self._inside:
            await asyncio.wait(self._inside, timeout=seconds)

    async def _welcome(self, one: socket.socket) -> None:
        try:
            reader, writer = await asyncio.open_connection(sock=one, limit=LARGEST_HEAD)
        except OSError:
            one.close()
            return
        gone = self._waiting.add(writer, str((writer.get_extra_info("peername") or ("",))[0]))
        if gone is not None:
            gone.transport.abort()
        try:
            async with asyncio.timeout(ASK_S):
                asked = await _asked(reader, str(writer.get_extra_info("sockname")[0]))
            self._waiting.remove(writer)
            if asked is not None:
                writer.write((await self._answer(asked)).raw)
                async with asyncio.timeout(ASK_S):
                    await writer.drain()
        except h11.RemoteProtocolError:
            with suppress(OSError):
                writer.write(Reply(400, {"detail": "this is no HTTP request"}).raw)
        except (TimeoutError, OSError):
            pass  # the client is too slow, or gone
        finally:
            self._waiting.remove(writer)
            writer.close()


async def _asked(reader: asyncio.StreamReader, here: str) -> Asked | None:
    """The header of the request; None if the connection ends first."""
    connection = h11.Connection(h11.SERVER, LARGEST_HEAD)
    while True:
        event = connection.next_event()
        if isinstance(event, h11.Request):
            headers = tuple((name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in event.headers)
            path = event.target.decode("latin-1").partition("?")[0]
            return Asked(event.method.decode("latin-1"), path, headers, here)
        if event is not h11.NEED_DATA:
            return None
        connection.receive_data(await reader.read(4096))
