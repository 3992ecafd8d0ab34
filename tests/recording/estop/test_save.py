"""Saving a ring: exactly what it held, to the bit, whoever is killed, however slow or full the disk is."""

import errno
import os
import resource
import signal
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from motionbase.errors import RecordingError, RingError
from motionbase.recording.estop import save as saving
from motionbase.recording.estop.details import Details, details_of, file_name, ring_of
from motionbase.recording.estop.save import CHUNK_BYTES, save
from motionbase.recording.mcap.tail import tail
from motionbase.recording.mcap.write import McapWriter
from motionbase.recording.open import open_recording
from motionbase.ring import copy
from motionbase.ring.backend import find
from motionbase.ring.layout import CLAIM, HEAD, Status
from motionbase.ring.segment import Segment, attach
from motionbase.ring.writer import Writer
from tests.recording.files import all_values
from tests.ring.ring_processes import PATIENCE_S, environment, until
from tests.ring.rings import numbered, small_schema, small_writer

CHANNELS = 64  # 512 bytes a record: 128 in a chunk
PER_CHUNK = CHUNK_BYTES // (8 * CHANNELS)
NAME = "a.estop.mcap"


def wide_writer(capacity: int = 1000, **options: Any) -> Writer:
    return small_writer(capacity, CHANNELS, **options)


def leftovers(folder: Path) -> list[str]:
    """All that is there but locks."""
    return sorted(p.name for p in folder.iterdir() if not p.name.endswith(".lock"))


@pytest.mark.parametrize(("written", "kept"), [(1, 1), (7, 7), (999, 999), (1000, 1000), (1001, 1000), (12_345, 1000)])
def test_a_file_has_exactly_what_the_ring_held(tmp_path: Path, written: int, kept: int) -> None:
    with wide_writer(dt=0.002, every=5, platform="name = 'x'\nlegs = 6\n", program="rig") as writer:
        for first in range(0, written, 500):
            writer.write(numbered(first, min(500, written - first), CHANNELS))
        details = save("motionbase", tmp_path / NAME, cause="a test", event=written - 1)
        header = writer.header
    assert (details.first, details.count, details.overwritten) == (written - kept, kept, 0)
    np.testing.assert_array_equal(all_values(tmp_path / NAME), numbered(written - kept, kept, CHANNELS))
    with open_recording(tmp_path / NAME) as found:
        about = found.source.about
        assert found.source.kind == "MCAP" and found.schema == small_schema(CHANNELS) and not found.damage
        assert (found.start, found.end) == (written - kept, written - 1)
        assert [(e.t, e.kind, e.text, e.is_bad) for e in found.events] == [(written - 1, "estop", "a test", True)]
        assert about["platform"] == "name = 'x'\nlegs = 6\n" and about["platform_name"] == "x"
        assert Details.from_about(about, "it") == details
    assert (last := tail(tmp_path / NAME)) is not None and (last.sequence, last.ended) == (written - 1, True)
    assert (details.ring, details.writer, details.writer_pid) == ("motionbase", "rig", os.getpid())
    assert (details.dt, details.every, details.rate, details.capacity) == (0.002, 5, 100.0, 1000)
    assert (details.epoch, details.epoch_utc_ns) == (header.epoch, header.epoch_utc_ns)
    assert (details.cause, details.status, details.event_t) == ("a test", "running", written - 1)
    assert details.before_s == pytest.approx((kept - 1) * 0.01) and details.after_s == 0
    assert details.event_utc_ns == header.epoch_utc_ns + (written - 1) * 10**7
    assert details_of(tmp_path / NAME) == details
    assert (tmp_path / NAME).stat().st_mode & 0o777 == 0o600 and leftovers(tmp_path) == [NAME]


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
            writer.segment, tmp_path / NAME, cause="x", event=event, before_s=before_s, after_s=after_s, name="n"
        )
    assert (details.first, details.count, details.ring) == (first, count, "n")
    assert details.before_s == pytest.approx((event - first) * 0.01)
    assert details.after_s == pytest.approx((first + count - 1 - event) * 0.01)


def test_a_record_that_was_being_written_is_left_out(tmp_path: Path) -> None:
    """A killed writer: slots of records 10 to 12 are claimed, and perhaps overwritten, but 13 to 19 are whole."""
    writer = wide_writer(10)
    writer.write(numbered(0, 20, CHANNELS))
    writer.segment.set_counter(CLAIM, 23)
    save("motionbase", tmp_path / NAME, cause="x")
    np.testing.assert_array_equal(all_values(tmp_path / NAME), numbered(13, 7, CHANNELS))
    writer.close()


def test_times_that_are_no_times(tmp_path: Path) -> None:
    """Whatever a writer puts into `t`, its bits are saved, and the times of the recording never fall."""
    rows = numbered(0, 300, CHANNELS)
    rows[7, 0], rows[8, 0], rows[100, 0], rows[200:, 0] = np.nan, np.inf, -5.0, 1e300
    with wide_writer(dt=0.01) as writer:
        writer.write(rows)
        details = save("motionbase", tmp_path / NAME, cause="x", event=7)
    assert details.event_t is None
    np.testing.assert_array_equal(all_values(tmp_path / NAME), rows)
    with open_recording(tmp_path / NAME) as found:
        assert (np.diff(found.columns("t")["time"]) >= 0).all()


