"""The slaves behind a network interface, through pysoem: set-up, states, process data, mailboxes.

Methods marked 'blocks' wait for slaves, so only the thread of the mailboxes calls them. `send` and `receive` belong to
the thread of the cycle; SOEM lets both work at once.
"""

from __future__ import annotations

import warnings
from collections import deque
from contextlib import suppress
from enum import IntEnum
from typing import Any, NamedTuple, final

from motionbase.errors import UsageError
from motionbase.record.rig import RigFault
from motionbase.rig.drives import canopen, profile
from motionbase.rig.drives.profile import Object
from motionbase.rig.drives.reach import BusError, Failed
from motionbase.rig.drives.settings import ethercat_settings
from motionbase.rig.drives.setup import Setup

WAIT = 200  # for process data that were sent a cycle ago; they have been there for long [us]
STATE_WAIT = 50_000  # for slaves to change their state while they are set up [us]
LOST_WAIT = 500  # for a slave that was lost [us]
STATE, ERROR = 0x0F, 0x10  # of a slave's state; with ERROR in a request, the error is acknowledged


class AlState(IntEnum):
    """States of a slave's application layer."""

    NONE = 0
    INIT = 1
    PRE_OPERATIONAL = 2
    BOOTSTRAP = 3
    SAFE_OPERATIONAL = 4
    OPERATIONAL = 8


class Seen(NamedTuple):
    """What a look at all slaves found.

    Attributes:
        states: of the drives' slaves, with ERROR
        words: the same, for people
        counter: working counter that slaves in operation alone add up to
    """

    states: tuple[int, ...]
    words: tuple[str, ...]
    counter: int


