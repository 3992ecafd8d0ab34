"""Airfoils: coefficients of lift, drag and moment over angle of attack and Mach number, and their compiled lookup."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array, Indices
from motionbase.compile import Port, Program, table
from motionbase.compile.primitives import Primitive
from motionbase.errors import ModelError

LARGEST = 1e3  # of a coefficient: no airfoil has more, and a file that says so is damaged
NEARBY = 1e-4  # [rad] between the two angles from which slopes are taken
ALPHA, MACH = Port("alpha", (), "rad", "angle of attack"), Port("mach", (), "-", "Mach number")
COEFFICIENTS = Port("c", 3, "-", "cl, cd, cm")


@final
@dataclass(frozen=True, eq=False)
class Coefficient:
    """One coefficient as a table, linear between its points.

    Attributes:
        angles: of attack, increasing, from -pi to pi [rad]
        machs: Mach numbers, increasing from zero or more; beyond them the nearest holds
        values: (angles, machs) [-]
    """

    angles: Array
    machs: Array
    values: Array

    def __post_init__(self) -> None:
        for name, axis in (("angles", self.angles), ("machs", self.machs)):
            if axis.ndim != 1 or not np.all(np.isfinite(axis)) or not np.all(np.diff(axis) > 0):
                raise ModelError(f"airfoil: its {name} must be finite and increasing")
        if len(self.machs) < 1 or self.machs[0] < 0:
            raise ModelError("airfoil: one Mach number or more is needed, none below zero")
        if len(self.angles) < 2 or abs(self.angles[0] + np.pi) > 1e-9 or abs(self.angles[-1] - np.pi) > 1e-9:
            first, last = np.rad2deg(self.angles[[0, -1]]) if len(self.angles) else (np.nan, np.nan)
            raise ModelError(f"airfoil: its angles go from {first:g} to {last:g} degrees, must be -180 to 180")
        if self.values.shape != (len(self.angles), len(self.machs)):
            raise ModelError(
                f"airfoil: values of shape {self.values.shape} for {len(self.angles)} angles and "
                f"{len(self.machs)} Mach numbers"
            )
        if not np.all(np.abs(self.values) <= LARGEST):  # not for NaN either
            raise ModelError(f"airfoil: a coefficient is not finite or beyond {LARGEST:g}")

    def at(self, alpha: ArrayLike, mach: ArrayLike) -> Array:
        """Values at angles [rad] and Mach numbers, broadcast against each other."""
        alpha, mach = np.broadcast_arrays(np.asarray(alpha, np.float64), np.asarray(mach, np.float64))
        turned = np.where(np.abs(alpha) <= np.pi, alpha, np.pi - np.mod(np.pi - alpha, 2 * np.pi))
        (i, j, along), (k, m, across) = _located(self.angles, turned), _located(self.machs, mach)
        left = (1 - across) * self.values[i, k] + across * self.values[i, m]
        right = (1 - across) * self.values[j, k] + across * self.values[j, m]
        found: Array = (1 - along) * left + along * right
        return found


def _located(axis: Array, x: Array) -> tuple[Indices, Indices, Array]:
    """Both ends of an interval, and the fraction along it; beyond the axis its ends hold."""
    inside, last = np.clip(x, axis[0], axis[-1]), len(axis) - 1
    k = np.clip(np.searchsorted(axis, inside, side="right") - 1, 0, max(last - 1, 0))
    after = np.minimum(k + 1, last)
    return k, after, (inside - axis[k]) / np.where(after > k, axis[after] - axis[k], 1.0)


@final
@dataclass(frozen=True, eq=False)
class Airfoil:
    """Lift, drag and moment about the quarter chord, each with its own grid.

    Attributes:
        cl, cd, cm: of lift, drag and nose-up moment
    """

    name: str
    cl: Coefficient
    cd: Coefficient
    cm: Coefficient

    def at(self, alpha: ArrayLike, mach: ArrayLike) -> Array:
        """(..., 3): cl, cd, cm at angles [rad] and Mach numbers."""
        return np.stack([c.at(alpha, mach) for c in (self.cl, self.cd, self.cm)], axis=-1)

    def slopes(self, alpha: ArrayLike, mach: ArrayLike) -> Array:
        """(..., 3): slopes by the angle [1/rad], as `lookup` has them."""
        return (self.at(np.asarray(alpha) + NEARBY, mach) - self.at(alpha, mach)) / NEARBY

    @cached_property
    def coefficients(self) -> Primitive:
        """alpha in [-pi, pi], mach -> (cl, cd, cm)."""
        return common_table("airfoil", (self.cl, self.cd, self.cm), COEFFICIENTS)

    @cached_property
    def lookup(self) -> Program:
        """alpha in [-pi, pi], mach -> (cl, cd, cm) and their slopes by angle [1/rad]."""
        return table_with_slopes("airfoil", self.coefficients, COEFFICIENTS)


def common_grid(coefficients: Sequence[Coefficient]) -> tuple[Array, Array]:
    """Angles and Mach numbers of all."""
    angles, machs = (
        np.unique(np.concatenate([getattr(c, axis) for c in coefficients])) for axis in ("angles", "machs")
    )
    return angles, machs


def common_table(name: str, coefficients: Sequence[Coefficient], output: Port) -> Primitive:
    """alpha in [-pi, pi], mach -> all coefficients: one table on all points of their grids, with their values."""
    angles, machs = common_grid(coefficients)
    if len(machs) == 1:
        machs = np.array([machs[0], machs[0] + 1.0])
    values = np.stack([c.at(angles[:, None], machs[None, :]) for c in coefficients], axis=-1)
    return table(f"{name}_table", (angles, machs), values, inputs=(ALPHA, MACH), output=output)


def table_with_slopes(name: str, coefficients: Primitive, output: Port) -> Program:
    """alpha in [-pi, pi], mach -> what the table has, and its slopes by angle [1/rad].

    Slopes are taken over a small angle ahead: a table has kinks, and only the corrections of a step depend on them.
    """

    def looked_up(alpha: ca.SX, mach: ca.SX) -> tuple[ca.SX, ca.SX]:
        here, ahead = coefficients(alpha, mach), coefficients(alpha + NEARBY, mach)
        return here, (ahead - here) / NEARBY

    slopes = Port("slopes", output.size, "1/rad", "of c by the angle")
    return Program(f"{name}_lookup", (ALPHA, MACH), (output, slopes), looked_up)
