"""Find the first NaN or infinity of a kernel or program for given inputs, and the Python line it came from.

A leaf kernel is replayed instruction by instruction (`replay.py`) on a trace whose nodes know their lines
(`lines.py`). A program is interpreted, and the first call that makes something bad out of good inputs is replayed.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from motionbase.compile.inspection.finding import Finding
from motionbase.compile.inspection.lines import source_line
from motionbase.compile.inspection.replay import Bad, element_name, replay, steepest
from motionbase.compile.kernels import Kernel
from motionbase.compile.old_program import OldProgram
from motionbase.compile.ops import Op
from motionbase.compile.primitives import Primitive
from motionbase.compile.programs import Unit
from motionbase.compile.render.python import Array, Path, block_values, run
from motionbase.compile.routine import Call, Loop, Role, Routine, Switch
from motionbase.compile.runtime.calling import converted, named_values

__all__ = ["Finding", "evaluate", "find_infinity", "find_nan"]


def evaluate(unit: Unit, /, **inputs: ArrayLike) -> dict[str, Array]:
    """Outputs and memory after one run in the interpreter, by name; arguments as for `find_nan`."""
    arrays = _arrays(unit, inputs)
    run(unit.routine, arrays or [np.empty((0, 1))])
    written = list(zip(unit.ports, arrays, strict=True))[len(unit.inputs) :]
    return {port.name: array.reshape(port.array_shape) for port, array in written}


def find_nan(unit: Unit, /, **inputs: ArrayLike) -> Finding | None:
    """The first NaN that reaches an output, or None. Inputs and memory by name; memory that is not given is zero.

    A NaN which a select drops is not reported. A finding tells the infinity that led to the NaN, if there was one.
    """
    return _find(unit, _arrays(unit, inputs), math.isnan)


def find_infinity(unit: Unit, /, **inputs: ArrayLike) -> Finding | None:
    """The first infinity that reaches an output as an infinity, or None; arguments as for `find_nan`."""
    return _find(unit, _arrays(unit, inputs), math.isinf)


def _arrays(unit: Unit, inputs: dict[str, ArrayLike]) -> list[Array]:
    """One flat column a port, in the order of the arguments; outputs are NaN until they are written."""
    takes = unit.inputs + unit.memory
    owner = repr(unit.name)
    values = named_values(owner, takes, inputs)
    arrays = []
    for port in unit.ports:
        value = values.get(port.name)
        if value is None and port in unit.inputs:
            value = converted(owner, port, (), port.array_shape)  # raises, naming the port and its shape
        if value is None:
            array = np.zeros(port.size) if port in unit.memory else np.full(port.size, np.nan)
        else:
            array = converted(owner, port, value, port.array_shape).ravel().copy()
        arrays.append(array.reshape(-1, 1))
    return arrays


def _find(unit: Unit, arrays: list[Array], bad: Bad) -> Finding | None:
    if isinstance(unit, Kernel):
        return _in_kernel(unit, arrays, bad)
    if isinstance(unit, Primitive):
        return _in_primitive(unit, arrays, bad)
    return _in_program(unit, arrays, bad)


# ---- leaves --------------------------------------------------------------------------------------------------------


def _in_kernel(kernel: Kernel, arrays: list[Array], bad: Bad) -> Finding | None:
    inputs = [a[:, 0] for a in arrays[: len(kernel.inputs)]]
    played = replay(kernel, inputs)
    position = played.first(bad)
    if position is None:
        return None
    finding = played.finding(position, bad)
    if bad is math.isnan and (before := played.infinity_before(position)) is not None:
        finding = replace(finding, infinity=_with_derivative(played.finding(before, math.isinf), kernel, inputs))
    return _with_derivative(finding, kernel, inputs)


def _with_derivative(finding: Finding, kernel: Kernel, inputs: list[Array]) -> Finding:
    """A finding in a node that the chain rule made gets the line whose derivative is not finite."""
    if finding.stack or finding.kind != "operation" or (steep := steepest(kernel, inputs)) is None:
        return finding
    original, position, slope = steep
    note = f"the line's derivative: d {original.expression(position)} is {slope:g} there"
    return replace(finding, stack=original.stack(position), note=note)


def _in_primitive(primitive: Primitive, arrays: list[Array], bad: Bad) -> Finding | None:
    """The first bad double among a primitive's basic operations."""
    routine = primitive.routine
    copies = [a.copy() for a in arrays]
    run(routine, copies)
    reaches = _bad_ports(primitive, copies, bad)
    if not reaches:
        return None
    (block,) = routine.blocks()
    values = [_number(v) for v in block_values(block, routine, [a.copy() for a in arrays])]
    for k, (op, args, imm) in enumerate(block.instructions):
        if bad(values[k]) and not any(bad(values[a]) for a in args) and op is not Op.CONST:
            found = replace(_finding(bad, primitive), instruction=k, result=values[k], reaches=reaches)
            if op in (Op.LOAD, Op.LOAD_AT):
                number = imm[0] if isinstance(imm, tuple) else imm
                assert isinstance(number, int)
                return replace(found, kind="input", place=f"input {primitive.ports[number].name}")
            if op is Op.TABLE:
                return replace(found, kind="constant", place=f"a value of table {primitive.name!r}")
            name = str(imm) if op is Op.CALL else op.label
            numbers = tuple(values[a] for a in args)
            return replace(found, op=name, arguments=numbers, note="a primitive has no Python lines of its own")
    return None


