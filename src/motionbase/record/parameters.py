"""The parameters of a control law as people see them: names, units, designed values, and how far each may be tuned.

A ring's writer says this once, as JSON under the header's seal. A number's place in the parameter vector, from 0, is
how a command names it; the table leads from names to places and back.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any, ClassVar, final

from motionbase.errors import CommandError, MotionBaseError, RingError, told_apart
from motionbase.record.quantity import LONGEST, Quantity

LARGEST = 500  # numbers of all parameters: values and goals of so many fit their block of the ring
ITEM = re.compile(r"(.*?)(?:\[(\d{1,4})\])?", re.DOTALL)
TOP, KEYS = ("law", "parameters"), ("name", "unit", "description", "designed", "least", "most", "at_rest")


@final
@dataclass(frozen=True)
class Parameter(Quantity):
    """One parameter of one or more numbers.

    Attributes:
        designed: what the numbers are unless somebody tunes them
        least, most: how far each may be tuned; empty where it is fixed
        at_rest: it may be tuned only while the base rests
    """

    kind: ClassVar[str] = "parameter"
    error: ClassVar[type[MotionBaseError]] = RingError

    designed: tuple[float, ...]
    least: tuple[float, ...] = ()
    most: tuple[float, ...] = ()
    at_rest: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        for what in ("unit", "description"):
            if not getattr(self, what).isprintable():
                raise RingError(f"parameter {self.name!r}: its {what} is {getattr(self, what)!r:.80}, not printable")
        for what in ("designed", "least", "most"):
            numbers = getattr(self, what)
            if not (isinstance(numbers, tuple) and all(_is_finite(x) for x in numbers)):
                raise RingError(f"parameter {self.name!r}: {what} is {numbers!r:.80}, finite numbers are wanted")
            object.__setattr__(self, what, tuple(float(x) for x in numbers))
        if not 0 < self.size <= LARGEST or {len(self.least), len(self.most)} not in ({0}, {self.size}):
            counts = f"{self.size} numbers, {len(self.least)} and {len(self.most)} bounds"
            raise RingError(f"parameter {self.name!r} has {counts}; bounds are as many as numbers, or none")
        if any(not a <= x <= b for a, x, b in zip(self.least, self.designed, self.most, strict=False)):
            raise RingError(f"parameter {self.name!r}: its designed value is not between its bounds")
        if not isinstance(self.at_rest, bool):
            raise RingError(f"parameter {self.name!r}: at_rest is {self.at_rest!r:.40}, it must be true or false")

    @property
    def size(self) -> int:
        """Numbers."""
        return len(self.designed)

    @property
    def tunable(self) -> bool:
        """Whether it may be changed while the law runs."""
        return bool(self.least)

    def problem(self, k: int, value: float) -> str:
        """Why number k must not have this value; "" where it may."""
        label = self.label(k)
        if not self.tunable:
            return f"{label} cannot be changed while the law runs"
        if not self.least[k] <= value <= self.most[k]:  # NaN is not either
            number, least, most = told_apart(value, self.least[k], self.most[k], digits=6)
            return f"{label} is {number}{self.after}, it must be {least} to {most}"
        return ""

    def label(self, k: int) -> str:
        """How people name number k, counted from 1 where there are several."""
        return self.name if self.size == 1 else f"{self.name}[{k + 1}]"


@final
@dataclass(frozen=True)
class ParameterTable:
    """All parameters, in the order of the vector.

    Attributes:
        law: what they belong to, for people and to tell files of different laws apart
    """

    law: str
    parameters: tuple[Parameter, ...]

    def __post_init__(self) -> None:
        if not (isinstance(self.law, str) and self.law.isprintable() and len(self.law) <= LONGEST):
            raise RingError(f"parameters: law is {self.law!r:.80}, it must be a printable text")
        if len(self.starts) < len(self.parameters):
            raise RingError("parameters: two have the same name")
        if self.size > LARGEST:
            raise RingError(f"parameters: {self.size} numbers, a ring has room for {LARGEST}")

    @cached_property
    def starts(self) -> dict[str, int]:
        """Place of each parameter's first number."""
        ends = accumulate((p.size for p in self.parameters), initial=0)
        return {p.name: start for p, start in zip(self.parameters, ends, strict=False)}

    @property
    def size(self) -> int:
        """Numbers in all."""
        return sum(p.size for p in self.parameters)

    @cached_property
    def places(self) -> tuple[tuple[Parameter, int], ...]:
        """Parameter and number in it, for each place."""
        return tuple((p, k) for p in self.parameters for k in range(p.size))

    @property
    def designed(self) -> tuple[float, ...]:
        """The vector as designed."""
        return tuple(p.designed[k] for p, k in self.places)

    def parameter(self, name: str) -> Parameter:
        """By name."""
        if name not in self.starts:
            raise CommandError(f"no parameter {name!r:.80}; parameters: {', '.join(self.starts) or 'none'}")
        return next(p for p in self.parameters if p.name == name)

    def named(self, item: str) -> tuple[Parameter, range]:
        """Parameter and numbers of NAME, which are all, or of NAME[k], which is one; k counts from 1."""
        match = ITEM.fullmatch(item)
        parameter = self.parameter(match[1] if match else item)
        if match is None or match[2] is None:
            return parameter, range(parameter.size)
        if not 1 <= int(match[2]) <= parameter.size:
            raise CommandError(f"{item} is not there; {parameter.name} has numbers 1 to {parameter.size}")
        return parameter, range(int(match[2]) - 1, int(match[2]))

    def wanted(self, item: str, values: tuple[float, ...]) -> dict[int, float]:
        """Place -> value for NAME or NAME[k], with a value for each number or one for all."""
        parameter, numbers = self.named(item)
        start = self.starts[parameter.name]
        if len(values) not in (1, len(numbers)):
            raise CommandError(f"{item} has {len(numbers)} numbers, {len(values)} were given; give one or all of them")
        given = values * (len(numbers) // len(values))
        for k, value in zip(numbers, given, strict=True):
            if problem := parameter.problem(k, value):
                raise CommandError(problem)
        return {start + k: value for k, value in zip(numbers, given, strict=True)}

    @property
    def json(self) -> str:
        """The text in the ring."""
        listed = [{key: getattr(p, key) for key in KEYS} for p in self.parameters]
        return json.dumps({"law": self.law, "parameters": listed}, ensure_ascii=False)

    @staticmethod
    def from_json(text: str) -> ParameterTable:
        """The table of such a text; whatever is not one gets a sentence."""
        try:
            data: Any = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise RingError(f"the table of parameters is not JSON: {error}") from None
        if not isinstance(data, Mapping) or set(data) != set(TOP) or not isinstance(data["parameters"], list):
            raise RingError(f"the table of parameters must have {' and '.join(TOP)}, which is a list")
        return ParameterTable(data["law"], tuple(_parameter(one) for one in data["parameters"]))


def _parameter(one: Any) -> Parameter:
    if not isinstance(one, Mapping) or set(one) != set(KEYS):
        raise RingError(f"a parameter of the table must have {', '.join(KEYS)}")
    given: dict[str, Any] = {key: tuple(x) if isinstance(x, list) else x for key, x in one.items()}
    return Parameter(**given)


def _is_finite(number: object) -> bool:
    if isinstance(number, bool) or not isinstance(number, int | float):
        return False
    try:
        return math.isfinite(number)
    except OverflowError:  # a whole number beyond all doubles
        return False
