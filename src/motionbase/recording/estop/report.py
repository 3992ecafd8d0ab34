"""Describes an ESTOP file: cause and time, state and fault at the stop, what moved in the second before."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from motionbase.arrays import Array
from motionbase.record.faults import Fault
from motionbase.record.states import State
from motionbase.recording.estop.details import Details
from motionbase.recording.open import open_recording
from motionbase.recording.recording import Recording
from motionbase.recording.source import Damage

LOOK_BACK_S = 1.0
LEG_GROUPS = {"velocity": "leg_velocity", "force": "leg_force"}


def report(path: Path) -> dict[str, Any]:
    """Everything, as JSON has it; times are UTC, `t` is seconds since the epoch of the ring."""
    with open_recording(path) as found:
        d = Details.from_about(found.source.about, str(path))
        t = found.columns("t")["t"]  # all of them, so that damage is found
        row = _stop_row(d, t)
        whole = np.flatnonzero(~np.isnan(t))
        return {
            "path": str(path),
            "bytes": path.stat().st_size,
            **{k: v for k, v in asdict(d).items() if k not in ("first", "count")},
            "event_utc": utc(d.event_utc_ns),
            "saved_utc": utc(d.saved_utc_ns),
            "rate_hz": d.rate,
            "schema": found.schema.name,
            "channels": len(found.schema.channels),
            "platform": found.source.about.get("platform", ""),
            "first": d.first,
            "records": d.count,
            "whole_records": found.count - sum(map(_unreadable, found.damage)),
            "first_t": _finite(t[whole[0]]) if len(whole) else None,
            "last_t": _finite(t[whole[-1]]) if len(whole) else None,
            "damage": [x.text for x in found.damage],
            "at_the_stop": None if row is None else _at(found, row),
            "second_before": None if row is None else _peaks(found, t, row),
        }


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def utc(ns: int | None) -> str | None:
    """ISO 8601 to the millisecond; None without a time, or for one beyond the calendar."""
    when = moment(ns)
    return None if when is None else f"{when.strftime('%Y-%m-%dT%H:%M:%S')}.{when.microsecond // 1000:03d}Z"


def moment(ns: int | None) -> datetime | None:
    """A time [ns since 1970] as a date; None if the calendar does not reach so far."""
    try:
        return None if ns is None else datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=ns // 1000)
    except OverflowError:
        return None


def _unreadable(damage: Damage) -> int:
    """Records that are in the file, but cannot be read."""
    return 0 if damage.first is None or damage.last is None else damage.last - damage.first


def _stop_row(details: Details, t: Array) -> int | None:
    """Place of the stop among the records that the file still has."""
    if details.event is None or details.event_t is None:
        return None
    same = np.flatnonzero(t == details.event_t)
    return int(same[np.argmin(np.abs(same - (details.event - details.first)))]) if len(same) else None


def _at(found: Recording, row: int) -> dict[str, Any] | None:
    """State and fault in the record of the stop, and the state in the one before."""
    names = ("state", "fault")
    if not set(names) <= found.schema.index.keys():
        return None
    rows = _rows(found, ("t", *names), max(0, row - 1), row + 1)
    t, state, fault = rows[-1]
    before = rows[0, 1] if row else math.nan
    name, _, sentence = (found.schema.channels[found.schema.index["fault"]].meaning(fault) or "").partition(": ")
    return {
        "t": _finite(t),
        "state_before": _named(State, before),
        "state": _named(State, state),
        "fault": name.replace(" ", "_") if name else _named(Fault, fault),
        "fault_sentence": sentence or None,  # in the words of the ring's own platform
    }


def _rows(found: Recording, names: Sequence[str], first: int, last: int) -> Array:
    """(last - first, names) records of some channels."""
    return np.concatenate([values for _, values in found.pieces(names, first, last)])


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


def _peaks(found: Recording, t: Array, row: int) -> dict[str, Any]:
    """Of every leg: the largest velocity and force [SI] in the last second before the stop, and when [s]."""
    first = int(np.argmax(t[: row + 1] >= t[row] - LOOK_BACK_S))
    result: dict[str, Any] = {"records": row + 1 - first}
    for what, group in LEG_GROUPS.items():
        channels = [c for c in found.schema.channels if c.group == group and c.leg is not None]
        rows = _rows(found, [c.name for c in channels], first, row + 1) if channels else np.empty((row + 1 - first, 0))
        peaks = (_peak(t[first : row + 1], values, c.leg, c.unit) for c, values in zip(channels, rows.T, strict=True))
        result[what] = [peak for peak in peaks if peak is not None]
    return result


def _peak(t: Array, values: Array, leg: int | None, unit: str) -> dict[str, Any] | None:
    if not np.isfinite(values).any():
        return None
    at = int(np.nanargmax(np.where(np.isfinite(values), np.abs(values), np.nan)))
    return {"leg": leg, "value": float(values[at]), "unit": unit, "t": _finite(t[at])}


def largest(peaks: Sequence[dict[str, Any]]) -> str:
    """The largest peak and its leg, for people."""
    if not peaks:
        return "not recorded"
    top = max(peaks, key=lambda p: abs(p["value"]))
    when = "at an unknown time" if top["t"] is None else f"at t = {top['t']:.3f} s"
    return f"{top['value']:.4g} {top['unit']}, leg {top['leg']}, {when}"
