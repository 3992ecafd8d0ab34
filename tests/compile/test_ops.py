"""Every basic operation on every target, to the bit, and against integers and fractions."""

import math
import struct
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motionbase.compile import Port, Primitive
from motionbase.compile.block import Builder, Value, select
from motionbase.compile.ops import Op
from motionbase.errors import KernelError
from tests.compile.on_targets import EDGES, TARGETS, assert_all_targets, assert_same_bits, on_python, on_target, product

WORD = (1 << 64) - 1
MAGIC = 2.0**52
COUNTS = (0, 1, 31, 52, 63)


def basic_primitive() -> Primitive:
    """One output for every basic op of two doubles (words by their bits), in the order of `basic_results`."""
    b = Builder()
    x, y = b.load(0, 0), b.load(1, 0)
    i, j = x.bits(), y.bits()
    results: list[tuple[str, Value]] = []
    for op in Op:
        kinds = op.signature.arguments
        if op in (Op.SHL, Op.SHR):
            results += [(f"{op.label}_{n}", b.emit(op, i, imm=n)) for n in COUNTS]
        elif op is Op.SELECT:
            results.append((op.label, b.emit(op, x < y, x, y)))
        elif op is Op.ISELECT:
            results.append((op.label, b.emit(op, x < y, i, j)))
        elif kinds in ("f", "ff"):
            if op is not Op.STORE:
                results.append((op.label, b.emit(op, *(x, y)[: len(kinds)])))
        elif kinds in ("i", "ii") and op not in (Op.LOAD_AT, Op.TABLE):
            results.append((op.label, b.emit(op, *(i, j)[: len(kinds)])))
        elif kinds in ("b", "bb"):
            results.append((op.label, b.emit(op, *(x < y, x.equals(x))[: len(kinds)])))
    ports: list[Port] = []
    for name, value in results:
        if value.type.value == "i":  # two halves as whole doubles: a word may be the bits of a NaN
            exponent = b.constant(MAGIC).bits()
            halves = [((part | exponent).from_bits() - MAGIC) for part in (value & 0xFFFFFFFF, value >> 32)]
        else:
            halves = [select(value, 1.0, 0.0) if value.type.value == "b" else value]
        for k, half in enumerate(halves):
            b.store(2 + len(ports), 0, half)
            ports.append(Port(f"o_{name}{'' if k == 0 else '_high'}"))
    return Primitive("basic", (Port("x"), Port("y")), tuple(ports), (), b)


BASIC = basic_primitive()


def bits(x: float) -> int:
    return int(struct.unpack("<Q", struct.pack("<d", x))[0])


def exactly(operation: Callable[[Fraction, Fraction], Fraction]) -> Callable[[float, float], float | None]:
    """Exact in fractions, then rounded once: to nearest, ties to even (Python's own division of integers)."""

    def apply(x: float, y: float) -> float | None:
        if not (math.isfinite(x) and math.isfinite(y)):
            return None
        try:
            exact = operation(Fraction(x), Fraction(y))
        except ZeroDivisionError:
            return None
        try:
            return float(exact) if exact else None  # the sign of a zero is another rule
        except OverflowError:
            return math.inf if exact > 0 else -math.inf

    return apply


def root(x: float, _: float) -> float | None:
    """The root by integers: floor(sqrt(x 2^k)) with more than 53 bits, and a sticky bit, rounded once."""
    if not math.isfinite(x) or x <= 0:
        return None if x == 0 else math.nan if x < 0 or math.isnan(x) else x
    whole = Fraction(x) * 4**700
    r = math.isqrt(int(whole))
    return float(Fraction(2 * r + (r * r != whole), 2 * 2**700))


def whole_below(x: float, _: float) -> float:
    return math.copysign(float(math.floor(x)), x) if math.isfinite(x) else x


def whole_above(x: float, _: float) -> float:
    return math.copysign(float(math.ceil(x)), x) if math.isfinite(x) else x


def c_fmod(x: float, y: float) -> float:
    if math.isnan(x) or math.isnan(y) or math.isinf(x) or y == 0:
        return math.nan
    if math.isinf(y):
        return x
    return math.copysign(float(abs(Fraction(x)) % abs(Fraction(y))), x)


