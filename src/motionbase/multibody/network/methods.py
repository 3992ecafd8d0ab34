"""Implicit two-step methods as data: y_n = a1 y_1 + a2 y_2 + h (b0 y'_n + b1 y'_1 + b2 y'_2), for any ratio of steps.

Masarati, Lanz & Mantegazza 2001: A-stable, of order two, with a spectral radius at infinity that is chosen. y_1 and y_2
are the values one and two steps back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias, final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import SimulationError


class Coefficients(NamedTuple):
    """Weights of a step of length h, of which the last one was h / ratio.

    Attributes:
        a1, a2: of the values one and two steps back
        b0, b1, b2: of the derivatives now, one and two steps back, each times h
        ratio: h over the length of the last step, by which predictions look ahead; 0 predicts no change
    """

    a1: float
    a2: float
    b0: float
    b1: float
    b2: float
    ratio: float

    def row(self, h: float) -> Array:
        """(7,) as the step program takes them: h first."""
        return np.array([h, *self])


@final
@dataclass(frozen=True)
class Multistep:
    """A method of the family.

    Attributes:
        name: as on the command line
        order: of accuracy
        radius: spectral radius at infinity: 0 damps what the step cannot follow at once (L-stable), 1 not at all
        weights: (ratio) -> coefficients
    """

    name: str
    order: int
    radius: float
    weights: Callable[[float], Coefficients]

    def __post_init__(self) -> None:
        for ratio in (0.5, 1.0, 2.0):
            c = self.weights(ratio)
            # exact for y = 1, t and (order 2) t^2, in units of h with t = 0 one step back
            defects = [c.a1 + c.a2 - 1, -c.a2 / ratio + c.b0 + c.b1 + c.b2 - 1]
            if self.order > 1:
                defects.append(c.a2 / ratio**2 + 2 * (c.b0 - c.b2 / ratio) - 1)
            if max(abs(d) for d in defects) > 1e-12:
                raise SimulationError(f"method {self.name!r} is not of order {self.order} at step ratio {ratio:g}")

    def error_over_change(self, ratio: float) -> float:
        """Local error of a step over the correction of its prediction, both of third order in h."""
        c = self.weights(ratio)
        error = 1 / 6 - (-c.a2 / (6 * ratio**3) + c.b0 / 2 + c.b2 / (2 * ratio**2))
        return abs(error) / (c.b0 * 0.5 * (1 + 1 / ratio))

    def start(self) -> Coefficients:
        """The first step has nothing two steps back: the trapezoidal rule, of order two from one value."""
        return trapezoidal_weights(0.0)


def trapezoidal_weights(ratio: float) -> Coefficients:
    """y_n = y_1 + h (y'_n + y'_1) / 2."""
    return Coefficients(1.0, 0.0, 0.5, 0.5, 0.0, ratio)


def ms(radius: float = 0.6) -> Multistep:
    """The method with both roots at infinity equal to `radius` at constant steps; 0 is BDF2."""
    if not 0.0 <= radius <= 1.0:
        raise SimulationError(f"spectral radius is {radius:g}, it must be 0 (most damping) to 1 (none)")

    def weights(ratio: float) -> Coefficients:
        s = (1.0 - radius) ** 2
        D = 2.0 * (1.0 + ratio) - s
        beta = ratio * (s * (2.0 + ratio) + 2.0 * (2.0 * radius - 1.0) * (1.0 + ratio)) / D
        delta = 0.5 * ratio**2 * s / D
        # derivatives are weighted in units of the last step; divided by the ratio they are in units of h
        b0 = (delta / ratio + 0.5 * ratio) / ratio
        b1 = (0.5 * beta + 0.5 * ratio - delta / ratio * (1.0 + ratio)) / ratio
        b2 = (0.5 * beta + delta) / ratio
        return Coefficients(1.0 - beta, beta, b0, b1, b2, ratio)

    return Multistep(f"ms{radius:g}", 2, radius, weights)


BDF2 = Multistep("bdf2", 2, 0.0, ms(0.0).weights)
TRAPEZOIDAL = Multistep("trapezoidal", 2, 1.0, trapezoidal_weights)
IMPLICIT_EULER = Multistep("implicit_euler", 1, 0.0, lambda ratio: Coefficients(1.0, 0.0, 1.0, 0.0, 0.0, ratio))


def first_steps(h: float, counts: Sequence[tuple[int, float]]) -> Iterator[tuple[float, Coefficients]]:
    """Lengths [s] and weights of first steps by BDF2, after the very first, and of one of length h after them.

    Args:
        counts: numbers of steps, and their length over h
    """
    last = 0.0
    for count, part in (*counts, (1, 1.0)):
        for _ in range(count):
            yield part * h, BDF2.weights(part / last) if last else BDF2.start()
            last = part


@final
@dataclass(frozen=True)
class AdaptiveMultistep:
    """A method with steps as long as a tolerance allows: for batch work.

    Attributes:
        tolerance: local error of a step [m, rad], from how far its prediction was off
        shortest: [s] below which a motion counts as one that cannot be followed
    """

    method: Multistep
    tolerance: float = 1e-7
    shortest: float = 1e-9

    def __post_init__(self) -> None:
        if self.method.order < 2:
            raise SimulationError(f"method {self.method.name!r} is of order {self.method.order}: it tells no error")
        if not self.tolerance > 0.0:
            raise SimulationError(f"tolerance is {self.tolerance:g}, it must be positive")

    @property
    def name(self) -> str:
        """Of the method, and that steps vary."""
        return f"{self.method.name}_adaptive"


AnyMultistep: TypeAlias = Multistep | AdaptiveMultistep
METHODS: dict[str, AnyMultistep] = {
    "ms": (MS := Multistep("ms", 2, 0.6, ms(0.6).weights)),
    "bdf2": BDF2,
    "trapezoidal": TRAPEZOIDAL,
    "implicit_euler": IMPLICIT_EULER,
    "ms_adaptive": AdaptiveMultistep(MS),
    "bdf2_adaptive": AdaptiveMultistep(BDF2),
}
