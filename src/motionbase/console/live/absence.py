"""Pages that are gone: what they own is kept long enough for a reload, then removed."""

from __future__ import annotations

import time
from collections.abc import Callable, Set
from typing import final

KEPT_S = 60.0  # a reload takes seconds, a restart of the console longer


@final
class Absences:
    """Since when each owner is away. Not thread-safe.

    Args:
        clock: monotonic [s]
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._since: dict[str, float] = {}

    def gone(self, owners: Set[str], present: Set[str]) -> frozenset[str]:
        """Owners that have been away for a minute; one that never connected counts from the first call."""
        now = self._clock()
        self._since = {page: self._since.get(page, now) for page in owners - present}
        return frozenset(page for page, since in self._since.items() if now - since >= KEPT_S)
