"""Reads records piece by piece: threads read blocks ahead, directly into the memory of their piece."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol, TypeAlias, runtime_checkable

import numpy as np

from motionbase.arrays import Array, Ints
from motionbase.recording.ahead import done_ahead
from motionbase.recording.source import Source

Piece: TypeAlias = tuple[Array, Array]  # (n,) times [s], (n, places) values, each channel contiguous


@runtime_checkable
class InPlace(Protocol):
    """A source that can read into existing memory, which saves a copy."""

    def read_into(self, first: int, last: int, places: Sequence[int], time: Array, values: Array) -> None:
        """Read blocks `first` up to `last` into (n,) times and (places, n) values."""
        ...


class _Run(NamedTuple):
    """Blocks `first` up to `last`, which fill a piece from record `at` on; with `ends` they complete it."""

    first: int
    last: int
    piece: Piece | None  # None for a run that forms a piece alone
    at: int
    ends: bool


def pieces(
    source: Source, places: Sequence[int], first: int, last: int, rows: int, run_rows: int, ahead: int
) -> Iterator[Piece]:
    """Records `first` up to `last` in pieces of up to `rows` records, or of one block if that has more.

    Args:
        run_rows: records that a thread reads at once, at least one block
        ahead: number of such runs to read ahead
    """
    starts = source.starts

    def read(run: _Run) -> tuple[_Run, Piece]:
        if run.piece is None:
            return run, source.read_run(run.first, run.last, places)
        part = slice(run.at, run.at + int(starts[run.last] - starts[run.first]))
        time, values = run.piece[0][part], run.piece[1][part]
        if isinstance(source, InPlace):
            source.read_into(run.first, run.last, places, time, values.T)
        else:
            time[:], values[:] = source.read_run(run.first, run.last, places)
        return run, run.piece

    for run, (time, values) in done_ahead(read, _runs(starts, len(places), first, last, rows, run_rows), ahead):
        if run.ends:
            begin = int(starts[run.first]) - run.at
            low, high = max(first - begin, 0), max(last - begin, 0)
            if len(time[low:high]):
                yield time[low:high], values[low:high]


def _runs(starts: Ints, width: int, first: int, last: int, rows: int, run_rows: int) -> Iterator[_Run]:
    """The runs, with the memory of the pieces that they fill."""
    begin = max(int(np.searchsorted(starts, first, "right")) - 1, 0)
    for low, high in _together(starts, begin, int(np.searchsorted(starts, last, "left")), rows):
        runs = list(_together(starts, low, high, run_rows))
        count = int(starts[high] - starts[low])
        piece = (np.empty(count), np.empty((width, count)).T) if len(runs) > 1 else None
        for a, b in runs:
            yield _Run(a, b, piece, int(starts[a] - starts[low]), b == high)


def _together(starts: Ints, begin: int, end: int, rows: int) -> Iterator[tuple[int, int]]:
    """Blocks `begin` up to `end` in groups of up to `rows` records, at least one block each."""
    while begin < end:
        most = int(np.searchsorted(starts, starts[begin] + rows, "right")) - 1
        upto = min(max(begin + 1, most), end)
        yield begin, upto
        begin = upto
