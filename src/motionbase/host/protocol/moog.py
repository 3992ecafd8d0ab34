"""The host interface of the Moog 6DOF2000E over UDP, in the mode of degrees of freedom; big-endian.

Layout, command words, states and faults: MOOG6DOF2000E.h of MCIS (E. Loewenthal, BSD-3). Meaning of the words: comments
of the MoogModule daemon, after the maker's interface definition CDS7237. Data are in the order roll, pitch, heave,
surge, yaw, lateral, in metres and radians, with x forward, y right, z down. Heave is 0 with the base down; published
programs that drive it (MoogDots and others) put the middle at -0.220775 m.
"""

from __future__ import annotations

import struct
from enum import IntEnum
from operator import mul
from typing import final

from motionbase.host.differences import Differences
from motionbase.host.format import Format, Frame, Kind, Options, Status, Told
from motionbase.host.protocol.common import asked_next, finite, signs, single, state_of
from motionbase.record.faults import Fault
from motionbase.record.requests import Kind as Request
from motionbase.record.states import QUIET, State

COMMAND, REPLY = struct.Struct(">I6fI"), struct.Struct(">3I6fI")
PORT = 991
NEUTRAL = -0.220775  # [m] heave in the middle of the stroke, z down
ORDER = (3, 4, 2, 0, 5, 1)  # place of each number of the frame among surge, sway, heave, roll, pitch, yaw
ESTOP_SENSE, AMPLIFIERS_ON, AT_HOME = 0x80, 0x40, 0x01


class Word(IntEnum):
    """Motion command words."""

    NEW_POSITION = 130
    MDA_MODE = 140
    INHIBIT = 150
    RESET = 160
    DOF_MODE = 170
    LENGTH_MODE = 172
    START = 175
    ENGAGE = 180
    LOW_LIMIT_OFF = 190
    LOW_LIMIT_ON = 200
    PARK = 210
    DISABLE = 220


WORDS = {int(word): word for word in Word}
ASKED = {Word.RESET: Request.RESET_FAULT, Word.DISABLE: Request.ABORT}
MOVES = frozenset({Word.NEW_POSITION, Word.START, Word.ENGAGE})
MODES = {Word.DOF_MODE: 0x20, Word.LENGTH_MODE: 0x00, Word.MDA_MODE: 0x40}
STATES = {
    State.OFF: 0x1, State.DOWN: 0x1, State.RISING: 0x2, State.STANDBY: 0x2, State.ENGAGING: 0x2, State.DRIVE: 0x3,
    State.SETTLING: 0x7, State.LOWERING: 0x7, State.FREEZE: 0x2, State.ABORT: 0x8, State.STOPPING: 0x8, State.HELD: 0x9,
}  # fmt: skip
NAMES = {
    0x0: "power-up", 0x1: "idle", 0x2: "standby", 0x3: "engaged", 0x7: "parking", 0x8: "fault 1", 0x9: "fault 2",
    0xA: "fault 3", 0xB: "disabled", 0xC: "inhibited",
}  # fmt: skip
TOLD = {0x1: State.DOWN, 0x2: State.STANDBY, 0x3: State.DRIVE, 0x9: State.HELD}
RECOVERABLE = 0x9
FAULTS = {  # the nearest of the maker's faults; any other is that of the watchdog
    Fault.NONE: 0,
    Fault.ESTOP: 0x8000,
    Fault.LEG_VELOCITY: 0x2000,
    Fault.LIMIT_CONTACT: 0x0040,
    Fault.SUPPLY: 0x0020,
    Fault.VALVE: 0x0010,
    Fault.MEASUREMENT: 0x0004,
    Fault.BLIND: 0x0004,
    Fault.KINEMATICS: 0x0004,
    Fault.TRACKING: 0x0002,
    Fault.PRESSURE: 0x0001,
}
WATCHDOG = 0x0080


