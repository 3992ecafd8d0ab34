"""LLVM IR text for routines, on one double or on SIMD lanes of 2, 4 or 8.

On lanes every element of a port is `lanes` neighbouring doubles, one a scenario; the code is the same but for the type.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import final

from motionbase.compile.block import Block
from motionbase.compile.maths import MATHS
from motionbase.compile.ops import Op
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
    walk,
)
from motionbase.errors import UnsupportedOp

TARGET = "llvm"
INLINE_MATHS_BELOW = 64  # calls of maths functions in a routine; above, they are called, not copied
INLINE_ROUTINE_BELOW = 150  # instructions


class Mode(Enum):
    """Strict: the same bits everywhere. Fast: contraction and reassociation are allowed."""

    STRICT = "strict"
    FAST = "fast"


# {F} is `double` or a vector of it; {0}, {1}, {2} are arguments, {f} fast-math flags, {x} the suffix of intrinsics
LLVM_FOR_OP: dict[Op, str] = {
    Op.ADD: "fadd{f} {F} {0}, {1}",
    Op.SUB: "fsub{f} {F} {0}, {1}",
    Op.MUL: "fmul{f} {F} {0}, {1}",
    Op.DIV: "fdiv{f} {F} {0}, {1}",
    Op.SQRT: "call{f} {F} @llvm.sqrt.{x}({F} {0})",
    Op.NEG: "fneg {F} {0}",
    Op.ABS: "call {F} @llvm.fabs.{x}({F} {0})",
    Op.COPYSIGN: "call {F} @llvm.copysign.{x}({F} {0}, {F} {1})",
    Op.FLOOR: "call {F} @llvm.floor.{x}({F} {0})",
    Op.CEIL: "call {F} @llvm.ceil.{x}({F} {0})",
    Op.FMOD: "frem {F} {0}, {1}",
    Op.LT: "fcmp olt {F} {0}, {1}",
    Op.LE: "fcmp ole {F} {0}, {1}",
    Op.EQ: "fcmp oeq {F} {0}, {1}",
    Op.NE: "fcmp une {F} {0}, {1}",
    Op.AND: "and {B} {0}, {1}",
    Op.OR: "or {B} {0}, {1}",
    Op.NOT: "xor {B} {0}, {true}",
    Op.SELECT: "select {B} {0}, {F} {1}, {F} {2}",
    Op.BITS: "bitcast {F} {0} to {I}",
    Op.FROM_BITS: "bitcast {I} {0} to {F}",
    Op.IADD: "add {I} {0}, {1}",
    Op.ISUB: "sub {I} {0}, {1}",
    Op.IMUL: "mul {I} {0}, {1}",
    Op.IAND: "and {I} {0}, {1}",
    Op.IOR: "or {I} {0}, {1}",
    Op.IXOR: "xor {I} {0}, {1}",
    Op.SHL: "shl {I} {0}, {imm}",
    Op.SHR: "lshr {I} {0}, {imm}",
    Op.IEQ: "icmp eq {I} {0}, {1}",
    Op.ISELECT: "select {B} {0}, {I} {1}, {I} {2}",
}
_INTRINSICS = {"sqrt": 1, "fabs": 1, "floor": 1, "ceil": 1, "copysign": 2}


@final
@dataclass(frozen=True)
class Dialect:
    """Types and flags for a number of lanes and a mode."""

    lanes: int
    mode: Mode

    def type(self, scalar: str) -> str:
        """`scalar`, or the vector of it."""
        return scalar if self.lanes == 1 else f"<{self.lanes} x {scalar}>"

    def splat(self, scalar: str, literal: str) -> str:
        """The literal in every lane."""
        return literal if self.lanes == 1 else f"splat ({scalar} {literal})"

    def fields(self, flags: str) -> dict[str, str]:
        """What the templates of the table need."""
        return {
            "F": self.type("double"),
            "I": self.type("i64"),
            "B": self.type("i1"),
            "x": "f64" if self.lanes == 1 else f"v{self.lanes}f64",
            "true": self.splat("i1", "true"),
            "f": flags,
        }

    @property
    def flags(self) -> str:
        """Fast-math flags of a kernel's own arithmetic."""
        return " reassoc nsz arcp contract" if self.mode is Mode.FAST else ""

    @staticmethod
    def maths_flags(name: str) -> str:
        """Only the fast variants are made for contraction; anything else would undo the others' error-free sums."""
        return " contract" if name.startswith("fast_") else ""

    def maths_name(self, name: str) -> str:
        """The cheaper variant of a maths function where fast mode has one."""
        return f"fast_{name}" if self.mode is Mode.FAST and f"fast_{name}" in MATHS else name


