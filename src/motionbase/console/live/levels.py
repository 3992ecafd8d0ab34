"""Circular buffers of columns: records, and least and largest values of longer and longer runs of them.

All arrays are (columns, slots), so a curve is contiguous in memory. Memory is touched only when it is needed, so a
buffer that is not yet full costs only what it holds.
"""

from __future__ import annotations

import mmap
from contextlib import suppress
from typing import NamedTuple, TypeAlias, final

import numpy as np

from motionbase.arrays import Array, Indices

Places: TypeAlias = Indices | slice
STEP = 16  # buckets of one level in one of the next
PAD = 72  # doubles: nine cache lines


class Buckets(NamedTuple):
    """Consecutive buckets: least and largest value of each column, (columns, n); the same array for single records.

    The time is a column like others, and never falls: its least value is the time of the bucket's first record.
    """

    least: Array
    most: Array


def _untouched(rows: int, columns: int) -> Array:
    """Memory that the system allocates page by page on use; NumPy's own comes in huge pages."""
    memory = mmap.mmap(-1, 8 * rows * columns)
    if hasattr(mmap, "MADV_NOHUGEPAGE"):
        with suppress(OSError):
            memory.madvise(mmap.MADV_NOHUGEPAGE)
    return np.frombuffer(memory, np.float64).reshape(rows, columns)


@final
class Circle:
    """A circular buffer with the newest slots of a growing list."""

    def __init__(self, columns: int, slots: int) -> None:
        # the stride is no power of two; else the newest numbers of all rows would share a few cache lines
        self.data: Array = _untouched(columns, slots + PAD)[:, :slots]
        self.slots = slots

    def put(self, first: int, block: Array) -> None:
        """Store columns of numbers from `first` on; if there are too many, the newest."""
        n = block.shape[1]
        if n > self.slots:
            first, block, n = first + n - self.slots, block[:, n - self.slots :], self.slots
        at = first % self.slots
        until_end = min(n, self.slots - at)
        self.data[: len(block), at : at + until_end] = block[:, :until_end]
        if until_end < n:
            self.data[: len(block), : n - until_end] = block[:, until_end:]

    def take(self, first: int, last: int, places: Places) -> Array:
        """Numbers first to last - 1 of some columns; a view if these are a slice that does not wrap."""
        at, n = first % self.slots, last - first
        if at + n <= self.slots:
            found: Array = self.data[places, at : at + n]
            return found
        return np.concatenate((self.data[places, at:], self.data[places, : at + n - self.slots]), axis=1)


@final
class Level:
    """Whole buckets of `size` records."""

    def __init__(self, columns: int, slots: int, size: int) -> None:
        self.size, self.least, self.most = size, Circle(columns, slots), Circle(columns, slots)
        self.count = 0  # whole buckets so far

    @property
    def oldest(self) -> int:
        """Number of the oldest bucket kept."""
        return max(0, self.count - self.least.slots)

    def put(self, buckets: Buckets) -> None:
        """Append buckets."""
        self.least.put(self.count, buckets.least)
        self.most.put(self.count, buckets.most)
        self.count += buckets.least.shape[1]

    def take(self, first: int, last: int, places: Places) -> Buckets:
        """Buckets first to last - 1."""
        return Buckets(self.least.take(first, last, places), self.most.take(first, last, places))


def grouped(buckets: Buckets, size: int) -> Buckets:
    """Merge each `size` buckets into one; the last may have fewer. NaN counts only if there is nothing else."""
    if size == 1 or not buckets.least.shape[1]:
        return buckets
    starts = np.arange(0, buckets.least.shape[1], size)
    return Buckets(np.fmin.reduceat(buckets.least, starts, axis=1), np.fmax.reduceat(buckets.most, starts, axis=1))


def joined(left: Buckets, right: Buckets) -> Buckets:
    """Concatenate two runs of buckets."""
    if not right.least.shape[1]:
        return left
    if not left.least.shape[1]:
        return right
    return Buckets(np.concatenate((left.least, right.least), axis=1), np.concatenate((left.most, right.most), axis=1))
