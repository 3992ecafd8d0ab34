"""`motionbase run --host`: what it refuses, and whole runs with a host that is killed, or a program of one's own."""

from __future__ import annotations

import math
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.hosts.base import hearing
from motionbase.arrays import Array
from motionbase.cli.main import main as call
from motionbase.executive.base_setup import BaseOptions
from motionbase.executive.host.source import Shared, host_source, told_by, with_port
from motionbase.host.format import Frame, Kind
from motionbase.host.protocol.own import answer_of, encoded
from motionbase.host.url import Udp
from motionbase.record.cueing import Follows
from motionbase.record.states import State
from motionbase.ring.reader import Reader
from tests.quick_platform import quick_platform
from tests.ring.ring_processes import PATIENCE_S, command, until

Capture = pytest.CaptureFixture[str]
VEHICLE = "udp://127.0.0.1:8730?format=motionbase-vehicle"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MOTIONBASE_RING_FOLDER", str(tmp_path))
    monkeypatch.delenv("MOTIONBASE_RING_DEVICE", raising=False)
    return tmp_path


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (["simona", "--host", "udp//127.0.0.1"], "'udp//127.0.0.1' is no URL"),
        (["simona", "--host", "boats"], "'boats' is no URL and no world; worlds are boat, flight, drive"),
        (["simona", "--host", "shared://poses"], "no kind 'poses'; did you mean 'pose'?"),
        (["simona", "--host", "udp://127.0.0.1?format=motionbas"], "no format 'motionbas'; did you mean"),
        (["simona", "--host", "manoeuvre://landing?sink=99"], "sink is 99 m/s, it must be 0.1 to 3.5 m/s"),
        (["simona", "--cueing", "simona"], "--cueing simona: motion cueing follows a host; add --host URL"),
        (["simona", "--host", "udp://", "--algorithm", "optimal"], "such as udp://127.0.0.1:49003?format=xplane"),
        (["simona", "--host", VEHICLE, "--cueing", "nobody"], "no cueing set 'nobody'"),
        (["simona", "--host", VEHICLE, "--algorithm", "clasical"], "no cueing algorithm 'clasical'"),
        (["simona", "--host", VEHICLE, "--forecast", "preview"], "only --algorithm predictive looks ahead"),
        (["atlas", "--host", VEHICLE], "it tells a vehicle's motion, and a sphere follows poses only"),
        (["simona", "--host", "boat", "--joystick", "gone.toml"], "gone.toml: cannot be read: No such file"),
        (["simona", "--host", VEHICLE, "--joystick", "stick"], "is no world that it could steer"),
        (["simona", "--joystick", "stick"], "--joystick stick: it steers a world; add --host boat, or another one"),
        (["robot", "--host", "udp://"], "--host is for platforms, and 'robot' is a multibody model"),
    ],
)
def test_bad_calls_are_refused_in_a_sentence(capsys: Capture, given: list[str], sentence: str) -> None:
    assert call(["run", *given, "--alone"]) == 2
    assert sentence in capsys.readouterr().err


def test_sources() -> None:
    assert host_source("shared://vehicle") == Shared("shared://vehicle", Kind.VEHICLE)
    assert told_by(host_source(VEHICLE)) is Kind.VEHICLE and told_by(host_source("udp://")) is Kind.POSE
    for text in ("udp://127.0.0.1:0?format=motionbase", "udp://127.0.0.1:0", "udp://[::1]:0/"):
        found = host_source(with_port(text))
        assert isinstance(found, Udp) and found.port > 0 and found.form.name == "motionbase"
    for text in ("udp://127.0.0.1:8730", "udp://127.0.0.1:8700?from=10.0.0.0/8", "file://a:0"):
        assert with_port(text) == text


def test_a_port_that_is_taken_is_refused_before_anything_starts(capsys: Capture) -> None:
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        assert call(["run", "simona", "--host", f"udp://127.0.0.1:{port}", "--no-console", "--no-record"]) == 2
    assert f"cannot listen at UDP port {port}: Address already in use" in capsys.readouterr().err


def test_a_base_that_is_restarted_hears_the_same_host() -> None:
    """And is at rest; its process of the host stays as it is."""
    given: dict[str, Any] = {
        "host": "udp://127.0.0.1:4444?format=beamng",
        "cueing": "simona",
        "algorithm": "adaptive",
        "joystick": "pad",
    }
    options = BaseOptions("simona", "rig", 100, None, None, False, None, None, **given)
    words = options.at_rest().command()
    for name, value in given.items():
        assert words[words.index(f"--{name}") + 1] == value
    assert "--manual" in words and words[words.index("--generators") + 1] == "none"


# ---- whole runs ----------------------------------------------------------------------------------------------------


class Host:
    """Sends frames, 100 a second, until it is told to pause or end; the answers tell it the state."""

    def __init__(self, port: int, kind: Kind) -> None:
        self._to, self._kind, self.state, self.sent = ("127.0.0.1", port), kind, -1, 0
        self.sends, self._over = threading.Event(), threading.Event()
        self.sends.set()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as own:
            own.setblocking(False)
            while not self._over.wait(0.01):
                self.sends.wait()
                self.sent += 1
                frame = Frame(self._row(time.monotonic()), self.sent, 0.0, 3)
                try:
                    own.sendto(encoded(frame, self._kind), self._to)
                    if (answer := answer_of(own.recv(1000))) is not None:
                        self.state = answer.status.state
                except OSError:  # not there yet, or again
                    continue

    def _row(self, t: float) -> tuple[float, ...]:
        w = 2 * math.pi * 0.5
        if self._kind is Kind.VEHICLE:
            return (math.sin(w * t), 0.0, 9.80665, *(0.0,) * 9, 1.0)
        row = [0.0] * 18
        row[3::6] = [0.03 * math.sin(w * t), 0.03 * w * math.cos(w * t), -0.03 * w * w * math.sin(w * t)]
        return tuple(row)

    def __enter__(self) -> Host:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self.sends.set()
        self._thread.join()


