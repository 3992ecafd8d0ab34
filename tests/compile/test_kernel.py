"""Tracing, composing and probing kernels; ports of every shape; each error by its message."""

import math
import re
import shutil
import subprocess
from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np
import pytest

from motionbase.compile import Kernel, Port, Program, Sparsity, compile, compose, jacobian, probe
from motionbase.compile.authored import shown
from motionbase.compile.names import _broken_rule
from motionbase.compile.ops import Op
from motionbase.compile.target import Target
from motionbase.errors import KernelError, PortError
from tests.compile.on_targets import TARGETS, assert_all_targets, assert_same_bits, on_python, on_target

X, Y = Port("x", 3, "m"), Port("y", (), "m")


def refused(message: str, make: Callable[[], Any], error: type[Exception] = KernelError) -> None:
    with pytest.raises(error, match=re.escape(message)):
        make()


# ---- names and ports -----------------------------------------------------------------------------------------------

BAD_NAMES = [  # by the rule that each breaks
    ("is letters, digits and underscores, and starts with a letter", ["", "1x", "x y", "x-y", "_x", "é", "a.b"]),
    ("does not end with an underscore, nor has two in a row", ["x_", "a__b"]),
    ("does not start with 'mb_'", ["mb_x"]),
    ("is not a word of C or Python", ["double", "class", "lambda", "catch", "NULL", "sqrt"]),
    ("is not a macro of C", ["DBL_MAX", "FLT_RADIX", "INT32_MIN", "UINT_FAST8_MAX", "HUGE_VALF", "FP_NAN", "M_PI"]),
]


@pytest.mark.parametrize(("rule", "name"), [(rule, name) for rule, names in BAD_NAMES for name in names])
def test_bad_names_are_refused(rule: str, name: str) -> None:
    refused(f"port {name!r}: a name {rule}", lambda: Port(name))
    refused(f"kernel {name!r}: a name {rule}", lambda: Kernel(name, (X,), (Y,), ca.sum1))


@pytest.mark.parametrize("name", ["out", "every", "steps"])
def test_a_port_cannot_have_the_name_of_an_argument_but_a_kernel_can(name: str) -> None:
    refused(f"port {name!r}: a name of a port is not an argument of a call or a scan", lambda: Port(name))
    assert Kernel(name, (X,), (Y,), ca.sum1).name == name


def test_no_macro_of_the_headers_is_a_name() -> None:
    """What the preprocessor would replace in generated C: every macro of the headers that it includes."""
    gcc = shutil.which("gcc")
    if gcc is None:
        pytest.skip("gcc tells the macros")
    headers = "".join(f"#include <{name}.h>\n" for name in ("float", "math", "stdint", "string"))
    command = [gcc, "-std=gnu17", "-D_GNU_SOURCE", "-dM", "-E", "-"]
    text = subprocess.run(command, input=headers, capture_output=True, text=True, check=True).stdout
    # a macro with parameters leaves a name without them alone
    macros = re.findall(r"^#define ([A-Za-z]\w*) ", text, re.MULTILINE)
    assert "DBL_MAX" in macros
    assert [name for name in macros if not _broken_rule("port", name)] == []


def test_a_kernel_cannot_have_the_name_of_a_library_function_but_a_port_can() -> None:
    for name in ("exp", "free", "abs", "index", "memset", "y0", "sinf", "fmal", "strdup"):
        message = f"kernel {name!r}: a name of a function is not one of the C library's"
        refused(message, lambda name=name: Kernel(name, (X,), (Y,), ca.sum1))  # type: ignore[misc]
        assert Port(name).name == name


@pytest.mark.parametrize("name", ["a_b", "jac", "hess", "null", "E", "I", "x1_2", "out", "self"])
def test_odd_names_are_names(name: str) -> None:
    """CasADi refuses some of these for its own functions; ours may have them."""
    kernel = Kernel(name, (Port("q" + name),), (Port("r" + name),), lambda x: x + 1)
    got = assert_all_targets(kernel, {"q" + name: np.array([1.0])}, ("llvm1", "gcc"))
    assert got["r" + name].tolist() == [2.0]


