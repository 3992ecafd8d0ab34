"""A boat's pose as frames for a base that follows poses, as Lin, Hou, Shen and Garcia (2008) sent it."""

from __future__ import annotations

from typing import final

from motionbase.executive.worlds.running import Row, Running
from motionbase.record.axes import DOFS
from motionbase.record.vehicle import VEHICLE
from motionbase.record.world import WORLD

HEIGHT = next(k for k, channel in enumerate(WORLD) if channel.name == "world_z")
ROLL, PITCH = (next(k for k, c in enumerate(VEHICLE) if c.name == f"vehicle_{name}") for name in ("roll", "pitch"))


@final
class Posing:
    """Heave from the boat's start, roll and pitch, each in part; a platform has no room for the rest of its way.

    Rates are left to the receiver, which derives them from positions.

    Args:
        scale: part of each that is sent
    """

    def __init__(self, scale: float) -> None:
        self._scale, self._height = scale, 0.0
        self._begun = False

    def __call__(self, running: Running) -> Row:
        """The newest pose, as frames of poses have it."""
        if not self._begun or running.is_waiting:
            self._height, self._begun = running.row[HEIGHT], True
        heave = self._scale * (running.row[HEIGHT] - self._height)
        roll, pitch = (self._scale * running.vehicle[k] for k in (ROLL, PITCH))
        return (0.0, 0.0, heave, roll, pitch, 0.0, *(0.0,) * (2 * len(DOFS)))
