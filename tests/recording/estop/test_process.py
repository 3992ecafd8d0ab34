"""The watch as a process of its own: whoever is killed, the ring is saved."""

import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from motionbase.recording.estop import files as estop
from motionbase.recording.estop import process as estop_process
from motionbase.ring import catalogue
from motionbase.ring.backend import Emulation
from motionbase.ring.layout import CLAIM, Status
from motionbase.ring.segment import attach
from tests.recording.estop.stops import PATIENCE_S, rows, until, writer_of
from tests.recording.files import all_values


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "estop"


KILLED = """
import sys, time
import numpy as np
from motionbase.ring.writer import Writer
from tests.recording.files import all_values
from motionbase.ring.parts import here
sys.path.insert(0, sys.argv[1])
from tests.recording.estop.stops import SCHEMA, rows
writer = Writer(SCHEMA, name="rig", dt=0.01, capacity=5000, program="killed")
first = 0
while True:
    writer.write(rows(first, 7))
    first += 7
    if first % 700 == 0:
        time.sleep(0.001)
"""
ROOT = Path(__file__).resolve().parents[3]


def test_a_killed_writer_is_saved_by_another_process(folder: Path) -> None:
    """SIGKILL in the middle of writing: the file has exactly the records that were published and are whole."""
    command = estop_process.command("rig", folder=folder, after_s=0.5)
    watch = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    writer = subprocess.Popen([sys.executable, "-c", KILLED, str(ROOT)])
    try:
        until(lambda: (ring := attach(Emulation("rig"))) is not None and ring.head > 20_000, "records")
        segment = attach(Emulation("rig"))
        assert segment is not None
        writer.kill()
        writer.wait(PATIENCE_S)
        head, claim = segment.head, segment.counter(CLAIM)
        until(lambda: estop.files(folder), "a file")
        until(lambda: segment.status is Status.STOPPED, "the mark is cleared")
        watch.send_signal(signal.SIGTERM)
        said, _ = watch.communicate(timeout=PATIENCE_S)
    finally:
        for process in (writer, watch):
            process.kill()
            process.wait()
    assert watch.returncode == 0 and "the writer died: killed, process" in said and "saved " in said
    (file,) = estop.files(folder)
    assert (d := file.details) is not None and d.first == claim - 5000 and d.first + d.count == head
    np.testing.assert_array_equal(all_values(file.path), rows(claim - 5000, head - claim + 5000))
    assert d.after_s == 0 and d.event == head - 1


def test_a_watch_that_ends_saves_what_there_is(folder: Path) -> None:
    """SIGTERM in the seconds after a stop: little after it is better than nothing."""
    with writer_of() as writer:
        watch = subprocess.Popen(estop_process.command("rig", folder=folder), stdout=subprocess.PIPE, text=True)
        try:
            writer.write(rows(0, 10))
            writer.write(rows(10, 10, estop=1))
            until(lambda: writer.segment.unsaved, "the mark")
            watch.send_signal(signal.SIGTERM)
            watch.communicate(timeout=PATIENCE_S)
        finally:
            watch.kill()
            watch.wait()
        assert watch.returncode == 0 and not writer.segment.unsaved
    (file,) = estop.files(folder)
    assert file.details is not None and (file.details.event, file.details.count) == (10, 20)


def test_once_saves_and_ends(folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(estop_process, "be_gentle", lambda: None)  # for good, that is: not for the tests
    command = estop_process.command("rig", folder=folder)
    once = [*command[command.index("rig") :], "--once"]
    assert estop_process.main(once) == 0 and not folder.exists()
    writer = writer_of()
    writer.write(rows(0, 30))
    writer.close(failed=True)
    (folder.parent / "file").touch()
    assert estop_process.main(["rig", "--folder", str(folder.parent / "file"), "--once"]) == 1
    assert estop_process.main(once) == 0 and estop.files(folder)[0].details is not None
    assert "saved 30 records" in capfd.readouterr().out and not catalogue.entry("rig").unsaved
