"""A routine with all its calls inlined, so that values pass between them in registers where possible.

Calls in loop iterations stay, because the address of an argument depends on the iteration there; so do pieces of long
kernels. Adjacent blocks are merged into one, in which a stored number is not loaded again and unused values are
removed. The operations stay the same, so the results have the same bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import final

from motionbase.compile.block import Block, Instruction, in_order, used
from motionbase.compile.follow import Follow, Place
from motionbase.compile.ops import Op
from motionbase.compile.routine import Address, Buffer, Call, Copy, Loop, Routine, Statement, Switch, walk


def flattened(routine: Routine) -> Routine:
    """The same routine as one of long blocks, choices and loops."""
    flat = _inlined(routine)
    while (smaller := _without_unread(flat)) is not flat:
        flat = smaller
    return flat


@lru_cache(maxsize=1024)
def _inlined(routine: Routine) -> Routine:
    flat = _Flat(routine, list(routine.buffers), list(routine.tables))
    same = {k: Address(k) for k in range(len(routine.arguments) + len(routine.buffers))}
    body = tuple(_merged(flat.body(routine.body, _Frame(same, 0, {}))))
    return Routine(routine.name, routine.arguments, body, tuple(flat.buffers), tuple(flat.tables), routine.origin)


@final
@dataclass(frozen=True)
class _Frame:
    """Translation from a callee's numbering to that of the routine it is inlined into.

    Attributes:
        places: address of each of its buffers
        first_table: number of its first table
        loops: numbers of its loops
    """

    places: Mapping[int, Address]
    first_table: int
    loops: dict[int, int]

    def address(self, a: Address) -> Address:
        """A callee's address, in terms of the caller."""
        place = self.places[a.buffer]
        strides = tuple((self.loops[number], stride) for number, stride in a.strides)
        return Address(place.buffer, place.offset + a.offset, (*place.strides, *strides))


@final
@dataclass
class _Flat:
    """A routine under construction."""

    outermost: Routine
    buffers: list[Buffer]
    tables: list[tuple[float, ...]]
    loops: int = 0

    def body(self, body: Iterable[Statement], frame: _Frame) -> Iterator[Statement]:
        """Statements, with their calls inlined."""
        for statement in body:
            if isinstance(statement, Block):
                yield _moved(statement, frame)
            elif isinstance(statement, Call):
                yield from self._call(statement, frame)
            elif isinstance(statement, Copy):
                yield Copy(frame.address(statement.source), frame.address(statement.target), statement.size)
            elif isinstance(statement, Loop):
                yield self._loop(statement, frame)
            else:
                cases = tuple((number, tuple(_merged(self.body(case, frame)))) for number, case in statement.cases)
                default = tuple(_merged(self.body(statement.default, frame)))
                spans = statement.results
                results = None if spans is None else tuple((frame.address(a), size) for a, size in spans)
                yield Switch(frame.address(statement.selector), cases, default, results)

    def _call(self, call: Call, frame: _Frame) -> Iterator[Statement]:
        routine, addresses = call.routine, tuple(map(frame.address, call.addresses))
        if routine.whole:
            yield Call(routine, addresses)
            return
        piece = routine.origin is None  # part of a block that is already too long
        if piece or any(a.strides for a in addresses) or _computes_places(routine):
            yield Call(_inlined(routine), addresses)
            return
        places = dict(enumerate(addresses))
        for k, buffer in enumerate(routine.buffers):
            places[len(addresses) + k] = Address(len(self.outermost.arguments) + len(self.buffers))
            self.buffers.append(Buffer(f"own{len(self.buffers)}_", buffer.size, buffer.data))
        inner = _Frame(places, len(self.tables), {})
        self.tables += routine.tables
        yield from self.body(routine.body, inner)

    def _loop(self, loop: Loop, frame: _Frame) -> Loop:
        number = frame.loops[loop.number] = self.loops
        self.loops += 1
        after = None if loop.after is None else frame.loops[loop.after]
        return Loop(number, loop.count, tuple(_merged(self.body(loop.body, frame))), loop.independent, after)


