"""The console's side of the stop post: starts it, tells it who operates, starts it again, and ends it in order."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, final

from motionbase.console.listening import listening
from motionbase.console.stop.orders import END, PATIENCE_S, Orders, Seat, seat_line
from motionbase.errors import RingError, UsageError
from motionbase.interpreter import python
from motionbase.ring.lock import FileLock, is_held

if TYPE_CHECKING:
    from motionbase.console.console import Console

COMMAND = python("-m", "motionbase.console.stop.alone")
ENDS_S, REPLACED_S, AGAIN_S = 3.0, 3.0, 1.0


@final
class StopPost:
    """Of a console whose server listens on `console_port`; the post's socket listens from here on."""

    def __init__(self, console: Console, console_port: int, patience_s: float = PATIENCE_S) -> None:
        self._console = console
        self._socket, self._orders = _beside(console, console_port, patience_s)
        self._seat: Seat | None = None
        self._lock, self._is_ending = threading.Lock(), threading.Event()
        self._process = self._started()
        threading.Thread(target=self._watch, name="motionbase stop post", daemon=True).start()
        console.access.stop_port = self._orders.port
        console.on_seat = self.tell

    @property
    def pid(self) -> int:
        """Of its process."""
        return self._process.pid

    def _started(self) -> subprocess.Popen[bytes]:
        """In a session of its own: what ends the console, or the terminal, does not end it."""
        process = subprocess.Popen(
            COMMAND, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, bufsize=0,
            pass_fds=(self._orders.socket,), start_new_session=True,
        )  # fmt: skip
        assert process.stdin is not None
        os.set_blocking(process.stdin.fileno(), False)  # a post that hangs holds nobody up
        self._send(process, self._orders.line + seat_line(self._seat))
        return process

    @staticmethod
    def _send(process: subprocess.Popen[bytes], line: bytes) -> None:
        assert process.stdin is not None
        with suppress(OSError, ValueError):  # it is gone, or will be started again
            process.stdin.write(line)

    def tell(self, seat: Seat | None) -> None:
        """Who operates, so that a stop has the same name wherever it is taken."""
        with self._lock:
            self._seat = seat
            self._send(self._process, seat_line(seat))

    def _watch(self) -> None:
        while not self._is_ending.is_set():
            code = self._process.wait()
            if self._is_ending.wait(AGAIN_S):
                return
            self._console.events.add("warning", f"the stop post ended by itself ({code}) and is started again")
            with self._lock:
                _let_go(self._process)
                self._process = self._started()

    def close(self) -> None:
        """End it in order."""
        self._console.access.stop_port = None
        self._is_ending.set()
        with self._lock:
            process = self._process
            self._send(process, END)
        _let_go(process)
        try:
            process.wait(ENDS_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        self._socket.close()

    def __enter__(self) -> StopPost:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _let_go(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    process.stdin.close()


def _beside(console: Console, console_port: int, patience_s: float) -> tuple[socket.socket, Orders]:
    """A socket on the next port, so that pages find the post of a console that is started again; else on any."""
    settings = console.settings

    def orders(made: int, port: int) -> Orders:
        return Orders(
            made, port, console_port, settings.ring, settings.host, settings.allow_hosts, settings.operator_token,
            settings.viewer_token, str(Path(settings.data).absolute()), patience_s,
        )  # fmt: skip

    port = console_port + 1
    try:
        made = listening(settings.host, port)
    except (UsageError, OverflowError):
        _replace(orders(-1, port).lock)
        try:
            made = listening(settings.host, port)
        except (UsageError, OverflowError):
            made = listening(settings.host, 0)
    return made, orders(made.fileno(), made.getsockname()[1])


def _replace(lock: Path) -> None:
    """End the post of a console before, with the very same orders, which was killed; any other one stays."""
    if not is_held(lock):
        return
    with suppress(RingError, OSError), FileLock(lock) as held:
        holder = held.holder()
        if holder is not None and is_held(lock):
            os.kill(holder, signal.SIGTERM)
            end = time.monotonic() + REPLACED_S
            while is_held(lock) and time.monotonic() < end:
                time.sleep(0.02)
