"""Find the first NaN or infinity of a kernel or program for given inputs, and the Python line it came from.

A leaf kernel is replayed instruction by instruction (`replay.py`) on a trace whose nodes know their lines
(`lines.py`). A program is interpreted while every bad number is tracked from its origin (`origins.py`); then the kernel
that contains the origin is replayed, or the program that contains it is traced again with lines.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import final

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array
from motionbase.compile.assembly import Assembly
from motionbase.compile.inspection.finding import Finding, brief
from motionbase.compile.inspection.lines import LinedProgram, lined_program, source_line
from motionbase.compile.inspection.origins import Bad, Origin, Origins
from motionbase.compile.inspection.replay import SHORT_NAMES, replay, steepest
from motionbase.compile.inspection.report import kind_of
from motionbase.compile.kernels import Kernel
from motionbase.compile.ops import Op
from motionbase.compile.primitives import Primitive
from motionbase.compile.programs import Program, Turn, Unit
from motionbase.compile.render.python import Observer, Path, run
from motionbase.compile.routine import Call, Loop, Routine, Switch
from motionbase.compile.runtime.calling import converted, named_values

__all__ = ["Finding", "evaluate", "find_infinity", "find_nan"]


def evaluate(unit: Unit, /, **inputs: ArrayLike) -> dict[str, Array]:
    """Outputs and memory after one run in the interpreter, by name; arguments as for `find_nan`."""
    arrays = _arrays(unit, inputs)
    run(unit.routine, arrays or [np.empty((0, 1))])
    written = list(zip(unit.ports, arrays, strict=True))[len(unit.inputs) :]
    return {port.name: array.reshape(port.array_shape) for port, array in written}


def find_nan(unit: Unit, /, **inputs: ArrayLike) -> Finding | None:
    """The first NaN that reaches an output, or None. Inputs and memory by name; missing memory is zero.

    A NaN that a select discards is not reported. A finding includes the infinity that led to the NaN, if there was one.
    """
    return _find(unit, _arrays(unit, inputs), math.isnan)


def find_infinity(unit: Unit, /, **inputs: ArrayLike) -> Finding | None:
    """The first infinity that reaches an output as an infinity, or None; arguments as for `find_nan`."""
    return _find(unit, _arrays(unit, inputs), math.isinf)


def _arrays(unit: Unit, inputs: dict[str, ArrayLike]) -> list[Array]:
    """One flat column per port, in the order of the arguments; outputs are NaN until they are written."""
    takes = unit.inputs + unit.memory
    owner = repr(unit.name)
    values = named_values(owner, takes, inputs)
    arrays = []
    for port in unit.ports:
        value = values.get(port.name)
        if value is None and port in unit.inputs:
            value = converted(owner, port, (), port.array_shape)  # raises an error that names the port and its shape
        if value is None:
            array = np.zeros(port.size) if port in unit.memory else np.full(port.size, np.nan)
        else:
            array = converted(owner, port, value, port.array_shape).ravel().copy()
        arrays.append(array.reshape(-1, 1))
    return arrays


def _find(unit: Unit, arrays: list[Array], bad: Bad) -> Finding | None:
    if isinstance(unit, Kernel):
        return _in_kernel(unit, arrays, bad)
    origins, reaches, _ = _followed(unit, arrays, bad)
    if not reaches:
        return None
    if not origins:
        place = f"output {reaches[0]!r} of {unit.name!r}, which nothing has written"
        return replace(_finding(bad, unit), kind="constant", place=place, reaches=reaches)
    return replace(_told(unit, arrays, origins[0], bad), reaches=reaches)


def _finding(bad: Bad, unit: Unit) -> Finding:
    return Finding("NaN" if bad is math.isnan else "infinity", "operation", unit.name, within=kind_of(unit))


def _followed(unit: Unit, arrays: list[Array], bad: Bad) -> tuple[list[Origin], tuple[str, ...], list[Origin]]:
    """Origins of all bad numbers in outputs and memory after a run, the names of these ports, and all origins."""
    origins, copies = Origins(bad), [a.copy() for a in arrays]
    n, m = len(unit.inputs), len(unit.inputs) + len(unit.outputs)
    origins.given(unit.inputs, copies[:n], "input")
    origins.given(unit.memory, copies[m:], "memory")
    run(unit.routine, copies or [np.empty((0, 1))], origins)
    written = list(zip(unit.ports, copies, strict=True))[n:]
    reaches = tuple(p.name for p, a in written if any(bad(float(x)) for x in a[:, 0]))
    return origins.of(copies[n:]), reaches, origins.made


# ---- kernels -------------------------------------------------------------------------------------------------------


def _in_kernel(kernel: Kernel, arrays: list[Array], bad: Bad, made: bool = False) -> Finding | None:
    inputs = [a[:, 0] for a in arrays[: len(kernel.inputs)]]
    played = replay(kernel, inputs)
    position = played.first(bad, made)
    if position is None:
        return None
    finding = played.finding(position, bad)
    if bad is math.isnan and (before := played.infinity_before(position)) is not None:
        finding = replace(finding, infinity=_with_derivative(played.finding(before, math.isinf), kernel, inputs))
    return _with_derivative(finding, kernel, inputs)


def _with_derivative(finding: Finding, kernel: Kernel, inputs: list[Array]) -> Finding:
    """A finding in a node created by the chain rule gets the line whose derivative is not finite."""
    if finding.stack or finding.kind != "operation" or (steep := steepest(kernel, inputs)) is None:
        return finding
    original, position, slope = steep
    note = f"the line's derivative: d {original.expression(position)} is {slope:g} there"
    return replace(finding, stack=original.stack(position), note=note)


# ---- programs and primitives ---------------------------------------------------------------------------------------


def _told(unit: Unit, arrays: list[Array], origin: Origin, bad: Bad) -> Finding:
    """An origin described in terms of the kernel or program that contains it."""
    if origin.kind == "input":
        return replace(_finding(bad, unit), kind="input", place=origin.place)
    home, depth = _home(unit, origin.path)
    way = describe_path(unit, origin.path[:depth])
    found: Finding | None = None
    if isinstance(home, (Kernel, Program)) and origin.routine is not None and not _comes_in(origin):
        entry = _arrays_at(unit, arrays, origin.path[:depth])
        if isinstance(home, Kernel):
            found = _in_kernel(home, entry, bad, made=True)
        else:
            found = _in_program(home, entry, bad, origin, depth)
    if found is None:
        found, way = _plain(home, origin, bad), describe_path(unit, origin.path)
    found = replace(found, path=(*way, *found.path))
    if origin.before is not None and (found.infinity is None or found.infinity.kind == "input"):
        found = replace(found, infinity=_told(unit, arrays, origin.before, math.isinf))
    return found


def _home(unit: Unit, path: Path) -> tuple[Unit, int]:
    """The innermost kernel, primitive or program on a path, and its depth; iterations belong to programs."""
    home, depth = unit, 0
    for k, (statement, _) in enumerate(path):
        if isinstance(statement, Call) and (origin := statement.routine.origin) is not None:
            if not isinstance(origin, Turn):
                home, depth = origin, k + 1
    return home, depth


def _comes_in(origin: Origin) -> bool:
    """Whether the number was loaded from constants of a caller."""
    assert origin.block is not None
    return origin.block.instructions[origin.instruction].op in (Op.LOAD, Op.LOAD_AT)


@final
class _Entry(Observer):
    """Copies the arrays with which a routine is called, at the end of a path."""

    def __init__(self, path: Path) -> None:
        self.path, self.arrays = path, list[Array]()

    def entered(self, routine: Routine, arrays: list[Array], path: Path) -> None:
        """Copy the arrays if this is the path; statements are compared by identity."""
        if len(path) == len(self.path) and not self.arrays:
            if all(a is b and m == n for (a, m), (b, n) in zip(path, self.path, strict=True)):
                self.arrays = [a.copy() for a in arrays]


def _arrays_at(unit: Unit, arrays: list[Array], path: Path) -> list[Array]:
    if not path:
        return arrays
    entry = _Entry(path)
    run(unit.routine, [a.copy() for a in arrays] or [np.empty((0, 1))], entry)
    return entry.arrays


def _in_program(program: Program, arrays: list[Array], bad: Bad, wanted: Origin, depth: int) -> Finding | None:
    """An origin in the program's own arithmetic, including its loops, found again without shared subexpressions."""
    try:
        lined = lined_program(program)
    except Exception:  # a function that cannot be run twice: the numbers can still be found, without lines
        lined = LinedProgram(program, {}, ())
    reaching, _, every = _followed(lined.program, arrays, bad)
    alike = [o for o in every if o.looks_like(wanted, depth)]
    own = [o for o in (*alike, *reaching) if o.block is not None and _home(lined.program, o.path)[1] == 0]
    return _in_block(lined, own[0], bad) if own else None


