"""A finding: the origin of a NaN or an infinity, in terms of the model rather than of the machine code."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, final

import casadi as ca

from motionbase.compile.inspection.lines import SourceLine, Stack

Kind = Literal["operation", "input", "constant"]
WIDTH = 72  # width of a shortened expression

_INFIX = {
    ca.OP_ADD: "+", ca.OP_SUB: "-", ca.OP_MUL: "*", ca.OP_DIV: "/", ca.OP_LT: "<", ca.OP_LE: "<=", ca.OP_EQ: "==",
    ca.OP_NE: "!=", ca.OP_AND: "&&", ca.OP_OR: "||",
}  # fmt: skip
_PREFIX = {ca.OP_NEG: "-", ca.OP_NOT: "!"}
_POSTFIX = {ca.OP_SQ: "**2"}


@final
@dataclass(frozen=True)
class Finding:
    """The first instruction that produced a NaN (or an infinity) which reaches an output.

    Attributes:
        value: "NaN" or "infinity", whichever was searched
        kind: produced by an operation, given as an input or constant, or read from memory before it was set
        unit: name of the kernel, primitive, program or iteration of a loop
        within: kind of the unit
        instruction: number in the unit's instruction list without common subexpressions shared; None if no instruction
        op: name of the operation
        arguments: values of its arguments
        result: its result
        expression: the node, shortened
        place: port and element, for an input, an output or memory
        stack: Python lines, innermost first; empty if unknown
        path: for a program, the calls, loop indices and cases that lead to the unit, outermost first
        reaches: outputs and memory of the whole unit that contain a NaN (or an infinity)
        note: further hints
        infinity: for a NaN, the infinity that led to it, if there was one
    """

    value: Literal["NaN", "infinity"]
    kind: Kind
    unit: str
    instruction: int | None = None
    op: str = ""
    arguments: tuple[float, ...] = ()
    result: float = float("nan")
    expression: str = ""
    place: str = ""
    stack: Stack = ()
    path: tuple[str, ...] = ()
    reaches: tuple[str, ...] = ()
    note: str = ""
    infinity: Finding | None = None
    within: str = "kernel"

    @property
    def line(self) -> SourceLine | None:
        """The innermost line of a model (not of the compiler's or NumPy's own code)."""
        return next((s for s in self.stack if not s.is_library), self.stack[0] if self.stack else None)

    @property
    def callers(self) -> Stack:
        """Lines of a model from which `line` was reached, innermost first; a comprehension is not its own caller."""
        kept: list[SourceLine] = []
        for line in self.stack:
            before = kept[-1] if kept else None
            if not line.is_library and (before is None or (before.file, before.line) != (line.file, line.line)):
                kept.append(line)
        return tuple(kept[1:])

    def as_json(self) -> dict[str, Any]:
        """Plain data; numbers that JSON lacks are strings."""
        data = asdict(self)
        line = self.line
        data["line"] = None if line is None else asdict(line)
        data["arguments"] = [plain(a) for a in self.arguments]
        data["result"] = plain(self.result)
        data["infinity"] = None if self.infinity is None else self.infinity.as_json()
        return data

    def sentence(self) -> str:
        """The finding in one line."""
        if self.kind == "input":
            return f"{self.value} comes in through {self.place}"
        if self.kind == "constant":
            return f"{self.value} is a constant: {self.expression or self.place}"
        numbers = ", ".join(f"{a:.6g}" for a in self.arguments)
        at = f"{self.within} {self.unit!r}, instruction {self.instruction}"
        return f"{self.value} made by {self.op}({numbers}) = {self.result:.6g} in {at}"

    def report(self) -> list[str]:
        """The finding in a few lines for a terminal."""
        lines = [self.sentence()]
        lines += [f"  by way of   {step}" for step in self.path]
        if self.kind == "operation":
            lines.append(f"  expression  {self.expression}")
        if self.line is not None:
            lines += _shown("line", self.line)
            for caller in self.callers:
                lines += _shown("called at", caller, mark=False)
        elif self.kind == "operation":
            lines.append("  line        unknown")
        if self.note:
            lines.append(f"  note        {self.note}")
        if self.reaches:
            lines.append(f"  reaches     {', '.join(self.reaches)}")
        if self.infinity is not None:
            first, *rest = self.infinity.report()
            lines += [f"  before it   {first}", *(f"  {line}" for line in rest)]
        return lines

    def __str__(self) -> str:
        return "\n".join(self.report())


def plain(number: float) -> float | str:
    """A number in a form that JSON can represent."""
    return number if number - number == 0.0 else str(float(number))


def _shown(title: str, line: SourceLine, mark: bool = True) -> list[str]:
    rows = [f"  {title:<11} {line}, in {line.function}", f"                {line.text}"]
    if mark and line.columns is not None and line.columns != (0, len(line.text)):
        first, end = line.columns
        rows.append(" " * (16 + first) + "^" * (end - first))
    return rows


def brief(node: ca.SX, names: dict[int, str], op_names: dict[int, str]) -> str:
    """An expression, truncated at the depth that fits on a line; `names` has the symbols' names by hash."""

    def text(e: ca.SX, depth: int, inner: bool = True) -> str:
        if e.is_leaf():
            return names.get(e.element_hash()) or (f"{float(e):.6g}" if e.is_constant() else str(e))
        if depth == 0:
            return "…"
        op = e.op()
        parts = [text(e.dep(k), depth - 1, op in _INFIX or op in _POSTFIX or op in _PREFIX) for k in range(e.n_dep())]
        if op in _INFIX:
            joined = f"{parts[0]} {_INFIX[op]} {parts[1]}"
            return f"({joined})" if inner else joined
        if op in _PREFIX:
            return f"{_PREFIX[op]}{parts[0]}"
        if op in _POSTFIX:
            return f"{parts[0]}{_POSTFIX[op]}"
        return f"{op_names.get(op, str(op))}({', '.join(parts)})"

    for depth in range(8, 0, -1):
        if len(shortened := text(node, depth, inner=False)) <= WIDTH:
            return shortened
    return text(node, 1, inner=False)
