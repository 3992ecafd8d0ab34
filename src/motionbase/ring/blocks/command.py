"""One operator command, its answer, and the 128 bytes it is in the ring."""

from __future__ import annotations

import math
import struct
import zlib
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple, final

from motionbase.errors import CommandError, told_apart
from motionbase.ring.blocks.parameter import LARGEST
from motionbase.ring.command_words import FORMAT, SENDER_BYTES

SLOT = struct.Struct(f"<QIIddqq{SENDER_BYTES}s")  # number, kind, format, two arguments, deadline, process, sender
CRC = struct.Struct("<I")
SLOT_BYTES = 128


class Kind(IntEnum):
    """What may be asked. An emergency stop is none of these: it has a latch of its own."""

    OFF = 1
    DOWN = 2
    STANDBY = 3
    DRIVE = 4
    SETTLE = 5
    LOWER = 6
    FREEZE = 7
    ABORT = 8
    RESET_FAULT = 9
    HOST_MODE = 10
    MAINTENANCE_MODE = 11
    TUNE = 12
    PLAY = 20
    PAUSE = 21
    REWIND = 22
    STEP = 23
    SEEK = 24
    SPEED = 25
    LOOP = 26
    LOOP_OFF = 27
    END_REPLAY = 28


class Argument(NamedTuple):
    """A number that a command carries."""

    name: str
    unit: str
    low: float
    high: float
    whole: bool = False


ARGUMENTS: dict[Kind, tuple[Argument, ...]] = {
    Kind.TUNE: (Argument("place", "", 0, LARGEST - 1, True), Argument("value", "", -1e300, 1e300)),
    Kind.STEP: (Argument("records", "", -1e6, 1e6, True),),
    Kind.SEEK: (Argument("time", "s", 0, 1e9),),
    Kind.SPEED: (Argument("factor", "", 0.01, 100),),
    Kind.LOOP: (Argument("begin", "s", 0, 1e9), Argument("end", "s", 0, 1e9)),
}


class Result(IntEnum):
    """What became of a command."""

    ACCEPTED = 1
    REFUSED = 2


class Reason(IntEnum):
    """Why a command was refused."""

    NONE = 0
    WRONG_STATE = 1
    WRONG_MODE = 2
    FAULT_ACTIVE = 3
    ESTOP_ACTIVE = 4
    NOT_SUPPORTED = 5
    OUT_OF_RANGE = 6
    NOT_READY = 7
    EXPIRED = 8
    BAD_CHECKSUM = 9
    BAD_FORMAT = 10
    BAD_NUMBER = 11
    BAD_COMMAND = 12
    SPOILT = 13
    NO_PARAMETER = 14
    NOT_TUNABLE = 15


SENTENCE = {
    Reason.NONE: "accepted",
    Reason.WRONG_STATE: "it cannot be done from the present state",
    Reason.WRONG_MODE: "it cannot be done in the present mode",
    Reason.FAULT_ACTIVE: "a fault is active; reset it first",
    Reason.ESTOP_ACTIVE: "the emergency stop acts; release it first",
    Reason.NOT_SUPPORTED: "the ring's writer does not know this command",
    Reason.OUT_OF_RANGE: "a value is out of range",
    Reason.NOT_READY: "the ring's writer is not ready",
    Reason.EXPIRED: "it was taken after its deadline, so nothing was done",
    Reason.BAD_CHECKSUM: "its bytes do not match their checksum",
    Reason.BAD_FORMAT: "its format is of another version",
    Reason.BAD_NUMBER: "its number is not that of its place",
    Reason.BAD_COMMAND: "it is no command, or carries a number that it must not",
    Reason.SPOILT: "words of the command block that only its receiver may write had been changed; they are repaired",
    Reason.NO_PARAMETER: "there is no such parameter",
    Reason.NOT_TUNABLE: "it is a parameter that cannot be changed while the law runs",
}


