"""A base, a console and a browser as people have them: real processes, a real page, nothing in between."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import final

import httpx
import numpy as np
from numpy.typing import NDArray

from motionbase.record.requests import operator_command
from motionbase.record.states import STATES
from motionbase.ring.blocks.commands import CommandSender
from motionbase.ring.reader import Reader
from tests.ports import reserved_port

RING = "rig"
TOKEN, VIEWER = "operator-token-of-a-test", "viewer-token-of-a-test"
PATIENCE_S = 120.0  # a busy machine compiles slowly; nothing waits longer than it has to
BASE = ("run", "simona", "--alone", "--ring", RING, "--rate", "200")
MANUAL = (*BASE, "--manual")
CONSOLE = ("console", "--ring", RING, "--no-browser")
Numbers = NDArray[np.float64]


def until(condition: Callable[[], object], what: str) -> None:
    """Wait for it, with patience; in tests only for what no page shows."""
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, f"not within {PATIENCE_S:g} s: {what}"
        time.sleep(0.02)


@final
@dataclass
class Rig:
    """The processes of a module, in folders of its own.

    `said`: what each process printed; a traceback in it fails the module.
    """

    folder: Path
    port: int
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    reader: Reader | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    @property
    def recordings(self) -> Path:
        return self.folder / "recordings"

    def start(self, name: str, *command: str) -> None:
        """`motionbase COMMAND`, called `name` here."""
        self.start_module(name, "motionbase", *command)

    def start_module(self, name: str, *command: str) -> None:
        """`python -m MODULE ...`."""
        with (self.folder / f"{name}.txt").open("ab") as said:
            self.running[name] = subprocess.Popen(
                [sys.executable, "-m", *command], stdout=said, stderr=said, preexec_fn=_end_with_parent
            )

    def start_base(self, *command: str) -> None:
        self.start("base", *(command or MANUAL))

    def start_console(self, *more: str) -> None:
        """Until it answers; further options come last, so that they count."""
        token, viewer = self.folder / "token", self.folder / "viewer_token"
        token.write_text(TOKEN)
        viewer.write_text(VIEWER)
        tokens = ("--token-file", str(token), "--viewer-token-file", str(viewer))
        options = ("--port", str(self.port), "--recordings", str(self.recordings), *tokens)
        self.start("console", *CONSOLE, *options, *more)
        until(self.answers, f"an answer of the console: {self.said('console')}")

    def get(self, path: str) -> httpx.Response:
        """As a viewer."""
        head = {"Authorization": f"Bearer {VIEWER}"}
        return httpx.get(f"{self.address}api/{path}", headers=head, trust_env=False, timeout=30.0)

    def answers(self) -> bool:
        with suppress(httpx.TransportError):
            return self.get("me").status_code == 200
        return False

    def end(self, name: str, how: signal.Signals = signal.SIGTERM) -> None:
        """Of a process that was started here."""
        process = self.running.pop(name)
        process.send_signal(how)
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise

    def said(self, name: str) -> str:
        return (self.folder / f"{name}.txt").read_text(errors="replace")

    def close(self) -> None:
        if self.reader:
            self.reader.close()
        for name in list(self.running):
            self.end(name)
        for path in self.folder.glob("*.txt"):
            assert "Traceback" not in path.read_text(errors="replace"), path.read_text(errors="replace")

    def ask(self, method: str, path: str, body: object = None, client: str = "script") -> httpx.Response:
        """As an operator's script, beside all pages."""
        headers = {"Authorization": f"Bearer {TOKEN}", "X-Client": client}
        return httpx.request(
            method, f"{self.address}api/{path}", json=body, headers=headers, timeout=60.0, trust_env=False
        )

    def newest(self) -> dict[str, float]:
        """The next record that the base writes, by name; read from the ring itself."""
        reader = self.reader = self.reader or Reader(RING)
        row: list[float] = []

        def has_come() -> bool:
            row[:] = (reader.wait(0.5).rows[-1:].tolist() or [row])[0]
            return bool(row) and reader.behind < 20

        until(has_come, "a record")
        return dict(zip((channel.name for channel in reader.schema.channels), row, strict=True))

    def history(self) -> tuple[dict[str, int], Numbers]:
        """All records that the ring still has, and the places of channels in them."""
        with Reader(RING, start="oldest", batch=100_000) as reader:
            batch = reader.wait(5.0)
            return dict(reader.schema.index), np.array(batch.rows)

    def until_state(self, *words: str) -> None:
        """By the records themselves, whatever a page says."""
        until(lambda: self.state() in words, f"state {' or '.join(words)}")

    def state(self) -> str:
        return STATES[int(self.newest()["state"])]

    def bring(self, wanted: str) -> None:
        """The base to off, down, standby or drive in maintenance, without a fault; as `motionbase operate` does."""
        sender = CommandSender(RING, sender="test")
        end = time.monotonic() + PATIENCE_S
        while True:
            row = self.newest()
            state, is_well = STATES[int(row["state"])], not row["fault"] and not row["estop"]
            if state == wanted and is_well:
                return
            assert time.monotonic() < end, f"the base is in {state} and does not come to {wanted}"
            action = _step(state, wanted) if is_well else "reset" if state in ("off", "down", "held") else None
            if action:
                sender.request(operator_command(action))


LADDER = ("off", "down", "standby", "drive")
DOWNWARDS = {"drive": "settle", "standby": "lower", "down": "off"}
ELSEWHERE = {"freeze": "settle", "held": "lower"}


def _step(state: str, wanted: str) -> str | None:
    """What to ask for; None while the base is on its way."""
    if state not in LADDER:
        return ELSEWHERE.get(state)
    here, there = LADDER.index(state), LADDER.index(wanted)
    return LADDER[here + 1] if there > here else DOWNWARDS[state]


def _end_with_parent() -> None:
    """Whatever ends the tests, their processes end too; where the system has no such thing, they end with `close`."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, ctypes.c_ulong(signal.SIGTERM))


@contextmanager
def rig(folder: Path) -> Iterator[Rig]:
    """Folders and environment; processes are started by whoever needs them."""
    names = {"MOTIONBASE_RING_FOLDER": folder / "rings", "MOTIONBASE_RING_DEVICE": "none"}
    names |= {"MOTIONBASE_DATA": folder / "data"}
    before = {name: os.environ.get(name) for name in names}
    os.environ |= {name: str(value) for name, value in names.items()}
    try:
        with reserved_port() as port, closing(Rig(folder, port)) as made:
            for path in (folder / "rings", made.recordings):
                path.mkdir()
            yield made
    finally:
        for name, value in before.items():
            os.environ.pop(name)
            os.environ |= {} if value is None else {name: value}
