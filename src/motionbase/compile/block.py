"""A straight-line block in single-assignment form, and the values that build it with ordinary Python operators."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, final

from motionbase.compile.ops import Op, Type
from motionbase.errors import KernelError

Immediate = float | int | str | tuple[int, int] | None
WORD = (1 << 64) - 1


class Instruction(NamedTuple):
    """One operation; its arguments are the positions of earlier instructions in the same block."""

    op: Op
    args: tuple[int, ...]
    imm: Immediate = None


@final
@dataclass(frozen=True)
class Block:
    """Instructions in execution order; `result` is the value that a maths function returns."""

    instructions: tuple[Instruction, ...]
    result: int | None = None

    def __len__(self) -> int:
        return len(self.instructions)


@final
class Value:
    """A value inside a block under construction; operators append instructions."""

    __slots__ = ("builder", "index", "type")

    def __init__(self, builder: Builder, index: int, type: Type) -> None:
        self.builder, self.index, self.type = builder, index, type

    def _arithmetic(self, op_float: Op, op_word: Op | None, other: Operand, swap: bool = False) -> Value:
        op = op_float if self.type is Type.F else op_word
        if op is None:
            raise KernelError(f"{op_float.label} is not defined for words")
        rhs = self.builder.lift(other, self.type)
        return self.builder.emit(op, rhs, self) if swap else self.builder.emit(op, self, rhs)

    def __add__(self, other: Operand) -> Value:
        return self._arithmetic(Op.ADD, Op.IADD, other)

    def __radd__(self, other: Operand) -> Value:
        return self._arithmetic(Op.ADD, Op.IADD, other, swap=True)

    def __sub__(self, other: Operand) -> Value:
        return self._arithmetic(Op.SUB, Op.ISUB, other)

    def __rsub__(self, other: Operand) -> Value:
        return self._arithmetic(Op.SUB, Op.ISUB, other, swap=True)

    def __mul__(self, other: Operand) -> Value:
        return self._arithmetic(Op.MUL, Op.IMUL, other)

    def __rmul__(self, other: Operand) -> Value:
        return self._arithmetic(Op.MUL, Op.IMUL, other, swap=True)

    def __truediv__(self, other: Operand) -> Value:
        return self._arithmetic(Op.DIV, None, other)

    def __rtruediv__(self, other: Operand) -> Value:
        return self._arithmetic(Op.DIV, None, other, swap=True)

    def __neg__(self) -> Value:
        return self.builder.emit(Op.NEG, self)

    def __lt__(self, other: Operand) -> Value:
        return self._arithmetic(Op.LT, None, other)

    def __le__(self, other: Operand) -> Value:
        return self._arithmetic(Op.LE, None, other)

    def __gt__(self, other: Operand) -> Value:
        return self._arithmetic(Op.LT, None, other, swap=True)

    def __ge__(self, other: Operand) -> Value:
        return self._arithmetic(Op.LE, None, other, swap=True)

    def equals(self, other: Operand) -> Value:
        """Truth value of self == other (doubles or words); `==` itself remains Python's identity."""
        return self._arithmetic(Op.EQ, Op.IEQ, other)

    def differs(self, other: Operand) -> Value:
        """Truth value of self != other (doubles); true if either is NaN."""
        return self._arithmetic(Op.NE, None, other)

    def __and__(self, other: Operand) -> Value:
        op = Op.AND if self.type is Type.B else Op.IAND
        return self.builder.emit(op, self, self.builder.lift(other, self.type))

    def __or__(self, other: Operand) -> Value:
        op = Op.OR if self.type is Type.B else Op.IOR
        return self.builder.emit(op, self, self.builder.lift(other, self.type))

    def __xor__(self, other: Operand) -> Value:
        return self.builder.emit(Op.IXOR, self, self.builder.lift(other, self.type))

    def __invert__(self) -> Value:
        return self.builder.emit(Op.NOT, self)

    def __lshift__(self, count: int) -> Value:
        return self.builder.emit(Op.SHL, self, imm=count)

    def __rshift__(self, count: int) -> Value:
        return self.builder.emit(Op.SHR, self, imm=count)

    def bits(self) -> Value:
        """The 64-bit pattern of a double."""
        return self.builder.emit(Op.BITS, self)

    def from_bits(self) -> Value:
        """The double with this 64-bit pattern."""
        return self.builder.emit(Op.FROM_BITS, self)


Operand = Value | float | int


