"""Tables of a TOML file read into dataclasses; every error names the file, the line, the key and what is expected."""

from __future__ import annotations

import dataclasses
import re
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass
from difflib import get_close_matches
from typing import Any, NoReturn, TypeVar, final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError, MotionBaseError
from motionbase.multibody.body import numbers_of, shown
from motionbase.multibody.loaders.toml_source import Keys, TomlSource

Part = TypeVar("Part")


@final
@dataclass(frozen=True)
class Table:
    """A table of a file.

    Attributes:
        at: the path of keys to it
        data: its contents
    """

    source: TomlSource
    at: Keys
    data: Mapping[str, Any]

    def complain(self, key: str, message: str) -> NoReturn:
        """Raise an error at a key of the table."""
        self.source.complain((*self.at, key), message)

    def refuse(self, key: str, wanted: str) -> NoReturn:
        """Raise an error about the value of a key; `wanted` is the expected value."""
        dotted = ".".join((*self.at, key))
        verb = "are" if wanted.endswith("numbers") else "is"
        self.complain(key, f"{dotted} is {shown(self.data[key])}, {wanted} {verb} wanted")

    def check_keys(self, known: Iterable[str], needed: Iterable[str]) -> None:
        """Check that every key is known and that required ones are present."""
        owner = f"[{'.'.join(self.at)}]" if self.at else "the file"
        known = tuple(known)
        for key in self.data:
            if key not in known:
                close = get_close_matches(key, known, n=1)
                guess = f"; did you mean {close[0]!r}?" if close else ""
                self.complain(key, f"{owner} has no key {key!r}; keys: {', '.join(known) or 'none'}{guess}")
        if missing := [key for key in needed if key not in self.data]:
            names = f"key{'s' if len(missing) > 1 else ''} {', '.join(map(repr, missing))}"
            self.complain(missing[0], f"{owner} needs the {names}; keys: {', '.join(known)}")

    def table(self, key: str) -> Table:
        """A table inside this one."""
        if not isinstance(self.data[key], Mapping):
            self.refuse(key, f"a table, [{'.'.join((*self.at, key))}],")
        return Table(self.source, (*self.at, key), self.data[key])

    def text(self, key: str) -> str:
        """A text."""
        if not isinstance(value := self.data[key], str):
            self.refuse(key, "a text")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts."""
        value = self.data[key]
        if not isinstance(value, list) or not all(isinstance(x, str) for x in value):
            self.refuse(key, "a list of texts")
        return tuple(value)

    def number(self, key: str) -> float:
        """A finite number."""
        value = self.data[key]
        array = None if isinstance(value, bool | list) else numbers_of(value)
        if array is None or array.shape != () or not np.isfinite(array):
            self.refuse(key, "a finite number")
        return float(array)

    def numbers(self, key: str, shape: tuple[int, ...]) -> Array:
        """Finite numbers in a list, or in lists of lists."""
        array = None if _has_truths(self.data[key]) else numbers_of(self.data[key])
        if array is None or array.shape != shape or not np.all(np.isfinite(array)):
            self.refuse(key, f"{' lists of '.join(map(str, shape))} finite numbers")
        return array

    def part(self, make: Callable[..., Part], besides: Iterable[str] = (), **given: Any) -> Part:
        """A dataclass whose fields are the table's keys, or are given here; its errors get a line."""
        hints, values = typing.get_type_hints(make), dict(given)
        fields = [f for f in dataclasses.fields(typing.cast(Any, make)) if f.init and f.name not in given]
        needed = [f.name for f in fields if f.default is MISSING and f.default_factory is MISSING]
        self.check_keys((*besides, *(f.name for f in fields)), needed)
        for field in fields:
            if field.name in self.data:
                values[field.name] = self._value(field.name, hints[field.name])
        return self.made(make, **values)

    def made(self, make: Callable[..., Part], **values: Any) -> Part:
        """Call a constructor; its error gets the line of the first key it names."""
        try:
            return make(**values)
        except MotionBaseError as e:
            words = re.findall(r"\w+", str(e))
            key = next((word for word in words if word in self.data), "")
            owner = "" if not self.at or str(e).startswith(self.at[0]) else f"[{'.'.join(self.at)}] "
            self.complain(key, f"{owner}{e}")

    def _value(self, key: str, hint: Any) -> Any:
        """A value of the declared type of a field."""
        if isinstance(hint, types.UnionType):  # an optional part
            hint = next(kind for kind in typing.get_args(hint) if kind is not type(None))
        if dataclasses.is_dataclass(hint):
            return self.table(key).part(typing.cast(Any, hint))
        if typing.get_origin(hint) is tuple:
            return tuple(self.numbers(key, (len(typing.get_args(hint)),)).tolist())
        if hint is bool or hint is int:
            if type(self.data[key]) is not hint:
                self.refuse(key, "true or false" if hint is bool else "a whole number")
            return self.data[key]
        if hint is str:
            return self.text(key)
        if typing.get_origin(hint) is typing.Literal:
            if self.data[key] not in typing.get_args(hint):
                self.refuse(key, f"one of {', '.join(map(str, typing.get_args(hint)))}")
            return self.data[key]
        if hint is not float:
            raise ModelError(f"{self.source.name}: {key!r} cannot be read from a file")
        return self.number(key)


def _has_truths(value: Any) -> bool:
    return any(map(_has_truths, value)) if isinstance(value, list) else isinstance(value, bool)
