"""Structs: named quantities that belong together, stored as one array in compiled code and accessed by name in Python.

    class Latch(Struct):
        fault: SX = q("-", text="the first fault")
        low: SX = q("s", text="time of low supply")
        closed: SX = q("-", 6, "1 for legs that are closed")

A struct is one port: its quantities are stored one after the other, matrices row by row. `q(of=Leg, rows=6)` is six
structs, row by row; their quantities are then columns, and `for_each` passes on one of the six at a time.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self, cast, dataclass_transform, final

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array
from motionbase.compile.port import Port
from motionbase.errors import KernelError, PortError
from motionbase.record.quantity import Quantity

MIXED = "SI, mixed"  # the comma tells the compiler that parts of such a port may have any unit


def q(
    unit: str | Quantity = "-",
    shape: int | tuple[int, ...] = (),
    text: str = "",
    *,
    start: float | tuple[float, ...] = 0.0,
    least: float | tuple[float, ...] = -math.inf,
    most: float | tuple[float, ...] = math.inf,
    tunable: bool = False,
    at_rest: bool = False,
    of: type[Struct] | None = None,
    rows: int = 0,
) -> Any:
    """A quantity of a struct: unit, shape, text, initial value and bounds; or another struct, or rows of one.

    A quantity of the record may replace the unit: it provides the unit and, unless given, the text.
    """
    if of is not None:
        return Spec(of=of, rows=rows, text=text)
    if isinstance(unit, Quantity):
        text = text or unit.description
        unit = unit.unit
    return Spec(Port("quantity", shape, unit, text, None, None, start, least, most, tunable, at_rest))


@final
@dataclass(frozen=True)
class Spec:
    """The arguments of `q`: a quantity without its name."""

    port: Port | None = None
    of: type[Struct] | None = None
    rows: int = 0
    text: str = ""

    def named(self, name: str) -> Port:
        """The port of the quantity, with its name in the struct."""
        if self.of is None:
            assert self.port is not None
            return replace(self.port, name=name)
        return self.of.port(name, self.text, self.rows)


@final
@dataclass(frozen=True)
class Placed:
    """A quantity with its position in the array of the outermost struct.

    Attributes:
        name: names from the outermost struct inwards
        offset: index of its first number; in rows, that of the first row
        turns: for rows, the increments for row i, such as `3 i`
    """

    name: tuple[str, ...]
    offset: int
    port: Port
    turns: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """`7`, or `7 + 3 i` in rows."""
        return " + ".join((str(self.offset), *self.turns))


@final
@dataclass(frozen=True)
class Layout:
    """Quantities stored one after the other in one vector."""

    ports: tuple[Port, ...]

    @cached_property
    def starts(self) -> dict[str, int]:
        """Offset of each quantity."""
        ends = np.cumsum([0, *(p.size for p in self.ports)])
        return {p.name: int(start) for p, start in zip(self.ports, ends, strict=False)}

    @cached_property
    def size(self) -> int:
        """Number of numbers."""
        return sum(p.size for p in self.ports)

    def port(self, name: str, description: str = "") -> Port:
        """The vector as a port of plain numbers."""
        return Port(name, self.size, MIXED, description)

    def find(self, name: str) -> Port:
        """The quantity with this name."""
        for port in self.ports:
            if port.name == name:
                return port
        raise PortError(f"no quantity {name!r}; there are: {', '.join(p.name for p in self.ports)}")

    def part(self, vector: Array, name: str) -> Array:
        """The numbers of a quantity in an array of vectors, whose last axis is the vector; a view."""
        start = self.starts[name]
        return vector[..., start : start + self.find(name).size]

    def vector(self, values: Mapping[str, ArrayLike] | None = None) -> Array:
        """The initial values, some of them replaced by name."""
        out = np.concatenate([p.start_values for p in self.ports]) if self.ports else np.empty(0)
        for name, value in (values or {}).items():
            size, given = self.find(name).size, np.asarray(value, dtype=np.float64)
            if given.size not in (1, size):
                raise PortError(f"quantity {name!r} has {size} numbers, {given.size} were given")
            self.part(out, name)[:] = given.ravel()
        return out

    def unit(self, offset: int, size: int) -> str | None:
        """Unit of a slice: that of the quantity it lies in; None if it spans several or has any unit."""
        for port in self.ports:
            start = self.starts[port.name]
            if start <= offset and offset + size <= start + port.size:
                if port.struct is not None:
                    width = port.struct.layout.size
                    return port.struct.layout.unit((offset - start) % width, size)
                return None if "," in port.unit else port.unit
        return None

    def described(self, first: int = 0, of: tuple[str, ...] = (), turns: tuple[str, ...] = ()) -> Iterator[Placed]:
        """Every quantity, inner structs replaced by theirs; rows of structs are listed first, then their quantities."""
        for port in self.ports:
            at, name, inner = first + self.starts[port.name], (*of, port.name), port.struct
            if inner is None or port.rows:
                yield Placed(name, at, port, turns)
            if inner is not None:
                stride = (f"{inner.layout.size} {'ijkn'[len(turns) % 4]}",) if port.rows else ()
                yield from inner.layout.described(at, name, (*turns, *stride))

    def element(self, offset: int) -> str:
        """Name of a number for users: `low`, `closed[3]`, `legs[2].l`."""
        for port in self.ports:
            if 0 <= (k := offset - self.starts[port.name]) < port.size:
                return port.element(k)
        raise PortError(f"no quantity stands at {offset}; there are {self.size} numbers")


@dataclass_transform(frozen_default=True, field_specifiers=(q,))
class Struct:
    """Base of all structs; a subclass lists its quantities as `name: SX = q(...)`, and instances hold expressions.

    Attributes:
        layout: its quantities, in order
    """

    layout: ClassVar[Layout] = Layout(())
    _rows: int  # 0 for one struct, else the number of rows of its quantities

    def __init_subclass__(cls) -> None:
        specs = {name: value for name, value in vars(cls).items() if isinstance(value, Spec)}
        for name in specs:
            delattr(cls, name)
        ports = (*cls.layout.ports, *(spec.named(name) for name, spec in specs.items()))
        if len({p.name for p in ports}) < len(ports):
            raise KernelError(f"struct {cls.__name__!r}: two quantities have one name")
        cls.layout = Layout(ports)

    def __init__(self, *values: Any, **named: Any) -> None:
        names = [p.name for p in self.layout.ports]
        given = dict(zip(names, values, strict=False)) | named
        if len(values) > len(names) or len(given) != len(values) + len(named) or given.keys() != set(names):
            missing, unknown = [n for n in names if n not in given], [n for n in given if n not in names]
            what = f"{missing[0]!r} is not given" if missing else f"there is no {unknown[0]!r}" if unknown else "twice"
            raise KernelError(f"struct {type(self).__name__!r}: {what}; quantities: {', '.join(names)}")
        fields = {p.name: _fitting(type(self).__name__, p, given[p.name]) for p in self.layout.ports}
        self._fill(fields, 0)

    def _fill(self, fields: Mapping[str, Any], rows: int) -> None:
        for name, value in (*fields.items(), ("_rows", rows)):
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a struct does not change: use .replace({name}=...)")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(p.name for p in self.layout.ports)})"

    def replace(self, **changes: Any) -> Self:
        """A copy with some quantities replaced."""
        kept = {p.name: getattr(self, p.name) for p in self.layout.ports}
        if self._rows:
            raise KernelError(f"rows of {type(self).__name__} are changed one by one, in for_each")
        return type(self)(**(kept | changes))

    @classmethod
    def port(cls, name: str, description: str = "", rows: int = 0) -> Port:
        """The struct, or rows of it, as one port."""
        size = cls.layout.size
        units = {p.unit for p in cls.layout.ports}
        unit = units.pop() if len(units) == 1 else MIXED
        starts = tuple(cls.layout.vector().tolist()) if size else 0.0
        return Port(name, (rows, size) if rows else size, unit, description, None, cls, starts)

    @classmethod
    def of(cls, numbers: Any, rows: int = 0) -> Self:
        """From consecutive numbers (or one row for each struct): expressions in the shapes of the quantities."""
        fields, start = {}, 0
        for port in cls.layout.ports:
            part = numbers[:, start : start + port.size] if rows else numbers[start : start + port.size]
            start += port.size
            if port.struct is not None:
                inner = _matrix(part, port.rows, port.struct.layout.size) if port.rows else part
                fields[port.name] = port.struct.of(inner, port.rows or rows)
            else:
                fields[port.name] = part if rows or len(port.dims) < 2 else _matrix(part, *port.dims)
        made = object.__new__(cls)
        made._fill(fields, rows)
        return made

    @classmethod
    def of_columns(cls, **columns: Any) -> Self:
        """Rows of the struct from a column (or a matrix with a row for each) of every quantity, by name."""
        names = [p.name for p in cls.layout.ports]
        if columns.keys() != set(names):
            raise KernelError(f"struct {cls.__name__!r}: columns are {', '.join(columns)}; wanted: {', '.join(names)}")
        numbers = ca.horzcat(*(ca.densify(ca.SX(columns[name])) for name in names))
        if numbers.shape[1] != cls.layout.size:
            raise KernelError(f"struct {cls.__name__!r}: {numbers.shape[1]} columns, {cls.layout.size} are wanted")
        return cls.of(numbers, numbers.shape[0])

    @classmethod
    def with_quantities(cls, **quantities: Any) -> type[Self]:
        """The struct with some of its quantities redefined, for those that depend on a model."""
        ports = tuple(quantities[p.name].named(p.name) if p.name in quantities else p for p in cls.layout.ports)
        made: type[Self] = type(cls.__name__, (cls,), {})
        made.layout = Layout(ports)
        return made

    @property
    def column(self) -> Any:
        """All numbers as one column; for rows, a matrix with one struct per row."""
        parts = [_row_major(p, getattr(self, p.name), self._rows) for p in self.layout.ports]
        if self._rows:
            return ca.horzcat(*parts) if parts else ca.SX(self._rows, 0)
        return ca.vertcat(*parts) if parts else ca.SX(0, 1)


def _matrix(column: Any, rows: int, columns: int) -> Any:
    """Numbers row by row as a matrix."""
    return ca.reshape(column, columns, rows).T


def _row_major(port: Port, value: Any, rows: int) -> Any:
    if isinstance(value, Struct):
        inner = value.column
        return ca.reshape(inner.T, -1, 1) if port.rows else inner
    return value if rows or value.shape[1] == 1 else ca.reshape(value.T, -1, 1)


def _fitting(owner: str, port: Port, value: Any) -> Any:
    """The value as an expression of the quantity's shape."""
    if port.struct is not None:
        if not isinstance(value, port.struct) or value._rows != port.rows:
            raise KernelError(f"struct {owner!r}: {port.name!r} is {value!r}, {port.struct.__name__} is wanted")
        return value
    try:
        expression = ca.densify(ca.SX(value))
    except (NotImplementedError, RuntimeError, TypeError):
        what = type(value).__name__
        raise KernelError(f"struct {owner!r}: {port.name!r} is {what}, not a CasADi SX") from None
    if expression.shape != port.matrix_shape:
        shape = expression.shape
        raise KernelError(f"struct {owner!r}: {port.name!r} has shape {shape}, {port.matrix_shape} is wanted")
    return expression


def stacked(kind: type[Struct], rows: Sequence[Struct]) -> Struct:
    """Single structs as rows of one."""
    return kind.of(ca.vertcat(*(cast(Any, row.column).T for row in rows)), len(rows))
