"""HTTP for one small thing: a request of each connection, an answer, the end. Slow connections keep nobody out."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from http import HTTPStatus
from typing import NamedTuple, TypeAlias, final

import h11

from motionbase.console.room import Pool

ASK_S = 2.0  # within which a request has come, and an answer is taken
MOST_WAITING = 64  # connections that have not asked yet; one more, and one of the address that has most goes
LARGEST_HEAD = 16 * 1024  # bytes
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
    """On a socket that listens.

    Args:
        answer: to each request
    """

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._waiting: Pool[asyncio.StreamWriter] = Pool(MOST_WAITING)

    async def open(self, made: socket.socket) -> asyncio.Server:
        """From now on."""
        return await asyncio.start_server(self._welcome, sock=made, limit=LARGEST_HEAD)

    async def _welcome(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
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
