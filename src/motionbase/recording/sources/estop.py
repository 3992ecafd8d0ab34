"""A file of the ring's last minutes, as a source: its records are mapped."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import final

import numpy as np

from motionbase.errors import RecordingError, SnapshotError
from motionbase.recording.mcap.messages import Event
from motionbase.recording.source import Array, Damage, one_by_one
from motionbase.recording.sources.going_on import GoingOn
from motionbase.ring.snapshot import Loss, Run, Snapshot

BLOCK = 4096  # records
KIND = "estop"  # of the event at which the file was saved


@final
class EstopSource:
    """See `Source`."""

    kind = "ESTOP file"

    def __init__(self, path: Path) -> None:
        try:
            found = Snapshot.open(path)
        except SnapshotError as e:
            raise RecordingError(str(e)) from None
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
        said = {k: v if isinstance(v, str) else json.dumps(v) for k, v in asdict(self.details).items() if v is not None}
        self.about = {**said, "platform": found.platform}
        at = self.details.event_t
        self.events: Sequence[Event] = () if at is None else (Event(at, KIND, self.details.cause),)
        self._require_whole()

    def _require_whole(self) -> None:
        try:
            self._file.require_whole()
        except SnapshotError as e:
            raise RecordingError(str(e)) from None

    def _missing(self, loss: Loss) -> Damage:
        """They are not there: the records before and after them are neighbours in the recording."""
        place = sum(len(b.rows) for b in self._blocks if b.first < loss.first)
        text = f"records {loss.first} to {loss.first + loss.records - 1} of the ring are damaged or missing"
        return Damage(text, place, place)

    def read(self, block: int, places: Sequence[int]) -> tuple[Array, Array]:
        """See `Source`."""
        found = np.ascontiguousarray(self._blocks[block].rows.T[list(places)]).T
        self._require_whole()
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
