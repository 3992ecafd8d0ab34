"""Programs: calls of kernels in loops and switches, over named buffers. One routine a shape, called, not copied."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from motionbase.compile.authored import run_authored
from motionbase.compile.definite import check_written
from motionbase.compile.names import check_name
from motionbase.compile.options import whole_number
from motionbase.compile.port import Port, as_ports, check_distinct
from motionbase.compile.programs import Unit
from motionbase.compile.reference import Index, Reference
from motionbase.compile.routine import (
    Address,
    Buffer,
    Call,
    Copy,
    Loop,
    Role,
    Routine,
    Statement,
    Switch,
    arguments_of,
)
from motionbase.errors import KernelError, PortError

DEFAULT = -1  # stands for the default among the cases of a switch
LARGEST_CASE = 2**53 - 1  # a selector is a double; beyond it neighbours are one
_building: ContextVar[tuple[OldProgram, ...]] = ContextVar(
    "building", default=()
)  # programs under way, outermost first


@final
@dataclass(frozen=True, eq=False)
class OldProgram:
    """A structured computation: `body(b)` describes it once with the methods of `Body`.

    Example:
        >>> def legs(b: Body) -> None:
        ...     with b.loop(6) as i:
        ...         b.call(LEG, pose=b["pose"], joint=b["joints"][i], length=b["lengths"][i])
    """

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    body: Callable[[Body], None] = field(repr=False)
    memory: tuple[Port, ...] = ()
    description: str = ""

    def __post_init__(self) -> None:
        check_name("program", self.name)
        for attribute in ("inputs", "outputs", "memory"):
            ports = as_ports(f"program {self.name!r}: {attribute}", getattr(self, attribute))
            object.__setattr__(self, attribute, ports)
        check_distinct(f"program {self.name!r}", self.ports)

    def inlined(self, values: Any) -> list[Any]:
        """Not in this form."""
        raise KernelError(f"program {self.name!r} cannot be inlined")

    def __call__(self, /, *values: Any, **named: Any) -> Any:
        """Inside a program a call."""
        from motionbase.compile.flow import call

        return call(self, values, named)

    @property
    def ports(self) -> tuple[Port, ...]:
        """Inputs, outputs, memory: the order of the arguments on every target."""
        return self.inputs + self.outputs + self.memory

    @cached_property
    def _built(self) -> Body:
        callers = _building.get()
        if self in callers:
            chain = [p.name for p in (*callers[callers.index(self) :], self)]
            raise KernelError(f"program {self.name!r} calls itself ({' -> '.join(chain)}); a loop or a switch will do")
        body = Body(self)
        token = _building.set((*callers, self))
        try:
            run_authored(f"program {self.name!r}", self.body, body)
        finally:
            _building.reset(token)
        return body

    @cached_property
    def routine(self) -> Routine:
        """The program lowered to calls, loops and switches."""
        body = self._built
        routine = Routine(self.name, arguments_of(self), tuple(body.statements), tuple(body.buffers), origin=self)
        check_written(routine)
        return routine

    @cached_property
    def digest(self) -> str:
        """Content hash: the structure, and the digests of everything called."""
        body, _ = self._built, self.routine  # a program that is not well formed has no digest either
        text = f"{self.name}\n{self.ports}\n{_structure(body.statements)}\n{body.buffers}"
        return hashlib.sha256(text.encode()).hexdigest()


def _structure(statements: Any) -> str:
    """Statements as text, with the digest of each callee in place of the callee."""
    parts = []
    for s in statements:
        if isinstance(s, Call):
            assert not isinstance(s.callee, Routine)  # pieces of long kernels alone are called so
            parts.append(f"call {s.callee.digest} {s.addresses}")
        elif isinstance(s, Loop):
            parts.append(f"loop {s.number} {s.count} {{{_structure(s.body)}}}")
        elif isinstance(s, Switch):
            numbered = (*s.cases, ("default", s.default))
            cases = " | ".join(f"{k}: {_structure(body)}" for k, body in numbered)
            parts.append(f"switch {s.selector} {{{cases}}}")
        else:
            parts.append(repr(s))
    return "; ".join(parts)


@final
class Body:
    """Describes a program: ports by `b["name"]`, buffers of its own, calls, loops and switches."""

    def __init__(self, program: OldProgram) -> None:
        self.program = program
        self.statements: list[Statement] = []
        self.buffers: list[Buffer] = []
        self.lines: dict[int, tuple[str, int]] = {}  # file and line of every call, by id, for diagnosis
        self._open = [self.statements]
        self._counts: dict[int, int] = {}  # iterations of each loop
        self._active: list[int] = []
        self._references = {
            port.name: Reference(port.name, k, port.array_shape, k >= len(program.inputs), unit=port.unit)
            for k, port in enumerate(program.ports)
        }

    def __getitem__(self, name: str) -> Reference:
        if name not in self._references:
            raise PortError(
                f"program {self.program.name!r}: no port or buffer {name!r}; there are: {', '.join(self._references)}"
            )
        return self._references[name]

    def local(self, name: str, shape: int | tuple[int, ...] = ()) -> Reference:
        """A buffer on the stack; it must be written before it is read."""
        check_name("buffer", name)
        sizes = (shape,) if isinstance(shape, int) else tuple(shape)
        dims = tuple(whole_number(f"program {self.program.name!r}, buffer {name!r}", "a size", n) for n in sizes)
        return self._buffer(name, dims, None)

    def constant(self, name: str, data: ArrayLike) -> Reference:
        """Numbers that never change."""
        check_name("buffer", name)
        array = np.asarray(data, dtype=np.float64)
        return self._buffer(name, array.shape, tuple(float(x) for x in array.ravel()))

    def _buffer(self, name: str, dims: tuple[int, ...], data: tuple[float, ...] | None) -> Reference:
        if name in self._references:
            raise KernelError(f"program {self.program.name!r}: the name {name!r} is taken")
        number = len(self.program.ports) + len(self.buffers)
        self.buffers.append(Buffer(name, int(np.prod(dims)), data))
        self._references[name] = Reference(name, number, dims, writable=data is None)
        return self._references[name]

    # ---- statements ------------------------------------------------------------------------------------------------

    def call(self, unit: Unit, /, *unnamed: object, **ports: Reference) -> None:
        """Run a kernel or program on the given places, by port name; an output not named is dropped."""
        if not hasattr(type(unit), "routine"):  # of the class: asking the unit itself would lower it
            raise KernelError(f"program {self.program.name!r}: call of {unit!r}, which is no kernel or program")
        owner = f"program {self.program.name!r}, call of {unit.name!r}"
        known = [p.name for p in unit.ports]
        if unnamed:
            raise PortError(f"{owner}: places are given by port name, {', '.join(f'{name}=...' for name in known)}")
        for name, place in ports.items():
            if name not in known:
                raise PortError(f"{owner}: no port {name!r}; ports: {', '.join(known)}")
            _check_place(f"{owner}, port {name!r}", place)
        self._check_loops(*ports.values())
        reads: list[Reference] = []
        writes: list[tuple[str, Reference]] = []
        addresses: list[Address] = []
        afterwards: list[Statement] = []
        for port, argument in zip(unit.ports, arguments_of(unit), strict=True):
            reference = ports.get(port.name)
            if reference is None:
                if argument.role is not Role.OUTPUT:
                    raise PortError(f"{owner}: {argument.role.value} {port.name!r} is not given")
                reference = self._scratch(port.size)
            if reference.size != port.size:
                raise PortError(f"{owner}: {reference} has {reference.size} elements, port {port} takes {port.size}")
            if reference.shape != port.array_shape and len(reference.shape) > 1 and len(port.array_shape) > 1:
                raise PortError(f"{owner}: {reference} does not fit port {port}")
            if reference.unit not in (None, port.unit):
                raise PortError(f"{owner}: {reference} is in [{reference.unit}], port {port} is not")
            if argument.role is Role.INPUT:
                reads.append(reference)
            elif not reference.writable:
                raise PortError(f"{owner}: {reference} is read only and cannot take {port.name!r}")
            else:
                for name, other in writes:
                    if self._overlap(reference, other):
                        raise PortError(f"{owner}: outputs {name!r} and {port.name!r} overlap")
                writes.append((port.name, reference))
                if any(self._overlap(reference, other) for other in reads):
                    if argument.role is Role.MEMORY:
                        raise PortError(f"{owner}: memory {port.name!r} overlaps an input")
                    direct, reference = reference, self._scratch(port.size)
                    afterwards.append(Copy(reference.address(), direct.address(), port.size))
            addresses.append(reference.address())
        _ = unit.digest  # traces it, so that what is wrong in it is found here
        call = Call(unit, tuple(addresses))
        caller = sys._getframe(1)
        self.lines[id(call)] = (caller.f_code.co_filename, caller.f_lineno)
        self._open[-1].append(call)
        self._open[-1].extend(afterwards)

    def copy(self, source: Reference, target: Reference) -> None:
        """Copy one place to another."""
        for place in (source, target):
            _check_place(f"program {self.program.name!r}, copy", place)
        self._check_loops(source, target)
        if source.size != target.size:
            raise PortError(f"program {self.program.name!r}: copy of {source} to {target}: sizes differ")
        if None not in (source.unit, target.unit) and source.unit != target.unit:
            units = f"units [{source.unit}] and [{target.unit}]"
            raise PortError(f"program {self.program.name!r}: copy of {source} to {target}: {units} differ")
        if not target.writable:
            raise PortError(f"program {self.program.name!r}: {target} is read only")
        if self._overlap(source, target):
            raise PortError(f"program {self.program.name!r}: copy of {source} to {target}: they overlap")
        self._open[-1].append(Copy(source.address(), target.address(), source.size))

    @contextmanager
    def loop(self, count: int) -> Iterator[Index]:
        """Run what follows a fixed number of times; the index may be used in places."""
        count = whole_number(f"program {self.program.name!r}", "the number of a loop's runs", count)
        if count < 1:
            raise KernelError(f"program {self.program.name!r}: a loop runs {count} times, it must run at least once")
        number = len(self._counts)
        self._counts[number] = count
        self._active.append(number)
        self._open.append([])
        yield Index(number, count)
        body = self._open.pop()
        self._active.pop()
        self._open[-1].append(Loop(number, count, tuple(body)))

    @contextmanager
    def switch(self, selector: Reference) -> Iterator[Cases]:
        """Choose by a whole number: `with b.switch(state) as s: with s.case(0): ...; with s.default(): ...`."""
        _check_place(f"program {self.program.name!r}, switch", selector)
        self._check_loops(selector)
        if selector.size != 1:
            raise PortError(f"program {self.program.name!r}: the selector {selector} must be one number")
        cases = Cases(self)
        yield cases
        default = tuple(cases.bodies.pop(DEFAULT, ()))
        numbered = tuple((k, tuple(body)) for k, body in sorted(cases.bodies.items()))
        self._open[-1].append(Switch(selector.address(), numbered, default))

    # ---- details ---------------------------------------------------------------------------------------------------

    def _scratch(self, size: int) -> Reference:
        return self._buffer(f"scratch{len(self.buffers)}_", (size,), None)

    def _check_loops(self, *places: Reference) -> None:
        for place in places:
            if any(number not in self._active for number, _ in place.strides):
                raise PortError(f"program {self.program.name!r}: {place} uses the index of a loop that has ended")

    def _overlap(self, a: Reference, b: Reference) -> bool:
        """Whether two places may share an element at the same moment."""
        if a.buffer != b.buffer or a.size == 0 or b.size == 0:
            return False
        if a.strides == b.strides:
            return a.offset < b.offset + b.size and b.offset < a.offset + a.size
        (a_first, a_end), (b_first, b_end) = self._span(a), self._span(b)
        return a_first < b_end and b_first < a_end

    def _span(self, place: Reference) -> tuple[int, int]:
        """First element a place reaches over its loops, and one past the last; an index may run backwards."""
        ways = [stride * (self._counts[n] - 1) for n, stride in place.strides]
        low, high = sum(min(way, 0) for way in ways), sum(max(way, 0) for way in ways)
        return place.offset + low, place.offset + high + place.size


def _check_place(owner: str, place: object) -> None:
    if not isinstance(place, Reference):
        hint = "b.constant(name, numbers) makes a place of numbers" if np.isscalar(place) else "b[name] is one"
        raise PortError(f"{owner}: {place!r} is {type(place).__name__} and not a place; {hint}")


@final
class Cases:
    """The cases of a switch under construction."""

    def __init__(self, body: Body) -> None:
        self._body = body
        self.bodies: dict[int, list[Statement]] = {}

    @contextmanager
    def case(self, number: int) -> Iterator[None]:
        """What runs when the selector equals this whole number."""
        owner = f"program {self._body.program.name!r}"
        number = whole_number(owner, "the number of a case", number)
        if number in self.bodies:
            raise KernelError(f"{owner}: case {number} is given twice")
        if not 0 <= number <= LARGEST_CASE:
            raise KernelError(f"{owner}: case {number} is outside 0 to 2**53 - 1")
        with self._collect(number):
            yield

    @contextmanager
    def default(self) -> Iterator[None]:
        """What runs for any other value."""
        if DEFAULT in self.bodies:
            raise KernelError(f"program {self._body.program.name!r}: the default is given twice")
        with self._collect(DEFAULT):
            yield

    @contextmanager
    def _collect(self, number: int) -> Iterator[None]:
        opened = self._body._open
        opened.append([])
        yield
        self.bodies[number] = opened.pop()
