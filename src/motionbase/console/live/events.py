"""What happened, in order: changes of state, faults, gaps, notes. Kept bounded, told to whoever listens."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Literal, TypeAlias, final

from motionbase.console.models import Event, SourceName

What: TypeAlias = Literal["state", "mode", "fault", "warning", "estop", "note", "gap", "writer", "seat", "recorder"]
Listener: TypeAlias = Callable[[Event], object]
KEPT = 1000


@final
class EventLog:
    """The last 1000 events; any thread may add."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: deque[Event] = deque(maxlen=KEPT)
        self._number = 0
        self._listeners: tuple[Listener, ...] = ()

    def add(
        self, what: What, text: str, *, source: SourceName = "live", generation: int = 0, t: float | None = None,
        is_bad: bool = False,
    ) -> Event:  # fmt: skip
        """Keep it and tell it; listeners must not wait."""
        with self._lock:
            self._number += 1
            event = Event(
                number=self._number, source=source, generation=generation, t=t, utc=time.time(), what=what, text=text,
                is_bad=is_bad,
            )  # fmt: skip
            self._kept.append(event)
            listeners = self._listeners
        for listener in listeners:
            listener(event)
        return event

    def last(self, source: SourceName | None = None) -> list[Event]:
        """Oldest first; of one source, or of all."""
        with self._lock:
            return [e for e in self._kept if source is None or e.source == source]

    def listen(self, listener: Listener) -> None:
        """Call it with every event from now on, in whichever thread that is."""
        with self._lock:
            self._listeners = (*self._listeners, listener)
