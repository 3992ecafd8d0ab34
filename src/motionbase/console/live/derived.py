"""Derived channels of a ring: formulas with a name, a unit and a column after those of the ring."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.console.api.sentences import NotThere, TooMany, WrongState
from motionbase.console.live.formula import Formula, FormulaError, parse
from motionbase.console.live.history import History
from motionbase.record.schema import Schema

MOST, MOST_OF_ONE = 32, 8  # derived channels of all pages together, and of one
MOST_KEPT = MOST - MOST_OF_ONE  # of all operators together, which leaves some for viewers
OPERATORS = "*"  # owner of stored channels; not a valid name of a page
MOST_OTHERS = 128  # pages remembered as sharing a channel


@final
@dataclass(frozen=True)
class Derived:
    """A derived channel.

    Attributes:
        place: its column, which never changes
        owner: the page that made it, or OPERATORS; others: pages that requested the same later, which inherit it
    """

    place: int
    name: str
    unit: str
    formula: Formula
    owner: str
    others: tuple[str, ...] = ()


def formula_of(text: str, schema: Schema) -> Formula:
    """The formula over the channels of a ring or recording."""
    return parse(text, [c.name for c in schema.channels], [c.unit for c in schema.channels])


@final
class DerivedChannels:
    """Derived channels of one schema. Not thread-safe: its owner has a lock."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._by_place: dict[int, Derived] = {}

    def __iter__(self) -> Iterator[Derived]:
        return iter(sorted(self._by_place.values(), key=lambda d: d.place))

    @property
    def width(self) -> int:
        """Number of columns of a record with all derived channels."""
        return max(self._by_place, default=len(self._schema.channels) - 1) + 1

    def add(self, name: str, text: str, unit: str, owner: str = "", others: tuple[str, ...] = ()) -> Derived:
        """Add a channel, or change the formula of an existing one of the same owner."""
        if name in self._schema.index:
            raise FormulaError(f"the ring itself has a channel {name!r}; choose another name")
        formula = formula_of(text, self._schema)
        unit = formula.unit(unit)
        there = next((d for d in self._by_place.values() if d.name == name), None)
        if there is not None and there.owner != owner:
            if (there.formula.text, there.unit) == (formula.text, unit):
                return self._shared(there, owner)
            raise WrongState(f"the derived channel {name!r} was made by {_maker(there)}; choose another name")
        most = MOST_KEPT if owner == OPERATORS else MOST_OF_ONE
        if there is None and sum(d.owner == owner for d in self._by_place.values()) >= most:
            whose = "operators have" if owner == OPERATORS else "this page has"
            raise TooMany(f"{whose} {most} derived channels, which is the most; remove one")
        same = [] if there is None else [there.place]
        base = len(self._schema.channels)
        free = [p for p in range(base, base + MOST) if p not in self._by_place]
        if not (same or free):
            raise TooMany(f"there are {MOST} derived channels, which is the most for all pages; remove one")
        made = Derived((same or free)[0], name, unit, formula, owner, there.others if there else others)
        self._by_place[made.place] = made
        return made

    def remove(self, name: str, owner: str | None = None) -> Derived:
        """Remove a channel; refused if another page made it, unless `owner` is None."""
        for place, derived in self._by_place.items():
            if derived.name == name:
                if owner is not None and derived.owner != owner:
                    who = "an operator" if derived.owner == OPERATORS else "that page"
                    raise WrongState(
                        f"the derived channel {name!r} was made by {_maker(derived)}; {who} can remove it, or who has "
                        "the operator's seat"
                    )
                return self._by_place.pop(place)
        known = ", ".join(d.name for d in self._by_place.values()) or "none"
        raise NotThere(f"there is no derived channel {name!r:.80}; derived channels: {known}")

    def _shared(self, there: Derived, page: str) -> Derived:
        """Share a channel with another page that requests the same."""
        if page in there.others:
            return there
        if page == OPERATORS:  # now stored, even if pages leave
            self._by_place[there.place] = made = replace(there, owner=page, others=(there.owner, *there.others))
            return made
        self._by_place[there.place] = made = replace(there, others=(*there.others, page)[-MOST_OTHERS:])
        return made

    @property
    def pages(self) -> frozenset[str]:
        """Pages that own or share a channel."""
        return frozenset(page for d in tuple(self._by_place.values()) for page in (d.owner, *d.others)) - {OPERATORS}

    def forget(self, gone: Set[str]) -> list[Derived]:
        """Remove the channels of pages that are gone, unless another page shares them; returns those removed."""
        removed = []
        for place, derived in list(self._by_place.items()):
            left = [page for page in (derived.owner, *derived.others) if page not in gone]
            if left:
                self._by_place[place] = replace(derived, owner=left[0], others=tuple(left[1:]))
            else:
                removed.append(self._by_place.pop(place))
        return removed

    def extended(self, rows: Array, history: History) -> Array:
        """Rows (n, channels), which follow those of a history, with their derived columns."""
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
        """Compute a channel over the records kept; the caller keeps new ones out meanwhile.

        Drawing does not wait for the computation.
        """
        needed = np.asarray(derived.formula.places, np.intp)
        columns = history.rows(history.oldest, history.count, needed)
        history.fill(derived.place, derived.formula(columns, has_before=False))


def _maker(derived: Derived) -> str:
    return "an operator" if derived.owner == OPERATORS else "another page"
