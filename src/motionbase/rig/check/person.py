"""The person beside a machine: what a check asks, whoever answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

Idle = Callable[[], None]  # one cycle of the rig, so that it is not silent while a person thinks


class Person(Protocol):
    """Sees the machine. Every question calls `idle` again and again until the answer is there.

    Legs are numbered from 1 here.
    """

    @property
    def name(self) -> str:
        """For the report."""
        ...

    def tell(self, text: str) -> None:
        """Say something that needs no answer."""
        ...

    def attend(self, text: str, idle: Idle) -> None:
        """Wait until the person is ready for what the text says."""
        ...

    def agrees(self, question: str, idle: Idle) -> bool:
        """Yes or no."""
        ...

    def which_moved(self, idle: Idle) -> int:
        """The leg that moved since `attend`; 0 for none."""
        ...

    def grew(self, leg: int, idle: Idle) -> bool:
        """Whether it became longer by that."""
        ...

    def stopped(self, leg: int, idle: Idle) -> bool:
        """Whether it stopped at once, and stands."""
        ...

    def length(self, leg: int, idle: Idle) -> float:
        """Measured with a tape, from joint to joint [m]."""
        ...

    def supply(self, leg: int) -> float:
        """Voltage across the potentiometer of a leg [V]."""
        ...

    def slider(self, leg: int, s: float) -> float:
        """Move the slider of a potentiometer to a displacement [m] and measure its output [V]."""
        ...
