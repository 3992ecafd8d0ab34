"""Leaf kernels: pure functions over CasADi SX with named ports, traced once."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, final

import casadi as ca

from motionbase.compile.authored import check_order, run_authored
from motionbase.compile.names import check_name
from motionbase.compile.port import Port, Sparsity, as_ports, check_distinct, find_port
from motionbase.compile.tracing import traced_by, tracing
from motionbase.compile.values import as_expression, as_value
from motionbase.errors import KernelError

if TYPE_CHECKING:
    from motionbase.compile.routine import Routine

Value = TypeVar("Value", bound=ca.SX | float)
Expression = Callable[..., Any]  # (SX, ...) -> SX or a sequence of SX, one per output
Probes = dict[str, Any]  # SX by name; None for a value inside a loop or a case of a program
_probes: ContextVar[Probes | None] = ContextVar("probes", default=None)


def probe(name: str, value: Value) -> Value:
    """Name an inner value, so that `with_probes(name)` can output it; returns the value."""
    collected, trace = _probes.get(), tracing()
    if collected is not None:
        inside = trace is not None and (trace.outer is not None or trace.region is not trace.root)
        collected[name] = None if inside else _as_sx(f"probe {name!r}", value)
    return value


@contextmanager
def collecting(probes: Probes) -> Iterator[None]:
    """Collect probes into this dictionary."""
    token = _probes.set(probes)
    try:
        yield
    finally:
        _probes.reset(token)


@final
@dataclass(frozen=True)
class Trace:
    """A traced expression: symbols of the inputs, expressions of the outputs, probes by name."""

    symbols: tuple[ca.SX, ...]
    expressions: tuple[ca.SX, ...]
    probes: Probes


class Derivation(NamedTuple):
    """What a derivative kernel differentiates, so that a NaN in it can be traced to the original line."""

    kernel: Kernel
    output: int
    input: int

    def of(self, trace: Trace) -> ca.SX:
        """The derivative within a trace of the kernel: rows and columns count elements row by row."""
        y, x = trace.expressions[self.output], trace.symbols[self.input]
        y_rows = ca.vertcat(*(y[i, j] for i, j in self.kernel.outputs[self.output].places()))
        x_rows = ca.vertcat(*(x[i, j] for i, j in self.kernel.inputs[self.input].places()))
        return ca.sparsify(ca.jacobian(y_rows, x_rows))


@final
@dataclass(frozen=True, eq=False)
class Kernel:
    """A pure function over SX: `expr(*inputs) -> outputs`.

    Attributes:
        name: also the name of the C function
        inputs: ports in the order parameters, state, input
        outputs: ports in the order in which `expr` returns them
        expr: takes one SX per input, returns an SX or a sequence of SX, one per output
        cse: share common subexpressions (off only for comparisons)
        derivation: for the result of `jacobian`, what it differentiates
        allow_nan: the expression contains NaN constants on purpose; otherwise a NaN constant is an error
    """

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    expr: Expression = field(repr=False)
    description: str = ""
    cse: bool = True
    derivation: Derivation | None = field(default=None, repr=False)
    allow_nan: bool = False

    def __post_init__(self) -> None:
        check_name("kernel", self.name)
        for attribute in ("inputs", "outputs"):
            ports = as_ports(f"kernel {self.name!r}: {attribute}", getattr(self, attribute))
            object.__setattr__(self, attribute, ports)
        check_distinct(f"kernel {self.name!r}", self.ports)

    def __call__(self, /, *values: Any, **named: Any) -> Any:
        """Inside a program, a call; inside another kernel, the inlined expression."""
        from motionbase.compile.flow import call

        return call(self, values, named)

    def inlined(self, values: Sequence[Any]) -> list[Any]:
        """The results as part of another kernel."""
        owner = f"kernel {self.name!r}"
        given = [as_expression(f"{owner}: port", port, value) for port, value in zip(self.inputs, values, strict=True)]
        return [as_value(port, x) for port, x in zip(self.outputs, _run(self, given), strict=True)]

    @property
    def ports(self) -> tuple[Port, ...]:
        """Inputs, then outputs: the order of the arguments on every target."""
        return self.inputs + self.outputs

    @property
    def memory(self) -> tuple[Port, ...]:
        """Empty: a leaf kernel has no memory between calls."""
        return ()

    @cached_property
    def trace(self) -> Trace:
        """The expression, run once on symbols and checked against the ports."""
        symbols = tuple(port.symbol() for port in self.inputs)
        probes: Probes = {}
        with collecting(probes):
            expressions = _run(self, symbols)
        return Trace(symbols, expressions, probes)

    @cached_property
    def function(self) -> ca.Function:
        """The trace as a CasADi function: its instruction list is our intermediate form."""
        function = self._function(cse=self.cse)
        if not self.allow_nan and holds_nan(function):
            raise KernelError(_about_nan(self))
        return function

    def _function(self, cse: bool) -> ca.Function:
        trace = self.trace
        expressions = list(trace.expressions)
        try:
            # CasADi does not accept all our names
            return ca.Function("kernel", list(trace.symbols), expressions, {"cse": cse})
        except RuntimeError:
            inputs = {s.nz[k].element_hash() for s in trace.symbols for k in range(s.nnz())}
            free = {e.name() for e in ca.symvar(ca.veccat(*expressions)) if e.element_hash() not in inputs}
            if not free:
                raise
            raise KernelError(
                f"kernel {self.name!r}: the expression uses {', '.join(sorted(free))}, which no input port gives; "
                f"inputs: {', '.join(p.name for p in self.inputs) or 'none'}"
            ) from None

    @cached_property
    def digest(self) -> str:
        """Content hash of the kernel's name, ports and instructions."""
        text = "\n".join(f"{p.name} {p.array_shape}" for p in self.ports)
        return hashlib.sha256(f"{self.name}\n{text}\n{self.function.serialize()}".encode()).hexdigest()

    @cached_property
    def routine(self) -> Routine:
        """The kernel lowered to basic operations."""
        from motionbase.compile.lower import lower_kernel

        return lower_kernel(self)

    def with_probes(self, *names: str) -> Kernel:
        """The same kernel with the named probes as further outputs (all probes when no name is given)."""
        known = self.trace.probes
        for name in names:
            if name not in known:
                raise KernelError(f"kernel {self.name!r}: no probe {name!r}; probes: {', '.join(known) or 'none'}")
        chosen = names or tuple(known)
        ports = tuple(Port(name, _shape_of(known[name]), description="probe") for name in chosen)

        def expr(*inputs: ca.SX) -> list[ca.SX]:
            """The kernel's outputs, then the probes."""
            found: Probes = {}
            with collecting(found):
                values = _run(self, inputs)
            return [*values, *(found[name] for name in chosen)]

        return replace(self, outputs=self.outputs + ports, expr=expr, derivation=None)


