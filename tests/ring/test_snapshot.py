"""Snapshots: exactly what the ring held, to the bit, and what is whole of a damaged file."""

import errno
import json
import os
import resource
import struct
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from motionbase.cli import terminal
from motionbase.cli.main import main
from motionbase.errors import RingError, SnapshotError
from motionbase.record.hexapod import hexapod_schema
from motionbase.ring import catalogue, gentle, snapshot_save
from motionbase.ring.backend import find
from motionbase.ring.layout import CLAIM, Status
from motionbase.ring.segment import attach
from motionbase.ring.snapshot import Details, Snapshot, details_of, file_name, save
from motionbase.ring.snapshot_format import CHUNK_BYTES, MAGIC, SEAL, VERSION
from motionbase.ring.waveforms import records
from motionbase.ring.writer import Writer
from tests.ring.ring_processes import PATIENCE_S, environment
from tests.ring.ring_processes import writer as process_writer
from tests.ring.rings import numbered, small_schema, small_writer

CHANNELS = 64  # 512 bytes a record: 128 in a chunk
PER_CHUNK = CHUNK_BYTES // (8 * CHANNELS)


def wide_writer(capacity: int = 1000, **options: Any) -> Writer:
    return small_writer(capacity, CHANNELS, **options)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, int]:
    """A file of 900 records, the first of which is number 100; and the place where its records begin."""
    folder = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOTIONBASE_RING_FOLDER", str(folder))
        with wide_writer(900) as writer:
            writer.write(numbered(0, 1000, CHANNELS))
            save("motionbase", folder / "a.estop", cause="test")
    raw = (folder / "a.estop").read_bytes()
    return raw, raw.index(numbered(100, 1, CHANNELS).tobytes())


# ---- saving ----


@pytest.mark.parametrize(("written", "kept"), [(1, 1), (7, 7), (999, 999), (1000, 1000), (1001, 1000), (12_345, 1000)])
def test_a_file_has_exactly_what_the_ring_held(tmp_path: Path, written: int, kept: int) -> None:
    with wide_writer(dt=0.002, every=5, platform="legs = 6\n", program="rig") as writer:
        for first in range(0, written, 500):
            writer.write(numbered(first, min(500, written - first), CHANNELS))
        details = save("motionbase", tmp_path / "a.estop", cause="a test", event=written - 1)
        header = writer.header
    found = Snapshot.open(tmp_path / "a.estop")
    assert found.details == details and found.schema == small_schema(CHANNELS) and found.platform == "legs = 6\n"
    assert (details.first, details.count, details.overwritten) == (written - kept, kept, 0)
    np.testing.assert_array_equal(found.rows, numbered(written - kept, kept, CHANNELS))
    np.testing.assert_array_equal(found.numbers, np.arange(written - kept, written))
    assert not found.losses and not found.notes and found.lost == 0 and not found.rows.flags.writeable
    assert (details.ring, details.writer, details.writer_pid) == ("motionbase", "rig", os.getpid())
    assert (details.dt, details.every, details.rate, details.capacity) == (0.002, 5, 100.0, 1000)
    assert (details.epoch, details.epoch_utc_ns) == (header.epoch, header.epoch_utc_ns)
    assert (details.cause, details.status, details.event_t) == ("a test", "running", written - 1)
    assert details.before_s == pytest.approx((kept - 1) * 0.01) and details.after_s == 0
    assert details.event_utc_ns == header.epoch_utc_ns + (written - 1) * 10**7
    assert details_of(tmp_path / "a.estop") == details


@pytest.mark.parametrize(
    ("event", "before_s", "after_s", "first", "count"),
    [
        (500, 1.0, 2.0, 400, 301),
        (500, None, 2.0, 0, 701),
        (500, 1.0, None, 400, 400),
        (799, 0.0, 0.0, 799, 1),
        (5, 9.0, 900.0, 0, 800),
    ],
)
def test_a_window_around_an_event(
    tmp_path: Path, event: int, before_s: float | None, after_s: float | None, first: int, count: int
) -> None:
    with wide_writer(dt=0.01) as writer:
        writer.write(numbered(0, 800, CHANNELS))
        details = save(
            writer.segment, tmp_path / "a.estop", cause="x", event=event, before_s=before_s, after_s=after_s, name="n"
        )
    assert (details.first, details.count, details.ring) == (first, count, "n")
    assert details.before_s == pytest.approx((event - first) * 0.01)
    assert details.after_s == pytest.approx((first + count - 1 - event) * 0.01)


