"""The stop post: a separate process that takes the emergency stop from pages, and does nothing else.

A console that was killed or hangs takes no stops; this process shares nothing with it but the ring. It ends when the
console ends in good order. If the console disappears otherwise, detected by end-of-file on their pipe, the post stays
while the ring has a writer or one is starting, and a minute longer. The next console of the ring finds it by its
lifeline and takes over its listening sockets and the tokens of their pages for its own post; once that one is up, the
old one ends. Until then the old one takes stops from the pages of both. So a ring always has one post, and no port is
without one meanwhile. A post that ends first answers every connection that it has accepted.

Example: it is started by the console (`motionbase console`, `motionbase run`) only.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import sys
from collections.abc import Callable
from dataclasses import asdict
from typing import final

from motionbase.console.origins import ANOTHER_SITE, foreign_host, foreign_origin, own_names
from motionbase.console.stop.button import Names, StopButton, heard, name_of
from motionbase.console.stop.door import Asked, Door, Reply
from motionbase.console.stop.orders import ENDS_S, MOST_PLACES, Orders, Place, Seat
from motionbase.console.tokens import BAD_CLIENT, CLIENT, NEEDS_OPERATOR, Tokens, bearer, no_role
from motionbase.errors import MotionBaseError, RingError
from motionbase.ring import lifeline
from motionbase.ring.backend import Device, find
from motionbase.ring.glance import Glance
from motionbase.ring.lifeline import LARGEST, Lifeline, Message, Role, asked, living
from motionbase.ring.living import has_writer

PATH, READY = "/api/estop", "/api/estop/ready"
WOULD_REACH, NOBODY = "a stop would be taken", "nobody writes the ring: there is no base to stop"
OPEN = (
    ("access-control-allow-methods", "GET, POST"),
    ("access-control-allow-headers", "authorization, x-client"),
    ("access-control-max-age", "86400"),
)
LOOK_S = 1.0  # between checks for a writer of the ring


@final
class Visitors:
    """The pages of one console, and their rights."""

    def __init__(self, place: Place) -> None:
        self._port, self._names = place.console_port, own_names(place.host, place.allow_hosts)
        self.role, self._anyone_may_stop = Tokens(place.operator_token, place.viewer_token).role, place.anyone_may_stop

    def foreign(self, asked: Asked) -> str:
        """Why a request is neither from the console's page nor from a program; "" if it may be."""
        hosts, origins, sites = (asked.all(name) for name in ("host", "origin", "sec-fetch-site"))
        names = self._names | {asked.here}
        if why := foreign_host(hosts, names) or foreign_origin(origins, hosts[0], self._port):
            return why
        ours = ("none", "same-origin", "same-site") if origins else ("none",)  # another port counts as the same site
        return "" if all(site in ours for site in sites) else ANOTHER_SITE

    def why_not(self, token: str | None) -> str:
        """Why a stop is refused with this token; "" if it is taken."""
        role = self.role(token)
        if role is None:
            return no_role(token)
        return "" if role == "operator" or self._anyone_may_stop else NEEDS_OPERATOR


@final
class Desk:
    """Answers requests, as strictly as the consoles whose pages send them.

    Attributes:
        seat: the present operator; names: of former ones
    """

    def __init__(self, orders: Orders) -> None:
        self._visitors = tuple(Visitors(place) for place in orders.places)
        self._button, self._watch = StopButton(orders.ring), WriterWatch(orders.ring)
        self.seat: Seat | None = None
        self.names = Names()

    def admit(self, place: Place) -> None:
        """Admit the pages of another console; thread-safe."""
        self._visitors = (*self._visitors[: MOST_PLACES - 1], Visitors(place))

    async def answer(self, asked: Asked) -> Reply:
        """Answer any request."""
        visitors = self._visitors
        whys = [one.foreign(asked) for one in visitors]
        if all(whys):
            return Reply(403, {"detail": whys[0]})
        said = await self._answer(asked, [v for v, why in zip(visitors, whys, strict=True) if not why])
        return said._replace(headers=(*said.headers, *_readable_by(asked.all("origin"))))

    async def _answer(self, asked: Asked, visitors: list[Visitors]) -> Reply:
        if asked.path not in (PATH, READY):
            return Reply(404, {"detail": f"there is only {PATH} here; all else is at the console"})
        if asked.method == "OPTIONS":
            return Reply(204, None, OPEN)
        if asked.method != ("GET" if asked.path == READY else "POST"):
            return Reply(405, {"detail": f"{asked.method!r:.20} does nothing here; POST asks for the stop"})
        token = bearer(next(iter(asked.all("authorization")), None))
        client = next(iter(asked.all("x-client")), "")
        if client and not CLIENT.fullmatch(client):
            return Reply(400, {"detail": BAD_CLIENT})
        whys = [one.why_not(token) for one in visitors]
        if all(whys):
            why = NEEDS_OPERATOR if NEEDS_OPERATOR in whys else whys[0]
            return Reply(401, {"detail": why}, (("www-authenticate", "Bearer"),))
        if asked.path == READY:
            return await self._ready()
        return await self._stopped(client, any(one.role(token) == "operator" for one in visitors))

    async def _ready(self) -> Reply:
        """What a stop would do now, without requesting one."""
        lives = await asyncio.to_thread(self._watch.lives)
        return Reply(200, {"accepted": lives, "text": WOULD_REACH if lives else NOBODY})

    async def _stopped(self, client: str, is_operator: bool) -> Reply:
        name = name_of(client, self.seat, self.names.known, "operator" if is_operator else "viewer")
        try:
            text = await heard(self._button.press(name))
        except RingError as error:
            return Reply(409, {"detail": str(error)})
        except (MotionBaseError, OSError) as error:
            return Reply(500, {"detail": f"the ring cannot be reached: {error}"})
        return Reply(200, {"accepted": True, "text": text})


