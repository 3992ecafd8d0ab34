"""The recorder as a process: killed at any moment, ended politely, started by a supervisor."""

import json
import os
import random
import runpy
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from motionbase.errors import RecordingError
from motionbase.executive.supervisor import Process, Role, Supervisor
from motionbase.recording.open import open_recording
from motionbase.recording.recorder import control as control
from motionbase.recording.recorder.process import STOP_S
from motionbase.recording.recorder.process import command as recorder_command
from motionbase.ring.pace import Pace
from motionbase.ring.writer import Writer
from tests.background import in_background
from tests.recording.recorder_rig import DT, events_in, files, records_in, rows, until, writer
from tests.ring.ring_processes import command
from tests.ring.ring_processes import until as patiently

SOAK = Path(__file__).resolve().parents[2] / "scripts" / "soak"
DCU = ("dcu", "--rate", "500", "--duration", "1")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MOTIONBASE_RING_FOLDER", str(tmp_path))
    monkeypatch.setenv("MOTIONBASE_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("MOTIONBASE_RING_DEVICE", raising=False)
    return tmp_path


def _has_grown(path: Path) -> bool:
    return path.exists() and path.stat().st_size > 20_000


@contextmanager
def writing(ring: Writer) -> Iterator[None]:
    """Records in real time, from a thread."""

    def run(stop: threading.Event) -> None:
        pace = Pace(1 / DT)
        while not stop.is_set():
            if count := pace.due():
                ring.write(rows(ring.head, count))
            pace.rest(stop)

    with in_background(run):
        yield


@pytest.mark.parametrize("is_writing", [True, False])
def test_a_killed_recorder_leaves_a_file_that_opens_and_has_lost_next_to_nothing(
    folder: Path, is_writing: bool
) -> None:
    """While records come, or with a last chunk that is not full; how much a chunk holds is tested elsewhere."""
    path = folder / "killed.mcap"
    with writer(capacity=20_000) as ring:
        with command(folder, "record", "--ring", "rig", "--out", str(path)) as process:
            with writing(ring):
                until(partial(_has_grown, path))
                time.sleep(random.Random(7).uniform(0.0, 0.3))
                written = control.status("rig")["written"]
                if is_writing:
                    process.kill()
            until(lambda: is_writing or records_in(path)[-1, 1] == ring.head - 1)
            process.kill()
        with open_recording(path) as found:
            assert [d for d in found.damage if "no end" in d.text]
        numbers = records_in(path)[:, 1].astype(int)
        np.testing.assert_array_equal(numbers, np.arange(numbers[0], numbers[-1] + 1))
        assert written <= len(numbers), "what it said to have written"
        assert is_writing or numbers[-1] == ring.head - 1
        assert (folder / "motionbase-rig.recorder").exists(), "its socket is left, and is no hindrance to the next"


def test_a_polite_kill_ends_the_file_after_the_last_record(folder: Path) -> None:
    with writer() as ring, command(folder, "record", "--ring", "rig", "--out", str(folder), "--json") as process:
        until(lambda: (folder / "motionbase-rig.recorder.json").exists())
        ring.write(rows(0, 500))
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=30)
    (path,) = files(folder)
    result = json.loads(out)
    assert process.returncode == 0 and result["written"] == 500 and result["complete"] and "writer: live" in err
    assert path.name.endswith("Z_rig.mcap") and records_in(path)[:, 1].tolist() == list(range(500))
    with open_recording(path) as found:
        assert list(found.damage) == []


