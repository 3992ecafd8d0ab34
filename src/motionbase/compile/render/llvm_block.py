"""Blocks as LLVM IR: the table of operations, types for lanes, and the writer of a function's text."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import final

from motionbase.compile.block import Block
from motionbase.compile.maths import MATHS
from motionbase.compile.mode import Mode
from motionbase.compile.ops import Op
from motionbase.compile.routine import Address
from motionbase.errors import UnsupportedOp

TARGET = "llvm"
BLEND_UNROLLED = 16  # elements; above this, a loop is used


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
        """`scalar`, or the vector type of it."""
        return scalar if self.lanes == 1 else f"<{self.lanes} x {scalar}>"

    def splat(self, scalar: str, literal: str) -> str:
        """The literal in every lane."""
        return literal if self.lanes == 1 else f"splat ({scalar} {literal})"

    def fields(self, flags: str) -> dict[str, str]:
        """Values of the fields in the table's templates."""
        return {
            "F": self.type("double"),
            "I": self.type("i64"),
            "B": self.type("i1"),
            "x": self.suffix,
            "true": self.splat("i1", "true"),
            "f": flags,
        }

    @property
    def flags(self) -> str:
        """Fast-math flags of a kernel's own arithmetic."""
        return " reassoc nsz arcp contract" if self.mode is Mode.FAST else ""

    @staticmethod
    def maths_flags(name: str) -> str:
        """Only the fast variants tolerate contraction; in the others it would break error-free sums."""
        return " contract" if name.startswith("fast_") else ""

    @property
    def suffix(self) -> str:
        """Suffix of intrinsic names."""
        return "f64" if self.lanes == 1 else f"v{self.lanes}f64"

    def maths_name(self, name: str) -> str:
        """The cheaper variant of a maths function, if fast mode has one."""
        return f"fast_{name}" if self.mode is Mode.FAST and f"fast_{name}" in MATHS else name


def literal(number: float) -> str:
    """A double as LLVM text, by its bits."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', number))[0]:016X}"


@final
@dataclass(frozen=True)
class Spread:
    """Memory layout of the lanes of an array's elements.

    Attributes:
        element: doubles from one element to the next
        lane: doubles from one lane to the next; 0 if all lanes share the elements
        active: number of active lanes; the others are copies of the first and are not stored
    """

    element: int
    lane: int
    active: int


@final
class Writer:
    """The text of one function: lines, fresh names, and addresses of buffers.

    Attributes:
        spreads: layout of each buffer's lanes; adjacent by default
    """

    def __init__(
        self, name: str, dialect: Dialect, flags: str, used: Used, spreads: dict[int, Spread] | None = None
    ) -> None:
        self.name, self.dialect, self.lines = name, dialect, list[str]()
        self.fields = dialect.fields(flags)
        self.used = used
        self.table_owner = name
        self.spreads = spreads or {}
        self.wide = Spread(dialect.lanes, 1, dialect.lanes)
        self._count = 0

    def spread(self, buffer: int) -> Spread:
        """Layout of a buffer's lanes."""
        return self.spreads.get(buffer, self.wide)

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
        """Start a basic block, falling through from the previous one."""
        self.put(f"br label %{label}")
        self.lines.append(f"{label}:")

    def offset(self, pointer: str, doubles: int) -> str:
        """A pointer advanced by a number of doubles."""
        return self.assign(f"getelementptr inbounds double, ptr {pointer}, i64 {doubles}") if doubles else pointer

    def address(self, address: Address) -> str:
        """Pointer to an address, loop indices included."""
        scale = self.spread(address.buffer).element
        if not address.strides:
            return self.offset(f"%b{address.buffer}", address.offset * scale)
        index = str(address.offset * scale)
        for number, stride in address.strides:
            step = self.assign(f"mul i64 %i{number}, {stride * scale}")
            index = self.assign(f"add i64 {index}, {step}")
        return self.assign(f"getelementptr inbounds double, ptr %b{address.buffer}, i64 {index}")

    def load(self, pointer: str, spread: Spread) -> str:
        """Load one number for every lane."""
        F, lanes = self.fields["F"], self.dialect.lanes
        if lanes == 1 or (spread.lane == 1 and spread.active == lanes):
            return self.assign(f"load {F}, ptr {pointer}, align 8")
        if spread.lane == 1:
            mask = _mask(lanes, spread.active)
            self.used.masked.add("load")
            call = f"@llvm.masked.load.{self.dialect.suffix}.p0(ptr {pointer}, i32 8, {mask}, {F} poison)"
            some = self.assign(f"call {F} {call}")
            order = ", ".join(f"i32 {k if k < spread.active else 0}" for k in range(lanes))
            return self.assign(f"shufflevector {F} {some}, {F} poison, <{lanes} x i32> <{order}>")
        first = self.assign(f"load double, ptr {pointer}, align 8")
        result = self.assign(f"insertelement {F} poison, double {first}, i64 0")
        if not spread.lane:
            return self.assign(f"shufflevector {F} {result}, {F} poison, <{lanes} x i32> zeroinitializer")
        for lane in range(1, lanes):
            x = first
            if lane < spread.active:
                x = self.assign(f"load double, ptr {self.offset(pointer, lane * spread.lane)}, align 8")
            result = self.assign(f"insertelement {F} {result}, double {x}, i64 {lane}")
        return result

    def store(self, pointer: str, spread: Spread, value: str) -> None:
        """Store one number of every lane."""
        F, lanes = self.fields["F"], self.dialect.lanes
        if lanes == 1 or (spread.lane == 1 and spread.active == lanes):
            self.put(f"store {F} {value}, ptr {pointer}, align 8")
        elif spread.lane == 1:
            self.used.masked.add("store")
            mask = _mask(lanes, spread.active)
            self.put(
                f"call void @llvm.masked.store.{self.dialect.suffix}.p0({F} {value}, ptr {pointer}, i32 8, {mask})"
            )
        else:
            for lane in range(spread.active):
                x = self.assign(f"extractelement {F} {value}, i64 {lane}")
                self.put(f"store double {x}, ptr {self.offset(pointer, lane * spread.lane)}, align 8")