def _shape_of(value: ca.SX) -> tuple[int, ...]:
    rows, columns = value.shape
    return (rows, columns) if columns != 1 else (rows,) if rows != 1 else ()


def _run(kernel: Kernel, inputs: Sequence[ca.SX]) -> tuple[ca.SX, ...]:
    """Run a kernel's expression on symbols; returns one SX per output."""
    owner = f"kernel {kernel.name!r}"
    check_order(owner, kernel.expr, [p.name for p in kernel.inputs])
    given = [as_value(port, x) for port, x in zip(kernel.inputs, inputs, strict=True)]
    with traced_by(None):  # its calls are inlined
        returned = run_authored(owner, kernel.expr, *given)
    values = returned if isinstance(returned, (tuple, list)) else (returned,)
    if len(values) != len(kernel.outputs):
        raise KernelError(
            f"kernel {kernel.name!r}: the expression returns {len(values)} values for {len(kernel.outputs)} outputs"
        )
    owner = f"{owner}: output"
    return tuple(as_expression(owner, port, value) for port, value in zip(kernel.outputs, values, strict=True))


def _as_sx(owner: str, value: Any) -> ca.SX:
    """An expression or numbers as SX."""
    try:
        return ca.SX(value)
    except (NotImplementedError, RuntimeError, TypeError):
        raise KernelError(f"{owner} is {type(value).__name__}, not a CasADi SX") from None


def holds_nan(function: ca.Function) -> bool:
    """Whether a constant of the function is NaN."""
    constants = (k for k in range(function.n_instructions()) if function.instruction_id(k) == ca.OP_CONST)
    return any(math.isnan(function.instruction_constant(k)) for k in constants)


