"""The line a NaN came from: found by markers in the source, for kernels and derivatives."""

import math
import sys
from functools import partial
from typing import Any

import casadi as ca
import numpy as np
import pytest

import tests.compile.nan_helpers as nan_helpers
from motionbase.compile import (
    Kernel,
    Port,
    compile,
    compose,
    jacobian,
    table,
)
from motionbase.compile.guarded import sinc
from motionbase.compile.inspection.diagnose import evaluate, find_infinity, find_nan
from motionbase.errors import KernelError, PortError
from tests.compile.nan_helpers import kernel, marked_in, place

marked = partial(marked_in, __file__)


def division(q: ca.SX) -> ca.SX:
    a = q[0] * 2
    b = a / q[1]  # here: division
    return b + 1


def logarithm(q: ca.SX) -> ca.SX:
    return ca.log(q[0]) * q[1]  # here: logarithm


def root(q: ca.SX) -> ca.SX:
    inner = q[0] + q[1]
    return ca.sqrt(  # here: root
        inner
    )


def arc(q: ca.SX) -> ca.SX:
    total = ca.SX(0)
    for k in range(2):
        total += ca.acos(q[k])  # here: arc
    return total


def difference(q: ca.SX) -> ca.SX:
    a = 1 / q[0]  # here: infinity
    b = 2 / q[0]
    return a - b * q[1]  # here: difference


def comprehension(q: ca.SX) -> ca.SX:
    parts = [
        k + ca.sqrt(q[k])  # here: comprehension
        for k in range(2)
    ]
    return parts[0] + parts[1]


def helped(q: ca.SX) -> ca.SX:
    return 1 + nan_helpers.ratio(q[0], q[1])  # here: helped


def matrix(q: ca.SX) -> ca.SX:
    M = ca.SX.zeros(2, 2)
    M[0, 1] = ca.fmod(q[0], q[1])  # here: matrix
    return ca.sum1(ca.sum2(M))


@pytest.mark.parametrize(
    ("expr", "q", "op", "arguments"),
    [
        (division, [0, 0], "div", (0, 0)),
        (logarithm, [-1, 2], "log", (-1,)),
        (root, [-3, 1], "sqrt", (-2,)),
        (arc, [0.5, 2], "acos", (2,)),
        (difference, [0, 1], "sub", (math.inf, math.inf)),
        (comprehension, [1, -4], "sqrt", (-4,)),
        (matrix, [1, 0], "fmod", (1, 0)),
    ],
)
def test_operation_and_line(expr: Any, q: list[float], op: str, arguments: tuple[float, ...]) -> None:
    finding = find_nan(kernel(expr), q=q)
    assert finding is not None
    assert (finding.kind, finding.op, finding.arguments) == ("operation", op, arguments)
    assert math.isnan(finding.result) and finding.reaches == ("y",) and finding.unit == "k"
    assert place(finding) == marked(expr.__name__)


def test_part_of_the_line_is_marked() -> None:
    finding = find_nan(kernel(logarithm), q=[-1, 2])
    assert finding is not None and finding.line is not None and finding.line.columns is not None
    first, end = finding.line.columns
    assert finding.line.text[first:end] == "ca.log(q[0])"
    assert finding.expression == "log(q[0])"


def test_infinity_that_led_to_it() -> None:
    finding = find_nan(kernel(difference), q=[0, 1])
    assert finding is not None and place(finding.infinity) == marked("infinity")
    assert find_nan(kernel(division), q=[0, 0]).infinity is None  # type: ignore[union-attr]


def test_helper_in_another_file_and_its_caller() -> None:
    finding = find_nan(kernel(helped), q=[0, 0])
    assert finding is not None and place(finding) == marked_in(nan_helpers.__file__, "ratio")
    assert [(s.file, s.line) for s in finding.callers] == [marked("helped")]


def test_nothing_to_find() -> None:
    assert find_nan(kernel(division), q=[1, 2]) is None
    assert find_infinity(kernel(division), q=[1, 2]) is None


def test_first_infinity() -> None:
    finding = find_infinity(kernel(division), q=[1, 0])
    assert finding is not None and finding.value == "infinity" and place(finding) == marked("division")


def test_nan_that_a_select_drops_is_not_reported() -> None:
    guarded = kernel(lambda q: ca.if_else(q[0] > 0, ca.sqrt(q[0]), 0))
    assert find_nan(guarded, q=[-1, 0]) is None


def test_nan_among_the_inputs() -> None:
    total = Kernel("m", (Port("R", (2, 2)),), (Port("y"),), lambda R: ca.sum1(ca.sum2(R)))
    finding = find_nan(total, R=np.array([[1, 2], [math.nan, 4]]))
    assert finding is not None and (finding.kind, finding.place) == ("input", "input R[1, 0]")