@final
@dataclass
class Used:
    """Declarations needed by the functions of one dialect: maths functions, masked loads and stores."""

    maths: set[str] = field(default_factory=set)
    masked: set[str] = field(default_factory=set)


def _mask(lanes: int, active: int) -> str:
    bits = ", ".join(f"i1 {'true' if k < active else 'false'}" for k in range(lanes))
    return f"<{lanes} x i1> <{bits}>"


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
            names.append(w.load(w.address(Address(*imm)), w.spread(imm[0])))
        elif op is Op.STORE:
            assert isinstance(imm, tuple)
            w.store(w.address(Address(*imm)), w.spread(imm[0]), a[0])
            names.append("")
        elif op in (Op.LOAD_AT, Op.TABLE):
            if op is Op.LOAD_AT:
                assert isinstance(imm, int)
                names.append(_gather(w, f"%b{imm}", a[0], w.spread(imm)))
            else:
                names.append(_gather(w, f"@{w.table_owner}.table{imm}", a[0], Spread(1, 0, d.lanes)))
        elif op is Op.STORE_AT:
            assert isinstance(imm, int)
            _scatter(w, f"%b{imm}", a[0], a[1], w.spread(imm))
            names.append("")
        elif op is Op.CALL:
            name = d.maths_name(str(imm))
            if name not in MATHS:
                raise UnsupportedOp(name, kernel, TARGET)
            w.used.maths.add(name)
            passed = ", ".join(f"{F} {x}" for x in a)
            names.append(w.assign(f"call {F} @{maths_symbol(name, d)}({passed})"))
        else:
            raise UnsupportedOp(op.label, kernel, TARGET)
    return names


def maths_symbol(name: str, dialect: Dialect) -> str:
    """The name of a maths function for a number of lanes."""
    return f"mb_{name}.{dialect.suffix}"


