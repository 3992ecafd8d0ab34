"""CiA 402, the profile of drives: power states, what changes them, objects, error codes; for master and simulation."""

from __future__ import annotations

from collections import deque
from enum import Enum, IntEnum
from functools import cache, lru_cache
from typing import NamedTuple

from motionbase.record.rig import RigFault


class State(Enum):
    """Power states: mask and bits of the statusword."""

    NOT_READY_TO_SWITCH_ON = (0x4F, 0x00)
    SWITCH_ON_DISABLED = (0x4F, 0x40)
    READY_TO_SWITCH_ON = (0x6F, 0x21)
    SWITCHED_ON = (0x6F, 0x23)
    OPERATION_ENABLED = (0x6F, 0x27)
    QUICK_STOP_ACTIVE = (0x6F, 0x07)
    FAULT_REACTION_ACTIVE = (0x4F, 0x0F)
    FAULT = (0x4F, 0x08)

    @property
    def words(self) -> str:
        """For people."""
        return self.name.lower().replace("_", " ")


class Command(Enum):
    """Mask and bits of the controlword; `FAULT_RESET` acts on the rising edge."""

    SHUTDOWN = (0x87, 0x06)
    SWITCH_ON = (0x8F, 0x07)  # in operation: disable operation
    ENABLE_OPERATION = (0x8F, 0x0F)
    DISABLE_VOLTAGE = (0x82, 0x00)
    QUICK_STOP = (0x86, 0x02)
    FAULT_RESET = (0x80, 0x80)

    @property
    def word(self) -> int:
        """The controlword that gives this command."""
        return int(self.value[1])


class Event(Enum):
    """What a drive changes its state for by itself."""

    INITIALISED = "initialised"
    FAULT_DETECTED = "fault detected"
    REACTION_DONE = "fault reaction done"
    STOPPED = "quick stop done"


class Transition(NamedTuple):
    """An arrow of the profile's figure."""

    number: int
    source: State
    target: State
    cause: Command | Event


_UNFAULTED = tuple(s for s in State if s not in (State.FAULT_REACTION_ACTIVE, State.FAULT))
TRANSITIONS = (
    Transition(1, State.NOT_READY_TO_SWITCH_ON, State.SWITCH_ON_DISABLED, Event.INITIALISED),
    Transition(2, State.SWITCH_ON_DISABLED, State.READY_TO_SWITCH_ON, Command.SHUTDOWN),
    Transition(3, State.READY_TO_SWITCH_ON, State.SWITCHED_ON, Command.SWITCH_ON),
    Transition(3, State.READY_TO_SWITCH_ON, State.SWITCHED_ON, Command.ENABLE_OPERATION),  # 4 follows
    Transition(4, State.SWITCHED_ON, State.OPERATION_ENABLED, Command.ENABLE_OPERATION),
    Transition(5, State.OPERATION_ENABLED, State.SWITCHED_ON, Command.SWITCH_ON),
    Transition(6, State.SWITCHED_ON, State.READY_TO_SWITCH_ON, Command.SHUTDOWN),
    Transition(7, State.READY_TO_SWITCH_ON, State.SWITCH_ON_DISABLED, Command.DISABLE_VOLTAGE),
    Transition(7, State.READY_TO_SWITCH_ON, State.SWITCH_ON_DISABLED, Command.QUICK_STOP),
    Transition(8, State.OPERATION_ENABLED, State.READY_TO_SWITCH_ON, Command.SHUTDOWN),
    Transition(9, State.OPERATION_ENABLED, State.SWITCH_ON_DISABLED, Command.DISABLE_VOLTAGE),
    Transition(10, State.SWITCHED_ON, State.SWITCH_ON_DISABLED, Command.DISABLE_VOLTAGE),
    Transition(10, State.SWITCHED_ON, State.SWITCH_ON_DISABLED, Command.QUICK_STOP),
    Transition(11, State.OPERATION_ENABLED, State.QUICK_STOP_ACTIVE, Command.QUICK_STOP),
    Transition(12, State.QUICK_STOP_ACTIVE, State.SWITCH_ON_DISABLED, Command.DISABLE_VOLTAGE),
    Transition(12, State.QUICK_STOP_ACTIVE, State.SWITCH_ON_DISABLED, Event.STOPPED),
    *(Transition(13, source, State.FAULT_REACTION_ACTIVE, Event.FAULT_DETECTED) for source in _UNFAULTED),
    Transition(14, State.FAULT_REACTION_ACTIVE, State.FAULT, Event.REACTION_DONE),
    Transition(15, State.FAULT, State.SWITCH_ON_DISABLED, Command.FAULT_RESET),
    Transition(16, State.QUICK_STOP_ACTIVE, State.OPERATION_ENABLED, Command.ENABLE_OPERATION),
)
_AFTER = {(t.source, t.cause): t for t in TRANSITIONS}
_ON_ORDER = (15, 16)  # a master does these only if a person asks for it


@cache  # of 16 bits; asked for each drive in each cycle
def state_of(statusword: int) -> State | None:
    """The power state in a statusword; None if the bits are those of no state."""
    return next((state for state in State if statusword & state.value[0] == state.value[1]), None)