def _about_nan(kernel: Kernel) -> str:
    """The error message for a NaN constant: the output that contains it and the line it came from."""
    from motionbase.compile.inspection.lines import first_nan

    symbols, expressions = kernel.trace.symbols, kernel.trace.expressions
    holding = (holds_nan(ca.Function("output", list(symbols), [e])) for e in expressions)
    output = next(p.name for p, holds in zip(kernel.outputs, holding, strict=True) if holds)
    return (
        f"kernel {kernel.name!r}: output {output!r} holds the constant NaN{first_nan(kernel)}; did math.* or float() "
        "see a symbol? Use ca.sin and the like; allow_nan=True if it is meant"
    )


def _check_kernel(owner: str, unit: object) -> None:
    if not isinstance(unit, Kernel):
        name = getattr(unit, "name", unit)
        raise KernelError(f"{owner}: {name!r} is a {type(unit).__name__}, it must be a Kernel")


def jacobian(kernel: Kernel, output: str, input: str) -> Kernel:
    """The derivative of one output with respect to one input, as a kernel of the same inputs.

    The output port `d_OUTPUT_d_INPUT` is a matrix with its sparsity: one stored value per structural nonzero, row by
    row. Rows count the output's elements and columns the input's, both row by row.
    """
    _check_kernel("jacobian", kernel)
    k_out = find_port(kernel.outputs, output, f"kernel {kernel.name!r}, outputs")
    k_in = find_port(kernel.inputs, input, f"kernel {kernel.name!r}, inputs")
    trace = kernel.trace
    derivation = Derivation(kernel, k_out, k_in)
    derivative = ca.cse(derivation.of(trace))
    places = sorted(zip(*derivative.sparsity().get_triplet(), strict=True))
    port = Port(
        f"d_{output}_d_{input}",
        derivative.shape,
        f"({kernel.outputs[k_out].unit})/({kernel.inputs[k_in].unit})",
        f"derivative of {output} with respect to {input}",
        Sparsity(tuple(i for i, _ in places), tuple(j for _, j in places)),
    )

    def expr(*inputs: Any) -> ca.SX:
        """The derivative with the caller's symbols in place of the kernel's own."""
        given = [as_expression("jacobian", p, x) for p, x in zip(kernel.inputs, inputs, strict=True)]
        return ca.substitute([derivative], list(trace.symbols), given)[0]

    name = f"{kernel.name}_d_{output}_d_{input}"
    return Kernel(name, kernel.inputs, (port,), expr, port.description, kernel.cse, derivation, kernel.allow_nan)


def compose(name: str, *kernels: Kernel, outputs: Sequence[str] | None = None, description: str = "") -> Kernel:
    """One kernel from several, joined by port name: an input takes the output of that name of an earlier kernel.

    Inputs that no earlier kernel provides become inputs of the whole, once per name. The outputs are all outputs, or
    the named ones. The expressions are fused: no value passes through memory between the parts.
    """
    given: dict[str, Port] = {}
    wanted: dict[str, Port] = {}
    for part in kernels:
        _check_kernel(f"compose {name!r}", part)
        for port in part.inputs:
            _same_port(name, given.get(port.name) or wanted.setdefault(port.name, port), port)
        for port in part.outputs:
            if port.name in given or port.name in wanted:
                raise KernelError(f"compose {name!r}: port {port.name!r} of kernel {part.name!r} is already taken")
            given[port.name] = port
    chosen = tuple(given) if outputs is None else tuple(outputs)
    for output in chosen:
        if output not in given:
            raise KernelError(f"compose {name!r}: no output {output!r}; outputs: {', '.join(given)}")
    inputs = tuple(wanted.values())

    def expr(*values: Any) -> list[Any]:
        """Run the parts in order over one dictionary of values by name."""
        owner = f"compose {name!r}"
        table = {p.name: as_expression(owner, p, value) for p, value in zip(inputs, values, strict=True)}
        for part in kernels:
            returned = _run(part, [table[p.name] for p in part.inputs])
            table.update({p.name: value for p, value in zip(part.outputs, returned, strict=True)})
        return [as_value(given[output], table[output]) for output in chosen]

    allow_nan = any(part.allow_nan for part in kernels)
    return Kernel(name, inputs, tuple(given[o] for o in chosen), expr, description, allow_nan=allow_nan)


def _same_port(owner: str, a: Port, b: Port) -> None:
    if a.shape != b.shape or a.unit != b.unit or a.sparsity != b.sparsity:
        raise KernelError(f"compose {owner!r}: port {a} does not fit port {b}")
