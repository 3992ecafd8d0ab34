"""Maps expression nodes to Python lines: a unit is traced again while a profiler watches the returns from CasADi.

Every CasADi operation passes through a Python function of CasADi's package. Whenever such a function returns to code
outside the package, the new nodes in the returned value belong to the caller's current line. This is exact even in
comprehensions and multi-line statements, does not inspect local variables, and does not interfere with
`sys.settrace`, which debuggers and coverage tools use.
"""

from __future__ import annotations

import contextlib
import linecache
import math
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from types import CodeType, FrameType
from typing import Any, cast, final

import casadi as ca
import numpy as np

from motionbase.compile.authored import shown
from motionbase.compile.kernels import Kernel, Trace
from motionbase.compile.programs import Program

_CASADI = os.path.dirname(ca.__file__) + os.sep
# frames of these are listed among the callers, but a user would not look there first
_LIBRARIES = tuple(os.path.dirname(path) + os.sep for path in (os.path.dirname(__file__), np.__file__))


@final
@dataclass(frozen=True)
class SourceLine:
    """A line of Python, and the part of it that was being evaluated.

    Attributes:
        columns: (first, one past the last) of the part in `text`, or None
    """

    file: str
    line: int
    function: str
    text: str
    columns: tuple[int, int] | None = None

    def __str__(self) -> str:
        return f"{self.shown_file}:{self.line}"

    @property
    def shown_file(self) -> str:
        """The file, relative to the current folder if it is inside it."""
        return shown(self.file)

    @property
    def is_library(self) -> bool:
        """Whether the line is in the compiler or NumPy, rather than in a model."""
        return self.file.startswith(_LIBRARIES)


Stack = tuple[SourceLine, ...]  # innermost first


@final
@dataclass(frozen=True)
class LinedTrace:
    """A trace with the stack of lines behind each node, by the node's hash.

    A hash is an address, so a holder of the hashes must also hold `kept`, the expressions they belong to.
    """

    trace: Trace
    stacks: dict[int, Stack]
    kept: tuple[ca.SX, ...]

    def stack(self, node: ca.SX) -> Stack:
        """Lines of a node, innermost first; empty if unknown."""
        return self.stacks.get(node.element_hash(), ())


def source_line(file: str, line: int, function: str = "", columns: tuple[int, int] | None = None) -> SourceLine:
    """A line with its text; columns are relative to the text without indentation."""
    raw = linecache.getline(file, line).rstrip()
    indent = len(raw) - len(raw.lstrip())
    if columns is not None:
        # Python counts bytes; in a line with non-ASCII letters the underline would be misplaced
        moved = (columns[0] - indent, columns[1] - indent)
        columns = moved if raw.isascii() and 0 <= moved[0] < moved[1] <= len(raw) - indent else None
    return SourceLine(file, line, function, raw.strip(), columns)


def lined_trace(kernel: Kernel) -> LinedTrace:
    """Trace a kernel again and record the line of every node; a derivative keeps the lines of its original."""
    if kernel.derivation is not None:
        inner = lined_trace(kernel.derivation.kernel)
        derivative = kernel.derivation.of(inner.trace)
        return LinedTrace(Trace(inner.trace.symbols, (derivative,), {}), inner.stacks, (*inner.kept, derivative))
    watch = _Watch()
    # a new kernel, because the old one remembers its trace
    again = Kernel(kernel.name, kernel.inputs, kernel.outputs, watch.started(kernel.expr), cse=False)
    before = sys.getprofile()
    sys.setprofile(watch.event)
    try:
        trace = again.trace
    finally:
        sys.setprofile(before)
    return LinedTrace(trace, watch.stacks, tuple(watch.kept))


@final
@dataclass(frozen=True)
class LinedProgram:
    """A program traced again, without sharing, and the stack of lines behind each node, by the node's hash."""

    program: Program
    stacks: dict[int, Stack]
    kept: tuple[ca.SX, ...]

    def stack(self, node: ca.SX) -> Stack:
        """Lines of a node, innermost first; empty if unknown."""
        return self.stacks.get(node.element_hash(), ())


