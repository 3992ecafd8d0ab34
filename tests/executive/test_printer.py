"""Nobody who must act waits for somebody who reads: a blocked output costs lines, never the stop."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from motionbase.ring import catalogue
from motionbase.ring.printer import Printer
from tests.executive.run_processes import WRITER

PATIENCE_S = 60.0  # for other processes to start or end, on a machine that does much else
ROOT = Path(__file__).resolve().parents[2]


def test_lines_come_in_order() -> None:
    said = list[str]()
    printer = Printer(said.append)
    for k in range(50):
        printer(str(k))
    printer.close(PATIENCE_S)
    assert said == [str(k) for k in range(50)] and printer.dropped == 0


def test_a_blocked_reader_costs_lines_and_is_told_how_many() -> None:
    said, free = list[str](), threading.Event()

    def say(line: str) -> None:
        free.wait(PATIENCE_S)
        said.append(line)

    printer = Printer(say, lines=5)
    printer("first")
    end = time.monotonic() + PATIENCE_S
    while printer._queue.qsize() and time.monotonic() < end:  # until the thread has it in hand
        time.sleep(1e-3)
    for k in range(20):
        printer(str(k))
    begin = time.monotonic()
    printer.close(0.1)
    assert time.monotonic() - begin < 5 and said == []
    assert printer.dropped == 15
    free.set()
    printer.close(PATIENCE_S)
    assert said == ["first", "15 lines were dropped because the output was blocked", "0", "1", "2", "3", "4"]


def test_what_fails_is_kept_and_the_rest_is_said() -> None:
    said = list[str]()

    def say(line: str) -> None:
        if line == "bad":
            raise BrokenPipeError("gone")
        said.append(line)

    printer = Printer(say)
    for line in ("a", "bad", "b"):
        printer(line)
    printer.close(PATIENCE_S)
    assert said == ["a", "b"] and isinstance(printer.error, BrokenPipeError)


EXECUTIVE = """
import sys, time
from pathlib import Path
from motionbase.executive import Executive, Job, RealTime, Schedule
def job(tick):
    end = time.perf_counter() + 0.0095
    while time.perf_counter() < end:
        pass
def warn(text):
    Path(sys.argv[1] + ".warned").touch()
    print(text * 2000, file=sys.stderr, flush=True)
print("ready", flush=True)
Executive(
    Schedule(1e-2, (Job("busy", 1, job),)), safe_stop=[Job("close", 1, lambda tick: Path(sys.argv[1]).touch())],
    realtime=RealTime(priority=None, lock_memory=False), on_warning=warn,
).run()
"""


def until(path: Path) -> None:
    end = time.monotonic() + PATIENCE_S
    while not path.exists():
        assert time.monotonic() < end, f"{path} is not there after {PATIENCE_S:g} s"
        time.sleep(0.01)


def test_an_executive_with_a_blocked_stderr_makes_its_safe_stop(tmp_path: Path) -> None:
    safe = tmp_path / "safe"
    child = subprocess.Popen(
        [sys.executable, "-c", EXECUTIVE, str(safe)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        until(tmp_path / "safe.warned")  # and now it is blocked: the pipe takes 64 KiB
        child.send_signal(signal.SIGTERM)
        until(safe)
    finally:
        child.kill()
        child.communicate()


SUPERVISOR = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from tests.executive.run_processes import python, writer
from motionbase.executive.supervisor import Supervisor
talker = "import pathlib, sys, time\\nfor k in range(3000): print('x' * 200, flush=True)\\n"
talker += "pathlib.Path(sys.argv[1]).touch()\\ntime.sleep(1000)"
processes = [writer(), python("talker", talker, sys.argv[2] + "/said")]
ending = Supervisor(processes, ring="rig", folder=Path(sys.argv[2])).run()
sys.exit(ending.code if ending.why == "SIGTERM came" else 9)
"""


def test_a_supervisor_whose_output_nobody_reads_stops_its_processes(tmp_path: Path) -> None:
    """The talker says ten times what the pipe holds, and must be able to end saying it."""
    child = subprocess.Popen([sys.executable, "-c", SUPERVISOR, str(ROOT), str(tmp_path)], stdout=subprocess.PIPE)
    try:
        until(tmp_path / "said")
        until(tmp_path / "motionbase-rig")
        while catalogue.entry("rig").head < 5:  # it writes, so it hears signals by now
            time.sleep(0.01)
        child.send_signal(signal.SIGTERM)
        assert child.wait(PATIENCE_S) == 0
    finally:
        child.kill()
        child.communicate()
    assert catalogue.entries() == []


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGQUIT])
def test_a_closed_terminal_ends_a_writer_safely(number: signal.Signals, tmp_path: Path) -> None:
    child = subprocess.Popen([sys.executable, "-c", WRITER, "-1", "0"], stdout=subprocess.PIPE, text=True)
    try:
        until(tmp_path / "motionbase-rig")
        while catalogue.entry("rig").head < 5:
            time.sleep(0.01)
        child.send_signal(number)
        said, _ = child.communicate(timeout=PATIENCE_S)
    finally:
        child.kill()
        child.wait()
    assert child.returncode == 0 and said == "SIGNAL\n" and catalogue.entries() == []


def test_under_nohup_a_hangup_stays_ignored(tmp_path: Path) -> None:
    command = ["sh", "-c", "trap '' HUP; exec \"$@\"", "sh", sys.executable, "-c", WRITER, "-1", "0"]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        until(tmp_path / "motionbase-rig")
        while catalogue.entry("rig").head < 5:
            time.sleep(0.01)
        os.kill(child.pid, signal.SIGHUP)
        head = catalogue.entry("rig").head
        while catalogue.entry("rig").head < head + 50:
            assert child.poll() is None
            time.sleep(0.01)
        child.terminate()
        assert child.communicate(timeout=PATIENCE_S)[0] == "SIGNAL\n"
    finally:
        child.kill()
        child.wait()
