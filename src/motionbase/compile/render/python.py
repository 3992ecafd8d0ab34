"""The living definition of every op: an interpreter over NumPy arrays, one array element per scenario."""

from collections.abc import Callable, Sequence

import numpy as np

from motionbase.arrays import AnyArray, Array
from motionbase.compile.block import Block
from motionbase.compile.maths import MATHS
from motionbase.compile.ops import Op
from motionbase.compile.routine import Address, Call, Copy, Loop, Routine, Statement
from motionbase.errors import UnsupportedOp


def _shift(left: bool) -> Callable[..., AnyArray]:
    def apply(x: AnyArray, count: int) -> AnyArray:
        shifted: AnyArray = np.left_shift(x, np.uint64(count)) if left else np.right_shift(x, np.uint64(count))
        return shifted

    return apply


# arguments are arrays of float64, uint64 or bool; NumPy's +, -, *, / and sqrt round as IEEE 754 requires
PYTHON_FOR_OP: dict[Op, Callable[..., AnyArray]] = {
    Op.ADD: np.add,
    Op.SUB: np.subtract,
    Op.MUL: np.multiply,
    Op.DIV: np.divide,
    Op.SQRT: np.sqrt,
    Op.NEG: np.negative,
    Op.ABS: np.fabs,
    Op.COPYSIGN: np.copysign,
    Op.FLOOR: np.floor,
    Op.CEIL: np.ceil,
    Op.FMOD: np.fmod,
    Op.LT: np.less,
    Op.LE: np.less_equal,
    Op.EQ: np.equal,
    Op.NE: np.not_equal,
    Op.AND: np.logical_and,
    Op.OR: np.logical_or,
    Op.NOT: np.logical_not,
    Op.SELECT: np.where,
    Op.BITS: lambda x: x.view(np.uint64),
    Op.FROM_BITS: lambda x: x.view(np.float64),
    Op.IADD: np.add,
    Op.ISUB: np.subtract,
    Op.IMUL: np.multiply,
    Op.IAND: np.bitwise_and,
    Op.IOR: np.bitwise_or,
    Op.IXOR: np.bitwise_xor,
    Op.SHL: _shift(left=True),
    Op.SHR: _shift(left=False),
    Op.IEQ: np.equal,
    Op.ISELECT: np.where,
}
_WITH_COUNT = (Op.SHL, Op.SHR)
Path = tuple[tuple[Statement, int], ...]  # calls, loops with the index, switches with the case (-1: default)


class Observer:
    """Receives the interpreter's events; a subclass overrides those it needs."""

    def entered(self, routine: Routine, arrays: list[Array], path: Path) -> None:
        """A routine starts."""

    def ran(self, routine: Routine, block: Block, buffers: Sequence[Array], values: list[AnyArray], path: Path) -> None:
        """A block has run: the value of each of its instructions (empty for a store)."""

    def copied(self, routine: Routine, statement: Copy, source: Array, target: Array, path: Path) -> None:
        """Numbers were copied."""


def evaluate(block: Block, arguments: Sequence[Array]) -> Array:
    """The result of a maths function's block for one-dimensional arrays of arguments of equal length."""
    with np.errstate(all="ignore"):
        values = _run_block(block, "maths", [], (), arguments, len(arguments[0]))
    assert block.result is not None
    return values[block.result].astype(np.float64, copy=False)


def run(routine: Routine, arrays: list[Array], observe: Observer | None = None) -> None:
    """Run a routine on arrays of shape (size, batch): inputs are read, outputs and memory are written."""
    batch = arrays[0].shape[1] if arrays else 1
    with np.errstate(all="ignore"):
        _run(routine, arrays, batch, observe, ())


def _run(routine: Routine, arrays: list[Array], batch: int, observe: Observer | None, path: Path) -> None:
    if observe:
        observe.entered(routine, arrays, path)
    buffers = list(arrays)
    for buffer in routine.buffers:
        data = np.full(buffer.size, np.nan) if buffer.data is None else np.array(buffer.data)
        buffers.append(np.repeat(data[:, None], batch, axis=1))
    _run_body(routine, routine.body, buffers, {}, batch, observe, path)


