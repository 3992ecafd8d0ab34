"""Simulated drives on a bus: in simulated time step by step, or in a thread beside the master."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.rig.drives import dictionary
from motionbase.rig.drives.canopen import FUNCTION, HEARTBEAT, NMT, NODE, SYNC, Frame
from motionbase.rig.drives.line import Bus, FrameBus, Line
from motionbase.rig.drives.motor import Motor
from motionbase.rig.drives.profile import Object
from motionbase.rig.drives.reach import BusError
from motionbase.rig.drives.setup import Setup
from motionbase.rig.drives.simulated import SimulatedDrive

MANY = 1000  # frames at once
OVERTRAVEL = 0.004  # from the accepted lengths to a limit switch without homing [m]
ACCELERATION, FASTEST = 20.0, 1.0  # of a leg [m/s2, m/s]


@final
class SimulatedDrives:
    """Participants that share a connection to the bus.

    Attributes:
        drives: of legs 1 to 6
    """

    def __init__(self, setup: Setup, bus: Bus | FrameBus, lengths: Array | None = None) -> None:
        """Drives that fit a set-up, with a limit switch at the reference.

        Args:
            setup: of the master
            bus: their connection, not the master's
            lengths: (6,) at the beginning [m], the reference if not given
        """
        self.setup, self._line = setup, Line(bus)
        starts = [axis.home for axis in setup.axes] if lengths is None else list(map(float, lengths))
        self.drives = tuple(simulated_drive(setup, leg, l) for leg, l in enumerate(starts))
        self._by_node = {drive.node: (drive,) for drive in self.drives}

    @property
    def lengths(self) -> Array:
        """(6,) true lengths of the legs [m]."""
        pairs = zip(self.setup.axes, self.drives, strict=True)
        return np.array([axis.home + drive.motor.x / axis.per_metre for axis, drive in pairs])

    @property
    def speeds(self) -> Array:
        """(6,) true rates [m/s]."""
        pairs = zip(self.setup.axes, self.drives, strict=True)
        return np.array([drive.motor.v / axis.per_metre for axis, drive in pairs])

    def switch_on(self, now: float) -> None:
        """Power for all drives, which start to boot at a time [s]."""
        for drive in self.drives:
            drive.now = now
            drive.restart()

    def step(self, now: float) -> None:
        """Go on until a time, then take and send what is due."""
        self._handle(self._line.received(MANY), now)

    def serve(self, stop: threading.Event) -> None:
        """Go on with the clock until told to stop, or the bus is closed."""
        try:
            while not stop.is_set():
                frames = self._line.received(MANY, wait=1e-3)
                self._handle(frames, time.monotonic())
        except BusError:
            return

    def close(self) -> None:
        """Leave the bus."""
        self._line.close()

    @contextmanager
    def running(self, prepare: Callable[[], object] = lambda: None) -> Iterator[None]:
        """In a thread, on the clock `time.monotonic`, while the block runs.

        Args:
            prepare: called first in the thread, as for its priority
        """
        self.switch_on(time.monotonic())
        stop = threading.Event()

        def run() -> None:
            prepare()
            self.serve(stop)

        thread = threading.Thread(target=run, name="drives", daemon=True)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()

    def _handle(self, frames: list[Frame], now: float) -> None:
        for drive in self.drives:
            drive.advance(now)
        for frame in frames:
            for drive in self._addressed(frame):
                drive.hear(frame)
        sent = [frame for drive in self.drives for frame in drive.sent]
        for drive in self.drives:
            drive.sent.clear()
        if sent:
            self._line.send(sent)

    def _addressed(self, frame: Frame) -> Sequence[SimulatedDrive]:
        if frame.id in (NMT, SYNC) or frame.id & FUNCTION == HEARTBEAT:
            return self.drives
        return self._by_node.get(frame.id & NODE, ())


def simulated_drive(
    setup: Setup, leg: int, l: float, objects: dict[Object, int] = dictionary.CAN_DRIVE
) -> SimulatedDrive:
    """A drive that fits a set-up; the position 0 of its motor is the reference, where a switch opens.

    Args:
        setup: of the master
        leg: its number, from 0
        l: its length at the beginning [m]
        objects: the drive's, with their values after power-up
    """
    axis = setup.axes[leg]
    ends = sorted(axis.increments(x) for x in (setup.least[leg] - OVERTRAVEL, setup.most[leg] + OVERTRAVEL))
    low = 0.0 if setup.homing_method == 17 else float(ends[0])
    high = 0.0 if setup.homing_method == 18 else float(ends[1])
    motor = Motor(low, high, axis.magnitude(ACCELERATION), axis.magnitude(FASTEST), x=float(axis.increments(l)))
    return SimulatedDrive(axis.node, motor, objects)
