"""Rows that a loop passes to its iterations, and rows into which their results are stacked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import casadi as ca

from motionbase.compile.port import Port
from motionbase.compile.struct import Struct, stacked
from motionbase.compile.tracing import Made, Trace
from motionbase.compile.values import Packed, scalars
from motionbase.errors import KernelError


def rows_of(owner: str, k: int, value: Any) -> tuple[Any, int]:
    """An argument of a loop, and its number of rows."""
    if isinstance(value, Struct):
        if not value._rows:
            raise KernelError(f"{owner}: argument {k + 1} is one {type(value).__name__}, rows of it are wanted")
        return value, value._rows
    try:
        expression = ca.densify(ca.SX(ca.DM(value) if not isinstance(value, ca.SX) else value))
    except (NotImplementedError, RuntimeError, TypeError):
        raise KernelError(f"{owner}: argument {k + 1} is {type(value).__name__}, not a CasADi SX") from None
    return expression, expression.shape[0]


def row_of(value: Any, k: int) -> Any:
    """Row k of an argument."""
    if isinstance(value, Struct):
        return type(value).of(value.column[k, :].T)
    return value[k, :].T


def row_port(name: str, value: Any) -> Port:
    """The port through which an iteration receives its row."""
    if isinstance(value, Struct):
        return type(value).port(name)
    columns = value.shape[1]
    return Port(name, columns if columns != 1 else ())


class _Gathered:
    """A function whose arguments come in pieces, or without the numbers that are the same in every iteration.

    Attributes:
        made: for each argument, the remaining pieces
    """

    def __init__(self, function: Callable[..., Any], made: list[Callable[[Iterator[Any]], Any]]) -> None:
        self.function, self.made = function, made
        self.__name__, self.__code__ = getattr(function, "__name__", ""), getattr(function, "__code__", None)

    def __call__(self, *pieces: Any) -> Any:
        left = iter(pieces)
        return self.function(*(argument(left) for argument in self.made))


def by_columns(
    trace: Trace, names: list[str], values: list[Any], count: int, function: Callable[..., Any]
) -> tuple[list[str], list[Any], Callable[..., Any]]:
    """The parts of the arguments that vary between iterations, and a function of those parts.

    Quantities of a struct that are stored at different places are passed one by one, so nothing is copied. Numbers that
    are the same in every row become constants of the iteration.
    """
    parts: list[tuple[str, Any]] = []
    made: list[Callable[[Iterator[Any]], Any]] = []
    for name, value in zip(names, values, strict=True):
        if not isinstance(value, Struct):
            parts += _varying(name, value)
            made.append(partial(_filled, value))
            continue
        apart = isinstance(trace.given(name, scalars(value.column), count), Made)
        if not apart or any(port.struct is not None for port in value.layout.ports):
            parts.append((name, value))
            made.append(next)
            continue
        columns = [getattr(value, port.name) for port in value.layout.ports]
        made.append(partial(_struct_of, type(value), columns))
        for port, column in zip(value.layout.ports, columns, strict=True):
            taken = {n for n, _ in parts} | set(names)
            parts += _varying(port.name if port.name not in taken else f"{name}_{port.name}", column)
    return [n for n, _ in parts], [v for _, v in parts], _Gathered(function, made)


def _struct_of(kind: type[Struct], columns: list[ca.SX], left: Iterator[Any]) -> Struct:
    return kind.of(ca.vertcat(*(_filled(column, left) for column in columns)))


def _same(rows: ca.SX) -> list[bool]:
    """For each column, whether all its numbers are equal; NaN is never equal."""
    columns = [ca.vertsplit(column) for column in ca.horzsplit(rows)]
    return [all(x.is_constant() and float(x) == float(column[0]) for x in column) for column in columns]


def _varying(name: str, rows: ca.SX) -> list[tuple[str, ca.SX]]:
    """The columns that vary, if there are any."""
    columns = [column for column, same in zip(ca.horzsplit(rows), _same(rows), strict=True) if not same]
    return [(name, ca.horzcat(*columns))] if columns else []


def _filled(rows: ca.SX, left: Iterator[Any]) -> ca.SX:
    """A row for an iteration: the next piece, completed with the constant numbers."""
    same = _same(rows)
    varying = iter([] if all(same) else ca.vertsplit(next(left)))
    return ca.vertcat(*(rows[0, k] if of else next(varying) for k, of in enumerate(same)))


def stacked_port(owner: str, port: Port, count: int) -> Port:
    """The port for the stacked results of all iterations at one output."""
    if port.struct is not None:
        if port.rows:
            raise KernelError(f"{owner}: an iteration returns rows of {port.struct.__name__}, it must return one")
        return port.struct.port(port.name, port.description, count)
    if len(port.dims) > 1:
        raise KernelError(f"{owner}: an iteration returns a matrix of shape {port.dims}, not a number or a column")
    return Port(port.name, (count, *port.dims))


def stacked_turns(owner: str, turns: list[Any]) -> Any:
    """In a leaf kernel: the results of all iterations, stacked as in a program."""
    packed = [Packed.of(owner, turn) for turn in turns]
    for other in packed[1:]:
        packed[0].check_same(owner, other)
    made: list[Any] = []
    for k, port in enumerate(packed[0].ports):
        stacked_port(owner, port, len(turns))
        values = [p.values[k] for p in packed]
        if port.struct is not None:
            made.append(stacked(port.struct, values))
        else:
            made.append(ca.vertcat(*(v.T for v in values)))
    return packed[0].rebuilt(made)
