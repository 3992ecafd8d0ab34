"""Values of a TOML file, checked with their lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np

from motionbase.errors import ModelError
from motionbase.multibody.loaders.toml_source import Keys, TomlSource

Part = TypeVar("Part")
SINGULAR = {
    "bodies": "body",
    "joints": "joint",
    "elements": "element",
    "closures": "closure",
    "beams": "beam",
    "drives": "drive",
}


def made(source: TomlSource, at: Keys, make: Callable[..., Part], *args: Any, owner: str = "", **kwargs: Any) -> Part:
    """Call a constructor; its error gets the line."""
    try:
        return make(*args, **kwargs)
    except ModelError as e:
        source.complain(at, f"{owner}{': ' if owner else ''}{e}")


def said(at: Keys, value: Any, wanted: str) -> str:
    """The error message about a value; `wanted` is what is expected."""
    owner = f"{SINGULAR.get(at[0], at[0])} {at[1]!r}: {'.'.join(at[2:])}" if len(at) > 2 else at[0]
    try:
        shown = repr(value)
    except (ValueError, RecursionError):  # an integer with thousands of digits
        shown = type(value).__name__
    return f"{owner} is {shown if len(shown) < 60 else f'{shown[:50]} ...'}, {wanted} is wanted"


def tables(source: TomlSource, key: str) -> Mapping[str, Any]:
    """The tables of a kind, by name."""
    found = source.data.get(key, {})
    if not isinstance(found, Mapping):
        source.complain((key,), f"{key} must be tables, [{key}.NAME]")
    for name, table in found.items():
        if not isinstance(table, Mapping):
            source.complain((key, name), f"{key}.{name} must be a table, [{key}.{name}]")
    return found


def check_keys(source: TomlSource, at: Keys, table: Mapping[str, Any], known: tuple[str, ...], owner: str) -> None:
    """Check that every key is known."""
    for key in table:
        if key not in known:
            source.complain((*at, key), f"{owner} has no key {key!r}; keys: {', '.join(known)}")


def choice(source: TomlSource, at: Keys, table: Mapping[str, Any], kinds: Mapping[str, Any], owner: str) -> str:
    """The type of a part."""
    kind = table.get("type")
    if not isinstance(kind, str) or kind not in kinds:
        what = "no type" if kind is None else f"no type {kind!r}"
        source.complain((*at, "type"), f"{owner}: {what}; types: {', '.join(kinds)}")
    return kind


def text(source: TomlSource, at: Keys, value: Any, wanted: str) -> str:
    """A text."""
    if not isinstance(value, str):
        source.complain(at, said(at, value, wanted))
    return value


def number(source: TomlSource, at: Keys, value: Any, wanted: str) -> float:
    """A number, possibly an integer."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            pass
    source.complain(at, said(at, value, wanted))


def array(source: TomlSource, at: Keys, value: Any, wanted: str) -> Any:
    """Numbers in nested lists, checked one by one."""
    try:
        given = np.array(value, dtype=object)
        if given.ndim and all(isinstance(x, (int, float)) and not isinstance(x, bool) for x in given.flat):
            return given.astype(np.float64)
    except (OverflowError, ValueError):
        pass
    source.complain(at, said(at, value, wanted))


def vector(source: TomlSource, at: Keys, value: Any, wanted: str) -> Any:
    """Three numbers."""
    found = array(source, at, value, wanted)
    if found.shape != (3,):
        source.complain(at, said(at, value, wanted))
    return tuple(float(x) for x in found)


def field_value(source: TomlSource, at: Keys, value: Any, annotation: str) -> Any:
    """A value of the declared type of a dataclass field."""
    if annotation == "bool":
        if not isinstance(value, bool):
            source.complain(at, said(at, value, "true or false"))
        return value
    if annotation == "int":
        if not isinstance(value, int) or isinstance(value, bool):
            source.complain(at, said(at, value, "a whole number"))
        return value
    if annotation == "float":
        return number(source, at, value, "a number")
    if isinstance(value, str):
        return value
    if annotation == "str" or annotation.startswith("Literal"):
        source.complain(at, said(at, value, "a text"))
    if annotation.startswith("Six"):
        return array(source, at, value, "six numbers" + (" or 6x6" if annotation == "SixBySix" else ""))
    if annotation.startswith("tuple[Vector"):
        return array(source, at, value, "3x3 numbers, a rotation")
    return vector(source, at, value, "three numbers" + (", or a name" if "Point" in annotation else ""))