def _run_body(
    routine: Routine,
    body: tuple[Statement, ...],
    buffers: list[Array],
    indices: dict[int, int],
    batch: int,
    observe: Observer | None,
    path: Path,
) -> None:
    def place(address: Address, size: int) -> Array:
        start = address.offset + sum(indices[number] * stride for number, stride in address.strides)
        return buffers[address.buffer][start : start + size]

    for statement in body:
        if isinstance(statement, Block):
            values = _run_block(statement, routine.name, buffers, routine.tables, (), batch)
            if observe:
                observe.ran(routine, statement, buffers, values, path)
        elif isinstance(statement, Call):
            callee = statement.routine
            passed = [place(a, arg.size) for a, arg in zip(statement.addresses, callee.arguments, strict=True)]
            _run(callee, passed, batch, observe, (*path, (statement, 0)))
        elif isinstance(statement, Copy):
            source, target = place(statement.source, statement.size), place(statement.target, statement.size)
            target[:] = source
            if observe:
                observe.copied(routine, statement, source, target, path)
        elif isinstance(statement, Loop):
            for k in range(0 if statement.after is None else indices[statement.after] + 1, statement.count):
                inner = {**indices, statement.number: k}
                _run_body(routine, statement.body, buffers, inner, batch, observe, (*path, (statement, k)))
        else:
            selector = place(statement.selector, 1)[0].copy()
            case_of = np.full(batch, -1)
            cases = dict(statement.cases)
            for k in cases:
                case_of[selector == k] = k
            for k in np.unique(case_of):
                chosen = np.flatnonzero(case_of == k)
                case = cases.get(int(k), statement.default)
                here = (*path, (statement, int(k)))
                if len(chosen) == batch:
                    _run_body(routine, case, buffers, indices, batch, observe, here)
                    continue
                some = [b[:, chosen] for b in buffers]  # only the scenarios of this case
                _run_body(routine, case, some, indices, len(chosen), observe, here)
                for whole, part in zip(buffers, some, strict=True):
                    if whole.flags.writeable:
                        whole[:, chosen] = part


def _run_block(
    block: Block,
    kernel: str,
    buffers: Sequence[Array],
    tables: Sequence[Sequence[float]],
    arguments: Sequence[Array],
    batch: int,
) -> list[AnyArray]:
    """Run a block; returns the value of every instruction."""
    values: list[AnyArray] = []
    everyone = np.arange(batch)
    nothing: AnyArray = np.empty(0)
    for op, args, imm in block.instructions:
        a = [values[k] for k in args]
        value = nothing
        if op in PYTHON_FOR_OP:
            value = PYTHON_FOR_OP[op](*a, *((imm,) if op in _WITH_COUNT else ()))
        elif op is Op.CONST:
            value = np.full(batch, imm, dtype=np.float64)
        elif op is Op.ICONST:
            value = np.full(batch, imm, dtype=np.uint64)
        elif op is Op.ARG:
            assert isinstance(imm, int)
            value = np.ascontiguousarray(arguments[imm], dtype=np.float64)
        elif op is Op.LOAD:
            assert isinstance(imm, tuple)
            value = buffers[imm[0]][imm[1]].copy()
        elif op is Op.STORE:
            assert isinstance(imm, tuple)
            buffers[imm[0]][imm[1]] = a[0]
        elif op is Op.LOAD_AT:
            assert isinstance(imm, int)
            value = buffers[imm][a[0].astype(np.int64), everyone]
        elif op is Op.STORE_AT:
            assert isinstance(imm, int)
            buffers[imm][a[0].astype(np.int64), everyone] = a[1]
        elif op is Op.TABLE:
            assert isinstance(imm, int)
            value = np.array(tables[imm])[a[0].astype(np.int64)]
        elif op is Op.CALL and imm in MATHS:
            function = MATHS[str(imm)].block
            assert function.result is not None
            value = _run_block(function, str(imm), (), (), [x.view(np.float64) for x in a], batch)[function.result]
        else:
            raise UnsupportedOp(str(imm) if op is Op.CALL else op.label, kernel, "python")
        values.append(value)
    return values
