"""Every program form on every target, to the bit, and against plain Python."""

import re
from collections.abc import Callable
from enum import IntEnum
from typing import Any

import casadi as ca
import numpy as np
import pytest

from motionbase.compile import Kernel, Port, Program, for_each, repeat, switch
from motionbase.compile.authored import shown
from motionbase.errors import KernelError, PortError
from tests.compile.on_targets import TARGETS, Array, Batch, assert_same_bits, on_python, on_target

SX = ca.SX
N = 24  # samples; on lanes neighbours take different cases
RANDOM = np.random.default_rng(1)

AXPY = Kernel("axpy", (Port("a"), Port("x", 3), Port("y", 3)), (Port("z", 3),), lambda a, x, y: a * x + y)
TOTAL = Kernel("total", (Port("x", 3),), (Port("s"), Port("p")), lambda x: [ca.sum1(x), x[0] * x[1] - x[2]])
STEP = Kernel("step", (Port("x", 2),), (Port("x_next", 2),), lambda x: ca.vertcat(x[0] - 0.1 * x[1], x[1] + 0.1 * x[0]))
NEGATED = Kernel("negated", (Port("u"),), (Port("v"),), lambda u: -u)
DOUBLED = Kernel("doubled", (Port("u"),), (Port("v"),), lambda u: 2 * u)


def ports(**sizes: int | tuple[int, ...]) -> tuple[Port, ...]:
    return tuple(Port(name, size) for name, size in sizes.items())


# ---- one program a form, and what it must give ---------------------------------------------------------------------


def nested_loops(w: SX, x: SX) -> Any:
    """Nested loops over rows in order, backwards, and every other; of the inner loop the last turn counts."""

    def row(a: SX, opposite: SX) -> Any:
        turns = for_each(lambda v: AXPY(v[1], a, opposite), w)
        return turns[1, :].T, ca.vertcat(*TOTAL(a))

    first, s = for_each(row, x, x[[3, 2, 1, 0], :])
    second = for_each(lambda a, b: for_each(lambda v: AXPY(v[0], a, b), w)[1, :].T, x[1::2, :], x[::2, :])
    return ca.vertcat(first, second, x[:2, :]), s


nested = Program("nested", ports(w=(2, 3), x=(4, 3)), ports(o=(8, 3), s=(4, 2)), nested_loops)


def nested_reference(w: Array, x: Array) -> tuple[Array, Array]:
    o, s = np.empty((8, 3)), np.empty((4, 2))
    for i in range(4):
        o[i] = w[1, 1] * x[i] + x[3 - i]
        s[i] = (x[i, 0] + x[i, 1]) + x[i, 2], x[i, 0] * x[i, 1] - x[i, 2]
    for i in range(2):
        o[4 + i] = w[1, 0] * x[2 * i + 1] + x[2 * i]
        o[6 + i] = x[i]
    return o, s


def chosen_case(k: SX, u: SX, m: SX) -> Any:
    """Cases 0, 2 and 4; 1 and 3 are missing and so take the default, like fractions, negatives and NaN."""
    also = for_each(lambda _: NEGATED(u), ca.DM.zeros(2))
    return switch(
        k,
        {
            0: lambda: (DOUBLED(u), also, m),
            4: lambda: (NEGATED(u), also, ca.vertcat(m[:2], k)),
            2: lambda: (u, also, ca.vertcat(for_each(lambda a: DOUBLED(a), also), m[2])),  # a loop inside a switch
        },
        lambda: (u, ca.vertcat(also[0], k), m),
    )


chosen = Program("chosen", ports(k=(), u=()), ports(o=(), also=2), chosen_case, memory=ports(m=3))


def chosen_reference(k: float, u: float, m: Array) -> tuple[float, list[float], list[float]]:
    o, also, m_next = u, [-u, -u], list(m)
    if k == 0:
        o = 2 * u
    elif k == 4:
        o, m_next[2] = -u, k
    elif k == 2:
        m_next[:2] = [-2 * u, -2 * u]
    else:
        also[1] = k
    return o, also, m_next


def looped_choice(k: SX, u: SX) -> Any:
    """A switch inside a loop, on a selector that moves with it, with another switch inside."""

    def turn(k: SX) -> Any:
        inner = {1: lambda: u}
        return switch(k, {0: lambda: DOUBLED(u), 1: lambda: switch(u, inner, lambda: NEGATED(u))}, lambda: k)

    return for_each(turn, k)


def sub_steps(x0: SX) -> Any:
    """Sub-steps: the result of each turn is the next one's input."""

    def turn(x: SX, trace: SX) -> Any:
        x_next = STEP(x)
        return x_next, ca.vertcat(trace[1:, :], x_next.T)

    return repeat(5, turn, x0, ca.DM.zeros(5, 2))


