"""Generator sets in TOML and JSON files, with the same keys; docs/generators.md has an example."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from motionbase.errors import GeneratorError
from motionbase.record.generator_set import GeneratorSet
from motionbase.record.generators import COUNT, Generator

TOP = ("name", "generator")
DEFAULTS = {f.name: f.default for f in fields(Generator)}
KEYS = ("number", *DEFAULTS)
LARGEST = 1_000_000  # largest file that is read [bytes]


def load(path: Path | str) -> GeneratorSet:
    """The set in a .toml or .json file; errors give the file, the generator, the key and the expected value."""
    where = Path(path)
    try:
        return from_data(_parsed(where))
    except GeneratorError as error:
        raise GeneratorError(f"{where}: {error}") from None


def save(generators: GeneratorSet, path: Path | str) -> None:
    """Write a .toml or .json file that `load` reads back unchanged."""
    where = Path(path)
    text = {".toml": toml_text, ".json": json_text}.get(where.suffix)
    if text is None:
        raise GeneratorError(f"{where}: the name must end in .toml or .json")
    try:
        where.write_text(text(generators), encoding="utf-8")
    except OSError as error:
        raise GeneratorError(f"{where}: cannot be written: {error.strerror or error}") from None


def _parsed(where: Path) -> Any:
    if where.suffix not in (".toml", ".json"):
        raise GeneratorError("the name must end in .toml or .json")
    try:
        if where.stat().st_size > LARGEST:
            raise GeneratorError(f"more than {LARGEST} bytes, which no set of generators has")
        text = where.read_text(encoding="utf-8")
        return tomllib.loads(text) if where.suffix == ".toml" else json.loads(text)
    except UnicodeDecodeError:
        raise GeneratorError("not a text in UTF-8") from None
    except OSError as error:
        raise GeneratorError(f"cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:  # both parsers raise subclasses of ValueError
        raise GeneratorError(f"not {where.suffix[1:].upper()}: {error}") from None


def from_data(data: Any) -> GeneratorSet:
    """The set described by parsed TOML or JSON."""
    if not isinstance(data, Mapping):
        raise GeneratorError("the file must hold a table with 'name' and a list 'generator'")
    _check_keys("the file", data, TOP)
    listed = data.get("generator", [])
    if not isinstance(listed, list) or not all(isinstance(t, Mapping) for t in listed):
        raise GeneratorError("'generator' must be a list of tables, in TOML each under [[generator]]")
    cards: dict[int, Generator] = {}
    for place, table in enumerate(listed, start=1):
        number = table.get("number", place)
        if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= COUNT:
            raise GeneratorError(f"generator table {place}: number is {number!r:.40}, it must be 1 to {COUNT}")
        if number in cards:
            raise GeneratorError(f"generator table {place}: there is a generator {number} already")
        cards[number] = _generator(number, table)
    return GeneratorSet(tuple(cards.get(n, Generator()) for n in range(1, COUNT + 1)), data.get("name", ""))


def _generator(number: int, table: Mapping[str, Any]) -> Generator:
    """One generator from its table; on unless the table says otherwise."""
    _check_keys(f"generator {number}", table, KEYS)
    try:
        return Generator(**{"enabled": True, **{k: v for k, v in table.items() if k != "number"}})
    except GeneratorError as error:
        raise GeneratorError(f"generator {number}: {error}") from None


def _check_keys(what: str, table: Mapping[str, Any], known: tuple[str, ...]) -> None:
    for key in table:
        if key not in known:
            raise GeneratorError(f"{what}: there is no key {key!r}; keys: {', '.join(known)}")


def to_data(generators: GeneratorSet) -> dict[str, Any]:
    """The set as plain tables: only generators that are not all zero, and only values that are not defaults."""
    cards = []
    for number, g in enumerate(generators.generators, start=1):
        changed = {k: getattr(g, k) for k, default in DEFAULTS.items() if getattr(g, k) != default}
        if changed:
            place = {"number": number, "enabled": g.enabled, "space": g.space, "axes": list(g.axes), "shape": g.shape}
            cards.append({**place, **{k: v for k, v in changed.items() if k not in place}})
    return {"name": generators.name, "generator": cards}


def json_text(generators: GeneratorSet) -> str:
    """The set as JSON text."""
    return json.dumps(to_data(generators), indent=2, ensure_ascii=False) + "\n"


def toml_text(generators: GeneratorSet) -> str:
    """The set as TOML text. Texts are printable, so JSON's notation of strings, numbers and lists is valid TOML."""
    data = to_data(generators)
    lines = [f"name = {json.dumps(data['name'], ensure_ascii=False)}"]
    for card in data["generator"]:
        lines += ["", "[[generator]]", *(f"{k} = {json.dumps(v, ensure_ascii=False)}" for k, v in card.items())]
    return "\n".join(lines) + "\n"
