"""The records of a dead writer survive the next writer; forked children and closed writers write nothing."""

import ctypes
import os
from pathlib import Path

import numpy as np
import pytest

from motionbase.cli.main import main as call
from motionbase.errors import RingError
from motionbase.record.schema import Channel, Schema
from motionbase.recording.estop.save import save
from motionbase.ring import catalogue
from motionbase.ring.backend import Emulation
from motionbase.ring.blocks.generators import shown
from motionbase.ring.layout import CLAIM, HEAD
from motionbase.ring.lock import is_held
from motionbase.ring.native_records import native
from motionbase.ring.reader import Reader, ReaderState
from motionbase.ring.segment import left_behind
from motionbase.ring.writer import Writer
from tests.recording.files import all_values
from tests.ring.rings import numbered, small_schema, small_writer

Capture = pytest.CaptureFixture[str]


def dead(records: int = 10, name: str = "rig") -> None:
    """A ring as SIGKILL leaves it."""
    writer = small_writer(name=name)
    writer.write(numbered(0, records))
    assert writer._lock is not None
    writer._lock.release()


def test_records_of_a_dead_writer_are_kept_under_another_name(ring_folder: Path, capsys: Capture) -> None:
    dead(10)
    with small_writer(name="rig") as second:
        (left,) = left_behind(Emulation("rig"))
        assert second.replaced.startswith(f"10 unsaved records of a writer that died are kept as {left.name} (motion")
        assert "earlier" not in second.replaced
        found = {e.name: e for e in catalogue.entries()}
        assert found["rig"].life is catalogue.Life.ALIVE and not found["rig"].unsaved
        kept = found[left.name]
        assert (kept.life, kept.unsaved, kept.records) == (catalogue.Life.DEAD, True, 10)
        assert kept.backend.kind == "shared memory (left by a dead writer)"
        outcomes = catalogue.clean()
        assert [(o.path, o.removed) for o in outcomes] == [(Emulation("rig").path, False), (left.path, False)]
        out = ring_folder / "saved.mcap"
        assert call(["ring", "save", left.name, "--out", str(out)]) == 0
        np.testing.assert_array_equal(all_values(out), numbered(0, 10))
        assert not catalogue.entry(left.name).unsaved
        assert [o.removed for o in catalogue.clean((left.name,))] == [True]
    assert sorted(p.name for p in ring_folder.glob("motionbase-*")) == ["motionbase-rig.lock"]
    capsys.readouterr()


def test_one_is_kept_for_every_name_and_the_newer_counts() -> None:
    dead(3)
    dead(4)  # keeps the three
    dead(5, "other")
    with small_writer(name="rig") as third:
        assert third.replaced.endswith("; those of an earlier one are removed")
        (left,) = left_behind(Emulation("rig"))
        assert catalogue.entry(left.name).records == 4
        with pytest.raises(RingError, match="holds the records of a dead writer; choose another name"):
            Writer(small_schema(), name=left.name)
    with small_writer(name="other") as ring:
        assert ring.replaced and len(left_behind(Emulation("other"))) == 1
    assert catalogue.clean((left.name,), force=True)[0].removed and not left_behind(Emulation("rig"))


def test_a_failed_writer_is_kept_too_and_good_ends_are_not(ring_folder: Path) -> None:
    with pytest.raises(ZeroDivisionError), small_writer() as writer:
        writer.publish()
        _ = 1 / 0
    with small_writer() as second:
        assert "1 unsaved records" in second.replaced
        second.publish()
    for _ in range(2):
        third = small_writer()
        assert third.replaced == ""
        third.publish()
        third.close(remove=False)
    dead(0, "empty")
    with small_writer(name="empty") as fourth:
        assert fourth.replaced == "" and not left_behind(Emulation("empty"))


def test_what_is_left_goes_where_there_is_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    dead(3)
    small_writer(name="rig").close()
    allocate, left = os.posix_fallocate, left_behind(Emulation("rig"))[0]

    def full(file: int, at: int, size: int) -> None:
        if left.path.exists():
            raise OSError(28, "No space left on device")
        allocate(file, at, size)

    monkeypatch.setattr("motionbase.ring.segment.os.posix_fallocate", full)
    small_writer(name="rig").close()
    assert not left.path.exists()


