"""Frames of an eMotion base, built here with `struct` from the published structures."""

import math
import struct
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motionbase.host.format import Decoder, Frame, Options
from motionbase.host.formats import FORMATS
from motionbase.record.faults import Fault
from motionbase.record.requests import Kind as Request
from motionbase.record.states import State
from tests.host.protocol.frames import NOT_FINITE, STATUS, assert_only_whole
from tests.tier import often

# ST_TxUdpStewart: COUNT, CMND, then 107 REAL before X_EXTRA (AX 0, P_CG 9, Phi 12, X_DIRECT 15, Flags 21, FREQ1 27 ...)
BEFORE = 3 + 3 + 3 + 3 + 2 + 1 + 3 + 3 + 1 + 5 + 4 * 20
MOTION = tuple(0.01 * k - 0.07 for k in range(18))
FLIP = (1.0, -1.0, -1.0, 1.0, -1.0, -1.0) * 3


def command(count: int, word: int, motion: tuple[float, ...] = MOTION, rest: float = 0.0) -> bytes:
    return struct.pack("<II125f", count, word, *(rest,) * BEFORE, *motion)


def decoder(z_up: bool | None = None) -> Decoder:
    return FORMATS["emotion"].decoder(Options(z_up=z_up, clock=lambda: 0.0))


def answered(made: Decoder, frame: Frame, **changes: Any) -> tuple[float, ...]:
    data = made.answer(frame, STATUS._replace(**changes))
    assert data is not None and len(data) == 152
    return struct.unpack("<II36f", data)


def test_the_direct_pose_is_what_moves() -> None:
    data = command(77, 7, rest=5.0)
    assert len(data) == 508
    frame = decoder().decode(data)
    assert frame is not None and frame.sequence == 77 and frame.request is None
    assert frame.row == pytest.approx([x * s for x, s in zip(MOTION, FLIP, strict=True)], abs=1e-7)
    frame = decoder(z_up=True).decode(data)
    assert frame is not None and frame.row == pytest.approx(MOTION, abs=1e-7)


def test_only_whole_frames() -> None:
    assert_only_whole(decoder(), command(1, 7))
    assert [word for word in range(300) if decoder().decode(command(1, word))] == [0, 1, 3, 7, 0x11]
    for value in NOT_FINITE:
        for k in (0, 50, 106, 107, 124):
            numbers = [0.0] * 125
            numbers[k] = value
            assert decoder().decode(struct.pack("<II125f", 1, 7, *numbers)) is None


@pytest.mark.parametrize(
    ("word", "asked"),
    [
        (7, {State.DOWN: Request.STANDBY, State.STANDBY: Request.DRIVE, State.DRIVE: None}),
        (3, {State.DOWN: Request.STANDBY, State.DRIVE: Request.SETTLE, State.STANDBY: None}),
        (1, {State.DRIVE: Request.SETTLE, State.STANDBY: Request.LOWER, State.OFF: Request.DOWN, State.DOWN: None}),
        (0, {State.DOWN: Request.OFF, State.STANDBY: Request.LOWER, State.OFF: None}),
        (0x11, {State.HELD: Request.RESET_FAULT}),
    ],
)  # fmt: skip
def test_commands_ask_for_the_next_step(word: int, asked: dict[State, Request | None]) -> None:
    for state, request in asked.items():
        made = decoder()
        answered(made, Frame(()), state=state)
        frame = made.decode(command(1, word))
        assert frame is not None and frame.request is request


@pytest.mark.parametrize(
    ("state", "fault", "warning", "code"),
    [
        (State.OFF, 0, 0, 0x01), (State.DOWN, 0, 0, 0x02), (State.RISING, 0, 0, 0x00), (State.STANDBY, 0, 0, 0x04),
        (State.DRIVE, 0, 0, 0x08), (State.DRIVE, 0, 3, 0x48), (State.FREEZE, 0, 0, 0x09),
        (State.ABORT, Fault.ESTOP, 1, 0x80), (99, 0, 0, 0x00),
    ],
)  # fmt: skip
def test_the_answer_tells_the_state(state: int, fault: int, warning: int, code: int) -> None:
    found = answered(decoder(), Frame(()), state=int(state), fault=int(fault), warning=warning)
    assert found[1] == code


def test_the_answer_tells_demand_and_motion() -> None:
    made = decoder()
    frame = made.decode(command(2**32 - 1, 7))
    assert frame is not None
    count, _, *numbers = answered(made, frame)
    assert count == 2**32 - 1
    demand, effects, legs, pose, velocity, acceleration = (numbers[k : k + 6] for k in range(0, 36, 6))
    assert demand == pytest.approx(MOTION[:6], abs=1e-7)
    assert effects == legs == acceleration == [0.0] * 6
    assert pose == pytest.approx([x * s for x, s in zip(STATUS.pose, FLIP, strict=False)], abs=1e-7)
    assert velocity == pytest.approx([x * s for x, s in zip(STATUS.velocity, FLIP, strict=False)], abs=1e-7)


def test_a_host_that_tells_positions_alone_gets_velocities() -> None:
    t = 0.0
    made = FORMATS["emotion"].decoder(Options(clock=lambda: t))
    for k in range(100):
        t = k / 200
        frame = made.decode(command(k, 7, (0.2 * t, *(0.0,) * 17)))
    assert frame is not None and frame.row[6] == pytest.approx(0.2, rel=1e-3)  # the position is in single precision


@settings(max_examples=often(200))
@given(st.lists(st.floats(-10, 10), min_size=18, max_size=18), st.integers(0, 2**32 - 1))
def test_what_is_encoded_is_decoded(row: list[float], count: int) -> None:
    encoder = FORMATS["emotion"].encoder
    assert encoder is not None
    frame = decoder().decode(encoder(Options()).encode(Frame(tuple(row), count)))
    assert frame is not None and frame.sequence == count
    assert frame.row[:6] == pytest.approx(row[:6], abs=2e-6)  # single precision
    told = encoder(Options()).told(decoder().answer(frame, STATUS) or b"")
    assert told is not None and (told.sequence, told.text) == (count, "engaged, warning")


@settings(max_examples=often(100))
@given(st.one_of(st.binary(max_size=64), st.binary(min_size=500, max_size=500)))
def test_random_bytes_raise_nothing(data: bytes) -> None:
    for word in (b"", struct.pack("<II", 1, 7)):
        frame = decoder().decode(word + data)
        assert frame is None or all(map(math.isfinite, frame.row))
