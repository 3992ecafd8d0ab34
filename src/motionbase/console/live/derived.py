"""Derived channels of a ring: formulas with a name, a unit and a column of their own behind the ring's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np

from motionbase.console.api.sentences import NotThere
from motionbase.console.live.formula import Formula, FormulaError, parse
from motionbase.console.live.history import History
from motionbase.console.live.levels import Array
from motionbase.ring.schema import Schema

MOST = 32


@final
@dataclass(frozen=True)
class Derived:
    """One of them; `place` is its column, which it keeps while others come and go."""

    place: int
    name: str
    unit: str
    formula: Formula


@final
class DerivedChannels:
    """Those of one schema. Not for several threads: its owner has a lock."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._by_place: dict[int, Derived] = {}

    def __iter__(self) -> Iterator[Derived]:
        return iter(sorted(self._by_place.values(), key=lambda d: d.place))

    @property
    def width(self) -> int:
        """Columns of a record with all of them."""
        return max(self._by_place, default=len(self._schema.channels) - 1) + 1

    def add(self, name: str, text: str, unit: str) -> Derived:
        """A new one, or a new formula for one that is there."""
        if name in self._schema.index:
            raise FormulaError(f"the ring itself has a channel {name!r}; choose another name")
        formula = parse(text, [c.name for c in self._schema.channels])
        same = [d.place for d in self._by_place.values() if d.name == name]
        base = len(self._schema.channels)
        free = [p for p in range(base, base + MOST) if p not in self._by_place]
        if not (same or free):
            raise FormulaError(f"there are {MOST} derived channels, which is the most; remove one")
        made = Derived((same or free)[0], name, unit, formula)
        self._by_place[made.place] = made
        return made

    def remove(self, name: str) -> Derived:
        """Its column becomes free."""
        for place, derived in self._by_place.items():
            if derived.name == name:
                return self._by_place.pop(place)
        known = ", ".join(d.name for d in self._by_place.values()) or "none"
        raise NotThere(f"there is no derived channel {name!r:.80}; derived channels: {known}")

    def extended(self, rows: Array, history: History) -> Array:
        """Rows (n, channels) with their derived columns, as they come after those of a history."""
        if not self._by_place:
            return rows
        before = history.newest()
        base = rows.shape[1]
        whole = np.full((len(rows), self.width), np.nan)
        whole[:, :base] = rows
        for place, derived in self._by_place.items():
            needed = list(derived.formula.places)
            columns = rows[:, needed].T
            if before is not None:
                columns = np.concatenate((before[needed, None], columns), axis=1)
            whole[:, place] = derived.formula(columns, before is not None)
        return whole

    def backfill(self, derived: Derived, history: History) -> None:
        """Its values over the records that are still there."""
        with history.lock:
            needed = np.asarray(derived.formula.places, np.intp)
            columns = history.rows(history.oldest, history.count, needed)
            history.fill(derived.place, derived.formula(columns, has_before=False))