def test_a_device_tells_what_it_overwrites(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    card = tmp_path / "card"
    card.write_bytes(bytes(1 << 20))
    monkeypatch.setenv("MOTIONBASE_RING_DEVICE", str(card))
    dead(7)
    writer = small_writer()
    assert writer.replaced.startswith("7 unsaved records of a writer that died were on device")
    writer.publish()
    writer.mark_unsaved()
    writer.close()
    lock = writer.backend.lock_path
    with pytest.raises(RingError, match=r"ring save device\) or discard them \(motionbase ring clean device --force"):
        small_writer()
    assert [(o.path, o.removed) for o in catalogue.clean()] == [(card, False)] and lock.exists()
    assert call(["ring", "clean", "device", "--force"]) == 0
    assert "1 unsaved records are discarded" in capsys.readouterr().out
    small_writer().close()
    assert lock.exists() and catalogue.clean() == []


def test_dcu_says_what_it_replaces(capsys: Capture) -> None:
    dead(6)
    assert call(["dcu", "--ring", "rig", "--duration", "0.05", "--capacity", "10"]) == 0
    assert "motionbase dcu: 6 unsaved records of a writer that died are kept as rig.left-" in capsys.readouterr().err


def test_force_needs_a_name(capsys: Capture) -> None:
    dead(6)
    assert call(["ring", "clean", "--force"]) == 2
    assert "needs the names of rings; unsaved or not readable: rig" in capsys.readouterr().err
    assert catalogue.entry("rig").unsaved


# ---- who may write ----


def test_a_forked_child_cannot_touch_the_ring_of_its_parent() -> None:
    with small_writer() as writer:
        writer.publish()
        reader = Reader(start="oldest")
        child = os.fork()
        if child == 0:
            refused = 0
            for act in (writer.publish, writer.beat, writer.mark_unsaved, lambda: writer.write(numbered(0, 2))):
                try:
                    act()
                except RingError as error:
                    refused += "belongs to the parent" in str(error)
            native().write(ctypes.addressof(writer.native_port()))  # as a native loop would
            writer.close()
            os._exit(refused)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 4
        assert writer.head == 1 and writer.backend.path.exists() and not writer.segment.unsaved
        writer.publish()
        batch = reader.read()
        assert len(batch.rows) == 2 and batch.state is ReaderState.LIVE


def test_a_closed_writer_writes_nothing() -> None:
    writer = small_writer()
    writer.publish()
    writer.close()
    for act in (writer.publish, lambda: writer.write(numbered(0, 1)[0]), lambda: writer.write(numbered(0, 2))):
        with pytest.raises(RingError, match="is closed; it cannot write any more"):
            act()
    assert writer.head == 1


def test_one_number_is_not_a_row() -> None:
    with small_writer() as writer, pytest.raises(RingError, match=r"rows have shape \(1,\)"):
        writer.write(np.array([7.0]))
    assert writer.head == 0


# ---- what lies there ----


def test_a_pipe_in_the_place_of_a_ring_makes_nobody_wait() -> None:
    path = Emulation("motionbase").path
    os.mkfifo(path)
    os.mkfifo(Emulation("other").lock_path)
    for look in (Reader, shown):
        with pytest.raises(RingError, match="is not a file"):
            look()
    assert not is_held(Emulation("other").lock_path)
    with pytest.raises(RingError, match="is not a file; remove it"):
        small_writer(name="other")
    assert "is not a file" in catalogue.entry("motionbase").trouble
    with small_writer():
        assert path.is_file()


def test_a_directory_in_the_place_of_a_ring_is_a_sentence(ring_folder: Path) -> None:
    Emulation("motionbase").path.mkdir()
    with pytest.raises(RingError, match="cannot be created: Is a directory; remove the file there"):
        small_writer()
    assert sorted(p.name for p in ring_folder.iterdir()) == ["motionbase-motionbase", "motionbase-motionbase.lock"]


@pytest.mark.parametrize("wild", [2**40, 2**63 + 7, 2**64 - 1])
def test_wild_counters_end_in_bounded_time(wild: int, ring_folder: Path) -> None:
    schema = Schema("s", (Channel("t", "s", "time", "time"), Channel("lateness", "s", "late", "timing")))
    writer = Writer(schema, name="rig", capacity=16)
    writer.write(np.zeros((4, 2)))
    writer.segment.set_counter(HEAD, wild)
    found = catalogue.lateness(catalogue.entry("rig"))
    assert found is None or found["records"] <= 32
    with pytest.raises(RingError, match="its counters are spoilt"):
        save("rig", ring_folder / "x.mcap", cause="a test")
    writer.segment.set_counter(CLAIM, wild)
    if wild > 2**62:
        with pytest.raises(RingError, match="its counters are spoilt"):
            save("rig", ring_folder / "x.mcap", cause="a test")
    writer.close()
