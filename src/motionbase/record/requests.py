"""Requests to the writer of a ring: kinds of commands, their answers, and their names for users."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum
from typing import final

from motionbase.errors import CommandError, told_apart
from motionbase.record.parameters import LARGEST
from motionbase.record.quantity import Setting
from motionbase.record.states import Request


class Kind(IntEnum):
    """Kinds of requests. The emergency stop is not among them: it has its own latch."""

    OFF = Request.OFF
    DOWN = Request.DOWN
    STANDBY = Request.STANDBY
    DRIVE = Request.DRIVE
    SETTLE = Request.SETTLE
    LOWER = Request.LOWER
    FREEZE = Request.FREEZE
    ABORT = Request.ABORT
    RESET_FAULT = 9
    HOST_MODE = 10
    MAINTENANCE_MODE = 11
    TUNE = 12
    ENABLE = 13
    HOME = 14
    DISABLE = 15
    PLAY = 20
    PAUSE = 21
    REWIND = 22
    STEP = 23
    SEEK = 24
    SPEED = 25
    LOOP = 26
    LOOP_OFF = 27
    END_REPLAY = 28


ARGUMENTS: dict[Kind, tuple[Setting, ...]] = {
    Kind.TUNE: (
        Setting("place", "-", "of a number among the parameters", 0, LARGEST - 1, True),
        Setting("value", "-", "in the parameter's unit", -1e300, 1e300),
    ),
    Kind.STEP: (Setting("records", "-", "forwards, or backwards where negative", -1e6, 1e6, True),),
    Kind.SEEK: (Setting("time", "s", "of the recording", 0, 1e9),),
    Kind.SPEED: (Setting("factor", "-", "1 is real time", 0.01, 100),),
    Kind.LOOP: (Setting("begin", "s", "of the recording", 0, 1e9), Setting("end", "s", "of the recording", 0, 1e9)),
}


class Result(IntEnum):
    """Outcome of a command."""

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
    NO_RIG = 16
    WRONG_LEGS = 17
    LEGS_NOT_READY = 18


SENTENCE = {
    Reason.NONE: "accepted",
    Reason.WRONG_STATE: "it cannot be done from the present state",
    Reason.WRONG_MODE: "it cannot be done in the present mode",
    Reason.FAULT_ACTIVE: "a fault is active; reset it first",
    Reason.ESTOP_ACTIVE: "the emergency stop acts; release it first, by a reset",
    Reason.NOT_SUPPORTED: "the ring's writer does not know this command",
    Reason.OUT_OF_RANGE: "a value is out of range",
    Reason.NOT_READY: "the ring's writer is not ready",
    Reason.EXPIRED: "it was taken after its deadline, so nothing was done",
    Reason.BAD_CHECKSUM: "its bytes do not match their checksum",
    Reason.BAD_FORMAT: "its format is of another version",
    Reason.BAD_NUMBER: "its number is not that of its place",
    Reason.BAD_COMMAND: "it is not a command, or has an invalid argument",
    Reason.SPOILT: "words of the command block that only its receiver may write had been changed; they are repaired",
    Reason.NO_PARAMETER: "there is no such parameter",
    Reason.NOT_TUNABLE: "it is a parameter that cannot be changed while the law runs",
    Reason.NO_RIG: "no rig moves the legs of this base",
    Reason.WRONG_LEGS: "legs are enabled while all are off, and homed while all are unhomed",
    Reason.LEGS_NOT_READY: "the legs of the rig are not ready; enable them, home drives that need it, or wait a moment",
}


@final
@dataclass(frozen=True)
class Command:
    """A request to the ring's writer.

    Attributes:
        arguments: in the order of ARGUMENTS for this kind: `Command(Kind.SEEK, (12.5,))`
    """

    kind: Kind
    arguments: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.kind, Kind):
            raise CommandError(f"{self.kind!r} is not a command; commands: {', '.join(k.name.lower() for k in Kind)}")
        name, wanted = self.kind.name.lower(), ARGUMENTS.get(self.kind, ())
        if len(self.arguments) != len(wanted):
            listed = ", ".join(a.name for a in wanted) or "none"
            raise CommandError(f"command {name} has {len(self.arguments)} arguments, it takes {len(wanted)}: {listed}")
        for argument, value in zip(wanted, self.arguments, strict=True):
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise CommandError(f"command {name}: {argument.name} is {value!r}, it must be a number")
            if not argument.low <= value <= argument.high or (argument.whole and value != math.floor(value)):
                kind = "a whole number from " if argument.whole else ""
                number, least, most = told_apart(value, argument.low, argument.high, digits=6)
                raise CommandError(
                    f"command {name}: {argument.name} is {number}{argument.after}, it must be {kind}{least} to {most}"
                )
        if self.kind is Kind.LOOP and self.arguments[0] >= self.arguments[1]:
            begin, end = self.arguments
            late, early = told_apart(end, begin, digits=6)
            raise CommandError(f"command loop: end is {late} s, it must be after begin, {early} s")

    def __str__(self) -> str:
        """The command in the operator's words."""
        return " ".join([self.kind.name.lower(), *(f"{a:g}" for a in self.arguments)])


