"""Changes of state, mode, fault, warning and emergency stop, found record by record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from motionbase.console.live.events import What
from motionbase.console.live.levels import Array
from motionbase.ring.schema import Channel, Schema

WATCHED: tuple[What, ...] = ("state", "mode", "fault", "warning", "estop")
MOST_IN_A_TURN = 20  # of one channel: a channel that changes with every record is not one of states
BAD_STATES = ("abort", "stopping")
ESTOP = ("released", "acts")


class Change(NamedTuple):
    """At a record with time t [s]."""

    t: float
    what: What
    text: str
    is_bad: bool


@final
class ChangeFinder:
    """Of the channels of one schema that are called so; others are left alone."""

    def __init__(self, schema: Schema) -> None:
        self._watched = [(name, schema.channels[schema.index[name]]) for name in WATCHED if name in schema.index]
        self._places = np.asarray([schema.index[channel.name] for _, channel in self._watched], np.intp)
        self._newest: Array | None = None  # values of the last record, whatever they mean
        self._last: dict[str, float] = {}

    def find(self, rows: Array) -> list[Change]:
        """In rows (n, channels) that follow those of the last call, in order of time."""
        values = rows[:, self._places]
        newest, self._newest = self._newest, values[-1]
        if newest is not None and (values == newest).all():
            return []
        found = [
            c for k, (name, channel) in enumerate(self._watched) for c in self._of(name, channel, values[:, k], rows)
        ]
        return sorted(found, key=lambda c: c.t)

    def _of(self, name: What, channel: Channel, values: Array, rows: Array) -> Iterator[Change]:
        last = self._last.get(name)
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
        for k in changed[:MOST_IN_A_TURN]:
            if last is None and k == 0 and code[k] == 0 and name != "state":
                continue  # nothing wrong at the start is nothing to tell
            t, value = float(rows[known[k], 0]), float(code[k])
            yield Change(t, name, _text(name, channel, value), _is_bad(name, channel, value))
        if (more := len(changed) - MOST_IN_A_TURN) > 0:
            yield Change(float(rows[-1, 0]), name, f"{name} changed {more} more times", False)


def _known(channel: Channel, values: Array) -> NDArray[np.bool_]:
    """Numbers that say something: whole ones, within the channel's words."""
    most = 2.0**53 if channel.bits is not None else float(len(channel.codes or ESTOP))
    with np.errstate(invalid="ignore"):
        known: NDArray[np.bool_] = (values >= 0) & (values < most) & (values == np.floor(values))
    return known


def _text(name: What, channel: Channel, value: float) -> str:
    word = channel.meaning(value) if (channel.codes or channel.bits) else f"{value:g}"
    match name:
        case "estop":
            return "the emergency stop acts" if value else "the emergency stop is released"
        case "fault":
            return f"fault {word}" if value else "no fault any more"
        case "warning":
            return f"warning {word}" if word else "no warning any more"
    return f"{name} {word}"


def _is_bad(name: What, channel: Channel, value: float) -> bool:
    if name == "state":
        return channel.meaning(value) in BAD_STATES
    return name in ("fault", "warning", "estop") and value != 0
