"""One writer, readers that are slower, faster and later, and everything that may be wrong with a segment."""

import os
import stat
import time
from pathlib import Path

import numpy as np
import pytest

from motionbase.errors import RingError
from motionbase.record.hexapod import hexapod_schema
from motionbase.ring.backend import Device, Emulation, find
from motionbase.ring.layout import CLAIM, EPOCH, PAGE, STATUS, UNSAVED, Header, Status
from motionbase.ring.reader import Reader, ReaderState
from motionbase.ring.segment import attach
from motionbase.ring.writer import Writer
from tests.ring.rings import HEADER_FIELDS, numbered, small_schema, small_writer


def everything(reader: Reader) -> np.ndarray:
    """All that can be read now."""
    parts = []
    while len(rows := reader.read().rows):
        parts.append(rows.copy())
    return np.concatenate(parts) if parts else np.empty((0, 5))


def test_a_reader_gets_what_is_written_after_it_came() -> None:
    with small_writer() as writer:
        writer.write(numbered(0, 3))
        with Reader() as reader:
            assert reader.state is ReaderState.WAITING
            assert len(reader.read().rows) == 0
            writer.write(numbered(3, 4))
            batch = reader.read()
            assert (batch.first, batch.lost, batch.state) == (3, 0, ReaderState.LIVE)
            np.testing.assert_array_equal(batch.rows, numbered(3, 4))


def test_a_late_joiner_may_start_at_the_oldest() -> None:
    with small_writer(capacity=16) as writer:
        writer.write(numbered(0, 40))
        with Reader(start="oldest") as reader:
            np.testing.assert_array_equal(everything(reader), numbered(24, 16))
            assert reader.lost == 0


@pytest.mark.parametrize("steps", [1, 3, 7, 16, 17, 50])
def test_wrap_around_in_steps_of_any_size(steps: int) -> None:
    with small_writer(capacity=16) as writer, Reader(batch=5) as reader:
        done = 0
        for _ in range(12):
            writer.write(numbered(done, min(steps, 12)))
            done += min(steps, 12)
            rows = everything(reader)
            np.testing.assert_array_equal(rows, numbered(done - min(steps, 12), min(steps, 12)))
        assert reader.lost == 0 and reader.tail == done == writer.head


def test_a_slow_reader_is_told_exactly_what_it_lost() -> None:
    with small_writer(capacity=64) as writer, Reader() as reader:
        writer.write(numbered(0, 1000))
        rows = everything(reader)
        assert len(rows) + reader.lost == 1000
        np.testing.assert_array_equal(rows, numbered(reader.lost, len(rows)))
        assert len(rows) == 64 - 64 // 16  # a sixteenth is given up, so as not to be lapped again at once


def test_a_reader_may_go_back_as_far_as_the_ring_remembers() -> None:
    with small_writer(capacity=64) as writer, Reader() as reader:
        writer.write(numbered(0, 100))
        assert reader.read().lost > 0
        seen = np.concatenate([rows[:, 0].copy() for _, rows in reader.recalled(writer.header.epoch, 90, 97)])
        np.testing.assert_array_equal(seen, numbered(90, 7)[:, 0])
        assert next(reader.recalled(writer.header.epoch, 0, 200))[0] >= 36, "the others are overwritten"
        assert list(reader.recalled(writer.header.epoch + 2, 90, 97)) == [], "of another run"
        reader.seek(95)
        batch = reader.read()
        assert (batch.first, len(batch.rows), batch.lost) == (95, 5, 0)


def test_the_ring_of_a_run_to_skip_counts_as_none_until_another_takes_the_name() -> None:
    with small_writer() as writer:
        writer.write(numbered(0, 5))
        with Reader(start="first", skip=writer.header.epoch) as reader:
            assert reader.read().state is ReaderState.NO_SEGMENT and reader.state is ReaderState.NO_SEGMENT
            writer.close(remove=False)
            time.sleep(0.06)  # it looks again
            assert reader.read().state is ReaderState.NO_SEGMENT
            with small_writer() as second:
                second.write(numbered(0, 3))
                batch = reader.wait(10.0)
                assert (batch.first, len(batch.rows), batch.lost) == (0, 3, 0)


