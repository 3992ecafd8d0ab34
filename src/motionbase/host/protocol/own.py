"""Our own frames, little-endian; docs/host.md tells them byte by byte.

    0    4s   MBHP a pose, MBHV the motion of a vehicle, MBHG function generators
    4    u16  version, 1
    6    u16  n, how many numbers follow: 18, 13 or 112
    8    u64  run, a number that the host draws when it starts
    16   u64  sequence, counts the frames of a run, of all kinds, from 1
    24   f64  stamp, the host's own time [s]
    32   u32  request, 0 for none, else a number of `record.requests.Kind`
    36   u32  0
    40   n f64

A vehicle's frame may tell what comes, after its numbers:

    144  u32  k, 1 to 23 rows
    148  u32  0
    152  7 k f64  rows: time ahead [s], ascending from above 0; specific force x y z, angular rate x y z

Every frame that is used is answered:

    0    4s   MBHA
    4    u16  version, 1
    6    u16  n, 12
    8    u64  run, sequence and stamp of the frame, at 8, 16 and 24
    32   u64  tick
    40   f64  t [s]
    48   u32  state, fault, warning and mode, at 48, 52, 56 and 60
    64   12 f64  pose and its rate
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable
from typing import NamedTuple, final

from motionbase.host.format import (
    Format,
    Frame,
    Kind,
    Rows,
    Statement,
    Status,
    Told,
)
from motionbase.host.preview import COLUMNS, MOST_ROWS, is_preview
from motionbase.host.protocol.common import state_of, summary
from motionbase.record.generator_set import SHAPE, values_problem
from motionbase.record.requests import Kind as Request

VERSION = 1
HEAD = struct.Struct("<4sHHQQdII")
ANSWER = struct.Struct("<4sHHQQdQd4I12d")
POSE, VEHICLE, GENERATORS, ANSWERED = b"MBHP", b"MBHV", b"MBHG", b"MBHA"
NUMBERS = {POSE: 18, VEHICLE: 13, GENERATORS: SHAPE[0] * SHAPE[1]}
BODY = {magic: struct.Struct(f"<{n}d") for magic, n in NUMBERS.items()}
SIZE = {magic: HEAD.size + body.size for magic, body in BODY.items()}
AHEAD = struct.Struct("<II")
REQUESTS = {int(kind): kind for kind in Request if kind <= Request.RESET_FAULT}
"""What a host may ask, by number: the states, and the reset of a fault."""
PORT = 8730
ALL = 2**64 - 1


def frame_bytes(magic: bytes, numbers: Iterable[float], frame: Frame) -> bytes:
    """A frame of that kind; `frame` gives run, sequence, stamp and request."""
    head = HEAD.pack(
        magic, VERSION, NUMBERS[magic], frame.run & ALL, (frame.sequence or 0) & ALL, frame.stamp or 0.0,
        int(frame.request or 0), 0,
    )  # fmt: skip
    return head + BODY[magic].pack(*numbers)


def encoded(frame: Frame, kind: Kind) -> bytes:
    """A frame as bytes: its generators if it has some, else its row."""
    if frame.generators is not None:
        return frame_bytes(GENERATORS, (x for row in frame.generators for x in row), frame)
    if kind is not Kind.VEHICLE:
        return frame_bytes(POSE, frame.row, frame)
    return frame_bytes(VEHICLE, frame.row, frame) + preview_bytes(frame.preview)


def preview_bytes(rows: Rows) -> bytes:
    """What follows a vehicle's numbers; nothing if there are no rows."""
    numbers = [x for row in rows for x in row]
    return AHEAD.pack(len(rows), 0) + struct.pack(f"<{len(numbers)}d", *numbers) if rows else b""


def preview_of(data: bytes) -> Rows | None:
    """The rows that follow a vehicle's numbers; None if the bytes are no preview."""
    if not data:
        return ()
    if len(data) < AHEAD.size:
        return None
    count, zero = AHEAD.unpack_from(data)
    if zero or not 0 < count <= MOST_ROWS or len(data) != AHEAD.size + 8 * COLUMNS * count:
        return None
    rows = cut(struct.unpack_from(f"<{COLUMNS * count}d", data, AHEAD.size), COLUMNS)
    return rows if is_preview(rows) else None