def _in_block(lined: LinedProgram, origin: Origin, bad: Bad) -> Finding | None:
    """An instruction of the program itself, traced back to its step, its node and its line."""
    calls = [s.routine.origin for s, _ in origin.path if isinstance(s, Call)]
    unit: Program | Turn = next((c for c in reversed(calls) if isinstance(c, Turn)), lined.program)
    assembly = unit.assembly
    _, at = assembly.steps_in.get(id(origin.block), (None, {}))
    leaves = (ca.OP_INPUT,) if origin.kind == "constant" else (ca.OP_INPUT, ca.OP_CONST)
    ends = [(k, s) for s, k in at.items() if k >= origin.instruction and assembly.steps[s].op not in leaves]
    if not ends:
        return None
    end, s = min(ends)
    step, nodes = assembly.steps[s], assembly.function.instructions_sx()
    node = nodes[step.source]
    found = replace(
        _finding(bad, unit),
        instruction=step.source,
        result=origin.values[end],
        path=describe_path(lined.program, origin.path),
        stack=lined.stack(node),
    )
    if not found.stack:
        note = "the statement that needs the value; its own line is not known"
        found = replace(found, stack=(source_line(*_needed_at(assembly, s)),), note=note)
    if origin.kind == "constant":
        users = [u for u in assembly.steps if s in u.args and u.op != ca.OP_OUTPUT]
        used = f" in {_brief(assembly, nodes[users[0].source])}" if users else ""
        return replace(found, kind="constant", expression=f"{origin.result:g}{used}")
    found = replace(
        found,
        op=SHORT_NAMES.get(step.op, str(step.op)),
        arguments=tuple(origin.values[at[a]] for a in step.args if a in at),
        expression=_brief(assembly, node),
    )
    if origin.before is None:
        return found
    before = origin.before
    if before.kind == "input":
        return replace(found, infinity=replace(_finding(math.isinf, unit), kind="input", place=before.place))
    inside = before.block is not None and _home(lined.program, before.path)[1] == 0
    return replace(found, infinity=_in_block(lined, before, math.isinf) if inside else None)


