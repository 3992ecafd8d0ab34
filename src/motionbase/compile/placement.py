"""From an assembled program to its routine: places every operation, then writes the statements region by region."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, final

import casadi as ca

from motionbase.compile.block import Builder, Value
from motionbase.compile.lower import SPLIT_ABOVE, STEP_RULES, free_slots, outlined
from motionbase.compile.routine import (
    Address,
    Buffer,
    Call,
    Copy,
    Loop,
    Routine,
    Statement,
    Switch,
    arguments_of,
)
from motionbase.compile.tracing import At, CallRecord, ChoiceRecord, Kind, Path, Place, Region

if TYPE_CHECKING:
    from motionbase.compile.assembly import Assembly
    from motionbase.compile.programs import Unit


@final
@dataclass
class Lowering:
    """The statements of a program's routine, region by region."""

    assembly: Assembly
    unit: Unit
    buffers: list[Buffer] = field(default_factory=list)
    loops: int = 0

    def __post_init__(self) -> None:
        a = self.assembly
        self.arguments = arguments_of(self.unit)
        places = [*a.inputs, *a.held, *a.outputs, *a.memory]
        assert len(places) == len(self.arguments)
        self.numbers: dict[Place, int] = {place: k for k, place in enumerate(places)}
        self.placed = self._placed()
        self.slots = self._slots()
        self.scratch = -1
        if self.slots:
            self.scratch = self._buffer("scratch_", 1 + max(self.slots.values()))
        self.stores: dict[Path, list[int]] = {}
        for k, need in enumerate(a.needs):
            self.stores.setdefault(need.at, []).append(k)
        self.here: dict[Path, list[int]] = {}
        for k, places_of in enumerate(self.placed):
            for at in places_of:
                self.here.setdefault(at, []).append(k)
        self.value_of_need = {s.place[1]: s.args[0] for s in a.steps if s.op == ca.OP_OUTPUT}

    def routine(self) -> Routine:
        """The complete routine."""
        body = tuple(self._statements(self.assembly.trace.root))
        return Routine(self.unit.name, self.arguments, body, tuple(self.buffers), origin=self.unit)

    # ---- where each operation goes ---------------------------------------------------------------------------------

    def _placed(self) -> list[list[Path]]:
        a = self.assembly
        uses: list[set[Path]] = [set() for _ in a.steps]
        placed: list[list[Path]] = [[] for _ in a.steps]
        for k in range(len(a.steps) - 1, -1, -1):
            step = a.steps[k]
            if step.op == ca.OP_OUTPUT:
                uses[step.args[0]].add(a.needs[step.place[1]].at)
            elif step.op not in (ca.OP_CONST, ca.OP_INPUT) and k not in a.frontier and uses[k]:
                placed[k] = _spread(uses[k], 0)
                for argument in step.args:
                    uses[argument].update(placed[k])
        return placed

    def _slots(self) -> dict[tuple[int, Path], int]:
        """Scratch slots of numbers that are computed before one statement and also needed before another."""
        a = self.assembly
        last: dict[tuple[int, Path], Path] = {}

        def use(value: int, at: Path) -> None:
            if self.placed[value] and (made := self._visible(value, at)) != at:
                last[value, made] = max(last.get((value, made), at), at)

        for k, step in enumerate(a.steps):
            if step.op == ca.OP_OUTPUT:
                use(step.args[0], a.needs[step.place[1]].at)
            else:
                for at in self.placed[k]:
                    for argument in step.args:
                        use(argument, at)
        return free_slots(sorted(last, key=lambda item: (item[1], item[0])), lambda item: item[1], last)

    def _visible(self, value: int, at: Path) -> Path:
        for made in self.placed[value]:
            if made[:-1] == at[: len(made) - 1] and made <= at:
                return made
        raise AssertionError("a value is used before it is computed")

    # ---- statements ------------------------------------------------------------------------------------------------

    def _statements(self, region: Region) -> list[Statement]:
        found: list[Statement] = []
        for index, record in region.kept:
            found += self._before((*region.path, index))
            found += self._call(record) if isinstance(record, CallRecord) else [self._switch(record)]
        return found + self._before(region.here)

    def _before(self, at: Path) -> list[Statement]:
        """The statements that compute and store what a statement needs."""
        found: list[Statement] = list(self._blocks(at))
        for m in self.assembly.moves.get(at, ()):
            found.append(Copy(self._address(At(m.source, m.offset)), self._address(At(m.target, m.start)), m.size))
        return found

    def _blocks(self, at: Path) -> Iterator[Statement]:
        steps, stores = self.here.get(at, []), self.stores.get(at, [])
        if not steps and not stores:
            return
        pieces = max(1, -(-len(steps) // SPLIT_ABOVE))
        borders = [len(steps) * k // pieces for k in range(pieces + 1)]
        piece_of = {s: p for p in range(pieces) for s in steps[borders[p] : borders[p + 1]]}
        stores_of = self._shared_out(stores, piece_of, pieces)
        stored = {self.value_of_need[j]: p for p, some in enumerate(stores_of) for j in some}
        kept = self._kept_between(piece_of, steps, stored)
        across = self._buffer("between_", len(kept)) if kept else -1
        pieces, borders = len(stores_of), borders + [len(steps)] * (len(stores_of) - pieces)
        for p in range(pieces):
            builder, values = Builder(), dict[int, Value]()
            for s in steps[borders[p] : borders[p + 1]]:
                step = self.assembly.steps[s]
                arguments = [self._value(builder, values, a, at, kept, across) for a in step.args]
                values[s] = STEP_RULES[step.op](*arguments)
                if (s, at) in self.slots:
                    builder.store(self.scratch, self.slots[s, at], values[s])
                if s in kept:
                    builder.store(across, kept[s], values[s])
            self._store(builder, values, at, stores_of[p], kept, across)
            yield self._as_statement(builder, values, pieces, p)

    def _shared_out(self, stores: list[int], piece_of: dict[int, int], pieces: int) -> list[list[int]]:
        """What each piece of a long block stores: what it computes; numbers from elsewhere have pieces of their own.

        Where memory is changed, the last piece stores everything: see `_store`.
        """
        memory = any(self.assembly.stands(self.assembly.needs[j].place)[0].kind is Kind.MEMORY for j in stores)
        if memory or (pieces == 1 and len(stores) <= SPLIT_ABOVE):
            return [*([] for _ in range(pieces - 1)), stores]
        found: list[list[int]] = [[] for _ in range(pieces)]
        passed_on: list[int] = []
        for j in stores:
            piece = piece_of.get(self.value_of_need[j])
            (passed_on if piece is None else found[piece]).append(j)
        return found + [passed_on[k : k + SPLIT_ABOVE] for k in range(0, len(passed_on), SPLIT_ABOVE)]

    def _kept_between(self, piece_of: dict[int, int], steps: list[int], stored: dict[int, int]) -> dict[int, int]:
        """Numbers of a long block that its later pieces need; `stored` has the pieces that store them."""
        kept: dict[int, int] = {}
        uses = [(a, piece_of[s]) for s in steps for a in self.assembly.steps[s].args] + list(stored.items())
        for value, piece in uses:
            if value in piece_of and piece_of[value] != piece:
                kept.setdefault(value, len(kept))
        return kept

    def _store(
        self, builder: Builder, values: dict[int, Value], at: Path, stores: list[int], kept: dict[int, int], across: int
    ) -> None:
        """Store the needed numbers; all are read before the first is stored, since memory may move between places."""
        needs = [self.assembly.needs[j] for j in stores]
        ready = [self._value(builder, values, self.value_of_need[j], at, kept, across) for j in stores]
        for need, value in zip(needs, ready, strict=True):
            address = self._address(At(need.place, need.offset))
            builder.store(address.buffer, address.offset, value)

    def _value(
        self, builder: Builder, values: dict[int, Value], s: int, at: Path, kept: dict[int, int], across: int
    ) -> Value:
        if s not in values:
            a, step = self.assembly, self.assembly.steps[s]
            if step.op == ca.OP_CONST:
                values[s] = builder.constant(step.number)
            elif step.op == ca.OP_INPUT:
                place, offset = a.sources[step.place[1]]
                address = self._address(At(place, offset))
                values[s] = builder.load(address.buffer, address.offset)
            elif s in a.frontier:
                values[s] = builder.load(self.numbers[a.held[-1]], a.frontier[s])
            elif s in kept and self._visible(s, at) == at:
                values[s] = builder.load(across, kept[s])
            else:
                values[s] = builder.load(self.scratch, self.slots[s, self._visible(s, at)])
        return values[s]

    def _as_statement(self, builder: Builder, values: dict[int, Value], pieces: int, piece: int) -> Statement:
        """The block itself, or a call of a separate routine if it is a piece of a long block."""
        found: Statement = (block := builder.block())
        if pieces > 1:
            sizes = [a.size for a in self.arguments] + [b.size for b in self.buffers]
            found = outlined(f"{self.unit.name}_part{piece + 1}", block, sizes)
            (block,) = found.routine.blocks()
        at = {s: builder.kept[v.index] for s, v in values.items() if v.index in builder.kept}
        self.assembly.steps_in[id(block)] = (block, at)
        return found

    def _call(self, record: CallRecord) -> list[Statement]:
        a = self.assembly
        given = [a.made(g) for g in record.given]
        results = [At(place) for place in record.results]
        if not record.count:
            places = [self._address(at) for at in (*given, *results, *record.memory)]
            return [self._line(Call(record.unit, tuple(places)), record)]
        rows = len(record.unit.inputs) - len(record.unit.assembly.held)  # type: ignore[attr-defined]
        held = [self._address(at) for at in given[rows:]]
        if not record.independent:
            return self._repeat(record, [self._address(at) for at in given[:rows]], held)
        number = self._loop_number()
        moving = [self._address(at, number, at.stride) for at in given[:rows]]
        out = [self._address(at, number, p.size) for at, p in zip(results, record.unit.outputs, strict=True)]
        call = self._line(Call(record.unit, (*moving, *held, *out)), record)
        return [Loop(number, record.count, (call,), independent=True)]

    def _repeat(self, record: CallRecord, first: list[Address], held: list[Address]) -> list[Statement]:
        """Results alternate with a second set of buffers: nothing is copied, and the last iteration ends in place."""
        end = [self._address(At(place)) for place in record.results]
        other = [Address(self._buffer(f"{p.name}_other_", p.size)) for p in record.unit.outputs]

        def turn(number: int, source: list[Address], target: list[Address]) -> Statement:
            call = self._line(Call(record.unit, (*source, *held, *target)), record)
            self.assembly.turns[id(call)] = (number, 2, record.count)
            return call

        found = [turn(0, first, end)] if record.count % 2 else [turn(0, first, other), turn(1, other, end)]
        begun, left = len(found), (record.count - len(found)) // 2
        if left:
            found.append(Loop(self._loop_number(), left, (turn(begun, end, other), turn(begun + 1, other, end))))
        return found

    def _switch(self, record: ChoiceRecord) -> Switch:
        bodies = [tuple(self._statements(case)) for case in record.regions]
        spans = [(self._address(At(place)), place.port.size) for place in record.results]
        for case in record.regions:
            spans += [(self._address(m), m.place.port.size) for call in case.calls() for m in call.memory]
        cases = tuple(zip(record.numbers, bodies[:-1], strict=True))
        selector = self._address(self.assembly.selector(record))
        choice = Switch(selector, cases, bodies[-1], tuple(spans))
        self.assembly.lines[id(choice)] = (choice, record.line)
        return choice

    def _line(self, call: Call, record: CallRecord) -> Call:
        self.assembly.lines[id(call)] = (call, record.line)
        return call

    # ---- buffers ---------------------------------------------------------------------------------------------------

    def _address(self, at: At, loop: int = 0, stride: int = 0) -> Address:
        place, offset = self.assembly.stands(at.place)
        if place not in self.numbers:
            self.numbers[place] = self._buffer(f"{place.port.name}_{len(self.buffers)}_", place.port.size, place.data)
        strides = ((loop, stride),) if stride else ()
        return Address(self.numbers[place], offset + at.offset, strides)

    def _buffer(self, name: str, size: int, data: tuple[float, ...] | None = None) -> int:
        taken = {b.name for b in self.buffers}
        unique, k = name, 2
        while unique in taken:
            unique, k = f"{name}{k}_", k + 1
        self.buffers.append(Buffer(unique, size, data))
        return len(self.arguments) + len(self.buffers) - 1

    def _loop_number(self) -> int:
        self.loops += 1
        return self.loops - 1


def _spread(uses: set[Path], depth: int) -> list[Path]:
    """Before the first use if one use is on every path; else in each of the cases that need it."""
    if any(len(at) == depth + 1 for at in uses):
        prefix = next(iter(uses))[:depth]
        return [(*prefix, min(at[depth] for at in uses))]
    cases: dict[Path, set[Path]] = {}
    for at in uses:
        cases.setdefault(at[: depth + 2], set()).add(at)
    return [made for key in sorted(cases) for made in _spread(cases[key], depth + 2)]
