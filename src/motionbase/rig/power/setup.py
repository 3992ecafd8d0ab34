"""What a person states of a hydraulic power unit: line, registers, alarms, limits; the table `[power]` of rig files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, final

from motionbase.errors import UsageError, unknown
from motionbase.platform.table import Table
from motionbase.rig.power.registers import WRITABLE, Register

QUANTITIES = {  # registers that are read, and what their units must measure
    "supply": "pressure", "return": "pressure", "temperature": "temperature", "level": "part",
    "running": "part", "alarms": "part",
}  # fmt: skip
COMMANDS = ("run", "heartbeat")
NEEDED = ("supply", "running")
TCP, RTU, SIMULATED = "tcp:", "rtu:", "simulated"
PORT = 502


@final
@dataclass(frozen=True)
class TcpLine:
    """Modbus over TCP."""

    host: str
    port: int = PORT

    def __str__(self) -> str:
        return f"{TCP}{self.host}:{self.port}"


@final
@dataclass(frozen=True)
class RtuLine:
    """Modbus over a serial line.

    Attributes:
        path: of the serial device
        baud: speed [1/s]
        parity: even, odd or none
        stop_bits: 1 or 2
    """

    path: str
    baud: int = 19200
    parity: Literal["E", "O", "N"] = "E"
    stop_bits: int = 1

    def __post_init__(self) -> None:
        if not 300 <= self.baud <= 4_000_000:
            raise UsageError(f"serial line of a power unit: baud is {self.baud}, 300 to 4000000 are possible")
        if self.stop_bits not in (1, 2):
            raise UsageError(f"serial line of a power unit: stop_bits is {self.stop_bits}, it must be 1 or 2")

    def __str__(self) -> str:
        return f"{RTU}{self.path}"


@final
@dataclass(frozen=True)
class SimulatedLine:
    """TCP to the simulated unit that another process plays; its port is in a file where they meet."""

    def __str__(self) -> str:
        return SIMULATED


Line = TcpLine | RtuLine | SimulatedLine


@final
@dataclass(frozen=True)
class Alarm:
    """A bit of the alarms word.

    Attributes:
        bit: from 0, the lowest
        text: for people
        stops: whether it is the fault DEVICE; otherwise it is a warning
    """

    bit: int
    text: str
    stops: bool = True


@final
@dataclass(frozen=True)
class Limits:
    """What is taken for a fault.

    Attributes:
        least_pressure: of the supply while the pump runs [Pa]
        start_time: in which the pump must start and the pressure rise [s]
        dip_time: for which the pressure may be lower later [s]
        warm: temperature of the oil that is a warning [K]
        hot: temperature of the oil that is a fault [K]
        least_level: of the oil, as a part of a full tank
    """

    least_pressure: float
    start_time: float = 5.0
    dip_time: float = 0.2
    warm: float | None = None
    hot: float | None = None
    least_level: float | None = None

    def __post_init__(self) -> None:
        for name, low, high, unit in (
            ("least_pressure", 1e4, 1e8, "Pa"), ("start_time", 0.1, 600.0, "s"), ("dip_time", 0.0, 60.0, "s"),
            ("warm", 273.15, 423.15, "K"), ("hot", 273.15, 423.15, "K"), ("least_level", 0.0, 1.0, ""),
        ):  # fmt: skip
            value = getattr(self, name)
            if value is not None and not low <= value <= high:
                raise UsageError(
                    f"limits of a power unit: {name} is {value:g} {unit}".rstrip()
                    + f", it must be {low:g} to {high:g} {unit}".rstrip()
                )
        if self.warm is not None and self.hot is not None and self.warm >= self.hot:
            raise UsageError(f"limits of a power unit: warm is {self.warm:g} K, it must be below hot, {self.hot:g} K")


@final
@dataclass(frozen=True)
class PowerSetup:
    """A hydraulic power unit.

    Attributes:
        line: to the unit
        registers: by the names of QUANTITIES and COMMANDS
        limits: what is taken for a fault
        alarms: bits of the alarms word; a bit without an entry stops too
        name: for people
        device: number of the unit on its line
        period: of a poll [s]
        timeout: of a request [s]
        patience: age of a reading that is a fault [s]
    """

    line: Line
    registers: Mapping[str, Register]
    limits: Limits
    alarms: tuple[Alarm, ...] = field(default=())
    name: str = "hydraulic power unit"
    device: int = 1
    period: float = 0.1
    timeout: float = 0.3
    patience: float = 1.0

    def __post_init__(self) -> None:
        if missing := [name for name in NEEDED if name not in self.registers]:
            raise UsageError(f"power unit: the register of {missing[0]!r} is needed")
        for name, register in self.registers.items():
            _check_register(name, register)
        for limit, name in (("warm", "temperature"), ("hot", "temperature"), ("least_level", "level")):
            if getattr(self.limits, limit) is not None and name not in self.registers:
                raise UsageError(f"power unit: the limit {limit} needs a register of {name!r}")
        if self.alarms and "alarms" not in self.registers:
            raise UsageError("power unit: texts of alarms need a register of 'alarms'")
        if not 0 <= self.device <= 247:
            raise UsageError(f"power unit: device is {self.device}, 0 to 247 are possible")
        for name, low in (("period", 0.02), ("timeout", 0.02), ("patience", 0.1)):
            if not low <= getattr(self, name) <= 60.0:
                raise UsageError(f"power unit: {name} is {getattr(self, name):g} s, it must be {low:g} to 60 s")
        if self.patience < 2 * self.period:
            raise UsageError(
                f"power unit: patience is {self.patience:g} s, it must be at least two periods, {2 * self.period:g} s"
            )

    @property
    def readings(self) -> dict[str, Register]:
        """Registers that are read."""
        return {name: register for name, register in self.registers.items() if name in QUANTITIES}


def setup_from(table: Table) -> PowerSetup:
    """The power unit of a table `[power]`; errors name the file, the line, the key and what is expected."""
    table.check_keys(
        ("name", "line", "device", "baud", "parity", "stop_bits", "period", "timeout", "patience", "registers",
         "alarms", "limits"),
        ("line", "registers", "limits"),
    )  # fmt: skip
    registers = table.table("registers")
    registers.check_keys((*QUANTITIES, *COMMANDS), NEEDED)
    found = {name: registers.table(name).part(Register) for name in registers.data}
    for name, register in found.items():
        registers.made(lambda name=name, register=register: _check_register(name, register))
    given: dict[str, Any] = {key: table.number(key) for key in ("period", "timeout", "patience") if key in table.data}
    if "name" in table.data:
        given["name"] = table.text("name")
    if "device" in table.data:
        given["device"] = _whole(table, "device")
    return table.made(
        PowerSetup, line=_line(table), registers=found, limits=table.table("limits").part(Limits),
        alarms=_alarms(table.table("alarms")) if "alarms" in table.data else (), **given,
    )  # fmt: skip


def _line(table: Table) -> Line:
    text = table.text("line")
    serial: dict[str, Any] = {key: _whole(table, key) for key in ("baud", "stop_bits") if key in table.data}
    if "parity" in table.data:
        if (parity := table.text("parity")) not in ("E", "O", "N"):
            table.refuse("parity", "E, O or N")
        serial["parity"] = parity
    if serial and not text.startswith(RTU):
        table.complain(next(iter(serial)), f"{next(iter(serial))} belongs to a serial line, and line is {text!r}")
    if text == SIMULATED:
        return SimulatedLine()
    if text.startswith(RTU) and (path := text.removeprefix(RTU)):
        return table.made(RtuLine, path=path, **serial)
    if text.startswith(TCP):
        host, _, port = text.removeprefix(TCP).rpartition(":")
        if not host:
            host, port = port, str(PORT)
        if host and port.isascii() and port.isdigit() and 1 <= int(port) <= 65535:
            return TcpLine(host.strip("[]"), int(port))
    table.refuse("line", f"'{TCP}HOST', '{TCP}HOST:PORT', '{RTU}/dev/ttyUSB0' or '{SIMULATED}'")


def _alarms(table: Table) -> tuple[Alarm, ...]:
    """Texts by bits, or tables with `text` and `stops`."""
    made = []
    for key, value in table.data.items():
        if not (key.isascii() and key.isdigit() and int(key) < 32):
            table.complain(key, f"{'.'.join((*table.at, key))}: an alarm is a bit of the word, 0 to 31")
        if isinstance(value, str):
            made.append(Alarm(int(key), value))
        else:
            made.append(table.table(key).part(Alarm, bit=int(key)))
    return tuple(sorted(made, key=lambda alarm: alarm.bit))


def _whole(table: Table, key: str) -> int:
    value = table.data[key]
    if type(value) is not int:
        table.refuse(key, "a whole number")
    return value


def _check_register(name: str, register: Register) -> None:
    if name in COMMANDS:
        if register.kind not in WRITABLE:
            raise UsageError(
                f"register {name!r}: its kind is {register.kind}, which cannot be written; "
                f"kinds: {' and '.join(WRITABLE)}"
            )
        if register.size != 1 or register.bit is not None:
            raise UsageError(f"register {name!r}: a command is a coil or a whole register of 16 bits")
        if name == "heartbeat" and register.is_bit:
            raise UsageError("register 'heartbeat': it counts, so its kind must be holding")
    elif name not in QUANTITIES:
        raise UsageError(str(unknown("register of a power unit", name, (*QUANTITIES, *COMMANDS), "registers")))
    elif register.quantity != QUANTITIES[name]:
        raise UsageError(f"register {name!r}: its unit is {register.unit!r}, a unit of {QUANTITIES[name]} is needed")
    elif name == "alarms" and (register.type not in ("u16", "u32") or register.bit is not None):
        raise UsageError("register 'alarms': it is a word of bits, so its type must be u16 or u32")
    elif name != "running" and register.is_bit:
        raise UsageError(f"register {name!r}: its kind is {register.kind}, a single bit; a number is needed")