def _finding(bad: Bad, unit: Unit) -> Finding:
    return Finding("NaN" if bad is math.isnan else "infinity", "operation", unit.name)


def _number(value: Any) -> float:
    """A double's value; words, truth values and stores are no numbers to look at."""
    return float(value[0]) if value.size and value.dtype == np.float64 else 0.0


# ---- programs ------------------------------------------------------------------------------------------------------


def _in_program(unit: Unit, arrays: list[Array], bad: Bad) -> Finding | None:
    watch = _Watch(unit, bad, [a.copy() for a in arrays])
    final_arrays = [a.copy() for a in arrays]
    run(unit.routine, final_arrays, watch.observe)
    reaches = _bad_ports(unit, final_arrays, bad)
    if not reaches:
        return None
    finding = watch.finding
    if finding is None and (came := _first_element(unit, arrays, bad)):  # copied from an input, by no call
        finding = replace(_finding(bad, unit), kind="input", place=came)
    if finding is None:
        place = f"copied into output {reaches[0]!r} of program {unit.name!r}"
        finding = replace(_finding(bad, unit), kind="constant", place=place)
    if finding.infinity is not None and finding.infinity.kind == "input":  # an earlier call made it
        earlier = _Watch(unit, math.isinf, [a.copy() for a in arrays])
        run(unit.routine, [a.copy() for a in arrays], earlier.observe)
        finding = replace(finding, infinity=earlier.finding or finding.infinity)
    return replace(finding, reaches=reaches)


@final
class _Watch:
    """Sees every call before it runs, runs each leaf on copies, and keeps the finding in the first bad one."""

    def __init__(self, unit: Unit, bad: Bad, inputs: list[Array]) -> None:
        self.unit, self.bad, self.inputs = unit, bad, inputs
        self.finding: Finding | None = None

    def observe(self, routine: Routine, arrays: list[Array], path: Path) -> None:
        """Told by the interpreter; pieces of a long kernel have no origin and are part of the kernel's own call."""
        leaf = routine.origin
        if self.finding is not None or not isinstance(leaf, (Kernel, Primitive)):
            return
        before = [a.copy() for a in arrays]
        after = [a.copy() for a in arrays]
        run(routine, after)
        if not _bad_ports(leaf, after, self.bad):
            return
        steps = _describe(self.unit, path)
        if found := _find(leaf, before, self.bad):
            if found.kind == "input":
                found = self._from_outside(found, path, before)
            self.finding = replace(found, path=steps)

    def _from_outside(self, found: Finding, path: Path, arrays: list[Array]) -> Finding:
        """A leaf's bad input: the program's own input or one of its constants."""
        if came := _first_element(self.unit, self.inputs, self.bad):
            return replace(found, unit=self.unit.name, place=came)
        callers = [self.unit.routine] + [s.routine for s, _ in path if isinstance(s, Call)]
        call = path[-1][0]
        assert isinstance(call, Call)
        for argument, address, array in zip(call.routine.arguments, call.addresses, arrays, strict=True):
            if argument.role is not Role.OUTPUT and any(self.bad(float(x)) for x in array[:, 0]):
                caller = callers[-2]
                own = address.buffer - len(caller.arguments)
                buffer = caller.buffers[own] if own >= 0 else caller.arguments[address.buffer]
                place = f"{buffer.name!r} of program {caller.name!r}, port {argument.name!r} of {call.routine.name!r}"
                return replace(found, kind="constant", place=place)
        return found


def _describe(unit: Unit, path: Path) -> tuple[str, ...]:
    """Calls with their lines, loop indices and cases, outermost first."""
    lines = unit._built.lines if isinstance(unit, OldProgram) else {}
    steps = []
    for statement, number in path:
        if isinstance(statement, Loop):
            steps.append(f"loop index {number} of {statement.count}")
        elif isinstance(statement, Switch):
            steps.append("default case" if number < 0 else f"case {number}")
        elif isinstance(statement, Call):
            inner = statement.routine.origin
            if (at := lines.get(id(statement))) is not None:
                where = source_line(*at)
                steps.append(f"call of {statement.routine.name!r} at {where}: {where.text}")
            else:
                steps.append(f"call of {statement.routine.name!r}")
            lines = inner._built.lines if isinstance(inner, OldProgram) else {}
    return tuple(steps)


def _bad_ports(unit: Unit, arrays: list[Array], bad: Bad) -> tuple[str, ...]:
    """Names of the outputs and memory that hold something bad."""
    written = list(zip(unit.ports, arrays, strict=True))[len(unit.inputs) :]
    return tuple(p.name for p, a in written if any(bad(float(x)) for x in a[:, 0]))


def _first_element(unit: Unit, arrays: list[Array], bad: Bad) -> str:
    """The first bad element among inputs and memory, as `input q[2]`, or nothing."""
    for port, array in zip(unit.ports, arrays, strict=True):
        if port not in unit.outputs:
            for k, (row, column) in enumerate(port.places()):
                if bad(float(array[k, 0])):
                    return f"{'memory' if port in unit.memory else 'input'} {element_name(port, row, column)}"
    return ""
