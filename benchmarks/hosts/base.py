"""A base that follows a host, with real processes, for measurements."""

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import Skip
from motionbase.executive.host.source import with_port
from motionbase.interpreter import motionbase_command, python
from motionbase.record.states import State
from motionbase.ring.backend import FOLDER_VARIABLE, shared_folder
from motionbase.ring.reader import Reader

NAME, HZ = "bench-host", 2000  # every tick is recorded
FRAME_HZ = 100.0
PATIENCE_S = 120.0

HOST = f"""
import math, os, random, socket, sys, time
from contextlib import suppress
from motionbase.host.format import Frame, Kind
from motionbase.host.protocol.own import encoded
to, chance, k = ("127.0.0.1", int(sys.argv[1])), random.Random(2), 0
own = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
own.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
own.bind(("127.0.0.1", int(sys.argv[2])))
with suppress(OSError):  # else the loop, on this processor, decides when frames can leave: just after a tick
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(20))
with open(sys.argv[3], "w", buffering=1) as times:
    while True:
        time.sleep(chance.uniform(0.5, 1.5) / {FRAME_HZ})
        k, t, row = k + 1, time.monotonic(), [0.0] * 18
        row[2], row[3] = 1e-6 * (k % 20_000), 0.03 * math.sin(3.0 * t)  # heave tells the number of the frame
        row[9], row[15] = 0.09 * math.cos(3.0 * t), -0.27 * math.sin(3.0 * t)
        data = encoded(Frame(tuple(row), k, t, 1), Kind.POSE)
        t = time.monotonic()
        own.sendto(data, to)
        times.write(f"{{k}} {{t}}\\n")
"""


@dataclass
class Base:
    """A base that follows a host, in drive.

    Attributes:
        port: at which it hears the host, and from which the host sends
        times: file of the times at which frames were sent
        pid: of the process that hears the host
    """

    reader: Reader
    port: int
    source: int
    times: Path
    pid: int

    @property
    def sent(self) -> dict[int, float]:
        """When frames were given to the system, by their numbers [s]."""
        lines = (line.split() for line in self.times.read_text().splitlines()[:-1])
        return {int(k): float(t) for k, t in lines}

    def rows(self, seconds: float) -> NDArray[np.float64]:
        """Records of so long a time; a last column has the time of the clock at which some were seen, or inf."""
        found, end, looks = [], time.monotonic() + seconds, 0
        while time.monotonic() < end:
            time.sleep(5e-3)
            looks += 1
            found.append(self._seen(self.reader.read().rows, np.inf))
            watched = time.monotonic() + (1e-3 if looks % 10 == 0 else 0.0)
            while time.monotonic() < watched:  # the moment at which a record comes
                rows = self.reader.read().rows
                found.append(self._seen(rows, time.monotonic() if len(rows) == 1 else np.inf))
        return np.concatenate(found)

    def _seen(self, rows: NDArray[np.float64], at: float) -> NDArray[np.float64]:
        return np.column_stack([rows, np.full(len(rows), at)])

    def of(self, rows: NDArray[np.float64], channel: str) -> NDArray[np.float64]:
        return np.asarray(rows[:, self.reader.schema.place(channel)])

    def refused(self) -> int:
        """Datagrams counted as malformed or foreign so far."""
        rows = self.rows(0.3)
        return int(self.of(rows, "link_malformed")[-1] + self.of(rows, "link_foreign")[-1])

    def memory_mb(self) -> float:
        """Resident memory of the host's process."""
        text = Path(f"/proc/{self.pid}/status").read_text()
        return int(text.split("VmRSS:")[1].split()[0]) / 1024


@contextmanager
def base() -> Iterator[Base]:
    """`motionbase run simona --host` with its processes, once it drives."""
    url = with_port("udp://127.0.0.1:0")
    port = int(url.rpartition(":")[2])
    options = ("--host", url, "--rate", str(HZ), "--ring", NAME, "--no-console", "--no-record")
    with ExitStack() as undo:
        folder = undo.enter_context(tempfile.TemporaryDirectory(dir=shared_folder()))
        before = os.environ.get(FOLDER_VARIABLE)
        os.environ[FOLDER_VARIABLE] = folder
        undo.callback(restore, before)
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        run = subprocess.Popen(motionbase_command("run", "simona", *options), **quiet)  # type: ignore[call-overload]
        undo.callback(run.wait)
        undo.callback(run.send_signal, signal.SIGTERM)
        source, times = int(with_port("udp://:0").rpartition(":")[2]), Path(folder, "times")
        host = subprocess.Popen(python("-c", HOST, str(port), str(source), str(times)))
        undo.callback(host.wait)
        undo.callback(host.kill)
        end = time.monotonic() + PATIENCE_S
        while not Path(folder, f"motionbase-{NAME}").exists():
            _wait(run, end)
        reader = undo.enter_context(Reader(NAME, batch=20_000))
        state = -1.0
        while state != State.DRIVE:
            _wait(run, end)
            rows = reader.read().rows
            state = float(rows[-1, reader.schema.place("state")]) if len(rows) else state
        if not (pid := hearing(url)):
            raise Skip("no process hears the host")
        yield Base(reader, port, source, times, pid)


def _wait(run: "subprocess.Popen[bytes]", end: float) -> None:
    if run.poll() is not None or time.monotonic() > end:
        raise Skip("the base did not come to drive")
    time.sleep(0.02)


def hearing(url: str) -> int:
    """The process that hears a host for a base; 0 if there is none."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            parts = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if b"motionbase.executive.host" in parts and url.encode() in parts:
            return int(path.parent.name)
    return 0


def restore(value: str | None) -> None:
    """The folder of rings as it was."""
    if value is None:
        os.environ.pop(FOLDER_VARIABLE, None)
    else:
        os.environ[FOLDER_VARIABLE] = value
