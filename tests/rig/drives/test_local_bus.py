"""The CAN bus between processes: everybody hears all others, nobody waits for anybody."""

import os
import random
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import can
import pytest

from motionbase.errors import UsageError
from motionbase.rig.drives.canopen import Frame
from motionbase.rig.drives.line import Line, open_bus
from motionbase.rig.drives.local_bus import MOST_IN_DATAGRAM, RECORD, LocalBus

ECHO = """
import sys
from motionbase.rig.drives.canopen import Frame
from motionbase.rig.drives.local_bus import LocalBus
bus = LocalBus(sys.argv[1])
print("here", flush=True)
while True:
    frames = bus.take(100, wait=1.0)
    bus.put([Frame(frame.id + 1, frame.data[::-1]) for frame in frames])
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tmp_path.chmod(0o700)
    return tmp_path


@pytest.fixture
def buses(folder: Path) -> Iterator[list[LocalBus]]:
    made = [LocalBus(folder) for _ in range(3)]
    yield made
    for bus in made:
        bus.shutdown()


@pytest.fixture
def other(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process, which answers every frame with its bytes reversed."""
    with subprocess.Popen([sys.executable, "-c", ECHO, str(folder)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "here\n"
        yield process
        process.kill()


def sockets(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.is_socket())


def test_everybody_hears_all_others_in_order(buses: list[LocalBus]) -> None:
    a, b, c = buses
    sent = [Frame(k, bytes(range(k % 9))) for k in range(0x7FF - 3 * MOST_IN_DATAGRAM, 0x800)]
    a.put(sent[:-1])
    a.put(sent[-1:])
    assert b.take(1000) == c.take(1000) == sent
    assert a.take(1000) == [] and a.lost == 0


def test_the_rest_stays_for_the_next_call(buses: list[LocalBus]) -> None:
    a, b, _ = buses
    a.put([Frame(k, b"") for k in range(5)])
    assert [len(b.take(3)), len(b.take(3)), len(b.take(3))] == [3, 2, 0]


def test_two_processes(folder: Path, other: subprocess.Popen[str]) -> None:
    bus = LocalBus(folder)
    for k in range(200):
        bus.put([Frame(k, b"\x01\x02"), Frame(k + 1, bytes(8))])
        heard: list[Frame] = []
        while len(heard) < 2:
            heard += bus.take(100, wait=10.0)
        assert heard == [Frame(k + 1, b"\x02\x01"), Frame(k + 2, bytes(8))]
    bus.shutdown()


def test_killed_participant_is_forgotten_and_its_socket_removed(folder: Path, other: subprocess.Popen[str]) -> None:
    bus, third = LocalBus(folder), LocalBus(folder)
    bus.put([Frame(1, b"")])
    assert len(sockets(folder)) == 3
    other.kill()
    other.wait()
    assert len(sockets(folder)) == 3
    bus.put([Frame(2, b"")])
    assert len(sockets(folder)) == 2
    assert [frame.id for frame in third.take(100)][-1] == 2
    late = LocalBus(folder)
    bus.put([Frame(3, b"")])
    assert late.take(100) == [Frame(3, b"")]
    for each in (bus, third, late):
        each.shutdown()
    assert sockets(folder) == []


def test_socket_of_a_process_that_died_before_is_removed(folder: Path) -> None:
    dead = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    dead.bind(str(folder / "can-1-dead"))
    dead.close()
    (folder / "can-notes.txt").write_text("kept")
    bus = LocalBus(folder)
    bus.put([Frame(1, b"")])
    assert len(sockets(folder)) == 1 and (folder / "can-notes.txt").read_text() == "kept"
    bus.shutdown()


def test_stopped_participant_loses_frames_and_holds_up_nobody(folder: Path, other: subprocess.Popen[str]) -> None:
    a, b = LocalBus(folder), LocalBus(folder)
    other.send_signal(signal.SIGSTOP)
    sent = [Frame(k % 0x800, k.to_bytes(4, "little")) for k in range(5000)]
    heard = []
    for frame in sent:
        a.put([frame])
        heard += b.take(10)
    assert heard == sent
    assert 0 < a.lost < 5000
    other.send_signal(signal.SIGCONT)
    a.shutdown()
    b.shutdown()


@pytest.mark.parametrize("seed", range(20))
def test_foreign_datagrams_are_dropped(folder: Path, seed: int) -> None:
    """Whatever arrives, frames have short identifiers and eight bytes at most, and good ones still come."""
    chance = random.Random(seed)
    bus, good = LocalBus(folder), LocalBus(folder)
    stranger = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    stranger.connect(str(folder / bus._name))
    for _ in range(50):
        datagram = chance.randbytes(chance.choice([0, 1, 15, 16, 17, 32, 160, 1024, 1040, 5000]))
        if chance.random() < 0.3:
            datagram = RECORD.pack(chance.randrange(0x900), chance.randrange(12), chance.randbytes(8))
        stranger.send(datagram)
        good.put([Frame(0x123, b"good")])
        frames = bus.take(1000)
        assert all(0 <= frame.id <= 0x7FF and len(frame.data) <= 8 for frame in frames)
        assert frames[-1] == Frame(0x123, b"good")
    assert bus.malformed > 0
    for each in (bus, good, stranger):
        each.close() if isinstance(each, socket.socket) else each.shutdown()


def test_messages_of_python_can(folder: Path) -> None:
    a, b = open_bus(f"local:{folder}"), open_bus(f"local:{folder}")
    a.send(can.Message(arbitration_id=0x181, data=b"abc", is_extended_id=False))
    message = b.recv(0.0)
    assert message is not None and (message.arbitration_id, bytes(message.data)) == (0x181, b"abc")
    assert b.recv(0.0) is None and not message.is_extended_id
    with pytest.raises(OSError, match="11 bits"):
        a.send(can.Message(arbitration_id=0x181, is_extended_id=True))
    Line(a).close()
    b.shutdown()
    b.shutdown()
    with pytest.raises(OSError, match="closed"):
        b.recv(0.0)


def test_folder_of_others_is_refused(folder: Path) -> None:
    folder.chmod(0o755)
    with pytest.raises(UsageError, match="mode 0755; it must be yours"):
        LocalBus(folder)
    with pytest.raises(UsageError, match="cannot be used: No such file"):
        LocalBus(folder / "none")
    (folder / "file").write_text("")
    with pytest.raises(UsageError, match="cannot be used: Not a directory"):
        LocalBus(folder / "file")


def test_too_long_a_path_is_refused(folder: Path) -> None:
    deep = folder / ("d" * 120)
    deep.mkdir(mode=0o700)
    with pytest.raises(UsageError, match=r"has a path of \d+ bytes, names of sockets have room for \d+"):
        LocalBus(deep)
    assert os.listdir(deep) == []