def test_ports_are_checked() -> None:
    refused("port 'a': shape (1, 2, 3) must be (), n, (n,) or (rows, columns)", lambda: Port("a", (1, 2, 3)))
    refused("port 'a': shape -1 must be", lambda: Port("a", -1))
    refused("port 'a': shape 2.5 must be", lambda: Port("a", 2.5))  # type: ignore[arg-type]
    refused("port 'a': shape 'm' must be", lambda: Port("a", "m"))  # type: ignore[arg-type]
    refused("port 'a': unit 3 must be a text", lambda: Port("a", (), 3))  # type: ignore[arg-type]
    refused("port 3: a name is a text, not int", lambda: Port(3))  # type: ignore[arg-type]
    assert Port("a", np.int64(3)).shape == (3,)  # type: ignore[arg-type]
    assert [type(n) for n in Port("a", (np.int32(2), 3)).dims] == [int, int]  # type: ignore[arg-type]
    refused("port 'a': a sparsity needs a matrix, not shape (3,)", lambda: Port("a", 3, sparsity=Sparsity((0,), (0,))))
    reach = Sparsity((0, 2), (0, 0))
    refused("port 'a': the sparsity reaches outside shape (2, 2)", lambda: Port("a", (2, 2), sparsity=reach))
    refused("a sparsity lists its places row by row, each once", lambda: Sparsity((0, 0), (1, 0)))
    refused("a sparsity lists its places row by row, each once", lambda: Sparsity((0, 0), (1, 1)))
    refused("port 'a': 3 values given, 2 are stored", lambda: Port("a", 2).dense([1, 2, 3]), PortError)


def test_two_ports_of_one_name_are_refused() -> None:
    refused("kernel 'k': two ports are named 'x'", lambda: Kernel("k", (X, X), (Y,), ca.fmin))
    refused("kernel 'k': two ports are named 'x'", lambda: Kernel("k", (X,), (X,), lambda x: x))


def test_ports_come_in_a_sequence() -> None:
    def make(inputs: Any, outputs: Any = (Y,)) -> Callable[[], Any]:
        return lambda: Kernel("k", inputs, outputs, ca.sum1)

    refused("kernel 'k': inputs is a single Port; with a comma it is a sequence of one: (Port('x'),)", make(X))
    refused("kernel 'k': outputs is a single Port", make((X,), Y))
    refused("kernel 'k': inputs has 'x', which is str and not a Port", make(("x",)))
    refused("kernel 'k': inputs has 3, which is int and not a Port", make(3))
    refused("program 'p': inputs has 'x', which is str", lambda: Program("p", ("x",), (Y,), lambda x: x))  # type: ignore[arg-type]
    assert make([X], iter([Y]))().ports == (X, Y)


# ---- tracing -------------------------------------------------------------------------------------------------------


def traced(outputs: tuple[Port, ...], expr: Callable[..., Any]) -> Callable[[], Any]:
    return lambda: Kernel("k", (X,), outputs, expr).function


def test_what_an_expression_returns_is_checked() -> None:
    refused("kernel 'k': the expression returns 2 values for 1 outputs", traced((Y,), lambda x: (x[0], x[1])))
    refused("kernel 'k': the expression returns 1 values for 2 outputs", traced((Y, Port("z")), lambda x: x[0]))
    refused("kernel 'k': output 'y' has shape (3, 1), its port says (1, 1)", traced((Y,), lambda x: x))
    refused("kernel 'k': output 'v' has shape (1, 3), its port says (3, 1)", traced((Port("v", 3),), lambda x: x.T))
    refused("kernel 'k': output 'y' is str, not a CasADi SX", traced((Y,), lambda x: "text"))
    refused("kernel 'k': output 'y' is MX, not a CasADi SX", traced((Y,), lambda x: ca.MX.sym("m")))
    refused("kernel 'k': output 'y' is NoneType, not a CasADi SX", traced((Y,), lambda x: None))
    diagonal = Port("d", (3, 3), sparsity=Sparsity((0, 1, 2), (0, 1, 2)))
    refused("kernel 'k': output 'd' has values outside its port's sparsity", traced((diagonal,), lambda x: x @ x.T))


