"""Programs: functions over expressions that call kernels and other programs, with loops and choices."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol, final

from motionbase.compile.assembly import Assembly
from motionbase.compile.authored import check_order, run_authored
from motionbase.compile.kernels import collecting
from motionbase.compile.names import check_name
from motionbase.compile.port import Port, as_ports, check_distinct, find_port
from motionbase.compile.routine import Routine
from motionbase.compile.tracing import At, Given, Kind, Line, Place, Trace, check_unit, traced_by
from motionbase.compile.values import Packed, as_expression, as_value, scalars, value_port
from motionbase.errors import KernelError

_building: ContextVar[tuple[Program, ...]] = ContextVar("building", default=())  # being traced, outermost first


class Unit(Protocol):
    """Anything that can be compiled and called: a kernel, a primitive or a program."""

    @property
    def name(self) -> str:
        """Name of the compiled function."""

    @property
    def inputs(self) -> tuple[Port, ...]:
        """Ports that are read."""

    @property
    def outputs(self) -> tuple[Port, ...]:
        """Ports that are written."""

    @property
    def memory(self) -> tuple[Port, ...]:
        """Ports that are updated in place and keep their values between calls."""

    @property
    def ports(self) -> tuple[Port, ...]:
        """Inputs, outputs, memory: the order of the arguments."""

    @property
    def routine(self) -> Routine:
        """The lowered form."""

    @property
    def digest(self) -> str:
        """Content hash."""

    def inlined(self, values: Sequence[Any]) -> list[Any]:
        """The results as part of a kernel, for values of the inputs and memory."""


@final
@dataclass(frozen=True, eq=False)
class Program:
    """A function over expressions whose calls remain calls; in a `Kernel` the same calls are inlined.

    Example:
        >>> def legs(pose: SX, joints: SX) -> SX:
        ...     return for_each(lambda joint: LEG(pose, joint), joints)
        >>> LEGS = Program("legs", (Port("pose", 6), Port("joints", (6, 3))), (Port("l", 6, "m"),), legs)

    Attributes:
        expr: takes a value per input, then one per memory port; returns one per output and, optionally, per memory port
        memory: ports that keep their values between calls, updated in place
        allow_nan: the expression contains NaN constants on purpose
        cse: share common subexpressions (off only for comparisons and to find lines)
    """

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    expr: Callable[..., Any] = field(repr=False)
    description: str = ""
    memory: tuple[Port, ...] = ()
    allow_nan: bool = False
    cse: bool = True

    def __post_init__(self) -> None:
        check_name("program", self.name)
        for attribute in ("inputs", "outputs", "memory"):
            ports = as_ports(f"program {self.name!r}: {attribute}", getattr(self, attribute))
            object.__setattr__(self, attribute, ports)
        check_distinct(f"program {self.name!r}", self.ports)

    def __call__(self, /, *values: Any, **named: Any) -> Any:
        """Inside another program, a call; inside a kernel, the whole program inlined."""
        from motionbase.compile.flow import call

        return call(self, values, named)

    @property
    def ports(self) -> tuple[Port, ...]:
        """Inputs, outputs, memory: the order of the arguments on every target."""
        return self.inputs + self.outputs + self.memory

    def giving(self, outputs: Sequence[str]) -> Program:
        """The same program with only these outputs; whatever only the others need is not computed."""
        chosen = [find_port(self.outputs, name, f"program {self.name!r}, outputs") for name in outputs]
        if chosen == list(range(len(self.outputs))):
            return self

        def expr(*values: Any) -> list[Any]:
            returned = self._results(self.expr(*values))
            return [returned[k] for k in (*chosen, *range(len(self.outputs), len(returned)))]

        return replace(self, outputs=tuple(self.outputs[k] for k in chosen), expr=expr)

    def inlined(self, values: Sequence[Any]) -> list[Any]:
        """The results as part of a kernel."""
        owner = f"program {self.name!r}"
        if self.memory:
            raise KernelError(f"{owner} has memory, so it cannot be inlined in a kernel; call it in a program")
        given = [as_value(p, as_expression(f"{owner}: port", p, v)) for p, v in zip(self.inputs, values, strict=True)]
        results = self._results(run_authored(owner, self.expr, *given))
        return [as_value(p, as_expression(f"{owner}: port", p, v)) for p, v in zip(self.outputs, results, strict=True)]

    def _results(self, returned: Any) -> list[Any]:
        """The returned values: one per output, then possibly one per memory port."""
        values = list(returned) if isinstance(returned, (tuple, list)) else [returned]
        if len(values) not in (len(self.outputs), len(self.outputs) + len(self.memory)):
            wanted = f"{len(self.outputs)} outputs" + (f" and {len(self.memory)} memory ports" if self.memory else "")
            raise KernelError(f"program {self.name!r}: the expression returns {len(values)} values for {wanted}")
        return values

    @cached_property
    def assembly(self) -> Assembly:
        """The function, run once on symbols."""
        callers, owner = _building.get(), f"program {self.name!r}"
        if self in callers:
            chain = [p.name for p in (*callers[callers.index(self) :], self)]
            raise KernelError(f"{owner} calls itself ({' -> '.join(chain)}); use a loop or a switch")
        check_order(owner, self.expr, [p.name for p in (*self.inputs, *self.memory)])
        trace = Trace(self.name, shared=self.cse)
        trace.inputs = [trace.place(p, Kind.INPUT, p.unit) for p in self.inputs]
        trace.memory = [trace.place(p, Kind.MEMORY, p.unit) for p in self.memory]
        token = _building.set((*callers, self))
        try:
            with traced_by(trace), collecting(trace.probes):
                returned = run_authored(owner, self.expr, *(p.value for p in (*trace.inputs, *trace.memory)))
        finally:
            _building.reset(token)
        outputs = [Place(p, Kind.OUTPUT, trace, ()) for p in self.outputs]
        for place, value in zip([*outputs, *trace.memory], self._results(returned), strict=False):
            elements = scalars(as_expression(f"{owner}: output", place.port, value), place.port)
            check_unit(owner, place.port, trace.home(elements))
            trace.root.returns.append((place, tuple(elements)))
        trace.root.line = _line_of(self.expr)
        assembly = Assembly(trace, trace.inputs, outputs, trace.memory)
        if trace.holds_nan and not self.allow_nan:
            from motionbase.compile.inspection.lines import first_nan

            raise KernelError(
                f"{owner}: a value holds the constant NaN{first_nan(self)}; did math.* or float() see a symbol? Use "
                "ca.sin and the like; allow_nan=True if it is meant"
            )
        return assembly

    def with_probes(self, *names: str) -> Program:
        """The same program with the named probes as further outputs (without names, all that can be read).

        A value inside a loop iteration or a case exists only there; return it from there to read it.
        """
        known = self.assembly.trace.probes
        for name in names:
            if name not in known:
                raise KernelError(f"program {self.name!r}: no probe {name!r}; probes: {', '.join(known) or 'none'}")
            if known[name] is None:
                raise KernelError(
                    f"program {self.name!r}: probe {name!r} is inside a loop or a case; return the value from there"
                )
        chosen = names or tuple(name for name, value in known.items() if value is not None)
        ports = [value_port(name, known[name]) for name in chosen]

        def expr(*values: Any) -> list[Any]:
            """Outputs, probes, memory."""
            found: dict[str, Any] = {}
            with collecting(found):
                results = self._results(self.expr(*values))
            count = len(self.outputs)
            return [*results[:count], *(found[name] for name in chosen), *results[count:]]

        outputs = tuple(replace(port, description="probe") for port in ports)
        return replace(self, outputs=self.outputs + outputs, expr=expr)

    @cached_property
    def routine(self) -> Routine:
        """The program lowered to blocks, calls, loops and switches."""
        return self.assembly.routine(self)

    @cached_property
    def digest(self) -> str:
        """Content hash: the structure, and the digests of everything called."""
        return _digest(self)


@final
class Turn:
    """One iteration of a loop, as a separate routine; values from outside become further inputs.

    Attributes:
        inputs: rows or carry, then the values from outside
        outputs: results of one iteration
    """

    memory: tuple[Port, ...] = ()

    def __init__(self, name: str, rows: list[Place], packed: Packed, outputs: list[Place], trace: Trace) -> None:
        self.name, self._packed = name, packed
        self.assembly = Assembly(trace, rows, outputs, [])
        taken = [p.port.name for p in (*rows, *outputs)]
        held = [_renamed(p.port, taken) for p in self.assembly.held]
        self.inputs = (*(p.port for p in rows), *held)
        self.outputs = tuple(p.port for p in outputs)

    @staticmethod
    def of(outer: Trace, name: str, ports: list[Port], function: Callable[..., Any]) -> Turn:
        """Trace an iteration inside the program that is being traced."""
        trace = Trace(name, outer)
        rows = [trace.place(port, Kind.INPUT) for port in ports]
        trace.inputs = rows
        with traced_by(trace):
            packed = Packed.of(name, function(*(place.value for place in rows)))
        taken = [port.name for port in ports]
        outputs = [Place(_renamed(port, taken), Kind.OUTPUT, trace, ()) for port in packed.ports]
        for place, value in zip(outputs, packed.values, strict=True):
            trace.root.returns.append(
                (place, tuple(scalars(as_expression(f"{name}: output", place.port, value), place.port)))
            )
        trace.root.line = _line_of(function)
        return Turn(name, rows, packed, outputs, trace)

    def held(self, outer: Trace) -> list[Given]:
        """Arguments for the values from outside."""
        places: list[Given] = [At(place) for place in self.assembly.captured]
        hoisted = self.assembly.hoisted
        return [*places, outer.given("held", hoisted)] if hoisted else places

    def inlined(self, values: Sequence[Any]) -> list[Any]:
        """Not possible: an iteration belongs to its loop."""
        raise KernelError(f"{self.name!r} is an iteration of a loop and cannot be called")

    def rebuilt(self, values: Sequence[Any]) -> Any:
        """Values in the nested tuples that an iteration returns."""
        return self._packed.rebuilt(values)

    @property
    def ports(self) -> tuple[Port, ...]:
        """Inputs, then outputs."""
        return self.inputs + self.outputs

    @cached_property
    def routine(self) -> Routine:
        """The lowered form."""
        return self.assembly.routine(self)

    @cached_property
    def digest(self) -> str:
        """Content hash."""
        return _digest(self)


def _line_of(function: Callable[..., Any]) -> Line:
    """File and first line of a function."""
    code = getattr(function, "__code__", None)
    return (code.co_filename, code.co_firstlineno) if code else ("", 0)


def _digest(unit: Program | Turn) -> str:
    ports = "\n".join(f"{p.name} {p.array_shape}" for p in unit.ports)
    return hashlib.sha256(f"{unit.name}\n{ports}\n{unit.assembly.text}".encode()).hexdigest()


def _renamed(port: Port, taken: list[str]) -> Port:
    """The port under a free name, which is then marked as taken."""
    name, k = port.name, 2
    while name in taken:
        name, k = f"{port.name}_{k}", k + 1
    taken.append(name)
    return Port(name, port.dims, port.unit, port.description, port.sparsity, port.struct)
