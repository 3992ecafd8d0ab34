"""Simulated drives that a process of its own plays in real time."""

from __future__ import annotations

from typing import final

from motionbase.arrays import Array
from motionbase.rig.drives.line import open_bus
from motionbase.rig.drives.participant import SimulatedDrives
from motionbase.rig.drives.setup import Setup

SLOWEST = 5e-4  # a drive answers SYNC within a small part of a cycle [s]


@final
class DrivesMachine:
    """Six drives that are switched on when `advance` is first called.

    Attributes:
        simulated: the drives, for faults that are put in
    """

    def __init__(self, setup: Setup, bus: str, lengths: Array | None = None) -> None:
        """Drives on a bus.

        Args:
            setup: of the master
            bus: a URL for `open_bus`, such as local:FOLDER
            lengths: (6,) at the beginning [m], the reference if not given
        """
        self.simulated = SimulatedDrives(setup, open_bus(bus), lengths)
        self._is_on = False

    @property
    def period(self) -> float:
        """How often `advance` should be called [s]."""
        return min(SLOWEST, self.simulated.setup.period / 4)

    @property
    def lengths(self) -> Array:
        """(6,) true lengths of the legs [m]."""
        return self.simulated.lengths

    def advance(self, now: float) -> None:
        """Answer what has come and move on until a time on a monotonic clock [s]."""
        if not self._is_on:
            self._is_on = True
            self.simulated.switch_on(now)
        self.simulated.step(now)

    def close(self) -> None:
        """Leave the bus; the master finds all drives silent."""
        self.simulated.close()
