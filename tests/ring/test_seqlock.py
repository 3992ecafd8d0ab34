"""The sequence lock: readers get whole payloads or none, even if writers die or leave damage."""

import ctypes
import os
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motionbase.errors import RingError
from motionbase.ring.blocks.mapping import BlockMap, Section
from motionbase.ring.blocks.seqlock import FRAME_BYTES, Outcome, SeqlockReader, SeqlockWriter, held
from motionbase.ring.layout import GENERATOR_BYTES
from motionbase.ring.lock import FileLock
from tests.ring.rings import small_writer

SIZE = 4000
KIND, FORM = b"TEST", 3


class Block:
    """A block in plain memory, for what one process can show."""

    def __init__(self, folder: Path, size: int = SIZE) -> None:
        self.raw = bytearray(64 + FRAME_BYTES + size + 64)
        start = ctypes.addressof(ctypes.c_char.from_buffer(self.raw))
        self.skip = -start % 64
        self.address, self.size, self.lock = start + self.skip, size, folder / "block.lock"

    def reader(self, form: int = FORM, kind: bytes = KIND) -> SeqlockReader:
        return SeqlockReader(self.address, kind, form, self.size)

    def writer(self, form: int = FORM) -> SeqlockWriter:
        return SeqlockWriter(self.address, KIND, form, self.size, self.lock)

    def sequence(self, value: int | None = None) -> int:
        if value is not None:
            struct.pack_into("<Q", self.raw, self.skip, value)
        return int(struct.unpack_from("<Q", self.raw, self.skip)[0])

    def spoil(self, at: int, raw: bytes) -> None:
        self.raw[self.skip + 64 + at : self.skip + 64 + at + len(raw)] = raw


def test_starts_zeroed_then_gives_each_write_once(tmp_path: Path) -> None:
    block = Block(tmp_path)
    reader, writer = block.reader(), block.writer()
    assert reader.poll() is Outcome.UNCHANGED and not reader.changed()
    assert reader.version == 0 and not any(reader.payload)
    for version in (1, 2, 3):
        payload = bytes([version]) * SIZE
        assert writer.write(payload) == version
        assert reader.changed() and reader.poll() is Outcome.NEW and not reader.changed()
        assert (reader.version, bytes(reader.payload)) == (version, payload)
        assert reader.poll() is Outcome.UNCHANGED


