"""A ring whose file is cut short under those who have it mapped: one sentence, nobody dies of SIGBUS."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest

from motionbase.console.live.events import EventLog
from motionbase.console.live.follower import Follower
from motionbase.errors import MotionBaseError, RingError
from motionbase.record.requests import Command, Kind
from motionbase.recording.estop.save import save
from motionbase.recording.estop.watch import EstopWatch
from motionbase.ring.backend import find
from motionbase.ring.blocks.commands import CommandReceiver, CommandSender
from motionbase.ring.layout import PAGE
from motionbase.ring.reader import Reader
from motionbase.ring.segment import attach
from motionbase.ring.writer import Writer
from tests.ring.ring_processes import PATIENCE_S, command, environment, until, writer
from tests.ring.rings import numbered, small_writer

CUT = "was cut short while it was in use"
SIZES = (0, PAGE, 3 * PAGE, 8 * PAGE)


def small() -> Writer:
    made = small_writer(capacity=4096)
    made.write(numbered(0, 3000))
    return made


@pytest.mark.parametrize("size", SIZES)
def test_readers_and_writer_are_told(size: int) -> None:
    ring = small()
    reader, waiting = Reader(start="oldest", batch=10), Reader(start="oldest")
    assert len(reader.read().rows) == 10
    os.truncate(ring.backend.path, size)
    with pytest.raises(RingError, match=CUT):
        reader.read()
    with pytest.raises(RingError, match=CUT):
        waiting.spin(0.1)
    with pytest.raises(RingError, match=f"has {size} bytes"):  # from now on by what lies there
        reader.wait(PATIENCE_S)
    with pytest.raises(RingError, match=CUT):
        for _ in range(3000):  # until one lies beyond the end
            ring.write(numbered(0, 1)[0])
    ring.close(failed=True)


def test_it_is_a_matter_of_the_part_that_is_gone() -> None:
    """Rows before the end are whole, and nobody says otherwise."""
    with small() as ring:
        reader = Reader(start="oldest", batch=4)
        os.truncate(ring.backend.path, ring.header.layout.records_at + 2 * PAGE)
        assert np.array_equal(reader.read().rows, numbered(0, 4))


def test_whoever_has_it_mapped_is_told(tmp_path: Path) -> None:
    ring = small()
    CommandReceiver(ring.segment, ring.header.layout)
    sender, watch, said = CommandSender(sender="test"), EstopWatch("motionbase", folder=tmp_path, say=print), []
    watch.look()
    segment = attach(find())
    assert segment is not None
    os.truncate(ring.backend.path, 0)
    asked: dict[str, Callable[[], object]] = {
        "head": lambda: segment.head,
        "watch": watch.look,
        "save": lambda: save(segment, tmp_path / "a.estop.mcap", cause="test"),
        "command": lambda: sender.send(Command(Kind.DRIVE)),
        "stop": sender.estop,
    }
    for name, ask in asked.items():
        with pytest.raises(MotionBaseError, match=CUT):
            ask()
        said.append(name)
    assert said == list(asked) and not list(tmp_path.glob("*.estop*"))
    ring.close(failed=True)


def test_a_copy_under_way_is_not_taken_for_records(tmp_path: Path) -> None:
    """The end of the ring is gone, its counters are not: the copy of the snapshot runs into it."""
    ring = small()
    segment = attach(find())
    assert segment is not None
    os.truncate(ring.backend.path, ring.header.layout.records_at + PAGE)
    with pytest.raises(RingError, match=CUT):
        save(segment, tmp_path / "a.estop.mcap", cause="test")
    assert not list(tmp_path.glob("*.estop*"))
    ring.close(failed=True)


def test_other_faults_kill_as_before(ring_folder: Path) -> None:
    """The handler is for guarded mappings alone."""
    code = """
