"""A second reading of drives on a CAN bus, and a stop by network management, beside their master."""

from __future__ import annotations

from typing import final

import numpy as np

from motionbase.rig.border import Sight
from motionbase.rig.drives import canopen, profile
from motionbase.rig.drives.canopen import FUNCTION, NODE, PDO, TRANSMIT_PDO1, Manage
from motionbase.rig.drives.line import Bus, FrameBus, Line, open_bus
from motionbase.rig.drives.reach import BusError
from motionbase.rig.drives.setup import Setup

MANY = 1000  # frames that a look reads at most
ALL = 0  # nodes


@final
class DrivesWitness:
    """Hears the positions that drives give at SYNC; stops all drives by 'stop remote node' of network management.

    A stopped node takes no more targets from its master, and object 6007h, which the master sets, makes a drive in
    operation stop by a quick stop. Needs nothing of the master but a bus: with another connection of the same adapter
    it is independent of the master's process, not of the wire.

    Positions count from the drive's reference, so lengths are right once a drive is homed.

    Attributes:
        why: why the bus could not be used, empty if it could
    """

    def __init__(self, setup: Setup, bus: Bus | FrameBus | str) -> None:
        """Listen.

        Args:
            setup: of the master
            bus: a URL for `open_bus`, or a connection that nobody else uses
        """
        self._line = Line(open_bus(bus, (TRANSMIT_PDO1,)) if isinstance(bus, str) else bus)
        self._legs = {axis.node: (leg, axis) for leg, axis in enumerate(setup.axes)}
        self._looked_at = -np.inf
        self._measured_at, self._l = np.full(6, -np.inf), np.full(6, np.nan)
        self.why = ""

    def look(self, now: float) -> Sight:
        """The newest positions; each may have come right after the look before, so that is its time."""
        try:
            frames = self._line.received(MANY)
        except BusError as error:
            self.why, frames = str(error), []
        for frame in frames:
            if self._looked_at > -np.inf and frame.id & FUNCTION == TRANSMIT_PDO1 and len(frame.data) == PDO.size:
                self._hear(frame.id & NODE, frame.data)
        if len(frames) < MANY:  # otherwise what comes next has waited
            self._looked_at = now
        return Sight(float(self._measured_at.min()), self._l.copy())

    def stop(self) -> None:
        """Take all drives out of operation; only a reset of the master leads back."""
        try:
            self._line.send([canopen.manage(Manage.STOP, ALL)])
        except BusError as error:
            self.why = str(error)

    def close(self) -> None:
        """Leave the bus."""
        self._line.close()

    def _hear(self, node: int, data: bytes) -> None:
        statusword, position = PDO.unpack(data)
        if node in self._legs and profile.state_of(statusword) is not None:
            leg, axis = self._legs[node]
            self._l[leg], self._measured_at[leg] = axis.length(position), self._looked_at
