"""References: places in a program's buffers, indexed like arrays by numbers and loop indices."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import final

from motionbase.compile.options import whole_number
from motionbase.compile.routine import Address
from motionbase.errors import PortError


@final
@dataclass(frozen=True)
class Index:
    """A loop's index, or a whole multiple of it plus a shift: `2 * i + 1`."""

    number: int
    count: int
    scale: int = 1
    shift: int = 0

    def __add__(self, other: int) -> Index:
        return replace(self, shift=self.shift + other)

    __radd__ = __add__

    def __sub__(self, other: int) -> Index:
        return self + (-other)

    def __mul__(self, other: int) -> Index:
        return replace(self, scale=self.scale * other, shift=self.shift * other)

    __rmul__ = __mul__

    @property
    def range(self) -> tuple[int, int]:
        """Smallest and largest value over the loop."""
        ends = (self.shift, self.shift + self.scale * (self.count - 1))
        return min(ends), max(ends)


@final
@dataclass(frozen=True)
class Reference:
    """A contiguous place in a buffer; indexing picks rows first, as in NumPy.

    Attributes:
        buffer: number of the buffer (ports first, then the program's own)
        strides: (loop number, elements a step) of each loop the place moves with
        unit: the port's; None where it may be any: a local buffer, a constant, a part of a port of several units
    """

    name: str
    buffer: int
    shape: tuple[int, ...]
    writable: bool
    offset: int = 0
    strides: tuple[tuple[int, int], ...] = ()
    unit: str | None = None

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    def address(self) -> Address:
        """The place as renderers see it."""
        return Address(self.buffer, self.offset, self.strides)

    def __getitem__(self, key: int | Index | slice | tuple[int | Index | slice, ...]) -> Reference:
        place = replace(self, unit=None) if "," in (self.unit or "") else self  # "m, rad": which part has which?
        keys = key if isinstance(key, tuple) else (key,)
        for k, part in enumerate(keys):
            last = k == len(keys) - 1
            if isinstance(part, slice):
                if not last:
                    raise PortError(f"{self}: only the last index may be a slice, so that the place is contiguous")
                return place._rows(part)
            place = place._row(part)
        return place

    def _row(self, index: int | Index) -> Reference:
        if not self.shape:
            raise PortError(f"{self}: a single number cannot be indexed")
        count, rest = self.shape[0], self.shape[1:]
        width = math.prod(rest)
        if isinstance(index, Index):
            low, high = index.range
        else:
            index = whole_number(str(self), "an index", index, PortError)
            low = high = index = index + count if -count <= index < 0 else index
        if low < 0 or high >= count:
            reach = str(low) if low == high else f"{low} to {high}"
            raise PortError(f"{self}: index {reach} is outside 0 to {count - 1}")
        if isinstance(index, Index):
            strides = dict(self.strides)
            strides[index.number] = strides.get(index.number, 0) + index.scale * width
            moved = tuple(sorted(strides.items()))
            return replace(self, shape=rest, offset=self.offset + index.shift * width, strides=moved)
        return replace(self, shape=rest, offset=self.offset + index * width)

    def _rows(self, rows: slice) -> Reference:
        if not self.shape:
            raise PortError(f"{self}: a single number cannot be indexed")
        start, stop, step = rows.indices(self.shape[0])
        if step != 1:
            raise PortError(f"{self}: a slice has step {step}, it must be 1")
        width = math.prod(self.shape[1:])
        return replace(self, shape=(max(stop - start, 0), *self.shape[1:]), offset=self.offset + start * width)

    def __str__(self) -> str:
        return f"{self.name!r} of shape {self.shape}"
