"""What happened, in order: changes of state, requests, faults, gaps, notes. Kept bounded, told to whoever listens."""

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
    """The last 1000 events; any thread may add.

    Attributes:
        record: gets those that belong into a recording and that the recorder cannot see by itself; must not wait
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
        """Keep it and tell it; listeners must not wait.

        Args:
            is_recorded: the recorder finds it by itself, in the ring
            age_s: how long ago it was [s]: a console that starts finds what the ring still has
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
        """Those of an earlier console, before anything else is added; they belong to no run that is drawn."""
        with self._lock:
            for event in events:
                self._number += 1
                self._kept.append(event.model_copy(update={"number": self._number, "generation": 0}))

    def last(self, source: SourceName | None = None) -> list[Event]:
        """Oldest first; of one source, or of all."""
        with self._lock:
            return [e for e in self._kept if source is None or e.source == source]

    def listen(self, listener: Listener) -> None:
        """Call it with every event from now on, in whichever thread that is."""
        with self._lock:
            self._listeners = (*self._listeners, listener)