def _literal(number: float) -> str:
    return f"0x{struct.unpack('<Q', struct.pack('<d', number))[0]:016X}"


@final
class _Writer:
    """The text of one function: lines, fresh names, and the places of buffers."""

    def __init__(self, name: str, dialect: Dialect, flags: str) -> None:
        self.name, self.dialect, self.lines = name, dialect, list[str]()
        self.fields = dialect.fields(flags)
        self.templates: dict[Op, str] = {}
        self._count = 0

    def fresh(self) -> str:
        """A new value name."""
        self._count += 1
        return f"%t{self._count}"

    def label(self, stem: str) -> str:
        """A new label name."""
        self._count += 1
        return f"{stem}{self._count}"

    def assign(self, text: str) -> str:
        """Append `name = text` and return the name."""
        name = self.fresh()
        self.lines.append(f"  {name} = {text}")
        return name

    def put(self, text: str) -> None:
        """Append a line."""
        self.lines.append(f"  {text}")

    def open_label(self, label: str) -> None:
        """Start a basic block, falling into it from the one before."""
        self.put(f"br label %{label}")
        self.lines.append(f"{label}:")

    def element(self, buffer: int, offset: str | int) -> str:
        """Pointer to element `offset` of a buffer."""
        lanes = self.dialect.lanes
        if isinstance(offset, int):
            scaled = str(offset * lanes)
        else:
            scaled = offset if lanes == 1 else self.assign(f"mul i64 {offset}, {lanes}")
        return (
            f"%b{buffer}"
            if scaled == "0"
            else self.assign(f"getelementptr inbounds double, ptr %b{buffer}, i64 {scaled}")
        )

    def address(self, address: Address) -> str:
        """Pointer to an address, loop indices included."""
        if not address.strides:
            return self.element(address.buffer, address.offset)
        index = str(address.offset)
        for number, stride in address.strides:
            step = self.assign(f"mul i64 %i{number}, {stride}")
            index = self.assign(f"add i64 {index}, {step}")
        return self.element(address.buffer, index)


def _render_block(w: _Writer, block: Block, kernel: str, module: Module) -> list[str]:
    """Append a block; returns the names of its values."""
    d, fields = w.dialect, w.fields
    F = fields["F"]
    names: list[str] = []
    for op, args, imm in block.instructions:
        a = [names[k] for k in args]
        if op in LLVM_FOR_OP:
            shift = d.splat("i64", str(imm)) if op in (Op.SHL, Op.SHR) else ""
            names.append(w.assign(LLVM_FOR_OP[op].format(*a, imm=shift, **fields)))
        elif op is Op.CONST:
            assert isinstance(imm, float)
            names.append(d.splat("double", _literal(imm)))
        elif op is Op.ICONST:
            names.append(d.splat("i64", str(imm)))
        elif op is Op.ARG:
            names.append(f"%a{imm}")
        elif op is Op.LOAD:
            assert isinstance(imm, tuple)
            names.append(w.assign(f"load {F}, ptr {w.element(*imm)}, align 8"))
        elif op is Op.STORE:
            assert isinstance(imm, tuple)
            w.put(f"store {F} {a[0]}, ptr {w.element(*imm)}, align 8")
            names.append("")
        elif op in (Op.LOAD_AT, Op.TABLE):
            base, stride = (f"%b{imm}", d.lanes) if op is Op.LOAD_AT else (f"@{w.name}.table{imm}", 0)
            names.append(_gather(w, base, a[0], stride))
        elif op is Op.STORE_AT:
            _scatter(w, f"%b{imm}", a[0], a[1])
            names.append("")
        elif op is Op.CALL:
            name = d.maths_name(str(imm))
            if name not in MATHS:
                raise UnsupportedOp(name, kernel, TARGET)
            module.maths_used.add(name)
            passed = ", ".join(f"{F} {x}" for x in a)
            names.append(w.assign(f"call {F} @{module.maths_symbol(name)}({passed})"))
        else:
            raise UnsupportedOp(op.label, kernel, TARGET)
    return names


