"""The host interface of Rexroth / E2M eMotion bases over UDP, as the Norwegian Motion Laboratory uses it.

Layout, commands and states: github.com/sondretordal/motion-lab, ST_TxUdpStewart, ST_RxUdpStewart, E_StewartCommand and
E_StewartState. Of its inputs the direct pose is used (X_EXTRA to PSI_EXTRA with their two derivatives, in metres and
radians); those of the maker's own cueing, bumps and vibrations are not. Axes are x forward, y right, z down unless the
URL says axes=up. Little-endian; byte order and axes are inferred, not published.
"""

from __future__ import annotations

import struct
from operator import mul
from typing import final

from motionbase.host.differences import Differences
from motionbase.host.format import Format, Frame, Kind, Options, Status, Told
from motionbase.host.protocol.common import asked_next, finite, signs, single, state_of
from motionbase.record.requests import Kind as Request
from motionbase.record.states import State

COMMAND, REPLY = struct.Struct("<2I125f"), struct.Struct("<2I36f")
EXTRA = 107  # place of X_EXTRA among the 125 numbers
PORT = 50030
OFF, SETTLED, NEUTRAL, ENGAGED, ACKNOWLEDGE = 0x00, 0x01, 0x03, 0x07, 0x11
GOALS = {OFF: Request.OFF, SETTLED: Request.DOWN, NEUTRAL: Request.STANDBY, ENGAGED: Request.DRIVE}
STATES = {
    State.OFF: 1, State.DOWN: 2, State.RISING: 0, State.STANDBY: 4, State.ENGAGING: 0, State.DRIVE: 8,
    State.SETTLING: 0, State.LOWERING: 0, State.FREEZE: 9, State.ABORT: 0, State.STOPPING: 0, State.HELD: 1,
}  # fmt: skip
NAMES = {
    0: "transit", 1: "off", 2: "settled", 3: "oil heating", 4: "neutral", 5: "neutral, frozen", 8: "engaged",
    9: "engaged, frozen",
}  # fmt: skip
STANDING = {1: OFF, 2: SETTLED, 4: NEUTRAL, 8: ENGAGED}
TOLD = {1: State.OFF, 2: State.DOWN, 4: State.STANDBY, 8: State.DRIVE, 9: State.FREEZE}
WARNING, ERROR = 4, 8
QUALITIES = {0: "", WARNING: ", warning", ERROR: ", error"}


@final
class EmotionDecoder:
    """Decodes frames of one host; remembers the state that was answered last."""

    def __init__(self, options: Options) -> None:
        self._signs = signs(options, False)
        self._signs_of_row = self._signs * 3
        self._clock, self._differences = options.clock, Differences()
        self._state: State | None = None

    def decode(self, data: bytes) -> Frame | None:
        """The frame; None if the bytes are none."""
        if len(data) != COMMAND.size:
            return None
        count, command, *numbers = COMMAND.unpack(data)
        if (command not in GOALS and command != ACKNOWLEDGE) or not finite(numbers):
            return None
        extra = numbers[EXTRA:]
        row = tuple(map(mul, extra, self._signs_of_row))
        if not any(row[6:]):  # a host that tells positions alone
            row = self._differences(self._clock(), row[:6])
        request = Request.RESET_FAULT if command == ACKNOWLEDGE else asked_next(GOALS[command], self._state)
        return Frame(row, count, request=request)

    def answer(self, frame: Frame, status: Status) -> bytes:
        """The count of the frame, the state, the demand, and the motion; lengths of actuators are 0."""
        state = self._state = state_of(status)
        quality = ERROR if status.fault else WARNING if status.warning else 0
        code = quality << 4 | (0 if state is None else STATES[state])
        demand = [x * s for x, s in zip(frame.row[:6] or (0.0,) * 6, self._signs, strict=True)]
        moves = [x * s for x, s in zip(status.pose + status.velocity, self._signs * 2, strict=True)]
        numbers = (*demand, *(0.0,) * 12, *moves, *(0.0,) * 6)
        return REPLY.pack((frame.sequence or 0) & 0xFFFFFFFF, code, *map(single, numbers))


@final
class EmotionEncoder:
    """Makes frames of direct poses; until something is asked for, the command is that of the state answered last."""

    def __init__(self, options: Options) -> None:
        self._signs = signs(options, False)
        self._command, self._stands = SETTLED, True

    def encode(self, frame: Frame) -> bytes:
        """The frame as bytes; a command that was asked for stands."""
        commands = {
            Request.OFF: OFF, Request.DOWN: SETTLED, Request.LOWER: SETTLED, Request.STANDBY: NEUTRAL,
            Request.SETTLE: NEUTRAL, Request.DRIVE: ENGAGED, Request.RESET_FAULT: ACKNOWLEDGE,
        }  # fmt: skip
        if frame.request is not None:
            self._command, self._stands = commands.get(frame.request, self._command), False
        row = frame.row or (0.0,) * 18
        extra = (single(x * s) for x, s in zip(row, self._signs * 3, strict=True))
        return COMMAND.pack((frame.sequence or 0) & 0xFFFFFFFF, self._command, *(0.0,) * EXTRA, *extra)

    def told(self, data: bytes) -> Told | None:
        """What an answer says."""
        if len(data) != REPLY.size:
            return None
        count, code, *_ = REPLY.unpack(data)
        state, quality = code & 0xF, code >> 4 & 0xF
        text = NAMES.get(state, f"state {state}") + QUALITIES.get(quality, f", status {quality}")
        if self._stands:
            self._command = STANDING.get(state, self._command)
        return Told(count, None, None, text, TOLD.get(state))


FORMATS = (
    Format(
        "emotion",
        Kind.POSE,
        "Rexroth / E2M eMotion, direct pose: 508 bytes, answered by 152",
        PORT,
        EmotionDecoder,
        options=("axes", "flip"),
        bits=32,
        encoder=EmotionEncoder,
    ),
)