def with_constants(q: SX) -> Any:
    """Constants with special values, slices, negative indices and a result that is not used."""
    g = np.array([[1.0, -0.0, 1e-310], [0.1, np.inf, 3.0]])
    spare = for_each(lambda row: AXPY(0.5, row, q), g)
    _, p = TOTAL(spare[-2, :].T)
    return spare[0:2, :], p


def calls_programs(q: SX, k: SX) -> Any:
    """A program that calls programs and primitives of the same names as its own parts."""
    two = ca.DM.zeros(2)
    x = STEPPED_TWICE(q[0:2])
    o = switch(
        k, {1: lambda: for_each(lambda _: STEPPED_TWICE(q[1:3]), two)}, lambda: for_each(lambda _: q[0:2], two)
    )  # fmt: skip
    return o, x


def stepped_twice(x0: SX) -> Any:
    """Has the name of another program, and calls a kernel whose name is taken too."""
    other = Kernel("step", STEP.inputs, STEP.outputs, lambda x: 2 * x)
    return other(STEP(x0))


STEPPED_TWICE = Program("stepped", ports(x0=2), ports(x=2), stepped_twice)
looped = Program("looped", ports(k=4, u=()), ports(o=4), looped_choice)
stepped = Program("stepped", ports(x0=2), ports(x=2, trace=(5, 2)), sub_steps)
geometry = Program("geometry", ports(q=3), ports(o=(2, 3), last=()), with_constants)
outer = Program("outer", ports(q=3, k=()), ports(o=(2, 2), x=2), calls_programs)
SELECTORS = np.resize([0.0, 1.0, 2.0, 4.0, 3.0, np.nan, -1.0, 0.5, -0.0, 4.0, 5.0, np.inf, 2.0, 2.0, 0.0, 4.0], N)
CASES: list[tuple[Program, Batch]] = [
    (nested, {"w": RANDOM.normal(size=(N, 2, 3)), "x": RANDOM.normal(size=(N, 4, 3))}),
    (chosen, {"k": SELECTORS, "u": RANDOM.normal(size=N), "m": RANDOM.normal(size=(N, 3))}),
    (looped, {"k": RANDOM.choice([0.0, 1.0, 2.0, np.nan], (N, 4)), "u": RANDOM.choice([0.0, 1.0, 3.0], N)}),
    (stepped, {"x0": RANDOM.normal(size=(N, 2))}),
    (geometry, {"q": RANDOM.normal(size=(N, 3))}),
    (outer, {"q": RANDOM.normal(size=(N, 3)), "k": RANDOM.choice([0.0, 1.0], N)}),
]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("unit", "batch"), CASES, ids=lambda v: getattr(v, "name", ""))
def test_program_on_every_target(target: str, unit: Program, batch: Batch) -> None:
    assert_same_bits(on_target(target, unit, batch), on_python(unit, batch), f"{unit.name} on {target}")


def test_nested_loops_like_numpy() -> None:
    batch = CASES[0][1]
    got = on_python(nested, batch)
    for k in range(N):
        o, s = nested_reference(batch["w"][k], batch["x"][k])
        assert_same_bits({"o": got["o"][k], "s": got["s"][k]}, {"o": o, "s": s}, f"sample {k}")


def test_switch_like_python() -> None:
    batch = CASES[1][1]
    got = on_python(chosen, batch)
    for k in range(N):
        wanted = chosen_reference(float(batch["k"][k]), float(batch["u"][k]), batch["m"][k])
        for name, w in zip(("o", "also", "m"), wanted, strict=True):
            assert_same_bits({name: got[name][k : k + 1]}, {name: np.array([w])}, f"selector {batch['k'][k]}")


def test_switch_inside_a_loop_like_python() -> None:
    batch = CASES[2][1]
    got = on_python(looped, batch)["o"]
    for n in range(N):
        u = batch["u"][n]
        choice = {0.0: 2 * u, 1.0: u if u == 1 else -u}
        wanted = np.array([choice.get(k, k) for k in batch["k"][n].tolist()])
        assert_same_bits({"o": got[n]}, {"o": wanted}, f"sample {n}")


def test_sub_steps_in_place_like_numpy() -> None:
    batch = CASES[3][1]
    got = on_python(stepped, batch)
    x = batch["x0"].copy()
    for i in range(5):
        x = np.stack([x[:, 0] - 0.1 * x[:, 1], x[:, 1] + 0.1 * x[:, 0]], axis=1)
        assert_same_bits({"x": got["trace"][:, i].copy()}, {"x": x}, f"sub-step {i}")
    assert_same_bits({"x": got["x"]}, {"x": x}, "end")


