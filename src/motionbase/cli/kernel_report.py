"""Output of `motionbase kernel`: tables of `show`, and one run in the interpreter with its NaNs for `trace`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from motionbase.arrays import Array
from motionbase.cli import terminal
from motionbase.errors import UsageError, unknown

if TYPE_CHECKING:
    from rich.table import Table

    from motionbase.compile import Port, Unit
    from motionbase.compile.inspection.diagnose import Finding
    from motionbase.compile.inspection.report import Report

MANY = 8  # kinds of operations listed before the rest is summed


def show_report(report: Report) -> None:
    """Print a report."""
    from rich.text import Text

    screen = terminal.console()
    about = f": {report.description}" if report.description else ""
    screen.print(Text.assemble((f"{report.kind} {report.name}", "bold"), about))
    screen.print(f"{report.mode} mode, {report.lanes} lane{'s' if report.lanes > 1 else ''}, on {report.cpu}\n")
    screen.print(_ports(report))
    for struct in _structs(report):
        screen.print(struct)
    screen.print(_figures(report))
    if len(report.routines) > 1:
        screen.print(_routines(report))
    screen.print(_functions(report))


def _ports(report: Report) -> Table:
    rows = terminal.table("Ports", "port", "role", "shape", "unit", "description")
    for p in report.ports:
        shape = "x".join(map(str, p.shape)) or "scalar"
        dense = 1
        for n in p.shape:
            dense *= n
        stored = f", {p.stored} stored" if p.stored != dense else ""
        rows.add_row(p.name, p.role, shape + stored, p.unit, p.description)
    return rows


def _structs(report: Report) -> list[Table]:
    """Print one table for each struct."""
    tables = []
    kinds = dict.fromkeys((p.struct, p.quantities) for p in report.ports if p.struct)
    for struct, quantities in kinds:
        ports = ", ".join(p.name for p in report.ports if (p.struct, p.quantities) == (struct, quantities))
        rows = terminal.table(
            f"Struct {struct} ({ports})", "quantity", "at", "shape", "unit", "description", right=("at",)
        )
        for x in quantities:
            rows.add_row(x.name, x.place, "x".join(map(str, x.shape)) or "scalar", x.unit, x.description)
        tables.append(rows)
    return tables


def _figures(report: Report) -> Table:
    rows = terminal.table("Figures", "what", "value")
    t = report.times
    kinds = list(report.operations.items())
    named = ", ".join(f"{n} {name}" for name, n in kinds[:MANY])
    rest = sum(n for _, n in kinds[MANY:])
    rows.add_row("CasADi instructions", str(report.casadi_instructions))
    rows.add_row("basic operations", f"{sum(n for _, n in kinds)}: {named}" + (f", {rest} others" if rest else ""))
    rows.add_row("maths calls", ", ".join(f"{n} {name}" for name, n in report.maths_calls.items()) or "none")
    rows.add_row("flops of one run", f"{report.flops:,}".replace(",", " "))
    rows.add_row("trace, lower", f"{terminal.seconds(t.trace)}, {terminal.seconds(t.lower)}")
    rows.add_row(
        "render, optimise, emit",
        f"{terminal.seconds(t.render)}, {terminal.seconds(t.optimise)}, {terminal.seconds(t.emit)}",
    )
    rows.add_row("machine code", terminal.size(report.code_bytes))
    rows.add_row("stack, deepest", terminal.size(report.stack_bytes))
    rows.add_row("cache", f"{'hit' if report.cached else 'miss'}, key {report.key[:16]}")
    rows.add_row("digest", report.digest[:16])
    return rows


def _routines(report: Report) -> Table:
    numbers = ("operations", "CasADi", "calls a run")
    rows = terminal.table("Routines, callees first", "routine", "kind", *numbers, right=numbers)
    for r in report.routines:
        casadi = "" if r.casadi is None else str(r.casadi)
        rows.add_row(r.name, r.kind, str(r.instructions), casadi, str(r.calls))
    return rows


def _functions(report: Report) -> Table:
    numbers = ("code", "own stack", "stack with callees")
    rows = terminal.table("Functions that remain after inlining", "function", *numbers, right=numbers)
    for f in report.functions:
        rows.add_row(
            f.name, "?" if f.bytes is None else terminal.size(f.bytes), terminal.size(f.stack), terminal.size(f.deepest)
        )
    return rows


@final
@dataclass(frozen=True)
class Result:
    """Values of all ports after the run, and the finding if an output is NaN (or, else, infinite)."""

    unit: Unit
    values: dict[str, Array]
    finding: Finding | None
    infinity: Finding | None


def traced(unit: Unit, given: Sequence[str], zeros: bool, seed: int | None, probes: Sequence[str]) -> Result:
    """Read the inputs, run, and search for a NaN."""
    from motionbase.compile import Kernel, Program
    from motionbase.compile.inspection.diagnose import evaluate, find_infinity, find_nan

    if probes:
        if not isinstance(unit, (Kernel, Program)):
            raise UsageError(f"--probe: {unit.name!r} is a {type(unit).__name__.lower()}, which has no probes")
        unit = unit.with_probes(*probes)
    values = inputs(unit, given, zeros, seed)
    after = evaluate(unit, **values)
    finding = find_nan(unit, **values)
    return Result(unit, after, finding, None if finding else find_infinity(unit, **values))


def inputs(unit: Unit, given: Sequence[str], zeros: bool, seed: int | None) -> dict[str, Array]:
    """An array for every input, and for each memory port that is given."""
    if zeros and seed is not None:
        raise UsageError("--zeros and --random exclude each other")
    ports = {p.name: p for p in unit.inputs + unit.memory}
    values: dict[str, Array] = {}
    for text in given:
        name, equals, numbers = text.partition("=")
        if not equals:
            raise UsageError(f"--input {text!r}: the form is PORT=VALUES, like q=1,2,3 or q=@file.npy")
        if name not in ports:
            raise unknown("input port", name, ports)
        values[name] = _fitted(ports[name], numbers)
    missing = [p for p in unit.inputs if p.name not in values]
    if missing and not zeros and seed is None:
        names = ", ".join(map(str, missing))
        raise UsageError(f"no value for {names}; give --input {missing[0].name}=..., or --zeros, or --random SEED")
    random = np.random.default_rng(seed)
    for port in missing:
        values[port.name] = np.zeros(port.array_shape) if zeros else random.uniform(-1.0, 1.0, port.array_shape)
    return values


def _fitted(port: Port, text: str) -> Array:
    """Numbers from a text or file, in the shape of a port."""
    numbers = _file(port, text[1:]) if text.startswith("@") else _numbers(port, text)
    if numbers.ndim > 1 and numbers.shape != port.array_shape:
        raise UsageError(f"--input {port.name}: {text[1:]!r} has shape {numbers.shape}, {port.array_shape} is wanted")
    if numbers.size == 1:
        return np.full(port.array_shape, float(numbers.ravel()[0]))
    if numbers.size != port.size:
        raise UsageError(f"--input {port.name}: {numbers.size} numbers came, port {port} takes {port.size}")
    return numbers.reshape(port.array_shape)


def _numbers(port: Port, text: str) -> Array:
    try:
        return np.array([float(part) for part in text.split(",")])
    except ValueError:
        raise UsageError(f"--input {port.name}: {text!r} must be numbers separated by commas, or @file.npy") from None


def _file(port: Port, name: str) -> Array:
    try:
        if name.endswith(".npy"):
            return np.asarray(np.load(name, allow_pickle=False), dtype=np.float64)
        return np.loadtxt(name, delimiter=",", ndmin=1)
    except (OSError, ValueError, TypeError) as e:
        reason = getattr(e, "strerror", None) or str(e).partition("\n")[0]
        raise UsageError(f"--input {port.name}: cannot read numbers from {name!r}: {reason}") from None


def show_trace(result: Result) -> None:
    """Print outputs with their units, then the diagnosis."""
    width = max((len(p.name) for p in _written(result.unit)), default=0)
    for port in _written(result.unit):
        rows = _rows(result.values[port.name])
        for k, row in enumerate(rows):
            unit = f"  [{port.unit}]" if k == 0 and port.unit != "-" else ""
            print(f"{port.name if k == 0 else '':<{width}} {'=' if k == 0 else ' '} {row}{unit}")
    print()
    if result.finding is not None:
        print(result.finding)
    elif result.infinity is not None:
        print(f"no NaN, but an output is infinite\n{result.infinity}")
    else:
        print("no NaN")


def trace_json(result: Result) -> dict[str, Any]:
    """The result as JSON data."""
    from motionbase.compile.inspection.finding import plain

    return {
        "name": result.unit.name,
        "outputs": {p.name: [plain(float(x)) for x in result.values[p.name].ravel()] for p in _written(result.unit)},
        "nan": None if result.finding is None else result.finding.as_json(),
        "infinity": None if result.infinity is None else result.infinity.as_json(),
    }


def _written(unit: Unit) -> tuple[Port, ...]:
    return unit.outputs + unit.memory


def _rows(values: Array) -> list[str]:
    """Numbers with twelve digits, a matrix by rows."""
    if values.ndim == 0:
        return [f"{float(values):.12g}"]
    if values.ndim == 1:
        return [" ".join(f"{x:.12g}" for x in values[k : k + 6]) for k in range(0, len(values), 6)]
    return [" ".join(f"{x:.12g}" for x in row) for row in values]
