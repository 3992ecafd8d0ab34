"""The text of a TOML file with the line of every key, for errors that name the line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, final

from motionbase.errors import ModelError

Keys = tuple[str, ...]
_KEY = r"""[A-Za-z0-9_-]+|"[^"]*"|'[^']*'"""
_DOTTED = rf"\s*(?:{_KEY})(?:\s*\.\s*(?:{_KEY}))*\s*"
_HEADER = re.compile(rf"^\s*\[\[?({_DOTTED})\]\]?")
_ASSIGNED = re.compile(rf"^({_DOTTED})=")


@final
@dataclass(frozen=True)
class TomlSource:
    """A file, its contents, and the lines of its keys.

    Attributes:
        name: the file name as given
        lines: line of each key, by its path; tomllib does not provide lines, so they are found in the text
    """

    name: str
    data: dict[str, Any]
    lines: Mapping[Keys, int]

    @classmethod
    def read(cls, path: Path | str) -> TomlSource:
        """Read and parse a file; raises `ModelError` for anything wrong."""
        return cls.of(str(path), read_text(path))

    @classmethod
    def of(cls, name: str, text: str) -> TomlSource:
        """Parse a text; `name` is used in errors."""
        try:
            return cls(name, tomllib.loads(text), _lines(text))
        except tomllib.TOMLDecodeError as e:
            raise ModelError(f"{name}: not TOML: {e}") from None
        except (RecursionError, ValueError) as e:  # nested too deeply; integers with thousands of digits
            raise ModelError(f"{name}: cannot be read as TOML: {e}") from None

    def line(self, keys: Keys) -> int | None:
        """Line of a key, or of its nearest parent."""
        for n in range(len(keys), 0, -1):
            if keys[:n] in self.lines:
                return self.lines[keys[:n]]
        return None

    def located(self, keys: Keys, message: str) -> str:
        """The message, prefixed with the file and the line of the keys."""
        line = self.line(keys)
        return f"{self.name}{'' if line is None else f', line {line}'}: {message}"

    def complain(self, keys: Keys, message: str) -> NoReturn:
        """Raise an error at the line of the keys."""
        raise ModelError(self.located(keys, message))


def read_text(path: Path | str) -> str:
    """A file's text; raises `ModelError` if it cannot be read."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ModelError(f"{path}: not a text in UTF-8") from None
    except (OSError, ValueError) as e:
        reason = e.strerror if isinstance(e, OSError) and e.strerror else str(e)
        raise ModelError(f"{path}: cannot be read: {reason}") from None


def _lines(text: str) -> dict[Keys, int]:
    """First line of each table header and key; approximate for keys inside multi-line values."""
    found: dict[Keys, int] = {}
    counts: dict[Keys, int] = {}
    table: Keys = ()
    element: Keys = ()  # a table in a list also has its index as a key: fault, 0
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _HEADER.match(line):
            table = element = _names(header[1])
            if line.lstrip().startswith("[["):
                element = (*table, str(counts.get(table, 0)))
                counts[table] = counts.get(table, 0) + 1
            own: Keys = ()
        elif assigned := _ASSIGNED.match(line):
            own = _names(assigned[1])
        else:
            continue
        for keys in (table + own, element + own):
            for n in range(1, len(keys) + 1):
                found.setdefault(keys[:n], number)
    return found


def _names(dotted: str) -> Keys:
    return tuple(part.strip("\"'") for part in re.findall(_KEY, dotted))
