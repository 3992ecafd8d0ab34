"""A stand-in for the package `nidaqmx` with a simulated rig behind it: what is used of its published interface.

Names, parameters, checks and error codes are those of nidaqmx 1.7 and NI-DAQmx.
"""

import enum
import re
import types
from typing import Any

from motionbase.rig.onoff.acquisition import SHUT, AcquisitionError
from motionbase.rig.onoff.simulated import SimulatedRig

ANALOGUE = {f"ai{k}" for k in range(16)}
LINES = {f"port{p}/line{k}" for p in range(3) for k in range(8)}  # of a USB-6251


class Error(Exception):
    """Root of the package's errors."""


class DaqError(Error):
    """An error of the driver."""

    def __init__(self, message: str, error_code: int, task_name: str = "") -> None:
        super().__init__(f"{message}\n\nTask Name: {task_name}\n\nStatus Code: {error_code}")
        self.error_code = error_code


class LineGrouping(enum.Enum):
    """How lines become channels."""

    CHAN_PER_LINE = 0
    CHAN_FOR_ALL_LINES = 1


class TerminalConfiguration(enum.Enum):
    """How an input is wired."""

    DIFF = 10106


class Driver:
    """The device Dev1: a simulated rig, its clock, and tasks that hold lines."""

    def __init__(self, rig: SimulatedRig) -> None:
        self.rig, self.now, self.open_tasks, self.short = rig, 0.0, 0, False
        self.lines = dict.fromkeys(sorted(LINES), False)

    def modules(self) -> dict[str, types.ModuleType]:
        """What takes the place of the package in sys.modules."""
        package, constants, errors = (types.ModuleType(f"nidaqmx{x}") for x in ("", ".constants", ".errors"))
        vars(constants).update(LineGrouping=LineGrouping, TerminalConfiguration=TerminalConfiguration)
        vars(errors).update(Error=Error, DaqError=DaqError)
        vars(package).update(Task=lambda: Task(self), constants=constants, errors=errors)
        return {module.__name__: module for module in (package, constants, errors)}

    def channels(self, names: str, known: set[str]) -> list[str]:
        """The channels of a string of names."""
        out = []
        for name in re.split(r",\s*", names):
            device, _, channel = name.partition("/")
            if device != "Dev1":
                raise DaqError("Device identifier is invalid.", -200220)
            if channel not in known:
                raise DaqError("Physical channel specified does not exist on this device.", -200170)
            out.append(channel)
        return out


class Task:
    """A task of analogue inputs or of digital outputs."""

    def __init__(self, driver: Driver) -> None:
        self.driver, self.running, self.closed = driver, False, False
        self.inputs: list[str] = []
        self.outputs: list[str] = []
        self.ai_channels, self.do_channels = self, self
        driver.open_tasks += 1

    def add_ai_voltage_chan(
        self, physical_channel: str, name_to_assign_to_channel: str = "",
        terminal_config: TerminalConfiguration | None = None, min_val: float = -5.0, max_val: float = 5.0,
    ) -> None:  # fmt: skip
        self.inputs += self.driver.channels(physical_channel, ANALOGUE)
        if terminal_config is TerminalConfiguration.DIFF and any(int(name[2:]) > 7 for name in self.inputs):
            raise DaqError("Requested value is not a supported value for this property.", -200077)
        assert (min_val, max_val) == (-10.0, 10.0)

    def add_do_chan(
        self, lines: str, name_to_assign_to_lines: str = "",
        line_grouping: LineGrouping = LineGrouping.CHAN_FOR_ALL_LINES,
    ) -> None:  # fmt: skip
        assert line_grouping is LineGrouping.CHAN_PER_LINE
        self.outputs += self.driver.channels(lines, LINES)

    def start(self) -> None:
        self.running = True

    def read(self, number_of_samples_per_channel: int | None = None, timeout: float = 10.0) -> Any:
        """One sample: a number for one channel, a list for several."""
        rig = self.driver.rig
        try:
            volts = rig.read(self.driver.now)
        except AcquisitionError as e:
            raise DaqError("Device cannot be accessed.", -201003) from e
        row = [float(volts[int(name[2:])]) for name in self.inputs][: 3 if self.driver.short else None]
        return row if len(row) > 1 else row[0]

    def write(self, data: Any, auto_start: bool | None = None, timeout: float = 10.0) -> int:
        """One sample: a list of booleans, of several channels or of one."""
        if len(data) != len(self.outputs):
            raise DaqError("Write cannot be performed: number of channels in the data is wrong.", -200524)
        if not all(isinstance(x, bool) for x in data):
            raise DaqError("Write failed: boolean samples when there is one digital line per channel.", -200525)
        if not (self.running or auto_start):
            raise DaqError("Write cannot be performed when the auto start input is false.", -200846)
        self.running = True
        self.driver.lines.update(zip(self.outputs, data, strict=True))
        states = tuple(self.driver.lines[name] for name in self.outputs)
        try:
            if len(states) == 1:  # a relay in the valves' supply
                self.driver.rig.powered = states[0]
            else:
                self.driver.rig.write(states if len(states) == len(SHUT) else SHUT)
        except AcquisitionError as e:
            raise DaqError("Device cannot be accessed.", -201003) from e
        return 1

    def close(self) -> None:
        if not self.closed:
            self.closed = True
            self.driver.open_tasks -= 1
