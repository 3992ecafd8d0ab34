"""Generated text of every target, for display and for files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from motionbase.compile.block import Block
from motionbase.compile.inspection.machine_code import build
from motionbase.compile.options import check_lanes
from motionbase.compile.programs import Unit
from motionbase.compile.render import c, cuda
from motionbase.compile.routine import Call, Loop, Statement, Switch


def text(unit: Unit, target: str, lanes: int, mode: Literal["strict", "fast"]) -> str:
    """The text for a target, or `assembly`; lanes apply to llvm and assembly, fast mode also to cuda."""
    if target in ("llvm", "assembly"):
        check_lanes(repr(unit.name), lanes)
        built = build(unit, lanes, mode)
        return built.ir if target == "llvm" else built.assembly
    if target == "cuda":
        return cuda.render(unit, fast=mode == "fast")
    if target == "c":
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
    """Blocks by instruction; calls, loops and choices by name, with their contents."""
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


def files(unit: Unit, target: str) -> dict[str, str]:
    """File names and contents."""
    if target == "cuda":
        return {f"{unit.name}.cu": cuda.render(unit)}
    made = c.render(unit)
    return {f"{unit.name}.h": made.header, f"{unit.name}.c": made.source}


def compiler_call(unit: Unit, target: str, folder: Path) -> str:
    """A compiler command that preserves the bits of strict mode."""
    if target == "cuda":
        return f"nvcc {' '.join(cuda.OPTIONS[False])} -c {folder / unit.name}.cu"
    return f"cc -std=c99 -O2 -ffp-contract=off -c {folder / unit.name}.c   (link with -lm)"
