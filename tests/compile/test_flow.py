"""Programs over values: every form on every target, to the bit, and against the same function inlined in a kernel."""

from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np
import pytest

from motionbase.compile import (
    Kernel,
    Port,
    Program,
    Struct,
    compile,
    compose,
    cond,
    delay,
    for_each,
    jacobian,
    q,
    random,
    repeat,
    scan,
    switch,
)
from motionbase.compile.render import llvm as llvm_render
from motionbase.compile.routine import Call, Copy, Loop, Switch
from motionbase.errors import KernelError
from tests.compile.flow_rig import AXPY, RANDOM, SX, Leg, N
from tests.compile.flow_rig import sides as sides  # every test on lanes and in loops
from tests.compile.on_targets import Array, assert_all_targets, assert_same_bits, on_python


class Platform(Struct):
    """Three legs and a matrix."""

    n: SX = q()
    M: SX = q("-", (2, 3))
    legs: Leg = q(of=Leg, rows=3)


# ---- handwritten forms ---------------------------------------------------------------------------------------------


def nested(w: SX, x: SX) -> Any:
    """Loops in loops; the inner one uses rows of the outer one and values from outside both."""
    offset = 2 * w[0, 1]

    def row(a: SX) -> Any:
        inner = for_each(lambda b: AXPY(offset, b, a) + w[1, 2], w)
        return inner[0, :].T + inner[1, :].T, ca.sin(offset) * a[0]

    return for_each(row, x)


def nested_reference(w: Array, x: Array) -> tuple[Array, Array]:
    offset = 2 * w[0, 1]
    rows = np.array([((offset * w[0] + a) + w[1, 2]) + ((offset * w[1] + a) + w[1, 2]) for a in x])
    return rows, np.sin(offset) * x[:, 0]


NESTED = Program("nested", (Port("w", (2, 3)), Port("x", (5, 3))), (Port("o", (5, 3)), Port("s", 5)), nested)


def test_nested_loops_like_numpy() -> None:
    batch = {"w": RANDOM.normal(size=(N, 2, 3)), "x": RANDOM.normal(size=(N, 5, 3))}
    got = assert_all_targets(NESTED, batch)
    for k in range(N):
        o, s = nested_reference(batch["w"][k], batch["x"][k])
        np.testing.assert_allclose(got["o"][k], o, rtol=1e-15, atol=1e-15)
        np.testing.assert_allclose(got["s"][k], s, rtol=1e-15, atol=1e-15)


@pytest.mark.parametrize(("third", "folded"), [([0.0] * 5, True), ([2.5] * 5, True), ([1, 1, 1, 1, 2], False)])
def test_a_column_of_one_number_is_a_constant_of_the_turn(third: list[float], folded: bool) -> None:
    """As in a kernel, where turns are unrolled: the same bits."""
    rows = np.column_stack([np.arange(5.0), np.ones(5), third, RANDOM.normal(size=5)])
    ports = (Port("x"),), (Port("o", 5), Port("last", 5))

    def expr(x: SX) -> Any:
        return for_each(lambda r: (r[2] * x + r[3] * ca.sin(r[0] + x), ca.copysign(r[1], r[2])), rows)

    program = Program("folds", *ports, expr)
    (loop,) = (s for s in program.routine.body if isinstance(s, Loop))
    (call,) = loop.body
    assert isinstance(call, Call) and call.arguments[0].size == (2 if folded else 3)
    batch = {"x": RANDOM.normal(size=N)}
    got, inlined = (assert_all_targets(unit, batch) for unit in (program, Kernel("unrolled", *ports, expr)))
    for name in ("o", "last"):
        assert_same_bits({name: got[name]}, {name: inlined[name]}, "unrolled")


def test_rows_of_one_number_each_are_still_rows() -> None:
    def expr(x: SX) -> SX:
        made: SX = for_each(lambda r: ca.vertcat(r, r + x), np.ones(4))
        return made

    got = assert_all_targets(Program("ones", (Port("x"),), (Port("o", (4, 2)),), expr), {"x": RANDOM.normal(size=N)})
    assert got["o"].shape == (N, 4, 2) and (got["o"][:, :, 0] == 1).all()


