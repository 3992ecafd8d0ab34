"""A motion that is played to a base in simulated time, from the moment at which the base drives."""

from __future__ import annotations

from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import UsageError
from motionbase.executive.host.motions import kind_of_played, motion_of
from motionbase.host.format import Kind
from motionbase.host.url import Played, source_of
from motionbase.record.axes import DOFS
from motionbase.record.states import State
from motionbase.system.runs import Run


@final
class Offline:
    """Host of a `Scenario`: the first sample while the base rises, the motion while it drives, then the last sample.

    Attributes:
        kind: of its frames
        rate: frames per second [Hz]
        duration: of the motion [s]
        begin: time at which it began [s]; None before
    """

    def __init__(self, url: str) -> None:
        source = source_of(url)
        if not isinstance(source, Played) or source.scheme == "ring":
            raise UsageError(f"{url!r} is there in real time only; simulate with file://PATH or manoeuvre://NAME")
        self.kind, self.rate, self._motion = kind_of_played(source), source.rate, motion_of(source)
        self.duration, self.begin = self._motion.duration, None
        if not np.isfinite(self.duration):
            raise UsageError(f"{url!r} has no end; leave loop=yes out")

    begin: float | None

    def __call__(self, t: float) -> Array:
        """The frame of a time [s]."""
        at = 0.0 if self.begin is None else min(max(0.0, t - self.begin), self.duration)
        row = self._motion.row(at)
        assert row is not None
        if self.kind is Kind.VEHICLE:
            return np.array(row)
        frame = np.array(row).reshape(3, len(DOFS))
        if not 0 < at < self.duration:  # it stands
            frame[1:] = 0.0
        return frame

    def look(self, piece: Run) -> None:
        """Begin when the base drives."""
        if self.begin is None and piece["state"][-1] == State.DRIVE:
            self.begin = float(piece.t[-1])