# what each op must give, from integers and fractions alone; None: not decided by this reference
MEANING: dict[str, Callable[[float, float], float | int | bool | None]] = {
    "add": exactly(lambda x, y: x + y),
    "sub": exactly(lambda x, y: x - y),
    "div": exactly(lambda x, y: x / y),
    "sqrt": root,
    "neg": lambda x, y: struct.unpack("<d", struct.pack("<Q", bits(x) ^ 1 << 63))[0],
    "abs": lambda x, y: struct.unpack("<d", struct.pack("<Q", bits(x) & (1 << 63) - 1))[0],
    "copysign": math.copysign,
    "floor": whole_below,
    "ceil": whole_above,
    "fmod": c_fmod,
    "lt": lambda x, y: x < y,
    "le": lambda x, y: x <= y,
    "eq": lambda x, y: x == y,
    "ne": lambda x, y: x != y,
    "and": lambda x, y: x < y and x == x,
    "or": lambda x, y: x < y or x == x,
    "not": lambda x, y: not x < y,
    "select": lambda x, y: x if x < y else y,
    "bits": lambda x, y: bits(x),
    "from_bits": lambda x, y: x,
    "iadd": lambda x, y: bits(x) + bits(y) & WORD,
    "isub": lambda x, y: bits(x) - bits(y) & WORD,
    "imul": lambda x, y: bits(x) * bits(y) & WORD,
    "iand": lambda x, y: bits(x) & bits(y),
    "ior": lambda x, y: bits(x) | bits(y),
    "ixor": lambda x, y: bits(x) ^ bits(y),
    "ieq": lambda x, y: bits(x) == bits(y),
    "iselect": lambda x, y: bits(x) if x < y else bits(y),
    **{f"shl_{n}": lambda x, y, n=n: bits(x) << n & WORD for n in COUNTS},  # type: ignore[misc]
    **{f"shr_{n}": lambda x, y, n=n: bits(x) >> n for n in COUNTS},  # type: ignore[misc]
}


def test_every_basic_op_is_here() -> None:
    """Loads, stores, constants, tables and calls have no value of their own to compare; all else is an output."""
    elsewhere = {Op.CONST, Op.ICONST, Op.ARG, Op.LOAD, Op.STORE, Op.LOAD_AT, Op.STORE_AT, Op.TABLE, Op.CALL}
    labels = {p.name[2:].removesuffix("_high") for p in BASIC.outputs}
    shifts = {f"{op}_{n}" for op in ("shl", "shr") for n in COUNTS}
    assert labels == {op.label for op in Op if op not in elsewhere} - {"shl", "shr"} | shifts
    assert labels - {"mul"} == set(MEANING)


def test_basic_ops_mean_what_integers_and_fractions_say() -> None:
    x, y = product(EDGES, EDGES)
    got = on_python(BASIC, {"x": x, "y": y})
    for name, meaning in {**MEANING, "mul": exactly(lambda a, b: a * b)}.items():
        low, high = got[f"o_{name}"], got.get(f"o_{name}_high")
        decided = 0
        for k in range(len(x)):
            wanted = meaning(float(x[k]), float(y[k]))
            if wanted is None:
                continue
            decided += 1
            value = float(low[k]) if high is None else int(low[k]) + (int(high[k]) << 32)
            same = value == wanted and math.copysign(1, value) == math.copysign(1, wanted)
            same |= value != value and wanted != wanted
            assert same, f"{name}({x[k]!r}, {y[k]!r}) = {value!r}, not {wanted!r}"
        assert decided > 1000, name  # of 3481 pairs


