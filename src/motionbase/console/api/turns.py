"""Threads for requests that anybody may make and that take long: few, so that an operator never waits for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, final

from anyio import CapacityLimiter, to_thread

Found = TypeVar("Found")
AT_ONCE = 3


@final
class Turns:
    """So many at once, whatever is asked; the rest waits without a thread."""

    def __init__(self, at_once: int = AT_ONCE) -> None:
        self._limiter = CapacityLimiter(at_once)

    async def take(self, work: Callable[[], Found]) -> Found:
        """Do it in a thread when it is its turn."""
        return await to_thread.run_sync(work, limiter=self._limiter)
