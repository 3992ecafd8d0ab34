"""A compiled step as C for users: structures with named members, named offsets, initial values, one call per tick."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum, IntFlag
from typing import Any, TypeAlias, final

import numpy as np
from numpy.typing import ArrayLike

from motionbase.compile import Layout, Port, Unit
from motionbase.compile.render import c
from motionbase.compile.render.c_family import literal
from motionbase.errors import ModelError
from motionbase.record.generators import Shape

Numbering: TypeAlias = type[IntEnum] | type[IntFlag] | type[Shape]
NUMBERS_A_LINE = 6


@final
@dataclass(frozen=True)
class Places:
    """Names of the numbers in a vector.

    Attributes:
        vector: name of the vector in the comment
        prefix: prefix of the names in C, such as CONTROL_PARAMETER
        defaults: values for the comments; none for no such comment
    """

    vector: str
    prefix: str
    layout: Layout
    defaults: tuple[float, ...] = ()

    def lines(self) -> Iterable[str]:
        """An enumeration of the offset of each field."""
        for f in self.layout.ports:
            start, size = self.layout.starts[f.name], f"{f.size} numbers " if f.size > 1 else ""
            values = self.defaults[start : start + f.size]
            shown = ", ".join(f"{v:g}" for v in (values if len(set(values)) > 1 else values[:1]))
            default = f"; default {shown}" if shown else ""
            about = comment(f"{size}[{f.unit}] {f.description}{default}")
            yield f"    {self.prefix}_{f.name.upper()} = {start}, {about}"


@final
@dataclass(frozen=True)
class Border:
    """Contents of the C files of a unit besides its code.

    Attributes:
        unit: the step
        feedback: state -> the output that is its next value
        state: initial state, by port
        inputs: initial values of the other inputs, by port
        parameters: port of the tunable numbers, which is not a member of the inputs, and their default values
        places: names in vectors
        enums: named codes, by prefix of their names in C
        begins: what the initial values are, for the header
    """

    unit: Unit
    feedback: Mapping[str, str]
    state: Mapping[str, ArrayLike]
    inputs: Mapping[str, ArrayLike]
    dt: float
    parameters: tuple[str, ArrayLike] | None = None
    places: tuple[Places, ...] = ()
    enums: Mapping[str, Numbering] = field(default_factory=dict)
    begins: str = "It starts with the platform at rest, down, and nominal supply pressure."

    def __post_init__(self) -> None:
        if self.unit.memory:
            raise ModelError(f"export of {self.unit.name!r}: port {self.unit.memory[0].name!r} is memory, not a state")

    @property
    def groups(self) -> dict[str, tuple[Port, ...]]:
        """Ports of the state, the inputs and the outputs."""
        tunable, fed = self.parameters[0] if self.parameters else "", set(self.feedback.values())
        return {
            "state": tuple(p for p in self.unit.inputs if p.name in self.feedback),
            "inputs": tuple(p for p in self.unit.inputs if p.name not in self.feedback and p.name != tunable),
            "outputs": tuple(p for p in self.unit.outputs if p.name not in fed),
        }

    def files(self) -> dict[str, str]:
        """Header and source."""
        made, name = c.render(self.unit), self.unit.name
        return {f"{name}.h": f"{made.header}\n{self._header()}", f"{name}.c": f"{made.source}\n{self._source()}"}

    def _signature(self) -> str:
        name = self.unit.name
        tunable = f"const double *{self.parameters[0]}, " if self.parameters else ""
        return f"void {name}_step({tunable}{name}_state *state, const {name}_inputs *inputs, {name}_outputs *outputs)"

    def _declarations(self) -> list[str]:
        """Declarations of the initial values."""
        name = self.unit.name
        tunable = (
            [f"extern const double {name}_default_{self.parameters[0]}[{name}__{self.parameters[0]}_SIZE];"]
            if self.parameters
            else []
        )
        return [
            *tunable,
            f"extern const {name}_state {name}_initial_state;",
            f"extern const {name}_inputs {name}_initial_inputs;",
        ]

    def _header(self) -> str:
        name = self.unit.name
        guard = f"MOTIONBASE_{name}_step_H"
        lines = [
            comment("The same step with structures; the state is changed in place."),
            comment(self.begins),
            f"#ifndef {guard}", f"#define {guard}", "", "#ifdef __cplusplus", 'extern "C" {', "#endif", "",
            f"#define {name.upper()}_DT {literal(self.dt)} /* [s] period of a tick; folded into the code */", "",
        ]  # fmt: skip
        for prefix, enum in self.enums.items():
            members = [f"    {prefix}_{member.name} = {_number(member)}," for member in enum]
            lines += [comment(f"{enum.__name__}: {(enum.__doc__ or prefix)}"), "enum {", *members, "};", ""]
        for places in self.places:
            about = comment(f"Where the numbers of {places.vector} begin.")
            lines += [about, "enum {", *places.lines(), "};", ""]
        for group, ports in self.groups.items():
            lines += [f"typedef struct {name}_{group} {{", *map(_member, ports), f"}} {name}_{group};", ""]
        lines += [*self._declarations(), "", comment("One tick."), f"{self._signature()};", ""]
        return "\n".join([*lines, "#ifdef __cplusplus", "}", "#endif", "", "#endif", ""])

    def _source(self) -> str:
        name, groups = self.unit.name, self.groups
        lines = []
        values: dict[str, Mapping[str, ArrayLike]] = {"state": self.state, "inputs": self.inputs}
        if self.parameters:
            port, numbers = self.parameters
            lines += [f"const double {name}_default_{port}[{name}__{port}_SIZE] = {_numbers(numbers)};", ""]
        for group, given in values.items():
            members = [f"    {_value(p, given)}, {comment(p.name)}" for p in groups[group]]
            lines += [f"const {name}_{group} {name}_initial_{group} = {{", *members, "};", ""]
        where = {p.name: f"{group}->{p.name}" for group, ports in groups.items() for p in ports}
        where |= {output: f"next.{state}" for state, output in self.feedback.items()}
        if self.parameters:
            where[self.parameters[0]] = self.parameters[0]
        arguments = [f"{'' if p.dims else '&'}{where[p.name]}" for p in self.unit.ports]
        call = ",\n        ".join(", ".join(arguments[k : k + 5]) for k in range(0, len(arguments), 5))
        lines += [self._signature(), "{", f"    {name}_state next;", f"    {name}({call});", "    *state = next;", "}"]
        return "\n".join([*lines, ""])


def comment(text: str) -> str:
    """The text as a C comment."""
    return f"/* {' '.join(text.split()).replace('*/', '* /').replace('/*', '/ *')} */"


def _member(port: Port) -> str:
    """Matrices are flat, so that no index leaves its row."""
    size = f"[{port.size}]" if port.dims else ""
    shape = f"{'x'.join(map(str, port.dims))} row by row " if len(port.dims) == 2 else ""
    return f"    double {port.name}{size}; {comment(f'{shape}[{port.unit}] {port.description}')}"


def _value(port: Port, values: Mapping[str, ArrayLike]) -> str:
    if port.name not in values:
        raise ModelError(f"export: port {port} has no start value; given: {', '.join(values)}")
    given: Any = np.asarray(values[port.name], dtype=np.float64)
    if given.size != port.size or not np.all(np.isfinite(given)):
        raise ModelError(f"export: start value of port {port} is {given}; {port.size} finite numbers are wanted")
    return _numbers(given) if port.dims else literal(float(given))


def _numbers(values: ArrayLike) -> str:
    texts = [literal(float(v)) for v in np.asarray(values, dtype=np.float64).ravel()]
    rows = [", ".join(texts[k : k + NUMBERS_A_LINE]) for k in range(0, len(texts), NUMBERS_A_LINE)]
    return "{" + ",\n     ".join(rows) + "}"


def _number(member: IntEnum | IntFlag | Shape) -> int:
    return member.code if isinstance(member, Shape) else member.value