def test_special_values_of_arithmetic() -> None:
    """IEEE 754-2019, section 6: infinities, signed zeros, NaN."""
    inf, nan = math.inf, math.nan
    rules = [
        ("add", 0.0, -0.0, 0.0), ("add", -0.0, -0.0, -0.0), ("add", inf, -inf, nan), ("add", 1.0, -1.0, 0.0),
        ("sub", 0.0, 0.0, 0.0), ("sub", -0.0, 0.0, -0.0), ("sub", inf, inf, nan), ("mul", 0.0, inf, nan),
        ("mul", -0.0, 2.0, -0.0), ("mul", -inf, -2.0, inf), ("mul", 5e-324, 0.5, 0.0), ("mul", -5e-324, 0.5, -0.0),
        ("div", 1.0, -0.0, -inf), ("div", 0.0, 0.0, nan), ("div", inf, inf, nan), ("div", -1.0, inf, -0.0),
        ("sqrt", -0.0, 0.0, -0.0), ("sqrt", inf, 0.0, inf), ("sqrt", -1.0, 0.0, nan), ("add", nan, 1.0, nan),
    ]  # fmt: skip
    got = on_python(BASIC, {"x": np.array([r[1] for r in rules]), "y": np.array([r[2] for r in rules])})
    for k, (op, x, y, wanted) in enumerate(rules):
        value = float(got[f"o_{op}"][k])
        assert struct.pack("<d", value) == struct.pack("<d", wanted) or value != value and wanted != wanted, (op, x, y)


@pytest.mark.parametrize("target", TARGETS)
def test_basic_ops_on_every_target(target: str) -> None:
    x, y = product(EDGES, EDGES)
    assert_same_bits(on_target(target, BASIC, {"x": x, "y": y}), on_python(BASIC, {"x": x, "y": y}), target)


words = st.integers(0, WORD).map(lambda w: struct.unpack("<d", struct.pack("<Q", w))[0])  # any bits: NaNs with payloads
doubles = st.one_of(words, st.floats(), st.floats(-4, 4), st.integers(-(2**54), 2**54).map(float))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(doubles, doubles), min_size=16, max_size=16))
def test_basic_ops_on_random_doubles(pairs: list[tuple[float, float]]) -> None:
    x, y = np.array(pairs).T
    assert_all_targets(BASIC, {"x": x, "y": y})


# ---- building blocks -----------------------------------------------------------------------------------------------


def test_builder_refuses_wrong_types() -> None:
    b = Builder()
    x = b.load(0, 0)
    with pytest.raises(KernelError, match="add takes arguments 'ff', not 'fb'"):
        b.emit(Op.ADD, x, x < x)
    with pytest.raises(KernelError, match="div is not defined for words"):
        _ = x.bits() / x.bits()
    with pytest.raises(KernelError, match="not takes arguments 'b', not 'f'"):
        _ = ~x


def test_builder_shares_equal_instructions_but_not_signed_zeros() -> None:
    b = Builder()
    x = b.load(0, 0)
    assert (x + 1.0).index == (x + 1.0).index
    assert b.constant(0.0).index != b.constant(-0.0).index
    assert b.constant(math.nan).index == b.constant(math.nan).index


def test_block_drops_what_nobody_reads() -> None:
    b = Builder()
    x = b.load(0, 0)
    _ = x * 3.0
    b.store(1, 0, x + 1.0)
    assert [i.op for i in b.block().instructions] == [Op.LOAD, Op.CONST, Op.ADD, Op.STORE]


def test_operators_build_the_right_op_for_doubles_and_words() -> None:
    """Reflected operators keep their order: 1 - x is not x - 1."""
    b = Builder()
    x = b.load(0, 0)
    w = x.bits()
    values = [1.0 - x, 2.0 / x, 3.0 + x, 4.0 * x, x > 5.0, x >= 6.0, x.differs(7.0), 8 - w, (w ^ 9) & 10 | 11]
    for k, v in enumerate(values):
        v = select(v, 1.0, 0.0) if v.type.value == "b" else v if v.type.value == "f" else v.from_bits()
        b.store(1, k, v)
    unit = Primitive("operators", (Port("x"),), (Port("y", len(values)),), (), b)
    got = assert_all_targets(unit, {"x": np.array([6.0])}, ("llvm1", "gcc"))["y"][0]
    word = [struct.pack("<Q", n & WORD) for n in (8 - bits(6.0), (bits(6.0) ^ 9) & 10 | 11)]
    assert got[:7].tolist() == [-5.0, 2.0 / 6.0, 9.0, 24.0, 1.0, 1.0, 1.0]
    assert [struct.pack("<d", v) for v in got[7:]] == word
