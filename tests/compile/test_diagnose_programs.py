"""The line a NaN came from in programs: their calls, loops and choices, and their own arithmetic."""

import math
from functools import partial
from typing import Any

import casadi as ca
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tests.compile.nan_helpers as nan_helpers
from motionbase.compile import (
    Kernel,
    Port,
    Program,
    Struct,
    cond,
    delay,
    for_each,
    probe,
    q,
    repeat,
    switch,
)
from motionbase.compile.inspection.diagnose import evaluate, find_infinity, find_nan
from motionbase.errors import KernelError
from tests.compile.nan_helpers import kernel, marked_in, place
from tests.compile.test_random_flow import Grown

marked = partial(marked_in, __file__)
STEP = Kernel("step", (Port("q", 2),), (Port("y"),), lambda q: q[0] * 2 / q[1] + 1)  # here: step


def stepped(q: ca.SX, mode: ca.SX) -> Any:
    """One call in case 0; in case 1 a loop in a loop; else a copy of an input and a constant."""
    return switch(
        mode,
        {
            0: lambda: ca.vertcat(STEP(q[0, :].T), 0, math.inf),
            1: lambda: (
                for_each(
                    lambda _: for_each(lambda row: STEP(row), q),  # here: call
                    ca.DM.zeros(2),
                )[1, :].T
            ),
        },
        lambda: ca.vertcat(q[0, 0], 0, 0),
    )


PROGRAM = Program("prog", (Port("q", (3, 2)), Port("mode")), (Port("y", 3),), stepped)


def test_program_path() -> None:
    finding = find_nan(PROGRAM, q=[[1, 1], [1, 1], [0, 0]], mode=1)
    assert finding is not None and place(finding) == marked("step")
    assert finding.unit == "step" and finding.reaches == ("y",)
    *around, inner, call = finding.path
    assert [step.partition(" at ")[0] for step in around] == ["case 1", "loop index 1 of 2"]
    for step, words in ((inner, "loop index 2 of 3"), (call, "call of 'step'")):
        assert step.startswith(f"{words} at ") and f"test_diagnose_programs.py:{marked('call')[1]}" in step


def test_program_input_and_constant() -> None:
    came = find_nan(PROGRAM, q=np.array([[1, 1], [math.nan, 1], [1, 1]]), mode=1)
    assert came is not None and (came.kind, came.place) == ("input", "input q[1, 0]")
    copied = find_infinity(PROGRAM, q=np.ones((3, 2)), mode=0)
    assert copied is not None and copied.kind == "constant" and copied.reaches == ("y",)
    assert find_nan(PROGRAM, q=np.ones((3, 2)), mode=1) is None


def test_constant_of_a_program() -> None:
    k = kernel(lambda q: q[0] + q[1])
    unit = Program("p", (Port("u"),), (Port("y"),), lambda u: k(ca.DM([1.0, math.nan])), allow_nan=True)
    finding = find_nan(unit, u=1)
    assert finding is not None and finding.kind == "constant"
    assert finding.place == "'constants' of program 'p', port 'q' of 'k'"
    assert "test_diagnose_programs.py" in finding.path[0]


def test_infinity_made_by_an_earlier_call() -> None:
    inverse = Kernel("inverse", (Port("u"),), (Port("w"),), lambda u: 1 / u)  # here: inverse
    minus = Kernel("minus", (Port("w"),), (Port("y"),), lambda w: ca.sin(w) + 1)  # here: minus
    finding = find_nan(Program("p", (Port("u"),), (Port("y"),), lambda u: minus(inverse(u))), u=0)
    assert finding is not None and finding.infinity is not None
    assert place(finding) == marked("minus") and place(finding.infinity) == marked("inverse")
    assert finding.infinity.unit == "inverse"


# ---- arithmetic of programs themselves -----------------------------------------------------------------------------


class Gains(Struct):
    """For the tests below."""

    k: ca.SX = q("1/s")
    limits: ca.SX = q("m", 2)


TOTAL = Kernel("total", (Port("x", 3),), (Port("s"),), lambda x: ca.sum1(x))


def between(x: ca.SX, u: ca.SX) -> Any:
    """Straight-line code around calls, in a helper of another file too."""
    s = TOTAL(2 * x)
    r = nan_helpers.ratio(s, u)  # here: between
    return TOTAL(ca.vertcat(r, x[0], x[1])) + 1


BETWEEN = Program("between", (Port("x", 3), Port("u")), (Port("y"),), between)


def test_own_arithmetic_between_calls() -> None:
    finding = find_nan(BETWEEN, x=[1, -1, 0], u=0)
    assert finding is not None and place(finding) == marked_in(nan_helpers.__file__, "ratio")
    assert [(s.file, s.line) for s in finding.callers] == [marked("between")]
    assert (finding.op, finding.arguments, finding.expression) == ("div", (0, 0), "s / u")
    assert (finding.within, finding.unit, finding.reaches, finding.path) == ("program", "between", ("y",), ())
    assert find_nan(BETWEEN, x=[1, -1, 0], u=1) is None


