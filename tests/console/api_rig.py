"""A console's routers as pages meet them, without a server's other parts: real rings, real files, real processes."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import APIRouter, FastAPI
from httpx import Client, Response

from motionbase.console.api import (
    alarms,
    cueing,
    derive,
    export,
    generators,
    layouts,
    operate,
    parameters,
    recorder,
    recordings,
    replay,
    scene,
    strip,
)
from motionbase.console.console import Console, Settings
from motionbase.console.live.head import ring_head, word
from motionbase.ring.blocks.generators import shown

TOKEN = "operator-token-of-a-test"
MODULES = (
    derive,
    operate,
    generators,
    parameters,
    recorder,
    strip,
    recordings,
    export,
    replay,
    layouts,
    scene,
    alarms,
    cueing,
)


@dataclass(frozen=True)
class Page:
    """A page with its headers, and what stands behind it."""

    client: Client
    console: Console
    headers: dict[str, str]

    def call(self, method: str, address: str, body: Any = None, **options: Any) -> Response:
        json = {} if body is None else {"json": body}
        return self.client.request(method, address, headers=self.headers, **json, **options)

    def get(self, address: str, **parameters: Any) -> Response:
        return self.call("GET", address, params=parameters)

    def refusal(self, status: int, method: str, address: str, body: Any = None, **options: Any) -> str:
        """The one sentence of a request that is refused."""
        answer = self.call(method, address, body, **options)
        assert answer.status_code == status, answer.text
        detail = answer.json()["detail"]
        assert isinstance(detail, str) and detail and "\n" not in detail and "Traceback" not in detail
        return detail

    def seen(self, **changes: Any) -> dict[str, Any]:
        """What a page that is up to date shows: the ring's own newest record, and the generators that are armed."""
        head = ring_head(self.console.settings.ring, self.console.source("live").backend)
        row = head.newest()
        assert row is not None
        words = {name: word(head.schema, row, name) for name in ("state", "mode")}
        version = shown(self.console.settings.ring)[0].version
        return {"t": float(row[0]), **words, "generators_version": version, **changes}

    def operate(self, action: str, **changes: Any) -> Response:
        """Ask for an action, as somebody who saw `changes` beside what there is."""
        return self.call("POST", "/api/operate", {"action": action, "seen": self.seen(**changes)})

    def anybody(self) -> Page:
        """Without a token."""
        return Page(self.client, self.console, {})

    def standing(self) -> Page:
        """With the token, without the seat."""
        return Page(self.client, self.console, {**self.headers, "X-Client": "another"})


@contextmanager
def page(folder: Path, ring: str = "rig") -> Iterator[Page]:
    """A seated operator's page."""
    settings = Settings(folder / "recordings", folder / "data", TOKEN, ring=ring)
    settings.recordings.mkdir(exist_ok=True)
    console = Console(settings)
    app = FastAPI()
    app.state.console = console
    for module in MODULES:
        made: Callable[[Console], APIRouter] = module.router
        app.include_router(made(console))
    console.start()
    console.access.seat.take("page", "tester")
    console.access.seat.arrived("page")  # as its WebSocket would: the seat is not left after a while
    try:
        with served(app) as address, Client(base_url=address, timeout=60.0, trust_env=False) as client:
            yield Page(client, console, {"Authorization": f"Bearer {TOKEN}", "X-Client": "page"})
    finally:
        console.close()


@contextmanager
def served(app: FastAPI) -> Iterator[str]:
    """By a server of its own, at the address that is given."""
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run)
    thread.start()
    wait_for(lambda: server.started)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10.0)


@contextmanager
def base(folder: Path, ring: str = "rig", platform: str = "simona") -> Iterator[subprocess.Popen[bytes]]:
    """A simulated base in maintenance mode, down, that waits for an operator; its ring is in `folder`."""
    environment = {**os.environ, "MOTIONBASE_RING_FOLDER": str(folder), "MOTIONBASE_RING_DEVICE": "none"}
    command = (sys.executable, "-m", "motionbase", "run", platform, "--alone", "--manual", "--ring", ring)
    with (folder / "base.txt").open("wb") as said:
        process = subprocess.Popen([*command, "--rate", "200"], env=environment, stdout=said, stderr=said)
        try:
            yield process
        finally:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(30)
            process.kill()
            process.wait()


def wait_for(what: Callable[[], bool], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.02)
