"""Changes of a column of codes as events, at a limited rate."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, final

import numpy as np

from motionbase.arrays import Array, Flags

AT_ONCE, PER_S = 20, 1.0  # limits of the events of a column: burst and rate; more are noise, not states


class Found(NamedTuple):
    """An event at row k of the block."""

    k: int
    kind: str
    text: str
    person: str = ""
    is_bad: bool = False


Tell = Callable[[int, float, float | None], tuple[str, bool]]
"""(row, code there, code before or None) -> what to say, and whether it is bad."""


@final
class Allowance:
    """A rate limit: a burst, then so many a second."""

    def __init__(self, most: int, per_s: float) -> None:
        self._most, self._per_s = most, per_s
        self._left, self._t = float(most), -np.inf

    def take(self, t: float) -> bool:
        """Take one at a time [s] of any clock; False if the limit is reached. Time that goes back adds none."""
        if t > self._t:
            self._left = min(self._most, self._left + self._per_s * (t - self._t)) if self._t > -np.inf else self._left
            self._t = t
        if self._left < 1:
            return False
        self._left -= 1
        return True


@final
class Changes:
    """Finds changes of one column, block by block.

    Attributes:
        kind: of its events
        untold: changes beyond the limit, of which one event tells later
    """

    def __init__(self, kind: str, tells_zero: bool = False) -> None:
        """`tells_zero`: whether a code of 0 at the start is an event; usually it says that nothing is wrong."""
        self.kind, self.untold = kind, 0
        self._tells_zero = tells_zero
        self._last: float | None = None
        self._allowed = Allowance(AT_ONCE, PER_S)

    def find(self, codes: Array, is_known: Flags, t: Array, tell: Tell) -> Iterator[Found]:
        """Events in codes (n,) at times (n,) [s] that follow those of the last call; unknown codes are passed over."""
        last = self._last
        if last is not None and self.untold and self._allowed.take(float(t[0])):
            yield self._more(0, last, tell)
        if last is not None and (codes == last).all():
            return
        known = np.flatnonzero(is_known)
        if not len(known):
            return
        code = codes[known]
        changed = np.flatnonzero(np.diff(code, prepend=np.nan if last is None else last) != 0)
        self._last = float(code[-1])
        for n, k in enumerate(changed):
            if last is None and k == 0 and code[k] == 0 and not self._tells_zero:
                continue
            if not self._allowed.take(float(t[known[k]])):
                self.untold += len(changed) - n
                return
            before = float(code[k - 1]) if k else last
            if before is not None and self.untold:
                yield self._more(int(known[k]), before, tell)
            text, is_bad = tell(int(known[k]), float(code[k]), before)
            yield Found(int(known[k]), self.kind, text, "", is_bad)

    def _more(self, k: int, code: float, tell: Tell) -> Found:
        """One event for the changes beyond the limit, with the last code."""
        times = "once more" if self.untold == 1 else f"{self.untold} more times"
        self.untold = 0
        text, is_bad = tell(k, code, None)
        return Found(k, self.kind, f"{self.kind} changed {times}, at last: {text}", "", is_bad)


def are_codes(values: Array, most: float) -> Flags:
    """Which values are whole numbers from 0 to below `most`."""
    with np.errstate(invalid="ignore"):
        known: Flags = (values >= 0) & (values < most) & (values == np.floor(values))
    return known
