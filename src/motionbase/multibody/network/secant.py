"""Corrections with a Jacobian of the wrong side: where something begins to stick, to slide or to touch within a step.

The secant method. What the last correction did to the residual tells how much steeper it is than the Jacobian says.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias, final

import casadi as ca

from motionbase.multibody.network.assembly import Assembly
from motionbase.spatial.rotations import Expr

Solve: TypeAlias = Callable[[Expr], Expr]  # the Jacobian's answer to a residual
TINY = 1e-200  # so that 0 / 0 is 1
FLATTEST, STEEPEST = 0.3, 5.0


class AbstractSecant(ABC):
    """How a correction follows from the residual, and what it takes from the one before."""

    @abstractmethod
    def start(self) -> tuple[Expr, ...]:
        """What there is before the first correction with a Jacobian."""

    @abstractmethod
    def correction(self, solve: Solve, r: Expr, last: Sequence[Expr]) -> tuple[Expr, ...]:
        """The correction, to be subtracted, and what the next one takes."""


@final
@dataclass(frozen=True)
class Plain(AbstractSecant):
    """As the Jacobian says: for what is smooth."""

    def start(self) -> tuple[Expr, ...]:
        """Nothing."""
        return ()

    def correction(self, solve: Solve, r: Expr, last: Sequence[Expr]) -> tuple[Expr, ...]:
        """The solution."""
        return (solve(r),)


@final
@dataclass(frozen=True)
class RowSecant(AbstractSecant):
    """Of single rows, each a function of little more than its own multiple of the correction: bristles of joints.

    Attributes:
        rows: which
    """

    rows: tuple[int, ...]

    def start(self) -> tuple[Expr, ...]:
        """Number of corrections, the rows' last values, and what was taken of them."""
        return ca.SX(0), ca.SX.zeros(len(self.rows)), ca.SX.zeros(len(self.rows))

    def correction(self, solve: Solve, r: Expr, last: Sequence[Expr]) -> tuple[Expr, ...]:
        """More or less than its value of each row; what the first one did to it is the work of all rows, though."""
        (count, before, taken), rows = last, list(self.rows)
        slope = ca.if_else(count > 1, _bounded((before - r[rows] + TINY) / (taken + TINY)), 1)
        right, now = ca.SX(r), r[rows] / slope
        right[rows] = now
        return solve(right), count + 1, r[rows], now


@final
@dataclass(frozen=True)
class LineSecant(AbstractSecant):
    """Along the last correction, for what stands in no row of its own: contacts, stops, laws of users.

    Where one of them begins to act, the Jacobian is wrong in one direction alone: all later corrections point one way,
    and differ from the right ones by one factor.

    Attributes:
        size: of the system
    """

    size: int

    def start(self) -> tuple[Expr, ...]:
        """The last correction as it was made, and as the Jacobian asked for it."""
        return ca.SX.zeros(self.size), ca.SX.zeros(self.size)

    def correction(self, solve: Solve, r: Expr, last: Sequence[Expr]) -> tuple[Expr, ...]:
        """More or less than the Jacobian asks for; 1 for the first one."""
        (made, asked), step = last, solve(r)
        taken = step / _bounded((ca.dot(asked - step, made) + TINY) / (ca.sumsqr(made) + TINY))
        return taken, taken, step


def secant_for(assembly: Assembly) -> AbstractSecant:
    """What the parts of a network need."""
    if not assembly.kinked:
        return Plain()
    rows = assembly.kinked_rows
    return LineSecant(assembly.size) if rows is None else RowSecant(rows)


def _bounded(slope: Expr) -> Expr:
    return ca.fmin(ca.fmax(slope, FLATTEST), STEEPEST)
