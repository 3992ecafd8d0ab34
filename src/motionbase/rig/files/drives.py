"""Rig files of the kind `drives`: electric cylinders of the profile CiA 402 on a CAN bus."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, final

from motionbase.arrays import Array
from motionbase.multibody.loaders.toml_source import Keys
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.table import Table
from motionbase.rig.border import Actuators, Machine, Witness
from motionbase.rig.drives.settings import settings
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
    """Six drives on a bus.

    Attributes:
        setup: of the drives
        bus: a URL for `open_bus`; empty for the simulated machine
        start: (6,) lengths of the simulated machine at first [m]
    """

    setup: Setup
    bus: str
    start: Array
    device: ClassVar[str] = "bus"  # the key that names a real device

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


def read_drives(top: Table, platform: Hexapod, device: str) -> DriveLegs:
    """Drives of a file; `device` is empty for simulated ones."""
    check_tables(top, {"axes": tuple(AXES), "simulated": ("start",), **_keys()})
    needed(top, "axes")
    table = top.table("axes")
    table.check_keys(AXES, ("node", "counts", "lead", "home"))
    least, most = lengths(top, platform)
    setup = made_of(top, Setup, PLACES, axes=of_legs(table, Axis, AXES), least=least, most=most)
    for leg, axis in enumerate(setup.axes, 1):
        try:
            settings(axis, setup)
        except IMPOSSIBLE as e:
            table.complain("counts", f"leg {leg}: {e}")
    return DriveLegs(setup, device, start_lengths(top, platform, least, most))


def _keys() -> dict[str, tuple[str, ...]]:
    found = keys_by_table(PLACES)
    return {**found, "limits": ("least", "most", *found["limits"])}
