"""Rig files of the kinds `drives` and `ethercat`: electric cylinders of the profile CiA 402 on CAN or EtherCAT."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, final

from motionbase.arrays import Array
from motionbase.errors import UsageError
from motionbase.multibody.loaders.toml_source import Keys
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.table import Table
from motionbase.rig.border import Actuators, Machine, Witness
from motionbase.rig.drives.settings import ethercat_settings, settings
from motionbase.rig.drives.setup import Axis, Setup
from motionbase.rig.files.values import (
    IMPOSSIBLE,
    check_tables,
    keys_by_table,
    lengths,
    made_of,
    needed,
    of_legs,
    start_lengths,
    within,
)  # fmt: skip

AXES = {"node": int, "counts": int, "lead": float, "gear": float, "sign": int, "home": float}
PLACES: dict[str, Keys] = {
    **{key: ("limits", key) for key in ("jump", "speed", "deceleration", "following")},
    **{key: ("times", key) for key in ("period", "bitrate", "silence", "watchdog", "misses", "following_time")},
    **{f"homing_{key}": ("homing", key) for key in ("method", "fast", "slow", "acceleration", "time")},
}


@final
@dataclass(frozen=True, eq=False)
class DriveLegs:
    """Six drives on a CAN bus.

    Attributes:
        setup: of the drives
        bus: a URL for `open_bus`; empty for the simulated machine
        start: (6,) lengths of the simulated machine at first [m]
    """

    setup: Setup
    bus: str
    start: Array

    @property
    def simulated(self) -> bool:
        """Whether the machine is a simulated one."""
        return not self.bus

    @property
    def period(self) -> float:
        """Of a cycle [s]."""
        return self.setup.period

    def open(self, place: Path) -> Actuators:
        """The drives' master."""
        from motionbase.rig.drives.backend import CanDrives

        return CanDrives(self.setup, self._bus(place))

    def machine(self, place: Path) -> Machine:
        """Simulated drives."""
        from motionbase.rig.drives.machine import DrivesMachine

        return DrivesMachine(self.setup, self._bus(place), self.start)

    def witness(self, place: Path) -> Witness | None:
        """The bus tells every listener the positions, so it is always there."""
        from motionbase.rig.drives.witness import DrivesWitness

        return DrivesWitness(self.setup, self._bus(place))

    def _bus(self, place: Path) -> str:
        return self.bus or f"local:{place}"


@final
@dataclass(frozen=True, eq=False)
class EtherCatLegs:
    """Six drives on EtherCAT, which are not simulated here.

    Attributes:
        setup: of the drives; a node is a position on the line, from 1
        interface: of the network, such as eth1
    """

    setup: Setup
    interface: str
    simulated: ClassVar[bool] = False

    @property
    def period(self) -> float:
        """Of a cycle [s]."""
        return self.setup.period

    def open(self, place: Path) -> Actuators:
        """The drives' master."""
        from motionbase.rig.drives.ethercat.backend import EtherCatDrives

        return EtherCatDrives(self.setup, self.interface)

    def machine(self, place: Path) -> Machine:
        """There is none."""
        raise UsageError('drives on EtherCAT are not simulated; kind = "drives" is, with the same axes')

    def witness(self, place: Path) -> Witness | None:
        """A line has one master, so nobody listens beside it."""
        return None


def read_drives(top: Table, platform: Hexapod, bus: str) -> DriveLegs:
    """Drives on CAN; `bus` is empty for simulated ones."""
    setup = _setup(top, platform, settings)
    return DriveLegs(setup, bus, start_lengths(top, platform, setup.least, setup.most))


def read_ethercat(top: Table, platform: Hexapod, interface: str) -> EtherCatLegs:
    """Drives on EtherCAT."""
    if not interface:
        top.complain("machine", 'drives on EtherCAT are not simulated; kind = "drives" is, with the same axes')
    if "bitrate" in within(top, "times").data:
        top.table("times").complain("bitrate", "times.bitrate is for a CAN bus; EtherCAT has none")
    return EtherCatLegs(_setup(top, platform, ethercat_settings, bitrate=None), interface)


def _setup(top: Table, platform: Hexapod, values: Callable[[Axis, Setup], object], **given: Any) -> Setup:
    """Checked down to what is written into each drive, which is `values`."""
    check_tables(top, {"axes": tuple(AXES), "simulated": ("start",), **_keys()})
    needed(top, "axes")
    table = top.table("axes")
    table.check_keys(AXES, ("node", "counts", "lead", "home"))
    least, most = lengths(top, platform)
    setup = made_of(top, Setup, PLACES, axes=of_legs(table, Axis, AXES), least=least, most=most, **given)
    for leg, axis in enumerate(setup.axes, 1):
        try:
            values(axis, setup)
        except IMPOSSIBLE as e:
            table.complain("counts", f"leg {leg}: {e}")
    return setup


def _keys() -> dict[str, tuple[str, ...]]:
    found = keys_by_table(PLACES)
    return {**found, "limits": ("least", "most", *found["limits"])}