def chosen(k: SX, u: SX) -> Any:
    """Cases 0, 2 and 4; all other numbers, fractions, negatives and NaN take the default."""
    before = u * u + 1  # needed in two cases and after them
    o, also = switch(
        k,
        {
            0: lambda: (2 * u, ca.vertcat(before, 1)),
            4: lambda: (-u, repeat(3, lambda p: p + before, ca.vertcat(u, k))),
            2: lambda: (cond(u > 0, lambda: ca.sqrt(ca.fabs(u)), lambda: u - before), ca.vertcat(u, u)),
        },
        lambda: (u, ca.vertcat(k, before)),
    )
    return o, also, before * o


CHOSEN = Program("chosen", (Port("k"), Port("u")), (Port("o"), Port("also", 2), Port("after")), chosen, allow_nan=True)


def chosen_reference(k: float, u: float) -> tuple[float, list[float]]:
    before = u * u + 1
    if k == 0:
        return 2 * u, [before, 1]
    if k == 4:
        return -u, [u + before + before + before, k + before + before + before]
    if k == 2:
        return (float(np.sqrt(abs(u))) if u > 0 else u - before), [u, u]
    return u, [k, before]


def test_choices_like_python() -> None:
    selectors = np.resize([0.0, 1.0, 2.0, 4.0, 3.0, np.nan, -1.0, 0.5, -0.0, 4.0, 5.0, np.inf, 2.0, 2.0, 0.0, 4.0], N)
    batch = {"k": selectors, "u": RANDOM.normal(size=N)}
    got = assert_all_targets(CHOSEN, batch)
    for n in range(N):
        o, also = chosen_reference(float(selectors[n]), float(batch["u"][n]))
        assert_same_bits({"o": got["o"][n : n + 1]}, {"o": np.array([o])}, f"sample {n}")
        assert_same_bits({"also": got["also"][n]}, {"also": np.array(also)}, f"sample {n}")


def moved(x: Platform, h: SX) -> Any:
    """Structs in, structs out; rows of structs one by one, with a choice inside."""

    def leg(row: Leg, m: SX) -> Any:
        l = row.l + h * row.v[0]
        kept = cond(l > 2, lambda: row.replace(l=l), lambda: Leg(l=2 * row.l, v=row.v + m[:2]))
        return kept, kept.l * m[2]

    legs, f = for_each(leg, x.legs, ca.vertcat(x.M, ca.DM([[1, 2, 3]])))
    return Platform(n=x.n + 1, M=x.M * f[0], legs=legs), f


MOVED = Program("moved", (Platform.port("x"), Port("h", (), "s")), (Platform.port("x_next"), Port("f", 3)), moved)


def test_structs() -> None:
    batch = {"x": RANDOM.normal(2.0, 1.0, size=(N, Platform.layout.size)), "h": RANDOM.normal(size=N)}
    got = assert_all_targets(MOVED, batch)
    for k in range(N):
        x, h = batch["x"][k], batch["h"][k]
        M, legs = np.vstack([x[1:7].reshape(2, 3), [[1, 2, 3]]]), x[7:].reshape(3, 3)
        l = legs[:, 0] + h * legs[:, 1]
        after = np.where(l > 2, l, 2 * legs[:, 0])
        rates = np.where((l > 2)[:, None], legs[:, 1:], legs[:, 1:] + M[:, :2])
        f = after * M[:, 2]
        wanted = np.concatenate([[x[0] + 1], (M[:2] * f[0]).ravel(), np.column_stack([after, rates]).ravel()])
        np.testing.assert_array_equal(got["x_next"][k], wanted)
        np.testing.assert_array_equal(got["f"][k], f)