def _readable_by(origins: list[str]) -> tuple[tuple[str, str], ...]:
    """Headers that let the console's page, which has been checked, read the answer."""
    return tuple(("access-control-allow-origin", origin) for origin in origins[:1]) + (("vary", "origin"),)


@final
class WriterWatch:
    """Whether a ring has a writer, or one is starting."""

    def __init__(self, ring: str) -> None:
        self._ring, self._backend, self._count = ring, find(ring), -1

    def lives(self) -> bool:
        """Whether there is a writer now; on a device, with a writer on another machine, also if records have come."""
        if has_writer(self._backend) is not None or living(self._backend, Role.SUPERVISOR) is not None:
            return True
        if not isinstance(self._backend, Device):
            return False
        try:
            before, self._count = self._count, Glance(self._ring, self._backend).head
        except (MotionBaseError, OSError):
            return False
        return self._count != before


@final
class Succession:
    """Answers of a post on its lifeline, to the next console and to that console's post.

    Attributes:
        is_orphan: its console is gone
    """

    def __init__(self, orders: Orders, admit: Callable[[Place], object], leave: Callable[[], object]) -> None:
        self._orders, self._admit, self._leave, self.is_orphan = orders, admit, leave, False
        self._line = Lifeline(find(orders.ring), Role.POST, self._answer)

    def _answer(self, request: Message) -> lifeline.Reply:
        places, ports = self._orders.places, [place.port for place in self._orders.places]
        match request.get("ask"):
            case "who":
                return lifeline.Reply({"pid": os.getpid(), "orphan": self.is_orphan, "ports": ports})
            case "places" if self.is_orphan:  # with the sockets; this post goes on, too, until the other is up
                while len(json.dumps([asdict(p) for p in places])) > LARGEST - 64:
                    places = places[:-1]
                return lifeline.Reply({"places": [asdict(p) for p in places]}, tuple(p.socket for p in places))
            case "admit" if self.is_orphan:  # pages of the console that has the sockets now, until its post is up
                self._admit(Place.of(request["place"], -1))
                return lifeline.Reply({"admits": True})
            case "leave" if self.is_orphan and isinstance(known := request.get("ports"), list):
                if set(ports) <= {port for port in known if isinstance(port, int)}:
                    self._leave()
                    return lifeline.Reply({"leaves": True})
                return lifeline.Reply({"error": "it has ports that the other has not"})
            case _:
                return lifeline.Reply({"error": "a post whose console is gone answers `places`, `admit` and `leave`"})

    def relieve(self) -> None:
        """End the posts whose sockets this post has."""
        ports = [place.port for place in self._orders.places]
        for _ in asked(find(self._orders.ring), Role.POST, {"ask": "leave", "ports": ports}, but=self._line.place):
            pass

    def close(self) -> None:
        """Close the lifeline."""
        self._line.close()


async def until_it_ends(orders: Orders, desk: Desk, told: asyncio.StreamReader, succession: Succession) -> None:
    """Follow the console's orders; if the console disappears, wait until the ring has no writer either."""
    while line := await told.readline():
        message = json.loads(line)
        if "end" in message:
            return
        desk.seat = None if message["seat"] is None else (message["seat"][0], message["seat"][1])
        desk.names.learn(desk.seat)
    succession.is_orphan = True
    loop, watch = asyncio.get_running_loop(), WriterWatch(orders.ring)
    end = loop.time() + orders.patience_s
    while loop.time() < end:
        if watch.lives():
            end = loop.time() + orders.patience_s
        await asyncio.sleep(min(LOOK_S, orders.patience_s / 4))


async def serve() -> None:
    """Serve from the first line of stdin until its end, or until the post of another console has taken over."""
    loop, told = asyncio.get_running_loop(), asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(told), sys.stdin)
    orders = Orders.of(await told.readline())
    desk, over = Desk(orders), asyncio.Event()
    succession = Succession(orders, desk.admit, lambda: loop.call_soon_threadsafe(over.set))
    loop.add_signal_handler(signal.SIGTERM, over.set)
    sockets = {(place.host, place.port): place.socket for place in reversed(orders.places)}
    doors = [Door(socket.socket(fileno=file), desk.answer) for file in sockets.values()]
    await asyncio.to_thread(succession.relieve)
    life, end = (loop.create_task(what) for what in (until_it_ends(orders, desk, told, succession), over.wait()))
    await asyncio.wait({life, end}, return_when=asyncio.FIRST_COMPLETED)
    succession.close()
    await asyncio.gather(*(door.close(ENDS_S) for door in doors))