@contextmanager
def running(folder: Path, host: str, *more: str, platform: str = "") -> Iterator[subprocess.Popen[str]]:
    options = ("--host", host, "--no-console", "--no-record", "--ring", "hosted", *more)
    with command(folder, "run", platform or quick_platform(folder), *options) as run:
        yield run
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=PATIENCE_S)
        assert run.returncode == 0, out + err
        assert "Traceback" not in err and "fault" not in out


def reader_of(folder: Path) -> Reader:
    until((folder / "motionbase-hosted").exists, "the ring")
    return Reader("hosted")


def wait_for(reader: Reader, channel: str, *values: float) -> None:
    """Until a channel has one of these values."""

    def has_come() -> bool:
        rows = reader.wait(0.5).rows
        return bool(len(rows)) and rows[-1, reader.schema.place(channel)] in values

    until(has_come, f"{channel} {values}")


@pytest.mark.long("a base in real time that rises, settles and drives again: half a minute")
@pytest.mark.parametrize("kind", [Kind.POSE, Kind.VEHICLE])
def test_the_loop_goes_on_when_the_process_is_killed_and_the_host_is_heard_again(folder: Path, kind: Kind) -> None:
    form = "motionbase" if kind is Kind.POSE else "motionbase-vehicle"
    url = with_port(f"udp://127.0.0.1:0?format={form}")
    source = host_source(url)
    assert isinstance(source, Udp)
    with running(folder, url), Host(source.port, kind) as host:
        reader = reader_of(folder)
        wait_for(reader, "state", State.DRIVE)
        until(lambda: host.state == State.DRIVE, "an answer that says so")
        last = reader.wait(1.0).rows[-1]
        frames = last[reader.schema.place("link_frames")]
        os.kill(hearing(url), signal.SIGKILL)
        until(lambda: reader.wait(0.5).rows[-1, reader.schema.place("link_frames")] > frames + 200, "frames again")
        host.sends.clear()
        wait_for(reader, "state", State.STANDBY)
        host.sends.set()
        wait_for(reader, "state", State.DRIVE)
        assert reader.lost == 0


@pytest.mark.long("a sphere in real time that follows a host: a quarter of a minute")
def test_a_sphere_follows_a_hosts_poses(folder: Path) -> None:
    url = with_port("udp://127.0.0.1:0")
    source = host_source(url)
    assert isinstance(source, Udp)
    with running(folder, url, platform="atlas"), Host(source.port, Kind.POSE):
        reader = reader_of(folder)
        wait_for(reader, "state", State.DRIVE)
        rows: list[Array] = []
        while len(rows) < 300:
            rows += list(np.array(reader.wait(0.5).rows))
        column = np.array(rows)[:, reader.schema.place("sphere_roll")]
        assert np.ptp(column) > 0.04
        assert rows[-1][reader.schema.place("link_frames")] > 200


class Said:
    """What a process has printed so far."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        self._out, self._text = process.stdout.fileno(), ""
        os.set_blocking(self._out, False)

    def has(self, sentence: str) -> bool:
        with suppress(BlockingIOError):
            self._text += os.read(self._out, 65536).decode()
        return sentence in self._text


@pytest.mark.long("a base, its host and its planner in real time: half a minute")
@pytest.mark.parametrize("is_sent", [False, True], ids=["played", "sent"])
def test_the_planner_knows_what_the_host_knows_until_the_host_is_killed(folder: Path, is_sent: bool) -> None:
    """Then it expects what a driver would do, and previews again when the host is back."""
    moves = "manoeuvre://slalom?loop=yes"
    url = with_port("udp://127.0.0.1:0?format=motionbase-vehicle") if is_sent else moves
    options = ("--algorithm", "predictive", "--forecast", "preview")
    with ExitStack() as stack:
        if is_sent:
            sender = stack.enter_context(command(folder, "host", "send", moves, url))
            stack.callback(sender.kill)
        run = stack.enter_context(running(folder, url, *options))
        reader = stack.enter_context(closing(reader_of(folder)))
        said = Said(run)
        wait_for(reader, "state", State.DRIVE)
        until(lambda: said.has("s  the host tells what comes"), "a preview")
        wait_for(reader, "cue_follows", Follows.PREDICTIVE)
        if is_sent:
            sender.kill()
            until(lambda: said.has("the host tells no longer what comes; forecast: driver"), "that it is lost")
        else:
            os.kill(hearing(url), signal.SIGKILL)
            frames = reader.wait(0.5).rows[-1, reader.schema.place("link_frames")]
            until(lambda: reader.wait(0.5).rows[-1, reader.schema.place("link_frames")] > frames + 200, "frames again")
        assert reader.lost == 0
    assert not list(folder.glob("*.preview"))
