"""The stop post: a process of its own that takes the emergency stop from pages, and does nothing else.

A console that was killed, or that hangs, takes no stop; this process shares nothing with it but the ring. It ends when
the console ends in order. Where the console is gone without a word, which a pipe between them tells, it stays for as
long as somebody writes the ring, and a minute longer.

Example: the console starts it (`motionbase console`, `motionbase run`); nobody else does.
"""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import sys
from typing import final

from motionbase.console.origins import ANOTHER_SITE, foreign_host, foreign_origin, own_names
from motionbase.console.stop.button import ACTS, NO_ANSWER, StopButton, name_of
from motionbase.console.stop.door import Asked, Door, Reply
from motionbase.console.stop.orders import Orders, Seat
from motionbase.console.tokens import BAD_CLIENT, CLIENT, NEEDS_OPERATOR, Tokens, bearer, no_role
from motionbase.errors import MotionBaseError, RingError
from motionbase.ring.backend import Device
from motionbase.ring.blocks.mapping import absence, attached
from motionbase.ring.lock import FileLock

PATH = "/api/estop"
OPEN = (
    ("access-control-allow-methods", "POST"),
    ("access-control-allow-headers", "authorization, x-client"),
    ("access-control-max-age", "86400"),
)
LOOK_S = 1.0  # between looks whether somebody writes the ring


@final
class Desk:
    """Answers requests, as strictly as the console does.

    Attributes:
        seat: who operates, as the console said last
    """

    def __init__(self, orders: Orders) -> None:
        self._orders, self._names = orders, own_names(orders.host, orders.allow_hosts)
        self._tokens = Tokens(orders.operator_token, orders.viewer_token)
        self._button = StopButton(orders.ring)
        self.seat: Seat | None = None

    async def answer(self, asked: Asked) -> Reply:
        """To anything that comes."""
        if why := self._foreign(asked):
            return Reply(403, {"detail": why})
        said = await self._answer(asked)
        return said._replace(headers=(*said.headers, *_readable_by(asked.all("origin"))))

    async def _answer(self, asked: Asked) -> Reply:
        if asked.path != PATH:
            return Reply(404, {"detail": f"there is only {PATH} here; all else is at the console"})
        if asked.method == "OPTIONS":
            return Reply(204, None, OPEN)
        if asked.method != "POST":
            return Reply(405, {"detail": f"{asked.method!r:.20} does nothing here; POST asks for the stop"})
        token = bearer(next(iter(asked.all("authorization")), None))
        client = next(iter(asked.all("x-client")), "")
        if client and not CLIENT.fullmatch(client):
            return Reply(400, {"detail": BAD_CLIENT})
        if (role := self._tokens.role(token)) != "operator":
            why = no_role(token) if role is None else NEEDS_OPERATOR
            return Reply(401, {"detail": why}, (("www-authenticate", "Bearer"),))
        return await self._stopped(client)

    async def _stopped(self, client: str) -> Reply:
        try:
            pressed = self._button.press()
            pressed.sign(name_of(client, self.seat))
            acts = await pressed.acts()
        except RingError as error:
            return Reply(409, {"detail": str(error)})
        except (MotionBaseError, OSError) as error:
            return Reply(500, {"detail": f"the ring cannot be reached: {error}"})
        return Reply(200, {"accepted": True, "text": ACTS if acts else NO_ANSWER})

    def _foreign(self, asked: Asked) -> str:
        """Why a request is not from the console's page, nor from a program; "" where it may be."""
        hosts, origins, sites = (asked.all(name) for name in ("host", "origin", "sec-fetch-site"))
        names = self._names | {asked.here}
        if why := foreign_host(hosts, names) or foreign_origin(origins, hosts[0], self._orders.console_port):
            return why
        ours = ("none", "same-origin", "same-site") if origins else ("none",)  # another port is the same site
        return "" if all(site in ours for site in sites) else ANOTHER_SITE


def _readable_by(origins: list[str]) -> tuple[tuple[str, str], ...]:
    """So that the page, which has been found to be the console's own, may read the answer."""
    return tuple(("access-control-allow-origin", origin) for origin in origins[:1]) + (("vary", "origin"),)


@final
class WriterWatch:
    """Whether somebody writes a ring."""

    def __init__(self, ring: str) -> None:
        self._ring, self._count = ring, -1

    def lives(self) -> bool:
        """At this moment; on hardware, whose writer may be on another machine, whether records have come since."""
        try:
            segment, header = attached(self._ring)
            if absence(segment, header):
                return False
        except (MotionBaseError, OSError):
            return False
        if not isinstance(segment.backend, Device):
            return True
        before, self._count = self._count, segment.head
        return self._count != before


async def until_it_ends(orders: Orders, desk: Desk, told: asyncio.StreamReader) -> None:
    """Listen to the console; when it is gone without a word, wait for the ring's writers to be gone as well."""
    while line := await told.readline():
        message = json.loads(line)
        if "end" in message:
            return
        desk.seat = None if message["seat"] is None else (message["seat"][0], message["seat"][1])
    loop, watch = asyncio.get_running_loop(), WriterWatch(orders.ring)
    end = loop.time() + orders.patience_s
    while loop.time() < end:
        if watch.lives():
            end = loop.time() + orders.patience_s
        await asyncio.sleep(min(LOOK_S, orders.patience_s / 4))


async def serve() -> None:
    """From the first line of stdin until its end, or until it is replaced by a post with the same orders."""
    loop, told = asyncio.get_running_loop(), asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(told), sys.stdin)
    orders = Orders.of(await told.readline())
    orders.lock.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with FileLock(orders.lock) as lock:
        lock.take()
        desk = Desk(orders)
        life = loop.create_task(until_it_ends(orders, desk, told))
        loop.add_signal_handler(signal.SIGTERM, life.cancel)
        server = await Door(desk.answer).open(socket.socket(fileno=orders.socket))
        await asyncio.wait({life})
        server.close()
        orders.lock.unlink(missing_ok=True)
