"""Data acquisition with a device of National Instruments, by the package `nidaqmx` (the extra `daq`).

Written for the NI USB-6251 from the package's documentation and tested against a stand-in for it. It has never been
tried on hardware.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Lock
from typing import Any, final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import TargetUnavailable
from motionbase.rig.onoff.acquisition import LEGS, LINES, SHUT, AcquisitionError
from motionbase.rig.onoff.guard import Guard

INPUTS = ("ai0", "ai1", "ai2", "ai3", "ai4", "ai5")
OUTPUTS = (*(f"port0/line{k}" for k in range(8)), *(f"port1/line{k}" for k in range(LINES - 8)))
RANGE = 10.0  # [V] so that an open input, pulled out of the potentiometer's range, reads what it is
TIMEOUT = 0.05  # [s] of a reading
SILENCE = 0.15  # [s] without a write after which the valves are shut; longer than the backend's own, which tells why


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
        try:
            import nidaqmx
            from nidaqmx.constants import LineGrouping, TerminalConfiguration
        except ImportError as e:
            raise TargetUnavailable("data acquisition by NI needs the package nidaqmx: motionbase[daq]") from e
        self.name = f"NI-DAQmx device {device}"
        self._error: type[Exception] = nidaqmx.errors.Error
        self._tasks: list[Any] = []
        self._lock = Lock()
        try:
            self._ask(self._open, nidaqmx.Task, device, inputs, outputs, TerminalConfiguration, LineGrouping)
        except BaseException:
            self._release()
            raise
        self._guard = Guard(lambda: self._write(SHUT), silence)
        atexit.register(self.close)

    def _open(
        self, task: Callable[[], Any], device: str, inputs: Sequence[str], outputs: Sequence[str], terminal: Any,
        grouping: Any,
    ) -> None:  # fmt: skip
        self._out = self._kept(task())
        lines = ", ".join(f"{device}/{line}" for line in outputs)
        self._out.do_channels.add_do_chan(lines, line_grouping=grouping.CHAN_PER_LINE)
        self._out.write(list(SHUT), auto_start=True)
        self._in = self._kept(task())
        channels = ", ".join(f"{device}/{terminal}" for terminal in inputs)
        self._in.ai_channels.add_ai_voltage_chan(channels, terminal_config=terminal.DIFF, min_val=-RANGE, max_val=RANGE)
        self._in.start()  # otherwise every reading starts and stops the task

    def read(self, now: float) -> Array:
        """(6,) voltages, measured just after the call [V]."""
        volts = np.asarray(self._ask(self._in.read, timeout=TIMEOUT), dtype=np.float64)
        if volts.shape != (LEGS,):
            raise AcquisitionError(f"{self.name}: {volts.size} voltages came back, {LEGS} are expected")
        return volts

    def write(self, lines: Sequence[bool]) -> None:
        """Set all outputs in one call of the driver."""
        self._write(lines)
        self._guard.fed(any(lines))

    def close(self) -> None:
        """Set all outputs to 0 V and release the device."""
        if self._tasks:
            atexit.unregister(self.close)
            self._guard.close()
            try:
                self._write(SHUT)
            finally:
                self._release()

    def _write(self, lines: Sequence[bool]) -> None:
        self._ask(self._out.write, [bool(line) for line in lines], auto_start=True)

    def _kept(self, task: Any) -> Any:
        self._tasks.append(task)
        return task

    def _release(self) -> None:
        while self._tasks:
            with suppress(self._error):  # a device that is gone holds nothing
                self._tasks.pop().close()

    def _ask(self, call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Call the driver; its errors become ours, with its code."""
        try:
            with self._lock:
                return call(*args, **kwargs)
        except self._error as e:
            first = str(e).partition("\n")[0]
            raise AcquisitionError(f"{self.name}: {first}", getattr(e, "error_code", 0)) from e
