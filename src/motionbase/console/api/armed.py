"""What is armed in the live ring: the limits that it exceeds, the name that it deserves, and what ran before it."""

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

EDITED = " (edited)"  # behind the name of a set whose cards are not those of the set any more
LEAST_S, MOST_S = 60.0, 600.0  # that a set is judged over: waves of several frequencies need long to add up
PERIODS = 2  # of the slowest wave
NAMED = 3  # limits that a sentence tells with their numbers
KEPT = 16  # versions that are remembered


@final
class BeyondLimits(WrongState):
    """Cards that exceed limits, in a request that does not name them."""

    def __init__(self, exceeded: Sequence[Exceeded]) -> None:
        listed = ", ".join(_sentence(one) for one in exceeded[:NAMED])
        more = f" and {len(exceeded) - NAMED} more" if len(exceeded) > NAMED else ""
        super().__init__(
            f"{counted(exceeded)} would be exceeded: {listed}{more}; change the cards, or name these limits in "
            "`exceeds` to arm them all the same"
        )
        self.exceeded = tuple(exceeded)


def check_limits(wanted: GeneratorSet, judge: Judge | None, known: Sequence[str]) -> tuple[Exceeded, ...]:
    """The limits that cards exceed; refused where one is not among the known. Without a platform nothing is judged."""
    exceeded = () if judge is None else judged(wanted, judge)
    if any(one.what not in known for one in exceeded):
        raise BeyondLimits(exceeded)
    return exceeded


def judged(wanted: GeneratorSet, judge: Judge) -> tuple[Exceeded, ...]:
    """Each limit that the cards exceed in the time of `horizon`."""
    return _judged(wanted.generators, judge)


@lru_cache(maxsize=8)  # the page looks every second
def _judged(generators: tuple[Generator, ...], judge: Judge) -> tuple[Exceeded, ...]:
    wanted = GeneratorSet(generators)
    return tuple(exceeded_by(wanted, horizon(wanted), judge)) if wanted.enabled else ()


def horizon(wanted: GeneratorSet) -> float:
    """How long cards are judged [s]: until all have begun and their slowest waves have come round, within bounds."""
    needed = [LEAST_S]
    for g in wanted.generators:
        if g.enabled:
            period = PERIODS / g.frequency if g.shape in (*PERIODIC, *BANDS) and g.frequency > 0 else g.duration
            needed.append(g.start + g.fade_in + period)
    return min(MOST_S, math.ceil(max(needed)))


def true_name(wanted: GeneratorSet, found: Callable[[str], GeneratorSet | None]) -> str:
    """The name of a set, with "(edited)" where the cards are not those of the set that is kept under it."""
    plain = wanted.name.removesuffix(EDITED)
    kept = found(plain) if plain else None
    if kept is None:
        return wanted.name
    if _cards(kept) == _cards(wanted):
        return plain
    return cut(plain, NAME_BYTES - len(EDITED)) + EDITED


def _cards(of: GeneratorSet) -> list[Generator]:
    """What tells sets apart: of a card that was never used the space does not matter."""
    return [g if g.enabled or g.axes else Generator() for g in of.generators]


def _sentence(one: Exceeded) -> str:
    value, limit, unit = told(one)
    return f"{one.what} reaches {value} {unit}, the limit is {limit}"


@final
class SeenSets:
    """Sets by version, as somebody looked at them: the records tell only the version of what ran last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._epoch = 0
        self._sets: OrderedDict[int, GeneratorSet] = OrderedDict()

    def saw(self, found: GeneratorSet, epoch: int) -> None:
        """A set in the block; `epoch` is the ring's, whose versions begin anew with it."""
        with self._lock:
            if epoch != self._epoch:
                self._epoch = epoch
                self._sets.clear()
            self._sets[found.version] = found
            while len(self._sets) > KEPT:
                self._sets.popitem(last=False)

    def of(self, version: int | None) -> GeneratorSet | None:
        """None where nobody looked while it was armed, or nothing has run."""
        with self._lock:
            return self._sets.get(version) if version else None
