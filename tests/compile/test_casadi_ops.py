"""Every CasADi operation on every target, to the bit; and the interpreter against CasADi's own evaluation."""

from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motionbase.compile import Kernel, Port, Primitive
from motionbase.compile.block import Builder
from motionbase.compile.lower import OP_NAMES, RULES, steps_of
from motionbase.compile.maths import MATHS
from motionbase.errors import UnsupportedOp
from tests.compile.on_targets import (
    EDGES,
    TARGETS,
    Array,
    assert_all_targets,
    assert_same_bits,
    on_python,
    on_target,
    product,
)

EPS = float(np.finfo(float).eps)
BINARY = {
    getattr(ca, f"OP_{n.upper()}")
    for n in "add sub mul div fmod copysign fmin fmax lt le eq ne and or if_else_zero lift printme constpow "
    "atan2 pow hypot remainder".split()
}
NOT_IN_SX = {ca.OP_ASSIGN, ca.OP_LIFT}  # CasADi 3.8 folds these away before they reach a function's list
POWERS = (-2.5, -2.0, -1.0, -0.5, 1 / 3, 0.5, 1.5, 2.0, 3.0, 7.0)


def label(op: int) -> str:
    return "o_" + OP_NAMES[op][3:].lower()


def ports(*names: str) -> tuple[Port, ...]:
    return tuple(Port(name) for name in names)


UNARY_OPS = [op for op in RULES if op not in BINARY | NOT_IN_SX]
BINARY_OPS = [op for op in RULES if op in BINARY - NOT_IN_SX - {ca.OP_CONSTPOW}]
UNARY = Kernel(
    "unary",
    ports("x"),
    ports(*map(label, UNARY_OPS), *(f"o_power{k}" for k in range(len(POWERS)))),
    lambda x: [ca.SX.unary(op, x) for op in UNARY_OPS] + [x**p for p in POWERS],
)
BINARY_KERNEL = Kernel(
    "binary",
    ports("x", "y"),
    ports(*map(label, BINARY_OPS)),
    lambda x, y: [ca.SX.binary(op, x, y) for op in BINARY_OPS],
)
CHOICES = Kernel(
    "choices",
    ports("x", "y", "z"),
    (Port("o", 9),),
    lambda x, y, z: ca.vertcat(
        ca.if_else(x, y, z),
        ca.if_else(x < y, y, z),
        ca.if_else(ca.logic_and(x < y, ca.logic_not(y <= z)), x, z),
        ca.logic_or(x, y) + ca.logic_not(z),
        ca.conditional(ca.floor(x), [y, z], x),
        ca.fmin(ca.fmin(x, y), z),
        ca.fmax(x, ca.fmax(y, z)),
        ca.mmax(ca.vertcat(x, y, z)),
        ca.if_else(x == y, ca.if_else(y != z, 1, 2), 3),
    ),
)


def seen(kernel: Kernel) -> set[int]:
    return {step.op for step in steps_of(kernel.function, kernel.name)} - {ca.OP_INPUT, ca.OP_OUTPUT, ca.OP_CONST}


def test_every_rule_is_exercised() -> None:
    """A rule nobody can reach through SX is in NOT_IN_SX, and tested by itself below."""
    assert seen(UNARY) | seen(BINARY_KERNEL) | NOT_IN_SX == set(RULES)
    assert ca.OP_CONSTPOW in seen(UNARY)
    x, y = ca.SX.sym("x"), ca.SX.sym("y")
    for op in NOT_IN_SX:
        assert ca.SX.binary(op, x, y).is_leaf(), f"CasADi now keeps {OP_NAMES[op]}: test it like the others"


def test_every_maths_function_is_there() -> None:
    """Each rule that calls a maths function finds it."""
    for op, rule in RULES.items():
        b = Builder()
        arguments = [b.load(0, k) for k in range(2 if op in BINARY else 1)]
        b.store(1, 0, rule(*arguments))
        for instruction in b.block().instructions:
            if instruction.op.label == "call":
                assert instruction.imm in MATHS, f"{OP_NAMES[op]}: no maths function {instruction.imm!r}"


