"""Simulated controllers in a process of its own, behind pseudo terminals that meet their clients in a folder."""

from __future__ import annotations

from pathlib import Path
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import UsageError
from motionbase.rig.place import meeting_point
from motionbase.rig.serial.setup import LEGS, Kind, Setup
from motionbase.rig.serial.simulated import SimulatedEsp32, SimulatedSmc3
from motionbase.rig.serial.terminal import Terminal

LONGEST_GAP = 1.0  # [s] that is caught up after a pause, as after a suspension of the computer


def terminal_names(kind: Kind) -> tuple[str, ...]:
    """Names of the serial devices in the folder, one for each controller, in the order of the legs."""
    return tuple(f"tty{k}" for k in range(LEGS // kind.legs))


@final
class SerialMachine:
    """Plays the controllers of six legs in real time. `serial_legs(setup, paths)` opens their terminals.

    Attributes:
        boards: simulated controllers, in which faults can be put
        terminals: their lines, which can be unplugged
        paths: of the devices
    """

    period = 1e-3

    def __init__(self, folder: Path, setup: Setup, lengths: Array) -> None:
        """Open the terminals in a folder of mode 0700, with legs of these lengths (6,) [m]."""
        n = setup.kind.legs
        make = SimulatedSmc3 if setup.kind is Kind.SMC3 else SimulatedEsp32
        if lengths.shape != (LEGS,) or not ((setup.least <= lengths) & (lengths <= setup.most)).all():
            raise UsageError(
                f"simulated {setup.kind.value}: legs of {np.round(lengths, 4).tolist()} m cannot be its start, "
                f"it takes six lengths from {setup.least.tolist()} to {setup.most.tolist()} m"
            )
        self.boards = [make(setup.axes[k : k + n], lengths[k : k + n], seed=k) for k in range(0, LEGS, n)]
        self.paths = [meeting_point(folder, name) for name in terminal_names(setup.kind)]
        self.terminals: list[Terminal] = []
        try:
            for board, path in zip(self.boards, self.paths, strict=True):
                self.terminals.append(Terminal(board, path))
        except BaseException:
            self.close()
            raise
        self._now: float | None = None
        self._origin = 0.0

    @property
    def lengths(self) -> Array:
        """(6,) true lengths of the legs [m]."""
        return np.concatenate([board.lengths for board in self.boards])

    def advance(self, now: float) -> None:
        """Obey what has come, move on until a time [s], and answer."""
        if self._now is None:
            self._origin = now
        else:
            self._origin += max(now - self._now - LONGEST_GAP, 0.0)
        self._now = now
        for terminal in self.terminals:
            terminal.exchange(now - self._origin)

    def close(self) -> None:
        """Unplug it; a second call does nothing."""
        for terminal in self.terminals:
            terminal.unplug()