import mmap, os, sys
import numpy as np
from motionbase.ring.reader import Reader
from tests.ring.rings import small_writer
ring = small_writer()
assert Reader().schema
with open(sys.argv[1], "wb+") as file:
    file.truncate(8192)
    other = mmap.mmap(file.fileno(), 8192)
    file.truncate(0)
    print("now", flush=True)
    other[5000]
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(ring_folder / "other")],
        env=environment(ring_folder), capture_output=True, text=True, timeout=PATIENCE_S,
    )  # fmt: skip
    assert (done.stdout, done.returncode) == ("now\n", -signal.SIGBUS), done.stderr


def test_mappings_are_forgotten_with_what_mapped_them() -> None:
    from motionbase.native import guarded

    with small():
        before = len(guarded._FREE)
        for _ in range(50):
            Reader().close()
        assert len(guarded._FREE) >= before - 1
        assert ctypes.sizeof(guarded._table()) == 3 * 8 * guarded.SLOTS


def test_ring_watch_says_one_sentence(ring_folder: Path) -> None:
    with writer(ring_folder, "rig", 500), command(ring_folder, "ring", "watch", "rig", "t") as watch:
        assert watch.stdout is not None
        watch.stdout.readline()
        os.truncate(ring_folder / "motionbase-rig", 0)
        _, err = watch.communicate(timeout=PATIENCE_S)
        assert watch.returncode == 2 and err.count("\n") == 1 and CUT in err, err


def test_a_writer_that_loses_its_ring_ends_with_a_sentence(ring_folder: Path) -> None:
    with command(ring_folder, "dcu", "--rate", "500", "--ring", "rig") as dcu:
        until((ring_folder / "motionbase-rig").exists, "the ring")
        assert dcu.stdout is not None
        dcu.stdout.readline()
        os.truncate(ring_folder / "motionbase-rig", 4096)
        _, err = dcu.communicate(timeout=PATIENCE_S)
        assert dcu.returncode == 2 and CUT in err and "Traceback" not in err


def test_the_consoles_follower_says_it_and_goes_on(ring_folder: Path) -> None:
    ring = small()
    follower = Follower("live", "motionbase", find(), EventLog())
    follower.start()
    try:
        until(lambda: follower.history is not None and follower.history.count == 3000, "records")
        os.truncate(ring.backend.path, ring.header.layout.records_at)
        ring.publish()  # the writer itself does not notice yet: machine code
        until(lambda: follower.state == "none" and "cut short" in follower.state_text, "a sentence")
        with pytest.raises(RingError, match=CUT):
            ring.beat()
        ring.close(failed=True)
        ring.backend.path.unlink()
        with small():
            until(lambda: follower.state in ("live", "waiting"), "the next ring")
    finally:
        follower.close()


@pytest.mark.parametrize(
    ("started", "args"),
    [
        ("connected", ("mirror", "serve", "--ring", "rig", "--listen", "127.0.0.1:0")),
        ("recording", ("record", "--ring", "rig")),
    ],
)
def test_mirror_and_recorder_live_on(ring_folder: Path, started: str, args: tuple[str, ...]) -> None:
    said = ring_folder / "said"
    with writer(ring_folder, "rig", 500) as first, said.open("w") as out, ExitStack() as clients:
        process = subprocess.Popen(
            [sys.executable, "-u", "-m", "motionbase", *args],
            env={**environment(ring_folder), "MOTIONBASE_DATA": str(ring_folder / "data")}, stdout=out, stderr=out,
        )  # fmt: skip
        try:
            if args[0] == "mirror":
                until(lambda: "; read only" in said.read_text(), "it serves")
                port = said.read_text().partition(" on 127.0.0.1:")[2].partition(";")[0]
                clients.enter_context(command(ring_folder, "mirror", f"127.0.0.1:{port}", "--ring", "copy"))
            until(lambda: started in said.read_text(), "it has begun")
            os.truncate(ring_folder / "motionbase-rig", PAGE)
            assert first.wait(PATIENCE_S) == 1, "a script of its own: the sentence is its error"
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE_S) in (0, -signal.SIGTERM), said.read_text()
            assert "Traceback" not in said.read_text()
        finally:
            process.kill()
            process.wait()
