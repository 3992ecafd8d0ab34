"""A stand-in for the package `pysoem` with six simulated drives on a line behind it: what is used of its interface.

Names, parameters, return values and errors are those of pysoem 1.1.13 and of the SOEM in it.
"""

from __future__ import annotations

import enum
import types
from collections import deque
from collections.abc import Callable

import numpy as np

from motionbase.arrays import Array
from motionbase.rig.drives import canopen, dictionary, profile
from motionbase.rig.drives.canopen import EMERGENCY, Network, Transfer
from motionbase.rig.drives.participant import simulated_drive
from motionbase.rig.drives.setup import Setup
from motionbase.rig.drives.simulated import SimulatedDrive

INTERFACE = "eth1"
STEP = 1e-3  # of the drives [s]
RISING = 0.01  # to OPERATIONAL [s]
NONE, INIT, PREOP, SAFEOP, OP, ERROR = 0, 1, 2, 4, 8, 16
NO_FRAME = -1
SM_WATCHDOG, BAD_OUTPUTS, BAD_INPUTS, BAD_REQUEST = 0x001B, 0x001D, 0x001E, 0x0011  # AL status codes


class SdoError(Exception):
    """A transfer was aborted."""

    def __init__(self, slave_pos: int, index: int, subindex: int, abort_code: int, desc: str) -> None:
        self.slave_pos, self.index, self.subindex = slave_pos, index, subindex
        self.abort_code, self.desc = abort_code, desc


class MailboxError(Exception):
    """The mailbox protocol was violated."""


class PacketError(Exception):
    """A packet was not as expected."""


class ConfigMapError(Exception):
    """Mailbox errors while process data were mapped."""

    def __init__(self, error_list: list[Exception]) -> None:
        self.error_list = error_list


class WkcError(Exception):
    """The working counter was wrong."""

    def __init__(self, message: str | None = None, wkc: int | None = None) -> None:
        self.message, self.wkc = message, wkc


class NetworkInterfaceNotOpenError(Exception):
    """The network interface is not open."""


class Emergency(Exception):
    """An emergency object."""

    def __init__(self, slave_pos: int, error_code: int, error_reg: int, b1: int, w1: int, w2: int) -> None:
        self.slave_pos, self.error_code, self.error_reg = slave_pos, error_code, error_reg
        self.b1, self.w1, self.w2 = b1, w1, w2


class SafeOutputs(enum.Enum):
    """Whether a slave that is SAFE-OPERATIONAL still takes outputs off the frame; slaves differ."""

    TAKEN = 3
    LEFT = 1


class Device:
    """A drive's slave controller, as it is on the line.

    Attributes:
        state, code: of the application layer
        silent: it is broken: no frame gets past it
    """

    def __init__(self, drive: SimulatedDrive) -> None:
        self.drive, self.silent, self.fixed, self.refuses_outputs = drive, False, False, False
        self.mailbox: deque[tuple[int, int]] = deque()
        self.power_up()

    def power_up(self) -> None:
        """Settings, state and station address are gone."""
        self.drive.restart()
        self.state, self.code, self.address = INIT, 0, 0
        self.watchdog, self.sync0 = 0.1, 0
        self._frame_at, self._rise_at = -np.inf, np.inf

    @property
    def has_contact(self) -> bool:
        return self.state & 15 in (SAFEOP, OP)

    def request(self, wanted: int) -> None:
        """What is written to AL control."""
        target = wanted & 15
        if self.state & ERROR and not wanted & ERROR:
            return  # the error must be acknowledged
        here = self.state & 15
        if target <= here:
            self._become(target)
        elif (here, target) == (INIT, PREOP):
            self._become(PREOP)
        elif (here, target) == (PREOP, SAFEOP):
            self._map()
        elif (here, target) == (SAFEOP, OP):
            self._rise_at = self.drive.now + RISING
        else:
            self._refuse(BAD_REQUEST)

    def _map(self) -> None:
        """Process data are checked on the way to SAFE-OPERATIONAL."""
        values = self.drive.values
        if values[profile.RECEIVE_ASSIGN[1]] != 0x1600 or not dictionary.mapping(values, profile.RECEIVE_MAP):
            self._refuse(BAD_OUTPUTS)
        elif values[profile.TRANSMIT_ASSIGN[1]] != 0x1A00 or not dictionary.mapping(values, profile.TRANSMIT_MAP):
            self._refuse(BAD_INPUTS)
        else:
            self._become(SAFEOP)

    def frame(self, output: bytes, safe: SafeOutputs) -> tuple[int, bytes | None]:
        """Process data pass: what is added to the working counter, and the inputs."""
        if not self.has_contact:
            return 0, None
        self._frame_at = self.drive.now
        if self.state == OP:
            return 3, self.drive.exchange(output)
        return safe.value, self.drive.exchange(b"")

    def advance(self, now: float) -> None:
        self.drive.advance(now)
        for frame in self.drive.sent:
            if frame.id == EMERGENCY + self.drive.node:
                self.mailbox.append((int.from_bytes(frame.data[:2], "little"), frame.data[2]))
        self.drive.sent.clear()
        if self.state == SAFEOP and now >= self._rise_at:
            if now - self._frame_at > self.watchdog:
                self._refuse(SM_WATCHDOG)
            else:
                self._become(OP)
        if self.state == OP and now - self._frame_at > self.watchdog:
            self._become(SAFEOP | ERROR)
            self.code = SM_WATCHDOG

    def leave_op(self, code: int) -> None:
        """It has an error of its own."""
        self._become(SAFEOP | ERROR)
        self.code = code

    def _refuse(self, code: int) -> None:
        self.state, self.code, self._rise_at = self.state | ERROR, code, np.inf

    def _become(self, state: int) -> None:
        was_op = self.state == OP
        self.state, self.code, self._rise_at = state, 0, np.inf
        if state == OP:
            self.drive.network = Network.OPERATIONAL
        elif was_op:
            self.drive.leave_operation(Network.PRE_OPERATIONAL)


