"""What an ESTOP file tells: why and when, the state and fault at the stop, and what moved in the second before."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from motionbase.record.faults import Fault
from motionbase.record.states import State
from motionbase.ring.snapshot import Snapshot

LOOK_BACK_S = 1.0
LEG_GROUPS = {"velocity": "leg_velocity", "force": "leg_force"}


def report(found: Snapshot, size: int) -> dict[str, Any]:
    """Everything, as JSON has it; times are UTC, `t` is seconds since the epoch of the ring."""
    d = found.details
    t = found.rows[:, 0]
    return {
        "path": str(found.path),
        "bytes": size,
        **{k: v for k, v in asdict(d).items() if k not in ("chunk_records", "first", "count")},
        "event_utc": utc(d.event_utc_ns),
        "saved_utc": utc(d.saved_utc_ns),
        "rate_hz": d.rate,
        "schema": found.schema.name,
        "channels": len(found.schema.channels),
        "platform": found.platform,
        "first": d.first,
        "records": d.count,
        "whole_records": len(t),
        "first_t": _finite(t[0]) if len(t) else None,
        "last_t": _finite(t[-1]) if len(t) else None,
        "damage": damage(found),
        "at_the_stop": _at(found),
        "second_before": _peaks(found),
    }


def damage(found: Snapshot) -> list[str]:
    """What is wrong with the file, a sentence each."""
    lost = [f"records {x.first} to {x.first + x.records - 1} of the ring are damaged or missing" for x in found.losses]
    return [*found.notes, *lost]


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def utc(ns: int | None) -> str | None:
    """ISO 8601 to the millisecond; None where there is no time, or none that a calendar has."""
    when = moment(ns)
    return None if when is None else f"{when.strftime('%Y-%m-%dT%H:%M:%S')}.{when.microsecond // 1000:03d}Z"


def moment(ns: int | None) -> datetime | None:
    """A time [ns since 1970] of the calendar."""
    try:
        return None if ns is None else datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=ns // 1000)
    except OverflowError:
        return None


def _event_row(found: Snapshot) -> int | None:
    """Place of the record at which it happened among those that are whole."""
    if found.details.event is None:
        return None
    row = int(np.searchsorted(found.numbers, found.details.event))
    return row if row < len(found.numbers) and found.numbers[row] == found.details.event else None


def _at(found: Snapshot) -> dict[str, Any] | None:
    """State and fault in the record of the stop, and the state in the one before."""
    row, index = _event_row(found), found.schema.index
    if row is None or not {"state", "fault"} <= index.keys():
        return None
    state, fault = (found.rows[row, index[name]] for name in ("state", "fault"))
    before = found.rows[row - 1, index["state"]] if row else math.nan
    name, _, sentence = (found.schema.channels[index["fault"]].meaning(fault) or "").partition(": ")
    return {
        "t": _finite(found.rows[row, 0]),
        "state_before": _named(State, before),
        "state": _named(State, state),
        "fault": name.replace(" ", "_") if name else _named(Fault, fault),
        "fault_sentence": sentence or None,  # in the words of the ring's own platform
    }


def _known(kind: type[State] | type[Fault], value: float) -> State | Fault | None:
    try:
        return kind(int(value)) if float(value).is_integer() else None
    except (ValueError, OverflowError):
        return None


def _named(kind: type[State] | type[Fault], value: float) -> str | None:
    if not math.isfinite(value):
        return None
    known = _known(kind, value)
    return known.name.lower() if known is not None else f"{value:g}"


def _peaks(found: Snapshot) -> dict[str, Any] | None:
    """Of every leg: the largest velocity and force [SI] in the last second before the stop, and when [s]."""
    row = _event_row(found)
    if row is None:
        return None
    times = found.rows[: row + 1, 0]
    first = int(np.searchsorted(times, times[-1] - LOOK_BACK_S))
    rows = found.rows[first : row + 1]
    result: dict[str, Any] = {"records": len(rows)}
    for what, group in LEG_GROUPS.items():
        channels = [c for c in found.schema.channels if c.group == group and c.leg is not None]
        result[what] = [
            peak for c in channels if (peak := _peak(rows, c.leg, c.unit, found.schema.index[c.name])) is not None
        ]
    return result


def _peak(rows: Any, leg: int | None, unit: str, place: int) -> dict[str, Any] | None:
    values = np.abs(rows[:, place])
    if not np.isfinite(values).any():
        return None
    at = int(np.nanargmax(np.where(np.isfinite(values), values, np.nan)))
    return {"leg": leg, "value": float(rows[at, place]), "unit": unit, "t": _finite(rows[at, 0])}


def largest(peaks: Sequence[dict[str, Any]]) -> str:
    """The leg with the largest one, for people."""
    if not peaks:
        return "not recorded"
    top = max(peaks, key=lambda p: abs(p["value"]))
    when = "at an unknown time" if top["t"] is None else f"at t = {top['t']:.3f} s"
    return f"{top['value']:.4g} {top['unit']}, leg {top['leg']}, {when}"
