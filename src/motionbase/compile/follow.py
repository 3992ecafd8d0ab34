"""Data flow of a routine: tracks each number in its buffers through all calls and loop iterations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import final

from motionbase.compile.block import Block
from motionbase.compile.ops import Op
from motionbase.compile.routine import Address, Call, Copy, Loop, Role, Routine, Statement, Switch

Place = tuple[int, int]  # buffer, element
Places = Mapping[int, Place]  # start of a callee's buffers among those of the routine; without its local ones
Turns = Mapping[int, int]  # loop -> iteration


@final
@dataclass
class Follow:
    """Walks through a routine and counts how often each buffer is used.

    Attributes:
        after: buffer of old values -> buffer of new ones
        read: numbers read
        written: numbers written so far
        early: new values that were written, on some path, while the old ones were still to be read
        spans: numbers that one statement passes on together
    """

    after: Mapping[int, int] = field(default_factory=dict)
    uses: Counter[int] = field(default_factory=Counter)
    read: set[Place] = field(default_factory=set)
    written: set[Place] = field(default_factory=set)
    early: set[Place] = field(default_factory=set)
    spans: dict[tuple[int, int], set[Place]] = field(default_factory=dict)

    @staticmethod
    def through(routine: Routine, after: Mapping[int, int] | None = None) -> Follow:
        """Track a whole routine."""
        follow = Follow(after or {})
        buffers = range(len(routine.arguments) + len(routine.buffers))
        follow.body(routine, routine.body, {k: (k, 0) for k in buffers}, {})
        return follow

    def made(self, statement: Call | Copy) -> set[Place]:
        """All numbers that a statement of the routine itself writes, in all iterations."""
        roles = [a.role for a in statement.arguments] if isinstance(statement, Call) else [Role.INPUT, Role.OUTPUT]
        spans = (self.spans[id(statement), k] for k, role in enumerate(roles) if role is not Role.INPUT)
        return set().union(*spans)

    def body(
        self, routine: Routine, body: tuple[Statement, ...], places: Places, turns: Turns, outermost: bool = True
    ) -> None:
        """Walk the statements of the routine or of a callee."""
        for statement in body:
            if outermost:
                self._note_spans(statement, turns)
            if isinstance(statement, Block):
                self._block(routine, statement, places)
            elif isinstance(statement, Call):
                passed = ((k, _resolved(a, places, turns)) for k, a in enumerate(statement.addresses))
                inner = {k: place for k, place in passed if place is not None}
                if inner and statement.routine.whole:
                    self._whole(statement.routine, inner)
                elif inner:
                    self.body(statement.routine, statement.routine.body, inner, {}, outermost=False)
            elif isinstance(statement, Copy):
                self._copy(statement, places, turns)
            elif isinstance(statement, Loop):
                first = 0 if statement.after is None else turns[statement.after] + 1
                for turn in range(first, statement.count):
                    self.body(routine, statement.body, places, {**turns, statement.number: turn}, outermost)
            else:
                self._choose(routine, statement, places, turns, outermost)

    def _whole(self, routine: Routine, places: Places) -> None:
        """A routine that reads all it is given, then writes all of its results."""
        for is_read, without in ((True, Role.OUTPUT), (False, Role.INPUT)):
            for k, (buffer, first) in places.items():
                if routine.arguments[k].role is not without:
                    for element in range(routine.arguments[k].size):
                        self._touch((buffer, first + element), is_read)

    def _block(self, routine: Routine, block: Block, places: Places) -> None:
        for op, _, imm in block.instructions:
            if op in (Op.LOAD, Op.STORE):
                assert isinstance(imm, tuple)
                if (place := places.get(imm[0])) is not None:
                    self._touch((place[0], place[1] + imm[1]), op is Op.LOAD)
            elif op in (Op.LOAD_AT, Op.STORE_AT):  # at a computed address: any element
                assert isinstance(imm, int)
                if (place := places.get(imm)) is not None:
                    for k in range(routine.arguments[imm].size):
                        self._touch((place[0], place[1] + k), op is Op.LOAD_AT)

    def _copy(self, copy: Copy, places: Places, turns: Turns) -> None:
        source, target = _resolved(copy.source, places, turns), _resolved(copy.target, places, turns)
        if source and target and (self.after.get(source[0]), source[1]) == target:
            return  # numbers that do not change
        for k in range(copy.size):
            for place, is_read in ((source, True), (target, False)):
                if place is not None:
                    self._touch((place[0], place[1] + k), is_read)

    def _choose(self, routine: Routine, switch: Switch, places: Places, turns: Turns, outermost: bool) -> None:
        """Walk the cases; one of them runs."""
        if (selector := _resolved(switch.selector, places, turns)) is not None:
            self._touch(selector, is_read=True)
        before, after = self.written, set(self.written)
        for case in switch.bodies:
            self.written = set(before)
            self.body(routine, case, places, turns, outermost)
            after |= self.written
        self.written = after

    def _touch(self, place: Place, is_read: bool) -> None:
        self.uses[place[0]] += 1
        if not is_read:
            self.written.add(place)
            return
        self.read.add(place)
        if (new := (self.after.get(place[0], -1), place[1])) in self.written:
            self.early.add(new)

    def _note_spans(self, statement: Statement, turns: Turns) -> None:
        for k, (address, size) in enumerate(_spans(statement)):
            first = _element(address, turns)
            span = self.spans.setdefault((id(statement), k), set())
            span.update((address.buffer, first + j) for j in range(size))


def _spans(statement: Statement) -> Iterator[tuple[Address, int]]:
    """Numbers that a statement passes on or copies as one piece."""
    if isinstance(statement, Call):
        yield from zip(statement.addresses, (a.size for a in statement.arguments), strict=True)
    elif isinstance(statement, Copy):
        yield from ((statement.source, statement.size), (statement.target, statement.size))
    elif isinstance(statement, Switch):
        yield from statement.results or ()


def _element(address: Address, turns: Turns) -> int:
    return address.offset + sum(turns[number] * stride for number, stride in address.strides)


def _resolved(address: Address, places: Places, turns: Turns) -> Place | None:
    place = places.get(address.buffer)
    return None if place is None else (place[0], place[1] + _element(address, turns))
