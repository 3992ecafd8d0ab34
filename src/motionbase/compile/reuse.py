"""Local buffers of a routine share memory if their lifetimes do not overlap.

A buffer lives from the first statement that uses it to the last. Buffers that only blocks use are left alone, because
compilers keep their numbers in registers. If there is some fast memory, the most frequently used buffers go there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache

from motionbase.compile.block import Block, Instruction
from motionbase.compile.follow import Follow
from motionbase.compile.ops import Op
from motionbase.compile.routine import Address, Buffer, Call, Copy, Loop, Routine, Statement, Switch

LOCALS, NEAR = "locals_", "near_"  # names of the shared buffers
Span = tuple[int, int]  # first and last statement


@lru_cache(maxsize=4096)
def with_shared_buffers(routine: Routine, near: int = 0) -> Routine:
    """The same routine with one buffer instead of all that may share memory, and one more in fast memory.

    Args:
        near: capacity of the fast memory, in numbers
    """
    first = len(routine.arguments)
    spans, passed = _lifetimes(routine)
    sizes = {first + k: b.size for k, b in enumerate(routine.buffers) if b.data is None and first + k in passed}
    if len(sizes) < 2:
        return routine
    uses = Follow.through(routine).uses if near else {}
    dense = sorted(sizes, key=lambda b: (-uses.get(b, 0) / max(sizes[b], 1), b))
    fast = _packed({b: sizes[b] for b in dense}, spans, near)
    order = sorted(sizes.keys() - fast.keys(), key=lambda b: (spans[b][0], -sizes[b]))
    slow = _packed({b: sizes[b] for b in order}, spans)
    kept = [k for k in range(len(routine.buffers)) if first + k not in sizes]
    moved = {first + k: (first + new, 0) for new, k in enumerate(kept)}
    buffers = [routine.buffers[k] for k in kept]
    for name, starts, is_near in ((LOCALS, slow, False), (NEAR, fast, True)):
        if starts:
            moved |= {b: (first + len(buffers), start) for b, start in starts.items()}
            buffers.append(Buffer(name, max(start + sizes[b] for b, start in starts.items()), near=is_near))
    body = tuple(_renumbered(s, moved) for s in routine.body)
    return Routine(routine.name, routine.arguments, body, tuple(buffers), routine.tables, routine.origin)


def _lifetimes(routine: Routine) -> tuple[dict[int, Span], set[int]]:
    """Lifetimes of the buffers in order of the statements, and the buffers that are passed to calls."""
    spans: dict[int, Span] = {}
    passed: set[int] = set()
    position = 0

    def touch(buffers: Iterator[int]) -> None:
        for buffer in buffers:
            spans[buffer] = (spans.get(buffer, (position, position))[0], position)

    def visit(body: tuple[Statement, ...]) -> None:
        nonlocal position
        for statement in body:
            position += 1
            if isinstance(statement, Switch):
                passed.update(a.buffer for a, _ in statement.results or ())
                touch(iter((statement.selector.buffer, *(a.buffer for a, _ in statement.results or ()))))
                for case in statement.bodies:
                    visit(case)
                position += 1
                touch(a.buffer for a, _ in statement.results or ())  # other lanes are restored after a case
            else:  # all iterations of a loop are one statement: the next may read what one leaves
                touch(_buffers(statement))
                if not isinstance(statement, Block):
                    passed.update(_buffers(statement))

    visit(routine.body)
    return spans, passed


def _buffers(statement: Statement) -> Iterator[int]:
    if isinstance(statement, Block):
        for op, _, imm in statement.instructions:
            if op in (Op.LOAD, Op.STORE):
                assert isinstance(imm, tuple)
                yield imm[0]
            elif op in (Op.LOAD_AT, Op.STORE_AT):
                assert isinstance(imm, int)
                yield imm
    elif isinstance(statement, Call):
        yield from (a.buffer for a in statement.addresses)
    elif isinstance(statement, Copy):
        yield from (statement.source.buffer, statement.target.buffer)
    elif isinstance(statement, Loop):
        for inner in statement.body:
            yield from _buffers(inner)
    else:
        yield statement.selector.buffer
        yield from (a.buffer for a, _ in statement.results or ())
        for case in statement.bodies:
            for inner in case:
                yield from _buffers(inner)


def _packed(sizes: dict[int, int], spans: dict[int, Span], room: float = math.inf) -> dict[int, int]:
    """Offset of each buffer, in this order: the lowest free one; buffers that do not fit are left out."""
    starts: dict[int, int] = {}
    for buffer, size in sizes.items():
        begin, end = spans[buffer]
        busy = sorted((starts[b], starts[b] + sizes[b]) for b in starts if spans[b][0] <= end and begin <= spans[b][1])
        at = 0
        for low, high in busy:
            if at + size <= low:
                break
            at = max(at, high)
        if at + size <= room:
            starts[buffer] = at
    return starts


def _renumbered(statement: Statement, moved: dict[int, tuple[int, int]]) -> Statement:
    def place(a: Address) -> Address:
        number, start = moved.get(a.buffer, (a.buffer, 0))
        return Address(number, a.offset + start, a.strides)

    if isinstance(statement, Block):
        return Block(tuple(_instruction(i, moved) for i in statement.instructions), statement.result)
    if isinstance(statement, Call):
        return Call(statement.callee, tuple(map(place, statement.addresses)))
    if isinstance(statement, Copy):
        return Copy(place(statement.source), place(statement.target), statement.size)
    if isinstance(statement, Loop):
        body = tuple(_renumbered(s, moved) for s in statement.body)
        return Loop(statement.number, statement.count, body, statement.independent, statement.after)
    bodies = [tuple(_renumbered(s, moved) for s in case) for case in statement.bodies]
    cases = tuple(zip((number for number, _ in statement.cases), bodies[:-1], strict=True))
    results = None if statement.results is None else tuple((place(a), size) for a, size in statement.results)
    return Switch(place(statement.selector), cases, bodies[-1], results)


def _instruction(i: Instruction, moved: dict[int, tuple[int, int]]) -> Instruction:
    if i.op in (Op.LOAD, Op.STORE):
        assert isinstance(i.imm, tuple)
        number, start = moved.get(i.imm[0], (i.imm[0], 0))
        return Instruction(i.op, i.args, (number, i.imm[1] + start))
    if i.op in (Op.LOAD_AT, Op.STORE_AT) and i.imm in moved:
        assert isinstance(i.imm, int) and moved[i.imm][1] == 0, "arrays with computed places are not moved"
        return Instruction(i.op, i.args, moved[i.imm][0])
    return i
