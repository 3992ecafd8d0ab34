"""Curves computed from a recording's channels record by record, as columns and as envelopes at any zoom."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias, final

import numpy as np

from motionbase.arrays import Array
from motionbase.recording.pieces import Piece
from motionbase.recording.pyramid import BASE, FACTOR, level_for
from motionbase.recording.recording import Envelopes, Recording, envelopes_of, per_pixel

Made: TypeAlias = Callable[[Array, bool], Array]


@final
class Computed:
    """A computed curve of one recording.

    The first envelope over many records reads all of them once; later ones are as fast as those of a channel.

    Args:
        names: channels that it is computed from
        made: takes (names, n) columns and whether the first record is only the predecessor; returns (n,) values
    """

    def __init__(self, names: tuple[str, ...], made: Made) -> None:
        self._names, self._made = names, made
        self._finest: Array | None = None

    def pieces(self, recording: Recording, first: int, last: int) -> Iterator[Piece]:
        """Time (n,) and values (n, 1) of records `first` up to `last`."""
        ahead = 1 if first > 0 else 0
        before: Array | None = None
        for t, rows in recording.pieces(self._names, first - ahead, last):
            columns = rows.T if before is None else np.concatenate((before[:, None], rows.T), axis=1)
            values = self._made(columns, before is not None)
            skipped = ahead if before is None else 0
            before = np.array(rows[-1])
            yield t[skipped:], values[skipped:, None]

    def columns(self, recording: Recording, first: int, last: int) -> tuple[Array, Array]:
        """Time and values of records `first` up to `last`."""
        found = [piece for piece in self.pieces(recording, first, last) if len(piece[0])]
        empty = np.empty(0)
        return (
            np.concatenate([t for t, _ in found]) if found else empty,
            np.concatenate([rows[:, 0] for _, rows in found]) if found else empty,
        )

    def envelopes(self, recording: Recording, start: float | None, stop: float | None, pixels: int) -> Envelopes:
        """Envelope over the same bins as `Recording.envelopes`."""
        first, last = recording.rows_between(start, stop)
        level = level_for(last - first, pixels)
        if level is None:
            whole = (piece for piece in self.pieces(recording, first, last) if len(piece[0]))
            return envelopes_of(whole, 1, last - first, pixels)
        size = BASE * FACTOR**level
        low, high = first // size, -(-last // size)
        finest = self._bins(recording)[:, low * size // BASE : high * size // BASE]
        starts = np.arange(0, finest.shape[1], size // BASE)
        least = np.fmin.reduceat(finest[:1], starts, axis=1)
        most = np.fmax.reduceat(finest[1:], starts, axis=1)
        return per_pixel(recording.times_of(np.arange(low, high) * size), least, most, pixels)

    def _bins(self, recording: Recording) -> Array:
        """(2, n) least and largest values over BASE records each."""
        if self._finest is None:
            made, at = np.full((2, -(-recording.count // BASE)), np.nan), 0
            for t, rows in self.pieces(recording, 0, recording.count):
                bins, starts = np.unique((at + np.arange(len(t))) // BASE, return_index=True)
                made[0, bins] = np.fmin(made[0, bins], np.fmin.reduceat(rows[:, 0], starts))
                made[1, bins] = np.fmax(made[1, bins], np.fmax.reduceat(rows[:, 0], starts))
                at += len(t)
            self._finest = made
        return self._finest
