"""Clients of a recorder: every command is done or refused, and no client blocks another."""

import errno
import gc
import os
import socket
import threading
import time
from pathlib import Path

import pytest

from motionbase.errors import RecordingError
from motionbase.recording.recorder import control as control
from motionbase.recording.recorder.items import Settings
from motionbase.recording.recorder.recorder import Recorder
from motionbase.ring.backend import find
from motionbase.ring.lock import is_held
from tests.recording.recorder_rig import PATIENCE_S, recorder, rows, turning, until, writer


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MOTIONBASE_RING_FOLDER", str(tmp_path))
    monkeypatch.delenv("MOTIONBASE_RING_DEVICE", raising=False)
    return tmp_path


def test_a_command_that_comes_too_late_is_not_done_and_its_asker_knows(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control, "ANSWER_S", 0.1)
    with writer() as ring, recorder(folder / "run.mcap") as made:
        ring.write(rows(0, 10))
        made.look()
        with pytest.raises(RecordingError, match=r"busy for 0\.1 s; stop is cancelled and will not be done"):
            control.ask("rig", "stop")  # nobody turns the recorder
        made.look()
        assert made.status()["state"] == "recording", "it was told that nothing happens"


def test_a_command_at_work_is_told_from_one_that_is_cancelled(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control, "ANSWER_S", 0.05)
    monkeypatch.setattr(control, "CLIENT_S", 0.1)
    asked = control.Ask("split", "")
    assert asked.take() and not asked.take()
    done, text = asked.answered()
    assert not done and text.startswith("it has begun to split and is not done after 0.15 s")
    late = control.Ask("stop", "")
    assert "cancelled" in late.answered()[1] and not late.take(), "nobody does it later"


def test_a_recorder_that_ends_tells_those_who_wait(folder: Path) -> None:
    server = control.ControlServer("rig", find("rig"))
    told: list[str] = []

    def ask() -> None:
        try:
            control.ask("rig", "stop")
        except RecordingError as error:
            told.append(str(error))

    thread = threading.Thread(target=ask)
    thread.start()
    until(lambda: server._asked.qsize())
    server.close()
    thread.join(5)
    assert told == ["the recorder of ring 'rig': it ends; stop is not done"]


def test_silent_and_slow_clients_delay_nobody(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with writer(), turning(Recorder(Settings("rig", folder / "run.mcap"), lambda _: None)):
        silent = [socket.socket(socket.AF_UNIX) for _ in range(11)]
        with monkeypatch.context() as patch:
            patch.setattr(control, "CLIENT_S", PATIENCE_S)
            for link in silent[:10]:
                link.connect(str(folder / "motionbase-rig.recorder"))
            assert control.ask("rig", "note", "meanwhile") == "noted"
            for link in silent[:10]:
                link.setblocking(False)
                with pytest.raises(BlockingIOError):  # it is still waited for
                    link.recv(1)
        dripping, end = silent[10], time.monotonic() + PATIENCE_S
        dripping.connect(str(folder / "motionbase-rig.recorder"))
        with pytest.raises((BrokenPipeError, ConnectionResetError)):  # the time of a client is counted as a whole
            while time.monotonic() < end:
                dripping.sendall(b"x")
                time.sleep(0.05)
        for link in silent:
            link.close()


def test_a_socket_that_cannot_be_made_leaves_nothing_open(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fds = Path("/proc/self/fd")
    if not fds.is_dir():
        pytest.skip("needs /proc")

    def refused(*_: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    for trouble in ("chmod", "folder"):
        with monkeypatch.context() as patch:
            if trouble == "chmod":
                patch.setattr("motionbase.recording.recorder.control.os.chmod", refused)
            else:
                (folder / "motionbase-rig.recorder").mkdir()
            gc.collect()  # files that other tests have left to the collector must not go meanwhile
            before = len(list(fds.iterdir()))
            kept = []  # the errors, and with them the frames: nothing may hang on their going
            for _ in range(3):
                with pytest.raises(RecordingError, match="cannot be made") as error:
                    control.ControlServer("rig", find("rig"))
                kept.append(error)
            assert len(list(fds.iterdir())) == before
            assert not (folder / "motionbase-rig.recorder").is_socket()
    assert not is_held(folder / "motionbase-rig.recorder.lock")


def test_clients_that_say_nonsense_do_no_harm(folder: Path) -> None:
    with writer() as ring, turning(Recorder(Settings("rig", folder / "run.mcap"), lambda _: None)):
        path = str(folder / "motionbase-rig.recorder")
        for raw in (b"", b"\n", b"{}\n", b"[1]\n", b'{"do": 1}\n', b"\xff" * 70_000, b"[" * 5000 + b"\n"):
            with socket.socket(socket.AF_UNIX) as link:
                link.connect(path)
                try:
                    link.sendall(raw)
                    link.shutdown(socket.SHUT_WR)
                    assert b'"done": false' in link.recv(1000)
                except (BrokenPipeError, ConnectionResetError):
                    pass
        ring.write(rows(0, 10))
        assert control.ask("rig", "stop") == "stopped after 10 records"


def test_a_folder_with_a_long_name_has_room_for_the_socket(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long = folder / ("x" * 120)
    long.mkdir()
    monkeypatch.setenv("MOTIONBASE_RING_FOLDER", str(long))
    with turning(Recorder(Settings("rig", folder / "run.mcap"), lambda _: None)):
        assert control.ask("rig", "note", "from afar") == "noted"
