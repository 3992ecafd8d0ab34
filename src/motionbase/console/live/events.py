"""The event log: changes of state, requests, faults, gaps and notes; bounded, with listeners."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import TypeAlias, final

from motionbase.console.models import Event, EventKind, SourceName

Listener: TypeAlias = Callable[[Event], object]
KEPT = 1000


@final
class EventLog:
    """The last 1000 events; thread-safe.

    Attributes:
        record: called with events that belong in a recording and that the recorder cannot find itself; must not block
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: deque[Event] = deque(maxlen=KEPT)
        self._number = 0
        self._listeners: tuple[Listener, ...] = ()
        self.record: Listener | None = None

    def add(
        self, what: EventKind, text: str, *, source: SourceName = "live", generation: int = 0, t: float | None = None,
        tick: int | None = None, person: str = "", is_bad: bool = False, is_recorded: bool = True, age_s: float = 0.0,
    ) -> Event:  # fmt: skip
        """Add an event and call the listeners, which must not block.

        Args:
            is_recorded: the recorder finds it in the ring
            age_s: time since the event [s], for those that a starting console finds in the ring
        """
        with self._lock:
            self._number += 1
            event = Event(
                number=self._number, source=source, generation=generation, t=t, tick=tick, utc=time.time() - age_s,
                what=what, text=text, person=person, is_bad=is_bad,
            )  # fmt: skip
            self._kept.append(event)
            listeners = self._listeners
        if not is_recorded and source == "live" and self.record is not None:
            self.record(event)
        for listener in listeners:
            listener(event)
        return event

    def restore(self, events: list[Event]) -> None:
        """Restore the events of an earlier console, before any others; they belong to no run on display."""
        with self._lock:
            for event in events:
                self._number += 1
                self._kept.append(event.model_copy(update={"number": self._number, "generation": 0}))

    def last(self, source: SourceName | None = None) -> list[Event]:
        """Events of one source, or of all, oldest first."""
        with self._lock:
            return [e for e in self._kept if source is None or e.source == source]

    def listen(self, listener: Listener) -> None:
        """Call a listener with every event from now on, in the thread of the event."""
        with self._lock:
            self._listeners = (*self._listeners, listener)
