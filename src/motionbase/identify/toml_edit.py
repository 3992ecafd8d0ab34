"""New values in the text of a TOML file, with everything else, comments too, left as it is."""

from __future__ import annotations

import copy
import json
import re
import tomllib
from collections.abc import Mapping
from typing import Any, NamedTuple

from motionbase.multibody.loaders.toml_source import Keys, TomlSource

BARE = re.compile(r"[A-Za-z0-9_-]+")
LONGEST = 118  # letters of a line with a list; longer ones are broken


class Change(NamedTuple):
    """A new value, and the comment behind it."""

    value: Any
    comment: str = ""


def edited(text: str, changes: Mapping[Keys, Change]) -> str:
    """The text with these values.

    Keys are replaced or added where they stand in tables of their own; a file of another form (tables inside lines)
    is written anew, without its comments.
    """
    wanted = _with(tomllib.loads(text), changes)
    made = text
    for keys, change in changes.items():
        made = _placed(made, keys, change)
    try:
        if tomllib.loads(made) == wanted:
            return made
    except tomllib.TOMLDecodeError:
        pass
    return dumped(wanted)


def _with(data: dict[str, Any], changes: Mapping[Keys, Change]) -> dict[str, Any]:
    made = copy.deepcopy(data)
    for keys, change in changes.items():
        table = made
        for key in keys[:-1]:
            table = table.setdefault(key, {})
        table[keys[-1]] = change.value
    return made


def _placed(text: str, keys: Keys, change: Change) -> str:
    """The text with one value, replaced or added."""
    lines, source = text.splitlines(), TomlSource.of("the platform", text)
    line = f"{_key(keys[-1])} = {written(change.value)}" + (f"    # {change.comment}" if change.comment else "")
    if keys in source.lines:
        first = source.lines[keys] - 1
        last = _end(lines, first)
        lines[first:last] = [line]
    elif len(keys) == 1:
        lines.insert(0, line)
    elif keys[:-1] in source.lines:
        lines.insert(source.lines[keys[:-1]], line)
    else:
        lines += ["", f"[{'.'.join(map(_key, keys[:-1]))}]", line]
    return "\n".join(lines) + "\n"


def _end(lines: list[str], first: int) -> int:
    """Number of the line after a value that begins in this line."""
    for last in range(first + 1, len(lines) + 1):
        try:
            tomllib.loads("\n".join(lines[first:last]))
        except tomllib.TOMLDecodeError:
            continue
        return last
    return first + 1


def _key(name: str) -> str:
    return name if BARE.fullmatch(name) else json.dumps(name)


def written(value: Any) -> str:
    """A value as TOML; long lists get a line for each entry."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(key)} = {written(x)}" for key, x in value.items()) + " }"
    if isinstance(value, list | tuple):
        short = "[" + ", ".join(map(written, value)) + "]"
        return short if len(short) <= LONGEST else "[\n" + "".join(f"    {written(x)},\n" for x in value) + "]"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


def dumped(data: Mapping[str, Any], at: Keys = ()) -> str:
    """A table as TOML: its values, then the tables inside it."""
    plain = {key: x for key, x in data.items() if not _is_table(x)}
    text = "".join(f"{_key(key)} = {written(x)}\n" for key, x in plain.items())
    for key, x in data.items():
        inside = (*at, key)
        name = ".".join(map(_key, inside))
        if isinstance(x, Mapping):
            text += f"\n[{name}]\n{dumped(x, inside)}"
        elif _is_table(x):
            text += "".join(f"\n[[{name}]]\n{dumped(one, inside)}" for one in x)
    return text


def _is_table(x: Any) -> bool:
    """Whether a value stands below its header: a table, or a list of tables."""
    return isinstance(x, Mapping) or (isinstance(x, list) and bool(x) and all(isinstance(y, Mapping) for y in x))