def lined_program(program: Program) -> LinedProgram:
    """Trace a program and the iterations of its loops again and record the line of every node."""
    watch = _Watch()
    again = replace(program, expr=watch.started(program.expr), cse=False, allow_nan=True)
    before = sys.getprofile()
    sys.setprofile(watch.event)
    try:
        _ = again.assembly
    finally:
        sys.setprofile(before)
    return LinedProgram(again, watch.stacks, tuple(watch.kept))


def first_nan(unit: Kernel | Program) -> str:
    """The first line with a NaN constant as ` (file:line)`, or "" if it cannot be determined."""
    with contextlib.suppress(Exception):  # an expression that cannot be run twice
        lined = lined_trace(unit) if isinstance(unit, Kernel) else lined_program(unit)
        stack = lined.stack(ca.SX(math.nan))  # CasADi has a single node for all NaNs
        return next((f" ({line})" for line in stack if not line.is_library), "")
    return ""


@final
class _Watch:
    """The profiler: attributes new nodes to the line that the outermost CasADi call returns to."""

    def __init__(self) -> None:
        self.stacks: dict[int, Stack] = {}
        self.kept: list[ca.SX] = []
        self._positions: dict[CodeType, list[tuple[int | None, ...]]] = {}
        self._lines: dict[tuple[CodeType, int], SourceLine] = {}
        self._base: FrameType | None = None

    def started(self, expr: Callable[..., Any]) -> Callable[..., Any]:
        """The expression in a frame that marks where user code begins."""

        def marked(*inputs: ca.SX) -> Any:
            self._base = sys._getframe()
            try:
                return expr(*inputs)
            finally:
                self._base = None  # what the compiler does with the result belongs to no line

        return marked

    def event(self, frame: FrameType, event: str, value: Any) -> None:
        """Called by Python for every call and return."""
        if event != "return" or value is None or not frame.f_code.co_filename.startswith(_CASADI):
            return
        caller = frame.f_back
        if caller is None or self._base is None or caller.f_code.co_filename.startswith(_CASADI):
            return
        # lines are optional: an error here leaves a line unknown
        with contextlib.suppress(Exception):
            self._attribute(value, caller)

    def _attribute(self, value: Any, caller: FrameType) -> None:
        stack: Stack | None = None
        for root in _expressions(value):
            self.kept.append(root)
            for node in _new_nodes(root, self.stacks):
                stack = stack if stack is not None else self._stack(caller)
                self.stacks[node.element_hash()] = stack

    def _stack(self, frame: FrameType | None) -> Stack:
        lines = []
        while frame is not None and frame is not self._base:
            if not frame.f_code.co_filename.startswith(_CASADI):
                lines.append(self._line(frame))
            frame = frame.f_back
        return tuple(lines)

    def _line(self, frame: FrameType) -> SourceLine:
        code, at = frame.f_code, frame.f_lasti
        if (code, at) not in self._lines:
            if code not in self._positions:
                self._positions[code] = list(code.co_positions())
            line, last, first_column, end_column = self._positions[code][at // 2]
            columns = None
            if line is not None and line == last and first_column is not None and end_column is not None:
                columns = (first_column, end_column)
            number = line or frame.f_lineno
            self._lines[code, at] = source_line(code.co_filename, number, code.co_name, columns)
        return self._lines[code, at]


def _expressions(value: Any) -> Iterator[ca.SX]:
    """SX in a returned value: itself, or inside a list, tuple or dictionary."""
    if isinstance(value, ca.SX):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _expressions(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _expressions(item)


def _new_nodes(root: ca.SX, known: dict[int, Stack]) -> Iterator[ca.SX]:
    """Nodes under the root that are not yet known; everything under a known node is known.

    Leaves are skipped, except constants that are not finite: the first line that has one is of interest.
    """
    found: set[int] = set()
    pending = elements(root)
    while pending:
        node = pending.pop()
        key = node.element_hash()
        if key in known or key in found or (node.is_leaf() and not _is_bad(node)):
            continue
        found.add(key)
        yield node
        pending += [] if node.is_leaf() else [node.dep(k) for k in range(node.n_dep())]


def elements(expression: ca.SX) -> list[ca.SX]:
    """The stored scalars, column by column; CasADi's type hints name a different class."""
    return cast(list[ca.SX], expression.nonzeros())


def _is_bad(leaf: ca.SX) -> bool:
    return leaf.is_constant() and not math.isfinite(float(leaf))
