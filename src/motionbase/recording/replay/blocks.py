"""Records of a recording by number, block by block, with the next blocks read ahead."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple, final

import numpy as np

from motionbase.arrays import Array
from motionbase.recording.recording import Recording

THREADS, AHEAD, KEPT = 2, 6, 16  # AHEAD and KEPT count blocks


class Block(NamedTuple):
    """Consecutive records.

    Attributes:
        first: number of the first
        time: (n,) [s] since the epoch; rows: (n, channels)
    """

    first: int
    time: Array
    rows: Array


@final
class Blocks:
    """Access to blocks in the memory of a few of them."""

    def __init__(self, recording: Recording) -> None:
        self._source, self._starts = recording.source, recording.source.starts
        self._places = range(len(recording.schema.channels))
        self._pool = ThreadPoolExecutor(THREADS, "motionbase replay")
        self._found: dict[int, Future[Block]] = {}

    def at(self, row: int) -> Block:
        """The block with a record; starts reading those after it."""
        k = int(np.searchsorted(self._starts, row, "right")) - 1
        for block in range(k, min(k + AHEAD, len(self._starts) - 1)):
            future = self._found.pop(block, None) or self._pool.submit(self._read, block)
            self._found[block] = future  # the newest last
        while len(self._found) > KEPT:
            del self._found[next(iter(self._found))]
        return self._found[k].result()

    def _read(self, block: int) -> Block:
        time, values = self._source.read(block, self._places)
        return Block(int(self._starts[block]), np.maximum.accumulate(time), np.ascontiguousarray(values))

    def close(self) -> None:
        """End the threads."""
        self._pool.shutdown(cancel_futures=True)