def _lane_pointer(w: Writer, base: str, index: str, spread: Spread, lane: int) -> str:
    """Pointer to element `index` (one word per lane) of a buffer or a table."""
    d = w.dialect
    word = index if d.lanes == 1 else w.assign(f"extractelement {d.type('i64')} {index}, i64 {lane}")
    if spread.element > 1:
        word = w.assign(f"mul i64 {word}, {spread.element}")
    if spread.lane and lane:
        word = w.assign(f"add i64 {word}, {lane * spread.lane}")
    return w.assign(f"getelementptr inbounds double, ptr {base}, i64 {word}")


def _gather(w: Writer, base: str, index: str, spread: Spread) -> str:
    d = w.dialect
    if d.lanes == 1:
        return w.assign(f"load double, ptr {_lane_pointer(w, base, index, spread, 0)}, align 8")
    result = "poison"
    for lane in range(d.lanes):
        at = lane if lane < spread.active else 0
        x = w.assign(f"load double, ptr {_lane_pointer(w, base, index, spread, at)}, align 8")
        result = w.assign(f"insertelement {d.type('double')} {result}, double {x}, i64 {lane}")
    return result


def _scatter(w: Writer, base: str, index: str, value: str, spread: Spread) -> None:
    d = w.dialect
    for lane in range(spread.active):
        x = value if d.lanes == 1 else w.assign(f"extractelement {d.type('double')} {value}, i64 {lane}")
        w.put(f"store double {x}, ptr {_lane_pointer(w, base, index, spread, lane)}, align 8")


def constant(name: str, data: tuple[float, ...], lanes: int) -> str:
    """Constant data, each number once per lane."""
    values = ", ".join(f"double {literal(x)}" for x in data for _ in range(lanes)) or "double 0.0"
    return f"@{name} = internal constant [{max(len(data) * lanes, 1)} x double] [{values}], align 64"


def copy(w: Writer, target: str, source: str, size: int) -> None:
    """Copy `size` elements whose lanes are adjacent in both arrays."""
    if size:
        count = size * w.dialect.lanes * 8
        w.put(f"call void @llvm.memcpy.p0.p0.i64(ptr align 8 {target}, ptr align 8 {source}, i64 {count}, i1 false)")


def copy_spread(w: Writer, target: tuple[str, Spread], source: tuple[str, Spread], size: int) -> None:
    """Copy `size` elements whose lanes may have different layouts."""
    if target[1] == source[1] == w.wide:
        copy(w, target[0], source[0], size)
        return
    for e in range(size):
        value = w.load(w.offset(source[0], e * source[1].element), source[1])
        w.store(w.offset(target[0], e * target[1].element), target[1], value)


def blend(w: Writer, target: tuple[str, Spread], saved: str, size: int, mask: str) -> None:
    """target[k] = mask ? target[k] : saved[k] for every element."""
    F, B = w.fields["F"], w.fields["B"]
    pointer, spread = target
    if size <= BLEND_UNROLLED or spread != w.wide:
        for e in range(size):
            at = w.offset(pointer, e * spread.element)
            new, old = w.load(at, spread), w.load(w.offset(saved, e * w.wide.element), w.wide)
            w.store(at, spread, w.assign(f"select {B} {mask}, {F} {new}, {F} {old}"))
        return
    before, start, after = (w.label(s) for s in ("before", "blend", "after"))
    k, following = w.fresh(), w.fresh()
    w.open_label(before)
    w.open_label(start)
    w.put(f"{k} = phi i64 [ 0, %{before} ], [ {following}, %{start} ]")
    offset = w.assign(f"mul i64 {k}, {w.dialect.lanes}")
    new_at = w.assign(f"getelementptr inbounds double, ptr {pointer}, i64 {offset}")
    old_at = w.assign(f"getelementptr inbounds double, ptr {saved}, i64 {offset}")
    new, old = w.load(new_at, w.wide), w.load(old_at, w.wide)
    w.store(new_at, w.wide, w.assign(f"select {B} {mask}, {F} {new}, {F} {old}"))
    w.put(f"{following} = add i64 {k}, 1")
    more = w.assign(f"icmp ult i64 {following}, {size}")
    w.put(f"br i1 {more}, label %{start}, label %{after}")
    w.lines.append(f"{after}:")
