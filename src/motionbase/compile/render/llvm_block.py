"""Blocks as LLVM IR: the table of operations, types on lanes, and the writer of a function's text."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import final

from motionbase.compile.block import Block
from motionbase.compile.maths import MATHS
from motionbase.compile.mode import Mode
from motionbase.compile.ops import Op
from motionbase.compile.routine import Address
from motionbase.errors import UnsupportedOp

TARGET = "llvm"


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


def literal(number: float) -> str:
    """A double as LLVM text, by its bits."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', number))[0]:016X}"


@final
class Writer:
    """The text of one function: lines, fresh names, and the places of buffers."""

    def __init__(self, name: str, dialect: Dialect, flags: str, maths_used: set[str]) -> None:
        self.name, self.dialect, self.lines = name, dialect, list[str]()
        self.fields = dialect.fields(flags)
        self.maths_used = maths_used
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


def render_block(w: Writer, block: Block, kernel: str) -> list[str]:
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
            names.append(d.splat("double", literal(imm)))
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
            w.maths_used.add(name)
            passed = ", ".join(f"{F} {x}" for x in a)
            names.append(w.assign(f"call {F} @mb_{name}({passed})"))
        else:
            raise UnsupportedOp(op.label, kernel, TARGET)
    return names


def _lane_pointer(w: Writer, base: str, index: str, stride: int, lane: int) -> str:
    """Pointer to element `index` (one word a lane) of a buffer (stride = lanes) or a table (stride = 0)."""
    d = w.dialect
    word = index if d.lanes == 1 else w.assign(f"extractelement {d.type('i64')} {index}, i64 {lane}")
    if stride > 1:
        word = w.assign(f"mul i64 {word}, {stride}")
        word = w.assign(f"add i64 {word}, {lane}")
    return w.assign(f"getelementptr inbounds double, ptr {base}, i64 {word}")


def _gather(w: Writer, base: str, index: str, stride: int) -> str:
    d = w.dialect
    if d.lanes == 1:
        return w.assign(f"load double, ptr {_lane_pointer(w, base, index, stride, 0)}, align 8")
    result = "poison"
    for lane in range(d.lanes):
        x = w.assign(f"load double, ptr {_lane_pointer(w, base, index, stride, lane)}, align 8")
        result = w.assign(f"insertelement {d.type('double')} {result}, double {x}, i64 {lane}")
    return result


def _scatter(w: Writer, base: str, index: str, value: str) -> None:
    d = w.dialect
    for lane in range(d.lanes):
        x = value if d.lanes == 1 else w.assign(f"extractelement {d.type('double')} {value}, i64 {lane}")
        w.put(f"store double {x}, ptr {_lane_pointer(w, base, index, d.lanes, lane)}, align 8")


def constant(name: str, data: tuple[float, ...], lanes: int) -> str:
    """Constant data, each number once a lane."""
    values = ", ".join(f"double {literal(x)}" for x in data for _ in range(lanes)) or "double 0.0"
    return f"@{name} = internal constant [{max(len(data) * lanes, 1)} x double] [{values}], align 64"


def copy(w: Writer, target: str, source: str, size: int) -> None:
    """Copy `size` elements (of all lanes)."""
    if size:
        count = size * w.dialect.lanes * 8
        w.put(f"call void @llvm.memcpy.p0.p0.i64(ptr align 8 {target}, ptr align 8 {source}, i64 {count}, i1 false)")


def blend(w: Writer, target: str, saved: str, size: int, mask: str) -> None:
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
