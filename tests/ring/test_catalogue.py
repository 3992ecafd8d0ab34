"""What the list says of rings that live, died, stopped or are none; what cleaning removes and what it never does."""

import hashlib
import os
import struct
import threading
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from motionbase.errors import RingError
from motionbase.record.hexapod import hexapod_schema
from motionbase.record.schema import Channel, Schema
from motionbase.ring.catalogue import Life, clean, entries, entry, lateness, mark_saved
from motionbase.ring.layout import MAGIC, PAGE, Layout
from motionbase.ring.lock import FileLock
from motionbase.ring.reader import Reader
from motionbase.ring.waveforms import records
from motionbase.ring.writer import Writer
from tests.ring.ring_processes import PATIENCE_S, until, writer
from tests.ring.rings import HEADER_FIELDS

PAIR = Schema("pair", (Channel("t", "s", "time", "time"), Channel("lateness", "s", "late", "timing")))


def dead(name: str = "gone", count: int = 5) -> None:
    """Leave a ring as a writer does that is killed: the lock is free, and nothing was said."""
    ring = Writer(PAIR, name=name, capacity=10)
    ring.write(np.zeros((count, 2)))
    assert ring._lock is not None
    ring._lock.release()


def files(ring_folder: Path) -> set[str]:
    return {p.name for p in ring_folder.iterdir()}


def test_no_rings(ring_folder: Path) -> None:
    assert entries() == [] and clean() == []
    with pytest.raises(RingError, match=r"no ring 'motionbase' .*; rings: none"):
        entry("motionbase")


def test_a_live_ring_is_described(ring_folder: Path) -> None:
    with writer(ring_folder, "live", 1500, capacity=1000) as process:
        (e,) = entries()
        assert (e.name, e.life, e.head, e.records, e.unsaved, e.trouble) == ("live", Life.ALIVE, 1500, 1000, False, "")
        assert e.header is not None and e.header.writer_pid == process.pid and e.header.writer == "test writer"
        assert e.rate == 1000.0 and e.age is not None and e.age < PATIENCE_S
        assert [o.removed for o in clean(force=True)] == [False]
        with Reader("live", start="oldest") as reader:
            assert reader.read().lost == 0 and reader.tail == 1500


def test_a_killed_writer_is_dead_and_its_records_unsaved(ring_folder: Path) -> None:
    with writer(ring_folder, "gone", 5) as process:
        process.kill()
        process.wait(PATIENCE_S)
    (e,) = entries()
    assert (e.life, e.unsaved, e.head) == (Life.DEAD, True, 5)
    (outcome,) = clean()
    assert not outcome.removed and "5 unsaved records; --force" in outcome.why
    assert entry("gone").records == 5
    mark_saved(e.backend)
    assert (entry("gone").life, entry("gone").unsaved) == (Life.STOPPED, False)
    assert all(o.removed for o in clean()) and files(ring_folder) == set()


def test_a_killed_writer_without_records_leaves_nothing_to_save(ring_folder: Path) -> None:
    dead(count=0)
    assert (entry("gone").life, entry("gone").unsaved) == (Life.DEAD, False)
    clean()
    assert files(ring_folder) == set()


def test_force_removes_unsaved_records_of_the_named_ring_only(ring_folder: Path) -> None:
    dead("one")
    dead("two")
    assert all(o.removed for o in clean(("one",), force=True))
    assert [e.name for e in entries()] == ["two"]
    with pytest.raises(RingError, match="no ring 'one' in .*; rings: two"):
        clean(("one",))


def test_failed_and_stopped_writers(ring_folder: Path) -> None:
    failed = Writer(PAIR, name="failed", capacity=4)
    failed.publish()
    failed.close(failed=True)
    stopped = Writer(PAIR, name="stopped", capacity=4)
    stopped.publish()
    stopped.close(remove=False)
    assert {e.name: (e.life, e.unsaved) for e in entries()} == {
        "failed": (Life.FAILED, True),
        "stopped": (Life.STOPPED, False),
    }
    clean()
    assert {e.name for e in entries()} == {"failed"}


