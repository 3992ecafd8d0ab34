"""Thread pools for requests: small ones for slow requests of viewers, and reserved ones for the operator."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar, final

from motionbase.console.polite import give_way

Found = TypeVar("Found")


@final
class Turns:
    """A pool of threads; further requests wait without a thread.

    Args:
        name: of the threads
        at_once: number of threads
        gives_way: whether these threads have a lower priority than the event loop
    """

    def __init__(self, name: str, at_once: int, gives_way: bool = True) -> None:
        self._threads = ThreadPoolExecutor(at_once, f"motionbase {name}", give_way if gives_way else None)

    async def take(self, work: Callable[[], Found]) -> Found:
        """Run work in a thread of the pool."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def close(self) -> None:
        """End the pool; work that has not begun is dropped."""
        self._threads.shutdown(wait=False, cancel_futures=True)


@final
class AllTurns:
    """Thread pools of a console.

    Attributes:
        operating: operator's requests to base and recorder; never used for viewers
        telling: the status sent to all pages twice a second
        looking: viewers' requests about rings
        files: viewers' requests about recordings
        stored: loading layouts and sets
        working: long work of operators: replays, exports, uploads
        preview: of generators, which takes longest
        kinematics: requested poses, and the extremes
    """

    def __init__(self) -> None:
        self.operating = Turns("operating", 4, gives_way=False)
        self.telling = Turns("telling", 1, gives_way=False)
        self.looking, self.files, self.preview = Turns("looking", 3), Turns("files", 3), Turns("preview", 1)
        self.stored, self.working = Turns("stored", 1), Turns("working", 4)
        self.kinematics = Turns("kinematics", 1)

    def close(self) -> None:
        """End all pools."""
        for turns in vars(self).values():
            turns.close()