def test_a_struct_of_columns_is_handed_out_without_a_copy() -> None:
    """Its columns stand in two inputs, and one is computed."""

    def turn(a: Leg, b: Leg, l: SX) -> Any:
        return a.l * b.l + l, a.v + b.v

    def body(l: SX, v: SX) -> Any:
        made = Leg.of_columns(l=l, v=v)
        return for_each(turn, made, Leg.of_columns(l=2 * l, v=v), l)

    unit = Program("columns", (Port("l", 6), Port("v", (6, 2))), (Port("f", 6), Port("w", (6, 2))), body)
    (loop,) = (s for s in unit.routine.body if isinstance(s, Loop))
    (call,) = loop.body
    assert isinstance(call, Call) and [a.buffer for a in call.addresses[:2]] == [0, 1]
    batch = {"l": RANDOM.normal(size=(N, 6)), "v": RANDOM.normal(size=(N, 6, 2))}
    got = assert_all_targets(unit, batch)
    np.testing.assert_array_equal(got["f"], batch["l"] * (2 * batch["l"]) + batch["l"])
    np.testing.assert_array_equal(got["w"], 2 * batch["v"])


def test_kernels_with_structs_are_composed_and_differentiated() -> None:
    longer = Kernel(
        "longer", (Leg.port("leg"), Port("h")), (Leg.port("grown"),), lambda leg, h: leg.replace(l=h * leg.l)
    )
    area = Kernel("area", (Leg.port("grown"),), (Port("A"),), lambda grown: grown.l * ca.sumsqr(grown.v))
    whole = compose("both", longer, area)
    got = compile(whole)(leg=[2.0, 3.0, 4.0], h=5.0)
    np.testing.assert_array_equal(got[0], [10.0, 3.0, 4.0])
    assert got[1] == 250.0
    np.testing.assert_array_equal(compile(jacobian(area, "A", "grown"))(grown=[2.0, 3.0, 4.0]), [25.0, 12.0, 16.0])


def test_groups_of_random_numbers_are_those_of_one_long_output() -> None:
    long, pair = random("ten", Port("r", 10)), random("pair", Port("r", 2), grouped=True)
    ports = (Port("seed"), Port("tick")), (Port("r", 10), Port("s", (5, 2)))

    def body(seed: SX, tick: SX) -> Any:
        return long(seed, tick), for_each(lambda k: pair(seed, tick, k), range(5))

    batch = {"seed": RANDOM.normal(size=N), "tick": np.arange(float(N))}
    got = assert_all_targets(Program("noise", *ports, body), batch)
    np.testing.assert_array_equal(got["s"].reshape(N, 10), got["r"])


def test_numbers_of_a_port() -> None:
    """One for all, one for each, or the columns of every row; a tuple of one will do for a scalar."""
    least, most = Port("a", start=(2.0,), least=(1.0,), most=(3.0,), tunable=True).bounds
    assert (least.tolist(), most.tolist()) == ([1.0], [3.0])
    assert Port("a", 3, start=2.0).start_values.tolist() == [2.0, 2.0, 2.0]
    assert Port("a", (2, 3), start=(1.0, 2.0, 3.0)).start_values.tolist() == [1.0, 2.0, 3.0] * 2
    assert Port("a", (2, 2), start=(1.0, 2.0, 3.0, 4.0)).start_values.tolist() == [1.0, 2.0, 3.0, 4.0]


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 19, 60])
def test_rows_of_any_number(count: int) -> None:
    """Whole registers, then what is left; rows that are columns of a matrix, shared rows, and constants."""

    def body(x: SX, m: SX) -> Any:
        return for_each(lambda a, b, c, d: (a * b + c, ca.vertcat(d, a)), x, m[:, 1], ca.DM(range(count)), m)

    unit = Program("rows", (Port("x", count), Port("m", (count, 2))), (Port("y", count), Port("z", (count, 3))), body)
    batch = {"x": RANDOM.normal(size=(4, count)), "m": RANDOM.normal(size=(4, count, 2))}
    got = assert_all_targets(unit, batch, ("llvm1", "llvm4", "gcc"))
    np.testing.assert_array_equal(got["y"], batch["x"] * batch["m"][:, :, 1] + np.arange(count))
    np.testing.assert_array_equal(got["z"], np.concatenate([batch["m"], batch["x"][..., None]], axis=2))


