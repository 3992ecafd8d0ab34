"""The console's side of the stop post: starts it, names the operator, restarts it, and ends it in good order."""

from __future__ import annotations

import os
import socket
import subprocess
import threading
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, final

from motionbase.console.listening import listening
from motionbase.console.stop.orders import END, ENDS_S, MOST_PLACES, PATIENCE_S, Orders, Place, Seat, seat_line
from motionbase.errors import UsageError
from motionbase.interpreter import python
from motionbase.ring.backend import find
from motionbase.ring.lifeline import Role, asked
from motionbase.ring.lock import is_own

if TYPE_CHECKING:
    from motionbase.console.console import Console

COMMAND = python("-m", "motionbase.console.stop")
AGAIN_S = 1.0


@final
class StopPost:
    """The stop post of a console on `console_port`; its socket listens from the start."""

    def __init__(self, console: Console, console_port: int, patience_s: float = PATIENCE_S) -> None:
        self._console = console
        self._sockets, self._orders = _beside(console, console_port, patience_s)
        self._seat: Seat | None = None
        self._lock, self._is_ending = threading.Lock(), threading.Event()
        self._process = self._started()
        threading.Thread(target=self._watch, name="motionbase stop post", daemon=True).start()
        console.access.stop_port = self._orders.places[0].port
        console.on_seat = self.tell

    @property
    def pid(self) -> int:
        """Id of its process."""
        return self._process.pid

    def _started(self) -> subprocess.Popen[bytes]:
        """Start the process in its own session, so that the end of console or terminal does not end it."""
        process = subprocess.Popen(
            COMMAND, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, bufsize=0,
            pass_fds=[place.socket for place in self._orders.places], start_new_session=True,
        )  # fmt: skip
        assert process.stdin is not None
        os.set_blocking(process.stdin.fileno(), False)  # a hanging post must not block the console
        self._send(process, self._orders.line + seat_line(self._seat))
        return process

    @staticmethod
    def _send(process: subprocess.Popen[bytes], line: bytes) -> None:
        assert process.stdin is not None
        with suppress(OSError, ValueError):  # gone, or about to be restarted
            process.stdin.write(line)

    def tell(self, seat: Seat | None) -> None:
        """Name the operator to the post, so that a stop has the same name on either path."""
        with self._lock:
            self._seat = seat
            self._send(self._process, seat_line(seat))

    def _watch(self) -> None:
        while not self._is_ending.is_set():
            code = self._process.wait()
            if self._is_ending.wait(AGAIN_S):
                return
            self._console.events.add("warning", f"the stop post ended by itself ({code}) and is restarted")
            with self._lock:
                if self._is_ending.is_set():
                    return
                _let_go(self._process)
                self._process = self._started()

    def close(self) -> None:
        """End it in good order, after it has answered all accepted connections."""
        self._console.access.stop_port = None
        self._is_ending.set()
        with self._lock:
            process = self._process
            for made in self._sockets:  # first: once the post has closed its copies, too, connections are refused
                made.close()
            self._send(process, END)
        _let_go(process)
        try:
            process.wait(ENDS_S + 1.0)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def __enter__(self) -> StopPost:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _let_go(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    process.stdin.close()


def _beside(console: Console, console_port: int, patience_s: float) -> tuple[list[socket.socket], Orders]:
    """A socket on the next port, so that pages find the post of a restarted console; else on any port.

    Posts of killed consoles hand over their sockets with the tokens of their pages. The socket of a console that had
    this one's port is used as it is, wherever it listens, and so is one on the next port: pages keep their address, and
    connections queued there are answered. Until the new post is up, they take
    stops from the pages of this console, too.
    """
    settings, port = console.settings, console_port + 1
    taken = _taken_over(settings.ring)
    sockets = {file: socket.socket(fileno=file) for file in {place.socket for place in taken}}
    here = [place for place in taken if place.host == settings.host]
    kept = [place for place in here if place.console_port == console_port] or [p for p in here if p.port == port]
    same = sockets[kept[0].socket] if kept else None
    if same is None:
        try:
            same = listening(settings.host, port)
        except (UsageError, OverflowError):
            same = listening(settings.host, 0)
        sockets[same.fileno()] = same
    own = Place(
        same.fileno(), same.getsockname()[1], console_port, settings.host, settings.allow_hosts,
        settings.operator_token, settings.viewer_token, settings.anyone_may_stop,
    )  # fmt: skip
    if taken:
        for _ in asked(find(settings.ring), Role.POST, {"ask": "admit", "place": asdict(own)}, whose=is_own):
            pass  # refused by a post whose console lives
    places = (own, *taken)[:MOST_PLACES]
    for file in sockets.keys() - {place.socket for place in places}:
        sockets.pop(file).close()  # its post keeps it; left open here, it would only make pages wait later
    return list(sockets.values()), Orders(settings.ring, places, patience_s)


def _taken_over(ring: str) -> list[Place]:
    """Places of posts whose consoles are gone, with their sockets open here, each once.

    A socket comes with every place that shares it, and from every post that has it: consoles killed and restarted on
    one port would pass on more and more open files of it.
    """
    found: list[Place] = []
    known: dict[tuple[int, int], int] = {}  # open file of each socket
    for post in asked(find(ring), Role.POST, {"ask": "places"}, whose=is_own):  # their tokens count
        places, files = post.said.get("places", []), list(post.files)
        with suppress(KeyError, TypeError, ValueError):
            for place in places[: len(files)]:
                status = os.fstat(files[0])
                made = Place.of(place, known.get((status.st_dev, status.st_ino), files[0]))
                if made.socket == files[0]:
                    known[status.st_dev, status.st_ino] = files.pop(0)
                else:
                    os.close(files.pop(0))
                if made not in found:
                    found.append(made)
        for file in files:
            os.close(file)
    return found