def test_one_write_larger_than_the_ring() -> None:
    with small_writer(capacity=16) as writer, Reader(start="oldest") as reader:
        writer.write(numbered(0, 1003))
        rows = everything(reader)
        assert reader.lost + len(rows) == 1003
        assert rows[-1, 0] == 1002


def test_publish_is_write_of_the_own_record() -> None:
    with small_writer() as writer, Reader() as reader:
        writer.record[:] = 7.0
        writer.publish()
        np.testing.assert_array_equal(reader.read().rows, np.full((1, 5), 7.0))


@pytest.mark.parametrize("shape", [(3, 4), (2, 2, 5)])
def test_rows_of_the_wrong_shape(shape: tuple[int, ...]) -> None:
    with small_writer() as writer, pytest.raises(RingError, match=r"\(records, 5\) is wanted"):
        writer.write(np.zeros(shape))


# ---- states --------------------------------------------------------------------------------------------------------


def test_states_from_nothing_to_live_to_stopped() -> None:
    reader = Reader(timeout=60.0)
    assert reader.state is ReaderState.NO_SEGMENT
    assert reader.read().state is ReaderState.NO_SEGMENT
    with small_writer() as writer:
        time.sleep(0.06)
        assert reader.read().state is ReaderState.WAITING
        writer.write(numbered(0, 1))
        assert reader.read().state is ReaderState.LIVE
        reader.timeout = 0.05
        time.sleep(0.06)
        reader.read()
        time.sleep(0.06)
        assert reader.read().state is ReaderState.STOPPED  # the watchdog: nothing came for the timeout
        writer.beat()
        assert reader.read().state is ReaderState.LIVE  # a paused writer that beats is alive
    assert reader.read().state is ReaderState.STOPPED  # said so itself


def test_a_restart_loses_nothing_of_either_writer() -> None:
    reader = Reader()
    first = small_writer(program="first")
    time.sleep(0.06)
    reader.read()
    first.write(numbered(0, 4))
    first.close()
    second = small_writer(program="second")
    second.write(numbered(0, 3, salt=0.5))
    np.testing.assert_array_equal(reader.read().rows, numbered(0, 4))
    time.sleep(0.06)
    batch = reader.read()
    assert batch.state is ReaderState.RESTARTED and reader.restarts == 1 and batch.lost == 0
    np.testing.assert_array_equal(batch.rows, numbered(0, 3, salt=0.5))
    assert reader.read().state is ReaderState.LIVE
    assert reader.header.writer == "second"
    second.close()


def test_an_unfinished_segment_is_not_initialised() -> None:
    writer = small_writer()
    writer.segment.set_counter(EPOCH, writer.header.epoch | 1)
    reader = Reader()
    assert reader.state is ReaderState.NOT_INITIALISED
    with pytest.raises(RingError, match="not initialised"):
        _ = reader.schema
    writer.segment.set_counter(EPOCH, writer.header.epoch)
    time.sleep(0.06)
    assert reader.read().state is ReaderState.WAITING
    writer.close()


def test_a_record_under_the_writers_hands_is_not_returned() -> None:
    """A writer that died during a write: the claim is raised, the head is not."""
    with small_writer(capacity=16) as writer, Reader(start="oldest") as reader:
        writer.write(numbered(0, 16))
        writer.segment.set_counter(CLAIM, 17)
        at = writer.header.layout.records_at
        writer.segment.memory[at : at + 8] = b"\xff" * 8  # half of record 16 over record 0
        rows = everything(reader)
        assert len(rows) + reader.lost == 16
        np.testing.assert_array_equal(rows, numbered(reader.lost, len(rows)))
        assert reader.lost >= 1


# ---- one writer ----------------------------------------------------------------------------------------------------