def test_constants_slices_and_dropped_outputs_like_numpy() -> None:
    q = CASES[4][1]["q"]
    got = on_python(geometry, {"q": q})
    g = np.array([[1.0, -0.0, 1e-310], [0.1, np.inf, 3.0]])
    spare = 0.5 * g + q[:, None, :]
    last = spare[:, 0, 0] * spare[:, 0, 1] - spare[:, 0, 2]
    assert_same_bits({"o": got["o"], "last": got["last"]}, {"o": spare, "last": last}, "geometry")


def test_the_same_kernel_is_rendered_once() -> None:
    """Six calls of a kernel are calls of one function, not six copies."""
    from motionbase.compile.render.c import render

    text = render(nested).source
    assert len(re.findall(r"^static void nested_axpy\w*\(", text, re.MULTILINE)) == 1
    assert len(re.findall(r"nested_axpy\w*\(", text)) == 3  # the definition and two calls


class State(IntEnum):
    """Of a machine."""

    OFF = 0
    ON = 4


def test_cases_may_be_named_by_an_enumeration() -> None:
    """The number goes into the text of a digest, which must not depend on how it was written."""

    def made(*cases: Any) -> Program:
        return Program(
            "p", ports(k=()), ports(o=()), lambda k: switch(k, dict.fromkeys(cases, lambda: NEGATED(k)), lambda: k)
        )  # fmt: skip

    named, plain = made(*State), made(0, np.int64(4))
    assert named.digest == plain.digest
    k = np.array([0.0, 1.0, 4.0])
    for target in ("llvm1", "gcc"):
        assert on_target(target, named, {"k": k})["o"].tolist() == [-0.0, 1.0, -4.0]


# ---- what is refused -----------------------------------------------------------------------------------------------


def refused(message: str, expr: Callable[..., Any], error: type[Exception] = PortError) -> None:
    made = Program("p", ports(x=3, a=()), ports(z=3), expr, memory=ports(m=3))
    for asked in ("digest", "routine"):  # an object from the cache must not run what cannot be built
        with pytest.raises(error, match=message):
            getattr(made, asked)


def test_results_are_checked() -> None:
    here = rf"\({re.escape(shown(__file__))}:\d+\)"
    refused(r"output 'z' has shape \(2, 1\), its port says \(3, 1\)", lambda x, a, m: x[:2], KernelError)
    refused(r"output 'm' has shape \(1, 1\), its port says \(3, 1\)", lambda x, a, m: (x, a), KernelError)
    refused("the expression returns 3 values for 1 outputs", lambda x, a, m: (x, m, a), KernelError)
    refused("the expression returns 0 values for 1 outputs", lambda x, a, m: (), KernelError)
    refused("output 'z' is NoneType, not a CasADi SX", lambda x, a, m: None, KernelError)
    refused(
        rf"program 'p': IndexError: .* {here}|program 'p': .*ut of bounds.* {here}", lambda x, a, m: x[7], KernelError
    )
    refused(rf"program 'p': .* {here}", lambda x, a, m: x["0"], KernelError)
    refused("the expression takes m, a, x, but the ports come in the order x, a, m", lambda m, a, x: x, KernelError)


def test_calls_are_checked() -> None:
    owner = "call of 'axpy': "
    refused(owner + "no port 'w'; ports: a, x, y", lambda x, a, m: AXPY(a, x, x, w=x))
    refused(owner + "'y' is not given; ports: a, x, y", lambda x, a, m: AXPY(a, x))
    refused(owner + ".*4 .*3", lambda x, a, m: AXPY(a, x, x, x))
    refused(owner + ".*'a'", lambda x, a, m: AXPY(a, x, x, a=a))
    owner = "program 'p', call of 'axpy': port "
    refused(owner + r"'x' has shape \(1, 1\), its port says \(3, 1\)", lambda x, a, m: AXPY(a, a, x), KernelError)
    refused(owner + "'x' is str, not a CasADi SX", lambda x, a, m: AXPY(a, "x", x), KernelError)


def test_numbers_and_lists_will_do_as_values() -> None:
    unit = Program("p", ports(x=3), ports(z=3, v=()), lambda x: (AXPY(2, [1, 2, 3], x), NEGATED(np.float64(3))))
    got = on_python(unit, {"x": np.ones((1, 3))})
    assert got["z"].tolist() == [[3, 5, 7]] and got["v"].tolist() == [-3]


# ---- units and shapes ----------------------------------------------------------------------------------------------

METRES = Kernel("metres", (Port("p", 3, "m"), Port("T", (2, 3))), (Port("l", (), "m"),), lambda p, T: p[0] + T[1, 2])


def with_units(expr: Callable[..., Any]) -> Program:
    inputs = (Port("p", 3, "m"), Port("f", 3, "ft"), Port("pose", 6, "m, rad"), Port("T", (2, 3)), Port("S", (3, 2)))
    return Program("p", inputs, (Port("l", (), "m"), Port("force", (), "N")), expr)


