"""Options of worlds as data, as they may appear in a URL; each is checked, with one sentence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple, final

from motionbase.errors import UsageError, unknown

Value = float | str


@final
class Number(NamedTuple):
    """An option that is a number; `usual` is its default, `text` describes it."""

    name: str
    text: str
    usual: float
    low: float
    high: float
    unit: str = "-"

    def read(self, where: str, given: str) -> float:
        """The value in a text."""
        try:
            value = float(given)
        except ValueError:
            value = math.nan
        if not self.low <= value <= self.high:
            unit = "" if self.unit == "-" else f" {self.unit}"
            raise UsageError(f"{where}: {self.name} is {given!r:.60}, it must be {self.low:g} to {self.high:g}{unit}")
        return value


@final
class Choice(NamedTuple):
    """An option with a few possible values."""

    name: str
    text: str
    usual: str
    choices: tuple[str, ...]

    def read(self, where: str, given: str) -> str:
        """One of the choices."""
        if given not in self.choices:
            raise UsageError(f"{where}: {self.name} is {given!r:.60}, it must be {' or '.join(self.choices)}")
        return given


@final
class Text(NamedTuple):
    """An option that its world checks itself, such as the name of a file."""

    name: str
    text: str
    usual: str = ""

    def read(self, where: str, given: str) -> str:
        """As it is."""
        return given


Option = Number | Choice | Text


def read_options(where: str, known: Sequence[Option], given: Mapping[str, str]) -> dict[str, Value]:
    """All options with their values, given or default; raises `UsageError` with one sentence.

    Args:
        where: start of that sentence
    """
    by_name = {option.name: option for option in known}
    for name in given:
        if name not in by_name:
            raise UsageError(f"{where}: {unknown('option', name, by_name)}")
    return {
        name: option.read(where, given[name]) if name in given else option.usual for name, option in by_name.items()
    }
