"""Pages that left something behind and are gone: a reload finds it again, and nobody keeps it for ever."""

from __future__ import annotations

import time
from collections.abc import Callable, Set
from typing import final

KEPT_S = 60.0  # a reload takes seconds, a console that is started again its time


@final
class Absences:
    """Since when each page that matters is away. Not for several threads.

    Args:
        clock: monotonic [s]
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._since: dict[str, float] = {}

    def gone(self, owners: Set[str], present: Set[str]) -> frozenset[str]:
        """The owners who have been away for a minute; who never connected is away since the first look."""
        now = self._clock()
        self._since = {page: self._since.get(page, now) for page in owners - present}
        return frozenset(page for page, since in self._since.items() if now - since >= KEPT_S)
