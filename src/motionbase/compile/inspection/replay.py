"""Replay of a leaf kernel for given numbers, instruction by instruction, with every value and Python line kept."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.compile.block import Block, Builder
from motionbase.compile.inspection.finding import Finding, brief
from motionbase.compile.inspection.lines import LinedTrace, Stack, elements, lined_trace
from motionbase.compile.inspection.origins import Bad
from motionbase.compile.kernels import Kernel
from motionbase.compile.lower import OP_NAMES, RULES, Step, steps_of, storage
from motionbase.compile.render.python import evaluate

SHORT_NAMES = {op: name.removeprefix("OP_").lower() for op, name in OP_NAMES.items()}


@final
@dataclass(frozen=True)
class Replay:
    """A leaf kernel's steps, their values, and the nodes they came from."""

    kernel: Kernel
    lined: LinedTrace
    steps: list[Step]
    values: list[float]
    nodes: ca.SX  # one per instruction of the outermost function

    def first(self, bad: Bad, made: bool = False) -> int | None:
        """The first step that produced a bad value from good ones, among those that led to a bad output.

        Args:
            made: ignore inputs unless there is nothing else
        """
        outputs = [k for k, s in enumerate(self.steps) if s.op == ca.OP_OUTPUT and bad(self.values[k])]
        sources = self._sources(outputs, bad)
        own = [k for k in sources if self.steps[k].op != ca.OP_INPUT] if made else []
        return min(own or sources, default=None)

    def infinity_before(self, position: int) -> int | None:
        """The first infinity produced from finite numbers that led to the step at a position."""
        return min(self._sources(self.steps[position].args, lambda x: not math.isfinite(x)), default=None)

    def _sources(self, starts: Iterable[int], bad: Bad) -> list[int]:
        """Positions with a bad value and no bad argument, searched backwards along bad values."""
        pending = [k for k in starts if bad(self.values[k])]
        seen, sources = set(pending), []
        while pending:
            k = pending.pop()
            before = [a for a in self.steps[k].args if bad(self.values[a])]
            if not before:
                sources.append(k)
            pending += [a for a in before if a not in seen]
            seen.update(before)
        return sources

    def reached(self, position: int, bad: Bad) -> tuple[str, ...]:
        """Outputs that contain bad values because of a step."""
        touched, names = {position}, []
        for k in range(position + 1, len(self.steps)):
            step = self.steps[k]
            if bad(self.values[k]) and any(a in touched for a in step.args):
                touched.add(k)
                if step.op == ca.OP_OUTPUT:
                    names.append(self.kernel.outputs[step.place[0]].name)
        return tuple(dict.fromkeys(names))

    def finding(self, position: int, bad: Bad) -> Finding:
        """The finding for the step at a position."""
        step, result = self.steps[position], self.values[position]
        found = Finding("NaN" if bad is math.isnan else "infinity", "operation", self.kernel.name, result=result)
        found = replace(found, reaches=self.reached(position, bad))
        if step.op == ca.OP_INPUT:
            return replace(found, kind="input", place=f"input {self.input_name(step)}")
        found = replace(found, instruction=step.source, stack=self.stack(position))
        if step.op == ca.OP_CONST:
            # a constant alone says little: show the operation that uses it first
            users = [k for k, s in enumerate(self.steps) if position in s.args and s.op != ca.OP_OUTPUT]
            shown = f"{result:g} in {self.expression(users[0])}" if users else f"{result:g}"
            return replace(found, kind="constant", expression=shown)
        return replace(
            found,
            op=SHORT_NAMES.get(step.op, str(step.op)),
            arguments=tuple(self.values[a] for a in step.args),
            expression=self.expression(position),
        )

    def stack(self, position: int) -> Stack:
        """Python lines behind a step."""
        return self.lined.stack(self.nodes[self.steps[position].source])

    def expression(self, position: int) -> str:
        """The node behind a step, shortened."""
        names = {}
        for port, symbol in zip(self.kernel.inputs, self.lined.trace.symbols, strict=True):
            (offsets,) = storage((port,), [symbol.sparsity()])
            for k, element in zip(offsets, elements(symbol), strict=True):
                names[element.element_hash()] = port.element(k)
        return brief(self.nodes[self.steps[position].source], names, SHORT_NAMES)

    def input_name(self, step: Step) -> str:
        """Port and element that an input step reads."""
        port, symbol = self.kernel.inputs[step.place[0]], self.lined.trace.symbols[step.place[0]]
        (offsets,) = storage((port,), [symbol.sparsity()])
        return port.element(offsets[step.place[1]])


def replay(kernel: Kernel, inputs: list[Array], only: int | None = None) -> Replay:
    """Trace with lines and evaluate, in the order of the instructions.

    Args:
        inputs: flat, in storage order
        only: index of the one relevant output, instead of all
    """
    try:
        lined = lined_trace(kernel)
    except Exception:  # an expression that cannot be run twice: the numbers can still be found, without lines
        lined = LinedTrace(kernel.trace, {}, ())
    trace = lined.trace
    expressions = list(trace.expressions if only is None else trace.expressions[only : only + 1])
    function = ca.Function(kernel.name, list(trace.symbols), expressions, {"cse": False})
    steps = steps_of(function, kernel.name)
    offsets = storage(kernel.inputs, [function.sparsity_in(k) for k in range(function.n_in())])
    values: list[float] = []
    for step in steps:
        if step.op == ca.OP_INPUT:
            port, nonzero = step.place
            values.append(float(inputs[port][offsets[port][nonzero]]))
        elif step.op == ca.OP_CONST:
            values.append(step.number)
        elif step.op == ca.OP_OUTPUT:
            values.append(values[step.args[0]])
        else:
            numbers = [np.array([values[a]]) for a in step.args]
            values.append(float(evaluate(_rule(step.op, len(numbers)), numbers)[0]))
    return Replay(kernel, lined, steps, values, function.instructions_sx())


@cache
def _rule(op: int, arity: int) -> Block:
    """The block of one operation, exactly as it is lowered."""
    builder = Builder()
    return builder.block(RULES[op](*(builder.argument(k) for k in range(arity))))


def steepest(kernel: Kernel, inputs: list[Array]) -> tuple[Replay, int, float] | None:
    """For a derivative kernel: the first step of the original whose own derivative is not finite.

    The chain rule creates nodes that no Python line wrote. If one of them is bad, the reason is nearly always an
    operation of the original with an infinite derivative at these values, such as sqrt at 0.
    """
    if kernel.derivation is None:
        return None
    played = replay(kernel.derivation.kernel, inputs, only=kernel.derivation.output)
    for position, step in enumerate(played.steps):
        if step.args and step.op != ca.OP_OUTPUT:
            numbers = [played.values[a] for a in step.args]
            worst = [x for x in _partials(step.op, numbers) if not math.isfinite(x)]
            if worst and all(map(math.isfinite, numbers)):
                return played, position, worst[0]
    return None


def _partials(op: int, numbers: list[float]) -> list[float]:
    """An operation's derivatives with respect to its arguments."""
    return [float(d) for d in _derivatives(op, len(numbers))(ca.DM(numbers)).nonzeros()]


@cache
def _derivatives(op: int, arity: int) -> ca.Function:
    x = ca.SX.sym("x", arity)
    value = ca.SX.unary(op, x) if arity == 1 else ca.SX.binary(op, x[0], x[1])
    return ca.Function("derivatives", [x], [ca.densify(ca.jacobian(value, x))])