def test_errors_in_the_expression_name_kernel_file_and_line() -> None:
    def line(expr: Callable[..., Any]) -> str:
        return f"({shown(__file__)}:{expr.__code__.co_firstlineno + 1})"

    def branches(x: ca.SX) -> Any:
        return x[0] if x[0] > 1 else x[1]

    def counts(x: ca.SX) -> Any:
        return [x[0] for _ in range(x[0])]  # type: ignore[call-overload]

    def breaks(x: ca.SX) -> Any:
        raise ValueError("no such leg")

    def outside(x: ca.SX) -> Any:
        return ca.sqrt(x[7])

    truth = "; a symbol has no truth value while tracing; use ca.if_else"
    refused(f"truth value of a CasADi SXElem symbolic expression. {line(branches)}{truth}", traced((Y,), branches))
    refused(f"kernel 'k': TypeError: 'SX' object cannot be interpreted as an integer {line(counts)}; a symbol is not a "
            "number while tracing", traced((Y,), counts))  # fmt: skip
    refused(f"kernel 'k': ValueError: no such leg {line(breaks)}", traced((Y,), breaks))
    refused("out of bounds", traced((Y,), outside))
    refused("kernel 'k': TypeError: ", traced((Y,), lambda: 1))
    refused("kernel 'whole': ", lambda: compose("whole", Kernel("whole", (X,), (Y,), breaks)).function)
    with pytest.raises(KernelError) as caught:
        traced((Y,), breaks)()
    assert isinstance(caught.value.__cause__, ValueError)  # for debuggers


def test_a_nan_constant_is_refused() -> None:
    def slipped(x: ca.SX) -> list[Any]:
        k = x[1]
        return [x[0], x[2] * math.sin(k)]

    made = Kernel("k", (X,), (Y, Port("z")), slipped)
    place = f"{shown(__file__)}:{slipped.__code__.co_firstlineno + 2}"
    refused(f"kernel 'k': output 'z' holds the constant NaN ({place}); did math.* or float() see a symbol?",
            lambda: made.function)  # fmt: skip
    refused("kernel 'k': output 'y' holds the constant NaN; did", traced((Y,), lambda x: math.sqrt(x[0])))
    refused("output 'd_z_d_x' holds the constant NaN", lambda: jacobian(made, "z", "x").function)
    meant = Kernel("k", (X,), (Y,), lambda x: x[0] * math.nan, allow_nan=True)
    assert np.isnan(compile(meant)(np.ones(3)))
    for derived in (jacobian(meant, "y", "x"), compose("c", meant), meant.with_probes()):
        assert derived.allow_nan and derived.function


def test_parameters_in_another_order_than_the_ports_are_refused() -> None:
    message = "kernel 'k': the expression takes y, x, but the ports come in the order x, y"
    swapped = Kernel("k", (X, Y), (Port("z"),), lambda y, x: x[0] - y)
    refused(message, lambda: swapped.trace)
    refused(message, lambda: compose("c", swapped).trace)
    refused(message, lambda: swapped.with_probes())
    for expr in (lambda x, y: x[0] - y, lambda a, b: a[0] - b, lambda *v: v[0][0] - v[1]):
        assert Kernel("k", (X, Y), (Port("z"),), expr).trace


def test_a_free_variable_is_named() -> None:
    g, x2 = ca.SX.sym("g"), ca.SX.sym("x")  # the second has the name of an input, but is another symbol
    message = "kernel 'k': the expression uses {}, which no input port gives; inputs: x"
    refused(message.format("g"), traced((Y,), lambda x: x[0] * g))
    refused(message.format("g, x"), traced((Y,), lambda x: x[0] * g + x2))


def test_a_kernel_is_traced_once() -> None:
    count = []

    def expr(x: ca.SX) -> ca.SX:
        count.append(1)
        return ca.sum1(x)

    kernel = Kernel("k", (X,), (Y,), expr)
    assert kernel.function is kernel.function and kernel.routine is kernel.routine and kernel.digest == kernel.digest
    assert len(count) == 1


def test_common_subexpressions_are_shared() -> None:
    def roots(cse: bool) -> int:
        kernel = Kernel("k", (X,), (Y,), lambda x: ca.sqrt(x[0] + 1) + 2 * ca.sqrt(x[0] + 1), cse=cse)
        function = kernel.function
        return [function.instruction_id(k) for k in range(function.n_instructions())].count(ca.OP_SQRT)

    assert (roots(True), roots(False)) == (1, 2)
    # the block builder shares equal instructions whatever CasADi did
    block = Kernel("k", (X,), (Y,), lambda x: ca.sqrt(x[0]) + 2 * ca.sqrt(x[0]), cse=False).routine.body[0]
    assert [i.op for i in getattr(block, "instructions")].count(Op.SQRT) == 1  # noqa: B009


def test_the_digest_is_of_the_content() -> None:
    def digest(name: str = "k", port: Port = X, expr: Callable[..., Any] = ca.sum1) -> str:
        return Kernel(name, (port,), (Y,), expr).digest

    assert digest() == digest()
    others = [digest(name="k2"), digest(port=Port("x2", 3)), digest(port=Port("x", 4)), digest(expr=lambda x: x[0])]
    others.append(digest(expr=lambda x: x[0] + 1e-300))
    assert len({digest(), *others}) == 6


