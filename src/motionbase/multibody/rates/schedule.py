"""How often each part of the equations of motion is updated."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import final

from motionbase.compile.options import whole_number
from motionbase.errors import ModelError

LARGEST_PERIOD = 1000  # base steps; each of them is a case of one switch


@final
@dataclass(frozen=True)
class Rates:
    """Number of base steps between updates of each part; None keeps the initial value.

    Between updates a part is held. Elastic forces and the equations of closures are not in the list: they are stiff,
    so they are updated at every step.

    Attributes:
        mass: mass matrix and its factors; with closures, those of the whole saddle-point system
        nonlinear: velocity terms and gravity (one pass over the tree)
        external: forces at points, and generalised forces
        joint: tau and the elements within joints
    """

    mass: int | None = 1
    nonlinear: int | None = 1
    external: int | None = 1
    joint: int | None = 1

    def __post_init__(self) -> None:
        for name, every in self.by_name.items():
            if every is None:
                continue
            number = whole_number("rates", name, every, ModelError)
            if number < 1:
                raise ModelError(
                    f"rates: {name} is {number}, must be 1 or more base steps, or None to keep the start's"
                )
            object.__setattr__(self, name, number)
        if self.period > LARGEST_PERIOD:
            raise ModelError(
                f"rates: {self} repeats after {self.period} base steps, {LARGEST_PERIOD} is the most; choose numbers "
                "that divide each other"
            )

    @classmethod
    def of(cls, numbers: Mapping[str, int | None]) -> Rates:
        """From numbers by name; parts without a number are updated at every step."""
        known = [f.name for f in fields(cls)]
        for name in numbers:
            if name not in known:
                raise ModelError(f"rates: no part {name!r}; parts: {', '.join(known)}")
        return cls(**numbers)

    @property
    def by_name(self) -> dict[str, int | None]:
        """The number of every part."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @property
    def period(self) -> int:
        """Base steps after which the schedule repeats."""
        return math.lcm(*(n for n in self.by_name.values() if n is not None))

    def due(self, tick: int) -> tuple[str, ...]:
        """Parts updated at a step, counted from the start."""
        return tuple(name for name, every in self.by_name.items() if every is not None and tick % every == 0)

    def __str__(self) -> str:
        return "/".join("start" if n is None else str(n) for n in self.by_name.values())
