"""Rings that tests write, and a whole console with a real server before them."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from websockets.asyncio.client import ClientConnection, connect

from motionbase.console.console import Console, Settings
from motionbase.console.listening import listening
from motionbase.console.live.frames import Frame, decode
from motionbase.console.server import new_server
from motionbase.record.faults import WARNINGS
from motionbase.record.schema import Channel, Schema
from motionbase.record.states import MODES, STATES
from motionbase.ring.writer import Writer
from tests.background import in_background

TOKEN, VIEWER = "operator-token-of-a-test", "viewer-token-of-a-test"
RING = "rig"
DT = 1e-3
PATIENCE_S = 60.0  # a busy machine does all this slowly; nothing waits longer than it has to


def own_rings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test has shared memory of its own."""
    monkeypatch.setenv("MOTIONBASE_RING_FOLDER", str(tmp_path))
    monkeypatch.setenv("MOTIONBASE_RING_DEVICE", "")
    monkeypatch.setenv("MOTIONBASE_DATA", str(tmp_path / "data"))
    return tmp_path


def schema(name: str = "small") -> Schema:
    return Schema(name, (
        Channel("t", "s", "time", "time"),
        Channel("x", "m", "a quantity", "numbers"),
        Channel("y", "m", "another", "numbers"),
        Channel("state", "-", "state", "status", codes=STATES),
        Channel("mode", "-", "mode", "status", codes=MODES),
        Channel("fault", "-", "fault", "status", codes=("none: no fault", "estop: it acts", "valve: it sticks")),
        Channel("warning", "-", "warnings", "status", bits=WARNINGS),
        Channel("estop", "-", "emergency stop", "status"),
        Channel("lateness", "s", "late", "timing"),
        Channel("overruns", "-", "overruns", "timing"),
        Channel("load", "-", "load", "timing"),
    ))  # fmt: skip


def rows(first: int, count: int, **columns: Any) -> np.ndarray:
    """Records first, first + 1 ...: x is the record's number, y a sine."""
    made = np.zeros((count, len(schema().channels)))
    k = np.arange(first, first + count)
    made[:, 0], made[:, 1], made[:, 2] = k * DT, k, np.sin(k / 50)
    for name, values in columns.items():
        made[:, schema().index[name]] = values
    return made


def writer(name: str = RING, made: Schema | None = None, **options: Any) -> Writer:
    return Writer(made or schema(), name=name, dt=DT, capacity=20_000, program="test", **options)


def wait_for(what: Callable[[], object], seconds: float = PATIENCE_S) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.005)


@contextmanager
def console(folder: Path, **options: Any) -> Iterator[tuple[Console, str]]:
    """A console on a port of its own; its address without http://."""
    made = Console(Settings(folder / "recordings", folder / "data", TOKEN, ring=RING, port=0, **options))
    with listening(made.settings.host, 0) as at:
        server = new_server(made)
        thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[at])))
        thread.start()
        wait_for(lambda: server.started)
        try:
            yield made, f"127.0.0.1:{at.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(PATIENCE_S)


def asking(address: str) -> httpx.Client:
    """A client of a console."""
    return httpx.Client(base_url=f"http://{address}", trust_env=False, timeout=PATIENCE_S)


@contextmanager
def beating(made: Writer, rate: int = 1000, **columns: Any) -> Iterator[None]:
    """Write records in real time, in a thread."""

    def write(stop: threading.Event) -> None:
        begun, done = time.monotonic(), made.head
        first = done
        while not stop.is_set():
            due = first + int((time.monotonic() - begun) * rate)
            if due > done:
                made.write(rows(done, due - done, **columns))
                done = due
            stop.wait(0.002)

    with in_background(write):
        yield


@contextmanager
def waiting(made: Writer) -> Iterator[None]:
    """Say in real time, in a thread, that the writer lives although it writes nothing; else it is lost after 1 s."""

    def beat(stop: threading.Event) -> None:
        while not stop.wait(0.1):
            made.beat()

    with in_background(beat):
        yield


@dataclass
class Page:
    """A page's side of the WebSocket; it keeps what came, by kind."""

    socket: ClientConnection
    texts: list[dict[str, Any]] = field(default_factory=list)

    async def send(self, **message: Any) -> None:
        await self.socket.send(json.dumps({k.removesuffix("_"): v for k, v in message.items()}))

    async def hello(self, client: str = "page", token: str | None = None, source: str = "live") -> dict[str, Any]:
        await self.send(do="hello", client=client, token=token, source=source)
        return await self.text("me")

    async def text(self, kind: str, seconds: float = PATIENCE_S) -> dict[str, Any]:
        """The next text of a kind; frames and others before it are passed over."""
        return await self._next(lambda m: isinstance(m, dict) and m["kind"] == kind, seconds)  # type: ignore

    async def frame(self, kind: str = "live", seconds: float = PATIENCE_S, ack: bool = True) -> Frame:
        found: Frame = await self._next(lambda m: isinstance(m, Frame) and m.header["kind"] == kind, seconds)
        if ack and kind == "live":
            await self.send(do="ack", frame=found.header["frame"])
        return found

    async def _next(self, wanted: Callable[[Any], bool], seconds: float) -> Any:
        async with asyncio.timeout(seconds):
            while True:
                raw = await self.socket.recv()
                message = json.loads(raw) if isinstance(raw, str) else decode(raw)
                if isinstance(message, dict):
                    self.texts.append(message)
                if wanted(message):
                    return message

    async def closed(self, seconds: float = PATIENCE_S) -> int:
        """The code with which the server closes."""
        async with asyncio.timeout(seconds):
            await self.socket.wait_closed()
        return self.socket.close_code or 0


@asynccontextmanager
async def page(address: str, **options: Any) -> AsyncIterator[Page]:
    async with connect(f"ws://{address}/ws", subprotocols=["motionbase.1"], proxy=None, **options) as socket:  # type: ignore
        yield Page(socket)


Served = tuple[Console, str, Writer]


@contextmanager
def served_ring(folder: Path) -> Iterator[Served]:
    """A console whose ring has 3000 records and a writer that waits."""
    with writer() as made, console(folder) as (server, address):
        made.write(rows(0, 3000))
        wait_for(lambda: (kept := server.source("live").history) is not None and kept.count >= 3000)
        yield server, address, made


@contextmanager
def served_api(folder: Path) -> Iterator[tuple[Console, httpx.Client]]:
    """A console whose ring has a hundred records of a base that drives, and who asks it."""
    with writer() as made, console(folder) as (server, address):
        made.write(rows(0, 100, state=5.0))
        wait_for(lambda: server.source("live").history and server.source("live").state == "live")
        with waiting(made), asking(address) as client:
            yield server, client