@pytest.mark.parametrize(
    ("expr", "message"),
    [
        (lambda p, f, pose, T, S: (METRES(f, T), 0), r", call of 'metres': 'f' is in \[ft\], port p \(3\) \[m\] "),
        (lambda p, f, pose, T, S: (0, METRES(p, T)), r": 'l' is in \[m\], port force \(scalar\) \[N\] is not"),
        (lambda p, f, pose, T, S: (METRES(p, S), 0), r", call of 'metres': port 'T' has shape \(3, 2\), its port says"),
        (lambda p, f, pose, T, S: (f[0], 0), r": 'f' is in \[ft\], port l \(scalar\) \[m\] is not"),
    ],
)  # fmt: skip
def test_units_and_shapes_must_fit(expr: Callable[..., Any], message: str) -> None:
    with pytest.raises((KernelError, PortError), match=f"program 'p'{message}"):
        with_units(expr).digest  # noqa: B018


def test_values_without_a_unit_fit_any_port() -> None:
    """Constants, what is computed, and a part of a port that has several units."""

    def expr(p: SX, f: SX, pose: SX, T: SX, S: SX) -> Any:
        l = METRES(pose[0:3], np.arange(6.0).reshape(2, 3))
        return METRES(0.3048 * f, T), 1 * l + p[2]

    assert with_units(expr).routine


# ---- programs in programs ------------------------------------------------------------------------------------------


def test_a_program_that_calls_itself_is_refused() -> None:
    def make(name: str, callee: str) -> Program:
        return Program(name, (Port("u"),), (Port("v"),), lambda u: made[callee](u))

    made = {"own": make("own", "own"), "first": make("first", "second"), "second": make("second", "first")}
    with pytest.raises(KernelError, match=r"program 'own' calls itself \(own -> own\)"):
        made["own"].routine  # noqa: B018
    with pytest.raises(KernelError, match=r"program 'first' calls itself \(first -> second -> first\)"):
        made["first"].routine  # noqa: B018
    with pytest.raises(KernelError, match=r"program 'second' calls itself"):  # a refusal leaves nothing behind
        made["second"].digest  # noqa: B018


def test_errors_in_a_body_name_program_file_and_line() -> None:
    def expr(x: SX, a: SX, m: SX) -> SX:
        x = 2 * x
        raise LookupError("no such leg")

    place = f"{shown(__file__)}:{expr.__code__.co_firstlineno + 2}"
    refused(rf"program 'p': LookupError: no such leg \({re.escape(place)}\)", expr, KernelError)


def test_switches_and_loops_are_checked() -> None:
    def case(number: Any) -> Callable[..., Any]:
        return lambda x, a, m: switch(a, {number: lambda: x}, lambda: x)

    for number in (1.0, True, "1"):
        refused(f"the number of a case is {number!r}, a whole number is wanted", case(number), KernelError)
    for large in (-1, 2**53):
        refused(rf"case {large} is outside 0 to 2\*\*53 - 1", case(large), KernelError)
    refused("the selector has shape", lambda x, a, m: switch(x, {}, lambda: x), KernelError)
    refused("the number of iterations is 2.0", lambda x, a, m: repeat(2.0, lambda y: y, x), KernelError)  # type: ignore[arg-type]
    refused("0 iterations, there must be at least one", lambda x, a, m: repeat(0, lambda y: y, x), KernelError)


# ---- nothing is old memory -----------------------------------------------------------------------------------------


def from_one_case(x: SX, a: SX, m: SX) -> Any:
    kept: list[SX] = []

    def inside() -> SX:
        kept.append(NEGATED(a))
        return kept[0]

    switch(a, {0: inside}, lambda: a)
    return x * kept[0]


def from_a_turn(x: SX, a: SX, m: SX) -> Any:
    kept: list[SX] = []

    def turn(row: SX) -> SX:
        kept.append(row)
        return row

    for_each(turn, x)
    return x * kept[0]


def test_values_live_where_they_are_made() -> None:
    """What the check of places did before: a program cannot return, or read, what was not written on its path."""
    refused("'v', a value of the case of a switch that is over", from_one_case, KernelError)
    refused("'row', a value of an iteration of a loop", from_a_turn, KernelError)
    short = "one case gives .*2.*, another .*3"
    refused(short, lambda x, a, m: switch(a, {2: lambda: x[:2]}, lambda: x), KernelError)
    refused("switch.* gives NoneType", lambda x, a, m: switch(a, {2: lambda: None}, lambda: x), KernelError)


def test_a_long_loop_is_built_quickly() -> None:
    unit = Program("p", ports(u=()), ports(v=()), lambda u: repeat(1_000_000_000, lambda v: DOUBLED(v), u))
    assert unit.routine
