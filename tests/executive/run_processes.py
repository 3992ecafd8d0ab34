"""Processes of a run for the tests; imported by a supervisor in a process of its own, so it imports little."""

from __future__ import annotations

import sys
from typing import Any

from motionbase.executive.process import Process, Role

WRITER = """
import os, sys
import numpy as np
from motionbase.executive import Executive, Job, Mode, RealTime, Schedule
from motionbase.record.schema import Channel, Schema
from motionbase.ring.writer import Writer
valve = np.ones(1)
names = (("t", "s"), ("tick", "-"), ("valve", "-"))
schema = Schema("s", tuple(Channel(n, u, n, "g" + n) for n, u in names))
def law(tick):
    if tick == int(sys.argv[1]):
        raise ZeroDivisionError("no pressure")
with Writer(schema, name="rig", dt=2e-3, capacity=20_000) as writer:
    report = Executive(
        Schedule(2e-3, (Job("law", 1, law),)), writer, Mode.REAL_TIME, channels={"valve": valve},
        safe_stop=[Job("close", 1, lambda k: valve.fill(0.0))],
        realtime=RealTime(priority=None, lock_memory=False), exit_with_parent=os.getppid(),
    ).run(ticks=int(sys.argv[2]) or None)
print(report.stop.name, flush=True)
if report.failed:
    sys.exit(report.why)
"""
SLEEPER = "import time; print('up', flush=True); time.sleep(1000)"
WITNESS = """
import signal, sys, time
from motionbase.ring.reader import Reader
reader, asked, last = Reader("rig", start="oldest"), [], None
signal.signal(signal.SIGTERM, lambda *_: asked.append(1))
print("up", flush=True)
while not asked:
    if len(rows := reader.wait(0.05).rows):
        last = rows[-1].copy()
print("saw valve", last[2], reader.state.value, flush=True)
"""
STUBBORN = "import signal, time; signal.signal(15, signal.SIG_IGN); print('up', flush=True); time.sleep(1000)"
WRITER_ENDS_S = 60.0  # a busy machine takes seconds to end an interpreter; one that is killed instead is a failure
MOTHER = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {SLEEPER!r}]).wait()"


def python(name: str, script: str, *args: str, **options: Any) -> Process:
    return Process(name, (sys.executable, "-c", script, *args), **options)


def writer(fails_at: int = -1, ticks: int = 0) -> Process:
    return python("writer", WRITER, str(fails_at), str(ticks), role=Role.WRITER, stop_s=WRITER_ENDS_S)