@final
class MoogDecoder:
    """Decodes frames of one host; remembers the mode, and the state that was answered last."""

    def __init__(self, options: Options) -> None:
        self._signs = signs(options, False)
        self._neutral = NEUTRAL if options.neutral is None else options.neutral
        self._clock, self._differences = options.clock, Differences()
        self._mode = Word.DOF_MODE
        self._state: State | None = None

    def decode(self, data: bytes) -> Frame | None:
        """The frame; None if the bytes are none."""
        if len(data) != COMMAND.size:
            return None
        number, *told, _ = COMMAND.unpack(data)
        word = WORDS.get(number)
        if word is None or not finite(told):
            return None
        if word in MODES:
            self._mode = word
        request = None if word is Word.NEW_POSITION else self._asked(word)
        if self._mode is not Word.DOF_MODE or word not in MOVES:
            return Frame((), request=request)
        roll, pitch, heave, surge, yaw, lateral = told
        values = surge, lateral, heave - self._neutral, roll, pitch, yaw
        x = (0.0,) * 6 if word is Word.ENGAGE else tuple(map(mul, values, self._signs))
        return Frame(self._differences(self._clock(), x), request=request)

    def _asked(self, word: Word) -> Request | None:
        if word in (Word.ENGAGE, Word.START):
            return asked_next(Request.DRIVE, self._state)
        if word is Word.PARK:
            return asked_next(Request.DOWN, self._state)
        return ASKED.get(word)

    def answer(self, frame: Frame, status: Status) -> bytes:
        """Faults, discrete signals, state and pose."""
        state = self._state = state_of(status)
        signals = AMPLIFIERS_ON if state not in QUIET else 0
        signals |= AT_HOME if state in (State.OFF, State.DOWN) else 0
        signals |= ESTOP_SENSE if status.fault == Fault.ESTOP else 0
        code = 0x0 if state is None else STATES[state]
        if status.fault and code < 0x8:
            code = RECOVERABLE
        pose = [x * s for x, s in zip(status.pose, self._signs, strict=True)]
        pose[2] += self._neutral
        faults = WATCHDOG if status.fault else 0
        if status.fault in FAULTS:
            faults = FAULTS[Fault(status.fault)]
        return REPLY.pack(faults, signals, MODES[self._mode] | code, *(single(pose[k]) for k in ORDER), 0)


@final
class MoogEncoder:
    """Makes frames of new positions, or of the word that belongs to a request."""

    def __init__(self, options: Options) -> None:
        self._signs = signs(options, False)
        self._neutral = NEUTRAL if options.neutral is None else options.neutral

    def encode(self, frame: Frame) -> bytes:
        """The frame as bytes."""
        words = {
            Request.DRIVE: Word.ENGAGE, Request.STANDBY: Word.ENGAGE, Request.SETTLE: Word.PARK,
            Request.LOWER: Word.PARK, Request.DOWN: Word.PARK, Request.ABORT: Word.DISABLE,
            Request.RESET_FAULT: Word.RESET,
        }  # fmt: skip
        word = Word.NEW_POSITION if frame.request is None else words.get(frame.request, Word.NEW_POSITION)
        pose = [x * s for x, s in zip(frame.row or (0.0,) * 6, self._signs, strict=False)]
        pose[2] += self._neutral
        return COMMAND.pack(word, *(single(pose[k]) for k in ORDER), 0)

    def told(self, data: bytes) -> Told | None:
        """What an answer says."""
        if len(data) != REPLY.size:
            return None
        faults, _, state, *_ = REPLY.unpack(data)
        code = state & 0xF
        name = NAMES.get(code, f"state {code:#x}")
        return Told(None, None, None, f"{name}, faults {faults:#06x}" if faults else name, TOLD.get(code))


FORMATS = (
    Format(
        "moog",
        Kind.POSE,
        "Moog 6DOF2000E, mode of degrees of freedom: 32 bytes, answered by 40",
        PORT,
        MoogDecoder,
        options=("axes", "flip", "neutral"),
        encoder=MoogEncoder,
    ),
)
