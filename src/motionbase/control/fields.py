"""Named fields of a vector: parameters and state of the control law are each one port, read by name."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from motionbase.compile import Port
from motionbase.compile.reference import Reference
from motionbase.errors import PortError

Vector: TypeAlias = NDArray[np.float64]
MIXED = "SI, mixed"  # the comma tells the compiler that parts of such a port may have any unit


@final
@dataclass(frozen=True)
class Field:
    """A part of a vector: `size` numbers, what they are at first, and columns if it is a matrix (row by row).

    Attributes:
        initial: one number for all, a number for each, or the columns of every row
        tunable: people may change it while the law runs, each number from `least` to `most`
        at_rest: only while the base rests
        least, most: one number for all, or a number for each
    """

    name: str
    size: int
    unit: str
    description: str
    initial: float | tuple[float, ...] = 0.0
    columns: int = 0
    tunable: bool = False
    least: float | tuple[float, ...] = -math.inf
    most: float | tuple[float, ...] = math.inf
    at_rest: bool = False

    def __post_init__(self) -> None:
        for what in ("initial", "least", "most"):
            if (given := np.size(getattr(self, what))) not in (1, self.size, self.columns):
                raise PortError(f"field {self.name!r}: {what} has {given} numbers, 1 or {self.size} are wanted")
        if not self.tunable:
            return
        least, values, most = self.bounds[0], self.values, self.bounds[1]
        for k in range(self.size):
            if not (np.isfinite([least[k], most[k]]).all() and least[k] <= values[k] <= most[k]):
                raise PortError(
                    f"field {self.name!r}: its value is {values[k]:.6g} {self.unit}, and its bounds are {least[k]:.6g} "
                    f"and {most[k]:.6g}; a tunable one needs finite bounds around its value"
                )

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows and columns, where it has columns."""
        return (self.size // self.columns, self.columns) if self.columns else (self.size,)

    @property
    def values(self) -> Vector:
        """What the numbers are at first."""
        return self._spread(self.initial)

    @property
    def bounds(self) -> tuple[Vector, Vector]:
        """Least and greatest value of each number."""
        return self._spread(self.least), self._spread(self.most)

    def _spread(self, numbers: float | tuple[float, ...]) -> Vector:
        given = np.asarray(numbers, dtype=np.float64)
        shape = self.shape if given.size == self.columns else (self.size,)
        return np.broadcast_to(given, shape).reshape(self.size).copy()


@final
@dataclass(frozen=True)
class Fields:
    """Fields one after the other in one vector."""

    fields: tuple[Field, ...]

    @cached_property
    def starts(self) -> dict[str, int]:
        """Where each field begins."""
        ends = np.cumsum([0, *(f.size for f in self.fields)])
        return {f.name: int(start) for f, start in zip(self.fields, ends, strict=False)}

    @property
    def size(self) -> int:
        """Numbers in all."""
        return sum(f.size for f in self.fields)

    def field(self, name: str) -> Field:
        """The field of that name."""
        for field in self.fields:
            if field.name == name:
                return field
        raise PortError(f"no field {name!r}; fields: {', '.join(f.name for f in self.fields)}")

    def port(self, name: str, description: str) -> Port:
        """The vector as a port."""
        return Port(name, self.size, MIXED, description)

    def place(self, vector: Reference, name: str) -> Reference:
        """A field's place in the vector, in its shape; a single number is a scalar."""
        field, start = self.field(name), self.starts[name]
        if field.size == 1:
            return vector[start]
        return replace(vector[start : start + field.size], shape=field.shape)

    def part(self, vector: Vector, name: str) -> Vector:
        """A field's numbers in an array of vectors, whose last axis is the vector; a view."""
        start = self.starts[name]
        return vector[..., start : start + self.field(name).size]

    def vector(self, values: Mapping[str, ArrayLike] | None = None) -> Vector:
        """The initial numbers, some of them replaced by name."""
        out = np.concatenate([f.values for f in self.fields])
        for name, value in (values or {}).items():
            field = self.field(name)
            given = np.asarray(value, dtype=np.float64)
            if given.size not in (1, field.size):
                raise PortError(f"field {name!r} has {field.size} numbers, {given.size} were given")
            self.part(out, name)[:] = given.ravel()
        return out
