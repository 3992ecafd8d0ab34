"""HTTP for one small thing: a request of each connection, an answer, the end. Slow connections keep nobody out."""

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

ASK_S = 2.0  # within which a request has come, and an answer is taken
MOST_WAITING = 64  # connections that have not asked yet; one more, and one of the address that has most goes
LARGEST_HEAD = 16 * 1024  # bytes
PAUSE_S = 0.05  # after a connection that this process has no descriptor for
GONE_AGAIN = (errno.EAGAIN, errno.ECONNABORTED)
SEALED = (("cache-control", "no-store"), ("x-content-type-options", "nosniff"), ("connection", "close"))


class Asked(NamedTuple):
    """A request, without what it may carry beside its head."""

    method: str
    path: str
    headers: tuple[tuple[str, str], ...]
    here: str  # the address at which it came in

    def all(self, name: str) -> list[str]:
        """The values of a header."""
        return [value for key, value in self.headers if key == name]


class Reply(NamedTuple):
    """An answer."""

    status: int
    body: dict[str, object] | None = None
    headers: tuple[tuple[str, str], ...] = ()

    @property
    def raw(self) -> bytes:
        """As it is sent."""
        body = b"" if self.body is None else json.dumps(self.body).encode()
        kind = (("content-type", "application/json"),) if body else ()
        head = [*kind, ("content-length", str(len(body))), *SEALED, *self.headers]
        lines = [f"HTTP/1.1 {self.status} {HTTPStatus(self.status).phrase}", *(f"{k}: {v}" for k, v in head), "", ""]
        return "\r\n".join(lines).encode("latin-1") + body


Answer: TypeAlias = Callable[[Asked], Awaitable[Reply]]


@final
class Door:
    """On a socket that listens; made, used and closed in one event loop.

    It accepts by itself: a server of asyncio that is closed forgets whom it has accepted and not yet welcomed.

    Args:
        made: the socket; another process may accept from it as well
        answer: to each request
    """

    def __init__(self, made: socket.socket, answer: Answer) -> None:
        self._made, self._answer = made, answer
        self._waiting: Pool[asyncio.StreamWriter] = Pool(MOST_WAITING)
        self._inside: set[asyncio.Task[None]] = set()
        self._loop = asyncio.get_running_loop()
        made.setblocking(False)
        self._open()

    def _open(self) -> None:
        if self._made.fileno() >= 0:  # it may have been closed in a pause
            self._loop.add_reader(self._made, self._accept)

    def _accept(self) -> None:
        """Whoever is in the queue by now."""
        for _ in range(QUEUE):
            try:
                one, _ = self._made.accept()
            except OSError as error:
                if error.errno not in GONE_AGAIN:  # no descriptor is free: it still waits, and would wake us at once
                    self._loop.remove_reader(self._made)
                    self._loop.call_later(PAUSE_S, self._open)
                return
            task = self._loop.create_task(self._welcome(one))
            self._inside.add(task)
            task.add_done_callback(self._inside.discard)

    async def close(self, seconds: float) -> None:
        """Accept who is in the queue and nobody after them, and answer everybody who is in, in so many seconds [s]."""
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
            pass  # whoever it was is too slow, or gone
        finally:
            self._waiting.remove(writer)
            writer.close()


async def _asked(reader: asyncio.StreamReader, here: str) -> Asked | None:
    """The head of the request; None where the connection ends before."""
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