def test_part_of_the_line_in_a_program_and_the_infinity_before_it() -> None:
    def expr(x: ca.SX, u: ca.SX) -> Any:
        a = 1 / u  # here: own infinity
        return TOTAL(x) + ca.sin(a) * x[0]  # here: own sine

    finding = find_nan(Program("p", BETWEEN.inputs, BETWEEN.outputs, expr), x=[1, 2, 3], u=0)
    assert finding is not None and place(finding) == marked("own sine")
    assert finding.line is not None and finding.line.columns is not None
    first, end = finding.line.columns
    assert finding.line.text[first:end] == "ca.sin(a)"
    assert place(finding.infinity) == marked("own infinity") and "before it" in str(finding)


def test_own_infinity_before_a_callee_and_a_callees_before_own() -> None:
    sine = Kernel("sine", (Port("w"),), (Port("y"),), lambda w: ca.sin(w))  # here: callee
    inverse = Kernel("inverse", (Port("u"),), (Port("w"),), lambda u: 1 / u)  # here: callees infinity
    first = find_nan(
        Program("p", (Port("u"),), (Port("y"),), lambda u: sine(1 / u)),  # here: argument
        u=0,
    )
    assert place(first) == marked("callee") and place(first.infinity) == marked("argument")  # type: ignore[union-attr]
    second = find_nan(
        Program("p", (Port("u"),), (Port("y"),), lambda u: ca.cos(inverse(u))),  # here: own cosine
        u=0,
    )
    assert place(second) == marked("own cosine")
    assert place(second.infinity) == marked("callees infinity")  # type: ignore[union-attr]


def test_turns_of_loops() -> None:
    def leg(row: ca.SX, scale: ca.SX) -> ca.SX:
        return ca.sqrt(row[0]) * scale  # here: turn

    def expr(rows: ca.SX, g: Gains) -> Any:
        scale = 1 + g.k
        return for_each(lambda row: leg(row, ca.log(g.limits[1]) * scale), rows)  # here: rows

    unit = Program("p", (Port("rows", (4, 2)), Gains.port("g")), (Port("y", 4),), expr)
    rows = np.ones((4, 2))
    rows[2, 0] = -1
    finding = find_nan(unit, rows=rows, g=[1, 1, 1])
    assert finding is not None and place(finding) == marked("turn")
    assert (finding.within, finding.unit) == ("turn", "p_each")
    assert finding.path[0].startswith("loop index 2 of 4 at ") and f":{marked('rows')[1]}:" in finding.path[0]
    outside = find_nan(unit, rows=np.ones((4, 2)), g=[1, 1, -2])  # computed once, before the loop
    assert outside is not None and place(outside) == marked("rows") and outside.expression == "log(g.limits[1])"
    came = find_nan(unit, rows=np.ones((4, 2)), g=[1, 1, math.nan])
    assert came is not None and came.place == "input g.limits[1]"


@pytest.mark.parametrize(("turns", "at"), [(2, 0), (5, 3), (6, 2), (6, 5), (7, 0), (7, 6)])
def test_turns_of_repeat(turns: int, at: int) -> None:
    def turn(n: ca.SX, y: ca.SX) -> Any:
        return n + 1, y + ca.fmod(1, n - at)  # here: repeated

    unit = Program("p", (Port("u"),), (Port("y"),), lambda u: repeat(turns, turn, 0 * u, u)[1])
    finding = find_nan(unit, u=1)
    assert finding is not None and place(finding) == marked("repeated")
    assert finding.path[0].startswith(f"loop index {at} of {turns} at ")


def test_repeat_inside_a_loop() -> None:
    def row(a: ca.SX) -> Any:
        return repeat(3, lambda y: ca.sqrt(y) - a, a)

    finding = find_nan(Program("p", (Port("x", 4),), (Port("y", 4),), lambda x: for_each(row, x)), x=[0, 0, -1, 0])
    assert finding is not None
    assert [step.partition(" at ")[0] for step in finding.path] == ["loop index 2 of 4", "loop index 0 of 3"]


def test_cases_and_programs_in_programs() -> None:
    inner = Program("inner", (Port("a"), Port("u")), (Port("y"),), lambda a, u: cond(
        u > 0, lambda: ca.sqrt(a), lambda: a,  # here: case
    ))  # fmt: skip

    def expr(u: ca.SX) -> Any:
        return inner(TOTAL(ca.vertcat(u, u, -5 * u)), u) + 1  # here: outer

    unit = Program("outer", (Port("u"),), (Port("y"),), expr)
    finding = find_nan(unit, u=2)
    assert finding is not None and place(finding) == marked("case") and finding.unit == "inner"
    call, case = finding.path
    assert f"call of 'inner' at tests/compile/test_diagnose_programs.py:{marked('outer')[1]}" in call
    assert case.startswith("default case at ")
    assert find_nan(unit, u=-2) is None


