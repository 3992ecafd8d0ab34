"""What a compiler may make of a block under contraction: products and sums fused into one rounding."""

from fractions import Fraction

import numpy as np

from motionbase.compile.block import Block
from motionbase.compile.ops import Op
from motionbase.compile.render.python import PYTHON_FOR_OP
from tests.compile.ulp import Array


def fused(a: Array, b: Array, c: Array) -> Array:
    """a b + c rounded once; a zero keeps the sign IEEE 754 gives it (no products here underflow)."""
    exact = [Fraction(p) * Fraction(q) + Fraction(r) for p, q, r in zip(a, b, c, strict=True)]
    return np.array([float(e) if e else p * q + r for e, p, q, r in zip(exact, a, b, c, strict=True)])


def contracted(block: Block, x: Array) -> Array:
    """The block with every product that is added or subtracted fused: what a compiler may do under contraction."""
    v: list[Array] = []
    for op, args, imm in block.instructions:
        products = [k for k in args if op in (Op.ADD, Op.SUB) and block.instructions[k].op is Op.MUL]
        if op is Op.ARG:
            v.append(x)
        elif op in (Op.CONST, Op.ICONST):
            v.append(np.full(len(x), imm, dtype=np.float64 if op is Op.CONST else np.uint64))
        elif products:
            p, q = (v[k] for k in block.instructions[products[-1]].args)
            first, second = args
            if products[-1] == second:
                v.append(fused(p if op is Op.ADD else -p, q, v[first]))
            else:
                v.append(fused(p, q, v[second] if op is Op.ADD else -v[second]))
        else:
            count = (imm,) if op in (Op.SHL, Op.SHR) else ()
            v.append(PYTHON_FOR_OP[op](*(v[k] for k in args), *count))
    assert block.result is not None
    return v[block.result]
