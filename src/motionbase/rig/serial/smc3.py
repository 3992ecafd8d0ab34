"""Frames of SMC3, an Arduino firmware for three motors: `[`, a letter, two bytes, `]`.

Read in the firmware's source, SMC3.ino of github.com/SimulatorMotorController/SMC3, version 0.70:

- `[Axx]`, `[Bxx]`, `[Cxx]` set the targets of motors 1 to 3, high byte first; `[ena]` switches all motors on.
- `[rdA]` is answered by `[Axy]`, x the position and y the target of motor 1, both divided by 4.
- `[rda]` is answered by `[axy]`; bits 0 to 2 of x tell which motors are switched off, y is motor 1's PWM.

There is no checksum, and no command that switches motors off.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

MOTORS = 3  # on a board
FULL = 1023  # largest target
STEP = 4  # counts of a target in one of a position that is read
BAUD = 500_000  # as the client github.com/magh/SMC3Console opens it; version 0.70 itself has 250000
LETTERS = b"ABC"
STATUS = ord("a")
ENABLE = b"[ena]"
READ_ALL = b"[rdA][rdB][rdC][rda]"
LENGTH = 5
_BEGIN, _END = b"[]"


@final
@dataclass(frozen=True)
class Position:
    """What a motor answers to `[rdA]`.

    Attributes:
        motor: counted from 0
        feedback, target: divided by 4
    """

    motor: int
    feedback: int
    target: int


@final
@dataclass(frozen=True)
class Status:
    """What a board answers to `[rda]`.

    Attributes:
        off: which motors are switched off
    """

    off: tuple[bool, ...]


def frame(letter: int, first: int, second: int) -> bytes:
    """A frame with two bytes."""
    return bytes((_BEGIN, letter, first, second, _END))


def targets(counts: Sequence[int]) -> bytes:
    """Frames that set the targets of all motors."""
    if len(counts) != MOTORS or not all(0 <= count <= FULL for count in counts):
        raise ValueError(f"targets are {list(counts)}, they must be {MOTORS} numbers from 0 to {FULL}")
    return b"".join(frame(letter, *divmod(count, 256)) for letter, count in zip(LETTERS, counts, strict=True))


def frames(data: bytes) -> tuple[list[bytes], bytes, int]:
    """Split what was received into frames.

    Returns:
        the letter and the two bytes of each frame; the beginning of one that is not complete; the number of bytes
        that belong to none
    """
    found: list[bytes] = []
    at = dropped = 0
    while (begin := data.find(_BEGIN, at)) >= 0:
        dropped += begin - at
        at = begin
        if len(data) - at < LENGTH:
            return found, data[at:], dropped
        if data[at + LENGTH - 1] == _END:
            found.append(data[at + 1 : at + LENGTH - 1])
            at += LENGTH
        else:
            dropped += 1
            at += 1
    return found, b"", dropped + len(data) - at


def answer(body: bytes) -> Position | Status | None:
    """What a frame from a board says; None if it is not one that is used here."""
    letter, first, second = body
    if letter in LETTERS:
        return Position(LETTERS.index(letter), first, second)
    if letter == STATUS:
        return Status(tuple(bool(first >> motor & 1) for motor in range(MOTORS)))
    return None


def written(said: Position | Status) -> bytes:
    """The frame in which a board says this; the inverse of `answer`."""
    match said:
        case Position(motor, feedback, target):
            return frame(LETTERS[motor], feedback, target)
        case Status(off):
            return frame(STATUS, sum(is_off << motor for motor, is_off in enumerate(off)), 0)
