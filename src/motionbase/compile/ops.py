"""The few operations that every target renders: IEEE-754 arithmetic, bit operations, selects and memory access.

A leaf kernel (CasADi SX) and our own maths are both lowered to these; a renderer is a table with one entry per op.
Each op is exact or correctly rounded by IEEE 754, so every target gives the same bits (a NaN is a NaN: its sign and
payload are not specified).
"""

from enum import Enum
from typing import NamedTuple


class Type(Enum):
    """The type of a value: a double, a 64-bit word that wraps around, or a truth value."""

    F = "f"
    I = "i"
    B = "b"


class Signature(NamedTuple):
    """Types of the arguments and of the result (None: the op only stores)."""

    arguments: str
    result: str | None


class Op(Enum):
    """Every operation, with its signature; `f` double, `i` 64-bit word, `b` truth value."""

    # constants and arguments (the value is the instruction's immediate)
    CONST = "const", "", "f"
    ICONST = "iconst", "", "i"
    ARG = "arg", "", "f"  # the k-th argument of a maths function
    # arithmetic, correctly rounded
    ADD = "add", "ff", "f"
    SUB = "sub", "ff", "f"
    MUL = "mul", "ff", "f"
    DIV = "div", "ff", "f"
    SQRT = "sqrt", "f", "f"
    # exact
    NEG = "neg", "f", "f"
    ABS = "abs", "f", "f"
    COPYSIGN = "copysign", "ff", "f"
    FLOOR = "floor", "f", "f"
    CEIL = "ceil", "f", "f"
    FMOD = "fmod", "ff", "f"  # C's fmod: exact in every library that follows IEEE 754
    # comparisons are false when either side is NaN, except NE
    LT = "lt", "ff", "b"
    LE = "le", "ff", "b"
    EQ = "eq", "ff", "b"
    NE = "ne", "ff", "b"
    AND = "and", "bb", "b"
    OR = "or", "bb", "b"
    NOT = "not", "b", "b"
    SELECT = "select", "bff", "f"
    # words: two's complement, wrapping; shifts by an immediate count of 0 to 63
    BITS = "bits", "f", "i"
    FROM_BITS = "from_bits", "i", "f"
    IADD = "iadd", "ii", "i"
    ISUB = "isub", "ii", "i"
    IMUL = "imul", "ii", "i"
    IAND = "iand", "ii", "i"
    IOR = "ior", "ii", "i"
    IXOR = "ixor", "ii", "i"
    SHL = "shl", "i", "i"
    SHR = "shr", "i", "i"  # logical: zeros come in from the left
    IEQ = "ieq", "ii", "b"
    ISELECT = "iselect", "bii", "i"
    # memory; the immediate is (port, offset), the port, or the table
    LOAD = "load", "", "f"
    STORE = "store", "f", None
    LOAD_AT = "load_at", "i", "f"
    STORE_AT = "store_at", "if", None
    TABLE = "table", "i", "f"
    # a maths function by name (the immediate); it has as many arguments as the function
    CALL = "call", "", "f"

    def __init__(self, label: str, arguments: str, result: str | None) -> None:
        self.label = label
        self.signature = Signature(arguments, result)

    @property
    def has_effect(self) -> bool:
        """True for ops that write memory or read what another op may have written."""
        return self in (Op.STORE, Op.STORE_AT, Op.LOAD_AT)