def test_a_record_that_was_being_written_is_left_out(tmp_path: Path) -> None:
    """A killed writer: slots of records 10 to 12 are claimed, and perhaps overwritten, but 13 to 19 are whole."""
    writer = wide_writer(10)
    writer.write(numbered(0, 20, CHANNELS))
    writer.segment.set_counter(CLAIM, 23)
    save("motionbase", tmp_path / "a.estop", cause="x")
    np.testing.assert_array_equal(Snapshot.open(tmp_path / "a.estop").rows, numbered(13, 7, CHANNELS))
    writer.close()


def test_a_writer_that_goes_on_is_not_disturbed(tmp_path: Path) -> None:
    """Whatever it overwrites meanwhile: no torn row, no gap, and the counts are exact."""
    stop, writer = threading.Event(), wide_writer(4096)

    def hammer() -> None:
        first = 8
        while not stop.is_set():
            writer.write(numbered(first, 8, CHANNELS))
            first += 8

    writer.write(numbered(0, 8, CHANNELS))
    thread = threading.Thread(target=hammer)
    thread.start()
    try:
        for k in range(20):
            try:
                details = save("motionbase", tmp_path / f"{k}.estop", cause="x")
            except RingError as error:  # it was quicker than the disk
                assert "overwrote all records" in str(error)
                continue
            found = Snapshot.open(tmp_path / f"{k}.estop")
            np.testing.assert_array_equal(found.rows, found.numbers[:, None] * np.ones(CHANNELS))
            assert len(found.rows) == details.count <= 4096 and not found.losses
    finally:
        stop.set()
        thread.join()
        writer.close()


def test_what_is_overwritten_during_the_saving_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """300 records come while the second chunk is copied: what is before them is given up, there is no gap."""
    with wide_writer(1000) as writer:
        writer.write(numbered(0, 1000, CHANNELS))
        chunks = list[int]()

        def slow_disk(file: int, data: bytes, at: int) -> None:
            chunks.append(at)
            if len(chunks) == 1:
                writer.write(numbered(1000, 300, CHANNELS))
            written(file, data, at)

        written = snapshot_save._write
        monkeypatch.setattr(snapshot_save, "_write", slow_disk)
        details = save("motionbase", tmp_path / "a.estop", cause="x", event=0)
    assert (details.first, details.count, details.overwritten, details.event_t) == (300, 700, 300, None)
    found = Snapshot.open(tmp_path / "a.estop")
    np.testing.assert_array_equal(found.rows, numbered(300, 700, CHANNELS))
    assert not found.losses and not found.notes


def test_a_ring_with_nothing_in_it(tmp_path: Path) -> None:
    with wide_writer(), pytest.raises(RingError, match="has no records to save"):
        save("motionbase", tmp_path / "a.estop", cause="x")
    with pytest.raises(RingError, match="no ring 'nobody'"):
        save("nobody", tmp_path / "a.estop", cause="x")
    assert not list(tmp_path.glob("*.estop")) and not list(tmp_path.glob(".*part"))


def test_the_ring_is_not_changed(tmp_path: Path) -> None:
    with wide_writer(50) as writer:
        writer.write(numbered(0, 70, CHANNELS))
        writer.mark_unsaved()
        before = writer.backend.path.read_bytes()
        save("motionbase", tmp_path / "a.estop", cause="x")
        assert writer.backend.path.read_bytes() == before
        segment = attach(find())
        assert segment is not None and segment.unsaved and segment.status is Status.RUNNING
        segment = None
        writer.mark_unsaved(False)


def test_names_sort_by_time() -> None:
    names = [file_name("rig", ns) for ns in (0, 10**6, 10**9, 10**18, 1_763_200_000 * 10**9)]
    assert names == sorted(names) and names[0] == "19700101T000000.000Z_rig.estop"


