"""A platform's file with the identified values in place of those from which identification started."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError, PlatformError
from motionbase.identify.estimates import Estimate, rounded
from motionbase.identify.of_load import PLANES
from motionbase.identify.study import Identified
from motionbase.identify.toml_edit import Change, edited
from motionbase.multibody.body import tensor_of
from motionbase.multibody.loaders.toml_source import Keys
from motionbase.platform.layout import AXES
from motionbase.platform.load import load_text
from motionbase.platform.parts import Payload

DIGITS = 6
VECTORS = {"payload.com": ("payload", "com"), "payload.inertia": ("payload", "inertia")}


def preset_text(found: Identified, text: str, source: str, day: date | None = None) -> tuple[str, tuple[str, ...]]:
    """The file, and sentences about values that it could not take.

    Args:
        text: of the platform from which identification started
        source: the recording, and when it was made
        day: of the identification; today by default
    """
    data = tomllib.loads(text)
    changes, notes = dict(_numbers(found, data)), []
    load, note = _load(found, data)
    changes |= load
    notes += note
    on = (day or date.today()).isoformat()
    names = ", ".join(sorted(".".join(keys) for keys in changes))
    changes[("sources",)] = Change(
        [*data.get("sources", []), f"identified by motionbase on {on} from {source}: {names}"]
    )
    changes[("illustrative",)] = Change(_still_illustrative(data, set(changes)))
    if "name" in data and not data["name"].endswith("-identified"):
        changes[("name",)] = Change(f"{data['name']}-identified")
    head = f"# Identified by motionbase on {on} from {source}.\n# Each such value has its 95 % interval behind it.\n"
    made = head + _headers(edited(text, changes), set(changes))
    try:
        load_text(made, "the identified platform")
    except ModelError as error:
        raise PlatformError(f"the identified values make no platform: {error}") from None
    return made, tuple(notes)


def _numbers(found: Identified, data: Mapping[str, Any]) -> Iterator[tuple[Keys, Change]]:
    """Single numbers; static friction that was not shown keeps its ratio to Coulomb friction."""
    for one in found.estimates.values():
        if one.written and one.key.rpartition(".")[0] not in VECTORS:
            value = _rounded(one.value)
            yield tuple(one.key.split(".")), Change(value, _comment(one.half, one.unit, one.nominal))
    coulomb, static = "actuator.friction.coulomb", "actuator.friction.static"
    if coulomb in found.estimates and static not in found.estimates:
        usual, now = found.platform.actuator.friction, found.estimates[coulomb].value
        value = _rounded(usual.static * now / usual.coulomb)
        why = f"not shown by the motion: in proportion to coulomb, was {usual.static:g}"
        yield tuple(static.split(".")), Change(value, why)


def _load(found: Identified, data: Mapping[str, Any]) -> tuple[dict[Keys, Change], list[str]]:
    """Centre of mass and inertia, each whole or not at all, in the axes of the file."""
    R, changes, notes = AXES[data.get("axes", "z_up")](np.eye(3)), dict[Keys, Change](), list[str]()
    com = _whole(found, "payload.com", "xyz")
    if com is not None:
        values, halves = com
        comment = f"+- {_list(halves)} m"
        changes[VECTORS["payload.com"]] = Change([_rounded(x) for x in R.T @ values], f"{comment}, identified")
    inertia = _whole(found, "payload.inertia", PLANES)
    mass = found.estimates.get("payload.mass")
    if inertia is not None and mass is not None:
        values, halves = inertia
        try:
            Payload(mass.value, found.platform.payload.com, tuple(values))
        except ModelError:
            notes.append("the identified moments of inertia are those of no body; the preset keeps its own")
        else:
            I = R.T @ tensor_of(values) @ R
            six = [I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]]
            comment = f"+- {_list(halves)} kg m^2, identified"
            changes[VECTORS["payload.inertia"]] = Change([_rounded(x) for x in six], comment)
    return changes, notes


def _whole(found: Identified, key: str, parts: str | tuple[str, ...]) -> tuple[Array, Array] | None:
    ones: list[Estimate] = [found.estimates[name] for part in parts if (name := f"{key}.{part}") in found.estimates]
    if len(ones) < len(parts):
        return None
    return np.array([one.value for one in ones]), np.array([one.half for one in ones])


def _still_illustrative(data: Mapping[str, Any], changed: set[Keys]) -> list[str]:
    """Keys of unpublished numbers without those measured now; a table with some of these is told key by key."""
    left: list[str] = []
    for dotted in data.get("illustrative", []):
        left += _without(data, tuple(dotted.split(".")), changed)
    return left


def _without(data: Mapping[str, Any], keys: Keys, changed: set[Keys]) -> list[str]:
    if keys in changed:
        return []
    if not any(one[: len(keys)] == keys for one in changed):
        return [".".join(keys)]
    place: Any = data
    for key in keys:
        place = place[key]
    if not isinstance(place, Mapping):
        return [] if isinstance(place, str) else [".".join(keys)]
    return [name for key in place for name in _without(data, (*keys, key), changed)]


def _headers(text: str, changed: set[Keys]) -> str:
    """The text with the headers of changed tables saying that not all in them is illustrative any more."""
    for table in {".".join(keys[:-1]) for keys in changed if len(keys) > 1}:
        header = re.compile(rf"(?m)^\[{re.escape(table)}\] *# illustrative.*$")
        text = header.sub(f"[{table}]    # illustrative, except what is identified", text)
    return text


def _rounded(x: float) -> float:
    return float(f"{x:.{DIGITS}g}")


def _comment(half: float, unit: str, nominal: float | None) -> str:
    was = "" if nominal is None else f", was {nominal:g}"
    return f"+- {rounded(half, 2)} {unit}".rstrip(" -") + f", identified{was}"


def _list(halves: Array) -> str:
    return ", ".join(rounded(x, 2) for x in halves)
