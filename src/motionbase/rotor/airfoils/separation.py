"""Separation of the flow as an airfoil's static table has it, for models of dynamic stall."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array, Flags
from motionbase.compile import Port, Program
from motionbase.compile.primitives import Primitive
from motionbase.rotor.airfoils.airfoil import NEARBY, Airfoil, Coefficient, common_grid, common_table, table_with_slopes

COLUMNS = Port("c", 7, "-", "cl, cd, cm, f, excess, rise, arm")
FARTHEST_ZERO = np.deg2rad(20.0)  # of lift, from zero angle
SLOPE_ANGLES = np.deg2rad(np.arange(1.0, 9.0))  # from zero lift, at which the slope of attached flow is sought
LEAST_SLOPE = 0.1  # [1/rad] below it a section has no attached flow
LEAST_RATIO = 0.25  # of lift over attached lift: Kirchhoff's flow is separated from the leading edge
FULL_EXCESS, NO_EXCESS = np.deg2rad(45.0), np.deg2rad(90.0)
MOMENT_ANGLES = np.deg2rad(30.0)  # from zero lift, within which the arm is fitted
LONGEST_ARM = 0.5  # of the moment, over the chord


@final
@dataclass(frozen=True, eq=False)
class Separation:
    """An airfoil and what its lift says of separation, by Kirchhoff's flow with a free streamline.

    Attributes:
        f: separation point over the chord, 1 attached and 0 separated from the leading edge
        excess: attached less separated lift; the static lift is that of separated flow and f times this
        rise: drag over that at zero lift
        arm: moment over lift of separated flow, over that of attached flow
    """

    airfoil: Airfoil
    f: Coefficient
    excess: Coefficient
    rise: Coefficient
    arm: Coefficient

    @property
    def columns(self) -> tuple[Coefficient, ...]:
        """In the order of `unsteady.Found`."""
        a = self.airfoil
        return a.cl, a.cd, a.cm, self.f, self.excess, self.rise, self.arm

    def at(self, alpha: ArrayLike, mach: ArrayLike) -> Array:
        """(..., 7): cl, cd, cm, f, excess, rise, arm at angles [rad] and Mach numbers."""
        return np.stack([c.at(alpha, mach) for c in self.columns], axis=-1)

    def separated_lift(self, alpha: ArrayLike, mach: ArrayLike) -> Array:
        """Static lift coefficient of fully separated flow, at angles [rad] and Mach numbers."""
        found: Array = self.airfoil.cl.at(alpha, mach) - self.f.at(alpha, mach) * self.excess.at(alpha, mach)
        return found

    def slopes(self, alpha: ArrayLike, mach: ArrayLike) -> Array:
        """(..., 7): slopes by the angle [1/rad], as `lookup` has them."""
        return (self.at(np.asarray(alpha) + NEARBY, mach) - self.at(alpha, mach)) / NEARBY

    @cached_property
    def coefficients(self) -> Primitive:
        """alpha in [-pi, pi], mach -> the seven columns."""
        return common_table("separation", self.columns, COLUMNS)

    @cached_property
    def lookup(self) -> Program:
        """alpha in [-pi, pi], mach -> the seven columns and their slopes by angle [1/rad]."""
        return table_with_slopes("separation", self.coefficients, COLUMNS)


def separation(airfoil: Airfoil) -> Separation:
    """Separation point and separated lift of every angle and Mach number (Hansen, Gaunaa & Madsen 2004).

    With r = cl / (cl_alpha sin(alpha - alpha_0)), Kirchhoff's lift gives f = (2 sqrt(r) - 1)^2 and a separated lift
    that is finite at f = 1 too. Attached flow reaches from zero lift to the first angle with r of a quarter, on either
    side. Beyond, and at a Mach number without lift that rises through zero, f is zero and the separated lift is the
    static one.
    """
    angles, machs = common_grid((airfoil.cl, airfoil.cd, airfoil.cm))
    static = airfoil.at(angles[:, None], machs[None, :])
    columns = np.stack([_separated(angles, *static[:, k].T) for k in range(len(machs))], axis=1)
    return Separation(airfoil, *(Coefficient(angles, machs, columns[..., i]) for i in range(4)))


def _separated(angles: Array, cl: Array, cd: Array, cm: Array) -> Array:
    """(angles, 4): f, excess, rise, arm at one Mach number."""
    nothing = np.zeros_like(cl)
    alpha_0 = _zero_lift(angles, cl)
    if alpha_0 is None:
        return np.stack([nothing] * 4, axis=-1)
    away = np.concatenate([-SLOPE_ANGLES, SLOPE_ANGLES])
    slope = np.max(np.interp(alpha_0 + away, angles, cl) / np.sin(away))
    if slope < LEAST_SLOPE:
        return np.stack([nothing] * 4, axis=-1)

    d = np.pi - np.mod(np.pi - (angles - alpha_0), 2 * np.pi)
    attached = slope * np.sin(d)
    defined = np.abs(np.sin(d)) > 1e-9
    ratio = np.where(defined, cl / np.where(defined, attached, 1.0), 1.0)
    root = np.sqrt(np.clip(ratio, LEAST_RATIO, 1.0))
    f = np.where(_reached(d, ratio > LEAST_RATIO), (2 * root - 1) ** 2, 0.0)
    # attached lift less (cl - f attached) / (1 - f); a lift held that long would be unphysical across the flow
    excess = attached * (1 + 1 / root) / 4 * np.clip((NO_EXCESS - np.abs(d)) / (NO_EXCESS - FULL_EXCESS), 0.0, 1.0)

    rise = cd - np.interp(alpha_0, angles, cd)
    lost, near = cl * (1 - f), np.abs(d) < MOMENT_ANGLES
    moment = cm - np.interp(alpha_0, angles, cm)
    weight = float(np.sum(lost[near] ** 2))
    arm = float(np.sum(moment[near] * lost[near])) / weight if weight > 1e-6 else 0.0
    return np.stack([f, excess, rise, nothing + np.clip(arm, -LONGEST_ARM, LONGEST_ARM)], axis=-1)


def _zero_lift(angles: Array, cl: Array) -> float | None:
    """Angle near zero at which lift rises through zero [rad]."""
    before = np.flatnonzero((cl[:-1] <= 0) & (cl[1:] > 0))
    zeros = angles[before] - cl[before] * (angles[before + 1] - angles[before]) / (cl[before + 1] - cl[before])
    near = zeros[np.abs(zeros) < FARTHEST_ZERO]
    return float(near[np.argmin(np.abs(near))]) if len(near) else None


def _reached(d: Array, attached: Flags) -> Flags:
    """Which angles are attached with all between them and zero lift."""
    found = np.zeros(len(d), bool)
    for side in (np.flatnonzero(d >= 0), np.flatnonzero(d < 0)):
        outwards = side[np.argsort(np.abs(d[side]))]
        found[outwards] = np.logical_and.accumulate(attached[outwards])
    return found
