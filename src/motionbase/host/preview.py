"""What a host knows of the near future of its vehicle: specific force and angular rate at the head, at times ahead."""

from __future__ import annotations

import math
from itertools import pairwise

from motionbase.host.format import Rows

COLUMNS = 7  # of a row: time ahead of the frame [s], specific force [m/s^2], angular rate [rad/s]
MOST_ROWS = 23  # a frame with so many is one packet of Ethernet
LONGEST = 10.0  # [s] ahead; cueing looks 2 s ahead
BOUND = 1e4  # m/s^2, rad/s: more is an error, as in samples of cueing
TIMES = (
    *(0.02, 0.04, 0.06, 0.08, 0.10, 0.15, 0.20, 0.25, 0.30, 0.35, 0.40, 0.50, 0.60, 0.70, 0.80, 0.90, 1.0),
    *(1.2, 1.4, 1.6, 1.8, 2.0, 2.05),
)  # [s] that our own sources tell, a little beyond what cueing looks ahead
assert len(TIMES) == MOST_ROWS


def is_preview(rows: Rows) -> bool:
    """Whether rows are a preview: times after the frame ascend, all numbers are finite and of a vehicle."""
    if not 0 < len(rows) <= MOST_ROWS or any(len(row) != COLUMNS for row in rows):
        return False
    times = [0.0, *(row[0] for row in rows)]
    ascends = all(before < after for before, after in pairwise(times)) and times[-1] <= LONGEST
    return ascends and all(math.isfinite(x) and abs(x) < BOUND for row in rows for x in row)
