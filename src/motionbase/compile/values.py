"""Values that authors' functions take and return: expressions, structs, and tuples of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

import casadi as ca

from motionbase.compile.port import Port
from motionbase.compile.struct import Struct
from motionbase.errors import KernelError


def as_value(port: Port, numbers: Any) -> Any:
    """The value of a port for an author's function: an expression, or a struct of expressions."""
    return numbers if port.struct is None else port.struct.of(numbers, port.rows)


def as_expression(owner: str, port: Port, value: Any) -> ca.SX:
    """A value for a port as one expression of its shape and sparsity."""
    if isinstance(value, Struct):
        wanted = port.struct
        if wanted is None or value.layout != wanted.layout or value._rows != port.rows:
            kind = f"{wanted.__name__}{f', {port.rows} rows' if port.rows else ''}" if wanted else f"port {port}"
            raise KernelError(f"{owner} {port.name!r} is given {value!r}, {kind} is wanted")
        value = value.column
    try:
        expression = value if isinstance(value, ca.SX) else ca.SX(value)
    except (NotImplementedError, RuntimeError, TypeError):
        raise KernelError(f"{owner} {port.name!r} is {type(value).__name__}, not a CasADi SX") from None
    if expression.shape != port.matrix_shape:
        shape = expression.shape
        raise KernelError(f"{owner} {port.name!r} has shape {shape}, its port says {port.matrix_shape}")
    if port.sparsity is None:
        return ca.densify(expression)
    pattern = ca.Sparsity.triplet(*port.matrix_shape, port.sparsity.rows, port.sparsity.columns)
    if not expression.sparsity().is_subset(pattern):
        raise KernelError(f"{owner} {port.name!r} has values outside its port's sparsity")
    return ca.project(expression, pattern)


def scalars(expression: ca.SX, port: Port | None = None) -> list[ca.SX]:
    """The stored numbers in our order, row by row."""
    numbers: list[Any] = expression.nonzeros()
    rows, columns = expression.shape
    if port is not None and port.sparsity is not None:
        at = {place: k for k, place in enumerate(zip(*expression.sparsity().get_triplet(), strict=True))}
        return [numbers[at[place]] for place in port.places()]
    if columns == 1 or rows == 1:
        return numbers
    return [numbers[j * rows + i] for i in range(rows) for j in range(columns)]


@final
class Packed:
    """Return value of an author's function: expressions and structs, alone or in nested tuples."""

    def __init__(self, shape: Any, values: list[Any], ports: list[Port]) -> None:
        self.shape, self.values, self.ports = shape, values, ports

    @staticmethod
    def of(owner: str, value: Any) -> Packed:
        """The flattened value, with a port for each part."""
        values: list[Any] = []

        def visit(part: Any) -> Any:
            if isinstance(part, (tuple, list)):
                made = [visit(x) for x in part]
                return type(part)(*made) if hasattr(part, "_fields") else tuple(made)
            if not isinstance(part, Struct):
                try:
                    part = ca.densify(part if isinstance(part, ca.SX) else ca.SX(part))
                except (NotImplementedError, RuntimeError, TypeError):
                    kind = type(part).__name__
                    raise KernelError(f"{owner} gives {kind}, which is no expression and no struct") from None
            values.append(part)
            return len(values) - 1

        shape = visit(value)
        return Packed(shape, values, [value_port(f"result{k + 1}", v) for k, v in enumerate(values)])

    def rebuilt(self, values: Sequence[Any]) -> Any:
        """Other values in the same nested tuples."""

        def visit(part: Any) -> Any:
            if isinstance(part, tuple):
                made = [visit(x) for x in part]
                return type(part)(*made) if hasattr(part, "_fields") else tuple(made)
            return values[part]

        return visit(self.shape)

    def check_same(self, owner: str, other: Packed) -> None:
        """Cases must return the same kinds of values."""
        mine, yours = ([(p.dims, p.struct) for p in x.ports] for x in (self, other))
        if mine != yours or self.shape != other.shape:
            lists = [", ".join(f"{p.struct.__name__ if p.struct else p.dims}" for p in x.ports) for x in (self, other)]
            raise KernelError(f"{owner}: one case gives {lists[0] or 'nothing'}, another {lists[1] or 'nothing'}")


def value_port(name: str, value: Any) -> Port:
    """A port for an expression or a struct."""
    if isinstance(value, Struct):
        return type(value).port(name, rows=value._rows)
    rows, columns = value.shape
    return Port(name, (rows, columns) if columns != 1 else rows if rows != 1 else ())
