"""A simulated person beside a simulated machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import UsageError
from motionbase.rig.check.person import Idle
from motionbase.rig.onoff.simulated import SimulatedRig

TAPE = 1e-3  # [m] to which a person reads a tape
LOOKS = 50  # cycles for which a person looks whether a leg stands
VISIBLE = 2e-3  # [m] that a person sees a leg move


@final
class SimulatedPerson:
    """Sees a simulated machine, and answers truthfully."""

    name = "simulated person"

    def __init__(
        self, lengths: Callable[[], Array], rig: SimulatedRig | None = None,
        say: Callable[[str], object] = lambda text: None, tape: float = TAPE,
    ) -> None:  # fmt: skip
        """Stand beside a machine.

        Args:
            lengths: (6,) true lengths [m]
            rig: simulated on/off rig, whose sliders can be moved by hand
            say: takes what the check tells
            tape: to which lengths are read [m]
        """
        self._lengths, self._rig, self._say, self._tape = lengths, rig, say, tape
        self._before = lengths().copy()
        self._slid: dict[int, float] = {}

    def tell(self, text: str) -> None:
        """Pass it on."""
        self._say(text)

    def attend(self, text: str, idle: Idle) -> None:
        """Remember where the legs are; sliders are fitted to their cylinders again."""
        for leg, s in self._slid.items():
            if self._rig is not None:
                self._rig.extensions[leg] = s
        self._slid.clear()
        self._before = self._lengths().copy()

    def agrees(self, question: str, idle: Idle) -> bool:
        """To all that is asked for leave; legs that should stand do."""
        return True

    def which_moved(self, idle: Idle) -> int:
        """The one that moved furthest, if one moved visibly."""
        moved = self.movements()
        return max(moved, key=lambda leg: abs(moved[leg])) if moved else 0

    def movements(self) -> dict[int, float]:
        """How far legs have moved visibly, by leg [m]."""
        gone = self._lengths() - self._before
        return {leg: float(way) for leg, way in enumerate(gone, 1) if abs(way) > VISIBLE}

    def grew(self, leg: int, idle: Idle) -> bool:
        """Whether it did."""
        return bool(self._lengths()[leg - 1] > self._before[leg - 1])

    def stopped(self, leg: int, idle: Idle) -> bool:
        """Whether it stands while one looks."""
        before = self._lengths().copy()
        for _ in range(LOOKS):
            idle()
        return bool(np.abs(self._lengths() - before).max() < VISIBLE)

    def length(self, leg: int, idle: Idle) -> float:
        """As the tape shows it."""
        return round(float(self._lengths()[leg - 1]) / self._tape) * self._tape

    def supply(self, leg: int) -> float:
        """Voltage across a potentiometer [V]."""
        return self._needed.potentiometers[leg - 1].supply

    def slider(self, leg: int, s: float) -> float:
        """Output of a potentiometer at a displacement [m], as a voltmeter shows it [V]."""
        rig = self._needed
        self._slid.setdefault(leg - 1, float(rig.extensions[leg - 1]))
        rig.extensions[leg - 1] = s
        return rig.potentiometers[leg - 1].volts(s)

    @property
    def _needed(self) -> SimulatedRig:
        if self._rig is None:
            raise UsageError("a simulated person has no potentiometers to move on this machine")
        return self._rig
