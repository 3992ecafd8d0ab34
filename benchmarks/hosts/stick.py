"""From a virtual gamepad's event to the acceleration of a simulated platform, with real processes."""

import functools
import os
import statistics
import subprocess
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import Benchmark, Samples, Settings, Skip
from benchmarks.hosts.base import restore
from benchmarks.peers.recorders import unpinned
from motionbase.errors import UsageError
from motionbase.interpreter import motionbase_command, python
from motionbase.record.states import State
from motionbase.ring.backend import FOLDER_VARIABLE, shared_folder
from motionbase.ring.reader import Reader
from motionbase.worlds.hands import sdl

ROOT = Path(__file__).resolve().parents[2]
WORLD = f"world://{Path(__file__).with_name('pushed_world.py')}:Pushed"
NAME, HZ = "bench-stick", 2000  # every tick is recorded
PATIENCE_S = 180.0
STEP = 0.6  # of the stick's travel from its middle
WARM_S = 1.5  # until the gamepad has taken over and the platform is quiet
BEFORE_S, AFTER_S, SLIP_S = 0.1, 0.4, 5e-3
SIGMAS, LEAST = 6.0, 0.01  # threshold above noise: standard deviations of the time before, at least so much [m/s^2]
IN_A_ROW = 4  # ticks
FEWEST = 6  # events

GAMEPAD = f"""
import random, sys, threading, time
sys.path.insert(0, {str(ROOT)!r})
from motionbase.executive.worlds import sticks
from tests.worlds.hands.virtual import Virtual

def play():
    time.sleep(0.3)
    pad, chance, side = Virtual(), random.Random(3), 1
    with open(sys.argv[2], "w", buffering=1) as times:
        while True:
            time.sleep(chance.uniform(0.7, 1.1))
            side = -side
            t = time.monotonic()
            pad.axis(0, side * {STEP})
            times.write(f"{{t}} {{side}}\\n")

threading.Thread(target=play, daemon=True).start()
sticks.main(sys.argv[1])
"""

HOST = f"""
import functools, sys
from motionbase.executive.host.process import main
from motionbase.executive.worlds import feed
from motionbase.executive.worlds.stick_ear import StickEar
from motionbase.interpreter import python
start = lambda choice: python("-c", {GAMEPAD!r}, choice, sys.argv[1])
feed.StickEar = functools.partial(StickEar, start=start)
main(sys.argv[2:])
"""


@dataclass(frozen=True)
class Moved:
    """One event: delays to the control of the world, to the demand of the cueing, and to the acceleration [s]."""

    world: float
    demand: float
    motion: float


def found(seconds: float) -> list[Moved]:
    """Measure events for a time [s]."""
    with unpinned(), ExitStack() as undo:
        folder = Path(undo.enter_context(tempfile.TemporaryDirectory(dir=shared_folder())))
        before = os.environ.get(FOLDER_VARIABLE)
        os.environ[FOLDER_VARIABLE] = str(folder)
        undo.callback(restore, before)
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        options = ("--alone", "--host", WORLD, "--rate", str(HZ), "--ring", NAME)
        run = subprocess.Popen(motionbase_command("run", "simona", *options), **quiet)  # type: ignore[call-overload]
        undo.callback(run.wait)
        undo.callback(run.terminate)
        times = folder / "times"
        host = subprocess.Popen(python("-c", HOST, str(times), WORLD, NAME, "simona", "virtual"), **quiet)  # type: ignore[call-overload]
        undo.callback(host.wait)
        undo.callback(host.terminate)
        end = time.monotonic() + PATIENCE_S
        while not (folder / f"motionbase-{NAME}").exists():
            _wait(run, end)
        reader = undo.enter_context(Reader(NAME, batch=20_000))
        state = -1.0
        while state != State.DRIVE or not times.exists():
            _wait(run, end)
            rows = reader.read().rows
            state = float(rows[-1, reader.schema.place("state")]) if len(rows) else state
        time.sleep(WARM_S)
        return _judged(*_watched(reader, seconds), reader, times)