def test_what_is_dropped_later_is_not_reported() -> None:
    """A NaN in scratch memory, dropped by a select after a call; the one that counts is made afterwards."""

    def expr(x: ca.SX, u: ca.SX) -> Any:
        root = ca.sqrt(u)
        s = TOTAL(ca.vertcat(x[0], x[1], ca.if_else(u > 0, root, 0)))
        return ca.if_else(u > 0, root, 0) + ca.log(s)  # here: counts

    unit = Program("p", BETWEEN.inputs, BETWEEN.outputs, expr)
    assert find_nan(unit, x=[1, 1, 1], u=-1) is None
    assert place(find_nan(unit, x=[-1, -1, 1], u=-1)) == marked("counts")


def test_memory_of_a_program() -> None:
    late = delay("late", Port("u"), 1)

    def expr(u: ca.SX, u_line: ca.SX, m: ca.SX) -> Any:
        return late(u, u_line=u_line) + m, u_line, 1 / (u - 1)  # here: memory

    unit = Program("p", (Port("u"),), (Port("y"),), expr, memory=(Port("u_line", 3), Port("m")))
    made = find_infinity(unit, u=1)
    assert made is not None and place(made) == marked("memory") and made.reaches == ("m",)
    kept = find_nan(unit, u=0, m=math.nan)
    assert kept is not None and (kept.place, kept.reaches) == ("memory m", ("y",))


def test_long_programs_are_found_in_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("motionbase.compile.placement.SPLIT_ABOVE", 5)

    def expr(x: ca.SX, u: ca.SX) -> ca.SX:
        y = u
        for k in range(20):
            y = ca.sqrt(y + x[k % 3] - 3 * (k == 11))  # here: long
        return y

    finding = find_nan(Program("p", BETWEEN.inputs, BETWEEN.outputs, expr), x=[0.1, 0.1, 0.1], u=1)
    assert finding is not None and place(finding) == marked("long") and finding.path == ()


def test_program_that_runs_only_once_gives_the_line_of_the_statement() -> None:
    runs = iter([True])

    def expr(x: ca.SX, u: ca.SX) -> Any:
        next(runs)
        return TOTAL(x) / u

    once = Program("p", BETWEEN.inputs, BETWEEN.outputs, expr)
    _ = once.routine
    finding = find_nan(once, x=[0, 0, 0], u=0)
    assert finding is not None and (finding.op, finding.expression) == ("div", "s / u")
    assert place(finding) == (__file__, expr.__code__.co_firstlineno) and "its own line is not known" in finding.note


def test_nan_constants_are_refused_with_their_line() -> None:
    def own(x: ca.SX, u: ca.SX) -> Any:
        return TOTAL(x) + u * float("nan")  # here: nan constant

    def turn(x: ca.SX, u: ca.SX) -> Any:
        return TOTAL(for_each(lambda row: row + math.nan, x))  # here: nan in a turn

    def argument(x: ca.SX, u: ca.SX) -> Any:
        return TOTAL(ca.SX([1, 2, math.nan]))  # here: nan argument

    for expr, mark in ((own, "nan constant"), (turn, "nan in a turn"), (argument, "nan argument")):
        with pytest.raises(
            KernelError, match=rf"holds the constant NaN \(.*test_diagnose_programs.py:{marked(mark)[1]}\)"
        ):
            _ = Program("p", BETWEEN.inputs, BETWEEN.outputs, expr).digest


def test_probes_of_programs() -> None:
    def helper(s: ca.SX) -> ca.SX:
        return probe("twice", 2 * s)

    def expr(x: ca.SX, u: ca.SX, m: ca.SX) -> Any:
        y = helper(TOTAL(x)) + ca.sum1(for_each(lambda row: probe("row", row * u), probe("rows", 2 * x)))
        return y, m + 1

    unit = Program("p", BETWEEN.inputs, BETWEEN.outputs, expr, memory=(Port("m"),))
    got = evaluate(unit.with_probes("twice"), x=[1, 2, 3], u=1, m=4)
    assert {name: value.tolist() for name, value in got.items()} == {"y": 24, "twice": 12, "m": 5}
    assert evaluate(unit.with_probes(), x=[1, 2, 3], u=1)["rows"].tolist() == [2, 4, 6]
    with pytest.raises(KernelError, match="probe 'row' is inside a loop or a case; return the value"):
        unit.with_probes("row")
    with pytest.raises(KernelError, match="no probe 'other'; probes: twice, rows, row"):
        unit.with_probes("other")


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.integers(0, 200), min_size=5, max_size=40), st.sampled_from([0.0, -1.0, 1e200, math.inf]))
def test_random_programs(code: list[int], special: float) -> None:
    """What is found is bad, made of what is not, has a line, and is found exactly if an output is bad."""
    unit = Program("p", (Port("x", 4),), (Port("y", 4),), Grown(code), allow_nan=True)
    x = [0.3, special, -0.7, 0.0]
    y = evaluate(unit, x=x)["y"]
    for look, bad in ((find_nan, np.isnan), (find_infinity, np.isinf)):
        finding = look(unit, x=x)
        assert (finding is not None) == bool(bad(y).any())
        if finding is not None and finding.kind == "operation":
            assert bad(finding.result) and not bad(finding.arguments).any() and finding.line is not None
            if look is find_nan and np.isinf(finding.arguments).any():
                assert finding.infinity is not None
