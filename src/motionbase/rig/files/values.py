"""Values of rig files: one number for all legs or one for each; dataclasses whose fields stand in several tables."""

from __future__ import annotations

import re
import typing
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn, TypeVar

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import MotionBaseError, told_apart
from motionbase.multibody.body import numbers_of
from motionbase.multibody.loaders.toml_source import Keys
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.table import Table

LEGS = 6
SLACK = 0.002  # [m] beyond the hard ends that is accepted without a key, because readings of a leg at its end lie there
LARGEST = 1e12  # of any number of a file, so that no product of some overflows
IMPOSSIBLE = MotionBaseError, ArithmeticError, ValueError

Made = TypeVar("Made")


def within(top: Table, key: str) -> Table:
    """A table of the file, empty if it is left out."""
    return top.table(key) if key in top.data else Table(top.source, (key,), {})


def number(table: Table, key: str) -> float:
    """A number that can be calculated with."""
    value = table.number(key)
    if abs(value) > LARGEST:
        table.refuse(key, f"a number of at most {LARGEST:g}")
    return value


def whole(table: Table, key: str) -> int:
    """A whole number."""
    value = number(table, key)
    if type(table.data[key]) is not int:
        table.refuse(key, "a whole number")
    return int(value)


def six(table: Table, key: str) -> Array:
    """(6,) numbers: one for all legs, or a list of one for each."""
    given = table.data[key]
    several = given if isinstance(given, list) else [given] * LEGS
    array = None if any(isinstance(x, bool | list) for x in several) else numbers_of(several)
    if array is None or array.shape != (LEGS,) or not (np.abs(array) <= LARGEST).all():
        table.refuse(key, "a number, or a list of six, one for each leg,")
    return array


def six_whole(table: Table, key: str) -> list[int]:
    """Six whole numbers: one for all legs, or a list of one for each."""
    array, given = six(table, key), table.data[key]
    if not all(type(x) is int for x in (given if isinstance(given, list) else [given])):
        table.refuse(key, "a whole number, or a list of six, one for each leg,")
    return [int(x) for x in array]


def of_legs(table: Table, make: Callable[..., Made], keys: Mapping[str, type[Any]]) -> tuple[Made, ...]:
    """Something for each leg, whose fields are six numbers each; what is wrong with one of them names the leg.

    Args:
        table: with the numbers
        make: what is made of a leg's own
        keys: fields by key, whole numbers or not; those that are missing keep their defaults
    """
    columns: dict[str, list[Any]] = {
        key: six_whole(table, key) if kind is int else six(table, key).tolist()
        for key, kind in keys.items()
        if key in table.data
    }
    made = []
    for leg in range(LEGS):
        try:
            made.append(make(**{key: column[leg] for key, column in columns.items()}))
        except IMPOSSIBLE as e:
            _blame(table, {key: (key,) for key in columns}, f"leg {leg + 1}: {e}")
    return tuple(made)


def made_of(top: Table, make: Callable[..., Made], places: Mapping[str, Keys], **given: Any) -> Made:
    """A dataclass whose fields stand at several places of a file.

    Args:
        top: the file
        make: the dataclass; a field's type says how it is read
        places: table and key of each field that may be in the file; an error that names none of them has the line of
            what it names in [axes] or [limits]
        given: other fields
    """
    hints, values = typing.get_type_hints(make), dict(given)
    for field, (name, key) in places.items():
        table = within(top, name)
        if key in table.data:
            values[field] = _read(table, key, hints[field])
    try:
        return make(**values)
    except IMPOSSIBLE as e:
        others = {key: (table, key) for table in ("axes", "limits") for key in within(top, table).data}
        _blame(top, {**others, **places}, str(e))


def needed(top: Table, *keys: str) -> None:
    """Refuse a file without these keys."""
    for key in keys:
        if key not in top.data:
            top.complain(key, f"the file needs {f'the table [{key}]' if key == 'axes' else repr(key)}")


def check_tables(top: Table, tables: Mapping[str, Iterable[str]]) -> None:
    """Refuse unknown keys of tables."""
    for name, known in tables.items():
        within(top, name).check_keys(known, ())


def keys_by_table(places: Mapping[str, Keys]) -> dict[str, tuple[str, ...]]:
    """Keys of every table of `made_of`."""
    names = dict.fromkeys(name for name, _ in places.values())
    return {name: tuple(key for table, key in places.values() if table == name) for name in names}


def lengths(top: Table, platform: Hexapod) -> tuple[Array, Array]:
    """(6,) shortest and longest lengths that are accepted [m]: of the file, or the platform's hard ends."""
    limits, ends = within(top, "limits"), platform.stroke
    least = six(limits, "least") if "least" in limits.data else np.full(LEGS, ends.hard_min - SLACK)
    most = six(limits, "most") if "most" in limits.data else np.full(LEGS, ends.hard_max + SLACK)
    for key, outside in (("least", least < ends.hard_min - SLACK), ("most", most > ends.hard_max + SLACK)):
        if outside.any():
            leg = int(np.argmax(outside))
            l, low, high = told_apart(
                float((least if key == "least" else most)[leg]), ends.hard_min - SLACK, ends.hard_max + SLACK
            )
            limits.complain(
                key, f"limits.{key} of leg {leg + 1} is {l} m; legs of {platform.name!r} can be {low} to {high} m long"
            )
    return least, most


def start_lengths(top: Table, platform: Hexapod, least: Array, most: Array) -> Array:
    """(6,) lengths at which a simulated machine stands at first [m]."""
    table = within(top, "simulated")
    if "start" not in table.data:
        usual: Array = np.clip(np.full(LEGS, platform.l_down), least, most)
        return usual
    start = six(table, "start")
    if not ((least <= start) & (start <= most)).all():
        table.complain("start", f"simulated.start is {start.tolist()} m, outside the lengths that are accepted")
    return start


def _read(table: Table, key: str, hint: Any) -> Any:
    """A value of the declared type of a field, which may also be None."""
    kinds = typing.get_args(hint) if type(None) in typing.get_args(hint) else (hint,)
    if kinds[0] is int:
        return whole(table, key)
    return number(table, key) if kinds[0] is float else six(table, key)


def _blame(table: Table, places: Mapping[str, Keys], message: str) -> NoReturn:
    """Raise an error at the line of the first field that it names and that is in the file."""
    for word in re.findall(r"\w+", message):
        keys = (*table.at, *places.get(word, ()))
        if word in places and keys in table.source.lines:
            table.source.complain(keys, message)
    table.source.complain(table.at, message)