def _lane_pointer(w: _Writer, base: str, index: str, stride: int, lane: int) -> str:
    """Pointer to element `index` (one word a lane) of a buffer (stride = lanes) or a table (stride = 0)."""
    d = w.dialect
    word = index if d.lanes == 1 else w.assign(f"extractelement {d.type('i64')} {index}, i64 {lane}")
    if stride > 1:
        word = w.assign(f"mul i64 {word}, {stride}")
        word = w.assign(f"add i64 {word}, {lane}")
    return w.assign(f"getelementptr inbounds double, ptr {base}, i64 {word}")


def _gather(w: _Writer, base: str, index: str, stride: int) -> str:
    d = w.dialect
    if d.lanes == 1:
        return w.assign(f"load double, ptr {_lane_pointer(w, base, index, stride, 0)}, align 8")
    result = "poison"
    for lane in range(d.lanes):
        x = w.assign(f"load double, ptr {_lane_pointer(w, base, index, stride, lane)}, align 8")
        result = w.assign(f"insertelement {d.type('double')} {result}, double {x}, i64 {lane}")
    return result


def _scatter(w: _Writer, base: str, index: str, value: str) -> None:
    d = w.dialect
    for lane in range(d.lanes):
        x = value if d.lanes == 1 else w.assign(f"extractelement {d.type('double')} {value}, i64 {lane}")
        w.put(f"store double {x}, ptr {_lane_pointer(w, base, index, d.lanes, lane)}, align 8")