# ---- beside a living writer ----


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
            path = tmp_path / f"{k}.estop.mcap"
            try:
                details = save("motionbase", path, cause="x")
            except RingError as error:  # it was quicker than the copy
                assert "overwrote all records" in str(error)
                continue
            np.testing.assert_array_equal(all_values(path), numbered(details.first, details.count, CHANNELS))
            assert details.count <= 4096
    finally:
        stop.set()
        thread.join()
        writer.close()


def test_a_turn_of_the_ring_between_two_looks_is_no_empty_ring(monkeypatch: pytest.MonkeyPatch) -> None:
    """The saver is paused after it has read the head, and the writer goes more than once around."""
    writer, counter, looks = wide_writer(10), Segment.counter, list[int]()
    writer.write(numbered(0, 8, CHANNELS))

    def paused(segment: Segment, offset: int) -> int:
        value = counter(segment, offset)
        if offset == HEAD and not looks:
            looks.append(value)
            writer.write(numbered(8, 25, CHANNELS))
        return value

    segment = attach(find("motionbase"))
    assert segment is not None
    monkeypatch.setattr(Segment, "counter", paused)
    assert copy.available(segment, writer.header.layout) == (23, 33) and looks == [8]
    writer.close()


def test_what_is_overwritten_during_the_copy_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """300 records come while the second piece is copied: what is before them is given up, there is no gap."""
    copied, pieces = copy._copy_rows, list[int]()

    def slow(segment: Any, layout: Any, number: int, rows: Any) -> None:
        pieces.append(number)
        if len(pieces) == 2:
            writer.write(numbered(1000, 300, CHANNELS))
        copied(segment, layout, number, rows)

    with wide_writer(1000) as writer:
        writer.write(numbered(0, 1000, CHANNELS))
        monkeypatch.setattr(copy, "_copy_rows", slow)
        details = save("motionbase", tmp_path / NAME, cause="x", event=0)
    assert (details.first, details.count, details.overwritten, details.event_t) == (300, 700, 300, None)
    np.testing.assert_array_equal(all_values(tmp_path / NAME), numbered(300, 700, CHANNELS))
    with open_recording(tmp_path / NAME) as found:
        assert not found.damage and not found.events