@final
@dataclass(frozen=True)
class Command:
    """A request to the ring's writer.

    Attributes:
        arguments: as ARGUMENTS has them for this kind: `Command(Kind.SEEK, (12.5,))`
    """

    kind: Kind
    arguments: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.kind, Kind):
            raise CommandError(f"{self.kind!r} is no command; commands: {', '.join(k.name.lower() for k in Kind)}")
        name, wanted = self.kind.name.lower(), ARGUMENTS.get(self.kind, ())
        if len(self.arguments) != len(wanted):
            listed = ", ".join(a.name for a in wanted) or "none"
            raise CommandError(f"command {name} has {len(self.arguments)} arguments, it takes {len(wanted)}: {listed}")
        for argument, value in zip(wanted, self.arguments, strict=True):
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise CommandError(f"command {name}: {argument.name} is {value!r}, it must be a number")
            if not argument.low <= value <= argument.high or (argument.whole and value != math.floor(value)):
                kind = "a whole number from " if argument.whole else ""
                unit = f" {argument.unit}" if argument.unit else ""
                number, least, most = told_apart(value, argument.low, argument.high, digits=6)
                raise CommandError(
                    f"command {name}: {argument.name} is {number}{unit}, it must be {kind}{least} to {most}"
                )
        if self.kind is Kind.LOOP and self.arguments[0] >= self.arguments[1]:
            begin, end = self.arguments
            late, early = told_apart(end, begin, digits=6)
            raise CommandError(f"command loop: end is {late} s, it must be after begin, {early} s")

    def __str__(self) -> str:
        """As an operator would say it."""
        return " ".join([self.kind.name.lower(), *(f"{a:g}" for a in self.arguments)])


@final
@dataclass(frozen=True)
class Order:
    """What the receiver takes from the ring: a command with its number, or the reason why its bytes are none.

    Attributes:
        number: counts from 1 in each ring
        command: None where `refusal` says why it must not be acted on; it has been answered already then
        sender, pid: who says to have sent it
    """

    number: int
    command: Command | None
    refusal: Reason = Reason.NONE
    sender: str = ""
    pid: int = 0


@final
@dataclass(frozen=True)
class Ack:
    """The answer to a command."""

    number: int
    result: Result
    reason: Reason

    @property
    def accepted(self) -> bool:
        """Whether it was."""
        return self.result is Result.ACCEPTED

    def __str__(self) -> str:
        """For people."""
        return SENTENCE[self.reason]


def encoded(number: int, command: Command, sender: str, pid: int, deadline_ns: int) -> bytes:
    """The bytes of a slot; the deadline is of CLOCK_MONOTONIC, 0 for none."""
    first, second = (*command.arguments, 0.0, 0.0)[:2]
    raw = SLOT.pack(number, command.kind, FORMAT, first, second, deadline_ns, pid, sender.encode())
    return (raw + CRC.pack(zlib.crc32(raw))).ljust(SLOT_BYTES, b"\0")


def decoded(raw: bytes, number: int, now_ns: int) -> Order:
    """The order in a slot that should be the given one; never raises, whatever the bytes are."""
    if zlib.crc32(raw[: SLOT.size]) != CRC.unpack_from(raw, SLOT.size)[0]:
        return Order(number, None, Reason.BAD_CHECKSUM)
    found, code, form, first, second, deadline_ns, pid, who = SLOT.unpack_from(raw)
    sender = "".join(c if c.isprintable() else "?" for c in who.rstrip(b"\0").decode(errors="replace"))
    if form != FORMAT:
        return Order(number, None, Reason.BAD_FORMAT, sender, pid)
    if found != number:
        return Order(number, None, Reason.BAD_NUMBER, sender, pid)
    try:
        kind = Kind(code)
        count = len(ARGUMENTS.get(kind, ()))
        if any((first, second)[count:]):
            return Order(number, None, Reason.BAD_COMMAND, sender, pid)
        command = Command(kind, (first, second)[:count])
    except (ValueError, CommandError):
        return Order(number, None, Reason.BAD_COMMAND, sender, pid)
    if deadline_ns and now_ns > deadline_ns:
        return Order(number, None, Reason.EXPIRED, sender, pid)
    return Order(number, command, Reason.NONE, sender, pid)


assert SLOT.size + CRC.size <= SLOT_BYTES
