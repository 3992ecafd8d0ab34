"""What programs over values become: nothing twice, nothing unused; and the programs that are refused."""

from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np
import pytest

from motionbase.compile import (
    Kernel,
    Port,
    Program,
    cond,
    for_each,
    random,
    repeat,
    switch,
)
from motionbase.compile.block import Block
from motionbase.compile.ops import Op
from motionbase.compile.routine import Call, Copy, Loop, Switch
from motionbase.errors import KernelError, PortError
from tests.compile.flow_rig import AXPY, RANDOM, SX, TWO, Leg, N
from tests.compile.flow_rig import sides as sides  # every test on lanes and in loops
from tests.compile.on_targets import assert_all_targets, assert_same_bits, on_python, product

# ---- what compiled code looks like ---------------------------------------------------------------------------------


def test_nothing_is_computed_twice_nor_copied() -> None:
    """One sine serves a call, a choice and an output; results stand in the outputs from the start."""

    def body(x: SX, k: SX) -> Any:
        s = ca.sin(x[0])
        z = AXPY(s, x, 2 * x)
        w = cond(k, lambda: TWO(z)[1] + s, lambda: TWO(x)[1])
        return z, w, s

    unit = Program("shared", (Port("x", 3), Port("k")), (Port("z", 3), Port("w", 2), Port("s")), body)
    blocks = [s for s in unit.routine.body if isinstance(s, Block)]
    assert sum(unit.routine.maths_calls().values()) == 1
    assert not any(isinstance(s, Copy) for s in unit.routine.body)
    call = next(s for s in unit.routine.body if isinstance(s, Call))
    assert call.addresses[-1].buffer == 2  # the output z itself
    assert call.addresses[1].buffer == 0  # the input x itself
    assert len(blocks) <= 2
    assert_all_targets(unit, {"x": RANDOM.normal(size=(N, 3)), "k": RANDOM.choice([0.0, 1.0], N)})


def test_what_one_case_needs_is_computed_there() -> None:
    def body(x: SX, k: SX) -> Any:
        s, e = ca.sin(x), ca.exp(x)
        return cond(k, lambda: s + 1, lambda: e), e

    unit = Program("lazy", (Port("x"), Port("k")), (Port("y"), Port("z")), body)
    choice = next(s for s in unit.routine.body if isinstance(s, Switch))
    assert unit.routine.maths_calls() == {"sin": 1, "exp": 1}
    named = [[str(i.imm) for b in case if isinstance(b, Block) for i in b.instructions if i.imm == "sin"]
             for case in choice.bodies]  # fmt: skip
    assert named == [[], ["sin"]]


def test_loop_invariants_are_computed_once_outside() -> None:
    def body(x: SX, a: SX) -> Any:
        return for_each(lambda r: r * ca.exp(a) + ca.sin(a), x)

    unit = Program("outside", (Port("x", 6), Port("a")), (Port("y", 6),), body)
    assert unit.routine.maths_calls() == {"exp": 1, "sin": 1}
    (loop,) = (s for s in unit.routine.body if isinstance(s, Loop))
    (call,) = loop.body
    assert isinstance(call, Call) and call.routine.maths_calls() == {}
    assert_all_targets(unit, {"x": RANDOM.normal(size=(N, 6)), "a": RANDOM.normal(size=N)}, ("llvm1", "llvm8", "gcc"))


# ---- what nobody needs ---------------------------------------------------------------------------------------------


def wasteful(x: SX, k: SX) -> Any:
    """Calls and results of a choice that some outputs need and others do not."""
    z, w = AXPY(k, x, x), TWO(x)[0]
    a, b = cond(k, lambda: (TWO(2 * x)[0], w), lambda: (x[0], x[1]))
    return z, a, b


def test_what_nobody_needs_is_not_computed() -> None:
    whole = Program("wasteful", (Port("x", 3), Port("k")), (Port("z", 3), Port("a"), Port("b")), wasteful)
    batch = {"x": RANDOM.normal(size=(N, 3)), "k": RANDOM.choice([0.0, 1.0], N)}
    wanted = on_python(whole, batch)
    calls = {}
    for names in (("z",), ("a",), ("b",), ("a", "b"), ("z", "a", "b")):
        unit = whole.giving(names)
        calls[names] = sorted(r.name for r in unit.routine.callees() if r is not unit.routine)
        got = assert_all_targets(unit, batch, ("llvm1", "llvm8", "gcc"))
        assert_same_bits({n: got[n] for n in names}, {n: wanted[n] for n in names}, f"{names}")
    assert calls["z",] == ["axpy"] and calls["b",] == ["two"] and calls["z", "a", "b"] == ["axpy", "two"]
    assert whole.giving(("z", "a", "b")) is whole
    with pytest.raises(PortError, match="no port 'q'"):
        whole.giving(("q",))


# ---- choices inside a block ----------------------------------------------------------------------------------------