def test_a_slow_disk_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The ring is copied before the disk is touched: it may be overwritten as a whole while the file is written."""
    written = McapWriter.write_rows

    def slow(self: McapWriter, *args: Any) -> None:
        writer.write(numbered(writer.head, 500, CHANNELS))
        written(self, *args)

    with wide_writer(1000) as writer:
        writer.write(numbered(0, 1000, CHANNELS))
        monkeypatch.setattr(McapWriter, "write_rows", slow)
        details = save("motionbase", tmp_path / NAME, cause="x", event=900)
        assert writer.head > 4000
    assert (details.first, details.count, details.overwritten, details.event_t) == (0, 1000, 0, 900)
    np.testing.assert_array_equal(all_values(tmp_path / NAME), numbered(0, 1000, CHANNELS))


@pytest.mark.parametrize(("comes", "first"), [(300, 300), (900, 900), (1000, None)])
def test_a_ring_larger_than_memory_starts_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, comes: int, first: int | None
) -> None:
    """Portions of 200 records: what is overwritten between two of them is given up, and the file has no gap."""
    written, calls = McapWriter.write_rows, list[int]()

    def slow(self: McapWriter, *args: Any) -> None:
        calls.append(1)
        if len(calls) == 2:
            writer.write(numbered(1000, comes, CHANNELS))
        written(self, *args)

    monkeypatch.setattr(saving, "portions", partial(copy.portions, portion_bytes=200 * 8 * CHANNELS))
    with wide_writer(1000) as writer:
        writer.write(numbered(0, 1000, CHANNELS))
        monkeypatch.setattr(McapWriter, "write_rows", slow)
        if first is None:
            with pytest.raises(RingError, match="overwrote all records before they could be copied"):
                save("motionbase", tmp_path / NAME, cause="x", event=950)
            assert leftovers(tmp_path) == ["motionbase-motionbase"]
            return
        details = save("motionbase", tmp_path / NAME, cause="x", event=950)
    assert (details.first, details.overwritten, details.event_t) == (first, first, 950)
    assert details_of(tmp_path / NAME) == details and leftovers(tmp_path) == [NAME]
    np.testing.assert_array_equal(all_values(tmp_path / NAME), numbered(first, 1000 - first, CHANNELS))


def test_a_ring_with_nothing_in_it(tmp_path: Path) -> None:
    with wide_writer(), pytest.raises(RingError, match="has no records to save"):
        save("motionbase", tmp_path / NAME, cause="x")
    with pytest.raises(RingError, match="no ring 'nobody'"):
        save("nobody", tmp_path / NAME, cause="x")
    assert leftovers(tmp_path) == []


def test_the_ring_is_not_changed(tmp_path: Path) -> None:
    with wide_writer(50) as writer:
        writer.write(numbered(0, 70, CHANNELS))
        writer.mark_unsaved()
        before = writer.backend.path.read_bytes()
        save("motionbase", tmp_path / NAME, cause="x")
        assert writer.backend.path.read_bytes() == before
        segment = attach(find())
        assert segment is not None and segment.unsaved and segment.status is Status.RUNNING
        segment = None
        writer.mark_unsaved(False)


def test_names_sort_by_time_and_tell_the_ring() -> None:
    names = [file_name("rig", ns) for ns in (0, 10**6, 10**9, 10**18, 1_763_200_000 * 10**9)]
    assert names == sorted(names) and names[0] == "19700101T000000.000Z_rig.estop.mcap"
    for ring in ("rig", "Z_x", "a.estop", "a.estop.mcap"):
        assert ring_of(Path(file_name(ring, 10**18))) == ring
    assert ring_of(Path("20261115T152444.848Z_rig.estop")) == "rig"
    assert ring_of(Path("20261115T152444Z_rig.mcap")) is None, "a recording is never removed as an old ESTOP file"


# ---- trouble ----


def test_a_full_disk_leaves_nothing_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with wide_writer() as writer:
        writer.write(numbered(0, 10, CHANNELS))
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", full)
            wanted = r"a\.estop\.mcap' cannot be written: .*No space left on device\); up to \d+ bytes are needed"
            with pytest.raises(RecordingError, match=wanted):
                save("motionbase", tmp_path / NAME, cause="x")
    assert leftovers(tmp_path) == []


@pytest.mark.parametrize("limit", [4000, 40_000])
def test_a_limit_on_file_sizes_is_survived(tmp_path: Path, limit: int) -> None:
    """A real refusal of the system, in the head of the file and half-way through its records."""
    with wide_writer() as writer:
        writer.write(np.random.default_rng(0).normal(size=(1000, CHANNELS)))
        script = (
            "import resource, sys\n"
            "from motionbase.recording.estop.save import save\n"
            f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {resource.RLIM_INFINITY}))\n"
            "save('motionbase', sys.argv[1], cause='x')\n"
        )
        child = subprocess.run(
            [sys.executable, "-c", script, str(tmp_path / NAME)],
            env=environment(tmp_path), capture_output=True, text=True, timeout=PATIENCE_S,
        )  # fmt: skip
    assert "RecordingError" in child.stderr and "File too large" in child.stderr
    assert leftovers(tmp_path) == []


def test_a_file_of_that_name_stays(tmp_path: Path) -> None:
    (tmp_path / NAME).write_text("mine")
    with wide_writer() as writer:
        writer.write(numbered(0, 10, CHANNELS))
        with pytest.raises(RecordingError, match="exists already"):
            save("motionbase", tmp_path / NAME, cause="x")
    assert (tmp_path / NAME).read_text() == "mine" and leftovers(tmp_path) == [NAME]


KILLED = """
import sys, time
from motionbase.recording.estop.files import save_ring
from motionbase.recording.mcap.write import McapWriter
from motionbase.ring.segment import attach
from motionbase.ring.backend import find
written, step = getattr(McapWriter, sys.argv[2]), [0]
def slow(self, *args):
    step[0] += 1
    if step[0] == int(sys.argv[3]):
        print("now", flush=True)
        time.sleep(100)
    return written(self, *args)
setattr(McapWriter, sys.argv[2], slow)
save_ring(attach(find("rig")), "rig", cause="killed", folder=__import__("pathlib").Path(sys.argv[1]))
"""


@pytest.mark.parametrize(("where", "step"), [("write_rows", 1), ("write_rows", 5), ("write_events", 1), ("close", 1)])
def test_a_killed_saver_loses_nothing(tmp_path: Path, where: str, step: int) -> None:
    """The ring stays unsaved; the next one saves all of it and removes what the killed one left."""
    from motionbase.recording.estop.files import files, rescue

    writer, folder = wide_writer(name="rig"), tmp_path / "estop"
    writer.write(numbered(0, 1000, CHANNELS))
    writer.close(failed=True)
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(folder), where, str(step)],
        env=environment(tmp_path), stdout=subprocess.PIPE, text=True,
    ) as saver:  # fmt: skip
        assert saver.stdout is not None and saver.stdout.readline() == "now\n"
        assert any(p.name.endswith(".part") for p in folder.iterdir())
        saver.send_signal(signal.SIGKILL)
    assert files(folder) == [], "no half file has a name"
    until(lambda: (saved := rescue("rig", folder)) is not None and saved.details.count == 1000, "saved")
    (file,) = files(folder)
    np.testing.assert_array_equal(all_values(file.path), numbered(0, 1000, CHANNELS))
    assert leftovers(folder) == [file.path.name] and rescue("rig", folder) is None


def test_the_document_has_every_field() -> None:
    text = (Path(__file__).resolve().parents[3] / "docs" / "estop.md").read_text()
    table = text[text.index("| in the metadata |") : text.index("## Figures")]
    assert {name for name in (*Details.__dataclass_fields__, "platform") if f"`{name}`" not in table} == set()
