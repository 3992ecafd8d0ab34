"""Programs nobody wrote by hand, and kernels cut into pieces: the same bits on every target."""

from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from motionbase.compile import Kernel, Port, Program, for_each, repeat, switch
from motionbase.compile.lower import lower_kernel, steps_of
from motionbase.compile.routine import Call
from tests.compile.on_targets import EDGES, LLVM, TARGETS, Array, assert_all_targets, assert_same_bits, on_python
from tests.tier import often

SOME = ("llvm1", "llvm8", "gcc")  # a compilation each for every example, so not all targets
RANDOM = np.random.default_rng(3)
SAMPLES = RANDOM.choice(np.concatenate([EDGES, RANDOM.normal(size=40)]), size=(16, 3))

OPERATIONS: list[Callable[[ca.SX, ca.SX], ca.SX]] = [
    lambda x, y: x + y,
    lambda x, y: x - y,
    lambda x, y: x * y,
    lambda x, y: x / y,
    lambda x, y: ca.sqrt(ca.fabs(x)),
    ca.fmin,
    ca.fmax,
    lambda x, y: x < y,
    lambda x, y: ca.if_else(x < y, x, 2 - y),
    lambda x, y: ca.floor(x) + 0.5,
    lambda x, y: ca.sin(x) - y,
    lambda x, y: ca.atan2(x, y),
    lambda x, y: ca.exp(-x * x) + y,
    ca.copysign,
    ca.fmod,
]
Line = tuple[int, int, int]
lines = st.lists(st.tuples(st.integers(0, 14), st.integers(0, 99), st.integers(0, 99)), min_size=1, max_size=25)


def straight(name: str, code: list[Line]) -> Kernel:
    """A kernel of three inputs and three outputs: each line combines two earlier values, the last three come out."""

    def expr(x: ca.SX) -> ca.SX:
        values = [x[0], x[1], x[2], ca.SX(0.5), ca.SX(-0.0)]
        for op, a, b in code:
            values.append(OPERATIONS[op](values[-1 - a % len(values)], values[-1 - b % len(values)]))
        return ca.vertcat(*values[-3:])

    return Kernel(name, (Port("x", 3),), (Port("y", 3),), expr, allow_nan=True)  # such as fmod(0.5, -0.0)


@settings(max_examples=often(12), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(lines)
def test_random_kernels(code: list[Line]) -> None:
    assert_all_targets(straight("k", code), {"x": SAMPLES}, SOME)


# ---- random programs -----------------------------------------------------------------------------------------------

Tree = Any  # ("call", kernel, from, to), ("copy", from, to), ("loop", count, trees), ("switch", row, cases, default)
rows = st.integers(0, 5)
leaves = st.one_of(st.tuples(st.just("call"), st.integers(0, 2), rows, rows), st.tuples(st.just("copy"), rows, rows))
trees: st.SearchStrategy[Tree] = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.tuples(st.just("loop"), st.integers(1, 3), st.lists(inner, min_size=1, max_size=3)),
        st.tuples(
            st.just("switch"),
            rows,
            st.dictionaries(st.integers(0, 3), st.lists(inner, max_size=2), max_size=3),
            st.lists(inner, max_size=2),
        ),
    ),
    max_leaves=12,
)


def with_row(r: ca.SX, number: int, row: ca.SX) -> ca.SX:
    return ca.vertcat(*(row.T if k == number else r[k, :] for k in range(6)))


def built(r: ca.SX, tree: Tree, kernels: list[Kernel]) -> Any:
    """The state after a tree's statements; an odd loop is over the rows, an even one over the whole state."""

    def after(state: ca.SX, inner: list[Tree]) -> Any:
        for statement in inner:
            state = built(state, statement, kernels)
        return state

    if tree[0] == "call":
        return with_row(r, tree[3], kernels[tree[1]](r[tree[2], :].T))
    if tree[0] == "copy":
        return with_row(r, tree[2], r[tree[1], :].T)
    if tree[0] == "loop" and tree[1] % 2:
        return for_each(lambda row: after(with_row(r, tree[1], row), tree[2])[tree[1] + 1, :].T, r)
    if tree[0] == "loop":
        return repeat(tree[1], lambda state: after(state, tree[2]), r)
    cases = {number: (lambda case=case: after(r, case)) for number, case in tree[2].items()}
    return switch(r[tree[1], 0], cases, lambda: after(r, tree[3]))


