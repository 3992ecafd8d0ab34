"""The living definition of every op: an interpreter over NumPy arrays, one array element a scenario."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from motionbase.compile.block import Block
from motionbase.compile.ops import Op

Array = NDArray[np.float64]
Any1 = NDArray[np.generic]


def _shift(left: bool) -> Callable[..., Any1]:
    def apply(x: Any1, count: int) -> Any1:
        shifted: Any1 = np.left_shift(x, np.uint64(count)) if left else np.right_shift(x, np.uint64(count))
        return shifted

    return apply


# arguments as arrays of float64, uint64 or bool; NumPy's +, -, *, / and sqrt round as IEEE 754 says
PYTHON_FOR_OP: dict[Op, Callable[..., Any1]] = {
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


def evaluate(block: Block, arguments: Sequence[Array]) -> Array:
    """The result of a maths function's block for one-dimensional arrays of arguments of equal length."""
    batch = len(arguments[0])
    values: list[Any1] = []
    with np.errstate(all="ignore"):
        for op, args, imm in block.instructions:
            if op is Op.ARG:
                values.append(np.ascontiguousarray(arguments[int(imm)], dtype=np.float64))  # type: ignore[arg-type]
            elif op is Op.CONST:
                values.append(np.full(batch, imm, dtype=np.float64))
            elif op is Op.ICONST:
                values.append(np.full(batch, imm, dtype=np.uint64))
            else:
                extra = (imm,) if op in _WITH_COUNT else ()
                values.append(PYTHON_FOR_OP[op](*(values[a] for a in args), *extra))
    assert block.result is not None
    return values[block.result].astype(np.float64, copy=False)
