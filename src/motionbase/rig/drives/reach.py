"""What a master's drive needs of a bus: its objects, read and written in steps so that a cycle never waits for them."""

from __future__ import annotations

from collections.abc import Generator
from typing import Protocol

from motionbase.errors import MotionBaseError
from motionbase.record.rig import RigFault
from motionbase.rig.drives.profile import Object

Script = Generator[None, None, None]  # runs to the next `yield` in every cycle
TRANSFER_TIME = 0.1  # for an answer [s]


class BusError(MotionBaseError):
    """The bus cannot send or receive; the message says why."""


class Failed(Exception):
    """A script cannot go on; the message is for people."""

    def __init__(self, fault: RigFault, why: str) -> None:
        super().__init__(why)
        self.fault = fault


class Reach(Protocol):
    """The way to one drive, beside the targets and positions of each cycle. Scripts raise `Failed`."""

    now: float  # time of the cycle [s]

    def write(self, entry: Object, value: int) -> Script:
        """Set an object."""
        ...

    def read(self, entry: Object) -> Generator[None, None, int]:
        """The value of an object."""
        ...

    def connect(self) -> Generator[None, None, bool]:
        """Write all settings and start the exchange of targets and positions.

        Returns:
            whether the drive had kept settings of before; otherwise it was restarted and has lost its reference
        """
        ...

    def ask(self) -> None:
        """Ask for a sign of life."""
        ...