def _brief(assembly: Assembly, node: ca.SX) -> str:
    """A node, with the names of the places that its symbols stand for."""
    homes = {s.element_hash(): assembly.trace.homes.get(s.element_hash()) for s in ca.symvar(node)}
    return brief(node, {key: at[0].port.element(at[1]) for key, at in homes.items() if at is not None}, SHORT_NAMES)


def _needed_at(assembly: Assembly, s: int) -> tuple[str, int]:
    """File and line of the first statement that needs a step."""
    needing = {s}
    for k, step in enumerate(assembly.steps):
        if needing.intersection(step.args):
            if step.op == ca.OP_OUTPUT:
                return assembly.needs[step.place[1]].line
            needing.add(k)
    return assembly.trace.root.line


def _plain(unit: Unit, origin: Origin, bad: Bad) -> Finding:
    """An origin without lines: in a primitive, or a constant that was copied or passed on."""
    found = replace(_finding(bad, unit), result=origin.result, instruction=origin.instruction)
    if origin.kind == "constant":
        return replace(
            found, kind="constant", place=origin.place, expression="" if origin.place else f"{origin.result:g}"
        )
    assert origin.block is not None
    op, _, imm = origin.block.instructions[origin.instruction]
    note = "a primitive has no Python lines of its own" if isinstance(unit, Primitive) else ""
    return replace(found, op=str(imm) if op is Op.CALL else op.label, arguments=origin.arguments, note=note)


def describe_path(unit: Unit, path: Path) -> tuple[str, ...]:
    """Calls, loop indices and cases with their lines, outermost first."""
    assembly = getattr(unit, "assembly", None)
    steps: list[str] = []
    index, in_loop = 0, False
    for statement, number in path:
        line = assembly.lines.get(id(statement)) if assembly is not None else None
        at = ""
        if line is not None:
            where = source_line(*line[1])
            at = f" at {where}: {where.text}"
        if isinstance(statement, Loop):
            index, in_loop = number, True
            steps.append(f"loop index {number} of {statement.count}")
            continue
        elif isinstance(statement, Switch):
            steps.append(("default case" if number < 0 else f"case {number}") + at)
        elif isinstance(statement, Call):
            inner = statement.routine.origin
            if isinstance(inner, Turn):
                turns = assembly.turns.get(id(statement)) if assembly is not None else None
                if turns is not None:
                    first, stride, count = turns
                    if in_loop:
                        steps.pop()
                    steps.append(f"loop index {first + stride * index} of {count}")
                steps[-1] += at
            elif inner is not None:
                steps.append(f"call of {statement.routine.name!r}{at}")
            assembly, index = getattr(inner, "assembly", None) if inner is not None else assembly, 0
        in_loop = False
    return tuple(steps)
