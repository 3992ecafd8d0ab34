"""A connection to a Modbus device, by the package `pymodbus` (the extra `modbus`): one request at a time, with a limit.

The package answers trouble with return values, exceptions of its own, those of sockets, and others if a device talks
nonsense; here it becomes one error.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, final

from motionbase.errors import MotionBaseError, TargetUnavailable, UsageError
from motionbase.rig.place import meeting_point
from motionbase.rig.power.registers import Block, Register
from motionbase.rig.power.setup import Line, RtuLine, SimulatedLine, TcpLine

PORT_FILE = "power.port"  # in the folder where a simulated unit and its clients meet
HOST = "127.0.0.1"
REASONS = {1: "illegal function", 2: "illegal address", 3: "illegal value", 4: "device failure", 6: "device busy",
           10: "gateway without a path", 11: "no device behind the gateway"}  # fmt: skip
WORDS = {"holding": "holding_registers", "input": "input_registers", "coil": "coils", "discrete": "discrete_inputs"}


class PowerLineError(MotionBaseError):
    """No answer, or none that can be read."""


@final
class Refused(PowerLineError):
    """The device answered with an exception; `code` is the protocol's."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


@final
class Connection:
    """An open line. After an error other than `Refused` it must be closed, as a late answer may still come."""

    def __init__(self, line: Line, device: int, timeout: float, place: Path | None) -> None:
        """Connect.

        Args:
            line: to the device
            device: its number on the line
            timeout: of connecting and of a request [s]
            place: folder where a simulated unit is found
        """
        self._device = device
        self._name = "simulated power unit" if isinstance(line, SimulatedLine) else f"power unit at {line}"
        self._client = _client(line, timeout, place)
        try:
            connected = self._client.connect()
        except Exception as error:
            raise PowerLineError(f"{self._name} cannot be opened: {_reason(error)}") from None
        if not connected:
            raise PowerLineError(f"{self._name} cannot be reached")

    def read(self, block: Block) -> list[int]:
        """Words of registers, or bits as 0 and 1."""
        ask = getattr(self._client, f"read_{WORDS[block.kind]}")
        found = self._asked(f"{block.kind} {block.address}", ask, block.address, count=block.count)
        words = list(map(int, found.registers or found.bits))[: block.count]
        if len(words) < block.count or not all(0 <= word <= 0xFFFF for word in words):
            raise PowerLineError(f"{self._name}: {block.kind} {block.address} is answered by {len(words)} values")
        return words

    def write(self, register: Register, number: int) -> None:
        """Set a coil or a register."""
        ask: Callable[..., Any] = self._client.write_coil if register.is_bit else self._client.write_register
        value = bool(number) if register.is_bit else number
        self._asked(f"{register.kind} {register.address}", ask, register.address, value)

    def close(self) -> None:
        """Release the line."""
        self._client.close()

    def _asked(self, what: str, ask: Callable[..., Any], *args: Any, **options: Any) -> Any:
        try:
            found = ask(*args, **options, device_id=self._device)
            refused = found.isError()
        except Exception as error:  # of the package, of sockets, and of decoding nonsense
            raise PowerLineError(f"{self._name}: {what} is not answered: {_reason(error)}") from None
        if refused:
            code = int(getattr(found, "exception_code", 0))
            raise Refused(f"{self._name}: {what} is refused, {REASONS.get(code, 'exception')} ({code})", code)
        return found


def check_available() -> None:
    """Raise `TargetUnavailable` without the package."""
    try:
        import pymodbus.client  # noqa: F401
    except ImportError as e:
        raise TargetUnavailable(
            "power units need the package pymodbus: install it with pip install 'motionbase[modbus]'"
        ) from e


def _client(line: Line, timeout: float, place: Path | None) -> Any:
    check_available()
    from pymodbus.client import ModbusSerialClient, ModbusTcpClient

    logging.getLogger("pymodbus").addHandler(logging.NullHandler())  # what it says is in our errors
    if isinstance(line, RtuLine):
        return ModbusSerialClient(
            line.path, baudrate=line.baud, parity=line.parity, stopbits=line.stop_bits, timeout=timeout, retries=0
        )
    if isinstance(line, SimulatedLine):
        line = TcpLine(HOST, _simulated_port(place))
    return ModbusTcpClient(line.host, port=line.port, timeout=timeout, retries=0)


def port_file(place: Path | None) -> Path:
    """Where a simulated unit writes its port."""
    if place is None:
        raise UsageError("simulated power unit: it needs a folder to be found in")
    return meeting_point(place, PORT_FILE)


def _simulated_port(place: Path | None) -> int:
    path = port_file(place)
    try:
        text = path.read_text()
    except OSError as error:
        raise PowerLineError(f"simulated power unit: nobody plays it: {_reason(error)}") from None
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= 65535):
        raise PowerLineError(f"simulated power unit: {os.fspath(path)} holds no port")
    return int(text)


def _reason(error: BaseException) -> str:
    """What the package said, on one line and without its own headings."""
    text = getattr(error, "strerror", None) or str(error).replace("Modbus Error: ", "").replace("[Input/Output] ", "")
    said = " ".join(str(text).split()).removeprefix("ERROR: ").removeprefix("[Connection] ")
    return said[:1].lower() + said[1:] or type(error).__name__