@final
class Builder:
    """Appends instructions to a block; equal pure instructions are shared (value numbering)."""

    def __init__(self) -> None:
        self.instructions: list[Instruction] = []
        self._known: dict[tuple[object, ...], int] = {}
        self.kept: dict[int, int] = {}  # in the finished block: new positions of the remaining instructions

    def emit(self, op: Op, *args: Value, imm: Immediate = None) -> Value:
        """Append an instruction (or find an equal one) and return its value."""
        wanted, result = op.signature
        got = "".join(a.type.value for a in args)
        if op is not Op.CALL and got != wanted:
            raise KernelError(f"{op.label} takes arguments {wanted!r}, not {got!r}")
        instruction = Instruction(op, tuple(a.index for a in args), imm)
        # -0.0 == 0.0 as dictionary keys, so constants are distinguished by their bits
        key = (op, instruction.args, struct.pack("<d", imm) if op is Op.CONST else imm)
        index = None if op.has_effect else self._known.get(key)
        if index is None:
            index = len(self.instructions)
            self.instructions.append(instruction)
            if not op.has_effect:
                self._known[key] = index
        return Value(self, index, Type(result) if result else Type.F)

    def lift(self, operand: Operand, type: Type) -> Value:
        """A Python number as a constant of the given type; a value is returned unchanged."""
        if isinstance(operand, Value):
            return operand
        if type is Type.I:
            return self.emit(Op.ICONST, imm=int(operand) & WORD)
        return self.constant(float(operand))

    def constant(self, number: float) -> Value:
        """A double constant."""
        return self.emit(Op.CONST, imm=float(number))

    def word(self, number: int) -> Value:
        """A 64-bit word constant (taken modulo 2**64)."""
        return self.emit(Op.ICONST, imm=number & WORD)

    def argument(self, k: int) -> Value:
        """The k-th argument of a maths function."""
        return self.emit(Op.ARG, imm=k)

    def call(self, function: str, *args: Value) -> Value:
        """Call one of our maths functions by name."""
        return self.emit(Op.CALL, *args, imm=function)

    def load(self, port: int, offset: int) -> Value:
        """Element `offset` of port number `port`."""
        return self.emit(Op.LOAD, imm=(port, offset))

    def store(self, port: int, offset: int, value: Value) -> None:
        """Write element `offset` of port number `port`."""
        self.emit(Op.STORE, value, imm=(port, offset))

    def block(self, result: Value | None = None) -> Block:
        """The finished block without unused instructions."""
        whole = Block(tuple(self.instructions), None if result is None else result.index)
        kept = _wanted(whole)
        self.kept = {old: new for new, old in enumerate(kept)}
        return in_order(whole, kept)


def in_order(block: Block, order: Sequence[int]) -> Block:
    """The block with the given instructions, in this order."""
    place = {old: new for new, old in enumerate(order)}
    chosen = (block.instructions[old] for old in order)
    instructions = tuple(Instruction(op, tuple(place[a] for a in args), imm) for op, args, imm in chosen)
    return Block(instructions, None if block.result is None else place[block.result])


def _wanted(block: Block) -> list[int]:
    """Positions of instructions that store or return a value, and of those they depend on."""
    wanted = set[int]() if block.result is None else {block.result}
    for position in range(len(block) - 1, -1, -1):
        op, args, _ = block.instructions[position]
        if position in wanted or op in (Op.STORE, Op.STORE_AT):
            wanted |= {position, *args}
    return sorted(wanted)


def used(block: Block) -> Block:
    """The block without unused instructions."""
    return in_order(block, _wanted(block))


def with_loads_first(block: Block) -> Block:
    """The same block with its loads moved before all computation, as far as no store comes between."""
    order, loads, rest = list[int](), list[int](), list[int]()
    for k, (op, _, _) in enumerate(block.instructions):
        (loads if op is Op.LOAD else rest).append(k)
        if op in (Op.STORE, Op.STORE_AT):
            order += loads + rest
            loads, rest = [], []
    order += loads + rest
    return in_order(block, order)


def select(condition: Value, if_true: Operand, if_false: Operand) -> Value:
    """`if_true` if the condition holds, else `if_false`; both sides are computed, without a branch."""
    builder = condition.builder
    typed: Sequence[Value] = [v for v in (if_true, if_false) if isinstance(v, Value)]
    type = typed[0].type if typed else Type.F
    op = Op.ISELECT if type is Type.I else Op.SELECT
    return builder.emit(op, condition, builder.lift(if_true, type), builder.lift(if_false, type))


def sqrt(x: Value) -> Value:
    """Square root, correctly rounded."""
    return x.builder.emit(Op.SQRT, x)


def absolute(x: Value) -> Value:
    """|x|, exact, also for -0 and NaN."""
    return x.builder.emit(Op.ABS, x)


def copysign(magnitude: Value, sign: Value) -> Value:
    """The magnitude of the first argument with the sign bit of the second."""
    return magnitude.builder.emit(Op.COPYSIGN, magnitude, sign)


def floor(x: Value) -> Value:
    """Largest whole number not above x."""
    return x.builder.emit(Op.FLOOR, x)


def ceil(x: Value) -> Value:
    """Smallest whole number not below x."""
    return x.builder.emit(Op.CEIL, x)


def fmod(x: Value, y: Value) -> Value:
    """Exact remainder of x / y with the sign of x (C's fmod)."""
    return x.builder.emit(Op.FMOD, x, y)
