"""Tables that parts of a network take values from, between two expressions: an expression has no tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import casadi as ca

from motionbase.arrays import Array
from motionbase.compile import for_each
from motionbase.compile.programs import Unit
from motionbase.spatial.rotations import Expr


@final
@dataclass(frozen=True, eq=False)
class Tabled:
    """What a part looks up at each of its points.

    Attributes:
        points: how many
        outputs: values at each
        values: (arguments) -> (outputs,)
        with_slopes: (arguments) -> (outputs,) values, (outputs,) slopes by the first argument, the only one that the
            Jacobian takes account of
        numbers: (points, arguments) -> (points, outputs) values, (points, outputs) slopes, for starts
    """

    points: int
    outputs: int
    values: Unit
    with_slopes: Unit
    numbers: Callable[[Array], tuple[Array, Array]]

    @property
    def sizes(self) -> tuple[int, int]:
        """Of all values, and of all slopes."""
        return self.points * self.outputs, self.points * self.outputs

    def looked_up(self, asked: Expr, slopes: bool) -> list[Expr]:
        """All values, those of each point together; and all slopes, or zeros where they are not wanted."""
        rows = ca.SX(ca.reshape(asked, -1, self.points)).T
        columns = [rows[:, k] for k in range(rows.shape[1])]
        if slopes:
            values, steepness = for_each(lambda *row: self.with_slopes(*row), *columns)  # type: ignore[operator]
            return [ca.vec(values.T), ca.vec(steepness.T)]
        return [ca.vec(for_each(lambda *row: self.values(*row), *columns).T), ca.SX.zeros(self.sizes[1])]  # type: ignore[operator]

    def slope_matrix(self, slopes: Expr) -> Expr:
        """(values, points) derivative of all values by the first argument of each point."""
        rows = list(range(self.sizes[0]))
        return ca.SX.triplet(rows, [k // self.outputs for k in rows], slopes, self.sizes[0], self.points)
