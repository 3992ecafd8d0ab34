"""Routines: the input of every renderer. A leaf is one block; a program has calls, loops and switches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, final

from motionbase.compile.block import Block
from motionbase.compile.ops import Op

if TYPE_CHECKING:
    from motionbase.compile.programs import Unit

INLINE_ROUTINE_BELOW = 150  # instructions; longer routines are called, not copied


class Role(Enum):
    """How a routine uses an argument's memory."""

    INPUT = "input"  # only read
    OUTPUT = "output"  # only written
    MEMORY = "memory"  # read and written in place


@final
@dataclass(frozen=True)
class Argument:
    """One array of doubles that the caller passes."""

    name: str
    size: int
    role: Role


@final
@dataclass(frozen=True)
class Buffer:
    """A local array of the routine: scratch on the stack, or constants if it has data.

    Attributes:
        near: in the shared memory of a GPU multiprocessor
    """

    name: str
    size: int
    data: tuple[float, ...] | None = None
    near: bool = False


@final
@dataclass(frozen=True)
class Address:
    """A place in a buffer (arguments first, then local buffers): offset + sum of loop index * stride."""

    buffer: int
    offset: int = 0
    strides: tuple[tuple[int, int], ...] = ()  # (loop number, stride)


@final
@dataclass(frozen=True)
class Call:
    """Run a kernel, primitive, program or routine on the given places.

    A kernel is lowered only when a renderer needs its routine: object code from the cache does not.
    """

    callee: Unit | Routine
    addresses: tuple[Address, ...]

    @property
    def routine(self) -> Routine:
        """The lowered callee."""
        return self.callee if isinstance(self.callee, Routine) else self.callee.routine

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Arguments of the callee; known before it is lowered."""
        return self.callee.arguments if isinstance(self.callee, Routine) else arguments_of(self.callee)


@final
@dataclass(frozen=True)
class Copy:
    """Copy `size` doubles from one place to another; the two must not overlap."""

    source: Address
    target: Address
    size: int


@final
@dataclass(frozen=True)
class Loop:
    """Run the body a fixed number of times; `number` identifies the loop index in addresses.

    Attributes:
        independent: iterations do not depend on each other: the body is one call, and iterations may run in parallel
        after: number of an outer loop; the index begins one above that loop's, which must leave at least one iteration
    """

    number: int
    count: int
    body: tuple[Statement, ...]
    independent: bool = False
    after: int | None = None

    @property
    def usual_turns(self) -> int:
        """Iterations of one run; their mean where the first varies."""
        return self.count if self.after is None else -(-self.count // 2)


@final
@dataclass(frozen=True)
class Switch:
    """Run the case whose number equals the selector exactly; any other value, NaN included, runs the default."""

    selector: Address
    cases: tuple[tuple[int, tuple[Statement, ...]], ...]  # (number, body)
    default: tuple[Statement, ...]
    results: tuple[tuple[Address, int], ...] | None = None  # all that cases write and others read; None: unknown

    @property
    def bodies(self) -> tuple[tuple[Statement, ...], ...]:
        """The body of every case, the default last."""
        return (*(body for _, body in self.cases), self.default)


Statement = Block | Call | Copy | Loop | Switch


@final
@dataclass(frozen=True, eq=False)
class Routine:
    """A named piece of code over arrays of doubles; no globals, no allocation.

    Attributes:
        origin: the kernel, primitive or program it was lowered from; None for a piece of a long kernel
        whole: reads all of its inputs and memory, then writes all of its outputs and memory: data flow need not look
            inside
    """

    name: str
    arguments: tuple[Argument, ...]
    body: tuple[Statement, ...]
    buffers: tuple[Buffer, ...] = ()
    tables: tuple[tuple[float, ...], ...] = ()
    origin: Unit | None = field(default=None, repr=False)
    whole: bool = False

    def callees(self) -> list[Routine]:
        """Every routine that this one needs, each once: callees before callers, this one last."""
        found: dict[int, Routine] = {}

        def visit(routine: Routine) -> None:
            for statement in walk(routine.body):
                if isinstance(statement, Call) and id(statement.routine) not in found:
                    visit(statement.routine)
            found.setdefault(id(routine), routine)

        visit(self)
        return list(found.values())

    def blocks(self) -> Iterator[Block]:
        """This routine's own blocks."""
        return (s for s in walk(self.body) if isinstance(s, Block))

    @property
    def instruction_count(self) -> int:
        """Number of instructions in this routine's own blocks."""
        return sum(len(b) for b in self.blocks())

    def maths_calls(self) -> dict[str, int]:
        """How often this routine's own blocks call each maths function."""
        counts: dict[str, int] = {}
        for block in self.blocks():
            for op, _, imm in block.instructions:
                if op is Op.CALL:
                    counts[str(imm)] = counts.get(str(imm), 0) + 1
        return counts


def instructions(routine: Routine) -> int:
    """Number of instructions of a routine and all its callees, each counted once."""
    return sum(r.instruction_count for r in routine.callees())


def arguments_of(unit: Unit) -> tuple[Argument, ...]:
    """The arguments of a unit's routine."""
    roles = ((unit.inputs, Role.INPUT), (unit.outputs, Role.OUTPUT), (unit.memory, Role.MEMORY))
    return tuple(Argument(port.name, port.size, role) for ports, role in roles for port in ports)


def walk(body: tuple[Statement, ...]) -> Iterator[Statement]:
    """All statements, including nested ones."""
    for statement in body:
        yield statement
        if isinstance(statement, Loop):
            yield from walk(statement.body)
        elif isinstance(statement, Switch):
            for case in statement.bodies:
                yield from walk(case)


def written_buffers(body: tuple[Statement, ...]) -> set[int]:
    """Buffers that a body writes."""
    buffers: set[int] = set()
    for statement in walk(body):
        if isinstance(statement, Block):
            for op, _, imm in statement.instructions:
                if op is Op.STORE:
                    assert isinstance(imm, tuple)
                    buffers.add(imm[0])
                elif op is Op.STORE_AT:
                    assert isinstance(imm, int)
                    buffers.add(imm)
        elif isinstance(statement, Call):
            for argument, address in zip(statement.arguments, statement.addresses, strict=True):
                if argument.role is not Role.INPUT:
                    buffers.add(address.buffer)
        elif isinstance(statement, Copy):
            buffers.add(statement.target.buffer)
    return buffers


def unique_names(routines: list[Routine]) -> dict[int, str]:
    """A name for each routine (by id); its own name if that is free."""
    taken: set[str] = set()
    names: dict[int, str] = {}
    for routine in reversed(routines):  # the outermost routine keeps its name
        name, k = routine.name, 2
        while name in taken:
            name, k = f"{routine.name}_{k}", k + 1
        taken.add(name)
        names[id(routine)] = name
    return names
