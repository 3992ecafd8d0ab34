"""A simulated hydraulic power unit behind the Modbus server of `pymodbus`, and legs that take their oil from it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from pathlib import Path
from threading import Event, Thread
from typing import Any, Protocol, final, runtime_checkable

from motionbase.errors import UsageError
from motionbase.rig.border import Machine
from motionbase.rig.power.line import HOST, check_available, port_file
from motionbase.rig.power.registers import Kind, Register
from motionbase.rig.power.setup import Line, PowerSetup, RtuLine, SimulatedLine, TcpLine
from motionbase.rig.power.simulated import PRESSURE, SimulatedPowerUnit

WATCHDOG = 2.0  # [s] of the simulated unit, if it has a heartbeat register
LONGEST_GAP = 1.0  # [s] that is caught up after a pause, as after a suspension of the computer
STARTING = 10.0  # [s] within which the server must be there
KINDS: Mapping[int, Kind] = {
    1: "coil", 5: "coil", 15: "coil", 2: "discrete", 4: "input", 3: "holding", 6: "holding", 16: "holding",
}  # fmt: skip


@final
class PowerMachine:
    """Plays a unit with the registers of a set-up. The server answers in a thread of its own, as a real one would.

    Attributes:
        unit: the physics, in which faults can be put
        port: of the server on 127.0.0.1; 0 on a serial line
        delay: time before every answer [s]
        refusal: code of the exception that answers everything; 0 for none
        mute: nothing is answered
        garbage: bytes that are sent instead of answers
        words: what registers hold, whatever the unit does, by name
    """

    period = 0.01

    def __init__(
        self, place: Path | None, setup: PowerSetup, unit: SimulatedPowerUnit | None = None, *, line: Line | None = None
    ) -> None:
        """Start the server.

        Args:
            place: folder where a unit whose line is `simulated` is found
            setup: registers and number of the device
            unit: what is played
            line: where to serve, if not on the set-up's own line; port 0 is any
        """
        check_available()
        self.unit = unit or simulated_unit(setup)
        self.setup, self.port = setup, 0
        self.delay, self.refusal, self.mute, self.garbage = 0.0, 0, False, b""
        self.words: dict[str, list[int]] = {}
        line = line or setup.line
        if isinstance(line, TcpLine) and line.host not in (HOST, "localhost"):
            raise UsageError(f"simulated power unit: it is served on {HOST} alone, and line is {line}")
        self._line, self._now, self._origin = line, -1.0, 0.0
        self._began = False
        self._file = port_file(place) if isinstance(line, SimulatedLine) else None
        self._ready, self._error = Event(), ""
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        self._thread = Thread(target=self._loop.run_until_complete, args=(self._serve(),), daemon=True)
        self._thread.start()
        if not self._ready.wait(STARTING) or self._error:
            self.close()
            raise UsageError(f"simulated power unit: it cannot be served on {line}: {self._error or 'no answer'}")
        if self._file is not None:
            self._file.write_text(str(self.port))

    def advance(self, now: float) -> None:
        """Move on until a time [s]; answers are given meanwhile."""
        if not self._began:
            self._began, self._origin = True, now - self.unit.time
        else:
            self._origin += max(now - self._now - LONGEST_GAP, 0.0)
        self._now = now
        self.unit.advance(now - self._origin)

    def close(self) -> None:
        """Unplug it; a second call does nothing."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join()
            self._loop.close()
            if self._file is not None:
                self._file.unlink(missing_ok=True)

    # In the server's thread

    async def _serve(self) -> None:
        logging.getLogger("pymodbus").addHandler(logging.NullHandler())
        try:
            server = self._server()
            await server.serve_forever(background=True)
            if not isinstance(self._line, RtuLine):
                self.port = server.transport.sockets[0].getsockname()[1]
        except Exception as error:  # whatever the package says
            self._error = str(error) or type(error).__name__
            self._ready.set()
            return
        self._ready.set()
        await self._stop.wait()
        await self._ended(server)

    async def _ended(self, server: Any) -> None:
        """Accept nobody any more, let in who is at the door, then close all; otherwise their sockets stay open."""
        if not isinstance(self._line, RtuLine):
            for listener in server.transport.sockets:
                self._loop.remove_reader(listener.fileno())
        for limit in (0.1, 0.0):
            if others := asyncio.all_tasks() - {asyncio.current_task()}:
                _, late = await asyncio.wait(others, timeout=limit)
                for task in late if not limit else ():
                    task.cancel()
        await server.shutdown()
        for _ in range(3):  # transports close in the rounds that follow
            await asyncio.sleep(0)

    def _server(self) -> Any:
        from pymodbus.framer import FramerType
        from pymodbus.server import ModbusSerialServer, ModbusTcpServer
        from pymodbus.simulator import SimDevice

        device = SimDevice(self.setup.device, simdata=self._memory(), action=self._answer)
        if isinstance(self._line, RtuLine):
            return ModbusSerialServer(
                device, framer=FramerType.RTU, port=self._line.path, baudrate=self._line.baud, parity=self._line.parity,
                stopbits=self._line.stop_bits, trace_packet=self._packet,
            )  # fmt: skip
        port = self._line.port if isinstance(self._line, TcpLine) else 0
        return ModbusTcpServer(device, address=(HOST, port), trace_packet=self._packet)

    def _memory(self) -> Any:
        """Four separate blocks of which nothing but the registers exists."""
        from pymodbus.simulator import DataType, SimData

        blocks: dict[Kind, list[Any]] = {"coil": [], "discrete": [], "holding": [], "input": []}
        taken: dict[Kind, set[int]] = {kind: set() for kind in blocks}
        for register in self.setup.registers.values():
            taken[register.kind] |= set(range(register.address, register.address + register.size))
        for kind, addresses in taken.items():
            bits = kind in ("coil", "discrete")
            for address in sorted(addresses or {0}):
                blocks[kind].append(
                    SimData(address, values=[False], datatype=DataType.BITS) if bits
                    else SimData(address, values=[0], datatype=DataType.REGISTERS)
                )  # fmt: skip
        return tuple(blocks.values())

    async def _answer(
        self, function: int, start: int, address: int, count: int, memory: list[int], given: list[Any] | None
    ) -> Any:
        """Called before every access: put the unit's values into the memory, or obey what is written."""
        from pymodbus.constants import ExcCodes

        if self.delay:
            await asyncio.sleep(self.delay)
        if self.refusal:
            return ExcCodes(self.refusal)
        kind = KINDS.get(function)
        for name, register in self.setup.registers.items():
            if register.kind != kind:
                continue
            if given is None:
                self._put(name, register, start, memory)
            elif address <= register.address < address + len(given):
                self._obey(name, int(given[register.address - address]))
        return None

    def _put(self, name: str, register: Register, start: int, memory: list[int]) -> None:
        unit = self.unit
        values = {
            "supply": unit.pressure, "return": unit.back, "temperature": unit.temperature, "level": unit.level,
            "running": unit.running, "alarms": unit.alarms, "run": unit.commanded * register.on,
        }  # fmt: skip
        if name not in values:
            return
        words = self.words.get(name) or register.encoded(float(values[name]))
        if register.is_bit:
            index, bit = register.address // 16 - start, 1 << register.address % 16
            memory[index] = memory[index] | bit if words[0] else memory[index] & ~bit
        elif register.bit is not None:
            index, mask = register.address - start, 1 << register.bit
            memory[index] = (memory[index] & ~mask) | (words[0] & mask)
        else:
            memory[register.address - start : register.address - start + register.size] = words

    def _obey(self, name: str, number: int) -> None:
        if name == "run":
            self.unit.command(number == self.setup.registers[name].on)
        elif name == "heartbeat":
            self.unit.beat()

    def _packet(self, sending: bool, data: bytes) -> bytes:
        """What is sent instead of an answer."""
        if not sending:
            return data
        return b"" if self.mute else self.garbage or data


