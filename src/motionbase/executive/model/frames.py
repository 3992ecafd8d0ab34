"""Datagrams between a model and its controller: the only definition of their bytes; docs/robot.md shows them.

    model -> controller                           controller -> model
    0   4s   MBQV of a robot, MBRS of a rotor     0   4s   MBTQ for a robot, MBRC for a rotor
    4   u16  version, 1                           4   u16  version, 1
    6   u16  n, number of joints or controls      6   u16  n
    8   u64  run, a number of this run            8   u64  run, as received
    16  u64  sequence, counts from 1              16  u64  sequence that is answered
    24  u64  tick                                 24  n f64  torques [N m] or forces [N]; settings of the controls
    32  f64  t [s]
    40  of a robot 5 n f64: positions, speeds, set points followed, kp, kd
        of a rotor 2 n f64: set points, settings that act; then its outputs, all that are left

All little-endian.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np

from motionbase.arrays import Array
from motionbase.executive.exchange import ROBOT, ROTOR, Blocks

STATE, ANSWER = b"MBQV", b"MBTQ"
ROTOR_STATE, ROTOR_ANSWER = b"MBRS", b"MBRC"
VERSION = 1
STATE_HEAD, ANSWER_HEAD = struct.Struct("<4sHHQQQd"), struct.Struct("<4sHHQQ")
MOST_JOINTS = 1000  # so that a datagram fits


@final
@dataclass(frozen=True)
class Form:
    """What a model and its controller tell each other.

    Attributes:
        n: joints or controls: numbers of an answer
        size: numbers of a state, beside its tick and time
        of_rotor: controls and outputs rather than joints
    """

    n: int
    size: int
    of_rotor: bool = False

    @property
    def magic(self) -> bytes:
        """First bytes of a state."""
        return ROTOR_STATE if self.of_rotor else STATE

    @property
    def blocks(self) -> Blocks:
        """Of the exchange through shared memory."""
        return Blocks(ROTOR if self.of_rotor else ROBOT, self.n, self.size)

    @staticmethod
    def of_blocks(blocks: Blocks) -> Form:
        """Of an exchange."""
        return Form(blocks.n, blocks.size, blocks.magic == ROTOR)

    @property
    def answer_magic(self) -> bytes:
        """First bytes of an answer."""
        return ROTOR_ANSWER if self.of_rotor else ANSWER


def of_joints(n: int) -> Form:
    """Positions, speeds, set points, kp, kd -> torques."""
    return Form(n, 5 * n)


def of_controls(n: int, outputs: int) -> Form:
    """Set points, settings, outputs -> settings."""
    return Form(n, 2 * n + outputs, True)


class StateFrame(NamedTuple):
    """What a controller gets; `numbers` is (form.size,)."""

    form: Form
    run: int
    sequence: int
    tick: int
    t: float
    numbers: Array


def state_bytes(frame: StateFrame) -> bytes:
    """As sent."""
    form = frame.form
    head = STATE_HEAD.pack(form.magic, VERSION, form.n, frame.run, frame.sequence, frame.tick, frame.t)
    return head + frame.numbers.astype("<f8").tobytes()


def state_of(data: bytes) -> StateFrame | None:
    """A state as received; None if the bytes are none."""
    if len(data) < STATE_HEAD.size:
        return None
    magic, version, n, run, sequence, tick, t = STATE_HEAD.unpack_from(data)
    size, rest = divmod(len(data) - STATE_HEAD.size, 8)
    form = Form(n, size, magic == ROTOR_STATE)
    fits = size >= 2 * n if form.of_rotor else size == 5 * n
    if magic != form.magic or version != VERSION or rest or not fits:
        return None
    numbers = np.frombuffer(data, "<f8", offset=STATE_HEAD.size).astype(np.float64)
    return StateFrame(form, run, sequence, tick, t, numbers) if np.isfinite(numbers).all() else None


def answer_bytes(run: int, sequence: int, numbers: Array, magic: bytes = ANSWER) -> bytes:
    """As sent."""
    return ANSWER_HEAD.pack(magic, VERSION, len(numbers), run, sequence) + numbers.astype("<f8").tobytes()


def answer_of(data: bytes, form: Form) -> tuple[int, int, Array] | None:
    """Run, sequence and numbers as received; None if the bytes are no answer of this form, or one is no number."""
    if len(data) != ANSWER_HEAD.size + 8 * form.n:
        return None
    magic, version, count, run, sequence = ANSWER_HEAD.unpack_from(data)
    if magic != form.answer_magic or version != VERSION or count != form.n:
        return None
    numbers = np.frombuffer(data, "<f8", offset=ANSWER_HEAD.size).astype(np.float64)
    return (run, sequence, numbers) if np.isfinite(numbers).all() else None