@settings(max_examples=often(15), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(lines, min_size=3, max_size=3), st.lists(trees, min_size=1, max_size=4))
def test_random_programs(codes: list[list[Line]], statements: list[Tree]) -> None:
    kernels = [straight(f"k{n}", code) for n, code in enumerate(codes)]

    def expr(r: ca.SX) -> Any:
        for tree in statements:
            r = built(r, tree, kernels)
        return r

    unit = Program("p", (), (), expr, memory=(Port("r", (6, 3)),))
    state = RANDOM.choice(np.concatenate([np.arange(4.0), RANDOM.normal(size=4), [np.nan]]), size=(16, 6, 3))
    assert_all_targets(unit, {"r": state}, SOME)


# ---- splitting -----------------------------------------------------------------------------------------------------


def long_expression(x: ca.SX, m: ca.SX) -> list[ca.SX]:
    """Values that are used again many steps later, conditions across a border, inputs and constants everywhere."""
    early = [x[0] * 1.5, ca.sin(x[1]), x[2] < m[0, 1], ca.SX(2.5)]
    value = x[0]
    kept = []
    for k in range(30):
        value = value * x[k % 3] + early[k % 4] / (2.0 + k)
        value = ca.if_else(early[2], value, ca.fabs(value - m[k % 2, k % 3]))
        kept.append(value)
    late = kept[0] + kept[7] * kept[22] - early[1]
    return [ca.vertcat(value, late, x[2]), m * late, ca.SX(7.0), early[2]]


def long_kernel(split_above: int | None) -> Kernel:
    kernel = Kernel(
        "long_one",
        (Port("x", 3), Port("m", (2, 3))),
        (Port("v", 3), Port("w", (2, 3)), Port("seven"), Port("below")),
        long_expression,
    )
    if split_above is not None:
        kernel.__dict__["routine"] = lower_kernel(kernel, split_above)  # in place of the cached property's value
    return kernel


BATCH: dict[str, Array] = {"x": SAMPLES, "m": RANDOM.normal(size=(16, 2, 3))}


@pytest.mark.parametrize("split_above", [1, 2, 7, 40, 10_000])
def test_split_kernels_give_the_same_bits(split_above: int) -> None:
    whole, split = long_kernel(None), long_kernel(split_above)
    steps = len(steps_of(whole.function, "long_one"))
    pieces = -(-steps // split_above)
    assert len(split.routine.body) == pieces
    assert isinstance(split.routine.body[0], Call) == (pieces > 1)
    targets = TARGETS if split_above == 7 else ("llvm1", "llvm4", "gcc")
    assert_same_bits(assert_all_targets(split, BATCH, targets), on_python(whole, BATCH), f"split above {split_above}")


def test_scratch_places_are_used_again() -> None:
    """30 values live across borders, most of them only to the next piece; far fewer places are needed."""
    routine = long_kernel(7).routine
    crossing = sum(
        1 for c in routine.body if isinstance(c, Call) for b in c.routine.blocks() for i in b.instructions
        if i.op.label == "store" and isinstance(i.imm, tuple) and i.imm[0] == len(routine.arguments)
    )  # fmt: skip
    assert 0 < routine.buffers[0].size < crossing / 2


def test_a_split_kernel_inside_a_program() -> None:
    split = long_kernel(20)

    def expr(x: ca.SX, m: ca.SX) -> Any:
        return for_each(lambda k: switch(k, {0: lambda: x}, lambda: split(x, m)[0]), x[:2])

    unit = Program("p", (Port("x", 3), Port("m", (2, 3))), (Port("v", (2, 3)),), expr)
    got = assert_all_targets(unit, BATCH, (*LLVM, "gcc"))["v"]
    whole = on_python(long_kernel(None), BATCH)["v"]
    for i in range(2):
        wanted = np.where(BATCH["x"][:, i : i + 1] == 0, BATCH["x"], whole)
        assert_same_bits({"v": got[:, i].copy()}, {"v": wanted}, f"row {i}")


@settings(max_examples=25, deadline=None)
@given(lines, st.integers(1, 12))
def test_random_kernels_split_anywhere(code: list[Line], split_above: int) -> None:
    """By the interpreter alone, so that many can be tried."""
    whole, split = straight("k", code), straight("k", code)
    split.__dict__["routine"] = lower_kernel(split, split_above)
    assert_same_bits(on_python(split, {"x": SAMPLES}), on_python(whole, {"x": SAMPLES}), "split")
