"""Tracing a program: its calls, choices and loops, over values with known storage places.

A value is an expression whose symbols stand for places: inputs, results of calls, results of choices and loops. The
arithmetic between calls is ordinary CasADi; `assembly.py` divides it at the calls afterwards.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, final

import casadi as ca

from motionbase.compile.port import Port
from motionbase.compile.values import as_expression, as_value, scalars
from motionbase.errors import PortError

if TYPE_CHECKING:
    from motionbase.compile.programs import Unit

Path = tuple[int, ...]  # statement, case, statement, case, ...: from the whole program to a region inside it
Line = tuple[str, int]  # file, line
_OURS = os.path.dirname(__file__) + os.sep
_now: ContextVar[Trace | None] = ContextVar("trace", default=None)


def tracing() -> Trace | None:
    """The program being traced; None inside a leaf kernel, where everything is inlined, and outside of programs."""
    return _now.get()


@contextmanager
def traced_by(trace: Trace | None) -> Iterator[None]:
    """Record calls in this trace; in none inside a leaf kernel."""
    token = _now.set(trace)
    try:
        yield
    finally:
        _now.reset(token)


class Kind(Enum):
    """Origin of a place."""

    INPUT = "input"
    OUTPUT = "output"
    MEMORY = "memory"
    RESULT = "result"
    CONSTANT = "constant"


@final
@dataclass(eq=False)
class Place:
    """An array of the program being traced.

    Attributes:
        port: name and shape
        path: the region in which it is created
        unit: None if it may be any
        value: symbols for its numbers
    """

    port: Port
    kind: Kind
    trace: Trace
    path: Path
    unit: str | None = None
    data: tuple[float, ...] | None = None
    value: Any = None

    def unit_of(self, offset: int, size: int) -> str | None:
        """Unit of a slice."""
        if self.port.struct is not None:
            width = self.port.struct.layout.size
            return self.port.struct.layout.unit(offset % width, size) if offset % width + size <= width else None
        return None if self.unit is None or "," in self.unit else self.unit


@final
@dataclass(frozen=True, eq=False)
class At:
    """An argument that is already stored at a place; `stride` is the distance from one iteration to the next."""

    place: Place
    offset: int = 0
    stride: int = 0


@final
@dataclass(frozen=True, eq=False)
class Made:
    """An argument that is computed just before the call, into its own buffer."""

    name: str
    elements: tuple[ca.SX, ...]
    stride: int = 0


Given = At | Made


@final
@dataclass(eq=False)
class CallRecord:
    """A call, or a loop of calls if it has a count.

    Attributes:
        given: one per input
        results: one per output
        memory: places that the callee updates
        count: iterations of the loop, 0 for a single call
        independent: iterations do not depend on each other; otherwise the first results are the next first inputs
    """

    unit: Unit
    given: list[Given]
    results: list[Place]
    line: Line
    memory: list[At] = field(default_factory=list)
    count: int = 0
    independent: bool = True
    dropped: bool = False  # nothing needs it


@final
@dataclass(eq=False)
class Region:
    """Consecutive statements, and the values that the region returns."""

    path: Path = ()
    statements: list[CallRecord | ChoiceRecord] = field(default_factory=list)
    returns: list[tuple[Place, tuple[ca.SX, ...]]] = field(default_factory=list)
    line: Line = ("", 0)

    @property
    def kept(self) -> Iterator[tuple[int, CallRecord | ChoiceRecord]]:
        """Statements that are needed, with their positions."""
        return ((k, record) for k, record in enumerate(self.statements) if not record.dropped)

    def calls(self) -> Iterator[CallRecord]:
        """All calls that are needed, including those of cases."""
        for _, record in self.kept:
            if isinstance(record, CallRecord):
                yield record
            else:
                for case in record.regions:
                    yield from case.calls()

    @property
    def here(self) -> Path:
        """The position of the next statement."""
        return (*self.path, len(self.statements))


@final
@dataclass(eq=False)
class ChoiceRecord:
    """One of several regions, selected by a number; the last one serves every other number."""

    selector: ca.SX
    numbers: list[int]
    regions: list[Region]
    results: list[Place]
    line: Line
    dropped: bool = False


@final
class Trace:
    """A program being traced: its places, and the statements so far.

    Attributes:
        shared: equal operations are computed once; off while their lines are searched
    """

    def __init__(self, name: str, outer: Trace | None = None, shared: bool = True) -> None:
        self.name, self.outer = name, outer
        self.shared: bool = shared if outer is None else outer.shared
        self.outermost: Trace = self if outer is None else outer.outermost
        self.holds_nan = False  # for the outermost: whether a constant is NaN
        self.homes: dict[int, tuple[Place, int]] = {} if outer is None else outer.homes
        self.root = self.region = Region()
        self.inputs: list[Place] = []
        self.memory: list[Place] = []
        self.probes: dict[str, Any] = {}
        self.spent: set[Place] = set()  # memory that a callee has updated
        self._constants: dict[tuple[str, ...], Place] = {}

    def place(self, port: Port, kind: Kind, unit: str | None = None, data: tuple[float, ...] | None = None) -> Place:
        """A new place with symbols for its numbers."""
        made = Place(port, kind, self, self.region.path if data is None else (), unit, data)
        if data is None:
            symbol = port.symbol()
            made.value = as_value(port, symbol)
            for offset, element in enumerate(scalars(symbol, port)):
                self.homes[element.element_hash()] = (made, offset)
        return made

    def constant(self, numbers: tuple[float, ...]) -> Place:
        """A place of numbers that never change."""
        key = tuple(x.hex() for x in numbers)  # 0.0 and -0.0 are distinct
        if key not in self._constants:
            self.outermost.holds_nan |= any(map(math.isnan, numbers))
            self._constants[key] = self.place(Port("constants", len(numbers)), Kind.CONSTANT, None, numbers)
        return self._constants[key]

    def given(self, name: str, elements: Sequence[ca.SX], turns: int = 1) -> Given:
        """An argument of `turns` equal rows: its place, or what has to be computed."""
        width = len(elements) // turns
        if all(e.is_constant() for e in elements):
            numbers = tuple(float(e) for e in elements)
            if width and turns > 1 and numbers == numbers[:width] * turns:
                return At(self.constant(numbers[:width]))
            return At(self.constant(numbers), 0, width)
        return self.home(elements, turns) or Made(name, tuple(elements), width)

    def home(self, elements: Sequence[ca.SX], turns: int = 1) -> At | None:
        """The place where the numbers are already stored, row after row; None if they have to be computed."""
        homes, width = [self.homes.get(e.element_hash()) for e in elements], len(elements) // turns
        if not homes or homes[0] is None:
            return None
        place, first = homes[0]
        stride = width if turns == 1 or (second := homes[width]) is None else second[1] - first
        for k, home in enumerate(homes):
            if home is None or home[0] is not place or home[1] != first + k // width * stride + k % width:
                return None
        return At(place, first, stride)


def authors_line() -> Line:
    """File and line of the innermost frame outside the compiler."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_OURS):
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


