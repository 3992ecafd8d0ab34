"""The layout of a record: a row of float64 channels, each with a name, a unit, and a leg, axis or sensor group."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import Any, ClassVar, final

from motionbase.errors import SchemaError
from motionbase.record.axes import DOFS, LEGS
from motionbase.record.quantity import Quantity

NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
LARGEST = 65_536  # channels
LONGEST = 400  # letters of one text
MOST_WORDS = 256  # codes of a channel; bits beyond the 53rd are never set


@final
@dataclass(frozen=True)
class Channel(Quantity):
    """One float64 of every record; formulas, columns and message fields all use its name.

    Attributes:
        group: the sensor or computation it belongs to
        leg: 1 to 6 as shown to users, or None
        dof: surge, sway, heave, roll, pitch or yaw, or None
        codes: meanings of the numbers 0, 1, 2 ... if the channel holds a code; or None
        bits: meanings of the bits, lowest first, if the channel holds a set of bits; or None
    """

    kind: ClassVar[str] = "channel"

    group: str
    leg: int | None = None
    dof: str | None = None
    codes: tuple[str, ...] | None = None
    bits: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        for what, text in (("name", self.name), ("group", self.group)):
            if not (isinstance(text, str) and NAME.fullmatch(text)):
                raise SchemaError(
                    f"channel {self.name!r}: {what} {text!r} must be lower-case letters, digits and underscores, "
                    "starting with a letter, 64 at most"
                )
        for what, text in (("unit", self.unit), ("description", self.description)):
            self.check_text(what, text, 1, LONGEST)
        if self.leg is not None and self.leg not in LEGS:
            raise SchemaError(f"channel {self.name!r}: leg {self.leg!r}, it must be 1 to 6 or none")
        if self.dof is not None and self.dof not in DOFS:
            raise SchemaError(f"channel {self.name!r}: dof {self.dof!r}, it must be one of {', '.join(DOFS)} or none")
        for what, words in (("codes", self.codes), ("bits", self.bits)):
            if words is not None:
                object.__setattr__(self, what, _words(self.name, what, words))

    def meaning(self, value: float) -> str | None:
        """Meaning of a code or a set of bits; None for a physical quantity or an unknown code."""
        if not (0 <= value < 2**53 and value == int(value)):
            return None
        if self.codes is not None:
            return self.codes[int(value)] if value < len(self.codes) else None
        if self.bits is not None:
            return ", ".join(word for k, word in enumerate(self.bits) if int(value) >> k & 1)
        return None


@final
@dataclass(frozen=True)
class Schema:
    """The channels of a record, in order; the first is the time since the ring's epoch [s]."""

    name: str
    channels: tuple[Channel, ...]

    def __post_init__(self) -> None:
        if not (isinstance(self.name, str) and NAME.fullmatch(self.name)):
            raise SchemaError(f"schema {self.name!r}: its name must be lower-case letters, digits and underscores")
        if not 1 <= len(self.channels) <= LARGEST:
            raise SchemaError(f"schema {self.name!r} has {len(self.channels)} channels, it must have 1 to {LARGEST}")
        first = self.channels[0]
        if (first.name, first.unit) != ("t", "s"):
            raise SchemaError(
                f"schema {self.name!r}: the first channel is {first.name!r} [{first.unit}], it must be 't' [s]"
            )
        if len(self.index) < len(self.channels):
            names = [c.name for c in self.channels]
            double = next(n for n in names if names.count(n) > 1)
            raise SchemaError(f"schema {self.name!r}: two channels are called {double!r}")

    @cached_property
    def index(self) -> dict[str, int]:
        """Index of every channel in a record."""
        return {c.name: k for k, c in enumerate(self.channels)}

    @cached_property
    def groups(self) -> dict[str, tuple[str, ...]]:
        """Names of the channels by group, both in order of appearance."""
        found: dict[str, list[str]] = {}
        for channel in self.channels:
            found.setdefault(channel.group, []).append(channel.name)
        return {group: tuple(names) for group, names in found.items()}

    @property
    def record_bytes(self) -> int:
        """Size of a record [bytes]."""
        return 8 * len(self.channels)

    def places(self, names: Iterable[str]) -> list[int]:
        """Indices of channels, by name."""
        return [self.place(name) for name in names]

    def place(self, name: str) -> int:
        """Index of a channel, by name; raises `SchemaError` if there is none."""
        if name not in self.index:
            near = [n for n in self.index if name in n] or list(self.index)
            listed = ", ".join(near[:8]) + (", ..." if len(near) > 8 else "")
            raise SchemaError(f"schema {self.name!r} has no channel {name!r}; channels: {listed}")
        return self.index[name]

    @cached_property
    def json(self) -> str:
        """The canonical text: sorted keys, no spaces, no None values."""
        channels = [{k: v for k, v in asdict(c).items() if v is not None} for c in self.channels]
        return json.dumps({"name": self.name, "channels": channels}, sort_keys=True, separators=(",", ":"))

    @cached_property
    def hash(self) -> bytes:
        """SHA-256 of the canonical text (32 bytes): two schemas are equal if and only if their hashes are."""
        return hashlib.sha256(self.json.encode()).digest()

    @staticmethod
    def from_json(text: str) -> Schema:
        """The schema described by a text; raises `SchemaError` if it is not valid."""
        try:
            given = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise SchemaError(f"the schema is not JSON: {error}") from None
        if not (isinstance(given, dict) and isinstance(given.get("channels"), list)):
            raise SchemaError("the schema must be an object with 'name' and a list of 'channels'")
        return Schema(str(given.get("name")), tuple(_channel(k, c) for k, c in enumerate(given["channels"])))


def _words(channel: str, what: str, words: Any) -> tuple[str, ...]:
    if not isinstance(words, list | tuple) or not 1 <= len(words) <= MOST_WORDS:
        raise SchemaError(f"channel {channel!r}: {what} are {words!r:.80}, a list of 1 to {MOST_WORDS} texts is wanted")
    for word in words:
        if not (isinstance(word, str) and word.isprintable() and 0 < len(word) <= LONGEST):
            raise SchemaError(
                f"channel {channel!r}: {what} has {word!r:.80}, a text of 1 to {LONGEST} letters is wanted"
            )
    return tuple(words)


def _channel(at: int, given: Any) -> Channel:
    known = {f.name for f in fields(Channel)}
    if not isinstance(given, dict) or not given.keys() <= known or not {"name", "unit", "group"} <= given.keys():
        raise SchemaError(f"channel {at} of the schema is {given!r:.80}; its keys are {', '.join(sorted(known))}")
    return Channel(**{"description": "-", **given})
