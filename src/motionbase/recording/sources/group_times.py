"""Times of the row groups of a Parquet file: its column of times or, if that is missing or damaged, `t`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.recording.source import Damage
from motionbase.recording.sources.going_on import GoingOn, usual_period
from motionbase.recording.sources.row_groups import RowGroups


@final
class GroupTimes:
    """Times of all row groups, finite even for a damaged file.

    Attributes:
        begins, ends: (row groups,) times of the first and last record of each [s]

    Args:
        own: name of the column of times, None if the file has none
        t: name of the channel `t`, which restarts with its writer
    """

    def __init__(self, groups: RowGroups, own: str | None, t: str) -> None:
        self._groups, self._own, self._t = groups, own, t
        blocks = range(len(groups.starts) - 1)
        self.begins, self.ends = np.zeros(len(blocks)), np.zeros(len(blocks))
        self._period = 0.0
        self._before: dict[int, tuple[float, float]] = {}  # for row groups that use `t`: time before, and offset
        self._until: dict[int, float] = {}  # likewise the time after
        without = [k for k in blocks if not self._has_own(k)]
        if not self._period:
            self._period = next((p for k in without if (p := usual_period(self._read(k, t))) > 0), 0.0)
        self._follow(without)

    def _has_own(self, block: int) -> bool:
        """Use the row group's own times; False if they are missing or damaged."""
        if self._own is None:
            return False
        times = self._read(block, self._own)
        if not np.isfinite(times).all():
            return False
        self._period = self._period or usual_period(times)
        before = self.ends[block - 1] if block else 0.0
        self.begins[block], self.ends[block] = (times[0], times[-1]) if len(times) else (before, before)
        return True

    def _follow(self, without: list[int]) -> None:
        """Times of the other row groups from `t`: after the row group before, and not beyond the one after."""
        following = set(without)
        going_on = GoingOn(self._period)
        until = np.inf
        for k in without:
            if k - 1 not in following or k == 0:
                going_on.last = float(self.ends[k - 1]) if k else -np.inf
                later = next((j for j in range(k + 1, len(self.begins)) if j not in following), None)
                until = np.inf if later is None else float(self.begins[later])
                going_on.offset = self._offset((j for j in (k - 1, later) if j is not None and j >= 0), k)
            self._before[k], self._until[k] = (going_on.last, going_on.offset), until
            time = np.minimum(going_on.time(self._read(k, self._t)), until)
            last = going_on.last if np.isfinite(going_on.last) else 0.0
            self.begins[k], self.ends[k] = (time[0], time[-1]) if len(time) else (min(last, until),) * 2

    def _offset(self, neighbours: Iterable[int], block: int) -> float:
        """Offset to add to `t` [s]: that at the end of the row group before, or at the beginning of the next."""
        for k in neighbours:
            if self._own is not None and self._groups.starts[k + 1] > self._groups.starts[k]:
                added = np.subtract(*self._groups.read(k, [self._own, self._t])[:, -1 if k < block else 0])
                if np.isfinite(added):
                    return float(added)
        return 0.0

    def _read(self, block: int, name: str) -> Array:
        return np.asarray(self._groups.read(block, [name])[0])

    def column(self, block: int) -> str:
        """The column from which `time` makes the times of a row group."""
        return self._t if self._own is None or block in self._before else self._own

    def time(self, block: int, stamps: Array) -> Array:
        """(records,) times since the epoch [s] from the values of that column."""
        if block not in self._before:
            return stamps
        going_on = GoingOn(self._period)
        going_on.last, going_on.offset = self._before[block]
        return np.minimum(going_on.time(stamps), self._until[block])

    @property
    def damage(self) -> list[Damage]:
        """Row groups whose recorded times could not be used."""
        return [found for block in self._before if (found := self._told(block)) is not None]

    def _told(self, block: int) -> Damage | None:
        first, last = int(self._groups.starts[block]), int(self._groups.starts[block + 1])
        if self._groups.is_lost(block, self._t):
            instead = "made up, one usual period apart"
        elif self._own is not None:
            instead = f"taken from the channel {self._t!r}"
        else:
            return None
        return Damage(f"the times of records {first} to {last - 1} are {instead}", first, last)
