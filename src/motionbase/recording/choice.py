"""Selection of channels by name, group and leg."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable

from motionbase.errors import RecordingError
from motionbase.record.schema import Schema


def chosen(
    schema: Schema, owner: str, patterns: Iterable[str] = (), groups: Iterable[str] = (), legs: Iterable[int] = ()
) -> tuple[str, ...]:
    """Names of the selected channels in the order of the schema; see `Recording.select`."""
    patterns, groups, legs = tuple(patterns), tuple(groups), tuple(legs)
    known = {c.leg for c in schema.channels if c.leg is not None}
    for group in groups:
        if group not in schema.groups:
            raise RecordingError(f"{owner}: no group {group!r}; groups: {', '.join(schema.groups)}")
    for leg in legs:
        if leg not in known:
            there = f"legs: {', '.join(map(str, sorted(known)))}" if known else "no channel belongs to a leg"
            raise RecordingError(f"{owner}: no leg {leg}; {there}")
    for pattern in patterns:
        if not any(fnmatch.fnmatchcase(c.name, pattern) for c in schema.channels):
            raise RecordingError(f"{owner}: no channel is called {pattern!r}; `motionbase info` lists them")
    if not (patterns or groups or legs):
        return tuple(schema.index)
    names = []
    for c in schema.channels:
        named = any(fnmatch.fnmatchcase(c.name, p) for p in patterns)
        grouped = bool(groups or legs) and (not groups or c.group in groups) and (not legs or c.leg in legs)
        if named or grouped:
            names.append(c.name)
    if not names:
        raise RecordingError(
            f"{owner}: no channel of leg {', '.join(map(str, legs))} is in group {', '.join(groups)}; leave out one"
        )
    return tuple(names)
