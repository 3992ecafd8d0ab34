"""Events of a run, found in its records and in the requests to its ring; for recordings and the live view.

Records show states, modes, faults, warnings, stops, running generators, and what legs of a rig do; one watch finds
changes block by block, for the recorder, the console, and recordings made without events. Requests, tuning and stops
are in the ring with the names of their senders; each gets the time of the record in which it took effect.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.record.schema import Channel, Schema
from motionbase.recording.changes import Allowance, Changes, Found, are_codes
from motionbase.recording.rig_changes import RigChanges
from motionbase.ring.blocks.requests import Asked

IN_RECORDS = ("state", "mode", "fault", "warning", "estop", "generators")
"""Kinds that can be found in records."""
BY_PEOPLE = ("seat", "request", "tuning", "generators", "estop", "alarm", "warning", "note")
"""Kinds that clients may send to a recorder; docs/recorder.md lists those that the recorder itself adds."""
WATCHED = {"state": "state", "mode": "mode", "fault": "fault", "warning": "warning", "estop": "estop",
           "generators_version": "generators"}  # fmt: skip
LATE_ROWS = 4096  # records that a request waits at most for the one that shows it
BAD_STATES = ("abort", "stopping")
ESTOP = ("released", "acts")


@final
class RecordWatch:
    """Finds changes in the channels of a schema that show the state of the base and of its rig."""

    def __init__(self, schema: Schema) -> None:
        self._watched = [
            (schema.channels[schema.index[name]], Changes(kind, tells_zero=name == "state"))
            for name, kind in WATCHED.items()
            if name in schema.index
        ]
        self._rig = RigChanges(schema)
        self._places = np.asarray([schema.index[name] for name in self.names], np.intp)
        self._newest: Array | None = None  # values of the last record, valid or not

    @property
    def channels(self) -> tuple[str, ...]:
        """Names of the channels whose changes it finds."""
        return (*(channel.name for channel, _ in self._watched), *self._rig.channels)

    @property
    def names(self) -> tuple[str, ...]:
        """These, and the channels of which events tell the values."""
        return (*self.channels, *self._rig.beside)

    def find(self, rows: Array) -> list[Found]:
        """Events in (n, channels) records that follow those of the last call; the first column is the time."""
        return self.find_in(rows[:, 0], rows[:, self._places])

    def find_in(self, t: Array, values: Array) -> list[Found]:
        """Events in times (n,) [s] and values (n, `names`)."""
        if not len(values):
            return []
        changing = values[:, : len(self.channels)]
        newest, self._newest = self._newest, changing[-1].copy()
        owes = self._rig.owes or any(changes.untold for _, changes in self._watched)
        if newest is not None and not owes and (changing == newest).all():
            return []
        found = [f for k, one in enumerate(self._watched) for f in _of(*one, values[:, k], t)]
        found.extend(self._rig.find(t, values[:, len(self._watched) :]))
        return sorted(found, key=lambda f: f.k)


@final
class Journal:
    """Events of one writer: what its records show, and the requests to it, each at its record."""

    def __init__(self, schema: Schema) -> None:
        self.records = RecordWatch(schema)
        self._ack, self._tick, self._estop = (schema.index.get(n) for n in ("command_ack", "tick", "estop"))
        self._waiting: list[tuple[Asked, int]] = []  # with the number of records since
        self._allowed, self._untold = Allowance(100, 5.0), 0

    def asked(self, news: Iterable[Asked], now: float) -> None:
        """Take requests seen at a time [s] of any steady clock; they are returned with the records that follow."""
        for one in news:
            if self._allowed.take(now):
                if self._untold:
                    text = f"{self._untold} more requests came than are reported one by one"
                    self._waiting.append((Asked("request", text, "", True), 0))
                    self._untold = 0
                self._waiting.append((one, 0))
            else:
                self._untold += 1

    def find(self, rows: Array) -> list[Found]:
        """Events in rows (n, channels) that follow those of the last call, in order."""
        found = self.records.find(rows)
        if self._waiting and len(rows):
            found = sorted([*self._at_records(rows), *found], key=lambda f: f.k)
        return found

    def _at_records(self, rows: Array) -> Iterator[Found]:
        """Put each request at the first record that shows its number."""
        waiting, self._waiting = self._waiting, []
        for one, since in waiting:
            k = len(rows) - 1
            if one.number and self._ack is not None:
                shown = np.flatnonzero(rows[:, self._ack] >= one.number)
                if not len(shown) and since + len(rows) < LATE_ROWS:
                    self._waiting.append((one, since + len(rows)))
                    continue
                k = int(shown[0]) if len(shown) else k
            elif one.kind == "estop" and self._estop is not None:
                acts = np.flatnonzero(rows[:, self._estop] > 0)
                k = int(acts[0]) if len(acts) else k
            yield Found(k, one.kind, one.text, one.person, one.is_bad)

    def rest(self) -> list[Asked]:
        """Requests that no record has shown, at the end."""
        waiting, self._waiting = self._waiting, []
        return [one for one, _ in waiting]

    def tick(self, row: Array) -> int | None:
        """Tick of a record; None if it has none."""
        value = np.nan if self._tick is None else float(row[self._tick])
        return int(value) if 0 <= value < 2**53 else None


def _of(channel: Channel, changes: Changes, values: Array, t: Array) -> Iterator[Found]:
    """Changes of one channel."""
    kind = changes.kind

    def tell(_: int, code: float, __: float | None) -> tuple[str, bool]:
        return _text(kind, channel, code), _is_bad(kind, channel, code)

    most = float(len(channel.codes)) if channel.codes else len(ESTOP) if channel.name == "estop" else 2.0**53
    is_known = are_codes(values, most)
    if channel.bits is not None:
        mask = (1 << len(channel.bits)) - 1
        values = (np.where(is_known, values, 0).astype(np.int64) & mask).astype(np.float64)
    return changes.find(values, is_known, t, tell)


def _text(kind: str, channel: Channel, value: float) -> str:
    word = channel.meaning(value) if (channel.codes or channel.bits) else f"{value:g}"
    match kind:
        case "estop":
            return "the emergency stop acts" if value else "the emergency stop is released"
        case "fault":
            return f"fault {word}" if value else "no fault any more"
        case "warning":
            return f"warning {word}" if word else "no warning any more"
        case "generators":
            return f"generators version {value:.0f} run" if value else "no generators run"
    return f"{kind} {word}"


def _is_bad(kind: str, channel: Channel, value: float) -> bool:
    if kind == "state":
        return channel.meaning(value) in BAD_STATES
    return kind in ("fault", "warning", "estop") and value != 0
