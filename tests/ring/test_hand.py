"""What devices say, through the file beside a ring: whole, judged, by one program at a time."""

import math
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from motionbase.errors import RingError
from motionbase.record.world import AXIS_COUNT, GAMEPAD, KEYBOARD, KEYS, NOBODY, SCRIPT, Hand
from motionbase.ring.backend import Emulation
from motionbase.ring.hand import BLOCK_AT, SIZE, HandReader, HandWriter, hand_path, made_hand

AT = BLOCK_AT + 64


@pytest.fixture
def ring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Emulation]:
    monkeypatch.setenv("MOTIONBASE_RING_FOLDER", str(tmp_path))
    backend = Emulation("hands")
    with made_hand(backend):
        yield backend


def reader_of(ring: Emulation) -> HandReader:
    found = HandReader.attached(ring)
    assert found is not None
    return found


def writer_of(ring: Emulation) -> HandWriter:
    found = HandWriter.attached(ring)
    assert found is not None
    return found


def test_what_is_written_is_read_and_counted(ring: Emulation) -> None:
    hand = Hand(GAMEPAD, (0.25, -1.0, *(0.0,) * (AXIS_COUNT - 2)), 0b101, 0)
    with writer_of(ring) as writer, reader_of(ring) as reader:
        assert reader.newest() is None
        writer.write(hand)
        first = reader.newest()
        writer.write(hand)
        second = reader.newest()
    assert first is not None and second is not None
    assert first.hand == second.hand == hand and second.number == first.number + 1


def test_one_program_at_a_time_which_gives_the_vehicle_back_at_its_end(ring: Emulation) -> None:
    with reader_of(ring) as reader:
        with writer_of(ring) as writer:
            writer.write(Hand(KEYBOARD, keys=3))
            with pytest.raises(RingError, match="another program steers already"):
                HandWriter.attached(ring)
        told = reader.newest()
        assert told is not None and told.hand == Hand(NOBODY)
        with writer_of(ring) as after:
            after.write(Hand(KEYBOARD))
            again = reader.newest()
        assert again is not None and again.number != told.number


HOSTILE = {
    "nan": (math.nan, GAMEPAD, 0, 0, *(0.0,) * 8), "infinite": (1.0, GAMEPAD, 0, 0, math.inf, *(0.0,) * 7),
    "unknown device": (1.0, 77, 0, 0, *(0.0,) * 8), "half a device": (1.0, 2.5, 0, 0, *(0.0,) * 8),
}  # fmt: skip


def overwrite(ring: Emulation, numbers: tuple[float, ...], sequence: int = 2) -> None:
    with hand_path(ring).open("r+b") as file:
        file.seek(BLOCK_AT)
        file.write(np.array([sequence], "<u8").tobytes())
        file.seek(AT)
        file.write(np.array(numbers, "<f8").tobytes())


@pytest.mark.parametrize("numbers", HOSTILE.values(), ids=HOSTILE)
def test_hostile_numbers_are_nothing(ring: Emulation, numbers: tuple[float, ...]) -> None:
    overwrite(ring, numbers)
    with reader_of(ring) as reader:
        assert reader.newest() is None


def test_the_script_is_asked_for_without_anything_else(ring: Emulation) -> None:
    with reader_of(ring) as reader, writer_of(ring) as writer:
        writer.write(Hand(SCRIPT, (1.0,) * AXIS_COUNT, 7, 7))
        told = reader.newest()
    assert told is not None and told.hand == Hand(SCRIPT)


def test_what_is_too_large_is_cut(ring: Emulation) -> None:
    overwrite(ring, (1.0, GAMEPAD, 1e300, -5.0, 1e300, -1e300, 0.5, *(0.0,) * 5))
    with reader_of(ring) as reader:
        told = reader.newest()
    assert told is not None and told.hand.axes[:3] == (1.0, -1.0, 0.5)
    assert told.hand.buttons == 0 and told.hand.keys == 0
    assert max(len(KEYS), 24) < 53  # whole numbers in a double


def test_a_write_without_end_is_no_news(ring: Emulation) -> None:
    """A program that died in the middle of a write, or writes all the time."""
    overwrite(ring, (1.0, GAMEPAD, *(0.0,) * 10), sequence=3)
    with reader_of(ring) as reader:
        assert reader.newest() is None


def test_a_file_that_is_cut_or_foreign_is_no_trap(ring: Emulation) -> None:
    with reader_of(ring) as reader, writer_of(ring) as writer:
        writer.write(Hand(KEYBOARD))
        os.truncate(hand_path(ring), 0)
        assert not writer.is_replaced()
        writer.write(Hand(KEYBOARD))
        assert reader.newest() is None and writer.is_replaced()  # so that a page is told that nothing reaches it
    with pytest.raises(RingError, match="is no file of a driver's device"):
        HandReader.attached(ring)
    hand_path(ring).write_bytes(b"MBSX" + bytes(SIZE - 4))
    with pytest.raises(RingError, match="is no file"):
        HandReader.attached(ring)


def test_without_a_world_there_is_nobody_to_tell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOTIONBASE_RING_FOLDER", str(tmp_path))
    backend = Emulation("plain")
    assert HandWriter.attached(backend) is None and HandReader.attached(backend) is None
    with made_hand(backend), writer_of(backend) as writer:
        assert not writer.is_replaced()
    assert not hand_path(backend).exists() and writer.is_replaced()