def test_a_full_disk_leaves_nothing_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with wide_writer() as writer:
        writer.write(numbered(0, 10, CHANNELS))
        monkeypatch.setattr(os, "pwrite", full)
        with pytest.raises(SnapshotError, match=r"a.estop cannot be written: No space left on device; \d+ bytes are"):
            save("motionbase", tmp_path / "a.estop", cause="x")
    assert {p.name for p in tmp_path.iterdir()} == {"motionbase-motionbase.lock"}


def test_a_limit_on_file_sizes_is_survived(tmp_path: Path) -> None:
    """A real refusal of the system, half-way through the file."""
    with wide_writer() as writer:
        writer.write(numbered(0, 1000, CHANNELS))
        script = (
            "import resource, sys\n"
            "from motionbase.ring.snapshot import save\n"
            f"resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, {resource.RLIM_INFINITY}))\n"
            "save('motionbase', sys.argv[1], cause='x')\n"
        )
        child = subprocess.run(
            [sys.executable, "-c", script, str(tmp_path / "a.estop")],
            env=environment(tmp_path), capture_output=True, text=True, timeout=PATIENCE_S,
        )  # fmt: skip
    assert "SnapshotError" in child.stderr and "File too large" in child.stderr
    assert not list(tmp_path.glob("*.estop")) and not list(tmp_path.glob(".*part"))


# ---- the command ----


