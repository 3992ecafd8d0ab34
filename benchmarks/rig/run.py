"""A base on a simulated rig, with all its processes: from a measurement of legs to the command made of it."""

from __future__ import annotations

import functools
import os
import subprocess
import tempfile
import time
from contextlib import ExitStack, closing
from pathlib import Path

import numpy as np

from benchmarks.harness import Benchmark, Samples, Settings, Skip
from motionbase.arrays import Array
from motionbase.executive.rig.process import processes
from motionbase.interpreter import motionbase_command
from motionbase.platform.load import load_platform
from motionbase.record.states import State
from motionbase.rig.files import load_rig
from motionbase.ring.backend import FOLDER_VARIABLE, shared_folder
from motionbase.ring.reader import Reader

RING, HZ = "bench-rig", 500
PATIENCE_S = 120.0
SECONDS, QUICK = 10.0, 4.0
MS = 1e3


@functools.cache
def latencies(settings: Settings, preset: str, platform: str) -> Array:
    """Every latency of so many seconds in which the platform rises or drives [s]."""
    rig = load_rig(preset, load_platform(platform))
    with ExitStack() as beside:
        folder = beside.enter_context(tempfile.TemporaryDirectory(dir=shared_folder(), prefix="bench-"))
        place = Path(beside.enter_context(tempfile.TemporaryDirectory(prefix="mb")))
        environment = {**os.environ, FOLDER_VARIABLE: folder}
        base = motionbase_command("run", platform, "--alone", "--rig", preset, "--ring", RING, "--rate", str(HZ))
        for command in (base, *(process.command for process in processes(rig, RING, platform, place))):
            quiet = subprocess.DEVNULL
            child = beside.enter_context(subprocess.Popen(command, env=environment, stdout=quiet, stderr=quiet))
            beside.callback(child.kill)
        os.environ[FOLDER_VARIABLE], before = folder, os.environ.get(FOLDER_VARIABLE)
        beside.callback(lambda: _restore(before))
        reader = beside.enter_context(closing(Reader(RING)))
        return _read(reader, QUICK if settings.quick else SECONDS)


def _restore(before: str | None) -> None:
    if before is None:
        os.environ.pop(FOLDER_VARIABLE, None)
    else:
        os.environ[FOLDER_VARIABLE] = before


def _read(reader: Reader, seconds: float) -> Array:
    """Once the legs follow."""
    end, found = time.monotonic() + PATIENCE_S, list[Array]()
    while time.monotonic() < end:
        rows = reader.wait(0.1).rows
        if not len(rows):
            continue
        index = reader.schema.index
        moving = rows[np.isin(rows[:, index["state"]], (State.RISING, State.ENGAGING, State.DRIVE))]
        if len(moving) and not found:
            end = time.monotonic() + seconds
        if len(moving):
            found.append(moving[:, index["rig_latency"]].copy())
        if rows[-1, index["fault"]]:
            raise Skip("the base stopped, because this machine was too busy")
    if not found:
        raise Skip(f"the legs did not follow within {PATIENCE_S:g} s")
    measured: Array = np.concatenate(found)
    return measured[measured > 0]


def latency(settings: Settings, preset: str, platform: str) -> Samples:
    """Median, with the tail beside it."""
    all_of_them = MS * latencies(settings, preset, platform)
    p99, longest = np.percentile(all_of_them, 99), all_of_them.max()
    return Samples((float(np.median(all_of_them)),), f"99 % {p99:.1f} ms, longest {longest:.1f} ms")


CASES = (
    ("drives", "emotion-1500", "six drives, cycle of 2 ms"),
    ("odu-onoff", "odu", "on/off valves, cycle of 5 ms"),
    ("smc3", "odu", "two SMC3 boards, cycle of 10 ms"),
)
BENCHMARKS = [
    Benchmark(
        f"rigs.latency_{preset.replace('-', '_')}_ms", "ms", None,
        f"median from a measurement to the command that the law made of it, {about}",
        functools.partial(lambda s, preset, platform: latency(s, preset, platform), preset=preset, platform=platform),
    )
    for preset, platform, about in CASES
]  # fmt: skip
