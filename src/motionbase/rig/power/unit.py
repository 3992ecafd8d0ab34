"""A hydraulic power unit on Modbus as a `PowerUnit`: a thread polls it, so nothing else ever waits for it.

The pump is stopped by this program, or by the unit's own watchdog where there is a heartbeat register, when the program
that asked it to run does nothing any more, when the line is lost, and at every fault. It is only started again when it
is asked anew, after the cause is gone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Event, Lock, Thread
from time import monotonic
from typing import NamedTuple, final

from motionbase.record.rig import RigFault
from motionbase.rig.border import PowerState
from motionbase.rig.power.judge import Judge, Reading
from motionbase.rig.power.line import Connection, PowerLineError, Refused, check_available, port_file
from motionbase.rig.power.registers import blocks
from motionbase.rig.power.setup import PowerSetup, SimulatedLine

UNKNOWN = PowerState(-math.inf, False, math.nan, math.nan, math.nan, RigFault.SILENT_LEG)


class _Trouble(NamedTuple):
    """A fault, the unit's code of it, and what it is, for people."""

    fault: RigFault
    code: int
    why: str


@final
class ModbusPowerUnit:
    """A power unit; its thread starts at once and connects by itself, again and again.

    A failed poll is forgiven until the newest reading is older than the set-up's patience. Codes are the alarms word of
    the unit, or minus the code of the protocol's exception that it answered with.

    Attributes:
        setup: what was stated of it
    """

    def __init__(self, setup: PowerSetup, place: Path | None = None, *, clock: Callable[[], float] = monotonic) -> None:
        """Begin to poll.

        Args:
            setup: line, registers and limits
            place: folder where a simulated unit is found
            clock: monotonic time [s]
        """
        check_available()
        if isinstance(setup.line, SimulatedLine):
            port_file(place)
        self.setup = setup
        self._place, self._clock = place, clock
        self._judge = Judge(setup)
        self._blocks = blocks(setup.readings)
        self._lock = Lock()
        self._connection: Connection | None = None
        self._state, self._failure = (
            UNKNOWN,
            _Trouble(RigFault.SILENT_LEG, 0, f"power unit at {setup.line}: no answer yet"),
        )
        self._says = ""  # what is wrong by the newest reading
        self._refusal: _Trouble | None = None  # of a command
        self._warnings: tuple[str, ...] = ()
        self._values: Mapping[str, float] = {}
        self._trip: _Trouble | None = None  # why the pump was stopped; until somebody asks for it, or for its stop
        self._commands = self._command = False
        self._pending_until = -math.inf  # a pump that was asked for while something was wrong may still start
        self._written: bool | None = None  # what the unit was told since it is connected
        self._fed_at, self._beats = -math.inf, 0
        self._closed = Event()
        self._thread = Thread(target=self._run, name="hydraulic power unit", daemon=True)
        self._thread.start()

    def look(self, now: float) -> PowerState:
        """The newest reading; a fault if it is too old, or if the pump was stopped for one."""
        with self._lock:
            self._fed_at = self._clock()
            trouble = self._trouble(now)
            if trouble is None:
                return self._state
            return replace(self._state, fault=trouble.fault, code=trouble.code)

    @property
    def why(self) -> str:
        """What is wrong, for people; empty if nothing is."""
        with self._lock:
            trouble = self._trouble(self._clock())
            return trouble.why if trouble else ""

    @property
    def values(self) -> Mapping[str, float]:
        """The newest reading by the names of its registers, in SI units; empty before the first."""
        return self._values

    @property
    def warnings(self) -> tuple[str, ...]:
        """What does not stop, for people."""
        return self._warnings

    def run(self, on: bool) -> None:
        """Ask for the pump to run or to stop; it does not start if something stays wrong beyond the patience."""
        with self._lock:
            self._fed_at, self._commands = self._clock(), True
            if on and self._command:
                return
            self._command, self._trip = False, None
            self._pending_until = self._fed_at + self.setup.patience if on else -math.inf
            self._grant()

    def close(self) -> None:
        """Stop the pump, if it was ever asked for anything, and release the line; a second call does nothing."""
        with self._lock:
            self._command, self._pending_until = False, -math.inf
        self._closed.set()
        self._thread.join(4 * self.setup.timeout + self.setup.period)  # a name server may take longer; let it

    # The thread

    def _run(self) -> None:
        while not self._closed.is_set():
            self._poll()
            self._closed.wait(self.setup.period)
        with suppress(PowerLineError):
            self._speak()
        self._disconnect()

    def _poll(self) -> None:
        """One reading, and what the unit is told."""
        try:
            reading = self._read()
            with self._lock:
                wanted = self._command
            state = self._judge.judged(reading, wanted)
            with self._lock:
                self._state, self._says, self._failure = state, self._judge.why, _Trouble(RigFault.STALE, 0, "")
                self._warnings, self._values = self._judge.warnings, reading.values
                self._grant()
            self._stop_for_trouble()
            self._speak()
        except Refused as error:
            self._failed(_refusal(error))
        except PowerLineError as error:
            self._disconnect()
            self._failed(_Trouble(RigFault.SILENT_LEG, 0, str(error)))

    def _read(self) -> Reading:
        began = self._clock()
        if self._connection is None:
            self._connection = Connection(self.setup.line, self.setup.device, self.setup.timeout, self._place)
            self._written = None
        values, alarms = dict[str, float](), 0
        for block in self._blocks:
            words = self._connection.read(block)
            for name in block.names:
                register = self.setup.registers[name]
                part = words[register.address - block.address :][: register.size]
                if name == "alarms":
                    alarms = int(register.number(part))
                else:
                    values[name] = register.value(part)
        return Reading(began, values, alarms)

    def _speak(self) -> None:
        """Tell the unit what it must know; a refusal is a fault at once."""
        try:
            self._command_and_beat()
            refusal = None
        except Refused as error:
            refusal = _refusal(error)
        with self._lock:
            self._refusal = refusal
        if refusal:
            self._stop_for_trouble()

    def _command_and_beat(self) -> None:
        """Tell the unit whether to run, and that we are alive, if anybody here ever asked for anything."""
        with self._lock:
            command, commands = self._command, self._commands
            alive = self._clock() - self._fed_at <= self.setup.patience
        if self._connection is None or not commands:
            return
        run, heartbeat = self.setup.registers.get("run"), self.setup.registers.get("heartbeat")
        if run is not None and command is not self._written:
            self._connection.write(run, run.on if command else 0)
            self._written = command
        if heartbeat is not None and alive:
            self._beats = self._beats % 0xFFFF + 1
            self._connection.write(heartbeat, self._beats)

    def _failed(self, trouble: _Trouble) -> None:
        with self._lock:
            self._failure = trouble
        self._stop_for_trouble()

    def _stop_for_trouble(self) -> None:
        """Take back the command to run."""
        with self._lock:
            now = self._clock()
            trouble = self._trouble(now)
            if trouble is None and now - self._fed_at > self.setup.patience:
                trouble = _Trouble(RigFault.SILENT_LAW, 0, "the program that asked the pump to run is silent")
            if trouble is not None and self._command:
                self._command, self._trip = False, trouble

    def _grant(self) -> None:
        """Let the pump run that was asked for, unless something is wrong; with the lock held."""
        now = self._clock()
        if now <= self._pending_until and self._trouble(now) is None:
            self._command, self._pending_until = True, -math.inf

    def _trouble(self, now: float) -> _Trouble | None:
        """What is wrong at this time; with the lock held."""
        age = now - self._state.measured_at
        if age > self.setup.patience:
            why = self._failure.why or f"power unit at {self.setup.line}: the newest reading is {age:.3g} s old"
            return self._failure._replace(why=why)
        if self._state.fault:
            return _Trouble(self._state.fault, self._state.code, self._says)
        return self._refusal or self._trip

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _refusal(error: Refused) -> _Trouble:
    return _Trouble(RigFault.DEVICE, -error.code, str(error))