def test_a_stop_that_the_writer_marked_is_unsaved(ring_folder: Path) -> None:
    with Writer(PAIR, name="estop", capacity=4) as ring:
        ring.publish()
        ring.mark_unsaved()
        assert entry("estop").unsaved and entry("estop").life is Life.ALIVE
        with pytest.raises(RingError, match=f"has a writer, process {os.getpid()}"):
            mark_saved(ring.backend)
    assert entry("estop").unsaved and not clean()[0].removed


def damaged(path: Path, at: int, value: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        file.write(value)


SCHEMA_AT = Layout(PAIR, 4, 0.01, 1).schema_at
NOT_RINGS: dict[str, tuple[Callable[[Path], object], str]] = {
    "text": (lambda p: p.write_bytes(b"hello"), "5 bytes, which is too short"),
    "empty": (lambda p: p.write_bytes(b""), "0 bytes, which is too short"),
    "zeros": (lambda p: p.write_bytes(bytes(3 * PAGE)), "no valid header"),
    "folder": (lambda p: p.mkdir(), "is not a file"),
    "pipe": (lambda p: os.mkfifo(p), "is not a file"),
    "link": (lambda p: p.symlink_to("/etc/hostname"), "is not a file"),
}
SPOILT: dict[str, tuple[Callable[[Path], object], str]] = {
    "truncated": (lambda p: os.truncate(p, p.stat().st_size - PAGE), "it was cut short"),
    "foreign": (lambda p: overwrite(p, 0, b"NOTARING"), "is not a ring of motionbase"),
    "version": (lambda p: overwrite(p, len(MAGIC), struct.pack("<I", 99)), "layout version 99, this program reads 3"),
    "damaged": (lambda p: overwrite(p, 40, b"\xff"), "no valid header"),
    "schema": (lambda p: overwrite(p, SCHEMA_AT, b"\xff"), "the schema does not match its hash"),
}


def overwrite(path: Path, at: int, value: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        file.write(value)


def listed_with_reason(path: Path, reason: str) -> None:
    """Beside a good ring, which nothing disturbs; kept by a clean, removed by force."""
    with Writer(PAIR, name="good", capacity=4):
        found = {e.name: e for e in entries()}
        assert found["good"].trouble == "" and reason in found["odd"].trouble
        assert found["odd"].life is Life.UNKNOWN and found["odd"].head == 0 and found["odd"].rate == 0
        (kept,) = clean(("odd",))
        assert not kept.removed and "--force" in kept.why
        clean(("odd",), force=True)
        assert path.exists() == path.is_dir(), "a folder is not ours to remove, all else goes by force"
        assert entry("good").life is Life.ALIVE


@pytest.mark.parametrize("kind", NOT_RINGS)
def test_what_is_no_ring_is_listed_with_the_reason(kind: str, ring_folder: Path) -> None:
    make, reason = NOT_RINGS[kind]
    make(ring_folder / "motionbase-odd")
    listed_with_reason(ring_folder / "motionbase-odd", reason)


@pytest.mark.parametrize("kind", SPOILT)
def test_a_spoilt_ring_is_listed_with_the_reason(kind: str, ring_folder: Path) -> None:
    Writer(PAIR, name="odd", capacity=4).close(remove=False)
    spoil, reason = SPOILT[kind]
    spoil(ring_folder / "motionbase-odd")
    listed_with_reason(ring_folder / "motionbase-odd", reason)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_ring_of_another_user_is_listed_with_the_reason(ring_folder: Path) -> None:
    Writer(PAIR, name="odd", capacity=4).close(remove=False)
    (ring_folder / "motionbase-odd").chmod(0)
    assert "Permission denied; it belongs to user" in entry("odd").trouble


def test_a_schema_that_is_not_utf8_is_a_sentence(ring_folder: Path) -> None:
    """Hash and checksum right, text wrong: no writer of ours does it, and no reader of ours falls over it."""
    ring = Writer(PAIR, name="odd", capacity=4)
    header, schema = ring.segment.memory[:PAGE], bytearray(PAIR.json.encode())
    schema[10] = 0xFF
    ring.segment.memory[SCHEMA_AT : SCHEMA_AT + len(schema)] = bytes(schema)
    sealed = np.frombuffer(bytes(header[: HEADER_FIELDS.itemsize]), HEADER_FIELDS).copy()
    sealed["schema_hash"] = np.void(hashlib.sha256(schema).digest())
    sealed["crc"] = zlib.crc32(sealed.tobytes()[:-4])
    ring.segment.memory[: HEADER_FIELDS.itemsize] = sealed.tobytes()
    assert "the schema is not UTF-8" in entry("odd").trouble
    ring.close()


def test_what_died_writers_left_beside_their_rings_is_removed(ring_folder: Path) -> None:
    dead("keep")
    for name in ("a.new", "a.lock", "b.generators.lock", "keep.new"):
        (ring_folder / f"motionbase-{name}").write_bytes(b"")
    (ring_folder / "motionbase-notes.txt").write_bytes(b"of somebody else")
    with FileLock(ring_folder / "motionbase-c.generators.lock") as held:
        assert held.take()
        clean()
        left = files(ring_folder)
    assert left == {
        "motionbase-keep",
        "motionbase-keep.lock",
        "motionbase-notes.txt",
        "motionbase-c.generators.lock",
        "motionbase-c.lock",
    }


def test_cleaning_never_makes_two_writers(ring_folder: Path) -> None:
    """A lock whose file was removed between opening and taking keeps nobody out, so it is taken anew."""
    path = ring_folder / "motionbase-x.lock"
    with FileLock(path) as early, FileLock(path) as cleaner, FileLock(path) as late:
        assert cleaner.take()
        path.unlink()
        cleaner.release()
        assert early.take() and path.exists()
        assert not late.take(retries=2)


def test_writers_and_cleaning_at_once(ring_folder: Path) -> None:
    """Cleaning without pause never takes a live ring's name away."""
    stop = threading.Event()

    def keep_cleaning() -> None:
        while not stop.is_set():
            clean(force=True)

    thread = threading.Thread(target=keep_cleaning)
    thread.start()
    try:
        made = 0
        for _ in range(200):
            try:
                ring = Writer(PAIR, name="busy", capacity=4)
            except RingError as error:
                assert "has a writer already" in str(error)  # the cleaner looks just now
                continue
            made += 1
            assert os.stat(ring.backend.path).st_ino == ring.segment.inode
            ring.close()
    finally:
        stop.set()
        thread.join()
    assert made > 0


def test_lateness_is_of_the_records_still_there(ring_folder: Path) -> None:
    with Writer(PAIR, name="late", capacity=101) as ring:
        assert lateness(entry("late")) is None
        late = np.arange(202.0)  # the first half is overwritten
        ring.write(np.column_stack([np.arange(202.0), late]))
        assert lateness(entry("late")) == {"records": 101, "median_s": 151, "p99_s": 200, "largest_s": 201}
    with Writer(Schema("bare", PAIR.channels[:1]), name="bare", capacity=4) as ring:
        ring.publish()
        assert lateness(entry("bare")) is None


def test_a_device_is_listed_first_and_its_writer_is_seen_to_move(
    ring_folder: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plain file stands for the device; the writer on another machine holds no lock here, so its head tells."""
    device = tmp_path_factory.mktemp("device") / "rfm"
    device.write_bytes(bytes(1 << 20))
    Writer(PAIR, name="local", capacity=4).close(remove=False)
    monkeypatch.setenv("MOTIONBASE_RING_DEVICE", str(device))
    with Writer(PAIR, name="anything", capacity=100) as ring:
        found = entries()
        assert [(e.name, e.backend.kind) for e in found] == [
            ("device", "device (hardware)"),
            ("local", "shared memory (emulation)"),
        ]
        assert found[0].life is Life.ALIVE
        monkeypatch.setattr("motionbase.ring.catalogue.is_written", lambda *_: False)  # it is on another machine
        assert entries()[0].life is Life.DEAD
        stop = threading.Event()

        def move() -> None:
            while not stop.wait(0.002):
                ring.publish()

        thread = threading.Thread(target=move)
        thread.start()
        try:
            until(lambda: entries()[0].life is Life.ALIVE, "the device's writer is seen to move")
        finally:
            stop.set()
            thread.join()


def test_t_of_a_copy_counts_from_the_given_utc(ring_folder: Path) -> None:
    with Writer(hexapod_schema(), name="copy", capacity=4, utc_ns=123) as ring:
        ring.write(records(hexapod_schema(), 0, 2, 0.01))
        found = entry("copy").header
        assert found is not None and found.epoch_utc_ns == 123