@final
class Segment:
    """Six drives and whatever else is on the line; a drive's node number is its position there, from 1.

    Attributes:
        expected: working counter of a cycle in which every slave takes and gives its data
        emergencies: (leg, error code) that mailboxes have brought
    """

    def __init__(self, setup: Setup, interface: str) -> None:
        """Blocks until the drives are SAFE-OPERATIONAL, with their settings."""
        self._soem = _pysoem()
        self._nodes, self._cycle = setup.nodes, round(1e9 * setup.period)
        self._watchdog, self._wanted = setup.watchdog, [ethercat_settings(axis, setup) for axis in setup.axes]
        self.emergencies: deque[tuple[int, int]] = deque()
        self._refused = [""] * 6
        self._master = self._soem.Master()
        try:
            self._master.open(interface)
        except ConnectionError:
            raise UsageError(
                f"EtherCAT: network interface {interface!r} cannot be opened; it must exist, and sending raw frames "
                "needs root or the capability CAP_NET_RAW"
            ) from None
        try:
            self._configure(interface)
        except BaseException:
            self._master.close()
            raise

    # In every cycle

    def send(self, outputs: list[bytes]) -> None:
        """Controlwords and targets of the six drives."""
        for slave, output in zip(self._slaves, outputs, strict=True):
            slave.output = output
        if self._master.send_processdata() <= 0:
            raise BusError("the EtherCAT interface does not send")

    def receive(self) -> int:
        """The working counter of what was sent last; not above 0 if it did not come back."""
        return int(self._master.receive_processdata(WAIT, release_gil=True))

    def given(self, leg: int) -> bytes:
        """What a drive gave in the last cycle, or in one before if it is lost."""
        return bytes(self._slaves[leg].input)

    @property
    def lateness(self) -> float:
        """How much later than midway between two SYNC0 the last frame passed, at most half a cycle [s]."""
        half = self._cycle // 2  # SYNC0 comes half a cycle after the multiples of a cycle
        return 1e-9 * float((self._master.dc_time + half) % self._cycle - half)

    # Beside the cycles

    def look(self, lost: tuple[int, ...] = ()) -> Seen:
        """Blocks: the states of all slaves.

        Args:
            lost: drives that may have been restarted; such a slave has no address, and gets its own again
        """
        self._master.read_state()
        if any([self._slaves[leg].recover(LOST_WAIT) > 0 for leg in lost if self._slaves[leg].state == AlState.NONE]):
            self._master.read_state()
        states = tuple(slave.state for slave in self._slaves)
        running = (slave for slave in self._master.slaves if slave.state == AlState.OPERATIONAL)
        return Seen(states, tuple(map(self._words, self._slaves)), sum(map(_counts, running)))

    def read(self, leg: int, entry: Object) -> int:
        """Blocks: the value of a drive's object."""
        node = self._nodes[leg]
        try:
            data = self._slaves[leg].sdo_read(entry.number, entry.sub, release_gil=True)
        except self._errors as error:
            raise self._failed(node, entry, error) from None
        value = canopen.unpacked(entry, data)
        if value is None:
            raise Failed(RigFault.DEVICE, f"drive {node} has another size for {entry.words}")
        return value

    def write(self, leg: int, entry: Object, value: int) -> None:
        """Blocks: set a drive's object."""
        try:
            self._slaves[leg].sdo_write(entry.number, entry.sub, canopen.packed(entry, value), release_gil=True)
        except self._errors as error:
            raise self._failed(self._nodes[leg], entry, error) from None

    def poll(self, leg: int) -> None:
        """Blocks: take an emergency object from a drive's mailbox, if there is one."""
        with suppress(*self._errors):  # a drive that is lost is noticed by its process data
            self._slaves[leg].mbx_receive()

    def restore(self, leg: int) -> bool:
        """Blocks: bring a drive to SAFE-OPERATIONAL at least; whether it had kept its settings."""
        slave, node = self._slaves[leg], self._nodes[leg]
        self._master.read_state()
        if slave.state == AlState.NONE:
            if slave.recover(LOST_WAIT) <= 0:
                raise Failed(RigFault.SILENT_LEG, f"drive {node} does not answer")
            self._master.read_state()
        if slave.state & STATE >= AlState.SAFE_OPERATIONAL:
            return True
        found = slave.reconfig(LOST_WAIT)
        if self._refused[leg]:
            raise Failed(RigFault.DEVICE, self._refused[leg])
        if found != AlState.SAFE_OPERATIONAL:
            self._master.read_state()
            raise Failed(RigFault.DEVICE, f"drive {node} stays in {self._words(slave)}")
        return False

    def lift(self, leg: int) -> str:
        """Blocks: the next step towards OPERATIONAL; empty if the drive is there, otherwise the state it is in."""
        slave = self._slaves[leg]
        self._master.read_state()
        if slave.state == AlState.OPERATIONAL:
            return ""
        words = self._words(slave)
        acknowledged = slave.state & STATE | ERROR
        slave.state = acknowledged if slave.state & ERROR else AlState.OPERATIONAL
        slave.write_state()
        return words

    def leave(self) -> None:
        """Blocks: all slaves back to INIT."""
        self._master.state = AlState.INIT
        self._master.write_state()

    def close(self) -> None:
        """Release the interface."""
        self._master.close()

    # Set-up

    def _configure(self, interface: str) -> None:
        found = self._master.config_init()
        if found <= 0:
            raise UsageError(f"EtherCAT: no slave answers on {interface!r}")
        if found < max(self._nodes):
            raise UsageError(
                f"EtherCAT: {found} slaves answer on {interface!r}, but the drive of leg "
                f"{self._nodes.index(max(self._nodes)) + 1} should be number {max(self._nodes)} on the line"
            )
        self._slaves = [self._master.slaves[node - 1] for node in self._nodes]
        for leg, slave in enumerate(self._slaves):
            slave.setup_func = lambda slave, leg=leg: self._set_up(leg, slave)
            slave.add_emergency_callback(lambda said, leg=leg: self.emergencies.append((leg, said.error_code)))
        if not self._master.config_dc():
            raise UsageError(f"EtherCAT: no slave on {interface!r} has a distributed clock")
        try:
            self._master.config_map()
        except self._soem.ConfigMapError as error:
            said = "; ".join(str(getattr(each, "desc", each)) for each in error.error_list)
            raise UsageError(f"EtherCAT: the process data cannot be mapped: {said}") from None
        self._master.state_check(AlState.SAFE_OPERATIONAL, STATE_WAIT)
        self._master.read_state()
        for leg, slave in enumerate(self._slaves):
            if self._refused[leg]:
                raise UsageError(self._refused[leg])
            if slave.state != AlState.SAFE_OPERATIONAL:
                raise UsageError(f"drive {self._nodes[leg]} stays in {self._words(slave)}")
            if (len(slave.output), len(slave.input)) != (canopen.PDO.size, canopen.PDO.size + 2):
                raise UsageError(
                    f"drive {self._nodes[leg]} exchanges {len(slave.output)} and {len(slave.input)} bytes in a cycle, "
                    f"not {canopen.PDO.size} and {canopen.PDO.size + 2}: its process data cannot be chosen"
                )
        self.expected = int(self._master.expected_wkc)

    def _set_up(self, leg: int, slave: Any) -> None:
        """Settings, when a slave leaves PRE-OPERATIONAL; nobody hears an error from here, so it is kept."""
        self._refused[leg] = ""
        try:
            if self.read(leg, profile.DEVICE_TYPE) & 0xFFFF != profile.NUMBER:
                raise Failed(RigFault.DEVICE, f"slave {self._nodes[leg]} is no drive of the profile CiA 402")
            for (entry, _), value in self._wanted[leg].items():
                self.write(leg, entry, value)
            with warnings.catch_warnings():  # that the time is rounded to 0.1 ms
                warnings.simplefilter("ignore", UserWarning)
                slave.set_watchdog("processdata", 1e3 * self._watchdog)
            slave.dc_sync(True, self._cycle, self._cycle // 2)
        except Failed as failed:
            self._refused[leg] = str(failed)
        except (AttributeError, self._soem.WkcError):  # the former for a time that does not fit
            self._refused[leg] = f"drive {self._nodes[leg]} does not take a watchdog of {self._watchdog} s"

    @property
    def _errors(self) -> tuple[type[Exception], ...]:
        """What transfers raise."""
        soem = self._soem
        return soem.SdoError, soem.MailboxError, soem.PacketError, soem.WkcError

    def _failed(self, node: int, entry: Object, error: Exception) -> Failed:
        if isinstance(error, self._soem.SdoError):
            said = f"drive {node} refuses {entry.words}, abort code {error.abort_code & 0xFFFFFFFF:08X}h"
            return Failed(RigFault.DEVICE, said)
        return Failed(RigFault.SILENT_LEG, f"drive {node} does not answer about {entry.words}")

    def _words(self, slave: Any) -> str:
        """The state of a slave: 'SAFE-OPERATIONAL with error 001Bh (Sync manager watchdog)'."""
        known = {state: state.name.replace("_", "-") for state in AlState} | {AlState.NONE: "silence"}
        words = known.get(slave.state & STATE, f"state {slave.state:02X}h")
        if not slave.state & ERROR:
            return words
        return f"{words} with error {slave.al_status:04X}h ({self._soem.al_status_code_to_string(slave.al_status)})"


def _counts(slave: Any) -> int:
    """What a slave adds to the working counter: 2 if it takes data, 1 if it gives some."""
    return 2 * bool(slave.output) + bool(slave.input)


def _pysoem() -> Any:
    try:
        import pysoem
    except ImportError:
        raise UsageError("drives on EtherCAT need pysoem: install it with pip install 'motionbase[ethercat]'") from None
    return pysoem
