"""Threads for requests: few for what anybody may ask and takes long, and some that are kept for who operates."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar, final

from motionbase.console.polite import give_way

Found = TypeVar("Found")


@final
class Turns:
    """So many at once, in threads of their own; the rest waits without a thread.

    Args:
        name: of the threads
        at_once: how many
        gives_way: whether these threads step back behind the event loop
    """

    def __init__(self, name: str, at_once: int, gives_way: bool = True) -> None:
        self._threads = ThreadPoolExecutor(at_once, f"motionbase {name}", give_way if gives_way else None)

    async def take(self, work: Callable[[], Found]) -> Found:
        """Do it in a thread when it is its turn."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def close(self) -> None:
        """Whatever has not begun is dropped."""
        self._threads.shutdown(wait=False, cancel_futures=True)


@final
class AllTurns:
    """Those of a console.

    Attributes:
        operating: what an operator asks of base and recorder; no viewer gets one of these threads
        telling: the status that all pages are told twice a second
        looking: what viewers ask of the rings
        files: what they ask of recordings
        stored: layouts and sets that they load
        working: what an operator starts or keeps, which may take long: replays, exports, uploads
        preview: of generators, which takes longest
        kinematics: of poses that somebody thought of, and the extremes
    """

    def __init__(self) -> None:
        self.operating = Turns("operating", 4, gives_way=False)
        self.telling = Turns("telling", 1, gives_way=False)
        self.looking, self.files, self.preview = Turns("looking", 3), Turns("files", 3), Turns("preview", 1)
        self.stored, self.working = Turns("stored", 1), Turns("working", 4)
        self.kinematics = Turns("kinematics", 1)

    def close(self) -> None:
        """All of them."""
        for turns in vars(self).values():
            turns.close()
