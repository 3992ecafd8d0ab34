"""Drives in TOML files: numbers, tables with a type, and lists of those for inputs of several numbers."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from motionbase.multibody import drives
from motionbase.multibody.drives import AbstractDrive
from motionbase.multibody.loaders.toml_source import Keys, TomlSource
from motionbase.multibody.loaders.toml_values import array, check_keys, choice, made, number, said, text

DRIVES: dict[str, type[Any]] = {
    "constant": drives.Constant,
    "ramp": drives.Ramp,
    "step": drives.Step,
    "sine": drives.Sine,
    "cosine": drives.Cosine,
    "table": drives.Table,
    "sum": drives.Sum,
    "product": drives.Product,
    "input": drives.Input,
}
WANTED = "a number, a table with a type, or a list of those"


def drives_of(source: TomlSource) -> dict[str, AbstractDrive | tuple[AbstractDrive, ...]]:
    """The drives of a file, by input."""
    found = source.data.get("drives", {})
    if not isinstance(found, Mapping):
        source.complain(("drives",), "drives must be a table of INPUT = drive")
    return {name: _several(source, ("drives", name), given) for name, given in found.items()}


def _several(source: TomlSource, at: Keys, given: Any) -> AbstractDrive | tuple[AbstractDrive, ...]:
    if isinstance(given, list):
        return tuple(_drive(source, at, part) for part in given)
    return _drive(source, at, given)


def _drive(source: TomlSource, at: Keys, given: Any) -> AbstractDrive:
    owner = f"drive {at[1]!r}"
    if isinstance(given, (int, float)) and not isinstance(given, bool):
        return drives.Constant(number(source, at, given, WANTED))
    if not isinstance(given, Mapping):
        source.complain(at, said((*at, "value"), given, WANTED))
    kind = choice(source, at, given, DRIVES, owner)
    fields = {field.name: field for field in dataclasses.fields(DRIVES[kind])}
    check_keys(source, at, given, ("type", *fields), f"{owner} of type {kind}")
    for field in fields.values():
        if field.default is dataclasses.MISSING and field.name not in given:
            source.complain(at, f"{owner}: no {field.name}; a {kind} needs it")
    values = {key: _value(source, (*at, key), given[key], str(fields[key].type)) for key in given if key != "type"}
    drive: AbstractDrive = made(source, at, DRIVES[kind], owner=owner, **values)
    return drive


def _value(source: TomlSource, at: Keys, value: Any, annotation: str) -> Any:
    if annotation == "float":
        return number(source, at, value, "a number")
    if annotation == "tuple[float, ...]":
        return array(source, at, value, "a list of numbers")
    if annotation.startswith("tuple["):
        if not isinstance(value, list):
            source.complain(at, said(at, value, "a list of drives"))
        return tuple(_drive(source, (at[0], at[1]), part) for part in value)
    return text(source, at, value, "a text")