@pytest.mark.parametrize("op", sorted(NOT_IN_SX))
def test_rules_that_pass_their_first_argument_on(op: int) -> None:
    b = Builder()
    b.store(2, 0, RULES[op](*[b.load(k, 0) for k in range(2 if op in BINARY else 1)]))
    unit = Primitive("passes", ports("x", "y"), ports("o"), (), b)
    got = assert_all_targets(unit, {"x": EDGES, "y": EDGES[::-1]}, ("llvm1", "gcc"))
    assert_same_bits({"o": got["o"]}, {"o": EDGES}, "first argument")


@pytest.mark.parametrize("target", TARGETS)
def test_unary_ops(target: str) -> None:
    x = np.concatenate([EDGES, np.linspace(-9, 9, 301), np.geomspace(1e-9, 1e9, 100)])
    assert_same_bits(on_target(target, UNARY, {"x": x}), on_python(UNARY, {"x": x}), target)


@pytest.mark.parametrize("target", TARGETS)
def test_binary_ops(target: str) -> None:
    x, y = product(EDGES, EDGES)
    batch = {"x": x, "y": y}
    assert_same_bits(on_target(target, BINARY_KERNEL, batch), on_python(BINARY_KERNEL, batch), target)


@pytest.mark.parametrize("target", TARGETS)
def test_choices(target: str) -> None:
    some = np.array([0.0, -0.0, 1.0, 2.0, -1.5, np.nan, np.inf, -np.inf, 5e-324])
    batch = dict(zip("xyz", product(some, some, some), strict=True))
    assert_same_bits(on_target(target, CHOICES, batch), on_python(CHOICES, batch), target)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.floats(), st.one_of(st.floats(), st.floats(-30, 30))), min_size=16, max_size=16))
def test_ops_on_random_doubles(pairs: list[tuple[float, float]]) -> None:
    x, y = np.array(pairs).T
    assert_all_targets(UNARY, {"x": y})
    assert_all_targets(BINARY_KERNEL, {"x": x, "y": y})


# ---- the interpreter against CasADi --------------------------------------------------------------------------------


def by_casadi(kernel: Kernel, *arguments: Array) -> dict[str, Array]:
    """CasADi's own virtual machine, over the C library's maths."""
    function = kernel.function.map(len(arguments[0]))
    results = function.call([ca.DM(a).T for a in arguments])
    found = {}
    for port, result in zip(kernel.outputs, results, strict=True):
        values = np.array(result.full()).T
        found[port.name] = np.ascontiguousarray(values.reshape(len(arguments[0]), *port.dims))
    return found


def assert_like_casadi(got: Array, wanted: Array, tolerance: float, what: str, arguments: tuple[Array, ...]) -> None:
    """Same NaNs, infinities and signs; numbers within a relative tolerance."""
    with np.errstate(all="ignore"):
        near = np.abs(got - wanted) <= tolerance * np.abs(wanted)
        same = (got == wanted) | (np.isnan(got) & np.isnan(wanted)) | near
    signs = (np.signbit(got) == np.signbit(wanted)) | np.isnan(got)
    if what in ("o_fmin", "o_fmax"):  # C99 leaves the sign open when both are zeros
        signs |= (got == 0) & (wanted == 0)
    for k in np.flatnonzero(~(same & signs)):
        raise AssertionError(f"{what}{tuple(float(a[k]) for a in arguments)} = {got[k]!r}, CasADi says {wanted[k]!r}")


# the C library's functions are good to 2 ulp (glibc manual, errors in maths functions), ours to 1: 4 eps with margin.
# CasADi's own erfinv ends with Newton steps on erf(y) - x, which is only rounding noise close to +-1: 6e-5 off there.
TOLERANCE = {"o_erfinv": 1e-4}
EXACT = {
    label(getattr(ca, f"OP_{n.upper()}"))
    for n in "add sub mul div neg inv sq twice sqrt fabs floor ceil fmod copysign sign fmin fmax lt le eq ne not and "
    "or if_else_zero printme remainder".split()
}


