"""An ESTOP file of the format up to version 0.1, as a source: its records are mapped."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.recording.estop.details import KIND
from motionbase.recording.mcap.messages import Event
from motionbase.recording.source import Damage, one_by_one
from motionbase.recording.sources.going_on import GoingOn
from motionbase.recording.sources.snapshot import Loss, Run, Snapshot

BLOCK = 4096  # records


@final
class EstopSource:
    """See `Source`."""

    kind = "ESTOP file"

    def __init__(self, path: Path) -> None:
        found = Snapshot.open(path)
        self.path, self.schema, self.details, self._file = path, found.schema, found.details, found
        self._blocks = [
            Run(run.first + at, run.rows[at : at + BLOCK])
            for run in found.runs
            for at in range(0, len(run.rows), BLOCK)
        ]
        self.starts = np.concatenate([[0], np.cumsum([len(b.rows) for b in self._blocks])]).astype(np.int64)
        going_on = GoingOn(self.details.dt * self.details.every)
        self._times = [going_on.time(np.array(block.rows[:, 0])) for block in self._blocks]
        self.begins = np.array([t[0] for t in self._times])
        self.ends = np.array([t[-1] for t in self._times])
        self.damage = [*(Damage(note) for note in found.notes), *(self._missing(loss) for loss in found.losses)]
        self.about = {**self.details.about(), "platform": found.platform}
        at = self.details.event_t
        self.events: Sequence[Event] = () if at is None else (Event(at, KIND, self.details.cause, is_bad=True),)
        found.require_whole()

    def _missing(self, loss: Loss) -> Damage:
        """They are not there: the records before and after them are neighbours in the recording."""
        place = sum(len(b.rows) for b in self._blocks if b.first < loss.first)
        text = f"records {loss.first} to {loss.first + loss.records - 1} of the ring are damaged or missing"
        return Damage(text, place, place)

    def read(self, block: int, places: Sequence[int]) -> tuple[Array, Array]:
        """See `Source`."""
        found = np.ascontiguousarray(self._blocks[block].rows.T[list(places)]).T
        self._file.require_whole()
        return self._times[block], found

    def read_run(self, first: int, last: int, places: Sequence[int]) -> tuple[Array, Array]:
        """See `Source`."""
        return one_by_one(self, first, last, places)

    def times(self, block: int) -> Array:
        """See `Source`."""
        return self._times[block]

    def close(self) -> None:
        """See `Source`; the file is let go when nobody looks at its records any more."""
        self._blocks.clear()
