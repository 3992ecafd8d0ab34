"""A schema from the names of columns, for CSV and foreign Parquet files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from motionbase.errors import RecordingError, SchemaError
from motionbase.record.hexapod import hexapod_schema
from motionbase.record.schema import LARGEST, Channel, Schema

TITLE = re.compile(r"\s*(?P<name>[^\[\]]*?)\s*(?:\[(?P<unit>[^\[\]]*)\])?\s*")
TIMES = ("t", "time")
OTHER = "columns"  # group of unknown channels, and schema of files that have some
POWER = "p_supply [-]"  # title of the supply of electric legs; of hydraulic ones it is a pressure


def schema_of(titles: Iterable[str], path: Path | str) -> Schema:
    """From "name" or "name [unit]"; the first is the time. Names of the standard record bring group, leg and axis."""
    titles = list(titles)
    if len(titles) > LARGEST:  # before each of them is examined
        raise RecordingError(f"recording {str(path)!r} has {len(titles)} channels, it must have 1 to {LARGEST}")
    found: list[Channel] = []
    taken: set[str] = set()
    standard = hexapod_schema(electric=any(title.strip() == POWER for title in titles))
    for k, title in enumerate(titles):
        match = TITLE.fullmatch(title)
        name, unit = (match["name"], (match["unit"] or "").strip()) if match else (title.strip(), "")
        if k == 0:
            if name.lower() not in TIMES or unit not in ("", "s"):
                raise RecordingError(
                    f"recording {str(path)!r}: the first column is {title.strip()[:60]!r}, it must be 't' or 't [s]'"
                )
            name = "t"
        found.append(_channel(standard, name, unit, taken))
        taken.add(found[-1].name)
    name = standard.name if set(found) <= set(standard.channels) else OTHER
    try:
        return Schema(name, tuple(found))
    except SchemaError as e:
        raise RecordingError(f"recording {str(path)!r}: {e}") from None


def _channel(standard: Schema, name: str, unit: str, taken: set[str]) -> Channel:
    known = standard.index.get(name)
    if known is not None and name not in taken:
        channel = standard.channels[known]
        return replace(channel, unit=unit or channel.unit)
    group, dot, _ = name.partition(".")
    return Channel(_identifier(name, taken), unit[:400] or "-", name[:400] or "-", _word(group) if dot else OTHER)


def _identifier(name: str, taken: set[str]) -> str:
    """Lower-case letters, digits and underscores, and no name twice."""
    base = wanted = _word(name)
    number = 1
    while wanted in taken:
        number += 1
        wanted = f"{base[:56]}_{number}"
    return wanted


def _word(text: str) -> str:
    word = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")
    return (word if word[:1].isalpha() else f"x_{word}".rstrip("_"))[:64]
