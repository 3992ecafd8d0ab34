"""Common part of C99 and CUDA: blocks, calls, loops and switches as C statements."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from typing import final

from motionbase.compile.block import Block, with_loads_first
from motionbase.compile.maths import MATHS
from motionbase.compile.ops import Op
from motionbase.compile.reuse import LOCALS, with_shared_buffers
from motionbase.compile.routine import (
    Address,
    Call,
    Copy,
    Loop,
    Role,
    Routine,
    Statement,
    Switch,
    unique_names,
)
from motionbase.errors import UnsupportedOp

C_FOR_OP: dict[Op, str] = {
    Op.ADD: "{0} + {1}",
    Op.SUB: "{0} - {1}",
    Op.MUL: "{0} * {1}",
    Op.DIV: "{0} / {1}",
    Op.SQRT: "sqrt({0})",
    Op.NEG: "-{0}",
    Op.ABS: "fabs({0})",
    Op.COPYSIGN: "copysign({0}, {1})",
    Op.FLOOR: "floor({0})",
    Op.CEIL: "ceil({0})",
    Op.FMOD: "fmod({0}, {1})",
    Op.LT: "{0} < {1}",
    Op.LE: "{0} <= {1}",
    Op.EQ: "{0} == {1}",
    Op.NE: "{0} != {1}",
    Op.AND: "{0} && {1}",
    Op.OR: "{0} || {1}",
    Op.NOT: "!{0}",
    Op.SELECT: "{0} ? {1} : {2}",
    Op.BITS: "mb_bits({0})",
    Op.FROM_BITS: "mb_from_bits({0})",
    Op.IADD: "{0} + {1}",
    Op.ISUB: "{0} - {1}",
    Op.IMUL: "{0} * {1}",
    Op.IAND: "{0} & {1}",
    Op.IOR: "{0} | {1}",
    Op.IXOR: "{0} ^ {1}",
    Op.SHL: "{0} << {imm}",
    Op.SHR: "{0} >> {imm}",
    Op.IEQ: "{0} == {1}",
    Op.ISELECT: "{0} ? {1} : {2}",
}

TYPES = {"f": "double", "i": "uint64_t", "b": "int"}


@final
@dataclass(frozen=True)
class CDialect:
    """Differences between C99 and CUDA.

    Attributes:
        function: prefix of an inner function
        constant: prefix of constant data
        restrict: keyword for pointers that do not overlap
        strided: pointers carry a stride: element k of scenario t is at k * stride + t
        exact_product: a product that the compiler may not fuse with a sum
        quotient: a division, for compilers whose own division is slow for common numbers
        near: how many numbers of the outermost routine's buffers are in `mb_near`, shared memory of a thread block
        in_steps: for threads that wait for memory: loops stay loops, and memory is read again after each loop, choice
            or call of the outermost routine, which keeps registers free; inner routines read all they need first
    """

    target: str
    function: str
    constant: str
    restrict: str
    strided: bool
    exact_product: str = "{0} * {1}"
    quotient: str = "{0} / {1}"
    near: int = 0
    in_steps: bool = False


def stride(name: str) -> str:
    """The C name of the distance between a strided array's elements; user names never start with mb_."""
    return f"mb_stride_{name}"


def literal(number: float) -> str:
    """A double as C text, exactly."""
    if math.isfinite(number):
        short = repr(number)
        return short if number >= 0 and math.copysign(1, number) > 0 else f"({short})"
    return f"mb_from_bits({struct.unpack('<Q', struct.pack('<d', number))[0]:#x}ULL)"