class Wires:
    """The line: devices one after the other, behind the interface `eth1`.

    Attributes:
        now: time [s]
        devices: of legs 1 to 6
        clock: the drives' clock of reference [ns] at a time
        cuts: cables that are pulled: number k leads to device k, and all behind it are lost
    """

    def __init__(self, setup: Setup, lengths: Array) -> None:
        self.setup, self.now, self.cuts = setup, 0.0, set[int]()
        self.safe, self.clocks, self.jam = SafeOutputs.LEFT, True, False
        self.clock: Callable[[float], int] = lambda now: round(1e9 * now)  # of reference [ns]
        objects = dictionary.ETHERCAT_DRIVE
        self.devices = [Device(simulated_drive(setup, leg, float(l), objects)) for leg, l in enumerate(lengths)]
        self.opened = 0
        self.advance(0.1)

    @property
    def lengths(self) -> Array:
        """(6,) true lengths [m]."""
        pairs = zip(self.setup.axes, self.devices, strict=True)
        return np.array([axis.home + device.drive.motor.x / axis.per_metre for axis, device in pairs])

    def reaches(self, k: int) -> bool:
        return not any(cut <= k for cut in self.cuts)

    def advance(self, until: float) -> None:
        while until - self.now > 1e-9:
            self.now = min(self.now + STEP, until)
            for device in self.devices:
                device.advance(self.now)

    def module(self) -> types.ModuleType:
        """What takes the place of the package in sys.modules."""
        made = types.ModuleType("pysoem")
        names = SdoError, MailboxError, PacketError, WkcError, ConfigMapError, NetworkInterfaceNotOpenError, Emergency
        vars(made).update({error.__name__: error for error in names}, Master=lambda: Master(self))
        vars(made).update(al_status_code_to_string=lambda code: {0x1B: "Sync manager watchdog"}.get(code, "Error"))
        return made


class Slave:
    """A slave as its master knows it."""

    def __init__(self, master: Master, position: int) -> None:
        self._master, self._wires, self._at = master, master._wires, position
        self.state, self.al_status, self.output, self.input = NONE, 0, b"", b""
        self.name, self.is_lost = f"drive {position + 1}", False
        self.setup_func: Callable[[Slave], None] | None = None
        self._callbacks: list[Callable[[Emergency], None]] = []
        self._address = 0x1001 + position

    @property
    def device(self) -> Device:
        return self._wires.devices[self._at]

    @property
    def is_there(self) -> bool:
        return self._wires.reaches(self._at) and self.device.address == self._address

    def add_emergency_callback(self, callback: Callable[[Emergency], None]) -> None:
        self._callbacks.append(callback)

    def dc_sync(
        self, act: bool, sync0_cycle_time: int, sync0_shift_time: int = 0, sync1_cycle_time: int | None = None
    ) -> None:
        self._master.check()
        assert act and isinstance(sync0_cycle_time, int) and isinstance(sync0_shift_time, int)
        self.device.sync0 = sync0_cycle_time

    def set_watchdog(self, wd_type: str, wd_time_ms: float) -> None:
        self._master.check()
        if wd_type not in ("pdi", "processdata") or wd_time_ms > 6553.5:
            raise AttributeError("wd_time_ms is limited to 6553.5 ms")
        if not self.is_there:
            raise WkcError()
        self.device.watchdog = 1e-3 * wd_time_ms

    def sdo_read(
        self, index: int, subindex: int, size: int = 0, ca: bool = False, *, release_gil: bool | None = None
    ) -> bytes:
        return self._transfer(Transfer(index, subindex, False)).data

    def sdo_write(
        self, index: int, subindex: int, data: bytes, ca: bool = False, *, release_gil: bool | None = None
    ) -> None:
        assert isinstance(data, bytes)
        self._transfer(Transfer(index, subindex, True, data))

    def mbx_receive(self) -> int:
        self._master.check()
        if not self.is_there or not self.device.mailbox:
            return 0
        self._emergency()
        return 1

    def write_state(self) -> int:
        self._master.check()
        if self.is_there:
            self.device.request(self.state)
        return 1 if self.is_there else NO_FRAME

    def reconfig(self, timeout: int = 500) -> int:
        """Through INIT and PRE-OPERATIONAL, where the settings are written; errors of the callback go unseen."""
        self._master.check()
        if not self.is_there:
            return 0
        self.device.request(INIT | ERROR)
        self.device.request(PREOP)
        if self.setup_func is not None:
            self.setup_func(self)
        self.device.request(SAFEOP)
        return self.device.state & 15

    def recover(self, timeout: int = 500) -> int:
        """Give a slave that was lost its address again."""
        self._master.check()
        if self._wires.reaches(self._at):
            self.device.address = self._address
        return int(self.is_there)

    def look(self) -> None:
        self.state, self.al_status = (self.device.state, self.device.code) if self.is_there else (NONE, 0)

    def _emergency(self) -> None:
        code, register = self.device.mailbox.popleft()
        said = Emergency(self._at + 1, code, register, 0, 0, 0)
        if not self._callbacks:
            raise said
        for callback in self._callbacks:
            callback(said)

    def _transfer(self, request: Transfer) -> Transfer:
        self._master.check()
        if not self.is_there or self.device.state & 15 < PREOP:
            raise WkcError(wkc=0)
        while self.device.mailbox:
            self._emergency()
        reply = dictionary.served(self.device.drive.values, request)
        if reply.abort:
            raise SdoError(self._at + 1, request.number, request.sub, reply.abort, "aborted")
        return reply


