"""The step of a scan with its states updated in place: a state's next value overwrites the old one.

This needs no second set of states, and unchanged states cost nothing. A number may be written in place if its old
value is not read afterwards; data flow analysis through all calls and loop iterations decides which numbers may. The
others go to a buffer and are copied at the end of the step. Only renderers that keep the order of loads and stores, and
that allow arguments of a call to overlap, may use it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import final

from motionbase.compile.block import Block, Instruction, in_order, used
from motionbase.compile.follow import Follow, Place
from motionbase.compile.ops import Op
from motionbase.compile.routine import Address, Argument, Buffer, Call, Copy, Loop, Role, Routine, Statement, Switch


def with_states_in_place(routine: Routine, feedback: Mapping[int, int]) -> Routine:
    """The same step, with one argument of role MEMORY for each state and its next value.

    Args:
        feedback: argument of a state -> argument of its next value; no value feeds two states
    """
    return _Moved(routine, feedback, _late(routine, feedback)).routine


def _late(routine: Routine, feedback: Mapping[int, int]) -> set[Place]:
    """Next values that are written while the old ones are still read; spans of one statement are kept together."""
    follow = Follow.through(routine, feedback)
    late, news = follow.early, set(feedback.values())
    spans = [span for span in follow.spans.values() if all(buffer in news for buffer, _ in span)]
    while together := [span for span in spans if not span.isdisjoint(late) and not span <= late]:
        late = late.union(*together)
    return late


# ---- the step with its addresses moved -----------------------------------------------------------------------------


@final
class _Moved:
    """The step with next values written over their states where possible, and into separate buffers otherwise."""

    def __init__(self, step: Routine, feedback: Mapping[int, int], late: set[Place]) -> None:
        self.step, self.late = step, late
        self.old = {new: old for old, new in feedback.items()}
        kept = [k for k in range(len(step.arguments)) if k not in self.old]
        waiting = sorted({buffer for buffer, _ in late})
        spans = {buffer: [element for b, element in late if b == buffer] for buffer in waiting}
        self.begins = {buffer: min(span) for buffer, span in spans.items()}
        first = len(kept) + len(step.buffers)
        self.numbers = {k: new for new, k in enumerate(kept)}
        self.numbers |= {len(step.arguments) + k: len(kept) + k for k in range(len(step.buffers))}
        self.waits = {buffer: first + k for k, buffer in enumerate(waiting)}
        arguments = [_as_memory(step.arguments[k]) if k in feedback else step.arguments[k] for k in kept]
        own = [Buffer(f"{step.arguments[b].name}_late_", max(spans[b]) + 1 - min(spans[b])) for b in waiting]
        body = (*self._body(step.body), *self._ends())
        self.routine = Routine(step.name, tuple(arguments), body, (*step.buffers, *own), step.tables, step.origin)

    def _place(self, buffer: int, element: int) -> Place:
        """New address of a number; spans stay together."""
        if (buffer, element) in self.late:
            return self.waits[buffer], element - self.begins[buffer]
        return self.numbers[self.old.get(buffer, buffer)], element

    def _address(self, a: Address) -> Address:
        return Address(*self._place(a.buffer, a.offset), a.strides)

    def _ends(self) -> Iterator[Copy]:
        """Copies of the late values to their states."""
        ordered = enumerate(sorted(self.late))
        for _, together in groupby(ordered, key=lambda item: (item[1][0], item[1][1] - item[0])):
            run = [place for _, place in together]
            buffer, first = run[0]
            state = self.numbers[self.old[buffer]]
            yield Copy(Address(*self._place(buffer, first)), Address(state, first), len(run))

    def _body(self, body: Iterable[Statement]) -> Iterator[Statement]:
        for statement in body:
            if isinstance(statement, Block):
                yield self._block(statement)
            elif isinstance(statement, Call):
                yield Call(statement.callee, tuple(map(self._address, statement.addresses)))
            elif isinstance(statement, Copy):
                copy = Copy(self._address(statement.source), self._address(statement.target), statement.size)
                if copy.source != copy.target:
                    yield copy
            elif isinstance(statement, Loop):
                inner = tuple(self._body(statement.body))
                # iterations in order, since rows may be in place
                yield Loop(statement.number, statement.count, inner, after=statement.after)
            else:
                cases = tuple((number, tuple(self._body(case))) for number, case in statement.cases)
                spans = statement.results
                results = None if spans is None else tuple((self._address(a), size) for a, size in spans)
                yield Switch(self._address(statement.selector), cases, tuple(self._body(statement.default)), results)

    def _block(self, block: Block) -> Block:
        """The block without stores of numbers that are already in place."""
        moved: list[Instruction] = []
        for op, args, imm in block.instructions:
            if op in (Op.LOAD, Op.STORE):
                assert isinstance(imm, tuple)
                moved.append(Instruction(op, args, self._place(*imm)))
            elif op in (Op.LOAD_AT, Op.STORE_AT):
                assert isinstance(imm, int)
                moved.append(Instruction(op, args, self._place(imm, 0)[0]))
            else:
                moved.append(Instruction(op, args, imm))
        same = {k for k, (op, args, imm) in enumerate(moved) if op is Op.STORE and moved[args[0]] == (Op.LOAD, (), imm)}
        return used(in_order(Block(tuple(moved)), [k for k in range(len(moved)) if k not in same]))


def _as_memory(argument: Argument) -> Argument:
    return Argument(argument.name, argument.size, Role.MEMORY)
