"""Follows a ring and tells a headset how its platform moves."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import final

from motionbase.arrays import Array
from motionbase.cueing.cueing import HEADS
from motionbase.errors import UsageError, unknown
from motionbase.host.headset import Headset, Motion, Point
from motionbase.host.sending import Sender
from motionbase.platform.load import load_text
from motionbase.record.axes import DERIVATIVES, DOFS
from motionbase.ring.reader import Reader, ReaderState

POSES = ("pose_hat", "cmd")
LOOK_S = 1e-3  # between looks into the ring, so that the age of a record is known
SILENCE_S = 0.25  # without a record: then nothing is sent


@final
class Records:
    """Motions in the records of a ring, as they come.

    Args:
        pose: channels that are taken: the estimate, with the acceleration of the command, or the command
    """

    def __init__(self, ring: str, pose: str = "pose_hat") -> None:
        if pose not in POSES:
            raise unknown("pose", pose, POSES)
        self._reader, self._pose = Reader(ring), pose
        self._epoch = 0
        self._places: list[int] = []

    def new(self) -> list[Motion]:
        """Those since the last call, oldest first."""
        found: list[Motion] = []
        while len(rows := self._reader.read().rows):
            if (header := self._reader.header).epoch != self._epoch:
                self._epoch, self._places = header.epoch, self._found()
            found.extend(motion for row in rows if (motion := self._picked(row)) is not None)
            if self._reader.behind == 0:
                break
        return found

    def _found(self) -> list[int]:
        names = [f"{self._pose}_{dof}{suffix}" for suffix in DERIVATIVES[:2] for dof in DOFS]
        return self._reader.schema.places(["t", *names, *(f"cmd_{dof}_ddot" for dof in DOFS)])

    def _picked(self, row: Array) -> Motion | None:
        t, *numbers = row[self._places].tolist()
        if not all(map(math.isfinite, (t, *numbers))):
            return None
        return Motion(t, tuple(numbers[:6]), tuple(numbers[6:12]), tuple(numbers[12:]))

    def point(self, name: str | None) -> Point | None:
        """A point of the ring's platform, by default the person's head; None while there is no ring."""
        if self._reader.state in (ReaderState.NO_SEGMENT, ReaderState.NOT_INITIALISED):
            return None
        points = load_text(self._reader.header.layout.platform, "the ring's platform").points
        name = name or next((head for head in HEADS if head in points), "eye")
        if name not in points:
            raise UsageError(f"{unknown('point', name, points)}; or give x,y,z in metres")
        x, y, z = points[name]
        return float(x), float(y), float(z)

    def close(self) -> None:
        """Let go of the ring."""
        self._reader.close()


def tell(records: Records, headset: Headset, sender: Sender, rate: float, stopped: Callable[[], bool]) -> None:
    """Send at a fixed rate until told to stop; nothing while no records come."""
    begin, number, heard = time.monotonic(), 0, -math.inf
    while not stopped():
        due = begin + number / rate
        sender.wait(min(LOOK_S, max(0.0, due - time.monotonic())))
        now = time.monotonic()
        for motion in records.new():
            headset.take(motion, now)
            heard = now
        if now < due:
            continue
        if now - heard < SILENCE_S and (frame := headset.frame(now)) is not None:
            sender.send(frame)
        number = max(number + 1, int((now - begin) * rate))