class Master:
    """The EtherCAT master."""

    def __init__(self, wires: Wires) -> None:
        self._wires, self._open = wires, False
        self.slaves: list[Slave] = []
        self.state, self.dc_time, self.expected_wkc = NONE, 0, 0
        self._back: tuple[int, list[bytes | None], int] | None = None

    def open(self, ifname: str, ifname_red: str | None = None) -> None:
        if ifname != INTERFACE:
            raise ConnectionError(f"could not open interface {ifname}")
        self._open = True
        self._wires.opened += 1

    def close(self) -> None:
        self._wires.opened -= self._open
        self._open = False

    def check(self) -> None:
        if not self._open:
            raise NetworkInterfaceNotOpenError("SOEM Network interface is not initialized or has been closed.")

    def config_init(self, usetable: bool = False, *, release_gil: bool | None = None) -> int:
        self.check()
        found = [k for k in range(len(self._wires.devices)) if self._wires.reaches(k)]
        self.slaves = [Slave(self, k) for k in found]
        for slave in self.slaves:
            slave.device.address = slave._address
            slave.device.request(INIT | ERROR)
            slave.device.request(PREOP)
        return len(found) or -1

    def config_dc(self) -> bool:
        self.check()
        return self._wires.clocks

    def config_map(self) -> int:
        self.check()
        for slave in self.slaves:
            if slave.setup_func is not None:
                slave.setup_func(slave)
            values = slave.device.drive.values
            if slave.device.fixed:
                values[profile.TRANSMIT_MAP[0]] = 2
            slave.output, slave.input = (
                bytes(sum(len(canopen.packed(e, 0)) for e in dictionary.mapping(values, m)))
                for m in (profile.RECEIVE_MAP, profile.TRANSMIT_MAP)
            )
            slave.device.request(SAFEOP)
        if self._wires.jam:
            raise ConfigMapError([SdoError(2, 0x1C12, 0, 0x06090011, "Subindex does not exist")])
        self.expected_wkc = sum(2 * bool(s.output) + bool(s.input) for s in self.slaves)
        return sum(len(s.output) + len(s.input) for s in self.slaves)

    def read_state(self) -> int:
        self.check()
        for slave in self.slaves:
            slave.look()
        return min(slave.state for slave in self.slaves)

    def write_state(self) -> int:
        self.check()
        for slave in self.slaves:
            if slave.is_there:
                slave.device.request(self.state)
        return len(self.slaves)

    def state_check(self, expected_state: int, timeout: int = 50000) -> int:
        self.check()
        return min(slave.device.state & 15 for slave in self.slaves)

    def send_processdata(self, *, release_gil: bool | None = None) -> int:
        """The frame runs down the line; without any slave the interface has no link."""
        self.check()
        counter, inputs = 0, list[bytes | None]()
        for slave in self.slaves:
            count, data = slave.device.frame(slave.output, self._wires.safe) if slave.is_there else (0, None)
            counter += count
            inputs.append(data)
        self._back = (counter if self._wires.reaches(0) else NO_FRAME), inputs, self._wires.clock(self._wires.now)
        return 1

    def receive_processdata(self, timeout: int = 2000, *, release_gil: bool | None = None) -> int:
        self.check()
        if self._back is None:
            return NO_FRAME
        (counter, inputs, sent_at), self._back = self._back, None
        for slave, data in zip(self.slaves, inputs, strict=True):
            slave.input = slave.input if data is None else data
        self.dc_time = sent_at
        return counter