def test_unary_ops_like_casadi() -> None:
    x = np.concatenate([EDGES, np.linspace(-9, 9, 301)])
    got, wanted = on_python(UNARY, {"x": x}), by_casadi(UNARY, x)
    for name in ("o_sin", "o_cos", "o_tan"):  # our documented range; beyond it a fault monitor shall see the NaN
        wanted[name][np.abs(x) > 2.0**27] = np.nan
    for port in UNARY.outputs:
        tolerance = 0.0 if port.name in EXACT else TOLERANCE.get(port.name, 4 * EPS)
        assert_like_casadi(got[port.name], wanted[port.name], tolerance, port.name, (x,))


def test_binary_ops_like_casadi(capfd: pytest.CaptureFixture[str]) -> None:
    x, y = product(EDGES, EDGES)
    got, wanted = on_python(BINARY_KERNEL, {"x": x, "y": y}), by_casadi(BINARY_KERNEL, x, y)
    for port in BINARY_KERNEL.outputs:
        tolerance = 0.0 if port.name in EXACT else 4 * EPS
        assert_like_casadi(got[port.name], wanted[port.name], tolerance, port.name, (x, y))
    capfd.readouterr()  # CasADi's printme prints


def test_choices_like_casadi() -> None:
    some = np.array([0.0, 1.0, 2.0, -1.5, np.nan, np.inf, 5e-324])
    x, y, z = product(some, some, some)
    got, wanted = on_python(CHOICES, {"x": x, "y": y, "z": z})["o"], by_casadi(CHOICES, x, y, z)["o"]
    for k in range(9):
        assert_like_casadi(got[:, k] + 0.0, wanted[:, k] + 0.0, 0.0, f"choice {k}", (x, y, z))


@pytest.mark.parametrize(
    ("op", "x", "y", "wanted"),
    [
        ("fmin", np.nan, 1.0, 1.0), ("fmin", 1.0, np.nan, 1.0), ("fmax", np.nan, -1.0, -1.0),
        ("fmax", 2.0, np.nan, 2.0), ("fmin", np.nan, np.nan, np.nan), ("fmax", -np.inf, np.nan, -np.inf),
        ("fmod", -7.5, 2.0, -1.5),
        ("fmod", 7.5, np.inf, 7.5), ("fmod", -4.0, 2.0, -0.0), ("fmod", 1.0, 0.0, np.nan),
        ("remainder", 7.5, 2.0, -0.5),
        ("remainder", 5.0, 2.0, 1.0), ("remainder", 7.0, 2.0, -1.0), ("copysign", np.nan, -1.0, np.nan),
        ("copysign", 2.0, -0.0, -2.0), ("if_else_zero", np.nan, 3.0, 3.0), ("if_else_zero", -0.0, np.nan, 0.0),
        ("and", np.nan, 1.0, 1.0), ("or", 0.0, -0.0, 0.0), ("ne", np.nan, np.nan, 1.0), ("eq", 0.0, -0.0, 1.0),
        ("le", np.nan, 1.0, 0.0), ("atan2", 0.0, -0.0, np.pi), ("atan2", -0.0, 0.0, -0.0), ("pow", np.nan, 0.0, 1.0),
        ("pow", 1.0, np.nan, 1.0), ("pow", -8.0, 1 / 3, np.nan), ("pow", -2.0, 3.0, -8.0),
        ("hypot", np.inf, np.nan, np.inf),
    ],
)  # fmt: skip
def test_chosen_meanings(op: str, x: float, y: float, wanted: float) -> None:
    """What C99 (annex F) says, whatever CasADi does."""
    got = on_python(BINARY_KERNEL, {"x": np.array([x]), "y": np.array([y])})[f"o_{op}"]
    assert_same_bits({"o": got}, {"o": np.array([wanted])}, op)


