"""Tuned parameters in TOML files: the name of the law, and a table [parameters] of numbers or lists by name."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from motionbase.errors import CommandError
from motionbase.record.parameters import ParameterTable

TOP = ("law", "parameters")
LARGEST_FILE = 1_000_000  # largest file that is read [bytes]


def load_parameters(path: Path | str, table: ParameterTable) -> dict[int, float]:
    """Values of a file by place, checked against the table; errors give the file, the parameter and its bounds."""
    where = Path(path)
    try:
        return _wanted(_parsed(where), table)
    except CommandError as error:
        raise CommandError(f"{where}: {error}") from None


def save_parameters(tuned: Mapping[str, tuple[float, ...]], table: ParameterTable, path: Path | str) -> None:
    """Write tuned values by name, in a form that `load_parameters` reads back unchanged."""
    where = Path(path)
    if where.suffix != ".toml":
        raise CommandError(f"{where}: the name must end in .toml")
    lines = [f"law = {json.dumps(table.law)}", "", "[parameters]"]
    for name, values in tuned.items():
        parameter = table.parameter(name)
        numbers = [repr(float(v)) for v in values]
        text = numbers[0] if len(numbers) == 1 else f"[{', '.join(numbers)}]"
        lines.append(f"{name} = {text}  # [{parameter.unit}] {parameter.description}")
    try:
        where.write_text("\n".join(lines) + "\n", encoding="utf-8")
    except OSError as error:
        raise CommandError(f"{where}: cannot be written: {error.strerror or error}") from None


def _parsed(where: Path) -> dict[str, Any]:
    if where.suffix != ".toml":
        raise CommandError("the name must end in .toml")
    try:
        if where.stat().st_size > LARGEST_FILE:
            raise CommandError(f"more than {LARGEST_FILE} bytes, which no set of parameters has")
        return tomllib.loads(where.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise CommandError("not a text in UTF-8") from None
    except OSError as error:
        raise CommandError(f"cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:  # the parser raises subclasses of ValueError
        raise CommandError(f"not TOML: {error}") from None


def _wanted(data: Mapping[str, Any], table: ParameterTable) -> dict[int, float]:
    for key in data:
        if key not in TOP:
            raise CommandError(f"there is no key {key!r:.80}; keys: {', '.join(TOP)}")
    if (law := data.get("law", table.law)) != table.law:
        raise CommandError(f"it is for {law!r:.80}, this is {table.law!r}; without its line 'law' it is for any")
    given = data.get("parameters", {})
    if not isinstance(given, Mapping):
        raise CommandError("'parameters' must be a table, [parameters]")
    wanted: dict[int, float] = {}
    for name, values in given.items():
        wanted |= table.wanted(name, _numbers(name, values))
    return wanted


def _numbers(name: str, values: Any) -> tuple[float, ...]:
    listed = values if isinstance(values, list) else [values]
    if not listed or any(isinstance(x, bool) or not isinstance(x, int | float) for x in listed):
        raise CommandError(f"{name} is {values!r:.80}, it must be a number or a list of numbers")
    try:
        return tuple(float(x) for x in listed)
    except OverflowError:
        raise CommandError(f"{name} is beyond 1e308") from None
