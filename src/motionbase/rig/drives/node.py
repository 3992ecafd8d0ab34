"""A drive as its master sees it: what was heard of it, and what it is led through, step by step, cycle by cycle."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import chain
from typing import final

from motionbase.record.rig import LegState, RigFault
from motionbase.rig.drives import profile
from motionbase.rig.drives.profile import Command, Mode, State
from motionbase.rig.drives.reach import TRANSFER_TIME, Failed, Reach, Script
from motionbase.rig.drives.settings import HEARTBEAT_TIME
from motionbase.rig.drives.setup import Axis, Setup

CHANGE_TIME = 3.0  # for a change of the power state [s]
SETTLING_CYCLES = 5  # after which bits of a new mode are those of that mode
STANDING_CYCLES = 5


@final
class Node:
    """One drive, on whatever bus.

    Attributes:
        controlword, target: what is sent to it in every cycle
        state: of power, None if unknown
        actual: its position, None if unknown
        missed: cycles in a row that it left unanswered
        code: of its last emergency object, 0 if it took it back or was reset
        is_stopped: it says that somebody has stopped it on the bus
        fault: why a script failed
        garbage: frames that could not be understood
    """

    def __init__(self, axis: Axis, setup: Setup, reach: Reach) -> None:
        self.axis, self.setup, self._reach = axis, setup, reach
        self.controlword, self.target = Command.DISABLE_VOLTAGE.word, 0
        self.statusword, self.state, self.actual = 0, None, None
        self.connected = self.homed = self.is_stopped = False
        self.missed = self.code = self.garbage = 0
        self.fault, self._failure = RigFault.NONE, ""
        self.now = self.measured_at = self.heard_at = self._asked_at = -math.inf
        self.standing = 0
        self._script: chain[None] | None = None
        self._jumped = self._asked = False
        self._left = ""

    state: State | None
    actual: int | None

    def begin_cycle(self, now: float) -> None:
        """The time of a cycle [s]."""
        self.now = self._reach.now = now

    @property
    def busy(self) -> bool:
        """Whether it is led through a script."""
        return self._script is not None

    @property
    def stands(self) -> bool:
        """Whether its position has not changed for some cycles."""
        return self.standing >= STANDING_CYCLES

    @property
    def is_off(self) -> bool:
        """Whether it is without power."""
        return self.state is State.SWITCH_ON_DISABLED

    @property
    def answers(self) -> bool:
        """Whether positions come."""
        return self.connected and self.missed < self.setup.misses

    @property
    def stopping(self) -> LegState:
        """How far it is with a stop."""
        if self.state in (State.OPERATION_ENABLED, State.QUICK_STOP_ACTIVE, State.FAULT_REACTION_ACTIVE):
            return LegState.READY if self.stands else LegState.STOPPING
        return LegState.OFF

    @property
    def length(self) -> float:
        """Of the leg [m]; NaN as long as nothing was measured."""
        return float("nan") if self.actual is None else self.axis.length(self.actual)

    @property
    def is_gone(self) -> bool:
        """Whether not even heartbeats come."""
        return self.now - self.heard_at > 3 * HEARTBEAT_TIME

    @property
    def why(self) -> str:
        """What is wrong with it, for people; empty if nothing is."""
        name = f"drive {self.axis.node}"
        if self._failure:
            return self._failure
        if self.code:
            return f"{name} reports error code {self.code:04X}h"
        if self._left:
            return f"{name} {self._left}"
        if not self.connected or self.answers:
            return ""
        return f"{name} was stopped on the bus" if self.is_stopped else f"{name} is silent"

    def trouble(self, must_be_on: bool) -> RigFault:
        """What is wrong with it now."""
        if self.fault:
            return self.fault
        if self.connected and self.missed >= self.setup.misses:
            return RigFault.SILENT_LEG
        if self.code or self.state in (State.FAULT, State.FAULT_REACTION_ACTIVE):
            return profile.fault_of(self.code)
        if self._left:
            return RigFault.DEVICE
        if self._jumped:
            return RigFault.SENSOR
        if must_be_on and self.state is not State.OPERATION_ENABLED:
            return RigFault.DEVICE
        return RigFault.NONE

    # What is heard

    def live(self) -> None:
        """A sign of life."""
        self.heard_at = self.now

    def left(self, how: str) -> None:
        """It is not in operation any more: 'was restarted'."""
        if self.connected:
            self._left = how

    def take(self, statusword: int, position: int, measured_at: float) -> None:
        """What it gives in a cycle.

        Args:
            statusword, position: of the drive
            measured_at: time of the measurement [s]
        """
        state = profile.state_of(statusword)
        if state is None:
            self.garbage += 1
            return
        self.live()
        moved = 0 if self.actual is None else abs(position - self.actual)
        time = measured_at - self.measured_at + self.setup.period
        self._jumped = self.homed and moved > self.axis.magnitude(3 * self.setup.speed * time)
        self.homed &= not self._jumped
        self.standing = self.standing + 1 if moved <= self.axis.magnitude(1e-3 * self.setup.period) else 0
        self.statusword, self.state, self.actual = statusword, state, position
        self.measured_at, self.missed = measured_at, 0

    # What it is led through

    def begin(self, *scripts: Script) -> None:
        """Lead it through scripts, instead of what went on."""
        self._script = chain(*scripts)

    def then(self, script: Script) -> None:
        """Lead it through a script after what goes on."""
        self._script = chain(self._script or (), script)

    def leave(self) -> None:
        """Give up what it is led through."""
        self._script = None

    def advance(self) -> None:
        """The next step of the script; until it has ended, the target is wherever the drive is."""
        if self._script is not None:
            self.hold()
            try:
                next(self._script)
            except StopIteration:
                self._script = None
            except Failed as failed:
                self._script, self.fault, self._failure = None, failed.fault, str(failed)

    def connect(self) -> Script:
        """Settings, then targets and positions; a drive that was restarted must be homed again."""
        self.connected = False
        kept = yield from self._reach.connect()
        self.homed = self.homed and kept  # a jump while it was being connected counts, too
        self.missed, self.state, self._left, self.is_stopped = 0, None, "", False
        self.connected = True
        yield from self._wait(lambda: self.state is not None, TRANSFER_TIME, RigFault.SILENT_LEG, "sends no positions")

    def enable(self) -> Script:
        """Power on, holding the position. Before homing no target counts: the drive's limits might be anywhere."""
        if not self.connected:
            yield from self.connect()
        yield from self.mode(Mode.CYCLIC_SYNCHRONOUS_POSITION if self.homed else Mode.HOMING)
        yield from self.to(State.OPERATION_ENABLED)

    def home(self) -> Script:
        """Let the drive find its reference."""
        yield from self.mode(Mode.HOMING)
        self.homed = False
        self.controlword = Command.ENABLE_OPERATION.word | profile.START_HOMING
        for _ in range(SETTLING_CYCLES):
            yield
        done = profile.HOMING_ATTAINED | profile.TARGET_REACHED
        ended = lambda: self.statusword & profile.HOMING_ERROR or self.statusword & done == done  # noqa: E731
        yield from self._wait(ended, self.setup.homing_time, RigFault.HOMING, "does not find its reference")
        if self.statusword & profile.HOMING_ERROR:
            raise Failed(RigFault.HOMING, f"drive {self.axis.node} reports an error of homing")
        self.controlword = Command.ENABLE_OPERATION.word
        yield from self.mode(Mode.CYCLIC_SYNCHRONOUS_POSITION)
        self.standing, self.homed = 0, True

    def disable(self) -> Script:
        """Power off."""
        yield from self.to(State.SWITCH_ON_DISABLED)

    def reset(self) -> Script:
        """Acknowledge a fault, and be without power afterwards."""
        self.code, self.fault, self._failure, self._jumped = 0, RigFault.NONE, "", False
        self._asked = False
        if not self.connected or self._left or self.missed:
            yield from self.connect()
        if self.state is State.FAULT:
            self.controlword = 0  # the edge follows
            yield
            self.controlword = Command.FAULT_RESET.word
            yield from self._wait(
                lambda: self.state is not State.FAULT, CHANGE_TIME, RigFault.DEVICE, "keeps its fault"
            )
        yield from self.to(State.SWITCH_ON_DISABLED)

    def look_after(self) -> None:
        """After a stop: whether it is there again, and once for the code of a fault whose emergency object was lost."""
        if not self.answers and self.now - self._asked_at >= HEARTBEAT_TIME:
            self._asked_at = self.now
            self._reach.ask()
        elif self.answers and self.state is State.FAULT and not self.code and not self._asked:
            self._asked = True
            self.begin(self._read_code())

    def _read_code(self) -> Script:
        self.code = yield from self._reach.read(profile.ERROR_CODE)

    def mode(self, mode: Mode) -> Script:
        """Change the mode of operation."""
        yield from self._reach.write(profile.MODE, mode)
        until = self.now + CHANGE_TIME
        while (yield from self._reach.read(profile.MODE_DISPLAY)) != mode:
            if self.now > until:
                raise Failed(RigFault.DEVICE, f"drive {self.axis.node} does not change to mode {int(mode)}")

    def to(self, goal: State) -> Script:
        """Change the power state as the profile says."""
        until = self.now + CHANGE_TIME
        while self.state is not goal:
            if self.now > until:
                here = self.state.words if self.state else "an unknown state"
                raise Failed(RigFault.DEVICE, f"drive {self.axis.node} stays in {here!r} on its way to {goal.words!r}")
            command = profile.towards(self.state, goal) if self.state else None
            if command:
                self.controlword = command.word
            yield

    def hold(self) -> None:
        """The target becomes the position."""
        self.target = self.target if self.actual is None else self.actual

    def _wait(self, condition: Callable[[], object], time: float, fault: RigFault, what: str) -> Script:
        until = self.now + time
        while not condition():
            if self.now > until:
                raise Failed(fault, f"drive {self.axis.node} {what}")
            yield