def record_call(trace: Trace, unit: Unit, values: Sequence[Any], memory: Sequence[Any]) -> list[Any]:
    """Record a call of a unit; returns its results as values."""
    owner = f"program {trace.name!r}, call of {unit.name!r}"
    given = []
    for port, value in zip(unit.inputs, values, strict=True):
        argument = trace.given(port.name, scalars(as_expression(f"{owner}: port", port, value), port))
        check_unit(owner, port, argument)
        given.append(argument)
    updated = [_updated(trace, owner, port, value) for port, value in zip(unit.memory, memory, strict=True)]
    _ = unit.digest  # traces it, so that errors in it are found here
    results = [trace.place(port, Kind.RESULT, port.unit) for port in unit.outputs]
    trace.region.statements.append(CallRecord(unit, given, results, authors_line(), updated))
    return [place.value for place in results]


def _updated(trace: Trace, owner: str, port: Port, value: Any) -> At:
    """Memory of the program that a callee updates in place."""
    found = trace.given(port.name, scalars(as_expression(f"{owner}: port", port, value), port))
    if not isinstance(found, At) or found.place.kind is not Kind.MEMORY or found.place.trace is not trace:
        raise PortError(f"{owner}: memory {port.name!r} must be memory of the program itself, outside of loops")
    if found.place in trace.spent and found.place.port.size == port.size:
        raise PortError(f"{owner}: memory {port.name!r} is updated by another call already")
    trace.spent.add(found.place)
    return found


def check_unit(owner: str, port: Port, argument: Given | None) -> None:
    """A slice of a port must have the same unit string as the port it is passed to."""
    if isinstance(argument, At) and port.struct is None and "," not in port.unit:
        unit = argument.place.unit_of(argument.offset, port.size)
        if unit not in (None, port.unit):
            name = argument.place.port.name
            raise PortError(f"{owner}: {name!r} is in [{unit}], port {port} is not")
