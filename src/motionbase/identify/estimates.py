"""What identification found: values with their uncertainty, and what the motion did not show."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

from motionbase.identify.regression import Interval

GROUPS = ("friction", "flow", "leakage", "oil", "valve", "drive", "mass", "delay")
WIDEST = 0.5  # of the value: half of a wider interval says that the motion does not show the parameter
PER_SAMPLE = 1.0  # [1/s] of the value for each second between samples: what they blur of reversals
LEVEL = 1e-3  # of the value: what filter and model leave at best


@final
@dataclass(frozen=True)
class Estimate:
    """One parameter.

    Attributes:
        key: in the platform's file, such as actuator.friction.coulomb; one that is not in the file has no dot
        unit: SI
        value, half: and half the width of its 95 % interval
        nominal: of the platform from which identification started; None if it has none
        written: whether a preset gets the value
        legs: the same of each leg alone, where legs can be told apart
    """

    group: str
    key: str
    unit: str
    value: float
    half: float
    nominal: float | None = None
    written: bool = True
    legs: tuple[Interval, ...] = ()

    @property
    def ratio(self) -> float | None:
        """Value over nominal; None without a nominal one."""
        return self.value / self.nominal if self.nominal else None

    @property
    def relative(self) -> float:
        """Half width over value."""
        return self.half / abs(self.value) if self.value else math.inf


@final
@dataclass(frozen=True)
class Hidden:
    """A parameter that this motion does not show.

    Attributes:
        why: a sentence with what would show it
    """

    group: str
    key: str
    why: str


Finding = Estimate | Hidden


def finding(
    group: str,
    key: str,
    unit: str,
    found: Interval,
    nominal: float | None,
    excite: str,
    *,
    legs: tuple[Interval, ...] = (),
    level: float = LEVEL,
    widest: float | None = None,
    written: bool = True,
    positive: bool = True,
) -> Finding:
    """An estimate, or the reason why there is none.

    Args:
        excite: what motion shows the parameter
        level: of the value: what even the best recording leaves
        widest: half width from which on the parameter counts as not shown; by default a part of the value
        positive: whether a value at or below zero makes no sense
    """
    half = math.hypot(found.half, level * found.value)
    limit = WIDEST * abs(found.value) if widest is None else widest
    if not math.isfinite(half) or half > limit or (positive and found.value <= 0):
        text = f"{found.value:.3g} +- {half:.2g} {unit}".rstrip(" -")
        return Hidden(group, key, f"not identifiable from this motion ({text}): {excite}")
    return Estimate(group, key, unit, found.value, half, nominal, written, legs)


def digits(value: float, half: float) -> str:
    """The value with as many digits as its interval has meaning for: one more than the first of the half width."""
    if not half or not value:
        return rounded(value, 4)
    count = math.floor(math.log10(abs(value))) - math.floor(math.log10(half)) + 2 if abs(value) > half else 2
    return rounded(value, min(max(count, 2), 7))


def rounded(x: float, count: int) -> str:
    """A number with so many digits; without an exponent below a million."""
    text = f"{x:.{count}g}"
    return f"{float(text):.7g}" if abs(x) < 1e6 else text
