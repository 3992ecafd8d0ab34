"""Calls, loops and choices in programs: `for_each`, `cond`, `switch`, `repeat`.

In a program each of them is one statement of compiled code. In a leaf kernel they are inlined: loops are unrolled, and
both sides of a choice are computed and one is selected.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import casadi as ca

from motionbase.compile.names import check_name
from motionbase.compile.options import whole_number
from motionbase.compile.programs import Turn, Unit
from motionbase.compile.rows import by_columns, row_of, row_port, rows_of, stacked_port, stacked_turns
from motionbase.compile.runtime.calling import by_name
from motionbase.compile.struct import Struct
from motionbase.compile.tracing import (
    CallRecord,
    ChoiceRecord,
    Given,
    Kind,
    Region,
    Trace,
    authors_line,
    record_call,
    tracing,
)
from motionbase.compile.values import Packed, as_expression, scalars, value_port
from motionbase.errors import KernelError, PortError

LARGEST_CASE = 2**53 - 1  # a selector is a double; above this, neighbouring integers are not distinct


def call(unit: Unit, given: Sequence[Any], named: Mapping[str, Any]) -> Any:
    """Call a unit inside a program, or inline a kernel in another; returns one value or a tuple of them."""
    owner = f"call of {unit.name!r}"
    ports = unit.inputs + unit.memory
    values = by_name(owner, ports, given, named)
    for port, value in zip(ports, values, strict=True):
        if value is None:
            raise PortError(f"{owner}: {port.name!r} is not given; ports: {', '.join(p.name for p in ports)}")
    trace, inputs = tracing(), len(unit.inputs)
    if trace is not None:
        results = record_call(trace, unit, values[:inputs], values[inputs:])
    else:
        results = unit.inlined(values)
    return results[0] if len(results) == 1 else tuple(results)


def for_each(function: Callable[..., Any], *rows: Any) -> Any:
    """`function(row of each argument, ...)` for every row; its results are stacked, one row per iteration.

    Rows are those of a matrix, the elements of a column, or rows of structs. Iterations cannot depend on each other, so
    they may run on the lanes of one register. Values from outside the function are the same in every iteration.
    """
    owner = "for_each"
    given = [rows_of(owner, k, row) for k, row in enumerate(rows)]
    if not given:
        raise KernelError(f"{owner}: there are no rows to go through")
    counts = [count for _, count in given]
    if len(set(counts)) > 1 or counts[0] < 1:
        raise KernelError(f"{owner}: arguments have {', '.join(map(str, counts))} rows; all must have the same number")
    values, count, trace = [value for value, _ in given], counts[0], tracing()
    if trace is None:
        turns = [function(*(row_of(value, k) for value in values)) for k in range(count)]
        return stacked_turns(owner, turns)
    names, values, function = by_columns(trace, _parameter_names(function, len(values)), values, count, function)
    ports = [row_port(name, value) for name, value in zip(names, values, strict=True)]
    turn = Turn.of(trace, f"{trace.name}_{_name_of(function, 'each')}", ports, function)
    arguments = [
        trace.given(port.name, scalars(value.column if isinstance(value, Struct) else value), count)
        for port, value in zip(ports, values, strict=True)
    ]
    results = [trace.place(stacked_port(owner, port, count), Kind.RESULT) for port in turn.outputs]
    record = CallRecord(turn, [*arguments, *turn.held(trace)], results, authors_line(), count=count)
    trace.region.statements.append(record)
    return turn.rebuilt([place.value for place in results])


def repeat(count: int, function: Callable[..., Any], *carry: Any) -> Any:
    """`carry = function(*carry)`, `count` times; returns the last carry."""
    owner = "repeat"
    count = whole_number(owner, "the number of iterations", count)
    if count < 1:
        raise KernelError(f"{owner}: {count} iterations, there must be at least one")
    trace = tracing()
    if trace is None:
        values: Any = carry
        for _ in range(count):
            made = function(*values)
            values = made if isinstance(made, tuple) else (made,)
        return values[0] if len(values) == 1 else values
    first = [value if isinstance(value, Struct) else ca.densify(ca.SX(value)) for value in carry]
    names = _parameter_names(function, len(first))
    ports = [value_port(name, value) for name, value in zip(names, first, strict=True)]
    turn = Turn.of(trace, f"{trace.name}_{_name_of(function, 'turn')}", ports, function)
    if [(p.dims, p.struct) for p in turn.outputs] != [(p.dims, p.struct) for p in ports]:
        gives, takes = (", ".join(map(str, of)) for of in (turn.outputs, ports))
        raise KernelError(f"{owner}: an iteration returns {gives or 'nothing'} but takes {takes}; they must agree")
    arguments: list[Given] = [
        trace.given(p.name, scalars(as_expression(owner, p, v))) for p, v in zip(ports, first, strict=True)
    ]
    results = [trace.place(port, Kind.RESULT) for port in turn.outputs]
    record = CallRecord(turn, [*arguments, *turn.held(trace)], results, authors_line(), count=count, independent=False)
    trace.region.statements.append(record)
    return turn.rebuilt([place.value for place in results])


def cond(flag: Any, yes: Callable[[], Any], no: Callable[[], Any]) -> Any:
    """The result of `yes()` if the flag is not 0, else that of `no()`; only one of them runs."""
    if tracing() is None:
        return _chosen(ca.ne(ca.SX(flag), 0), yes(), no())
    return switch(flag, {0: no}, yes)


def switch(number: Any, cases: Mapping[int, Callable[[], Any]], default: Callable[[], Any]) -> Any:
    """The result of the case with that number; of `default()` for any other number, NaN included."""
    owner, trace = "switch", tracing()
    selector = ca.SX(number)
    if selector.shape != (1, 1):
        raise KernelError(f"{owner}: the selector has shape {selector.shape}, it must be one number")
    for k in cases:
        whole_number(owner, "the number of a case", k)
        if not 0 <= k <= LARGEST_CASE:
            raise KernelError(f"{owner}: case {k} is outside 0 to 2**53 - 1")
    if trace is None:
        value = default()
        for k, case in reversed(list(cases.items())):
            value = _chosen(ca.eq(selector, int(k)), case(), value)
        return value
    return _switched(owner, trace, selector, cases, default)


def _switched(
    owner: str, trace: Trace, selector: ca.SX, cases: Mapping[int, Callable[[], Any]], default: Callable[[], Any]
) -> Any:
    outside, line = trace.region, authors_line()
    numbers = sorted(int(k) for k in cases)
    regions, packed = [], []
    for c, case in enumerate([*(cases[k] for k in numbers), default]):
        region = Region((*outside.here, c), line=line)
        trace.region = region
        try:
            packed.append(Packed.of(f"{owner}, {_name_of(case, f'case {c}')}", case()))
        finally:
            trace.region = outside
        regions.append(region)
    for other in packed[1:]:
        packed[0].check_same(owner, other)
    results = [trace.place(port, Kind.RESULT) for port in packed[0].ports]
    for region, given in zip(regions, packed, strict=True):
        region.returns = [
            (place, tuple(scalars(as_expression(owner, place.port, value))))
            for place, value in zip(results, given.values, strict=True)
        ]
    outside.statements.append(ChoiceRecord(selector, numbers, regions, results, line))
    return packed[0].rebuilt([place.value for place in results])


# ---- leaves --------------------------------------------------------------------------------------------------------


def _chosen(flag: ca.SX, yes: Any, no: Any) -> Any:
    """In a leaf kernel: both are computed, one is selected."""
    first, second = Packed.of("a choice", yes), Packed.of("a choice", no)
    first.check_same("a choice", second)
    made = []
    for port, a, b in zip(first.ports, first.values, second.values, strict=True):
        one, other = (as_expression("a choice", port, x) for x in (a, b))
        picked = ca.if_else(flag, one, other)
        made.append(picked if port.struct is None else port.struct.of(picked, port.rows))
    return first.rebuilt(made)


# ---- names ---------------------------------------------------------------------------------------------------------


def _parameter_names(function: Callable[..., Any], count: int) -> list[str]:
    """Names of the function's parameters, as far as they are valid port names."""
    try:
        found = [p.name for p in inspect.signature(function).parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    except (TypeError, ValueError):
        found = []
    names = []
    for k in range(count):
        name = found[k] if k < len(found) else f"row{k + 1}"
        try:
            check_name("port", name)
        except KernelError:
            name = f"row{k + 1}"
        names.append(name if name not in names else f"row{k + 1}")
    return names


def _name_of(function: Callable[..., Any], other: str) -> str:
    name = getattr(function, "__name__", "").strip("_")
    return name if name.isidentifier() and "__" not in name else other