def test_a_second_writer_is_refused_and_names_the_first() -> None:
    with small_writer(), pytest.raises(RingError, match=f"has a writer already, process {os.getpid()}"):
        small_writer()
    small_writer().close()  # free again


def test_a_clean_end_leaves_no_segment(ring_folder: Path) -> None:
    small_writer().close()
    assert not Emulation("motionbase").path.exists()


def test_a_failed_end_keeps_the_records() -> None:
    with pytest.raises(ZeroDivisionError), small_writer() as writer:
        writer.write(numbered(0, 5))
        _ = 1 / 0
    segment = attach(find())
    assert segment is not None and segment.status is Status.FAILED
    with Reader(start="oldest") as reader:
        np.testing.assert_array_equal(everything(reader), numbered(0, 5))
        assert reader.read().state is ReaderState.STOPPED


def test_unsaved_records_are_not_removed() -> None:
    writer = small_writer()
    writer.mark_unsaved()
    writer.close()
    segment = attach(find(), writable=True)
    assert segment is not None and segment.unsaved
    with pytest.raises(RingError, match="holds unsaved records of an unexpected stop"):
        small_writer()
    segment.set_counter(UNSAVED, 0)
    small_writer().close()


def test_permissions_and_size() -> None:
    with small_writer() as writer:
        info = os.stat(writer.backend.path)
        assert stat.S_IMODE(info.st_mode) == 0o600
        assert info.st_size == writer.header.layout.total_bytes
    with small_writer(mode=0o640) as writer:
        assert stat.S_IMODE(os.stat(writer.backend.path).st_mode) == 0o640


def test_readers_cannot_write() -> None:
    with small_writer():
        segment = attach(find())
        assert segment is not None and segment.memory.readonly


# ---- header --------------------------------------------------------------------------------------------------------


def test_header_carries_schema_platform_and_time_base() -> None:
    platform = '[platform]\nname = "simona"\n'
    before = time.time_ns()
    with Writer(hexapod_schema(), dt=5e-4, every=20, platform=platform, program="dcu") as writer, Reader() as reader:
        layout = reader.header.layout
        assert layout.schema == hexapod_schema() and layout.platform == platform
        assert (layout.dt, layout.every, layout.capacity) == (5e-4, 20, 44_943)
        assert before <= reader.header.epoch_utc_ns <= time.time_ns()
        assert (reader.header.writer, reader.header.writer_pid) == ("dcu", os.getpid())
        assert writer.header == reader.header


def test_wrong_schema_is_refused() -> None:
    with small_writer(), pytest.raises(RingError, match="'small' with 5 channels, 'hexapod' with 178 is wanted"):
        Reader(schema=hexapod_schema())


def damaged(field: str, value: object, seal: bool = True) -> None:
    """Change a field of the header, and seal it again as an old or foreign program would."""
    import zlib

    path = find().path
    raw = bytearray(path.read_bytes())
    h = np.frombuffer(raw, HEADER_FIELDS, 1)
    h[field] = value
    if seal:
        h["crc"] = zlib.crc32(h.tobytes()[:-4])
    path.write_bytes(raw)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("magic", b"NOTARING", "is not a ring of motionbase"),
        ("version", 99, "layout version 99, this program reads 3"),
        ("total_bytes", 1 << 40, "it was cut short"),
        ("capacity", 1000, "total_bytes is"),
        ("capacity", 0, "0 records"),
        ("records_at", 8, "records_at is 8"),
        ("record_bytes", 48, "records of 48 bytes"),
        ("schema_bytes", 1 << 60, "beyond the end"),
        ("schema_bytes", 3, "does not match its hash"),
        ("platform_hash", b"x" * 32, "does not match its hash"),
        ("parameters_bytes", 1 << 60, "beyond the end"),
        ("parameters_hash", b"x" * 32, "the table of parameters does not match its hash"),
        ("values_at", 8, "values_at is 8"),
        ("dt", np.nan, "dt is nan"),
        ("every", 0, "every 0 ticks"),
    ],
)
def test_foreign_old_and_damaged_headers(field: str, value: object, message: str) -> None:
    writer = small_writer()
    damaged(field, value)
    with pytest.raises(RingError, match=message):
        Reader()
    writer.close()