# ---- shapes --------------------------------------------------------------------------------------------------------

PLACES = Sparsity((0, 0, 2), (0, 3, 1))
SHAPES = Kernel(
    "shapes",
    (Port("s"), Port("v", 2), Port("m", (2, 3)), Port("a", (3, 4), sparsity=PLACES), Port("none", 0),
     Port("unused", 5)),
    (
        Port("s_out"), Port("m_out", (2, 3)), Port("t_out", (3, 2)), Port("a_out", (3, 4), sparsity=PLACES),
        Port("dense", (3, 4)), Port("twin", 2), Port("again", 2), Port("constant", (2, 2)), Port("empty", (0, 3)),
        Port("filled", (3, 4), sparsity=PLACES),
    ),
    lambda s, v, m, a, none, unused: [
        s, m, m.T, 2 * a, a, v * s, v * s, np.array([[1.0, 2.0], [3.0, np.inf]]), ca.SX(0, 3), a[0, 0] * ca.SX(3, 4),
    ],
)  # fmt: skip


def shapes_batch(n: int = 9) -> dict[str, Any]:
    r = np.random.default_rng(4)
    return {p.name: r.normal(size=(n, *p.array_shape)) for p in SHAPES.inputs}


def test_ports_of_every_shape() -> None:
    """Row by row everywhere; sparse data one value a place; inputs straight to outputs; one expression twice."""
    batch = shapes_batch()
    got = on_python(SHAPES, batch)
    dense = np.zeros((9, 3, 4))
    dense[:, [0, 0, 2], [0, 3, 1]] = batch["a"]
    wanted = {
        **batch,
        "s_out": batch["s"],
        "m_out": batch["m"],
        "t_out": np.ascontiguousarray(batch["m"].transpose(0, 2, 1)),
        "a_out": 2 * batch["a"],
        "dense": dense,
        "twin": batch["v"] * batch["s"][:, None],
        "again": batch["v"] * batch["s"][:, None],
        "constant": np.resize([1.0, 2.0, 3.0, np.inf], (9, 2, 2)),
        "empty": np.zeros((9, 0, 3)),
        "filled": np.zeros((9, 3)),
    }
    assert_same_bits(got, wanted, "shapes")
    np.testing.assert_array_equal(SHAPES.inputs[3].dense(batch["a"][0]), dense[0])


@pytest.mark.parametrize("target", TARGETS)
def test_ports_of_every_shape_on_every_target(target: str) -> None:
    batch = shapes_batch()
    assert_same_bits(on_target(target, SHAPES, batch), on_python(SHAPES, batch), target)


def test_a_kernel_without_inputs_or_outputs() -> None:
    constant = Kernel("constant", (), (Y,), lambda: ca.SX(3.5))
    idle = Kernel("idle", (X,), (), lambda x: ())
    targets: tuple[Target, ...] = ("python", "llvm", "c")
    for target in targets:
        assert compile(constant, target)() == 3.5
        assert compile(idle, target)(np.zeros(3)) == ()


# ---- composing -----------------------------------------------------------------------------------------------------

SQUARE = Kernel("square", (Port("u", 2, "m"),), (Port("s", 2, "m2"),), lambda u: u * u)
SUM = Kernel(
    "sum_up", (Port("s", 2, "m2"), Port("k")), (Port("t", (), "m2"), Port("d")), lambda s, k: [k * (s[0] + s[1]), -k]
)
SCALE = Kernel("scale", (Port("k"), Port("t", (), "m2")), (Port("w", (), "m2"),), lambda k, t: k * t)


def test_compose_joins_by_name() -> None:
    """s goes from the first to the second, t to the third; k is wanted by two and becomes one input."""
    whole = compose("whole", SQUARE, SUM, SCALE)
    assert [p.name for p in whole.inputs] == ["u", "k"]
    assert [p.name for p in whole.outputs] == ["s", "t", "d", "w"]
    got = assert_all_targets(whole, {"u": np.array([[2.0, 3.0]]), "k": np.array([0.5])}, ("llvm1", "gcc"))
    assert [got[n].tolist() for n in "stdw"] == [[[4.0, 9.0]], [6.5], [-0.5], [3.25]]
    assert len(whole.routine.body) == 1  # fused: one block, no memory between the parts