def test_the_sign_and_payload_of_a_nan_never_reach_a_number() -> None:
    """They are not specified, and compilers fold them differently: every NaN must give the same numbers."""
    words = [0x7FF8000000000000, 0xFFF8000000000000, 0x7FF0000000000001, 0xFFFFFFFFFFFFFFFF, 0x7FF80000000000FF]
    nans = np.array(words, dtype=np.uint64).view(np.float64)
    numbers = EDGES[~np.isnan(EDGES)]
    wanted = on_python(UNARY, {"x": nans[:1]})
    for k in range(1, len(nans)):
        got = on_python(UNARY, {"x": nans[k : k + 1]})
        assert_same_bits(got, wanted, f"NaN {words[k]:x}")
    for nan_first in (True, False):
        for k, nan in enumerate(nans):
            pair = [np.full(len(numbers), nan), numbers]
            x, y = pair if nan_first else pair[::-1]
            got = on_python(BINARY_KERNEL, {"x": x, "y": y})
            if k == 0:
                wanted = got
            assert_same_bits({p.name: got[p.name] for p in BINARY_KERNEL.outputs},
                             {p.name: wanted[p.name] for p in BINARY_KERNEL.outputs}, f"NaN {words[k]:x}")  # fmt: skip


def test_copysign_takes_a_nan_for_positive() -> None:
    kernel = Kernel("k", ports("x", "y"), ports("o"), lambda x, y: ca.copysign(2.0, x - y))
    infinite = np.array([np.inf, -np.inf])  # inf - inf is a NaN with the sign bit on x86 and without on ARM
    assert assert_all_targets(kernel, {"x": infinite, "y": infinite})["o"].tolist() == [2.0, 2.0]


# ---- calls of other functions --------------------------------------------------------------------------------------


def called(kind: Any) -> ca.Function:
    """A function that stays a call inside an expression; its second output is often not wanted."""
    v, s = kind.sym("v", 2, 2), kind.sym("s")
    return ca.Function("called", [v, s], [v * s, ca.sum1(v[:, 0]) - s, ca.sqrt(s)], {"never_inline": True})


def nested(kind: Any) -> Callable[..., list[ca.SX]]:
    inner = called(kind)
    a, b = ca.SX.sym("a", 2, 2), ca.SX.sym("b")
    middle = ca.Function("middle", [a, b], [inner(a, b)[0] + b, inner(a.T, b + 1)[2]], {"never_inline": True})
    return lambda m, s: [middle(m, s)[0], inner(m, s)[1] * middle(m, 2 * s)[1]]


@pytest.mark.parametrize("kind", [ca.SX, ca.MX])
def test_calls_of_other_functions(kind: Any) -> None:
    kernel = Kernel("calls", (Port("m", (2, 2)), Port("s")), (Port("p", (2, 2)), Port("q")), nested(kind))
    ids = [kernel.function.instruction_id(k) for k in range(kernel.function.n_instructions())]
    assert ca.OP_CALL in ids  # else nothing is tested
    m, s = np.arange(8.0).reshape(2, 2, 2) / 3, np.array([0.7, 2.0])
    got = assert_all_targets(kernel, {"m": m, "s": s}, ("llvm1", "llvm4", "gcc"))
    for k in range(2):
        assert_same_bits({"p": got["p"][k]}, {"p": m[k] * s[k] + s[k]}, "p")
        wanted = (m[k, 0, 0] + m[k, 1, 0] - s[k]) * np.sqrt(2 * s[k] + 1)
        np.testing.assert_array_equal(got["q"][k], wanted)


def test_a_call_that_has_no_expression_is_named() -> None:
    """A rootfinder is a program of CasADi's own, not an expression."""
    x = ca.SX.sym("x")
    solver = ca.rootfinder("solver", "newton", ca.Function("f", [x, y := ca.SX.sym("y")], [x * x - y]))
    kernel = Kernel("k", ports("x"), ports("y"), lambda y: solver(1.0, y))
    with pytest.raises(UnsupportedOp, match=r"kernel 'k': operation OP_CALL of 'solver' \(Newton\) is not supported"):
        kernel.routine  # noqa: B018


def test_an_operation_without_a_rule_is_named() -> None:
    """No SX operation is left out today; a new one must be an error that names it, not wrong code."""
    removed = RULES.pop(ca.OP_FLOOR)
    try:
        with pytest.raises(UnsupportedOp, match="kernel 'k': operation OP_FLOOR is not supported on any target"):
            Kernel("k", ports("x"), ports("y"), ca.floor).routine  # noqa: B018
    finally:
        RULES[ca.OP_FLOOR] = removed