def test_writer_that_died_in_the_middle_is_reported_and_repaired(tmp_path: Path) -> None:
    block = Block(tmp_path)
    reader, writer = block.reader(), block.writer()
    writer.write(b"a" * SIZE)
    assert reader.poll() is Outcome.NEW
    block.sequence(3)  # as a writer leaves it that dies between odd and even
    block.spoil(FRAME_BYTES, b"b" * (SIZE // 2))
    assert reader.poll() is Outcome.UNFINISHED and not reader.changed()  # after 64 tries, not without end
    assert bytes(reader.payload) == b"a" * SIZE and reader.version == 1
    assert writer.write(b"c" * SIZE) == 3 and block.sequence() == 6
    assert reader.poll() is Outcome.NEW and bytes(reader.payload) == b"c" * SIZE


@pytest.mark.parametrize(
    ("at", "raw", "reason"),
    [
        (0, b"JUNK", "the block holds b'JUNK', b'TEST' is wanted"),
        (4, struct.pack("<I", 2), "format version 2, this program reads 3"),
        (8, struct.pack("<I", 17), "17 bytes, 4000 are wanted"),
        (12, b"\0\0\0\0", "checksum is 00000000"),
        (FRAME_BYTES + 100, b"x", "checksum"),
    ],
)
def test_what_is_not_a_payload_is_refused_and_the_old_kept(tmp_path: Path, at: int, raw: bytes, reason: str) -> None:
    block = Block(tmp_path)
    reader, writer = block.reader(), block.writer()
    writer.write(b"a" * SIZE)
    assert reader.poll() is Outcome.NEW
    block.spoil(at, raw)
    block.sequence(4)
    assert reader.poll() is Outcome.REFUSED and reason in reader.reason
    assert reader.version == 1 and bytes(reader.payload) == b"a" * SIZE
    assert reader.poll() is Outcome.UNCHANGED  # looked at once, not every tick
    writer.write(b"d" * SIZE)
    assert reader.poll() is Outcome.NEW and reader.reason == ""


@settings(max_examples=200, deadline=None)
@given(raw=st.binary(min_size=60 + FRAME_BYTES, max_size=60 + FRAME_BYTES), sequence=st.integers(1, 2**64 - 1))
def test_random_bytes_are_never_taken(raw: bytes, sequence: int) -> None:
    block = Block(Path("/nowhere"), size=60)
    reader = block.reader()
    block.spoil(0, raw)
    block.sequence(sequence)
    assert reader.poll() is (Outcome.UNFINISHED if sequence % 2 else Outcome.REFUSED)
    assert not any(reader.payload) and reader.version == 0


def test_a_block_made_anew_is_zero_again(tmp_path: Path) -> None:
    block = Block(tmp_path)
    reader = block.reader()
    block.writer().write(b"a" * SIZE)
    assert reader.poll() is Outcome.NEW
    block.sequence(0)
    assert reader.poll() is Outcome.NEW and reader.version == 0 and not any(reader.payload)


def test_second_writer_waits_for_the_lock_and_says_who_has_it(tmp_path: Path) -> None:
    with FileLock(tmp_path / "block.lock") as lock:
        assert lock.take()
        with pytest.raises(RingError, match=f"block.lock has been held by process {os.getpid()} for 0.05 s"):
            held(tmp_path / "block.lock", seconds=0.05)


def test_wrong_size_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RingError, match="the payload has 3 bytes, the block takes 4000"):
        Block(tmp_path).writer().write(b"abc")


# ---- several processes ----

HAMMER = """
import sys
from motionbase.ring.blocks.mapping import BlockMap, Section
from motionbase.ring.blocks.seqlock import SeqlockWriter
which, count = int(sys.argv[1]), int(sys.argv[2])
place = BlockMap(Section.GENERATORS)
writer = SeqlockWriter(place.address, b"TEST", 3, 4000, place.lock_path)
print("ready", flush=True)
sys.stdin.readline()
for k in range(count):
    writer.write(bytes([which + 2 * (k % 100)]) * 4000)
"""
RACE = """
import ctypes
from motionbase.ring.blocks.mapping import BlockMap, Section
from motionbase.ring.blocks.native_blocks import SeqlockPort, block_native
place = BlockMap(Section.GENERATORS)
fills = [bytearray(bytes([n]) * 4016) for n in (17, 18)]
ports = [SeqlockPort(place.address, ctypes.addressof(ctypes.c_char.from_buffer(f)), 4016) for f in fills]
print("ready", flush=True)
write, a, b = block_native().write, *(ctypes.addressof(p) for p in ports)
while True:
    write(a)
    write(b)
"""
DIES = """
import os, signal
from motionbase.ring.blocks.mapping import BlockMap, Section
from motionbase.ring.blocks.seqlock import held
from motionbase.native.atomics import atomics
place = BlockMap(Section.GENERATORS)
lock = held(place.lock_path)
atomics().store_release(place.address, 1)
place.memory[64:2064] = b"h" * 2000
os.kill(os.getpid(), signal.SIGKILL)
"""


def started(source: str, *arguments: str) -> "subprocess.Popen[str]":
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, "-c", source, *arguments], stdin=pipe, stdout=pipe, text=True)


def ended(child: "subprocess.Popen[str]") -> None:
    child.kill()
    child.communicate(timeout=30)


