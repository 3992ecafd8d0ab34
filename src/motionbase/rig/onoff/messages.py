"""Messages between a simulated on/off rig in a process of its own and those who read and write through a socket.

A request is a head and, by its kind, twelve outputs or six openings; a reading is answered by six voltages, everything
else by nothing. What was wrong with the writes of a client comes with the next answer to it.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from enum import IntEnum, IntFlag
from typing import NamedTuple

import numpy as np

from motionbase.arrays import Array
from motionbase.rig.onoff.acquisition import LEGS, LINES

SOCKET = "onoff.sock"
MOST_BYTES = 256  # longer than any message, so that a longer one is told from it
MAGIC = b"OOR1"
_HEAD = struct.Struct("<4sBQ")  # mark, kind, number
_LINES = struct.Struct("<H")
_OPENINGS = struct.Struct(f"<{LEGS}d")
_ANSWER = struct.Struct(f"<4sQdiB{LEGS}d")  # mark, number, time, code, state of the relay, voltages


class Kind(IntEnum):
    """What a client asks for."""

    READ = 1
    WRITE = 2
    THROTTLE = 3
    CUT = 4  # open the relay


class Relay(IntFlag):
    """Relay in the valves' supply."""

    FITTED = 1
    OPEN = 2


class Code(IntEnum):
    """Why a client's request failed, beside the codes of the device itself."""

    GONE = -101  # there is no machine
    SILENT = -102  # it does not answer in time
    OLD = -103  # its answers are too old
    SUPERSEDED = -104  # a newer client writes
    NONSENSE = -105  # an answer that cannot be read
    CLOSED = -106  # the client was closed


class Request(NamedTuple):
    """What has come from a client: `lines` or `openings` if its kind has them."""

    kind: Kind
    number: int
    lines: tuple[bool, ...] = ()
    openings: Array = np.ones(LEGS)


class Answer(NamedTuple):
    """A reading: time [s] on the monotonic clock, voltages [V], and the device's code of what failed, 0 if nothing."""

    number: int
    measured_at: float
    code: int
    relay: Relay
    volts: Array


def reading(number: int) -> bytes:
    """Ask for voltages."""
    return _HEAD.pack(MAGIC, Kind.READ, number)


def writing(lines: Sequence[bool]) -> bytes:
    """Set the outputs."""
    return _HEAD.pack(MAGIC, Kind.WRITE, 0) + _LINES.pack(sum(bool(on) << k for k, on in enumerate(lines)))


def throttling(openings: Array) -> bytes:
    """Set the flow-control valves."""
    return _HEAD.pack(MAGIC, Kind.THROTTLE, 0) + _OPENINGS.pack(*openings.tolist())


def cutting() -> bytes:
    """Open the relay."""
    return _HEAD.pack(MAGIC, Kind.CUT, 0)


def request(data: bytes) -> Request | None:
    """A request as it came, None if it is none."""
    if len(data) < _HEAD.size:
        return None
    magic, kind, number = _HEAD.unpack_from(data)
    rest = data[_HEAD.size :]
    if magic != MAGIC:
        return None
    if kind in (Kind.READ, Kind.CUT) and not rest:
        return Request(Kind(kind), number)
    if kind == Kind.WRITE and len(rest) == _LINES.size:
        (mask,) = _LINES.unpack(rest)
        lines = tuple(bool(mask >> k & 1) for k in range(LINES))
        return Request(Kind.WRITE, number, lines) if mask < 1 << LINES else None
    if kind == Kind.THROTTLE and len(rest) == _OPENINGS.size:
        openings = np.array(_OPENINGS.unpack(rest))
        return Request(Kind.THROTTLE, number, openings=openings) if np.isfinite(openings).all() else None
    return None


def answering(answer: Answer) -> bytes:
    """An answer to send."""
    return _ANSWER.pack(
        MAGIC, answer.number, answer.measured_at, answer.code, answer.relay, *answer.volts.tolist()
    )  # fmt: skip


def answer(data: bytes) -> Answer | None:
    """An answer as it came, None if it is none."""
    if len(data) != _ANSWER.size or data[: len(MAGIC)] != MAGIC:
        return None
    _, number, measured_at, code, relay, *volts = _ANSWER.unpack(data)
    return Answer(number, measured_at, code, Relay(relay & 3), np.array(volts))