def test_ring_save(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(gentle, "be_gentle", lambda: None)  # for good, that is: not for the tests
    monkeypatch.chdir(tmp_path)
    with process_writer(tmp_path, "rig", 700, capacity=500) as process:
        assert main(["ring", "save", "rig", "--out", "live.estop"]) == 0
        size = terminal.size(Path("live.estop").stat().st_size)  # differs with the machine's name, which is in it
        assert f"saved 500 records, 500 ms, {size}, to live.estop\n" in capfd.readouterr().out
        process.kill()
        process.wait(PATIENCE_S)
    assert main(["ring", "show", "rig"]) == 0
    assert "`motionbase ring save rig` saves its records" in capfd.readouterr().out
    assert main(["ring", "save", "rig", "--json"]) == 0
    said = json.loads(capfd.readouterr().out)
    assert (said["count"], said["first"], said["event"], said["note"]) == (500, 200, 699, None)
    assert said["cause"] == "saved by hand; writer dead" and not catalogue.entry("rig").unsaved
    found = Snapshot.open(said["path"])
    np.testing.assert_array_equal(found.rows, Snapshot.open("live.estop").rows)
    np.testing.assert_array_equal(found.rows, records(hexapod_schema(), 200, 500, 0.001))
    for out, sentence in (("live.estop", "is there already"), ("no/x.estop", "No such file or directory\n")):
        assert main(["ring", "save", "rig", "--out", out]) == 2
        assert sentence in capfd.readouterr().err


# ---- damage ----


def opened(tmp_path: Path, raw: bytes) -> Snapshot:
    (tmp_path / "damaged.estop").write_bytes(raw)
    return Snapshot.open(tmp_path / "damaged.estop")


def check_what_is_whole(found: Snapshot) -> None:
    """Every row is the one that was saved; rows and losses together are all of them."""
    np.testing.assert_array_equal(found.rows, found.numbers[:, None] * np.ones(CHANNELS))
    missing = [n for loss in found.losses for n in range(loss.first, loss.first + loss.records)]
    assert sorted([*found.numbers.tolist(), *missing]) == list(range(100, 1000))
    assert found.lost == len(missing)


FUNCTION_FIXTURE = [HealthCheck.function_scoped_fixture]


@settings(max_examples=60, deadline=None, suppress_health_check=FUNCTION_FIXTURE)
@given(data=st.data())
def test_flipped_bits_cost_their_chunks_only(tmp_path: Path, whole: tuple[bytes, int], data: st.DataObject) -> None:
    raw, records_at = bytearray(whole[0]), whole[1]
    place = st.one_of(
        st.integers(0, len(raw) - 1), st.integers(0, records_at), st.integers(len(raw) - 8000, len(raw) - 1)
    )
    at = data.draw(place)
    raw[at] ^= data.draw(st.integers(1, 255))
    found = opened(tmp_path, bytes(raw))
    check_what_is_whole(found)
    assert found.lost <= PER_CHUNK
    inside = records_at <= at < records_at + 900 * 8 * CHANNELS
    if inside:
        chunk = (at - records_at) // CHUNK_BYTES
        assert found.losses == ((100 + chunk * PER_CHUNK, min(PER_CHUNK, 900 - chunk * PER_CHUNK)),)


@settings(max_examples=60, deadline=None, suppress_health_check=FUNCTION_FIXTURE)
@given(data=st.data())
def test_a_file_that_was_cut_short(tmp_path: Path, whole: tuple[bytes, int], data: st.DataObject) -> None:
    raw, records_at = whole
    size = data.draw(st.one_of(st.integers(0, records_at), st.integers(records_at, len(raw) - 1)))
    if size < SEAL.size + SEAL.unpack_from(raw)[2]:
        with pytest.raises(SnapshotError, match=r"damaged\.estop"):
            opened(tmp_path, raw[:size])
        return
    found = opened(tmp_path, raw[:size])
    check_what_is_whole(found)
    assert found.notes == ("the end of the file is missing or damaged",)
    rows = max(0, size - records_at) // (8 * CHANNELS)
    assert len(found.rows) == (900 if rows >= 900 else rows // PER_CHUNK * PER_CHUNK)


@settings(max_examples=40, deadline=None, suppress_health_check=FUNCTION_FIXTURE)
@given(data=st.data())
def test_many_damaged_places(tmp_path: Path, whole: tuple[bytes, int], data: st.DataObject) -> None:
    raw, records_at = bytearray(whole[0]), whole[1]
    for at in data.draw(st.lists(st.integers(records_at, records_at + 900 * 512 - 1), max_size=5)):
        raw[at] ^= 0xFF
    check_what_is_whole(opened(tmp_path, bytes(raw)))


@settings(max_examples=60, deadline=None, suppress_health_check=FUNCTION_FIXTURE)
@given(raw=st.one_of(st.binary(max_size=200), st.binary(max_size=100).map(lambda b: b"MBSNAP\r\n" + b)))
def test_anything_else_gets_a_sentence(tmp_path: Path, raw: bytes) -> None:
    with pytest.raises(SnapshotError, match=r"damaged\.estop"):
        opened(tmp_path, raw)


def test_both_headers_gone(tmp_path: Path, whole: tuple[bytes, int]) -> None:
    raw = bytearray(whole[0])
    raw[40] ^= 1
    raw[-40] ^= 1
    with pytest.raises(SnapshotError, match="the header is damaged, and so is its copy"):
        opened(tmp_path, bytes(raw))
    raw[40] ^= 1
    assert opened(tmp_path, bytes(raw)).lost == 0


def test_another_version_is_refused(tmp_path: Path, whole: tuple[bytes, int]) -> None:
    raw = bytearray(whole[0])
    for at in (8, len(raw) - SEAL.size + 8):
        struct.pack_into("<I", raw, at, 2)
    with pytest.raises(SnapshotError, match="has version 2, this program reads 1"):
        opened(tmp_path, bytes(raw))
    with pytest.raises(SnapshotError, match=r"nothing\.estop cannot be read: No such file"):
        Snapshot.open(tmp_path / "nothing.estop")


def test_the_header_is_text_for_people(whole: tuple[bytes, int]) -> None:
    """Somebody without this program can read what the records are."""
    assert b'"schema":{"channels":[{"description":"time"' in whole[0]


def test_the_document_has_every_field() -> None:
    text = (Path(__file__).resolve().parents[2] / "docs" / "estop.md").read_text()
    table = text[text.index("| in the header |") : text.index("## Figures")]
    assert {name for name in (*Details.__dataclass_fields__, "schema", "platform") if f"`{name}`" not in table} == set()
    assert f"| seal | {SEAL.size} |" in text and f"version, {VERSION} (u32)" in text
    assert MAGIC == b"MBSNAP\r\n" and "`MBSNAP` and a line end" in text