def test_a_supervised_recorder_has_the_whole_run(folder: Path) -> None:
    lines: list[str] = []
    processes = (
        Process("recorder", recorder_command("rig", out=folder / "runs"), stop_s=STOP_S),
        Process("dcu", (sys.executable, "-m", "motionbase", *DCU, "--ring", "rig"), Role.WRITER),
    )
    ending = Supervisor(processes, out=lines.append, err=lines.append).run()
    assert ending.code == 0, lines
    (path,) = files(folder / "runs")
    with open_recording(path) as found:
        ticks = found.columns("tick")["tick"]
        np.testing.assert_array_equal(ticks, np.arange(len(ticks)))
        assert len(ticks) == 500 and list(found.damage) == []
    assert "writer stopped" in events_in(path, "writer")
    with pytest.raises(RecordingError, match="nobody records"):
        control.status("rig")


@pytest.mark.parametrize("kills", [3, pytest.param(260, marks=pytest.mark.long("up to half an hour"))])
def test_a_recorder_killed_again_and_again_from_its_start_on_has_every_record_once(folder: Path, kills: int) -> None:
    """At any moment: while it starts, before its file has a name, with its first record, later."""
    out, moments = folder / "runs", random.Random(3)
    recording, starting_s = ("record", "--ring", "rig", "--after", "0", "--out", str(out)), 1.0
    with writer(capacity=300_000) as ring, writing(ring):
        for turn in range(kills):
            with command(folder, *recording) as process:
                if turn % 2:
                    begin = time.monotonic()
                    patiently(partial(_is_recording, process.pid), "it records")
                    starting_s = time.monotonic() - begin
                    time.sleep(moments.uniform(0.0, 0.3))
                else:
                    time.sleep(moments.uniform(0.0, 1.5 * starting_s))
                process.kill()
                process.wait()
            for path in files(out):
                with open_recording(path) as found:
                    assert path.stat().st_size and found.count >= 0
        with command(folder, *recording) as process:
            patiently(partial(_is_recording, process.pid), "it records")
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=60)
        assert process.returncode == 0
    numbers = np.concatenate([records_in(path)[:, 1] for path in files(out)]).astype(int)
    np.testing.assert_array_equal(numbers, np.arange(len(numbers)))
    assert [e for path in files(out) for e in events_in(path, "gap")] == []
    assert not list(out.glob(".*.mcap.*.part")), "nothing is left of files that had no name yet"


def _is_recording(pid: int) -> bool:
    with suppress(RecordingError):
        status = control.status("rig")
        return bool(status["pid"] == pid and status["written"])
    return False


def test_the_recorder_starts_without_what_it_does_not_need() -> None:
    """On a busy machine imports take most of the time from a kill to the next record."""
    unwanted = "[m for m in ('casadi', 'typer', 'rich') if m in sys.modules]"
    code = f"import sys, motionbase.recording.recorder.main; print({unwanted})"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


def test_the_soak_tells_what_grew_since_a_process_did_its_work(tmp_path: Path) -> None:
    """A starved console that listens after half a minute has not grown by its sockets."""
    soak = runpy.run_path(str(SOAK))
    life, pid = soak["Life"](since=0.0), os.getpid()
    soak["followed"](life, "console", pid, 0, 40.0)
    assert life.first is None and life.grown.files.total() == 0, "it has answered nobody yet"
    soak["followed"](life, "console", pid, pid, 41.0)
    with ExitStack() as stack:
        for _ in range(9):
            stack.enter_context(socket.socket())
        stack.enter_context((tmp_path / "a.mcap").open("wb"))
        soak["followed"](life, "console", pid, pid, 42.0)
    assert soak["kinds"](life.grown.files) == "+9 sockets, +1 recordings" and soak["is_leak"](life.grown)


def test_the_soak_has_help_with_an_example() -> None:
    told = subprocess.run([sys.executable, str(SOAK), "--help"], capture_output=True, text=True)
    assert told.returncode == 0 and "Example: uv run scripts/soak 30" in told.stdout


@pytest.mark.long("three minutes")
def test_the_soak_loses_nothing() -> None:
    soaked = subprocess.run([sys.executable, str(SOAK), "3"], capture_output=True, text=True)
    assert soaked.returncode == 0, soaked.stdout + soaked.stderr
