"""Origins of bad numbers in an interpreted run: every NaN or infinity is tracked from where it was produced.

The interpreter reports every block and copy. A bad result of an operation without a bad argument is a new origin; one
with bad arguments inherits the earliest of their origins, and a select that of the chosen side. Origins move with the
numbers through memory, by address, so what a later select discards never counts.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, final

import numpy as np

from motionbase.arrays import Array
from motionbase.compile.block import Block
from motionbase.compile.ops import Op
from motionbase.compile.port import Port
from motionbase.compile.render.python import Observer, Path
from motionbase.compile.routine import Call, Copy, Routine

Bad = Callable[[float], bool]  # math.isnan or math.isinf


@final
@dataclass(frozen=True, eq=False)
class Origin:
    """The first producer of a bad number.

    Attributes:
        number: sequence number in the run
        kind: an operation, a number from outside, or a constant
        place: for a number from outside, its port and element
        values: values of all instructions of the block
        before: for a NaN, the origin of the infinity that led to it
    """

    number: int
    kind: Literal["operation", "input", "constant"]
    place: str = ""
    routine: Routine | None = None
    block: Block | None = None
    instruction: int = 0
    values: tuple[float, ...] = ()
    path: Path = ()
    before: Origin | None = None

    @property
    def arguments(self) -> tuple[float, ...]:
        """Arguments of the operation."""
        assert self.block is not None
        return tuple(self.values[a] for a in self.block.instructions[self.instruction].args)

    @property
    def result(self) -> float:
        """The bad number."""
        return self.values[self.instruction] if self.values else math.nan

    def looks_like(self, other: Origin, depth: int) -> bool:
        """Whether it is the same operation on the same numbers, iterations and cases; compares paths below `depth`."""
        if self.block is None or other.block is None or len(self.path) != len(other.path) - depth:
            return False
        same = all(m == n for (_, m), (_, n) in zip(self.path, other.path[depth:], strict=True))
        mine, yours = self.block.instructions[self.instruction], other.block.instructions[other.instruction]
        return same and (mine.op, str(self.arguments)) == (yours.op, str(other.arguments))


@final
class Origins(Observer):
    """Observes a run of one scenario."""

    def __init__(self, bad: Bad) -> None:
        self.bad = bad
        self.made: list[Origin] = []  # all, in order
        self._at: dict[int, Origin] = {}  # by address
        self._kept: list[Array] = []  # these own the addresses
        self._here: dict[int, Origin] = {}  # of the current block, by instruction
        self._outermost: Routine | None = None
        self._earlier = Origins(_not_finite) if bad is math.isnan else None

    def given(self, ports: Iterable[Port], arrays: Sequence[Array], word: str) -> None:
        """Register bad numbers that come from outside."""
        for port, array in zip(ports, arrays, strict=True):
            for k in range(len(array)):
                if self.bad(float(array[k, 0])):
                    self._put(array, k, self._new(kind="input", place=f"{word} {port.element(k)}"))
        if self._earlier is not None:
            self._earlier.given(ports, arrays, word)

    def of(self, arrays: Iterable[Array]) -> list[Origin]:
        """Origins of all bad numbers in the arrays, earliest first."""
        found = {
            origin.number: origin
            for array in arrays
            for k in range(len(array))
            if self.bad(float(array[k, 0])) and (origin := self._at.get(_address(array, k))) is not None
        }
        return [found[number] for number in sorted(found)]

    def entered(self, routine: Routine, arrays: list[Array], path: Path) -> None:
        """Remember the first routine, which is the outermost."""
        if not path:
            self._outermost = routine

    def copied(self, routine: Routine, statement: Copy, source: Array, target: Array, path: Path) -> None:
        """Copy the origins along with the numbers."""
        if self._earlier is not None:
            self._earlier.copied(routine, statement, source, target, path)
        for k in range(len(source)):
            if self.bad(float(source[k, 0])):
                place = self._buffer_name(routine, statement.source.buffer, path)
                origin = self._at.get(_address(source, k)) or self._new(kind="constant", place=place, path=path)
                self._put(target, k, origin)

    def ran(self, routine: Routine, block: Block, buffers: Sequence[Array], values: list[Any], path: Path) -> None:
        """Determine the origins of a block's results."""
        if self._earlier is not None:
            self._earlier.ran(routine, block, buffers, values, path)
        here = self._here = dict[int, Origin]()
        if not any(v.dtype == np.float64 and v.size and self.bad(v[0]) for v in values):
            return
        numbers = tuple(float(v[0]) if v.dtype == np.float64 and v.size else 0.0 for v in values)
        for k, (op, args, imm) in enumerate(block.instructions):
            if op in (Op.STORE, Op.STORE_AT):
                if (origin := here.get(args[-1])) is not None:
                    self._put(*_target(buffers, op, imm, args, values), origin)
            elif self.bad(numbers[k]):
                came = self._came(op, imm, args, values, buffers)
                here[k] = came or self._new(**self._described(routine, block, k, numbers, path))

    def _came(self, op: Op, imm: Any, args: tuple[int, ...], values: list[Any], buffers: Sequence[Array]) -> Any:
        """The origin that a bad result inherits from an argument or from memory."""
        if op in (Op.LOAD, Op.LOAD_AT):
            return self._at.get(_address(*_target(buffers, op, imm, args, values)))
        if op is Op.SELECT:
            args = (args[1] if values[args[0]][0] else args[2],)
        return min((self._here[a] for a in args if a in self._here), key=lambda o: o.number, default=None)

    def _described(self, routine: Routine, block: Block, k: int, numbers: tuple[float, ...], path: Path) -> Any:
        op, args, imm = block.instructions[k]
        buffer: Any = imm[0] if isinstance(imm, tuple) else imm
        place, kind, before = "", "operation", None
        if op in (Op.CONST, Op.TABLE):
            kind, place = "constant", "" if op is Op.CONST else f"a value of table {routine.name!r}"
        elif op in (Op.LOAD, Op.LOAD_AT):
            kind, place = "constant", self._buffer_name(routine, buffer, path)
        elif self._earlier is not None:
            met = (self._earlier._here[a] for a in args if a in self._earlier._here)
            before = min(met, key=lambda o: o.number, default=None)
        return {
            "kind": kind, "place": place, "routine": routine, "block": block, "instruction": k, "values": numbers,
            "path": path, "before": before,
        }  # fmt: skip

    def _buffer_name(self, routine: Routine, buffer: int, path: Path) -> str:
        """A description of a buffer; an argument is a buffer of the caller, which is on the path."""
        own = buffer - len(routine.arguments)
        if own >= 0:
            name = re.sub(r"_\d+_$", "", routine.buffers[own].name)
            return f"{name!r} of program {routine.name!r}"
        argument = routine.arguments[buffer].name
        calls = [(k, s) for k, (s, _) in enumerate(path) if isinstance(s, Call)]
        if not calls or self._outermost is None:
            return f"{argument!r} of {routine.name!r}"
        k, call = calls[-1]
        caller = calls[-2][1].routine if len(calls) > 1 else self._outermost
        place = self._buffer_name(caller, call.addresses[buffer].buffer, path[:k])
        return f"{place}, port {argument!r} of {routine.name!r}"

    def _new(self, **what: Any) -> Origin:
        self.made.append(Origin(len(self.made), **what))
        return self.made[-1]

    def _put(self, array: Array, k: int, origin: Origin) -> None:
        self._kept.append(array)
        self._at[_address(array, k)] = origin


def _not_finite(x: float) -> bool:
    return not math.isfinite(x)


def _address(array: Array, k: int) -> int:
    first: int = array.__array_interface__["data"][0]
    return first + k * array.strides[0]


def _target(buffers: Sequence[Array], op: Op, imm: Any, args: tuple[int, ...], values: list[Any]) -> tuple[Array, int]:
    """The number that a load or a store accesses."""
    if op in (Op.LOAD, Op.STORE):
        return buffers[imm[0]], imm[1]
    return buffers[imm], int(values[args[0]][0])
