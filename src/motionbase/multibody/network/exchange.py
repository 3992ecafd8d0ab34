"""Numbers that parts share from step to step: they tell theirs at the end of a step, and read what follows in the next.

For what all blades of a rotor do together to the air: its own unknowns would join every part with every other one. A
method of second order in time keeps the order of the whole (Adams and Bashforth's, see `extrapolated`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

from motionbase.multibody.network.nodes import Place
from motionbase.spatial.rotations import Expr


class End(NamedTuple):
    """What an exchange sees at the end of a step.

    Attributes:
        h: length of the step [s]
        told: sum of what the parts told
        place: of its node
        inputs: values of its inputs
        shared: the numbers that parts read, as they were in the step
        memory: of its own
    """

    h: Expr
    told: Expr
    place: Place
    inputs: Expr
    shared: Expr
    memory: Expr


class AbstractExchange(ABC):
    """What makes of the numbers told those that are read.

    Attributes:
        node: whose place it sees; None is the ground
    """

    name: str
    node: int | None

    @property
    @abstractmethod
    def shared(self) -> dict[str, float]:
        """Inputs that it gives to parts, with their values at the start."""

    @property
    @abstractmethod
    def memory(self) -> tuple[float, ...]:
        """Its own memory at the start."""

    @property
    @abstractmethod
    def learns(self) -> int:
        """How many numbers a part tells."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """Inputs that it reads, each one number."""
        return ()

    @abstractmethod
    def after(self, end: End) -> tuple[Expr, Expr]:
        """What parts read in the next step, and its memory."""


def extrapolated(value: Expr, rate: Expr, before: Expr, h: Expr) -> Expr:
    """The value one step on, from its rate now and one step back (Adams and Bashforth, order 2)."""
    return value + h * (1.5 * rate - 0.5 * before)
