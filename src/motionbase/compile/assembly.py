"""From a traced program to a routine: the arithmetic is divided at the calls.

Everything that a program computes between its calls, in all its regions, is one CasADi function, so common
subexpressions are shared throughout. Each operation is placed before the first statement that needs it, and inside a
case if only that case needs it. A value that is needed later is stored in scratch memory once. Results are computed
directly into the program's outputs where possible, and a slice of a place is a place.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, final

import casadi as ca

from motionbase.compile.authored import shown
from motionbase.compile.block import Block
from motionbase.compile.lower import Step, steps_of, with_choices
from motionbase.compile.placement import Lowering
from motionbase.compile.port import Port
from motionbase.compile.routine import (
    Routine,
    Statement,
)
from motionbase.compile.tracing import At, CallRecord, ChoiceRecord, Given, Kind, Line, Path, Place, Region, Trace
from motionbase.compile.unused import drop_unused
from motionbase.errors import KernelError

if TYPE_CHECKING:
    from motionbase.compile.programs import Unit

COPY_FROM = 9  # consecutive numbers from which one copy statement replaces single moves


@final
@dataclass(frozen=True)
class Need:
    """A number that must be stored at a place before a statement runs."""

    element: ca.SX
    at: Path
    place: Place
    offset: int
    line: Line


@final
@dataclass(frozen=True)
class Moved:
    """Consecutive numbers that are copied before a statement runs."""

    source: Place
    offset: int
    target: Place
    start: int
    size: int


@final
class Assembly:
    """The analysis of a traced program before it is lowered.

    Attributes:
        captured: places of the enclosing program that an iteration of a loop uses
        hoisted: values that depend only on the enclosing program; they are computed once, outside the loop
    """

    def __init__(self, trace: Trace, inputs: list[Place], outputs: list[Place], memory: list[Place]) -> None:
        self.trace, self.inputs, self.outputs, self.memory = trace, inputs, outputs, memory
        self.captured: list[Place] = []
        self.hoisted: list[ca.SX] = []
        self.needs: list[Need] = []
        self.moves: dict[Path, list[Moved]] = {}
        self._born: dict[Place, tuple[Place, int]] = {}  # places that are part of others
        self._made: dict[int, Place] = {}  # buffers of arguments, by id of the argument
        self._selectors: dict[int, At] = {}
        # for diagnosis, by id: lines of calls and choices, indices of repeated calls, positions of a block's steps
        self.lines: dict[int, tuple[Statement, Line]] = {}
        self.turns: dict[int, tuple[int, int, int]] = {}  # index of the first, increment, and number of iterations
        self.steps_in: dict[int, tuple[Block, dict[int, int]]] = {}
        drop_unused(trace)
        self._collect(trace.root)
        self._trace_steps()

    # ---- what is needed where -------------------------------------------------------------------------------------

    def _collect(self, region: Region) -> None:
        self._settle_returns(region)
        for index, record in region.kept:
            at = (*region.path, index)
            if isinstance(record, CallRecord):
                for given in record.given:
                    self._need(given, at, record.line)
                for updated in record.memory:
                    self._reach(updated.place, at, record.line)
            else:
                self._select(record, at)
                for case in record.regions:
                    self._collect(case)

    def _need(self, given: Given, at: Path, line: Line) -> None:
        if isinstance(given, At):
            self._reach(given.place, at, line)
            return
        place = self._made[id(given)] = Place(Port(given.name, len(given.elements)), Kind.RESULT, self.trace, at[:-1])
        self.needs += [Need(e, at, place, k, line) for k, e in enumerate(given.elements)]

    def _select(self, record: ChoiceRecord, at: Path) -> None:
        given = self.trace.given("selector", [record.selector])
        self._need(given, at, record.line)
        self._selectors[id(record)] = given if isinstance(given, At) else At(self._made[id(given)])

    def _settle_returns(self, region: Region) -> None:
        """A result that a region returns whole is created at its destination; others are stored or copied last."""
        at = region.here
        for target, elements in region.returns:
            homes = [self.trace.homes.get(e.element_hash()) for e in elements]
            root, start = self.stands(target)
            k = 0
            while k < len(elements):
                run = _run_length(homes, k)
                place, offset = homes[k] or (None, 0)
                if place is root and offset == start + k:  # memory that is not changed
                    k += run
                elif place is not None and self._may_be_born(place, offset, run, target, region):
                    self._born[place] = (target, k)
                    k += run
                elif place is not None and run >= COPY_FROM and target.kind is not Kind.MEMORY:
                    self._reach(place, at, region.line)
                    self.moves.setdefault(at, []).append(Moved(place, offset, target, k, run))
                    k += run
                else:
                    self.needs += [Need(elements[j], at, target, j, region.line) for j in range(k, k + run)]
                    k += run

    def _may_be_born(self, place: Place, offset: int, run: int, target: Place, region: Region) -> bool:
        mine = place.kind is Kind.RESULT and place.trace is self.trace and place.path == region.path
        whole = offset == 0 and run == place.port.size and place.port.size > 0
        if not (mine and whole and place not in self._born):
            return False
        return target.kind is not Kind.MEMORY or self._may_replace(target, place, region)

    def _may_replace(self, memory: Place, result: Place, region: Region) -> bool:
        """Whether a result may overwrite old memory: nothing reads that memory when or after the result is computed."""
        number = next(k for k, s in region.kept if result in s.results)
        made, *after = (s for k, s in region.kept if k >= number)
        hashes = {h for h, (place, _) in self.trace.homes.items() if place is memory}
        if isinstance(made, CallRecord):
            after.append(made)
        else:
            for case in made.regions:
                after += (s for _, s in case.kept)
                for target, elements in case.returns:
                    own = target is result and all(self._is_own(e, memory, k) for k, e in enumerate(elements))
                    if not own and _uses(elements, hashes):
                        return False
        if any(_reads(record, memory, hashes) for record in after):
            return False
        return not any(_uses(elements, hashes) for target, elements in region.returns if target is not memory)

    def _is_own(self, element: ca.SX, memory: Place, k: int) -> bool:
        return self.trace.homes.get(element.element_hash()) == (memory, k)

    def _reach(self, place: Place, at: Path, line: Line) -> None:
        """A place may be used in its own region, in regions inside it, and in loops there."""
        trace: Trace | None = self.trace
        if place.trace is trace:
            if place.path != at[: len(place.path)]:
                self._refuse(place, line, "the case of a switch")
            return
        while trace is not None and place.trace is not trace:
            trace = trace.outer
        if trace is None:
            self._refuse(place, line, "an iteration of a loop, or another program,")
        if place not in self.captured:
            self.captured.append(place)

    def _refuse(self, place: Place, line: Line, where: str) -> None:
        file, number = line
        raise KernelError(
            f"program {self.trace.name!r}: {shown(file)}:{number} uses {place.port.name!r}, a value of {where} that is "
            "over; return it from there"
        )

    # ---- one function for all of it --------------------------------------------------------------------------------

    def _trace_steps(self) -> None:
        elements = [need.element for need in self.needs]
        wanted = ca.vertcat(*elements) if elements else ca.SX(0, 1)
        symbols = ca.symvar(wanted)
        self.sources: list[tuple[Place, int]] = []
        for symbol in symbols:
            home = self.trace.homes.get(symbol.element_hash())
            if home is None:
                name = symbol.name()
                raise KernelError(f"program {self.trace.name!r} uses {name!r}, which no input and no call gives")
            self.sources.append(home)
        self.function = ca.Function("program", [ca.vertcat(*symbols)], [wanted], {"cse": self.trace.shared})
        steps = steps_of(self.function, self.trace.name)
        if any(step.op == ca.OP_CONST and not step.called and math.isnan(step.number) for step in steps):
            self.trace.outermost.holds_nan = True
        self.steps = with_choices(steps)
        self._check_scopes()
        self.frontier: dict[int, int] = {}  # steps computed outside, and their positions in `hoisted`
        if self.trace.outer is not None:
            self._hoist()

    def _check_scopes(self) -> None:
        """Check that every number is used only where all its operands may be used."""
        needed: list[tuple[Place, ...]] = []  # by step: the places of its symbols that have a limited scope
        for step in self.steps:
            if step.op == ca.OP_INPUT:
                place = self.sources[step.place[1]][0]
                needed.append((place,) if place.path or place.trace is not self.trace else ())
            elif step.op == ca.OP_OUTPUT:
                need = self.needs[step.place[1]]
                for place in needed[step.args[0]]:
                    self._reach(place, need.at, need.line)
                needed.append(())
            else:
                found = dict.fromkeys(p for a in step.args for p in needed[a])
                needed.append(tuple(found))

    def _hoist(self) -> None:
        """In an iteration of a loop, values that depend only on outside values are computed outside."""
        varies: list[bool] = []
        for step in self.steps:
            if step.op == ca.OP_INPUT:
                varies.append(self.sources[step.place[1]][0].trace is self.trace)
            else:
                varies.append(step.called or any(varies[a] for a in step.args))
        for step in self.steps:
            if step.op == ca.OP_OUTPUT or varies_here(step, varies):
                for a in step.args:
                    made = self.steps[a]
                    if not varies[a] and made.op not in (ca.OP_CONST, ca.OP_INPUT) and a not in self.frontier:
                        self.frontier[a] = len(self.frontier)
        if self.frontier:
            nodes = self.function.instructions_sx()
            self.hoisted = [nodes[self.steps[a].source] for a in self.frontier]
        used = self._used_steps()
        still = {self.sources[self.steps[k].place[1]][0] for k in used if self.steps[k].op == ca.OP_INPUT}
        direct = {g.place for g in self._direct()}
        self.captured = [p for p in self.captured if p in still or p in direct]

    def _used_steps(self) -> set[int]:
        used: set[int] = set()
        for k in range(len(self.steps) - 1, -1, -1):
            if self.steps[k].op == ca.OP_OUTPUT or k in used:
                used.add(k)
                if k not in self.frontier:
                    used.update(self.steps[k].args)
        return used

    def _direct(self) -> Iterator[At]:
        """Arguments that are already stored somewhere, and sources of copies."""
        yield from self._selectors.values()
        for moved in (m for moves in self.moves.values() for m in moves):
            yield At(moved.source)
        for record in self.trace.root.calls():
            yield from (g for g in record.given if isinstance(g, At))

    @cached_property
    def held(self) -> list[Place]:
        """Places for what an iteration uses from outside: captured places, then hoisted values."""
        if not self.hoisted:
            return list(self.captured)
        return [*self.captured, self._hoisted_place]

    @cached_property
    def _hoisted_place(self) -> Place:
        return Place(Port("held", len(self.hoisted)), Kind.INPUT, self.trace, ())

    @cached_property
    def text(self) -> str:
        """The whole structure as text, for content hashes."""
        numbers: dict[Place, int] = {}
        names: dict[Place, str] = {}

        def place(p: Place) -> str:
            if p not in names:
                numbers[p] = len(numbers)
                names[p] = f"{numbers[p]}:{p.port.array_shape}"
            return names[p]

        def given(g: Given) -> str:
            return f"{place(g.place)}+{g.offset}*{g.stride}" if isinstance(g, At) else f"{place(self._made[id(g)])}"

        def region(r: Region) -> str:
            parts = []
            for _, s in r.kept:
                if isinstance(s, CallRecord):
                    arguments = [given(g) for g in (*s.given, *s.memory)]
                    results = [place(p) for p in s.results]
                    parts.append(f"call {s.unit.digest} {arguments} {results} {s.count} {s.independent}")
                else:
                    selector, results = given(self._selectors[id(s)]), [place(p) for p in s.results]
                    parts.append(f"switch {selector} {s.numbers} {results} {[region(case) for case in s.regions]}")
            return "; ".join(parts)

        arguments = [place(p) for p in (*self.inputs, *self.held, *self.outputs, *self.memory)]
        needs = [f"{n.at} {place(n.place)}+{n.offset}" for n in self.needs]
        sources = [f"{place(p)}+{k}" for p, k in self.sources]
        moves = [
            f"{at} {place(m.source)}+{m.offset} {place(m.target)}+{m.start} {m.size}"
            for at, some in self.moves.items()
            for m in some
        ]
        born = [f"{place(p)} in {place(t)}+{k}" for p, (t, k) in self._born.items()]
        structure = region(self.trace.root)
        constants = [f"{n} {p.data}" for p, n in numbers.items() if p.data is not None]
        parts = [arguments, needs, sources, moves, born, constants, structure, list(self.frontier.items())]
        return f"{parts}\n{self.function.serialize()}"

    def made(self, given: Given) -> At:
        """Place of an argument."""
        return given if isinstance(given, At) else At(self._made[id(given)], 0, given.stride)

    def selector(self, record: ChoiceRecord) -> At:
        """Place of the selector of a choice."""
        return self._selectors[id(record)]

    def stands(self, place: Place) -> tuple[Place, int]:
        """The place that contains this one, and the offset in it."""
        offset = 0
        while place in self._born:
            place, more = self._born[place]
            offset += more
        return place, offset

    def routine(self, unit: Unit) -> Routine:
        """The program lowered to blocks, calls, loops and switches."""
        return Lowering(self, unit).routine()


def varies_here(step: Step, varies: list[bool]) -> bool:
    """Whether an operation depends on a row."""
    return step.op not in (ca.OP_CONST, ca.OP_INPUT) and any(varies[a] for a in step.args)


def _reads(record: CallRecord | ChoiceRecord, memory: Place, hashes: set[int]) -> bool:
    """Whether a statement, or one inside it, reads the memory whose numbers have these hashes."""
    if isinstance(record, CallRecord):
        given = (*record.given, *record.memory)
        return any(g.place is memory if isinstance(g, At) else _uses(g.elements, hashes) for g in given)
    return _uses((record.selector,), hashes) or any(
        any(_reads(inner, memory, hashes) for _, inner in case.kept)
        or any(_uses(elements, hashes) for _, elements in case.returns)
        for case in record.regions
    )


def _uses(elements: tuple[ca.SX, ...], hashes: set[int]) -> bool:
    return any(s.element_hash() in hashes for s in ca.symvar(ca.vertcat(*elements))) if elements else False


def _run_length(homes: list[tuple[Place, int] | None], start: int) -> int:
    """How many consecutive numbers from here on are contiguous at one place, or have no place."""
    first, k = homes[start], start + 1
    while k < len(homes):
        following = homes[k]
        if first is None:
            if following is not None:
                break
        elif following is None or following[0] is not first[0] or following[1] != first[1] + k - start:
            break
        elif following[1] == 0:
            break
        k += 1
    return k - start
