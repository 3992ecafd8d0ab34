"""Output to one page: texts from a bounded queue, and frames when the page is ready for one."""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Callable
from typing import final

from starlette.websockets import WebSocket

from motionbase.errors import MotionBaseError

SILENT_S = 5.0
IN_FLIGHT = 3
FRAME_S = 1 / 60
EARLY_S = 0.002  # timers are not exact
MOST_QUEUED, MOST_QUEUED_BYTES = 256, 64 * 1024 * 1024


@final
class Outbox:
    """Queue of one page, emptied by its own task, so that a slow page delays only itself.

    Args:
        socket: of the page
        on_overflow: called with a reason if the queue is full
    """

    def __init__(self, socket: WebSocket, on_overflow: Callable[[str], object]) -> None:
        self._socket, self._on_overflow, self._loop = socket, on_overflow, asyncio.get_running_loop()
        self._queue: deque[str | bytes] = deque()
        self._queued_bytes = 0
        self._wake = asyncio.Event()
        self._sent = self._acked = 0
        self._frame_at, self._heard_at = -math.inf, math.inf
        self._sending_since: float | None = None

    def wake(self) -> None:
        """Wake the sending task."""
        self._wake.set()

    async def woken(self) -> None:
        """Wait until woken."""
        await self._wake.wait()
        self._wake.clear()

    def put(self, message: str | bytes, first: bool = False) -> None:
        """Queue a message at the end, or before all others."""
        (self._queue.appendleft if first else self._queue.append)(message)
        self._queued_bytes += len(message)
        if len(self._queue) > MOST_QUEUED or self._queued_bytes > MOST_QUEUED_BYTES:
            self._on_overflow("more is asked for than is taken")
        self._wake.set()

    async def flush(self) -> None:
        """Send the whole queue."""
        while self._queue:
            message = self._queue.popleft()
            self._queued_bytes -= len(message)
            await self.send(message)

    async def send(self, message: str | bytes) -> None:
        """Send a message at once."""
        self._sending_since = self._loop.time()
        kind = "text" if isinstance(message, str) else "bytes"
        await self._socket.send({"type": "websocket.send", kind: message})
        self._sending_since = None

    @property
    def is_stuck(self) -> bool:
        """Whether a message is being sent that the page has not taken."""
        return self._sending_since is not None

    def next_frame(self) -> int | None:
        """Number of the next frame, if the page may get one now; else None, and the task is woken later."""
        if self._sent - self._acked >= IN_FLIGHT:
            return None
        if (early := self._frame_at + FRAME_S - EARLY_S - self._loop.time()) > 0:
            self._loop.call_later(early, self._wake.set)
            return None
        return self._sent + 1

    async def send_frame(self, frame: bytes) -> None:
        """Send the frame that `next_frame` numbered."""
        now = self._loop.time()
        if self._sent == self._acked:
            self._heard_at = now
        self._sent, self._frame_at = self._sent + 1, now
        await self.send(frame)

    def acknowledge(self, frame: int) -> None:
        """The page has drawn a frame."""
        if frame > self._sent:
            raise MotionBaseError(f"frame {frame} was never sent; the last was {self._sent}")
        self._acked, self._heard_at = max(self._acked, frame), self._loop.time()
        self._wake.set()

    @property
    def behind_s(self) -> float:
        """How long the page has not acknowledged or taken data [s]; 0 if it keeps up."""
        since = [self._heard_at] if self._sent > self._acked else []
        since += [self._sending_since] if self._sending_since is not None else []
        return max((self._loop.time() - one for one in since), default=0.0)

    @property
    def why_lost(self) -> str:
        """Why a page counts as lost: it has acknowledged or taken nothing for 5 s; "" if it is alive."""
        now = self._loop.time()
        if self._sent > self._acked and now - self._heard_at > SILENT_S:
            return f"no frame was acknowledged for {SILENT_S:g} s"
        if self._sending_since is not None and now - self._sending_since > SILENT_S:
            return f"nothing was taken for {SILENT_S:g} s"
        return ""
