"""Ports: the named, sized, unit-carrying ends of kernels and programs."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array
from motionbase.compile.names import check_name
from motionbase.errors import KernelError, PortError
from motionbase.record.quantity import Quantity

if TYPE_CHECKING:
    from motionbase.compile.struct import Placed, Struct

Numbers = float | tuple[float, ...]


@final
@dataclass(frozen=True)
class Sparsity:
    """Positions of a matrix port's stored values, row by row; all other elements are zero."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]

    def __post_init__(self) -> None:
        places = list(zip(self.rows, self.columns, strict=True))
        if places != sorted(set(places)):
            raise KernelError("a sparsity lists its places row by row, each once")

    def __len__(self) -> int:
        return len(self.rows)


@final
@dataclass(frozen=True)
class Port:
    """A named array of doubles; matrices are stored row by row.

    Attributes:
        name: the same in Python, C and the ring
        shape: (), (n,) or (rows, columns); an integer n means (n,)
        unit: SI unit, "-" for a pure number
        description: meaning, and frame of reference
        sparsity: for a matrix, the stored positions; the data are then one value per position
        struct: its numbers by name; a matrix then has one struct per row
        start: initial value: one number for all, a number for each, or the columns of every row
        least, most: bounds, one for all or one for each
        tunable: users may change it at run time, within finite bounds
        at_rest: users may change it only while nothing moves
    """

    name: str
    shape: tuple[int, ...] | int = ()
    unit: str = "-"
    description: str = ""
    sparsity: Sparsity | None = None
    struct: type[Struct] | None = None
    start: Numbers = 0.0
    least: Numbers = -math.inf
    most: Numbers = math.inf
    tunable: bool = False
    at_rest: bool = False

    def __post_init__(self) -> None:
        check_name("port", self.name)
        if not isinstance(self.unit, str):
            raise KernelError(f"port {self.name!r}: unit {self.unit!r} must be a text; the order is name, shape, unit")
        shape = _as_shape(self.shape)
        if shape is None or len(shape) > 2 or any(n < 0 for n in shape):
            rule = "must be (), n, (n,) or (rows, columns); the order is name, shape, unit"
            raise KernelError(f"port {self.name!r}: shape {self.shape!r} {rule}")
        object.__setattr__(self, "shape", shape)
        if self.sparsity is not None:
            if len(shape) != 2:
                raise KernelError(f"port {self.name!r}: a sparsity needs a matrix, not shape {shape}")
            if len(self.sparsity) and (max(self.sparsity.rows) >= shape[0] or max(self.sparsity.columns) >= shape[1]):
                raise KernelError(f"port {self.name!r}: the sparsity reaches outside shape {shape}")
        self._check_numbers()

    @staticmethod
    def of(quantity: Quantity, shape: tuple[int, ...] | int = ()) -> Port:
        """A quantity of the record as a port, with its name, unit and text."""
        return Port(quantity.name, shape, quantity.unit, quantity.description)

    def _check_numbers(self) -> None:
        for what in ("start", "least", "most"):
            given = getattr(self, what)
            if isinstance(given, tuple) and len(given) not in (1, self.size, self.dims[-1] if self.dims else 1):
                raise PortError(f"port {self.name!r}: {what} has {len(given)} numbers, 1 or {self.size} are wanted")
        if not self.tunable:
            return
        (least, most), values = self.bounds, self.start_values
        for k in range(self.size):
            if not (math.isfinite(least[k]) and math.isfinite(most[k]) and least[k] <= values[k] <= most[k]):
                raise PortError(
                    f"port {self.name!r}: its value is {values[k]:.6g} {self.unit}, and its bounds are {least[k]:.6g} "
                    f"and {most[k]:.6g}; a tunable one needs finite bounds around its value"
                )

    @property
    def start_values(self) -> Array:
        """Initial values, flattened."""
        return self._spread(self.start)

    @property
    def bounds(self) -> tuple[Array, Array]:
        """Lower and upper bound of each number, flattened."""
        return self._spread(self.least), self._spread(self.most)

    def _spread(self, numbers: Numbers) -> Array:
        return np.resize(np.asarray(numbers, dtype=np.float64), self.size)

    @property
    def rows(self) -> int:
        """For a port of structs: how many rows, or 0 for a single struct."""
        return self.dims[0] if self.struct is not None and len(self.dims) == 2 else 0

    @property
    def dims(self) -> tuple[int, ...]:
        """The shape as a tuple."""
        assert isinstance(self.shape, tuple)
        return self.shape

    @property
    def size(self) -> int:
        """Number of stored doubles."""
        return math.prod(self.dims) if self.sparsity is None else len(self.sparsity)

    @property
    def array_shape(self) -> tuple[int, ...]:
        """Shape of the NumPy array that holds the port's data."""
        return self.dims if self.sparsity is None else (len(self.sparsity),)

    def symbol(self) -> ca.SX:
        """A symbol of this shape (a column for a vector); a sparse port's symbol has its sparsity."""
        rows, columns = self.matrix_shape
        if self.sparsity is None:
            return ca.SX.sym(self.name, rows, columns)
        return ca.SX.sym(self.name, ca.Sparsity.triplet(rows, columns, self.sparsity.rows, self.sparsity.columns))

    @property
    def matrix_shape(self) -> tuple[int, int]:
        """(rows, columns) in CasADi."""
        rows, columns = (*self.dims, 1, 1)[:2]
        return rows, columns

    def places(self) -> list[tuple[int, int]]:
        """(row, column) of every stored value, in storage order."""
        if self.sparsity is not None:
            return list(zip(self.sparsity.rows, self.sparsity.columns, strict=True))
        rows, columns = self.matrix_shape
        return [(i, j) for i in range(rows) for j in range(columns)]

    def element(self, k: int) -> str:
        """Name of a stored number for users: `q`, `q[2]`, `R[0, 1]`, `x.low`, `legs[2].l`."""
        row, column = divmod(k, self.matrix_shape[1]) if self.sparsity is None else self.places()[k]
        if self.struct is not None:
            one = f"[{row}]" if self.rows else ""
            return f"{self.name}{one}.{self.struct.layout.element(column if self.rows else row)}"
        return self.name + ("", f"[{row}]", f"[{row}, {column}]")[len(self.dims)]

    def quantities(self) -> list[Placed]:
        """For a port of structs: all its quantities."""
        if self.struct is None:
            return []
        return list(self.struct.layout.described(turns=(f"{self.dims[1]} i",) if self.rows else ()))

    def dense(self, values: ArrayLike) -> Array:
        """The full array from stored values."""
        data = np.asarray(values, dtype=np.float64)
        if data.size != self.size:
            raise PortError(f"port {self.name!r}: {data.size} values given, {self.size} are stored")
        if self.sparsity is None:
            return data.reshape(self.dims)
        full = np.zeros(self.dims)
        full[list(self.sparsity.rows), list(self.sparsity.columns)] = data.ravel()
        return full

    def __str__(self) -> str:
        shape = "scalar" if self.dims == () else "x".join(map(str, self.dims))
        return f"{self.name} ({shape}{'' if self.sparsity is None else f', {self.size} stored'}) [{self.unit}]"


