"""Frames of the Moog 6DOF2000E, built here with `struct` from the published header."""

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

MIDDLE = -0.220775
ROLL, PITCH, HEAVE, SURGE, YAW, LATERAL = 0.1, 0.2, -0.3, 0.4, 0.5, 0.6


def command(word: int, *numbers: float) -> bytes:
    return struct.pack(">I6fI", word, *(numbers or (ROLL, PITCH, HEAVE, SURGE, YAW, LATERAL)), 0)


def decoder(neutral: float | None = None) -> Decoder:
    return FORMATS["moog"].decoder(Options(neutral=neutral, clock=lambda: 0.0))


def answered(made: Decoder, **changes: Any) -> tuple[float, ...]:
    data = made.answer(Frame(()), STATUS._replace(**changes))
    assert data is not None and len(data) == 40
    return struct.unpack(">3I6fI", data)


def test_positions_are_in_axes_that_point_down() -> None:
    frame = decoder().decode(command(130))
    assert frame is not None and frame.request is None and frame.sequence is None
    wanted = SURGE, -LATERAL, -(HEAVE - MIDDLE), ROLL, -PITCH, -YAW
    assert frame.row[:6] == pytest.approx(wanted, abs=1e-7) and frame.row[6:] == (0.0,) * 12
    frame = decoder(0.0).decode(command(130))
    assert frame is not None and frame.row[2] == pytest.approx(-HEAVE, abs=1e-7)


def test_only_whole_frames() -> None:
    assert_only_whole(decoder(), command(130))
    assert [word for word in range(300) if decoder().decode(command(word))] == [
        130, 140, 150, 160, 170, 172, 175, 180, 190, 200, 210, 220,
    ]  # fmt: skip
    for value in NOT_FINITE:
        assert all(decoder().decode(command(130, *(0.0,) * k, value, *(0.0,) * (5 - k))) is None for k in range(6))


def test_other_modes_hold_no_pose() -> None:
    for word in (172, 140):
        made = decoder()
        for data, moves in ((command(130), True), (command(word), False), (command(130), False),
                            (command(170), False), (command(130), True)):  # fmt: skip
            frame = made.decode(data)
            assert frame is not None and bool(frame.row) == moves
        made.decode(command(word))
        assert int(answered(made)[2]) & 0x60 == {172: 0x00, 140: 0x40}[word]


@pytest.mark.parametrize(
    ("word", "asked"),
    [
        (180, {State.DOWN: Request.STANDBY, State.STANDBY: Request.DRIVE, State.RISING: None, State.DRIVE: None,
               State.HELD: None, State.OFF: Request.DOWN}),
        (210, {State.DRIVE: Request.SETTLE, State.STANDBY: Request.LOWER, State.DOWN: None, State.LOWERING: None}),
        (160, {State.HELD: Request.RESET_FAULT}),
        (220, {State.DRIVE: Request.ABORT, State.STANDBY: Request.ABORT}),
        (150, {State.DRIVE: None}),
        (190, {State.DRIVE: None}),
    ],
)  # fmt: skip
def test_words_ask_for_the_next_step_from_the_state_answered_last(
    word: int, asked: dict[State, Request | None]
) -> None:
    for state, request in asked.items():
        made = decoder()
        answered(made, state=state)
        frame = made.decode(command(word))
        assert frame is not None and frame.request is request


def test_before_any_answer_nothing_is_asked_that_depends_on_the_state() -> None:
    frame = decoder().decode(command(180))
    assert frame is not None and frame.request is None


def test_engage_starts_from_neutral_and_start_from_what_is_told() -> None:
    engage, start = decoder().decode(command(180, *(0.0,) * 6)), decoder().decode(command(175, 0, 0, -0.1, 0, 0, 0))
    assert engage is not None and engage.row == (0.0,) * 18
    assert start is not None and start.row[2] == pytest.approx(0.1 + MIDDLE, abs=1e-7)


@pytest.mark.parametrize(
    ("state", "fault", "code", "faults"),
    [
        (State.DOWN, 0, 0x21, 0), (State.STANDBY, 0, 0x22, 0), (State.DRIVE, 0, 0x23, 0), (State.SETTLING, 0, 0x27, 0),
        (State.LOWERING, 0, 0x27, 0), (State.ABORT, Fault.ESTOP, 0x28, 0x8000), (State.HELD, Fault.TRACKING, 0x29, 2),
        (State.OFF, Fault.LEG_VELOCITY, 0x29, 0x2000), (State.ABORT, Fault.GUARD_LATE, 0x28, 0x80), (99, 0, 0x20, 0),
    ],
)  # fmt: skip
def test_the_answer_tells_state_and_faults(state: int, fault: int, code: int, faults: int) -> None:
    found = answered(decoder(), state=int(state), fault=int(fault))
    assert (found[2], found[0]) == (code, faults)


def test_the_answer_tells_the_pose_in_the_axes_of_the_host() -> None:
    _, signals, _, roll, pitch, heave, surge, yaw, lateral, spare = answered(decoder())
    x, y, z, a, b, c = STATUS.pose
    found = surge, lateral, heave, roll, pitch, yaw
    assert found == pytest.approx((x, -y, MIDDLE - z, a, -b, -c), abs=1e-7) and spare == 0
    assert signals == 0x40
    assert answered(decoder(), state=State.DOWN)[1] == 0x01
    assert answered(decoder(), state=State.ABORT, fault=Fault.ESTOP)[1] == 0xC0
    big = answered(decoder(), pose=(1e300, -1e300, math.inf, 0.0, 0.0, 0.0))
    assert all(map(math.isfinite, big))


@settings(max_examples=often(200))
@given(st.lists(st.floats(-10, 10), min_size=6, max_size=6))
def test_what_is_encoded_is_decoded(pose: list[float]) -> None:
    encoder = FORMATS["moog"].encoder
    assert encoder is not None
    data = encoder(Options()).encode(Frame((*pose, *(0.0,) * 12)))
    frame = decoder().decode(data)
    assert frame is not None and frame.row[:6] == pytest.approx(pose, abs=2e-6)  # single precision
    told = encoder(Options()).told(decoder().answer(frame, STATUS) or b"")
    assert told is not None and told.text == "engaged"


@settings(max_examples=often(200))
@given(st.one_of(st.binary(max_size=64), st.binary(min_size=32, max_size=32)))
def test_random_bytes_raise_nothing(data: bytes) -> None:
    for word in (b"", b"\0\0\0\x82"):
        frame = decoder().decode((word + data)[:32])
        assert frame is None or all(map(math.isfinite, frame.row))