def test_the_last_rows_of_a_long_routine_need_no_version_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eleven rows on eight lanes: rows 3 to 7 are computed twice, and the bits are those of a loop."""
    monkeypatch.setattr(llvm_render, "LANES_FROM", 0)
    x = RANDOM.normal(size=(11, 2))
    unit = Program("last", (Port("x", x.shape),), (Port("y", x.shape),), lambda x: for_each(lambda r: ca.sin(r) / r, x))
    versions = []
    for long in (1 << 60, 0):
        monkeypatch.setattr(llvm_render, "LONG", long)
        text = llvm_render.Module(unit.routine).text()
        versions.append(text.count("define internal void @last"))
        np.testing.assert_array_equal(compile(unit, cache=None)(x=x), compile(unit, "python")(x=x))
    assert versions == [2, 1]


@pytest.mark.parametrize("turns", [1, 2, 3, 4, 7])
def test_repeat(turns: int) -> None:
    def body(x: SX, a: SX) -> Any:
        return repeat(turns, lambda p, n: (ca.vertcat(p[0] - a * p[1], p[1] + a * p[0]), n + 1), x, 0)

    unit = Program("turned", (Port("x", 2), Port("a")), (Port("y", 2), Port("n")), body)
    batch = {"x": RANDOM.normal(size=(N, 2)), "a": RANDOM.normal(size=N)}
    got = assert_all_targets(unit, batch, ("llvm1", "llvm8", "gcc"))
    x = batch["x"].T
    for _ in range(turns):
        x = np.array([x[0] - batch["a"] * x[1], x[1] + batch["a"] * x[0]])
    np.testing.assert_array_equal(got["y"], x.T)
    assert (got["n"] == turns).all()


def test_memory_and_primitives() -> None:
    """A callee's memory is the program's; other memory is returned, and stays where it is when nothing changes it."""
    late, noise = delay("late", Port("u"), 2), random("noise", Port("r", 4))

    def body(u: SX, tick: SX, m: SX, u_line: SX, count: SX) -> Any:
        uniform = noise(seed=7, counter=tick)
        kept = switch(tick, {1: lambda: m + uniform[:3], 3: lambda: 2 * m}, lambda: m)
        return late(u, u_line=u_line), kept[0] - m[0], kept, u_line, count + 1

    unit = Program(
        "remembers", (Port("u"), Port("tick")), (Port("v"), Port("change")), body,
        memory=(Port("m", 3), Port("u_line", 4), Port("count")),
    )  # fmt: skip
    batch = {
        "u": RANDOM.normal(size=N), "tick": np.resize(np.arange(5.0), N), "m": RANDOM.normal(size=(N, 3)),
        "u_line": np.column_stack([np.zeros(N), RANDOM.normal(size=(N, 3))]), "count": np.zeros(N),
    }  # fmt: skip
    got = assert_all_targets(unit, batch)
    assert (got["count"] == 1).all()
    np.testing.assert_array_equal(got["m"][batch["tick"] == 3], 2 * batch["m"][batch["tick"] == 3])
    np.testing.assert_array_equal(got["m"][batch["tick"] == 0], batch["m"][batch["tick"] == 0])


def test_memory_that_is_replaced_in_place_is_not_copied() -> None:
    big = Kernel("big", (Port("x", 20),), (Port("y", 20),), lambda x: 2 * x)

    def body(tick: SX, x: SX, m: SX) -> Any:
        kept = switch(tick, {0: lambda: big(x)}, lambda: m)
        return kept[3], kept

    unit = Program("keeps", (Port("tick"), Port("x", 20)), (Port("y"),), body, memory=(Port("m", 20),))
    choice = next(s for s in unit.routine.body if isinstance(s, Switch))
    assert not any(isinstance(s, Copy) for s in unit.routine.body)
    assert choice.default == () and len(choice.cases[0][1]) == 1  # one call, straight into the memory
    batch = {"tick": np.resize([0.0, 1.0], N), "x": RANDOM.normal(size=(N, 20)), "m": RANDOM.normal(size=(N, 20))}
    got = assert_all_targets(unit, batch)
    np.testing.assert_array_equal(got["m"], np.where(batch["tick"][:, None] == 0, 2 * batch["x"], batch["m"]))


@pytest.mark.parametrize(
    "later",
    [
        lambda x, m, kept: cond(m > 3, lambda: kept * 2, lambda: kept),
        lambda x, m, kept: cond(m, lambda: kept * 2, lambda: kept),
        lambda x, m, kept: cond(x, lambda: cond(m, lambda: kept * 2, lambda: kept), lambda: kept),
        lambda x, m, kept: cond(x, lambda: 1 + cond(x, lambda: m * 2, lambda: kept), lambda: kept),
    ],
)
def test_memory_that_is_read_later_keeps_its_old_value_until_then(later: Callable[..., Any]) -> None:
    """By selectors and inside cases: as where nothing is memory."""

    def body(k: SX, x: SX, m: SX) -> Any:
        kept = switch(k, {0: lambda: 1 * x}, lambda: m)
        return later(x, m, kept), kept

    ports = (Port("k"), Port("x")), (Port("y"),)
    unit = Program("reads_old", *ports, body, memory=(Port("m"),))
    plain = Kernel("plain", (*ports[0], Port("m")), (*ports[1], Port("kept")), body)
    batch = {"k": np.resize([0.0, 0, 1], N), "x": RANDOM.normal(size=N), "m": np.resize([0.0, 5, 1, 2], N)}
    got, wanted = assert_all_targets(unit, batch), on_python(plain, batch)
    assert_same_bits({"y": got["y"], "m": got["m"]}, {"y": wanted["y"], "m": wanted["kept"]}, "old memory")


def test_memory_that_goes_from_one_place_to_another() -> None:
    unit = Program(
        "swaps", (Port("u"),), (Port("v"),), lambda u, a, b: (a[0], b, a), memory=(Port("a", 9), Port("b", 9))
    )
    batch = {"u": np.zeros(N), "a": RANDOM.normal(size=(N, 9)), "b": RANDOM.normal(size=(N, 9))}
    got = assert_all_targets(unit, batch)
    np.testing.assert_array_equal(got["a"], batch["b"])
    np.testing.assert_array_equal(got["b"], batch["a"])


def test_long_programs_are_cut_into_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("motionbase.compile.placement.SPLIT_ABOVE", 7)

    def body(x: SX) -> Any:
        values = [x[0], x[1], x[2] < x[0]]
        for k in range(40):
            values.append(ca.if_else(values[2], values[-1] * x[k % 3], values[k % 5] + 1.5 / (2 + k)))
        z = AXPY(values[-1], x, x)
        return z * values[7], values[20]

    unit = Program("long_one", (Port("x", 3),), (Port("y", 3), Port("v")), body)
    assert sum(isinstance(s, Call) for s in unit.routine.body) > 4
    whole = Kernel("whole", unit.inputs, unit.outputs, body)
    batch = {"x": RANDOM.normal(size=(N, 3))}
    assert_same_bits(assert_all_targets(unit, batch, ("llvm1", "llvm8", "gcc")), on_python(whole, batch), "pieces")


# ---- scans ---------------------------------------------------------------------------------------------------------


def test_scan_feeds_back_structs_that_go_in_and_come_out() -> None:
    run = scan(MOVED, record=["f"])
    x = Platform.layout.vector({"M": np.ones(6)})
    got = run(5, x=x, h=0.1)
    again = scan(MOVED, {"x": "x_next"}, record=["f"])(5, x=x, h=0.1)
    assert_same_bits(got, again, "feedback")
    assert got["x"][0] == 5


def test_scan_without_anything_to_feed_back() -> None:
    with pytest.raises(KernelError, match="no struct of 'axpy' is both an input and an output"):
        scan(AXPY)