def _as_shape(given: Any) -> tuple[int, ...] | None:
    """Whole numbers, including NumPy's, as a tuple of ints; None for anything else."""
    try:
        return tuple(map(operator.index, given if isinstance(given, Iterable) else (given,)))
    except TypeError:
        return None


def find_port(ports: tuple[Port, ...], name: str, owner: str) -> int:
    """Index of the port with this name; the error lists the existing names."""
    for k, port in enumerate(ports):
        if port.name == name:
            return k
    raise PortError(f"{owner}: no port {name!r}; ports: {', '.join(p.name for p in ports) or 'none'}")


def as_ports(owner: str, given: object) -> tuple[Port, ...]:
    """A sequence of ports as a tuple; the error describes what was given instead."""
    if isinstance(given, Port):
        raise KernelError(f"{owner} is a single Port; with a comma it is a sequence of one: (Port({given.name!r}),)")
    ports = tuple(given) if isinstance(given, Iterable) else (given,)
    for port in ports:
        if not isinstance(port, Port):
            raise KernelError(f"{owner} has {port!r}, which is {type(port).__name__} and not a Port")
    return ports


def check_distinct(owner: str, ports: tuple[Port, ...]) -> None:
    """No two ports of one kernel share a name."""
    names = [p.name for p in ports]
    for name in names:
        if names.count(name) > 1:
            raise KernelError(f"{owner}: two ports are named {name!r}")
