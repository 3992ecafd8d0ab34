"""What a host knows of the future, on its way to the planner of predictive cueing: a file beside the exchanges.

host to planner    count of the frame; t, time of the loop when the frame came; n, how many rows count; then 24 rows of
                   `host.preview`, of which the first is the frame itself, 0 s ahead

The host's process writes it and the planner's process reads it, under the sequence lock of mailboxes; the base makes
the file and does not look into it. A planner knows the loop's time of what it plans, so it knows the age of a preview
without a clock that it would have to share with the host.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.cueing.predictive.forecast import Ahead
from motionbase.errors import UsageError
from motionbase.executive.exchange import PREVIEW, Blocks, Exchange
from motionbase.host.format import Frame
from motionbase.host.preview import BOUND, COLUMNS, MOST_ROWS, is_preview
from motionbase.ring import names
from motionbase.ring.backend import AbstractBackend

ROWS = 1 + MOST_ROWS
ROWS_AT = 3  # count, t, n
BLOCKS = Blocks(PREVIEW, ROWS_AT - 1 + ROWS * COLUMNS, 0)


@final
class Previews:
    """The file, from one of its two sides; without one, nothing is told and nothing known."""

    def __init__(self, exchange: Exchange | None) -> None:
        self._exchange = exchange
        self._row: Array = np.zeros(1 + BLOCKS.n)

    @property
    def are_wanted(self) -> bool:
        """Whether a planner may read them."""
        return self._exchange is not None

    def tell(self, frame: Frame, count: float, t: float) -> None:
        """Of a frame that came at a time of the loop [s]; nothing if it tells no preview."""
        if self._exchange is None or not frame.preview:
            return
        numbers = [0.0, *frame.row[: COLUMNS - 1], *(x for row in frame.preview for x in row)]
        self._row[:ROWS_AT] = count, t, 1 + len(frame.preview)
        self._row[ROWS_AT : ROWS_AT + len(numbers)] = numbers
        self._exchange.answers.put(self._row)

    def newest(self) -> Ahead | None:
        """As the planner takes it; None if there is none, or what is there is no preview."""
        if self._exchange is None or (row := self._exchange.answers.get()) is None:
            return None
        _, t, n = row[:ROWS_AT].tolist()
        if not (np.isfinite(t) and n in range(2, ROWS + 1)):
            return None
        rows = row[ROWS_AT:].reshape(ROWS, COLUMNS)[: int(n)]
        sound = rows[0, 0] == 0 and (np.abs(rows) < BOUND).all() and is_preview(tuple(map(tuple, rows[1:].tolist())))
        return Ahead(t, rows[:, 0], rows[:, 1:]) if sound else None


@contextmanager
def previews(backend: AbstractBackend, *, only_reads: bool) -> Iterator[Previews]:
    """Those of a base, if it wants any; a file that is none costs the previews and nothing else."""
    try:
        exchange = Exchange.attached(backend, names.PREVIEW, (PREVIEW,), only_reads=only_reads)
    except UsageError as error:
        print(f"there is no preview: {error}", file=sys.stderr, flush=True)
        exchange = None
    if exchange is not None and exchange.blocks != BLOCKS:
        exchange.close()
        exchange = None
    try:
        yield Previews(exchange)
    finally:
        if exchange is not None:
            exchange.close()
