"""A real console as a process, with a page of the benchmark's choice, and its processor time."""

import json
import os
import re
import shutil
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from benchmarks.harness import Skip
from benchmarks.peers.recorders import PATIENCE_S, process, until
from motionbase.console.console import STATIC
from motionbase.interpreter import motionbase_command, python

STATIC_VARIABLE, DATA_VARIABLE = "MOTIONBASE_CONSOLE_STATIC", "MOTIONBASE_DATA"
HERE = Path(__file__).parent
ROOT = HERE.parents[1]
UPLOT = ROOT / "web" / "node_modules" / "uplot" / "dist"
BARE = "bare"  # address of the page with uPlot alone


MODULE = """
import runpy, sys
sys.path.insert(0, sys.argv.pop(1))
runpy.run_module(sys.argv.pop(1), run_name="__main__", alter_sys=True)
"""


def program(module: str, *arguments: str) -> tuple[str, ...]:
    """The command of a module of the benchmarks, from any folder."""
    return python("-c", MODULE, str(ROOT), module, *arguments)


def load() -> str:
    """Load of the machine, for a note."""
    return f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"


@dataclass(frozen=True)
class Console:
    """A running console.

    Attributes:
        address: "http://127.0.0.1:PORT"; viewing needs no token here
        pid: process id of the server
    """

    address: str
    pid: int

    @property
    def socket(self) -> str:
        """Address of the WebSocket."""
        return f"ws://{urlsplit(self.address).netloc}/ws"

    def status(self) -> dict[str, Any]:
        """The result of `/api/status`."""
        with urllib.request.urlopen(f"{self.address}/api/status", timeout=PATIENCE_S) as answer:
            found: dict[str, Any] = json.load(answer)
            return found

    def cpu_s(self) -> float:
        """Processor time so far, of all threads, user and system [s]."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def built_page() -> Path:
    """The page of the console; raises `Skip` if it was not built."""
    folder = Path(os.environ.get(STATIC_VARIABLE) or STATIC)
    if not (folder / "index.html").is_file():
        raise Skip("the page of the console is not built; `npm ci` and `npm run build` in web/ do it")
    return folder


def pages(folder: Path) -> Path:
    """The console's page and, beside it, uPlot alone: one server serves both, so that both receive the same data."""
    shutil.copytree(built_page(), folder, dirs_exist_ok=True)
    bare = folder / BARE
    bare.mkdir()
    shutil.copy(HERE / "console_uplot.html", bare / "index.html")
    shutil.copy(HERE / "console_uplot.js", bare / "page.js")
    for name in ("uPlot.iife.min.js", "uPlot.min.css"):
        if not (UPLOT / name).is_file():
            raise Skip("uPlot is not in web/node_modules; `npm ci` in web/ brings it")
        shutil.copy(UPLOT / name, bare / name)
    return folder


@contextmanager
def served(ring: str, disk: Path, static: Path | None = None) -> Iterator[Console]:
    """A console of a ring that is being written; it keeps its files in a folder of the benchmark."""
    command = motionbase_command("console", "--ring", ring, "--port", "0", "--no-browser",
               "--anyone-may-view", "--recordings", str(disk))  # fmt: skip
    given = {DATA_VARIABLE: str(disk / "data"), **({STATIC_VARIABLE: str(static)} if static else {})}
    before = {name: os.environ.get(name) for name in given}
    os.environ.update(given)
    try:
        with process(*command) as server:
            assert server.stdout is not None
            address = re.search(r"http://[^/\s]+", server.stdout.readline())
            if address is None:
                raise Skip(f"the console did not start (exit code {server.wait(PATIENCE_S)})")
            made = Console(address[0], server.pid)
            until(lambda: _is_live(made), "the console showed no records")
            yield made
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _is_live(console: Console) -> bool:
    time.sleep(0.05)
    return any(ring["state"] == "live" for ring in console.status()["sources"])
