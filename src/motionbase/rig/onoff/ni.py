"""Data acquisition with devices of National Instruments, by the package `nidaqmx` (the extra `daq`).

Written for the NI USB-6251 from the package's documentation and tested against a stand-in for it. It has never been
tried on hardware.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Lock
from time import monotonic
from typing import Any, final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import TargetUnavailable
from motionbase.rig.onoff.acquisition import LEGS, LINES, SHUT, AcquisitionError
from motionbase.rig.onoff.guard import Guard

INPUTS = ("ai0", "ai1", "ai2", "ai3", "ai4", "ai5")
OUTPUTS = (*(f"port0/line{k}" for k in range(8)), *(f"port1/line{k}" for k in range(LINES - 8)))
RELAY = "port0/line0"
RANGE = 10.0  # [V] so that an open input, pulled out of the potentiometer's range, reads what it is
TIMEOUT = 0.05  # [s] of a reading
SILENCE = 0.15  # [s] without a write after which the valves are shut; longer than the backend's own, which tells why
CUT_HELD = 0.5  # [s] for which a witness's stop holds its relay open


@final
class NiAcquisition:
    """Six differential analogue inputs, read on demand; twelve outputs of two ports, written by one call.

    The outputs are static: the device has no clock for those of port 1, and no watchdog. A thread shuts all valves if
    nothing was written for a time, and so does an ordinary end of the process; they keep their state if it is killed.

    Attributes:
        name: for people
    """

    def __init__(
        self, device: str = "Dev1", inputs: Sequence[str] = INPUTS, outputs: Sequence[str] = OUTPUTS,
        silence: float = SILENCE,
    ) -> None:  # fmt: skip
        """Reserve the device and set all outputs to 0 V.

        Args:
            device: as NI MAX names it
            inputs: terminals of the six potentiometers
            outputs: lines of the twelve solenoids
            silence: time without a write after which open valves are shut [s]
        """
        self._tasks = _Tasks(device)
        self.name = self._tasks.name
        with self._tasks.opening():
            self._out = self._tasks.outputs(outputs, SHUT)
            self._in = self._tasks.inputs(inputs)
        self._guard = Guard(lambda: self._write(SHUT), silence)
        atexit.register(self.close)

    def read(self, now: float) -> Array:
        """(6,) voltages, measured just after the call [V]."""
        return self._tasks.read(self._in)

    def write(self, lines: Sequence[bool]) -> None:
        """Set all outputs in one call of the driver."""
        self._write(lines)
        self._guard.fed(any(lines))

    def close(self) -> None:
        """Set all outputs to 0 V and release the device."""
        if self._tasks.are_open:
            atexit.unregister(self.close)
            self._guard.close()
            try:
                self._write(SHUT)
            finally:
                self._tasks.release()

    def _write(self, lines: Sequence[bool]) -> None:
        self._tasks.write(self._out, lines)


@final
class NiReader:
    """A device for a witness: six inputs, and an output for a relay in the supply of all valves.

    The output is on while the valves may have current. After a stop it is on again half a second later, so the relay
    must be one that closes only while no solenoid is on, or by a person's hand. The output keeps its state if the
    process is killed.

    Attributes:
        name: for people
    """

    def __init__(self, device: str, inputs: Sequence[str] = INPUTS, relay: str = RELAY) -> None:
        """Reserve the device and switch the relay's output on.

        Args:
            device: as NI MAX names it; not the one that moves the legs
            inputs: terminals of the six potentiometers
            relay: line of the relay
        """
        self._readings, self._relay = _Tasks(device), _Tasks(device)  # a reading in progress must not hold up a stop
        self.name = self._readings.name
        self._cut_at: float | None = None
        self._switching = Lock()
        with self._readings.opening(), self._relay.opening():
            self._in = self._readings.inputs(inputs)
            self._out = self._relay.outputs((relay,), (True,))
        atexit.register(self.close)

    def read(self, now: float) -> Array:
        """(6,) voltages, measured just after the call [V]."""
        with self._switching:
            if self._cut_at is not None and monotonic() - self._cut_at > CUT_HELD:
                self._relay.write(self._out, (True,))
                self._cut_at = None
        return self._readings.read(self._in)

    def cut(self) -> None:
        """Open the relay."""
        with self._switching:
            self._cut_at = monotonic()
            self._relay.write(self._out, (False,))

    def close(self) -> None:
        """Release the device; the relay's output stays as it is. A second call does nothing."""
        atexit.unregister(self.close)
        self._readings.release()
        self._relay.release()


@final
class _Tasks:
    """Tasks of a device, asked one after the other; errors of the driver become ours, with its code.

    Attributes:
        name: for people
    """

    def __init__(self, device: str) -> None:
        try:
            import nidaqmx
            from nidaqmx.constants import LineGrouping, TerminalConfiguration
        except ImportError as e:
            raise TargetUnavailable("data acquisition by NI needs the package nidaqmx: motionbase[daq]") from e
        self.name, self._device = f"NI-DAQmx device {device}", device
        self._error: type[Exception] = nidaqmx.errors.Error
        self._make, self._grouping, self._terminal = nidaqmx.Task, LineGrouping, TerminalConfiguration
        self._tasks: list[Any] = []
        self._lock = Lock()

    @property
    def are_open(self) -> bool:
        """Whether there are any."""
        return bool(self._tasks)

    @contextmanager
    def opening(self) -> Iterator[None]:
        """Release what was opened if something fails."""
        try:
            yield
        except BaseException:
            self.release()
            raise

    def outputs(self, lines: Sequence[str], states: Sequence[bool]) -> Any:
        """A task that sets lines, which it sets now."""
        task = self._ask(self._new)
        named = ", ".join(f"{self._device}/{line}" for line in lines)
        self._ask(task.do_channels.add_do_chan, named, line_grouping=self._grouping.CHAN_PER_LINE)
        self.write(task, states)
        return task

    def inputs(self, terminals: Sequence[str]) -> Any:
        """A task that reads voltages."""
        task = self._ask(self._new)
        named = ", ".join(f"{self._device}/{terminal}" for terminal in terminals)
        self._ask(
            task.ai_channels.add_ai_voltage_chan, named, terminal_config=self._terminal.DIFF, min_val=-RANGE,
            max_val=RANGE,
        )  # fmt: skip
        self._ask(task.start)  # otherwise every reading starts and stops the task
        return task

    def read(self, task: Any) -> Array:
        """(6,) voltages [V]."""
        volts = np.asarray(self._ask(task.read, timeout=TIMEOUT), dtype=np.float64)
        if volts.shape != (LEGS,):
            raise AcquisitionError(f"{self.name}: {volts.size} voltages came back, {LEGS} are expected")
        return volts

    def write(self, task: Any, states: Sequence[bool]) -> None:
        """Set lines, one by itself as well as several."""
        self._ask(task.write, [bool(state) for state in states], auto_start=True)

    def release(self) -> None:
        """End all tasks."""
        while self._tasks:
            with suppress(self._error):  # a device that is gone holds nothing
                self._tasks.pop().close()

    def _new(self) -> Any:
        self._tasks.append(self._make())
        return self._tasks[-1]

    def _ask(self, call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        try:
            with self._lock:
                return call(*args, **kwargs)
        except self._error as e:
            first = str(e).partition("\n")[0]
            raise AcquisitionError(f"{self.name}: {first}", getattr(e, "error_code", 0)) from e
