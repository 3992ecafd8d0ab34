"""What calls keep of the memory that they take."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable
from typing import Any

DEPTH = 12  # frames: more than there are between the call and what it calls


def kept_blocks(call: Callable[[], Any], times: int = 1) -> int:
    """How many of the blocks of memory that so many calls took are still held after them, garbage not counted.

    `sys.getallocatedblocks` counts the whole process: another thread that takes memory meanwhile, such as the one that
    brings pytest-xdist its next few hundred tests, looks like a leak. Here only what was taken below this function is
    counted, so nobody else can disturb it.
    """
    gc.collect()
    tracemalloc.start(DEPTH)
    try:
        for _ in range(times):
            call()
        gc.collect()  # empties Python's free lists as well, which keep up to 2000 tuples
        mine = tracemalloc.Filter(True, __file__, all_frames=True)
        return len(tracemalloc.take_snapshot().filter_traces([mine]).traces)
    finally:
        tracemalloc.stop()