def _watched(reader: Reader, seconds: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Records, each with the time by which it had been seen."""
    reader.read()
    rows, seen, end = [], [], time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(1e-3)
        batch = reader.read().rows
        rows.append(batch.copy())
        seen.append(np.full(len(batch), time.monotonic()))
    return np.concatenate(rows), np.concatenate(seen)


def _judged(rows: NDArray[np.float64], seen: NDArray[np.float64], reader: Reader, times: Path) -> list[Moved]:
    """Delays of the events. A tick is at origin + tick * dt; the origin is the least clock - tick * dt seen near it."""

    def of(name: str) -> NDArray[np.float64]:
        return np.asarray(rows[:, reader.schema.place(name)])

    t, late = of("tick") / HZ, of("lateness")
    push, demand, acc = of("control_push"), of("host_surge_ddot"), of("acc_x")
    events = [tuple(map(float, line.split())) for line in times.read_text().splitlines()[:-1]]
    made = []
    for at, side in events:
        near = np.abs(seen - at) < 0.5
        if not near.any() or late[near].max() > SLIP_S:
            continue  # the origin of time has moved
        clock = t + np.min((seen - t - late)[near])
        if clock[0] > at - BEFORE_S or clock[-1] < at + AFTER_S:
            continue
        goes = np.flatnonzero((clock > at) & (clock < at + AFTER_S))
        told = goes[push[goes] * side > 0]
        asked, moved = (_beyond(clock, x, at, goes) for x in (demand, acc))
        if len(told) and moved is not None and asked is not None:
            made.append(Moved(float(clock[told[0]]) - at, asked - at, moved - at))
    return made


def _beyond(clock: NDArray[np.float64], x: NDArray[np.float64], at: float, goes: NDArray[np.int64]) -> float | None:
    """When a signal leaves the parabola fitted to the time before an event by more than its noise there."""
    before = (clock > at - BEFORE_S) & (clock <= at)
    fit = np.polynomial.Polynomial.fit(clock[before] - at, x[before], 2)
    limit = max(LEAST, SIGMAS * float(np.std(x[before] - fit(clock[before] - at))))
    out = np.abs(x[goes] - fit(clock[goes] - at)) > limit
    held = np.flatnonzero(np.convolve(out, np.ones(IN_A_ROW), "valid") == IN_A_ROW)
    return float(clock[goes[held[0]]]) if len(held) else None


def _wait(run: "subprocess.Popen[bytes]", end: float) -> None:
    if run.poll() is not None or time.monotonic() > end:
        raise Skip("the base did not come to drive")
    time.sleep(0.02)


@functools.cache
def measured(settings: Settings) -> tuple[Moved, ...]:
    """The events of one run."""
    try:
        sdl.sdl()
    except UsageError as error:
        raise Skip(str(error)) from None
    made = found(9.0 if settings.quick else 60.0)
    if len(made) < FEWEST:
        raise Skip(f"only {len(made)} events were followed")
    return tuple(made)


def to_motion(settings: Settings) -> Samples:
    """Medians of groups of events; their quartiles show the scatter."""
    made = measured(settings)
    ms = {name: [1e3 * getattr(one, name) for one in made] for name in ("world", "demand", "motion")}
    steps = ", ".join(f"to the {name} {np.median(x):.1f} / {np.percentile(x, 99):.1f} ms" for name, x in ms.items())
    groups = tuple(statistics.median(ms["motion"][k::5]) for k in range(5))
    return Samples(groups, f"{len(made)} events, p50 / p99: {steps}")


BENCHMARKS = [
    Benchmark(
        "worlds.stick_to_motion_ms_p50", "ms", "<= 40",
        "event of a gamepad to the acceleration of a simulated platform beyond noise", to_motion,
    ),
]  # fmt: skip
