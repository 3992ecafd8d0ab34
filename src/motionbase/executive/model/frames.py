"""Datagrams between a model and its controller: the only definition of their bytes; docs/robot.md shows them.

    model -> controller, 40 + 40 n bytes          controller -> model, 24 + 8 n bytes
    0   4s   MBQV                                 0   4s   MBTQ
    4   u16  version, 1                           4   u16  version, 1
    6   u16  n, number of joints                  6   u16  n
    8   u64  run, a number of this run            8   u64  run, as received
    16  u64  sequence, counts from 1              16  u64  sequence that is answered
    24  u64  tick                                 24  n f64  torques [N m] or forces [N]
    32  f64  t [s]
    40  n f64 each: positions, speeds, set points followed, kp, kd

All little-endian.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

import numpy as np

from motionbase.arrays import Array

STATE, ANSWER = b"MBQV", b"MBTQ"
VERSION = 1
STATE_HEAD, ANSWER_HEAD = struct.Struct("<4sHHQQQd"), struct.Struct("<4sHHQQ")
MOST_JOINTS = 1000  # so that a datagram fits


class StateFrame(NamedTuple):
    """What a controller gets: `numbers` is (5, n), positions, speeds, set points, kp, kd."""

    run: int
    sequence: int
    tick: int
    t: float
    numbers: Array


def state_bytes(frame: StateFrame) -> bytes:
    """As sent."""
    n = frame.numbers.shape[1]
    head = STATE_HEAD.pack(STATE, VERSION, n, frame.run, frame.sequence, frame.tick, frame.t)
    return head + frame.numbers.astype("<f8").tobytes()


def state_of(data: bytes) -> StateFrame | None:
    """A state as received; None if the bytes are none."""
    if len(data) < STATE_HEAD.size:
        return None
    magic, version, n, run, sequence, tick, t = STATE_HEAD.unpack_from(data)
    if magic != STATE or version != VERSION or len(data) != STATE_HEAD.size + 40 * n:
        return None
    numbers = np.frombuffer(data, "<f8", offset=STATE_HEAD.size).astype(np.float64).reshape(5, n)
    return StateFrame(run, sequence, tick, t, numbers) if np.isfinite(numbers).all() else None


def answer_bytes(run: int, sequence: int, torques: Array) -> bytes:
    """As sent."""
    return ANSWER_HEAD.pack(ANSWER, VERSION, len(torques), run, sequence) + torques.astype("<f8").tobytes()


def answer_of(data: bytes, n: int) -> tuple[int, int, Array] | None:
    """Run, sequence and torques as received; None if the bytes are no answer for n joints, or a torque is no number."""
    if len(data) != ANSWER_HEAD.size + 8 * n:
        return None
    magic, version, count, run, sequence = ANSWER_HEAD.unpack_from(data)
    if magic != ANSWER or version != VERSION or count != n:
        return None
    torques = np.frombuffer(data, "<f8", offset=ANSWER_HEAD.size).astype(np.float64)
    return (run, sequence, torques) if np.isfinite(torques).all() else None