def test_compose_with_chosen_outputs() -> None:
    whole = compose("whole", SQUARE, SUM, SCALE, outputs=["w"], description="only w")
    assert [p.name for p in whole.outputs] == ["w"] and whole.description == "only w"
    refused("compose 'whole': no output 'u'; outputs: s, t, d", lambda: compose("whole", SQUARE, SUM, outputs=["u"]))
    refused("kernel 'whole': two ports are named 's'", lambda: compose("whole", SQUARE, outputs=["s", "s"]))


def test_compose_checks_ports() -> None:
    feet = Kernel("feet", (Port("s", 2, "ft2"),), (Port("q"),), lambda s: s[0])
    longer = Kernel("longer", (Port("s", 3, "m2"),), (Port("q"),), lambda s: s[0])
    message = "compose 'w': port s (2) [m2] does not fit port s ({}) [{}]"
    refused(message.format(2, "ft2"), lambda: compose("w", SQUARE, feet))
    refused(message.format(3, "m2"), lambda: compose("w", SQUARE, longer))
    refused("compose 'w': port s (2) [ft2] does not fit port s (2) [m2]", lambda: compose("w", feet, SUM))
    refused("compose 'w': port 's' of kernel 'square' is already taken", lambda: compose("w", SQUARE, SQUARE))
    refused("compose 'w': port 's' of kernel 'square' is already taken", lambda: compose("w", SUM, SQUARE))


def test_only_kernels_are_composed_and_differentiated() -> None:
    program = Program("p", (X,), (Y,), lambda x: x)
    message = "'p' is a Program, it must be a Kernel"
    refused(f"compose 'w': {message}", lambda: compose("w", SQUARE, program))  # type: ignore[arg-type]
    refused(f"jacobian: {message}", lambda: jacobian(program, "y", "x"))  # type: ignore[arg-type]


def test_compose_names_the_part_that_is_wrong() -> None:
    wrong = Kernel("wrong", (Port("s", 2, "m2"),), (Port("q"),), lambda s: (s[0], s[1]))
    message = "kernel 'wrong': the expression returns 2 values for 1 outputs"
    refused(message, lambda: compose("w", SQUARE, wrong).trace)


# ---- probes --------------------------------------------------------------------------------------------------------


def probed(x: ca.SX) -> ca.SX:
    inner = probe("inner", 2 * x)
    return ca.sum1(probe("squares", inner * inner)) + probe("first", inner[0])


PROBED = Kernel("probed", (X,), (Y,), probed)


def test_probes_are_outputs_on_demand() -> None:
    x = np.array([[1.0, 2.0, 3.0]])
    assert [p.name for p in PROBED.outputs] == ["y"]
    assert on_python(PROBED, {"x": x})["y"].tolist() == [58.0]
    all_of_them = PROBED.with_probes()
    assert [(p.name, p.dims) for p in all_of_them.outputs] == [
        ("y", ()),
        ("inner", (3,)),
        ("squares", (3,)),
        ("first", ()),
    ]
    got = assert_all_targets(PROBED.with_probes("squares"), {"x": x}, ("llvm1", "gcc"))
    assert got["squares"].tolist() == [[4.0, 16.0, 36.0]] and got["y"].tolist() == [58.0] and "inner" not in got
    refused("kernel 'probed': no probe 'outer'; probes: inner, squares, first", lambda: PROBED.with_probes("outer"))


def test_probes_of_composed_kernels_and_outside_of_kernels() -> None:
    whole = compose("whole", PROBED, Kernel("after", (Y,), (Port("z"),), lambda y: probe("half", y / 2)))
    got = on_python(whole.with_probes("inner", "half"), {"x": np.array([[1.0, 2.0, 3.0]])})
    assert got["inner"].tolist() == [[2.0, 4.0, 6.0]] and got["half"].tolist() == [29.0]
    symbol = ca.SX.sym("s")
    assert probe("nowhere", symbol) is symbol


def test_a_probe_may_be_a_number() -> None:
    kernel = Kernel("k", (X,), (Y,), lambda x: probe("c", 3.0) * x[0])
    assert [float(v) for v in compile(kernel.with_probes())(np.ones(3))] == [3.0, 3.0]
    wrong = Kernel("k", (X,), (Y,), lambda x: probe("c", "3") and x[0])  # type: ignore[type-var]
    refused("probe 'c' is str, not a CasADi SX", lambda: wrong.trace)
