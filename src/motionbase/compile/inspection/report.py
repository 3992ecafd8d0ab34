"""Contents and cost of a kernel or program: ports, instructions, compile time, code and stack size."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, final

from motionbase.compile.block import Block
from motionbase.compile.inspection.machine_code import Function, build
from motionbase.compile.kernels import Kernel
from motionbase.compile.lower import lower_kernel
from motionbase.compile.maths import MATHS
from motionbase.compile.mode import Mode
from motionbase.compile.ops import Op
from motionbase.compile.options import check_lanes
from motionbase.compile.port import Port
from motionbase.compile.programs import Program, Turn, Unit
from motionbase.compile.routine import Call, Loop, Role, Routine, Statement, Switch
from motionbase.compile.target import call_key
from motionbase.native import jit
from motionbase.native.cache import ObjectCache

FLOPS = {Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.SQRT}
_NO_WORK = {Op.CONST, Op.ICONST, Op.ARG}


@final
@dataclass(frozen=True)
class QuantityReport:
    """A quantity of a struct as plain data; in rows of structs its position is `7 + 3 i`."""

    name: str
    place: str
    shape: tuple[int, ...]
    unit: str
    description: str


@final
@dataclass(frozen=True)
class PortReport:
    """A port as plain data; a port of structs lists all its quantities."""

    name: str
    role: str
    shape: tuple[int, ...]
    stored: int
    unit: str
    description: str
    struct: str = ""
    quantities: tuple[QuantityReport, ...] = ()


@final
@dataclass(frozen=True)
class RoutineReport:
    """One routine: a leaf, a program, an iteration of a loop, or a piece of a long one.

    Attributes:
        kind: kernel, primitive, program, turn (an iteration of a loop) or piece
        instructions: basic operations in its own code
        casadi: CasADi instructions of a kernel, or of a program's or iteration's own arithmetic; None for others
        calls: how often one run of the whole unit calls it (the longest case of a switch counts)
    """

    name: str
    kind: str
    instructions: int
    casadi: int | None
    calls: int


@final
@dataclass(frozen=True)
class Times:
    """Duration of each phase of a compilation without the cache [s]."""

    trace: float
    lower: float
    render: float
    optimise: float
    emit: float


@final
@dataclass(frozen=True)
class Report:
    """The contents of `motionbase kernel show`.

    Attributes:
        operations: basic operations in the code, by name; constants are not counted
        maths_calls: calls of maths functions in the code, by name
        flops: additions, subtractions, multiplications, divisions and square roots of one run of one scenario,
            including maths functions; loops counted in full, switches by their longest case
        code_bytes: machine code of the whole module, on `cpu`
        functions: the functions that remain after inlining
        stack_bytes: stack along the deepest chain of calls from the unit's function
        cached: whether the object is in the cache under `key`
    """

    name: str
    kind: str
    description: str
    lanes: int
    mode: str
    ports: tuple[PortReport, ...]
    casadi_instructions: int
    instructions: int
    operations: dict[str, int]
    maths_calls: dict[str, int]
    flops: int
    routines: tuple[RoutineReport, ...]
    times: Times
    cpu: str
    code_bytes: int
    functions: tuple[Function, ...]
    stack_bytes: int
    cached: bool
    key: str
    digest: str

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)


def describe(
    unit: Unit,
    lanes: int = 1,
    mode: Literal["strict", "fast"] = "strict",
    cache: ObjectCache | None = None,
) -> Report:
    """Compile a unit once more, without the cache, and measure it."""
    check_lanes(repr(unit.name), lanes)
    trace_s, lower_s = _front_end(unit)
    built = build(unit, lanes, mode)
    routines = unit.routine.callees()
    runs = _runs(unit.routine)
    key = call_key(unit, lanes, Mode(mode))
    text = Counter(op for r in routines for b in r.blocks() for op, _, _ in b.instructions)
    operations = {op.label: n for op, n in text.most_common() if op not in _NO_WORK and op is not Op.CALL}
    calls = sum((Counter(r.maths_calls()) for r in routines), Counter[str]())
    parts = tuple(_routine(r, runs[id(r)]) for r in routines)
    return Report(
        name=unit.name,
        kind=kind_of(unit),
        description=getattr(unit, "description", ""),
        lanes=lanes,
        mode=mode,
        ports=tuple(_port(unit, port) for port in unit.ports),
        casadi_instructions=sum(p.casadi or 0 for p in parts),
        instructions=sum(p.instructions for p in parts),
        operations=operations,
        maths_calls=dict(calls.most_common()),
        flops=_flops(unit.routine.body),
        routines=parts,
        times=Times(trace_s, lower_s, built.times.render, built.times.optimise, built.times.emit),
        cpu=jit.host_cpu().name,
        code_bytes=built.code_bytes,
        functions=built.functions,
        stack_bytes=next((f.deepest for f in built.functions if f.name == unit.name), 0),
        cached=key in (cache or ObjectCache()),
        key=key,
        digest=unit.digest,
    )


# ---- pieces --------------------------------------------------------------------------------------------------------


def _front_end(unit: Unit) -> tuple[float, float]:
    """Time to trace and to lower [s], measured on copies, because kernels cache their results."""
    trace = lower = 0.0
    for part in {id(r.origin): r.origin for r in unit.routine.callees()}.values():
        if isinstance(part, (Kernel, Program)):  # iterations are traced and lowered with their programs
            fresh = replace(part)
            t0 = time.perf_counter()
            _ = fresh.function if isinstance(fresh, Kernel) else fresh.assembly
            t1 = time.perf_counter()
            _ = lower_kernel(fresh) if isinstance(fresh, Kernel) else fresh.routine
            trace, lower = trace + t1 - t0, lower + time.perf_counter() - t1
    return trace, lower


def _port(unit: Unit, port: Port) -> PortReport:
    role = Role.INPUT if port in unit.inputs else Role.OUTPUT if port in unit.outputs else Role.MEMORY
    quantities = tuple(
        QuantityReport(".".join(x.name), x.place, x.port.dims, x.port.unit, x.port.description)
        for x in port.quantities()
    )
    struct = "" if port.struct is None else port.struct.__name__
    return PortReport(port.name, role.value, port.dims, port.size, port.unit, port.description, struct, quantities)


def kind_of(unit: Unit) -> str:
    """Kind of a unit: kernel, primitive, program or turn (an iteration of a loop)."""
    return type(unit).__name__.lower().removeprefix("old")


def _routine(routine: Routine, calls: int) -> RoutineReport:
    origin = routine.origin
    kind = "piece" if origin is None else kind_of(origin)
    traced = origin if isinstance(origin, Kernel) else origin.assembly if isinstance(origin, (Program, Turn)) else None
    casadi = None if traced is None else traced.function.n_instructions()
    return RoutineReport(routine.name, kind, routine.instruction_count, casadi, calls)


def _runs(outermost: Routine) -> Counter[int]:
    """How often each routine, by id, runs in one run of the outermost; in a switch the most frequent case counts."""

    def count(body: Iterable[Statement]) -> Counter[int]:
        total: Counter[int] = Counter()
        for statement in body:
            if isinstance(statement, Call):
                total[id(statement.routine)] += 1
                total.update(count(statement.routine.body))
            elif isinstance(statement, Loop):
                total.update({key: n * statement.usual_turns for key, n in count(statement.body).items()})
            elif isinstance(statement, Switch):
                most: Counter[int] = Counter()
                for case in statement.bodies:
                    most |= count(case)  # the larger of the two counts
                total.update(most)
        return total

    runs = count(outermost.body)
    runs[id(outermost)] = 1
    return runs


def _flops(body: Iterable[Statement]) -> int:
    total = 0
    for statement in body:
        if isinstance(statement, Block):
            total += _block_flops(statement)
        elif isinstance(statement, Call):
            total += _flops(statement.routine.body)
        elif isinstance(statement, Loop):
            total += statement.usual_turns * _flops(statement.body)
        elif isinstance(statement, Switch):
            total += max(_flops(case) for case in statement.bodies)
    return total


def _block_flops(block: Block) -> int:
    """Flops of a block; a maths function counts with its own block."""
    total = 0
    for op, _, imm in block.instructions:
        if op in FLOPS:
            total += 1
        elif op is Op.CALL and imm in MATHS:
            total += _block_flops(MATHS[str(imm)].block)
    return total