@final
@dataclass(frozen=True)
class Ack:
    """The answer to a command."""

    number: int
    result: Result
    reason: Reason

    @property
    def accepted(self) -> bool:
        """Whether the command was accepted."""
        return self.result is Result.ACCEPTED

    def __str__(self) -> str:
        """The answer in words, for users."""
        return SENTENCE[self.reason]


ESTOP = "estop"
ACTIONS = {
    "down": "switch on: down, ready to rise",
    "standby": "rise to neutral, or come back to it",
    "drive": "follow the host, or the generators in maintenance",
    "settle": "back to neutral, generators fade",
    "lower": "go down",
    "off": "switch off, where it is down or held",
    "freeze": "stop and stay",
    "abort": "stop and go down",
    "reset": "clear a fault, and release the emergency stop",
    "host": "take the trajectory from the host",
    "maintenance": "generators about neutral, no host",
    "enable": "switch the legs of a rig on; they hold",
    "home": "let the legs of a rig find their references; they move",
    "disable": "switch the legs of a rig off",
    ESTOP: "emergency stop",
}
RIG_ACTIONS = ("enable", "home", "disable")  # of bases whose legs a rig moves; others refuse them
KINDS = {
    **{name: Kind[name.upper()] for name in ACTIONS if name.upper() in Request.__members__},
    "reset": Kind.RESET_FAULT,
    "host": Kind.HOST_MODE,
    "maintenance": Kind.MAINTENANCE_MODE,
    "enable": Kind.ENABLE,
    "home": Kind.HOME,
    "disable": Kind.DISABLE,
}
CALMING = ("freeze", "abort", "settle", "lower")  # these bring a base to rest, so they are executed even when late
REPLAY_KINDS = {
    "play": Kind.PLAY,
    "pause": Kind.PAUSE,
    "rewind": Kind.REWIND,
    "step": Kind.STEP,
    "seek": Kind.SEEK,
    "speed": Kind.SPEED,
    "loop": Kind.LOOP,
    "loop-off": Kind.LOOP_OFF,
    "stop": Kind.END_REPLAY,
}


def operator_command(action: str) -> Command:
    """The command for an operator's action; the emergency stop is not a command, it has its own latch."""
    if action not in KINDS:
        raise CommandError(f"there is no action {action!r:.40}; actions: {', '.join(KINDS)}")
    return Command(KINDS[action])


def replay_command(action: str, values: tuple[float, ...] = ()) -> Command:
    """The command for an action of a replay, with its arguments."""
    if action not in REPLAY_KINDS:
        raise CommandError(f"there is no action {action!r:.40}; actions: {', '.join(REPLAY_KINDS)}")
    return Command(REPLAY_KINDS[action], values)
