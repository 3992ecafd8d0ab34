"""The armed generator set of the live ring: limits that it exceeds, its name, and the sets that ran before."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import final

from motionbase.console.api.judge import Judge, counted, told
from motionbase.console.api.preview import exceeded_by
from motionbase.console.api.sentences import WrongState
from motionbase.console.models import Exceeded
from motionbase.record.generator_set import NAME_BYTES, GeneratorSet
from motionbase.record.generators import BANDS, PERIODIC, Generator
from motionbase.ring.command_words import cut

EDITED = " (edited)"  # appended to the name of a set whose cards have been changed
LEAST_S, MOST_S = 60.0, 600.0  # time over which a set is judged: waves of several frequencies take long to add up
PERIODS = 2  # of the slowest wave, at least
NAMED = 3  # limits listed with their numbers in a message
KEPT = 16  # versions remembered


@final
class BeyondLimits(WrongState):
    """The cards of a request exceed limits that the request does not name."""

    def __init__(self, exceeded: Sequence[Exceeded]) -> None:
        listed = ", ".join(_sentence(one) for one in exceeded[:NAMED])
        more = f" and {len(exceeded) - NAMED} more" if len(exceeded) > NAMED else ""
        super().__init__(
            f"{counted(exceeded)} would be exceeded: {listed}{more}; change the cards, or name these limits in "
            "`exceeds` to arm them anyway"
        )
        self.exceeded = tuple(exceeded)


def check_limits(wanted: GeneratorSet, judge: Judge | None, known: Sequence[str]) -> tuple[Exceeded, ...]:
    """The limits that cards exceed; refused if one is not in `known`. Without a platform nothing is judged."""
    exceeded = () if judge is None else judged(wanted, judge)
    if any(one.what not in known for one in exceeded):
        raise BeyondLimits(exceeded)
    return exceeded


def judged(wanted: GeneratorSet, judge: Judge) -> tuple[Exceeded, ...]:
    """Each limit that the cards exceed within `horizon`."""
    return _judged(wanted.generators, judge)


@lru_cache(maxsize=8)  # pages poll every second
def _judged(generators: tuple[Generator, ...], judge: Judge) -> tuple[Exceeded, ...]:
    wanted = GeneratorSet(generators)
    return tuple(exceeded_by(wanted, horizon(wanted), judge)) if wanted.enabled else ()


def horizon(wanted: GeneratorSet) -> float:
    """Time over which cards are judged [s]: until all have begun and their slowest waves have repeated, bounded."""
    needed = [LEAST_S]
    for g in wanted.generators:
        if g.enabled:
            period = PERIODS / g.frequency if g.shape in (*PERIODIC, *BANDS) and g.frequency > 0 else g.duration
            needed.append(g.start + g.fade_in + period)
    return min(MOST_S, math.ceil(max(needed)))


def true_name(wanted: GeneratorSet, found: Callable[[str], GeneratorSet | None]) -> str:
    """The name of a set, with "(edited)" if its cards differ from those stored under that name."""
    plain = wanted.name.removesuffix(EDITED)
    kept = found(plain) if plain else None
    if kept is None:
        return wanted.name
    if _cards(kept) == _cards(wanted):
        return plain
    return cut(plain, NAME_BYTES - len(EDITED)) + EDITED


def _cards(of: GeneratorSet) -> list[Generator]:
    """Cards in a form for comparison: the space of an unused card does not matter."""
    return [g if g.enabled or g.axes else Generator() for g in of.generators]


def _sentence(one: Exceeded) -> str:
    value, limit, unit = told(one)
    return f"{one.what} reaches {value} {unit}, the limit is {limit}"


@final
class SeenSets:
    """Sets by version, collected as they are read, because records hold only the version."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._epoch = 0
        self._sets: OrderedDict[int, GeneratorSet] = OrderedDict()

    def saw(self, found: GeneratorSet, epoch: int) -> None:
        """Remember a set of the block; versions restart with every `epoch` of the ring."""
        with self._lock:
            if epoch != self._epoch:
                self._epoch = epoch
                self._sets.clear()
            self._sets[found.version] = found
            while len(self._sets) > KEPT:
                self._sets.popitem(last=False)

    def of(self, version: int | None) -> GeneratorSet | None:
        """The set of a version; None if it was never read while armed, or nothing has run."""
        with self._lock:
            return self._sets.get(version) if version else None
