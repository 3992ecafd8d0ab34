"""The parameters of a control law as users see them: names, units, designed values and tuning bounds.

The writer of a ring publishes this table once, as JSON under the header's checksum. Commands refer to a number by its
index in the parameter vector, counted from 0; the table translates between names and indices.
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

LARGEST = 500  # numbers of all parameters together: their values and goals fit the ring's block
ITEM = re.compile(r"(.*?)(?:\[(\d{1,4})\])?", re.DOTALL)
TOP, OPTIONAL = {"law", "parameters"}, {"cueing"}
KEYS = ("name", "unit", "description", "designed", "least", "most", "at_rest")


@final
@dataclass(frozen=True)
class Parameter(Quantity):
    """One parameter of one or more numbers.

    Attributes:
        designed: values unless the parameter is tuned
        least, most: tuning bounds of each number; empty if the parameter is fixed
        at_rest: it may be tuned only while the base is at rest
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
                raise RingError(f"parameter {self.name!r}: {what} is {numbers!r:.80}, it must be finite numbers")
            object.__setattr__(self, what, tuple(float(x) for x in numbers))
        if not 0 < self.size <= LARGEST or {len(self.least), len(self.most)} not in ({0}, {self.size}):
            counts = f"{self.size} numbers, {len(self.least)} and {len(self.most)} bounds"
            raise RingError(f"parameter {self.name!r} has {counts}; it must have one bound for each number, or none")
        if any(not a <= x <= b for a, x, b in zip(self.least, self.designed, self.most, strict=False)):
            raise RingError(f"parameter {self.name!r}: its designed value is not between its bounds")
        if not isinstance(self.at_rest, bool):
            raise RingError(f"parameter {self.name!r}: at_rest is {self.at_rest!r:.40}, it must be true or false")

    @property
    def size(self) -> int:
        """How many numbers the parameter has."""
        return len(self.designed)

    @property
    def tunable(self) -> bool:
        """Whether it may be changed while the law runs."""
        return bool(self.least)

    def problem(self, k: int, value: float) -> str:
        """Why number k must not have this value; "" if it may."""
        label = self.label(k)
        if not self.tunable:
            return f"{label} cannot be changed while the law runs"
        if not self.least[k] <= value <= self.most[k]:  # a NaN fails this comparison too
            number, least, most = told_apart(value, self.least[k], self.most[k], digits=6)
            return f"{label} is {number}{self.after}, it must be {least} to {most}"
        return ""

    def label(self, k: int) -> str:
        """Name of number k for users, counted from 1 if there are several."""
        return self.name if self.size == 1 else f"{self.name}[{k + 1}]"


@final
@dataclass(frozen=True)
class ParameterTable:
    """All parameters, in the order of the vector.

    Attributes:
        law: the law they belong to, shown to users and used to distinguish files of different laws
        cueing: algorithm and set of the motion cueing, for people; "" if there is none
    """

    law: str
    parameters: tuple[Parameter, ...]
    cueing: str = ""

    def __post_init__(self) -> None:
        for what, text in (("law", self.law), ("cueing", self.cueing)):
            if not (isinstance(text, str) and text.isprintable() and len(text) <= LONGEST):
                raise RingError(f"parameters: {what} is {text!r:.80}, it must be a printable text")
        if len(self.starts) < len(self.parameters):
            raise RingError("parameters: two have the same name")
        if self.size > LARGEST:
            raise RingError(f"parameters: {self.size} numbers, a ring has room for {LARGEST}")

    @cached_property
    def starts(self) -> dict[str, int]:
        """Index of the first number of each parameter."""
        ends = accumulate((p.size for p in self.parameters), initial=0)
        return {p.name: start for p, start in zip(self.parameters, ends, strict=False)}

    @property
    def size(self) -> int:
        """How many numbers the vector has."""
        return sum(p.size for p in self.parameters)

    @cached_property
    def places(self) -> tuple[tuple[Parameter, int], ...]:
        """Parameter and index within it, for each index of the vector."""
        return tuple((p, k) for p in self.parameters for k in range(p.size))

    @property
    def designed(self) -> tuple[float, ...]:
        """The vector of designed values."""
        return tuple(p.designed[k] for p, k in self.places)

    def parameter(self, name: str) -> Parameter:
        """The parameter with this name; raises `CommandError` if there is none."""
        if name not in self.starts:
            raise CommandError(f"no parameter {name!r:.80}; parameters: {', '.join(self.starts) or 'none'}")
        return next(p for p in self.parameters if p.name == name)

    def named(self, item: str) -> tuple[Parameter, range]:
        """Parameter and range of numbers for NAME (all of them) or NAME[k] (one); k counts from 1."""
        match = ITEM.fullmatch(item)
        parameter = self.parameter(match[1] if match else item)
        if match is None or match[2] is None:
            return parameter, range(parameter.size)
        if not 1 <= int(match[2]) <= parameter.size:
            raise CommandError(f"there is no {item}; {parameter.name} has numbers 1 to {parameter.size}")
        return parameter, range(int(match[2]) - 1, int(match[2]))

    def wanted(self, item: str, values: tuple[float, ...]) -> dict[int, float]:
        """Index -> value for NAME or NAME[k], given one value for each number or one for all."""
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
        """The text stored in the ring."""
        listed = [{key: getattr(p, key) for key in KEYS} for p in self.parameters]
        cueing = {"cueing": self.cueing} if self.cueing else {}
        return json.dumps({"law": self.law, **cueing, "parameters": listed}, ensure_ascii=False)

    @staticmethod
    def from_json(text: str) -> ParameterTable:
        """The table stored in a text; raises `RingError` if it is not valid."""
        try:
            data: Any = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise RingError(f"the table of parameters is not JSON: {error}") from None
        known = isinstance(data, Mapping) and TOP <= set(data) <= TOP | OPTIONAL
        if not known or not isinstance(data["parameters"], list):
            raise RingError("the table of parameters must have law and parameters, which is a list")
        return ParameterTable(data["law"], tuple(_parameter(one) for one in data["parameters"]), data.get("cueing", ""))


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
    except OverflowError:  # an integer larger than any double
        return False
