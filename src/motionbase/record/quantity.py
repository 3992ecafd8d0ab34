"""A named number with a unit: base of channels, parameters, settings and arguments, with the rules for their texts."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import ClassVar, final

from motionbase.errors import MotionBaseError, SchemaError, told_apart

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
LONGEST = 1000  # largest number of letters of a unit or a description


@dataclass(frozen=True)
class Quantity:
    """Something with a name, a unit and a description.

    Attributes:
        name: the same in Python, C, TypeScript and the ring
        unit: SI, "-" for none
        description: text for users
        kind, error: first word and class of the error for an invalid quantity
    """

    kind: ClassVar[str] = "quantity"
    error: ClassVar[type[MotionBaseError]] = SchemaError

    name: str
    unit: str
    description: str

    def __post_init__(self) -> None:
        if not (isinstance(self.name, str) and NAME.fullmatch(self.name)):
            raise self.error(f"{self.kind} {self.name!r:.80}: a name is up to 64 letters, digits and _, a letter first")
        self.check_text("unit", self.unit)
        self.check_text("description", self.description)

    def check_text(self, what: str, text: object, least: int = 0, most: int = LONGEST) -> None:
        """Check the length of a text; raises an error that shows the given text."""
        if not (isinstance(text, str) and least <= len(text) <= most):
            wanted = f"a text of {least} to {most} letters is wanted"
            raise self.error(f"{self.kind} {self.name!r}: its {what} is {text!r:.80}, {wanted}")

    @property
    def after(self) -> str:
        """Text after a number: " m", or "" without a unit."""
        return "" if self.unit == "-" else f" {self.unit}"


@final
@dataclass(frozen=True)
class Setting(Quantity):
    """A number set by users, with its bounds."""

    kind: ClassVar[str] = "setting"

    low: float = -math.inf
    high: float = math.inf
    whole: bool = False

    def problem(self, value: float) -> str:
        """Why the setting must not have this value; "" if it may."""
        if not self.low <= value <= self.high:  # a NaN fails this comparison too
            number, least, most = told_apart(value, self.low, self.high, digits=6)
            return f"{self.name} is {number}{self.after}, it must be {least} to {most}"
        if self.whole and value != math.floor(value):
            return f"{self.name} is {value:.6g}, it must be a whole number"
        return ""