def simulated_unit(setup: PowerSetup, pressure: float = PRESSURE) -> SimulatedPowerUnit:
    """A unit of a set-up, for a supply pressure [Pa]; it has a watchdog if there is a heartbeat."""
    return SimulatedPowerUnit(setting=pressure, watchdog=WATCHDOG if "heartbeat" in setup.registers else None)


@runtime_checkable
class Supplied(Protocol):
    """Something whose speed depends on the oil: `supply` is the part of its speed for which there is pressure."""

    supply: float


@final
class LegsAndPower:
    """Simulated legs and the simulated unit that feeds them, as one machine.

    Attributes:
        legs: a machine; if it has a `rig` with a `supply`, the unit feeds it
        power: the unit
    """

    def __init__(self, legs: Machine, power: PowerMachine) -> None:
        self.legs, self.power = legs, power
        rig = getattr(legs, "rig", None)
        self._supplied = rig if isinstance(rig, Supplied) else None

    @property
    def period(self) -> float:
        """How often `advance` should be called [s]."""
        return min(self.legs.period, self.power.period)

    def advance(self, now: float) -> None:
        """Move both on until a time [s]."""
        self.power.advance(now)
        if self._supplied is not None:
            self._supplied.supply = self.power.unit.share
        self.legs.advance(now)

    def close(self) -> None:
        """Unplug both."""
        self.legs.close()
        self.power.close()