def test_no_torn_read_under_a_hammering_writer() -> None:
    """The writer goes as fast as it can, without lock or checksum: only the sequence keeps the copies whole."""
    with small_writer() as ring:
        address = ring.segment.address + ring.header.layout.generators_at
        child = started(RACE)
        try:
            assert child.stdout is not None and child.stdout.readline() == "ready\n"
            reader = SeqlockReader(address, KIND, FORM, SIZE, tries=1000)
            start, copied, values = time.monotonic(), 0, set()
            while time.monotonic() < start + 1.0 or (copied < 30 and time.monotonic() < start + 20.0):
                reader.poll()  # REFUSED, since 17 and 18 are no frame; the copy is there all the same
                if reader._port.status == 1:
                    copied += 1
                    copy = set(reader._buffers[reader._spare])
                    assert len(copy) == 1, "half of one write and half of another"
                    values |= copy
        finally:
            ended(child)
    assert copied >= 30 and values == {17, 18}


def test_two_writers_at_once_lose_nothing() -> None:
    with small_writer() as ring:
        reader = SeqlockReader(ring.segment.address + ring.header.layout.generators_at, KIND, FORM, SIZE)
        children = [started(HAMMER, str(which), "40") for which in (0, 1)]
        try:
            for child in children:
                assert child.stdout is not None and child.stdout.readline() == "ready\n"
            for child in children:
                assert child.stdin is not None
                child.stdin.write("go\n")
                child.stdin.flush()
            version, end = 0, time.monotonic() + 60
            while any(c.poll() is None for c in children) and time.monotonic() < end:
                time.sleep(1e-4)
                outcome = reader.poll()
                assert outcome is not Outcome.REFUSED, reader.reason
                if outcome is Outcome.NEW:
                    assert reader.version > version and len(set(reader.payload)) == 1
                    version = reader.version
            reader.poll()
            assert [c.returncode for c in children] == [0, 0]
            assert reader.version == 80  # every write had a version of its own: none went under another's
        finally:
            for child in children:
                ended(child)


def test_writer_killed_in_the_middle_lets_go_of_the_lock() -> None:
    with small_writer() as ring:
        reader = SeqlockReader(ring.segment.address + ring.header.layout.generators_at, KIND, FORM, SIZE)
        child = started(DIES)
        assert child.wait(timeout=30) == -signal.SIGKILL
        ended(child)
        assert reader.wait(0.01) is Outcome.UNFINISHED
        place = BlockMap(Section.GENERATORS)
        SeqlockWriter(place.address, KIND, FORM, SIZE, place.lock_path).write(b"n" * SIZE)
        assert reader.poll() is Outcome.NEW and bytes(reader.payload) == b"n" * SIZE


def test_only_the_pages_of_the_block_are_mapped_for_writing() -> None:
    with small_writer() as ring:
        place = BlockMap(Section.GENERATORS)
        assert len(place.memory) == GENERATOR_BYTES
        with pytest.raises(TypeError):
            place.segment.memory[0] = 1
        mapped = [
            line.split()
            for line in Path("/proc/self/maps").read_text().splitlines()
            if f" {ring.segment.inode} " in line and line.endswith(str(ring.backend.path))
        ]
        writable = [
            int(end, 16) - int(start, 16)
            for (start, end), rights in (((f[0].split("-")), f[1]) for f in mapped)
            if "w" in rights and int(start, 16) != ring.segment.address
        ]
        assert writable == [GENERATOR_BYTES]


def test_nothing_is_written_into_a_ring_without_writer() -> None:
    ring = small_writer()
    place = BlockMap(Section.GENERATORS)
    place.require_writer()
    ring.close()
    with pytest.raises(RingError, match="its writer has stopped"):
        place.require_writer()
    with small_writer():
        with pytest.raises(RingError, match="no ring 'other'"):
            BlockMap(Section.GENERATORS, "other")


def test_replaced_ring_is_noticed() -> None:
    first = small_writer()
    place = BlockMap(Section.GENERATORS)
    first.close(remove=False)
    with small_writer():
        with pytest.raises(RingError, match="another writer has taken the name"):
            place.require_writer()