def test_constant() -> None:
    def expr(q: ca.SX) -> ca.SX:
        return q[0] + float("nan") * q[1]  # here: constant

    finding = find_nan(kernel(expr), q=[1, 2])
    assert finding is not None and finding.kind == "constant"
    assert place(finding) == marked("constant")


def test_what_the_compiler_makes_of_the_result_is_nobodys_line() -> None:
    """A bare number becomes a node only after the expression has returned."""
    finding = find_nan(kernel(lambda q: float("nan")), q=[1, 2])
    assert finding is not None and finding.kind == "constant" and finding.stack == ()


def test_a_line_inside_the_compiler_is_not_the_first_to_look_at() -> None:
    def expr(q: ca.SX) -> ca.SX:
        return sinc(q[0]) * q[1]  # here: guarded

    finding = find_nan(kernel(expr), q=[math.inf, 1])
    assert finding is not None and place(finding) == marked("guarded")


def test_composed_kernels() -> None:
    first = Kernel("first", (Port("q", 2),), (Port("y"),), division)
    second = Kernel("second", (Port("y"),), (Port("z"),), lambda y: 3 * y)
    finding = find_nan(compose("both", first, second), q=[0, 0])
    assert finding is not None and place(finding) == marked("division") and finding.reaches == ("y", "z")


def slope(q: ca.SX) -> ca.SX:
    a = q[1] * 3
    return a * ca.sqrt(q[0])  # here: slope


def test_derivative_leads_to_the_line_differentiated() -> None:
    derivative = jacobian(kernel(slope), "y", "q")
    finding = find_nan(derivative, q=[0, 0])
    assert finding is not None and place(finding) == marked("slope")
    assert "sqrt(q[0]) is inf" in finding.note


def test_second_derivative() -> None:
    once = jacobian(kernel(slope), "y", "q")
    twice = jacobian(once, once.outputs[0].name, "q")
    finding = find_nan(twice, q=[0, 0])
    assert finding is not None and "line" in str(finding)


def test_primitive() -> None:
    lookup = table("lookup", [[0.0, 1.0]], [1.0, float("nan")], inputs=[Port("x")], output=Port("y"))
    assert find_nan(lookup, x=float("nan")).kind == "input"  # type: ignore[union-attr]
    assert find_nan(lookup, x=0.5).kind == "constant"  # type: ignore[union-attr]


def test_profile_and_trace_functions_are_left_as_they_were() -> None:
    def mine(*_: object) -> None:
        pass

    before = sys.gettrace()
    sys.setprofile(mine)
    try:
        find_nan(kernel(division), q=[0, 0])
        assert sys.getprofile() is mine and sys.gettrace() is before
        with pytest.raises(KernelError, match="ZeroDivisionError"):
            find_nan(kernel(lambda q: q[0] / (1 // 0)), q=[0, 0])
        assert sys.getprofile() is mine
    finally:
        sys.setprofile(None)


def test_expression_that_runs_only_once_gives_a_finding_without_a_line() -> None:
    runs = iter([True])

    def expr(q: ca.SX) -> ca.SX:
        next(runs)
        return q[0] / q[1]

    once = kernel(expr)
    _ = once.trace
    finding = find_nan(once, q=[0, 0])
    assert finding is not None and finding.op == "div" and finding.line is None
    assert "line        unknown" in str(finding)


def test_called_function_is_attributed_to_the_call() -> None:
    x = ca.SX.sym("x", 2)
    f = ca.Function("f", [x], [x[0] / x[1]], {"never_inline": True})

    def expr(q: ca.SX) -> ca.SX:
        return 1 + f(q)  # here: function

    assert place(find_nan(kernel(expr), q=[0, 0])) == marked("function")


def test_bad_arguments_name_the_port() -> None:
    with pytest.raises(PortError, match="'p'"):
        find_nan(kernel(division), q=[1, 2], p=1)
    with pytest.raises(PortError, match="'q'"):
        find_nan(kernel(division))
    with pytest.raises(PortError, match="shape"):
        find_nan(kernel(division), q=[1, 2, 3])


def test_replay_agrees_with_the_compiled_code() -> None:
    unit = kernel(difference)
    y = compile(unit, "llvm", cache=None)([0.3, 0.7])
    assert evaluate(unit, q=[0.3, 0.7])["y"] == y


def test_json_has_no_bare_nan() -> None:
    finding = find_nan(kernel(difference), q=[0, 1])
    assert finding is not None
    data = finding.as_json()
    assert data["result"] == "nan" and data["arguments"] == ["inf", "inf"]
    assert data["infinity"]["result"] == "inf" and data["line"]["line"] == marked("difference")[1]
