"""Frames of SMC3 and lines of ESP32 text: round trips, bytes that are cut off or lost, and any bytes at all."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motionbase.rig.serial import esp32, smc3
from motionbase.rig.serial.smc3 import Position, Status
from tests.tier import often

BYTE = st.integers(0, 255)
TARGET = st.integers(0, smc3.FULL)
SAID = st.one_of(
    st.builds(Position, st.integers(0, 2), BYTE, BYTE),
    st.builds(Status, st.tuples(st.booleans(), st.booleans(), st.booleans())),
)
SIX = st.lists(st.integers(0, esp32.FULL), min_size=6, max_size=6)


def test_smc3_frames_as_in_the_source() -> None:
    assert smc3.targets([0, 512, 1023]) == b"[A\x00\x00][B\x02\x00][C\x03\xff]"
    assert smc3.frames(b"[A\x7f\x80][a\x15\x00]") == ([b"A\x7f\x80", b"a\x15\x00"], b"", 0)
    assert smc3.answer(b"A\x7f\x80") == Position(0, 127, 128)
    assert smc3.answer(b"a\x15\x00") == Status((True, False, True))
    assert smc3.answer(b"v\x00\x46") is None


@pytest.mark.parametrize("counts", [[0, 0], [0, 0, 1024], [-1, 0, 0]])
def test_smc3_refuses_other_targets(counts: list[int]) -> None:
    with pytest.raises(ValueError, match="0 to 1023"):
        smc3.targets(counts)


@settings(max_examples=often(300), deadline=None)
@given(said=st.lists(SAID, max_size=6), cut=st.integers(0, 30))
def test_smc3_answers_come_back_wherever_the_stream_is_cut(said: list[Position | Status], cut: int) -> None:
    """Bytes of positions may be those of brackets."""
    data = b"".join(map(smc3.written, said))
    first, rest, dropped = smc3.frames(data[:cut])
    second, left, dropped_too = smc3.frames(rest + data[cut:])
    assert [smc3.answer(body) for body in first + second] == said
    assert left == b"" and dropped == dropped_too == 0


@settings(max_examples=often(300), deadline=None)
@given(data=st.binary(max_size=60), cut=st.integers(0, 60))
def test_smc3_any_bytes_are_split_the_same_in_one_piece_or_two(data: bytes, cut: int) -> None:
    whole = smc3.frames(data)
    first, rest, dropped = smc3.frames(data[:cut])
    second, left, more = smc3.frames(rest + data[cut:])
    assert (first + second, left, dropped + more) == whole
    assert len(left) < smc3.LENGTH and len(data) == smc3.LENGTH * len(whole[0]) + whole[2] + len(left)


@settings(max_examples=often(300), deadline=None)
@given(counts=st.lists(st.tuples(TARGET, TARGET, TARGET), min_size=3, max_size=5), lost=st.integers(0, 100))
def test_smc3_a_lost_byte_costs_its_frame_and_sets_no_wrong_target(
    counts: list[tuple[int, int, int]], lost: int
) -> None:
    data = b"".join(map(smc3.targets, counts))
    sent, _, _ = smc3.frames(data)
    lost %= len(data)
    received, rest, dropped = smc3.frames(data[:lost] + data[lost + 1 :])
    known = [body for body in received if body[0] in smc3.LETTERS]
    missing = lost // smc3.LENGTH
    assert known == sent[:missing] + sent[missing + 1 :]
    assert len(rest) + dropped < smc3.LENGTH + 1


def test_esp32_line_as_in_the_source() -> None:
    assert esp32.line([0, 1, 20, 300, 4095, 2048]) == b"0,1,20,300,4095,2048X"
    assert len(esp32.line([esp32.FULL] * 6)) == esp32.LONGEST < esp32.BUFFER


@pytest.mark.parametrize("counts", [[0] * 5, [0] * 7, [4096] + [0] * 5, [0] * 5 + [-1]])
def test_esp32_refuses_other_targets(counts: list[int]) -> None:
    with pytest.raises(ValueError, match="0 to 4095"):
        esp32.line(counts)


@settings(max_examples=often(300), deadline=None)
@given(sent=st.lists(SIX, max_size=4), cut=st.integers(0, 120))
def test_esp32_lines_come_back_wherever_the_stream_is_cut(sent: list[list[int]], cut: int) -> None:
    data = b"".join(map(esp32.line, sent))
    first, rest, wrong = esp32.lines(data[:cut])
    second, left, wrong_too = esp32.lines(rest + data[cut:])
    assert [list(numbers) for numbers in first + second] == sent
    assert left == b"" and wrong == wrong_too == 0


@settings(max_examples=often(300), deadline=None)
@given(data=st.one_of(st.binary(max_size=80), st.text("0123456789,X\r-+ _e.", max_size=80).map(str.encode)))
def test_esp32_any_bytes_give_lines_of_six_numbers_or_none(data: bytes) -> None:
    read, rest, wrong = esp32.lines(data)
    assert len(read) + wrong == data.count(b"X") and len(rest) <= esp32.BUFFER
    assert all(len(numbers) == 6 and all(0 <= n <= esp32.FULL for n in numbers) for numbers in read)


@pytest.mark.parametrize(
    "text", [b"1,2,3,4,5X", b"1,2,3,4,5,6,7X", b"1,2,3,4,5,4096X", b"1,2,3,4,5,-6X", b"1,,3,4,5,6X"]
)
def test_esp32_wrong_lines_are_dropped(text: bytes) -> None:
    assert esp32.lines(text) == ([], b"", 1)