@final
class CWriter:
    """C text of an outermost routine, all it calls, and the maths functions they use."""

    def __init__(self, routine: Routine, dialect: CDialect, prefix: str, fast: bool = False) -> None:
        self.dialect, self.prefix, self.fast = dialect, prefix, fast
        self.routines = routine.callees()
        self.names = unique_names(self.routines)
        self.outermost = routine
        self.maths_used: set[str] = set()
        self._same: dict[int, Routine] = {}  # a routine whose buffers share memory -> the original
        self._bodies = [self._routine(r) for r in self.routines]

    def text(self) -> str:
        """Maths functions, then routines, callees first."""
        maths = [self._maths(name) for name in sorted(self.maths_used)]
        return "\n".join([*maths, *self._bodies])

    def symbol(self, routine: Routine) -> str:
        """The C name of a routine; inner ones carry the outermost name, so that two files never clash.

        They end with an underscore, which no port does: a parameter never hides them.
        """
        name = self.names[id(routine)]
        return name if self._is_entrance(routine) else f"{self.prefix}_{name}_"

    def _is_entrance(self, routine: Routine) -> bool:
        """Whether users call it: the outermost routine of a C file; on a GPU, its kernel calls it."""
        return routine is self.outermost and self.dialect.target == "c"

    def _constant(self, routine: Routine, name: str) -> str:
        """The C name of constant data; routine names never start with a digit, so they cannot collide."""
        return f"{self.prefix}_{self.routines.index(self._same[id(routine)])}_{name}_"

    # ---- pieces ----------------------------------------------------------------------------------------------------

    def _maths(self, name: str) -> str:
        function = MATHS[name]
        lines: list[str] = []
        values = self._block(lines, function.block, None, name, "    ", 0)
        arguments = ", ".join(f"double a{k}_" for k in range(function.arity))
        assert function.block.result is not None
        head = f"{self.dialect.function} double mb_{name}({arguments})"
        return "\n".join([head, "{", *lines, f"    return {values[function.block.result]};", "}", ""])

    def signature(self, routine: Routine, restrict: str | None = None) -> str:
        """Return type, name and parameters of a routine; `restrict` replaces the dialect's keyword."""
        d = self.dialect
        restrict = d.restrict if restrict is None else restrict
        linkage = "" if self._is_entrance(routine) else f"{d.function} "
        parameters = []
        for a in routine.arguments:
            const = "const " if a.role is Role.INPUT else ""
            parameters.append(f"{const}double *{restrict} {a.name}")
            if d.strided:
                parameters.append(f"const long {stride(a.name)}")
        return f"{linkage}void {self.symbol(routine)}({', '.join(parameters) or 'void'})"

    def _routine(self, given: Routine) -> str:
        d = self.dialect
        near = d.near if given is self.outermost else 0
        routine = given if d.target == "c" else with_shared_buffers(given, near)  # users read C: it keeps buffer names
        self._same[id(routine)] = given
        lines: list[str] = []
        data: list[str] = []
        for k, table in enumerate(routine.tables):
            data.append(_array(f"{d.constant} double {self._constant(routine, f'table{k}')}", table))
        for buffer in routine.buffers:
            if buffer.near:
                lines.append(f"    double *const {buffer.name} = mb_near + threadIdx.x * {d.near};")
            elif buffer.data is None:
                lines.append(f"    double {buffer.name}[{max(buffer.size, 1)}];")
            else:
                data.append(_array(f"{d.constant} double {self._constant(routine, buffer.name)}", buffer.data))
        for k in range(len(routine.buffers)):  # an unused buffer or parameter is not an error in generated code
            lines.append(f"    (void){self._buffer(routine, len(routine.arguments) + k)[0]};")
        for a in routine.arguments:
            lines.append(f"    (void){a.name};")
            if d.strided:
                lines.append(f"    (void){stride(a.name)};")
        self._count = 0
        self._fences = self._fenced(routine) if d.in_steps and given is self.outermost else ""
        self._reads_first = d.in_steps and given is not self.outermost
        self._body(lines, routine, routine.body, "    ")
        return "\n".join([*data, self.signature(given), "{", *lines, "}", ""])

    def _body(self, lines: list[str], routine: Routine, body: tuple[Statement, ...], pad: str) -> None:
        for statement in body:
            if isinstance(statement, Block):
                first = self._count
                self._count += len(statement)
                block = with_loads_first(statement) if self._reads_first else statement
                self._block(lines, block, routine, routine.name, pad, first)
            elif isinstance(statement, Call):
                lines.append(f"{pad}{self._call(routine, statement)}")
            elif isinstance(statement, Copy):
                k = f"k{len(pad)}_"
                target = self._at(routine, statement.target, k)
                source = self._at(routine, statement.source, k)
                lines.append(f"{pad}for (int {k} = 0; {k} < {statement.size}; ++{k}) {{ {target} = {source}; }}")
            elif isinstance(statement, Loop):
                i = f"i{statement.number}_"
                if self.dialect.in_steps:
                    lines.append(f"{pad}#pragma unroll 1")
                begin = "0" if statement.after is None else f"i{statement.after}_ + 1"
                lines.append(f"{pad}for (int {i} = {begin}; {i} < {statement.count}; ++{i}) {{")
                self._body(lines, routine, statement.body, pad + "    ")
                lines.append(f"{pad}}}")
            else:
                self._switch(lines, routine, statement, pad)
            if self._fences and len(pad) == 4 and not isinstance(statement, Block):
                lines.append(f"{pad}{self._fences}")

    def _fenced(self, routine: Routine) -> str:
        """A fence for each array that changes; all states are parts of one array."""
        states = [a.name for a in routine.arguments if a.role is Role.MEMORY][:1]
        own = [b.name for b in routine.buffers if b.data is None and b.name == LOCALS]
        return " ".join(f"mb_fence({name});" for name in (*states, *own))

    def _switch(self, lines: list[str], routine: Routine, switch: Switch, pad: str) -> None:
        if not switch.cases:
            self._body(lines, routine, switch.default, pad)
            return
        selector = f"selector{self._count}_"
        self._count += 1
        lines.append(f"{pad}const double {selector} = {self._at(routine, switch.selector, '0')};")
        word = "if"
        for k, case in switch.cases:
            lines.append(f"{pad}{word} ({selector} == {k}.0) {{")
            self._body(lines, routine, case, pad + "    ")
            word = "} else if"
        lines.append(f"{pad}}} else {{")
        self._body(lines, routine, switch.default, pad + "    ")
        lines.append(f"{pad}}}")

    def _call(self, routine: Routine, call: Call) -> str:
        passed = []
        for address in call.addresses:
            name, stride = self._buffer(routine, address.buffer)
            index = _index(address)
            step = f"({index}) * {stride}" if stride not in ("", "1") else index
            passed.append(name if index == "0" else f"{name} + {step}")
            if self.dialect.strided:
                passed.append(stride)
        return f"{self.symbol(call.routine)}({', '.join(passed)});"

    def _buffer(self, routine: Routine, number: int) -> tuple[str, str]:
        """Name and stride (empty in C) of a buffer."""
        first = len(routine.arguments)
        strided = self.dialect.strided
        if number < first:
            name = routine.arguments[number].name
            return name, stride(name) if strided else ""
        buffer = routine.buffers[number - first]
        name = buffer.name if buffer.data is None else self._constant(routine, buffer.name)
        return name, "1" if strided else ""

    def _at(self, routine: Routine, address: Address, extra: str) -> str:
        """Element `extra` after an address, as an lvalue."""
        name, stride = self._buffer(routine, address.buffer)
        index = _index(address)
        whole = extra if index == "0" else index if extra == "0" else f"{index} + {extra}"
        return f"{name}[({whole}) * {stride}]" if stride not in ("", "1") else f"{name}[{whole}]"

    def _block(
        self,
        lines: list[str],
        block: Block,
        routine: Routine | None,
        kernel: str,
        pad: str,
        first: int,
    ) -> list[str]:
        """Append a block's statements; returns the C text of every value. For a maths function, `routine` is None."""
        names: list[str] = []
        forms, exactly = {**C_FOR_OP, Op.DIV: self.dialect.quotient}, self.dialect.exact_product
        exact = routine is None and not kernel.startswith("fast_")  # maths functions whose products must be rounded
        for position, (op, args, imm) in enumerate(block.instructions):
            a = [names[k] for k in args]
            if op is Op.CONST:
                assert isinstance(imm, float)
                names.append(literal(imm))
                continue
            if op is Op.ICONST:
                names.append(f"{imm:#x}ULL" if isinstance(imm, int) and imm > 9 else f"{imm}ULL")
                continue
            if op is Op.ARG:
                names.append(f"a{imm}_")
                continue
            if op in C_FOR_OP:
                text = (exactly if op is Op.MUL and exact else forms[op]).format(*a, imm=imm)
            elif op is Op.LOAD:
                assert isinstance(imm, tuple) and routine is not None
                text = self._at(routine, Address(imm[0], imm[1]), "0")
            elif op is Op.STORE:
                assert isinstance(imm, tuple) and routine is not None
                lines.append(f"{pad}{self._at(routine, Address(imm[0], imm[1]), '0')} = {a[0]};")
                names.append("")
                continue
            elif op is Op.LOAD_AT:
                assert isinstance(imm, int) and routine is not None
                text = self._at(routine, Address(imm), a[0])
            elif op is Op.STORE_AT:
                assert isinstance(imm, int) and routine is not None
                lines.append(f"{pad}{self._at(routine, Address(imm), a[0])} = {a[1]};")
                names.append("")
                continue
            elif op is Op.TABLE:
                assert routine is not None
                text = f"{self._constant(routine, f'table{imm}')}[{a[0]}]"
            elif op is Op.CALL and imm in MATHS:
                name = f"fast_{imm}" if self.fast and f"fast_{imm}" in MATHS else str(imm)
                self.maths_used.add(name)
                text = f"mb_{name}({', '.join(a)})"
            else:
                raise UnsupportedOp(str(imm) if op is Op.CALL else op.label, kernel, self.dialect.target)
            name = f"v{first + position}_"
            lines.append(f"{pad}const {TYPES[op.signature.result or 'f']} {name} = {text};")
            names.append(name)
        return names


def _index(address: Address) -> str:
    terms = [f"i{number}_ * {stride}" if stride != 1 else f"i{number}_" for number, stride in address.strides]
    if address.offset or not terms:
        terms.append(str(address.offset))
    return " + ".join(terms)


def _array(head: str, data: tuple[float, ...]) -> str:
    """Constant data; infinities and NaNs must be constant expressions, which mb_from_bits is not."""

    def text(x: float) -> str:
        return literal(x) if math.isfinite(x) else "NAN" if math.isnan(x) else "INFINITY" if x > 0 else "-INFINITY"

    rows = [", ".join(text(x) for x in data[k : k + 6]) for k in range(0, len(data), 6)] or ["0.0"]
    return f"{head}[{max(len(data), 1)}] = {{\n    " + ",\n    ".join(rows) + "\n};"
