"""Six drives on a CAN bus as actuators: SYNC, six targets and six positions in every cycle."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import final

from motionbase.rig.drives import canopen
from motionbase.rig.drives.canopen import (
    EMERGENCY,
    FUNCTION,
    HEARTBEAT,
    NODE,
    PDO,
    RECEIVE_PDO1,
    SDO_ANSWER,
    SYNC,
    TRANSMIT_PDO1,
    Frame,
    Manage,
    Network,
)  # fmt: skip
from motionbase.rig.drives.client import Client
from motionbase.rig.drives.line import MOST_FRAMES, Bus, FrameBus, Line, open_bus
from motionbase.rig.drives.master import AbstractDrives
from motionbase.rig.drives.setup import Setup

HEARD = EMERGENCY, TRANSMIT_PDO1, SDO_ANSWER, HEARTBEAT  # functions of the frames that drives send


@final
class CanDrives(AbstractDrives):
    """Drives on CAN; `AbstractDrives` tells the rest."""

    def __init__(self, setup: Setup, bus: Bus | FrameBus | str, pause: Callable[[float], None] = time.sleep) -> None:
        """The drives are set up from the first cycle on.

        Args:
            setup: what is known of the drives
            bus: a URL for `open_bus`, or a bus
            pause: waits while `close` stops the drives; a simulation moves on instead
        """
        self._out: list[Frame] = []
        clients = tuple(Client(axis, setup, self._out.append) for axis in setup.axes)
        super().__init__(setup, f"drives on {bus if isinstance(bus, str) else 'a CAN bus'}", clients, pause)
        self._by_number = {node.axis.node: (node, client) for node, client in zip(self.nodes, clients, strict=True)}
        self._line = Line(open_bus(bus, HEARD) if isinstance(bus, str) else bus)
        self._beat_at = -math.inf

    def _receive(self) -> None:
        """Frames that arrived; too many of them would make positions old, as they wait in line."""
        self._stale = False
        frames = self._line.received()
        self._stale = len(frames) == MOST_FRAMES
        for frame in frames:
            if frame.id & NODE in self._by_number:
                node, client = self._by_number[frame.id & NODE]
                client.hear(node, frame.id & FUNCTION, frame.data, self._sent_at)

    def _send(self) -> None:
        """Targets, SYNC, and the heartbeat that the drives' watchdogs wait for; then what scripts ask."""
        connected = [node for node in self.nodes if node.connected]
        frames = [Frame(RECEIVE_PDO1 + n.axis.node, PDO.pack(n.controlword, n.target)) for n in connected]
        frames.append(Frame(SYNC, b""))
        if self._now - self._beat_at > self.setup.watchdog / 3 - self.setup.period / 2:
            self._beat_at = self._now
            frames.append(canopen.heartbeat(canopen.MASTER, Network.OPERATIONAL))
        frames += self._out
        self._out.clear()
        self._line.send(frames)

    def _leave(self) -> None:
        self._out += [canopen.manage(Manage.ENTER_PRE_OPERATIONAL, node.axis.node) for node in self.nodes]
        self._send()

    def _release(self) -> None:
        self._line.close()