@final
class Module:
    """The IR of an outermost routine and all it calls."""

    def __init__(self, routine: Routine, lanes: int = 1, mode: Mode = Mode.STRICT) -> None:
        self.routine, self.dialect = routine, Dialect(lanes, mode)
        self.routines = routine.callees()
        self.names = unique_names(self.routines)
        self.maths_used: set[str] = set()
        calls = max((sum(r.maths_calls().values()) for r in self.routines), default=0)
        self.inline_maths = calls < INLINE_MATHS_BELOW

    def maths_symbol(self, name: str) -> str:
        """Name of a maths function in the module."""
        return f"mb_{name}"

    def text(self, *, exported: bool = True, more: Sequence[str] = ()) -> str:
        """The whole module: the routine and its map, or the routine as an inner function of what `more` adds."""
        functions = [self._function(r, exported and r is self.routine) for r in self.routines]
        maths = [self._maths(name) for name in sorted(self.maths_used)]
        F, x = self.dialect.type("double"), self.dialect.fields("")["x"]
        declared = [f"declare {F} @llvm.{name}.{x}({', '.join([F] * n)})" for name, n in _INTRINSICS.items()]
        declared.append("declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
        outer = [self._packed(), self._map()] if exported else []
        return "\n".join([*declared, *maths, *functions, *outer, *more]) + "\n"

    def _maths(self, name: str) -> str:
        function = MATHS[name]
        d = self.dialect
        F = d.type("double")
        w = _Writer(name, d, d.maths_flags(name))
        values = _render_block(w, function.block, name, self)
        assert function.block.result is not None
        arguments = ", ".join(f"{F} %a{k}" for k in range(function.arity))
        inline = "alwaysinline" if self.inline_maths else "noinline"
        head = (
            f"define internal {F} @{self.maths_symbol(name)}({arguments}) nounwind willreturn memory(none) {inline} {{"
        )
        return "\n".join([head, "entry:", *w.lines, f"  ret {F} {values[function.block.result]}", "}"])

    @property
    def entry(self) -> str:
        """Symbol of the outermost routine."""
        return self.names[id(self.routine)]

    def _function(self, routine: Routine, exported: bool) -> str:
        d = self.dialect
        name = self.names[id(routine)]
        w = _Writer(name, d, d.flags)
        head = []
        for k, table in enumerate(routine.tables):
            head.append(_constant(f"{name}.table{k}", table, 1))
        first = len(routine.arguments)
        for k, buffer in enumerate(routine.buffers, start=first):
            if buffer.data is None:
                w.put(f"%b{k} = alloca [{max(buffer.size, 1) * d.lanes} x double], align 64")
            else:
                head.append(_constant(f"{name}.b{k}", buffer.data, d.lanes))
                w.put(f"%b{k} = getelementptr i8, ptr @{name}.b{k}, i64 0")
        self._body(w, routine, routine.body)
        arguments = ", ".join(
            f"ptr noalias{' readonly' if a.role is Role.INPUT else ''} captures(none) %b{k}"
            for k, a in enumerate(routine.arguments)
        )
        small = routine is self.routine or routine.instruction_count < INLINE_ROUTINE_BELOW
        inline = "" if small else " noinline"
        linkage = "" if exported else "internal "
        opening = f"define {linkage}void @{name}({arguments}) nounwind{inline} {{"
        return "\n".join([*head, opening, "entry:", *w.lines, "  ret void", "}"])

    def _body(self, w: _Writer, routine: Routine, body: tuple[Statement, ...]) -> None:
        for statement in body:
            if isinstance(statement, Block):
                _render_block(w, statement, routine.name, self)
            elif isinstance(statement, Call):
                pointers = ", ".join(f"ptr {w.address(a)}" for a in statement.addresses)
                w.put(f"call void @{self.names[id(statement.routine)]}({pointers})")
            elif isinstance(statement, Copy):
                _copy(w, w.address(statement.target), w.address(statement.source), statement.size)
            elif isinstance(statement, Loop):
                self._loop(w, routine, statement)
            else:
                self._switch(w, routine, statement)

    def _loop(self, w: _Writer, routine: Routine, loop: Loop) -> None:
        n = loop.number
        before, start, end, after = (w.label(s) for s in ("before", "loop", "end", "after"))
        w.open_label(before)
        w.open_label(start)
        w.put(f"%i{n} = phi i64 [ 0, %{before} ], [ %i{n}.next, %{end} ]")
        self._body(w, routine, loop.body)
        w.open_label(end)
        w.put(f"%i{n}.next = add i64 %i{n}, 1")
        more = w.assign(f"icmp ult i64 %i{n}.next, {loop.count}")
        w.put(f"br i1 {more}, label %{start}, label %{after}")
        w.lines.append(f"{after}:")

    def _switch(self, w: _Writer, routine: Routine, switch: Switch) -> None:
        """A chain of tests; on lanes a case runs if any lane wants it, and the other lanes get their values back."""
        d = w.dialect
        F, B = w.fields["F"], w.fields["B"]
        selector = w.assign(f"load {F}, ptr {w.address(switch.selector)}, align 8")
        masks = [w.assign(f"fcmp oeq {F} {selector}, {d.splat('double', _literal(float(k)))}") for k, _ in switch.cases]
        taken = d.splat("i1", "false")
        for mask in masks:
            taken = w.assign(f"or {B} {taken}, {mask}")
        masks.append(w.assign(f"xor {B} {taken}, {w.fields['true']}"))
        for mask, case in zip(masks, switch.bodies, strict=True):
            if not case:
                continue
            run, done = w.label("case"), w.label("done")
            if d.lanes == 1:
                w.put(f"br i1 {mask}, label %{run}, label %{done}")
                w.lines.append(f"{run}:")
                self._body(w, routine, case)
            else:
                word = w.assign(f"bitcast {B} {mask} to i{d.lanes}")
                some = w.assign(f"icmp ne i{d.lanes} {word}, 0")
                w.put(f"br i1 {some}, label %{run}, label %{done}")
                w.lines.append(f"{run}:")
                self._masked(w, routine, case, mask)
            w.open_label(done)

    def _masked(self, w: _Writer, routine: Routine, case: tuple[Statement, ...], mask: str) -> None:
        """Run a case for some lanes: keep what it writes, run it for all, give the other lanes their values back."""
        d = w.dialect
        sizes = [a.size for a in routine.arguments] + [b.size for b in routine.buffers]
        kept = []
        for buffer in sorted(_written(case)):
            saved = w.fresh()
            w.lines.insert(0, f"  {saved} = alloca [{max(sizes[buffer], 1) * d.lanes} x double], align 64")
            _copy(w, saved, f"%b{buffer}", sizes[buffer])
            kept.append((buffer, saved))
        self._body(w, routine, case)
        for buffer, saved in kept:
            _blend(w, f"%b{buffer}", saved, sizes[buffer], mask)

    def _packed(self) -> str:
        """`NAME.packed(addresses)`: the routine with its arguments in one array of pointers."""
        w = _Writer("packed", self.dialect, "")
        pointers = []
        for k in range(len(self.routine.arguments)):
            at = w.assign(f"getelementptr ptr, ptr %addresses, i64 {k}")
            pointers.append(f"ptr {w.assign(f'load ptr, ptr {at}')}")
        w.put(f"call void @{self.entry}({', '.join(pointers)})")
        w.put("ret void")
        return "\n".join([f"define void @{self.entry}.packed(ptr %addresses) nounwind {{", "entry:", *w.lines, "}"])

    def _map(self) -> str:
        """`NAME.map(n, arrays...)`: the routine for n consecutive sets of arguments."""
        name, lanes = self.names[id(self.routine)], self.dialect.lanes
        arguments = self.routine.arguments
        w = _Writer("map", self.dialect, "")
        w.put("%any = icmp sgt i64 %n, 0")
        w.put("br i1 %any, label %loop, label %after")
        w.lines.append("loop:")
        w.put("%k = phi i64 [ 0, %entry ], [ %k.next, %loop ]")
        pointers = []
        for j, argument in enumerate(arguments):
            offset = w.assign(f"mul i64 %k, {argument.size * lanes}")
            pointers.append("ptr " + w.assign(f"getelementptr double, ptr %b{j}, i64 {offset}"))
        w.put(f"call void @{name}({', '.join(pointers)})")
        w.put("%k.next = add i64 %k, 1")
        w.put("%more = icmp slt i64 %k.next, %n")
        w.put("br i1 %more, label %loop, label %after")
        w.lines += ["after:", "  ret void"]
        parameters = ", ".join(["i64 %n"] + [f"ptr %b{j}" for j in range(len(arguments))])
        return "\n".join([f"define void @{name}.map({parameters}) nounwind {{", "entry:", *w.lines, "}"])


def _constant(name: str, data: tuple[float, ...], lanes: int) -> str:
    values = ", ".join(f"double {_literal(x)}" for x in data for _ in range(lanes)) or "double 0.0"
    return f"@{name} = internal constant [{max(len(data) * lanes, 1)} x double] [{values}], align 64"


def _copy(w: _Writer, target: str, source: str, size: int) -> None:
    if size:
        count = size * w.dialect.lanes * 8
        w.put(f"call void @llvm.memcpy.p0.p0.i64(ptr align 8 {target}, ptr align 8 {source}, i64 {count}, i1 false)")


def _blend(w: _Writer, target: str, saved: str, size: int, mask: str) -> None:
    """target[k] = mask ? target[k] : saved[k] for every element."""
    if not size:
        return
    F, B = w.fields["F"], w.fields["B"]
    before, start, after = (w.label(s) for s in ("before", "blend", "after"))
    k, following = w.fresh(), w.fresh()
    w.open_label(before)
    w.open_label(start)
    w.put(f"{k} = phi i64 [ 0, %{before} ], [ {following}, %{start} ]")
    offset = w.assign(f"mul i64 {k}, {w.dialect.lanes}")
    new_at = w.assign(f"getelementptr inbounds double, ptr {target}, i64 {offset}")
    old_at = w.assign(f"getelementptr inbounds double, ptr {saved}, i64 {offset}")
    new = w.assign(f"load {F}, ptr {new_at}, align 8")
    old = w.assign(f"load {F}, ptr {old_at}, align 8")
    blended = w.assign(f"select {B} {mask}, {F} {new}, {F} {old}")
    w.put(f"store {F} {blended}, ptr {new_at}, align 8")
    w.put(f"{following} = add i64 {k}, 1")
    more = w.assign(f"icmp ult i64 {following}, {size}")
    w.put(f"br i1 {more}, label %{start}, label %{after}")
    w.lines.append(f"{after}:")


def _written(body: tuple[Statement, ...]) -> set[int]:
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
            for argument, address in zip(statement.routine.arguments, statement.addresses, strict=True):
                if argument.role is not Role.INPUT:
                    buffers.add(address.buffer)
        elif isinstance(statement, Copy):
            buffers.add(statement.target.buffer)
    return buffers