def test_a_header_without_its_seal_is_not_initialised() -> None:
    writer = small_writer()
    damaged("capacity", 99, seal=False)
    assert Reader().state is ReaderState.NOT_INITIALISED
    writer.close()


@pytest.mark.parametrize("size", [0, 100, PAGE])
def test_truncated_segments(size: int) -> None:
    find().path.write_bytes(b"\0" * size)
    with pytest.raises(RingError, match="too short for a ring"):
        Reader()


def test_cut_segment() -> None:
    with small_writer() as writer:
        os.truncate(writer.backend.path, 3 * PAGE)
        with pytest.raises(RingError, match="cut short|beyond the end"):
            Reader()


def test_a_writer_takes_over_whatever_lies_there() -> None:
    find().path.write_bytes(b"rubbish")
    with small_writer() as writer, Reader() as reader:
        writer.write(numbered(0, 1))
        assert len(reader.read().rows) == 1


@pytest.mark.parametrize("name", ["", "a/b", "..", "x" * 60, "-a", "ü"])
def test_bad_names(name: str) -> None:
    with pytest.raises(RingError, match="ring name"):
        Reader(name)


def test_no_room() -> None:
    with pytest.raises(RingError, match="bytes: "):
        Writer(small_schema(), capacity=1 << 50)


# ---- the device ----------------------------------------------------------------------------------------------------


@pytest.fixture
def device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that stands for a reflective-memory card."""
    path = tmp_path / "rfm0"
    path.write_bytes(bytes(300_000))
    monkeypatch.setenv("MOTIONBASE_RING_DEVICE", str(path))
    return path


def test_hardware_is_used_if_it_is_there(device: Path) -> None:
    assert isinstance(find(), Device) and "hardware" in str(find())
    reader = Reader()
    assert reader.state is ReaderState.NOT_INITIALISED
    with Writer(small_schema()) as writer:
        assert writer.header.layout.total_bytes <= 300_000
        time.sleep(0.06)
        reader.read()
        writer.write(numbered(0, 3))
        np.testing.assert_array_equal(reader.read().rows, numbered(0, 3))
    assert reader.read().state is ReaderState.STOPPED
    with Writer(small_schema()) as writer:  # initialised again in place: the epoch tells
        writer.write(numbered(0, 2, salt=0.25))
        batch = reader.read()
        assert batch.state is ReaderState.RESTARTED
        np.testing.assert_array_equal(batch.rows, numbered(0, 2, salt=0.25))


def test_a_device_full_of_garbage_is_initialised(device: Path) -> None:
    device.write_bytes(np.random.default_rng(1).bytes(300_000))
    with pytest.raises(RingError, match="is not a ring|not initialised"):
        _ = Reader().schema
    with Writer(small_schema()) as writer, Reader(start="oldest") as reader:
        writer.write(numbered(0, 3))
        np.testing.assert_array_equal(reader.read().rows, numbered(0, 3))


def test_device_too_small_missing_or_misnamed(device: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RingError, match="the ring needs"):
        Writer(small_schema(), capacity=1_000_000)
    monkeypatch.setenv("MOTIONBASE_RING_DEVICE", f"{device}:many")
    with pytest.raises(RingError, match="must be a number of bytes"):
        find()
    monkeypatch.setenv("MOTIONBASE_RING_DEVICE", "/nowhere/card")
    with pytest.raises(RingError, match="unset it to use shared memory"):
        find()


def test_header_read_is_none_for_zeros() -> None:
    assert Header.read(memoryview(bytes(3 * PAGE)), "zeros") is None


def test_status_of_garbage_is_new() -> None:
    with small_writer() as writer:
        writer.segment.set_counter(STATUS, 12345)
        assert writer.segment.status is Status.NEW
