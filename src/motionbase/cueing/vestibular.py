"""What people feel of a motion: models of the organs of balance, discretised exactly for a signal linear in each tick.

Otoliths: 0.4 (10 s + 1) / ((5 s + 1) (0.016 s + 1)); semicircular canals: 5.73 * 80 s^2 (0.06 s + 1) / ((80 s + 1)
(5.73 s + 1) (0.005 s + 1)), after Telban and Cardullo. Both work on differences from rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Struct, for_each, q
from motionbase.compile.struct import MIXED
from motionbase.cueing.samples import GRAVITY

SX = ca.SX
THRESHOLDS = (0.17, 0.17, 0.28, *np.radians([3.0, 3.6, 2.6]).tolist())  # m/s^2 along x, y, z; rad/s about x, y, z


@final
@dataclass(frozen=True)
class Organ:
    """A transfer function with real poles, all different, and as many zeros as poles or fewer.

    Attributes:
        numerator: highest power first
        time_constants: one for each pole [s]
    """

    numerator: tuple[float, ...]
    time_constants: tuple[float, ...]

    @cached_property
    def poles(self) -> Array:
        """[rad/s]"""
        return -1 / np.asarray(self.time_constants)

    @cached_property
    def denominator(self) -> Array:
        """Highest power first."""
        product = np.ones(1)
        for T in self.time_constants:
            product = np.asarray(np.polymul(product, [T, 1.0]))
        return product

    @cached_property
    def direct(self) -> float:
        """What comes through at once."""
        return self.numerator[0] / self.denominator[0] if len(self.numerator) == len(self.denominator) else 0.0

    @cached_property
    def residues(self) -> Array:
        """Numerator of each pole's part."""
        rest = np.polysub(np.asarray(self.numerator), self.direct * self.denominator)
        return np.polyval(rest, self.poles) / np.polyval(np.polyder(self.denominator), self.poles)

    def step(self, h: float) -> tuple[Array, Array, Array]:
        """How each pole's part decays in a step, and its gain for the input at the step's beginning and end."""
        decay = np.exp(self.poles * h)
        mean = np.expm1(self.poles * h) / (self.poles * h)
        return decay, (decay - mean) / self.poles, (mean - 1) / self.poles


OTOLITH = Organ((4.0, 0.4), (5.0, 0.016))
CANAL = Organ((5.73 * 80 * 0.06, 5.73 * 80, 0.0, 0.0), (80.0, 5.73, 0.005))


class Otolith(Struct):
    """Parts of one axis."""

    u: SX = q("m/s^2", text="input a tick ago")
    z: SX = q(MIXED, 2, "a part for each pole")


class Canal(Struct):
    """Parts of one axis."""

    u: SX = q("rad/s", text="input a tick ago")
    z: SX = q(MIXED, 3, "a part for each pole")


class Feeling(Struct):
    """State of the organs of a person in the vehicle, then of one on the platform."""

    otoliths: Otolith = q(of=Otolith, rows=6)
    canals: Canal = q(of=Canal, rows=6)


def sensed(organ: Organ, dt: float, kind: Any, x: Any, u: SX) -> Any:
    """State after a tick, and what is felt."""
    decay, begin, end = organ.step(dt)
    z = [float(decay[k]) * x.z[k] + float(begin[k]) * x.u + float(end[k]) * u for k in range(len(decay))]
    y = organ.direct * u + sum(float(c) * part for c, part in zip(organ.residues, z, strict=True))
    return kind(u=u, z=ca.vertcat(*z)), y


def feelings(dt: float, x: Feeling, vehicle: SX, cue: SX) -> tuple[Feeling, SX, SX]:
    """State after a tick, and what people in the vehicle and on the platform feel of these forces and rates."""
    forces = ca.vertcat(vehicle[:3] - GRAVITY, cue[:3] - GRAVITY)
    rates = ca.vertcat(vehicle[3:], cue[3:])
    otoliths, f = for_each(lambda x, u: sensed(OTOLITH, dt, Otolith, x, u), x.otoliths, forces)
    canals, omega = for_each(lambda x, u: sensed(CANAL, dt, Canal, x, u), x.canals, rates)
    return Feeling(otoliths, canals), ca.vertcat(f[:3], omega[:3]), ca.vertcat(f[3:], omega[3:])


def difference(vehicle: SX, cue: SX) -> SX:
    """Difference of two feelings: root mean square over the six, each in thresholds of perception."""
    return ca.sqrt(ca.sumsqr((vehicle - cue) / ca.DM(THRESHOLDS)) / 6)