@lru_cache(1024)
def command_of(controlword: int, before: int) -> Command | None:
    """The command in a controlword that follows another; None if there is none."""
    if controlword & 0x80:
        return None if before & 0x80 else Command.FAULT_RESET
    return next((c for c in Command if controlword & c.value[0] == c.value[1]), None)


def transition(state: State, cause: Command | Event) -> Transition | None:
    """The arrow that leaves a state for a cause, if there is one."""
    return _AFTER.get((state, cause))


@cache
def towards(state: State, goal: State) -> Command | None:
    """The next command on the shortest way to another state; None if commands alone do not lead there."""
    queue: deque[tuple[State, Command | None]] = deque([(state, None)])
    seen = {state}
    while queue:
        here, first = queue.popleft()
        if here is goal:
            return first
        for t in TRANSITIONS:
            if t.source is here and isinstance(t.cause, Command) and t.number not in _ON_ORDER and t.target not in seen:
                seen.add(t.target)
                queue.append((t.target, first or t.cause))
    return None


class Mode(IntEnum):
    """Modes of operation that are used here."""

    NONE = 0
    HOMING = 6
    CYCLIC_SYNCHRONOUS_POSITION = 8


class Object(NamedTuple):
    """An entry of the object dictionary; `code` is its type, as in `struct`."""

    number: int
    sub: int
    code: str

    @property
    def words(self) -> str:
        """For people: 6099h:01."""
        return f"{self.number:04X}h:{self.sub:02X}"


NUMBER = 402  # of the profile, in the lower half of the device type
DEVICE_TYPE = Object(0x1000, 0, "I")
CONSUMER_HEARTBEAT = Object(0x1016, 1, "I")  # node << 16 | time [ms]
PRODUCER_HEARTBEAT = Object(0x1017, 0, "H")  # [ms]
RECEIVE_PDO, RECEIVE_PDO_TYPE = Object(0x1400, 1, "I"), Object(0x1400, 2, "B")
TRANSMIT_PDO, TRANSMIT_PDO_TYPE = Object(0x1800, 1, "I"), Object(0x1800, 2, "B")
RECEIVE_MAP = tuple(Object(0x1600, k, "B" if k == 0 else "I") for k in range(3))
TRANSMIT_MAP = tuple(Object(0x1A00, k, "B" if k == 0 else "I") for k in range(4))
RECEIVE_ASSIGN, TRANSMIT_ASSIGN = (tuple(Object(n, k, "BH"[k]) for k in range(2)) for n in (0x1C12, 0x1C13))  # EtherCAT
ABORT_CONNECTION_OPTION = Object(0x6007, 0, "h")
ERROR_CODE = Object(0x603F, 0, "H")
CONTROLWORD = Object(0x6040, 0, "H")
STATUSWORD = Object(0x6041, 0, "H")
QUICK_STOP_OPTION = Object(0x605A, 0, "h")
FAULT_REACTION_OPTION = Object(0x605E, 0, "h")
MODE = Object(0x6060, 0, "b")
MODE_DISPLAY = Object(0x6061, 0, "b")
ACTUAL_POSITION = Object(0x6064, 0, "i")
FOLLOWING_WINDOW = Object(0x6065, 0, "I")
FOLLOWING_TIME = Object(0x6066, 0, "H")  # [ms]
TARGET_POSITION = Object(0x607A, 0, "i")
HOME_OFFSET = Object(0x607C, 0, "i")
LEAST_POSITION, MOST_POSITION = Object(0x607D, 1, "i"), Object(0x607D, 2, "i")
QUICK_STOP_DECELERATION = Object(0x6085, 0, "I")
HOMING_METHOD = Object(0x6098, 0, "b")
HOMING_FAST, HOMING_SLOW = Object(0x6099, 1, "I"), Object(0x6099, 2, "I")
HOMING_ACCELERATION = Object(0x609A, 0, "I")
INTERPOLATION_TIME, INTERPOLATION_EXPONENT = Object(0x60C2, 1, "B"), Object(0x60C2, 2, "b")

# Bits of the statusword beside the state
VOLTAGE, INTERNAL_LIMIT = 1 << 4, 1 << 11
TARGET_REACHED, HOMING_ATTAINED, HOMING_ERROR = 1 << 10, 1 << 12, 1 << 13  # in homing mode
FOLLOWS, FOLLOWING_ERROR = 1 << 12, 1 << 13  # in cyclic synchronous position mode
START_HOMING = 1 << 4  # of the controlword

HEARTBEAT_LOST, PDO_LENGTH = 0x8130, 0x8210
OVER_TEMPERATURE, FOLLOWING_TOO_FAR, LIMIT_REACHED = 0x4310, 0x8611, 0x8612
_FAULTS = {  # by the longest beginning of a code's four hexadecimal digits
    "2": RigFault.OVERLOAD,  # current
    "3": RigFault.SUPPLY,  # voltage
    "4": RigFault.TEMPERATURE,
    "73": RigFault.SENSOR,
    "8130": RigFault.SILENT_LAW,  # the drive misses the master
    "8611": RigFault.FOLLOWING_ERROR,
    "8612": RigFault.LIMIT_SWITCH,
}


def fault_of(code: int) -> RigFault:
    """What an error code, of 603Fh or an emergency object, means for a leg."""
    digits = f"{code:04X}"
    return next((_FAULTS[digits[:n]] for n in (4, 3, 2, 1) if digits[:n] in _FAULTS), RigFault.DEVICE)
