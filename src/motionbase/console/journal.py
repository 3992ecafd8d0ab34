"""The console's journal: actions of people go to the recorder and always into a file.

A thread does both, so a busy recorder and a slow disk delay neither pages nor the base. File and queue are bounded.
"""

from __future__ import annotations

import threading
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import final

from motionbase import private
from motionbase.console.live.events import KEPT, EventLog
from motionbase.console.models import Event
from motionbase.errors import MotionBaseError
from motionbase.recording.journal import BY_PEOPLE, IN_RECORDS
from motionbase.recording.recorder import control

WAITING = 256  # events in the queue
LARGEST = 2_000_000  # of the file, and of the one before it [bytes]
KEPT_KINDS = frozenset({*BY_PEOPLE, "recorder"} - {"warning"})  # the others can be found again in records


@final
class ConsoleJournal:
    """Journal of one ring.

    Args:
        path: of the file, one JSON object per line; the one before it has `.1` appended to its name
    """

    def __init__(self, ring: str, path: Path, events: EventLog) -> None:
        self._ring, self._path = ring, path
        self._some, self._over = threading.Condition(), False
        self._waiting: deque[tuple[Event, bool]] = deque(maxlen=WAITING)  # with whether it is for the recorder
        events.restore(self._read())
        events.record = lambda event: self._put(event, True)
        events.listen(lambda event: self._put(event, False))
        self._thread = threading.Thread(target=self._work, name="console journal", daemon=True)

    def start(self) -> None:
        """Start writing."""
        self._thread.start()

    def close(self) -> None:
        """Write the queue, and end."""
        with self._some:
            self._over = True
            self._some.notify()
        if self._thread.is_alive():
            self._thread.join(2.0)

    def _put(self, event: Event, for_recorder: bool) -> None:
        is_told_again = event.what in IN_RECORDS and not event.person  # the next console finds it in the records
        if for_recorder or (event.source == "live" and event.what in KEPT_KINDS and not is_told_again):
            with self._some:
                self._waiting.append((event, for_recorder))
                self._some.notify()

    def _work(self) -> None:
        while True:
            with self._some:
                while not self._waiting and not self._over:
                    self._some.wait()
                if not self._waiting:
                    return
                event, for_recorder = self._waiting.popleft()
            if not for_recorder:
                with suppress(OSError):
                    self._write(event)
            else:
                with suppress(MotionBaseError):  # no recorder, or too many events: the file has it
                    control.ask(
                        self._ring, "event", event.text[: control.LONGEST_NOTE], kind=event.what, person=event.person,
                        is_bad=event.is_bad, t=event.t,
                    )  # fmt: skip

    def _write(self, event: Event) -> None:
        private.make_folder(self._path.parent)
        with suppress(FileNotFoundError):
            if self._path.stat().st_size > LARGEST:
                self._path.replace(self._path.with_name(f"{self._path.name}.1"))
        with open(self._path, "a", encoding="utf-8", opener=private.opener) as file:
            file.write(event.model_dump_json() + "\n")

    def _read(self) -> list[Event]:
        """The last events of an earlier console; invalid lines are skipped."""
        found = deque[Event](maxlen=KEPT // 2)
        with suppress(OSError, UnicodeDecodeError):
            if self._path.stat().st_size <= 2 * LARGEST:
                for line in self._path.read_text("utf-8").splitlines():
                    with suppress(ValueError):
                        found.append(Event.model_validate_json(line))
        return list(found)