def test_a_choice_is_one_select_and_keeps_the_sign_of_a_zero() -> None:
    """CasADi makes two selects, a not and a sum of `if_else`, which loses the sign of -0."""
    unit = Kernel("chosen", (Port("c"), Port("x"), Port("y")), (Port("z"),), lambda c, x, y: ca.if_else(c > 1, x, y))
    ops = [i.op for block in unit.routine.blocks() for i in block.instructions]
    assert ops.count(Op.SELECT) == 1 and Op.ADD not in ops and Op.NOT not in ops
    c, x, y = product(np.array([0.0, 2.0, np.nan]), np.array([-0.0, 1.0, np.inf]), np.array([0.0, -0.0, np.nan]))
    got = assert_all_targets(unit, {"c": c, "x": x, "y": y})
    assert_same_bits({"z": got["z"]}, {"z": np.where(c > 1, x, y)}, "a choice")


def test_what_a_choice_is_made_of_stays_for_other_readers() -> None:
    def both(c: SX, x: SX, y: SX) -> Any:
        first = ca.if_else(c > 1, x, 0)
        return ca.if_else(c > 1, x, y), first

    unit = Kernel("both", (Port("c"), Port("x"), Port("y")), (Port("z"), Port("w")), both)
    c, x, y = product(np.array([0.0, 2.0]), np.array([3.0, 1.0]), np.array([5.0, -2.0]))
    got = assert_all_targets(unit, {"c": c, "x": x, "y": y})
    np.testing.assert_array_equal(got["z"], np.where(c > 1, x, y))
    np.testing.assert_array_equal(got["w"], np.where(c > 1, x, 0))


# ---- refusals ------------------------------------------------------------------------------------------------------


def refused(function: Callable[..., Any], error: type[Exception] = KernelError) -> str:
    with pytest.raises(error) as caught:
        _ = Program("wrong", (Port("x", 3, "m"), Port("k")), (Port("y"),), function).digest
    return str(caught.value)


def test_values_are_not_used_outside_their_region() -> None:
    kept: list[Any] = []

    def seen(row: SX) -> SX:
        kept.append(row)
        return row

    def from_a_case(x: SX, k: SX) -> Any:
        cond(k, lambda: seen(TWO(2 * x)[0]), lambda: x[1])
        return kept[-1]

    def from_a_loop(x: SX, k: SX) -> Any:
        for_each(seen, x)
        return kept[-1]

    said = refused(from_a_case)
    assert "test_flow_code.py:" in said and "'s', a value of the case of a switch" in said
    kept.clear()
    said = refused(from_a_loop)
    assert "test_flow_code.py:" in said and "'row', a value of an iteration of a loop" in said
    said = refused(lambda x, k: SX.sym("elsewhere") * x[0])
    assert "'elsewhere', which no input and no call gives" in said


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda x, k: for_each(lambda a, b: a, x, ca.DM.zeros(4)), "arguments have 3, 4 rows"),
        (lambda x, k: for_each(lambda a: ca.SX(2, 2), x), "an iteration returns a matrix of shape (2, 2)"),
        (lambda x, k: for_each(lambda: 1), "there are no rows"),
        (lambda x, k: repeat(0, lambda a: a, k), "0 iterations"),
        (lambda x, k: repeat(2, lambda a: ca.vertcat(a, a), k), "an iteration returns"),
        (lambda x, k: switch(x, {0: lambda: k}, lambda: k), "the selector has shape (3, 1)"),
        (lambda x, k: switch(k, {-1: lambda: k}, lambda: k), "case -1 is outside"),
        (lambda x, k: cond(k, lambda: x, lambda: k), "one case gives"),
        (lambda x, k: cond(k, lambda: "text", lambda: k), "gives str"),
        (lambda x, k: (k, k), "returns 2 values for 1 outputs"),
        (lambda x, k: x, "has shape (3, 1)"),
        (lambda x, k: ca.SX(float("nan")) * k, "holds the constant NaN"),
        (lambda x, k: Leg(**{"l": k}), "'v' is not given"),
        (lambda x, k: Leg(k, k), "'v' has shape (1, 1)"),
        (lambda x, k: Leg.of_columns(l=x), "columns are l; wanted: l, v"),
        (lambda x, k: Leg.of_columns(l=x, v=x), "2 columns, 3 are wanted"),
    ],
)
def test_refusals(function: Callable[..., Any], said: str) -> None:
    assert said in refused(function)


def test_units_are_compared() -> None:
    speed = Kernel("speed", (Port("v", 3, "m/s"),), (Port("s"),), lambda v: ca.sum1(v))
    assert "'x' is in [m], port v (3) [m/s] is not" in refused(lambda x, k: speed(x), PortError)


def test_arguments_that_do_not_fit() -> None:
    assert "'y' is not given" in refused(lambda x, k: AXPY(k, x), PortError)
    assert "no port 'q'" in refused(lambda x, k: AXPY(k, x, x, q=1), PortError)
    assert "'x' has shape (1, 1)" in refused(lambda x, k: AXPY(k, k, x))


def test_primitives_are_not_inlined_in_kernels() -> None:
    noise = random("noise", Port("r", 4))
    with pytest.raises(KernelError, match="cannot be part of a kernel"):
        _ = Kernel("k", (Port("x"),), (Port("y", 4),), lambda x: noise(x, x)).trace