class Answer(NamedTuple):
    """An answer, as the host reads it."""

    run: int
    sequence: int
    stamp: float
    status: Status


def answer_of(data: bytes) -> Answer | None:
    """The answer in a datagram; None if it is none."""
    if len(data) != ANSWER.size:
        return None
    magic, version, n, run, sequence, stamp, tick, t, state, fault, warning, mode, *numbers = ANSWER.unpack(data)
    if magic != ANSWERED or version != VERSION or n != 12 or not all(map(math.isfinite, (stamp, t, *numbers))):
        return None
    told = Status(tick, t, tuple(numbers[:6]), tuple(numbers[6:]), state, fault, warning, mode)
    return Answer(run, sequence, stamp, told)


@final
class OwnDecoder:
    """Decodes frames of one kind of motion, and those of generators."""

    def __init__(self, magic: bytes) -> None:
        self._magic = magic

    def decode(self, data: bytes) -> Frame | None:
        """The frame; None if the bytes are none."""
        magic = data[:4]
        if (magic != self._magic and magic != GENERATORS) or len(data) < SIZE[magic]:
            return None
        preview = preview_of(data[SIZE[magic] :])
        if preview is None or (preview and magic != VEHICLE):
            return None
        _, version, n, run, sequence, stamp, request, zero = HEAD.unpack_from(data)
        if version != VERSION or n != NUMBERS[magic] or zero or (request and request not in REQUESTS):
            return None
        numbers = BODY[magic].unpack_from(data, HEAD.size)
        if not (math.isfinite(stamp) and all(map(math.isfinite, numbers))):
            return None
        asked = REQUESTS[request] if request else None
        if magic != GENERATORS:
            return Frame(numbers, sequence, stamp, run, asked, preview=preview)
        rows = cut(numbers, SHAPE[1])
        if values_problem(list(row) for row in rows):
            return None
        return Frame((), sequence, stamp, run, asked, rows)

    def answer(self, frame: Frame, status: Status) -> bytes:
        """The state of the base, with run, sequence and stamp of the frame."""
        return ANSWER.pack(
            ANSWERED, VERSION, 12, frame.run, frame.sequence or 0, frame.stamp or 0.0, status.tick, status.t,
            status.state, status.fault, status.warning, status.mode, *status.pose, *status.velocity,
        )  # fmt: skip


@final
class OwnEncoder:
    """Makes frames of one kind of motion, and of generators."""

    def __init__(self, kind: Kind) -> None:
        self._kind = kind

    def encode(self, frame: Frame) -> bytes:
        """The frame as bytes."""
        return encoded(frame, self._kind)

    def told(self, data: bytes) -> Told | None:
        """What an answer says."""
        answer = answer_of(data)
        if answer is None:
            return None
        status = answer.status
        return Told(answer.sequence, answer.stamp, status, summary(status), state_of(status))


def cut(numbers: tuple[float, ...], width: int) -> Rows:
    """Numbers as rows."""
    return tuple(numbers[k : k + width] for k in range(0, len(numbers), width))


FORMATS = (
    Format(
        "motionbase",
        Kind.POSE,
        "our own frame: pose, velocity and acceleration of the platform",
        PORT,
        lambda _: OwnDecoder(POSE),
        encoder=lambda _: OwnEncoder(Kind.POSE),
    ),
    Format(
        "motionbase-vehicle",
        Kind.VEHICLE,
        "our own frame: specific force, rates and attitude at the pilot's head",
        PORT,
        lambda _: OwnDecoder(VEHICLE),
        Statement("x forward, y left, z up", True, "pilot's head", "docs/host.md"),
        (),
        encoder=lambda _: OwnEncoder(Kind.VEHICLE),
    ),
)
