"""Records piece by piece: threads read blocks ahead, as many as a piece has, straight to where they belong in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from motionbase.recording.ahead import done_ahead
from motionbase.recording.source import Array, Source

Piece: TypeAlias = tuple[Array, Array]  # (n,) times [s], (n, places) values, each channel's side by side in memory


@runtime_checkable
class InPlace(Protocol):
    """A source that saves a copy where the memory is there already."""

    def read_into(self, first: int, last: int, places: Sequence[int], time: Array, values: Array) -> None:
        """Blocks `first` up to `last`: (n,) times and (places, n) values."""
        ...


class _Run(NamedTuple):
    """Blocks `first` up to `last`, which fill a piece from record `at` on; `ends` it, or others follow."""

    first: int
    last: int
    piece: Piece | None  # None for a run that is a piece by itself
    at: int
    ends: bool


def pieces(
    source: Source, places: Sequence[int], first: int, last: int, rows: int, run_rows: int, ahead: int
) -> Iterator[Piece]:
    """Records `first` up to `last` in pieces of up to `rows`, or of a block where that has more.

    Args:
        run_rows: records that a thread reads at once, or a block
        ahead: such runs that are read before they are asked for
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


def _runs(starts: NDArray[np.int64], width: int, first: int, last: int, rows: int, run_rows: int) -> Iterator[_Run]:
    """All of them, with the memory that several fill together."""
    begin = max(int(np.searchsorted(starts, first, "right")) - 1, 0)
    for low, high in _together(starts, begin, int(np.searchsorted(starts, last, "left")), rows):
        runs = list(_together(starts, low, high, run_rows))
        count = int(starts[high] - starts[low])
        piece = (np.empty(count), np.empty((width, count)).T) if len(runs) > 1 else None
        for a, b in runs:
            yield _Run(a, b, piece, int(starts[a] - starts[low]), b == high)


def _together(starts: NDArray[np.int64], begin: int, end: int, rows: int) -> Iterator[tuple[int, int]]:
    """Blocks `begin` up to `end`, as many at once as have `rows` records together, but one at least."""
    while begin < end:
        most = int(np.searchsorted(starts, starts[begin] + rows, "right")) - 1
        upto = min(max(begin + 1, most), end)
        yield begin, upto
        begin = upto
