"""Tables of `motionbase kernel show`, and the generated text of every target."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from motionbase.cli.terminal import console, seconds, size, table
from motionbase.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.table import Table

    from motionbase.compile import Unit
    from motionbase.compile.inspection.report import Report
    from motionbase.compile.routine import Statement

MANY = 8  # kinds of operations to name before the rest is summed up


def text(unit: Unit, target: str, lanes: int, mode: Literal["strict", "fast"]) -> str:
    """The text that a target is given, or `assembly`."""
    if target in ("llvm", "assembly"):
        from motionbase.compile.inspection.machine_code import build
        from motionbase.compile.options import check_lanes

        check_lanes(repr(unit.name), lanes)
        built = build(unit, lanes, mode)
        return built.ir if target == "llvm" else built.assembly
    if lanes != 1:
        raise UsageError(f"target {target!r} has no lanes; use --target llvm")
    if mode != "strict" and target != "cuda":
        raise UsageError(f"target {target!r} has no fast mode; use --target llvm")
    if target == "cuda":
        from motionbase.compile.render import cuda

        return cuda.render(unit, fast=mode == "fast")
    if target == "c":
        from motionbase.compile.render import c

        made = c.render(unit)
        return f"/* {unit.name}.h */\n{made.header}\n/* {unit.name}.c */\n{made.source}"
    return _listing(unit)


def _listing(unit: Unit) -> str:
    """The basic operations that the interpreter runs."""
    lines = []
    for routine in unit.routine.callees():
        lines.append(f"{routine.name}({', '.join(f'{a.role.value} {a.name}[{a.size}]' for a in routine.arguments)})")
        lines += [*_statements(routine.body, "  "), ""]
    return "\n".join(lines)


def _statements(body: tuple[Statement, ...], indent: str) -> Iterator[str]:
    """Blocks by instruction; calls, loops and choices by name, with what is inside them."""
    from motionbase.compile.block import Block
    from motionbase.compile.routine import Call, Loop, Switch

    for s in body:
        if isinstance(s, Block):
            for k, (op, args, imm) in enumerate(s.instructions):
                shown = "" if imm is None else f" {imm}"
                yield f"{indent}{k:>5}  {op.label}{shown} {' '.join(f'%{a}' for a in args)}".rstrip()
        elif isinstance(s, Call):
            yield f"{indent}call {s.routine.name}"
        elif isinstance(s, Loop):
            yield f"{indent}loop of {s.count}"
            yield from _statements(s.body, indent + "  ")
        elif isinstance(s, Switch):
            for number, case in (*s.cases, ("default", s.default)):
                yield f"{indent}{number if case is s.default else f'case {number}'}"
                yield from _statements(case, indent + "  ")
        else:
            yield f"{indent}copy of {s.size}"


def show(report: Report) -> None:
    """Print everything."""
    from rich.text import Text

    screen = console()
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
    rows = table("Ports", "port", "role", "shape", "unit", "description")
    for p in report.ports:
        shape = "x".join(map(str, p.shape)) or "scalar"
        dense = 1
        for n in p.shape:
            dense *= n
        stored = f", {p.stored} stored" if p.stored != dense else ""
        rows.add_row(p.name, p.role, shape + stored, p.unit, p.description)
    return rows


def _structs(report: Report) -> list[Table]:
    """One table a struct, whatever number of ports it has."""
    tables = []
    kinds = dict.fromkeys((p.struct, p.quantities) for p in report.ports if p.struct)
    for struct, quantities in kinds:
        ports = ", ".join(p.name for p in report.ports if (p.struct, p.quantities) == (struct, quantities))
        rows = table(f"Struct {struct} ({ports})", "quantity", "at", "shape", "unit", "description", right=("at",))
        for x in quantities:
            rows.add_row(x.name, x.place, "x".join(map(str, x.shape)) or "scalar", x.unit, x.description)
        tables.append(rows)
    return tables


def _figures(report: Report) -> Table:
    rows = table("Figures", "what", "value")
    t = report.times
    kinds = list(report.operations.items())
    named = ", ".join(f"{n} {name}" for name, n in kinds[:MANY])
    rest = sum(n for _, n in kinds[MANY:])
    rows.add_row("CasADi instructions", str(report.casadi_instructions))
    rows.add_row("basic operations", f"{sum(n for _, n in kinds)}: {named}" + (f", {rest} others" if rest else ""))
    rows.add_row("maths calls", ", ".join(f"{n} {name}" for name, n in report.maths_calls.items()) or "none")
    rows.add_row("flops of one run", f"{report.flops:,}".replace(",", " "))
    rows.add_row("trace, lower", f"{seconds(t.trace)}, {seconds(t.lower)}")
    rows.add_row("render, optimise, emit", f"{seconds(t.render)}, {seconds(t.optimise)}, {seconds(t.emit)}")
    rows.add_row("machine code", size(report.code_bytes))
    rows.add_row("stack, deepest", size(report.stack_bytes))
    rows.add_row("cache", f"{'hit' if report.cached else 'miss'}, key {report.key[:16]}")
    rows.add_row("digest", report.digest[:16])
    return rows


def _routines(report: Report) -> Table:
    numbers = ("operations", "CasADi", "calls a run")
    rows = table("Routines, callees first", "routine", "kind", *numbers, right=numbers)
    for r in report.routines:
        casadi = "" if r.casadi is None else str(r.casadi)
        rows.add_row(r.name, r.kind, str(r.instructions), casadi, str(r.calls))
    return rows


def _functions(report: Report) -> Table:
    numbers = ("code", "own stack", "stack with callees")
    rows = table("Functions that remain after inlining", "function", *numbers, right=numbers)
    for f in report.functions:
        rows.add_row(f.name, "?" if f.bytes is None else size(f.bytes), size(f.stack), size(f.deepest))
    return rows
