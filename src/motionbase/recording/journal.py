"""Events of a run, found in its records and in the requests to its ring; for recordings and the live view.

Records show states, modes, faults, warnings, stops and running generators; one watch finds changes block by block, for
the recorder, the console, and recordings made without events. Requests, tuning and stops are in the ring with the
names of their senders; each gets the time of the record in which it took effect.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, final

import numpy as np

from motionbase.arrays import Array, Flags
from motionbase.record.schema import Channel, Schema
from motionbase.ring.blocks.requests import Asked

IN_RECORDS = ("state", "mode", "fault", "warning", "estop", "generators")
"""Kinds that can be found in records."""
BY_PEOPLE = ("seat", "request", "tuning", "generators", "estop", "alarm", "warning", "note")
"""Kinds that clients may send to a recorder; docs/recorder.md lists those that the recorder itself adds."""
WATCHED = {"state": "state", "mode": "mode", "fault": "fault", "warning": "warning", "estop": "estop",
           "generators_version": "generators"}  # fmt: skip
AT_ONCE, PER_S = 20, 1.0  # limits of the events of a channel: burst and rate; more are noise, not states
LATE_ROWS = 4096  # records that a request waits at most for the one that shows it
BAD_STATES = ("abort", "stopping")
ESTOP = ("released", "acts")


class Found(NamedTuple):
    """An event at row k of the block."""

    k: int
    kind: str
    text: str
    person: str = ""
    is_bad: bool = False


@final
class Allowance:
    """A rate limit: a burst, then so many a second."""

    def __init__(self, most: int, per_s: float) -> None:
        self._most, self._per_s = most, per_s
        self._left, self._t = float(most), -np.inf

    def take(self, t: float) -> bool:
        """Take one at a time [s] of any clock; False if the limit is reached. Time that goes back adds none."""
        if t > self._t:
            self._left = min(self._most, self._left + self._per_s * (t - self._t)) if self._t > -np.inf else self._left
            self._t = t
        if self._left < 1:
            return False
        self._left -= 1
        return True


@final
class RecordWatch:
    """Finds changes in the channels of a schema that show the base's state."""

    def __init__(self, schema: Schema) -> None:
        self._watched = [(n, k, schema.channels[schema.index[n]]) for n, k in WATCHED.items() if n in schema.index]
        self._places = np.asarray([schema.index[name] for name, _, _ in self._watched], np.intp)
        self._newest: Array | None = None  # values of the last record, valid or not
        self._last: dict[str, float] = {}
        self._allowed = {name: Allowance(AT_ONCE, PER_S) for name, _, _ in self._watched}
        self._untold: dict[str, int] = {}

    @property
    def channels(self) -> tuple[str, ...]:
        """Names of the channels that it watches."""
        return tuple(name for name, _, _ in self._watched)

    def find(self, rows: Array) -> list[Found]:
        """Events in (n, channels) records that follow those of the last call; the first column is the time."""
        return self.find_in(rows[:, 0], rows[:, self._places])

    def find_in(self, t: Array, values: Array) -> list[Found]:
        """Events in times (n,) [s] and values (n, `channels`)."""
        if not len(values):
            return []
        newest, self._newest = self._newest, values[-1].copy()
        if newest is not None and not self._untold and (values == newest).all():
            return []
        found = [f for k, one in enumerate(self._watched) for f in self._of(*one, values[:, k], t)]
        return sorted(found, key=lambda f: f.k)

    def _of(self, name: str, kind: str, channel: Channel, values: Array, t: Array) -> Iterator[Found]:
        last = self._last.get(name)
        if last is not None and name in self._untold and self._allowed[name].take(float(t[0])):
            yield self._more(0, name, kind, channel, last)
        if last is not None and (values == last).all():
            return
        known = np.flatnonzero(_known(channel, values))
        if not len(known):
            return
        code = values[known]
        if channel.bits is not None:
            code = (code.astype(np.int64) & ((1 << len(channel.bits)) - 1)).astype(np.float64)
        changed = np.flatnonzero(np.diff(code, prepend=np.nan if last is None else last) != 0)
        self._last[name] = float(code[-1])
        for n, k in enumerate(changed):
            if last is None and k == 0 and code[k] == 0 and name != "state":
                continue  # a start without faults is no event
            if not self._allowed[name].take(float(t[known[k]])):
                self._untold[name] = self._untold.get(name, 0) + len(changed) - n
                return
            before = float(code[k - 1]) if k else last
            if before is not None and name in self._untold:
                yield self._more(int(known[k]), name, kind, channel, before)
            value = float(code[k])
            yield Found(int(known[k]), kind, _text(kind, channel, value), "", _is_bad(kind, channel, value))

    def _more(self, k: int, name: str, kind: str, channel: Channel, value: float) -> Found:
        """One event for the changes beyond the limit, with the last value."""
        count = self._untold.pop(name)
        times = "once more" if count == 1 else f"{count} more times"
        text = f"{kind} changed {times}, at last: {_text(kind, channel, value)}"
        return Found(k, kind, text, "", _is_bad(kind, channel, value))


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


def _known(channel: Channel, values: Array) -> Flags:
    """Which values are valid: whole numbers within the channel's words."""
    most = float(len(channel.codes)) if channel.codes else len(ESTOP) if channel.name == "estop" else 2.0**53
    with np.errstate(invalid="ignore"):
        known: Flags = (values >= 0) & (values < most) & (values == np.floor(values))
    return known


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