def _computes_places(routine: Routine) -> bool:
    return any(op in (Op.LOAD_AT, Op.STORE_AT) for block in routine.blocks() for op, _, _ in block.instructions)


def _moved(block: Block, frame: _Frame) -> Block:
    moved = []
    for op, args, imm in block.instructions:
        if op in (Op.LOAD, Op.STORE):
            assert isinstance(imm, tuple)
            place = frame.address(Address(*imm))
            assert not place.strides
            imm = (place.buffer, place.offset)
        elif op in (Op.LOAD_AT, Op.STORE_AT):  # in the outermost routine, whose buffers stay in place
            assert isinstance(imm, int)
            imm = frame.places[imm].buffer
        elif op is Op.TABLE:
            assert isinstance(imm, int)
            imm = frame.first_table + imm
        moved.append(Instruction(op, args, imm))
    return Block(tuple(moved), block.result)


def _merged(body: Iterable[Statement]) -> Iterator[Statement]:
    """Adjacent blocks merged."""
    blocks: list[Block] = []
    for statement in body:
        if isinstance(statement, Block):
            blocks.append(statement)
            continue
        yield from _joined(blocks)
        blocks = []
        yield statement
    yield from _joined(blocks)


def _joined(blocks: list[Block]) -> Iterator[Block]:
    """One block without repeated loads of values that were already loaded or stored."""
    if not blocks:
        return
    instructions: list[Instruction] = []
    known: dict[Place, int] = {}
    for block in blocks:
        values: list[int] = []
        for op, args, imm in block.instructions:
            if op is Op.LOAD and imm in known:
                assert isinstance(imm, tuple)
                values.append(known[imm])
                continue
            values.append(len(instructions))
            instructions.append(Instruction(op, tuple(values[a] for a in args), imm))
            if op in (Op.LOAD, Op.STORE):
                assert isinstance(imm, tuple)
                known[imm] = values[-1] if op is Op.LOAD else instructions[-1].args[0]
            elif op is Op.STORE_AT:
                known = {place: value for place, value in known.items() if place[0] != imm}
    yield used(Block(tuple(instructions)))


# ---- unused results ------------------------------------------------------------------------------------------------


def _without_unread(routine: Routine) -> Routine:
    """The routine without stores, copies and calls whose results are never read; unchanged if there are none."""
    follow = Follow.through(routine)
    first = len(routine.arguments)
    wanted = follow.read | {place for place in follow.written if place[0] < first}
    body = tuple(_merged(_wanted(routine.body, wanted, follow)))
    if _length(body) == _length(routine.body):
        return routine
    return Routine(routine.name, routine.arguments, body, routine.buffers, routine.tables, routine.origin)


def _wanted(body: Iterable[Statement], wanted: set[Place], follow: Follow) -> Iterator[Statement]:
    for statement in body:
        if isinstance(statement, Block):
            kept = [k for k, (op, _, imm) in enumerate(statement.instructions) if op is not Op.STORE or imm in wanted]
            block = used(in_order(statement, kept))
            if len(block):
                yield block
        elif isinstance(statement, Call | Copy):
            if not wanted.isdisjoint(follow.made(statement)):
                yield statement
        elif isinstance(statement, Loop):
            if inner := tuple(_merged(_wanted(statement.body, wanted, follow))):
                yield Loop(statement.number, statement.count, inner, statement.independent, statement.after)
        else:
            cases = tuple((number, tuple(_merged(_wanted(case, wanted, follow)))) for number, case in statement.cases)
            default = tuple(_merged(_wanted(statement.default, wanted, follow)))
            if default or any(case for _, case in cases):
                yield Switch(statement.selector, cases, default, statement.results)


def _length(body: Iterable[Statement]) -> int:
    return sum(len(s) if isinstance(s, Block) else 1 for s in walk(tuple(body)))
