"""Every program form on every target, to the bit, and against plain Python."""

import re
from collections.abc import Callable
from enum import IntEnum

import casadi as ca
import numpy as np
import pytest

from motionbase.compile import Body, Kernel, OldProgram, Port
from motionbase.compile.authored import shown
from motionbase.compile.reference import Index
from motionbase.errors import KernelError, PortError
from tests.compile.on_targets import TARGETS, Array, Batch, assert_same_bits, on_python, on_target

N = 24  # samples; on lanes neighbours take different cases
RANDOM = np.random.default_rng(1)

AXPY = Kernel("axpy", (Port("a"), Port("x", 3), Port("y", 3)), (Port("z", 3),), lambda a, x, y: a * x + y)
TOTAL = Kernel("total", (Port("x", 3),), (Port("s"), Port("p")), lambda x: [ca.sum1(x), x[0] * x[1] - x[2]])
STEP = Kernel("step", (Port("x", 2),), (Port("x_next", 2),), lambda x: ca.vertcat(x[0] - 0.1 * x[1], x[1] + 0.1 * x[0]))
NEGATED = Kernel("negated", (Port("u"),), (Port("v"),), lambda u: -u)
DOUBLED = Kernel("doubled", (Port("u"),), (Port("v"),), lambda u: 2 * u)


def program(
    name: str, inputs: dict[str, int | tuple[int, ...]], outputs: dict[str, int | tuple[int, ...]], memory: int = 0
) -> Callable[[Callable[[Body], None]], OldProgram]:
    """A decorator that makes a program of a body."""

    def make(body: Callable[[Body], None]) -> OldProgram:
        ports = [tuple(Port(n, s) for n, s in given.items()) for given in (inputs, outputs)]
        return OldProgram(name, ports[0], ports[1], body, (Port("m", memory),) if memory else ())

    return make


# ---- one program a form, and what it must give ---------------------------------------------------------------------


@program("nested", {"w": (2, 3), "x": (4, 3)}, {"o": (8, 3), "s": (4, 2)})
def nested(b: Body) -> None:
    """Nested loops with scaled and shifted indices, one of them backwards; later passes overwrite earlier ones."""
    with b.loop(4) as i:
        with b.loop(2) as j:
            b.call(AXPY, a=b["w"][j, 1], x=b["x"][i], y=b["x"][i * -1 + 3], z=b["o"][i])
        b.call(TOTAL, x=b["x"][i], s=b["s"][i, 0], p=b["s"][i, 1])
    with b.loop(2) as j, b.loop(2) as i:
        b.call(AXPY, a=b["w"][j, 0], x=b["x"][2 * i + 1], y=b["x"][2 * i], z=b["o"][i + 4])
    with b.loop(2) as i:
        b.copy(b["x"][i], b["o"][i + 6])


def nested_reference(w: Array, x: Array) -> tuple[Array, Array]:
    o, s = np.empty((8, 3)), np.empty((4, 2))
    for i in range(4):
        o[i] = w[1, 1] * x[i] + x[3 - i]
        s[i] = (x[i, 0] + x[i, 1]) + x[i, 2], x[i, 0] * x[i, 1] - x[i, 2]
    for i in range(2):
        o[4 + i] = w[1, 0] * x[2 * i + 1] + x[2 * i]
        o[6 + i] = x[i]
    return o, s


@program("chosen", {"k": (), "u": ()}, {"o": (), "also": 2}, memory=3)
def chosen(b: Body) -> None:
    """Cases 0, 2 and 4; 1 and 3 are missing and so take the default, like fractions, negatives and NaN."""
    b.copy(b["u"], b["o"])
    with b.loop(2) as i:
        b.call(NEGATED, u=b["u"], v=b["also"][i])
    with b.switch(b["k"]) as s:
        with s.case(0):
            b.call(DOUBLED, u=b["u"], v=b["o"])
        with s.case(4):
            b.call(NEGATED, u=b["u"], v=b["o"])
            b.copy(b["k"], b["m"][2])
        with s.case(2):
            with b.loop(2) as i:  # a loop inside a switch
                b.call(DOUBLED, u=b["also"][i], v=b["m"][i])
        with s.default():
            b.copy(b["k"], b["also"][1])


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


@program("looped", {"k": 4, "u": ()}, {"o": 4})
def looped(b: Body) -> None:
    """A switch inside a loop, on a selector that moves with it, with another switch inside, and no default."""
    b.copy(b["k"], b["o"])
    with b.loop(4) as i, b.switch(b["k"][i]) as s:
        with s.case(0):
            b.call(DOUBLED, u=b["u"], v=b["o"][i])
        with s.case(1), b.switch(b["u"]) as inner:
            with inner.case(1):
                b.copy(b["u"], b["o"][i])
            with inner.default():
                b.call(NEGATED, u=b["u"], v=b["o"][i])


@program("stepped", {"x0": 2}, {"x": 2, "trace": (5, 2)})
def stepped(b: Body) -> None:
    """Sub-steps in place: the output of each call overwrites its own input."""
    b.copy(b["x0"], b["x"])
    with b.loop(5) as i:
        b.call(STEP, x=b["x"], x_next=b["x"])
        b.copy(b["x"], b["trace"][i])


@program("geometry", {"q": 3}, {"o": (2, 3), "last": ()})
def geometry(b: Body) -> None:
    """Constants with special values, a local buffer, slices, negative indices and a dropped output."""
    g = b.constant("g", [[1.0, -0.0, 1e-310], [0.1, np.inf, 3.0]])
    half = b.constant("half", 0.5)
    spare = b.local("spare", (2, 3))
    with b.loop(2) as i:
        b.call(AXPY, a=half, x=g[i], y=b["q"], z=spare[i])
    b.copy(spare[0:2], b["o"])
    b.call(TOTAL, x=spare[-2], p=b["last"])  # s is dropped


@program("outer", {"q": 3, "k": ()}, {"o": (2, 2), "x": 2})
def outer(b: Body) -> None:
    """A program that calls programs and primitives of the same names as its own parts."""
    b.call(STEPPED_TWICE, x0=b["q"][0:2], x=b["x"])
    with b.switch(b["k"]) as s:
        with s.case(1), b.loop(2) as i:
            b.call(STEPPED_TWICE, x0=b["q"][1:3], x=b["o"][i])
        with s.default(), b.loop(2) as i:
            b.copy(b["q"][0:2], b["o"][i])


@program("stepped", {"x0": 2}, {"x": 2})
def STEPPED_TWICE(b: Body) -> None:
    """Has the name of another program, and calls a kernel whose name is taken too."""
    other = Kernel("step", STEP.inputs, STEP.outputs, lambda x: 2 * x)
    between = b.local("between", 2)
    b.call(STEP, x=b["x0"], x_next=between)
    b.call(other, x=between, x_next=b["x"])


SELECTORS = np.resize([0.0, 1.0, 2.0, 4.0, 3.0, np.nan, -1.0, 0.5, -0.0, 4.0, 5.0, np.inf, 2.0, 2.0, 0.0, 4.0], N)
CASES: list[tuple[OldProgram, Batch]] = [
    (nested, {"w": RANDOM.normal(size=(N, 2, 3)), "x": RANDOM.normal(size=(N, 4, 3))}),
    (chosen, {"k": SELECTORS, "u": RANDOM.normal(size=N), "m": RANDOM.normal(size=(N, 3))}),
    (looped, {"k": RANDOM.choice([0.0, 1.0, 2.0, np.nan], (N, 4)), "u": RANDOM.choice([0.0, 1.0, 3.0], N)}),
    (stepped, {"x0": RANDOM.normal(size=(N, 2))}),
    (geometry, {"q": RANDOM.normal(size=(N, 3))}),
    (outer, {"q": RANDOM.normal(size=(N, 3)), "k": RANDOM.choice([0.0, 1.0], N)}),
]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("unit", "batch"), CASES, ids=lambda v: getattr(v, "name", ""))
def test_program_on_every_target(target: str, unit: OldProgram, batch: Batch) -> None:
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

    def body(*cases: int) -> Callable[[Body], None]:
        def describe(b: Body) -> None:
            b.copy(b["k"], b["o"])
            with b.switch(b["k"]) as s:
                for number in cases:
                    with s.case(number):
                        b.call(NEGATED, u=b["k"], v=b["o"])

        return describe

    ports = (Port("k"),), (Port("o"),)
    named, plain = OldProgram("p", *ports, body(*State)), OldProgram("p", *ports, body(0, np.int64(4)))  # type: ignore[arg-type]
    assert named.digest == plain.digest
    k = np.array([0.0, 1.0, 4.0])
    for target in ("llvm1", "gcc"):
        assert on_target(target, named, {"k": k})["o"].tolist() == [-0.0, 1.0, -4.0]


# ---- what is refused -----------------------------------------------------------------------------------------------


def refused(message: str, body: Callable[[Body], None], error: type[Exception] = PortError) -> None:
    made = OldProgram("p", (Port("x", 3), Port("a")), (Port("z", 3), Port("r", (4, 3))), body, (Port("m", 3),))
    with pytest.raises(error, match=message):
        made.routine  # noqa: B018


def test_references_are_checked() -> None:
    refused("no port or buffer 'q'; there are: x, a, z, r, m", lambda b: b.copy(b["q"], b["z"]))
    refused(r"'r' of shape \(4, 3\): index 4 is outside 0 to 3", lambda b: b.copy(b["x"], b["r"][4]))
    refused(r"a single number cannot be indexed", lambda b: b.copy(b["a"][0], b["z"]))
    refused(r"only the last index may be a slice", lambda b: b.copy(b["x"], b["r"][0:1, 0]))
    refused(r"a slice has step 2, it must be 1", lambda b: b.copy(b["x"], b["r"][0:4:2]))
    refused(r"copy of 'x' of shape \(3,\) to 'r' of shape \(4, 3\): sizes differ", lambda b: b.copy(b["x"], b["r"]))
    refused(r"'x' of shape \(3,\) is read only", lambda b: b.copy(b["z"], b["x"]))
    refused(r"they overlap", lambda b: b.copy(b["r"][0:2], b["r"][1:3]))
    refused(r"selector 'x' of shape \(3,\) must be one number", lambda b: b.switch(b["x"]).__enter__() and None)


def test_an_index_past_the_end_is_refused() -> None:
    def body(b: Body) -> None:
        with b.loop(4) as i:
            b.copy(b["x"], b["r"][i + 1])

    refused(r"'r' of shape \(4, 3\): index 1 to 4 is outside 0 to 3", body)


def test_an_index_outside_its_loop_is_refused() -> None:
    def body(b: Body) -> None:
        with b.loop(4) as i:
            b.copy(b["x"], b["r"][i])
        b.copy(b["x"], b["r"][i])

    refused(r"program 'p': 'r' of shape \(3,\) uses the index of a loop that has ended", body)


def test_places_that_move_backwards_overlap_too() -> None:
    def body(b: Body) -> None:
        with b.loop(4) as i:
            b.copy(b["r"][i * -1 + 3], b["r"][0])  # the same place when i is 3

    refused(r"they overlap", body)


def test_calls_are_checked() -> None:
    def call(message: str, **places: str) -> None:
        refused(message, lambda b: b.call(AXPY, **{k: b[v] for k, v in places.items()}))

    owner = "program 'p', call of 'axpy': "
    call(owner + "no port 'w'; ports: a, x, y, z", a="a", x="x", y="x", z="z", w="x")
    call(owner + "input 'y' is not given", a="a", x="x", z="z")
    call(owner + r"'r' of shape \(4, 3\) has 12 elements, port x \(3\) \[-\] takes 3", a="a", x="r", y="x", z="z")
    call(owner + r"'x' of shape \(3,\) is read only and cannot take 'z'", a="a", x="x", y="x", z="x")


def test_places_are_places() -> None:
    owner = "program 'p', call of 'negated'"
    call: Callable[..., None] = Body.call
    refused(f"{owner}, port 'u': 1.0 is float and not a place; b.constant", lambda b: call(b, NEGATED, u=1.0))
    refused(f"{owner}, port 'u': .* is Index and not a place", lambda b: call(b, NEGATED, u=Index(0, 1)))
    refused(rf"{owner}: places are given by port name, u=..., v=...", lambda b: call(b, NEGATED, b["a"]))
    refused("program 'p', copy: 2 is int and not a place", lambda b: Body.copy(b, 2, b["a"]))  # type: ignore[arg-type]
    refused("program 'p': call of 'negated', which is no kernel", lambda b: call(b, "negated"), KernelError)
    refused("program 'p', switch: 1 is int and not a place", lambda b: b.switch(1).__enter__() and None)  # type: ignore[arg-type]


def test_indices_are_whole_numbers() -> None:
    for index in (1.0, True, "0", None):
        message = rf"'r' of shape \(4, 3\): an index is {index!r}, a whole number is wanted"
        refused(message, lambda b, index=index: b.copy(b["x"], b["r"][index]))  # type: ignore[misc]


def test_indices_of_numpy_will_do() -> None:
    def body(b: Body) -> None:
        for i in np.array([0, -1]):
            b.copy(b["x"], b["r"][i])

    assert len(OldProgram("p", (Port("x", 3),), (Port("r", (2, 3)),), body).routine.body) == 2


# ---- units and shapes ----------------------------------------------------------------------------------------------

METRES = Kernel("metres", (Port("p", 3, "m"), Port("T", (2, 3))), (Port("l", (), "m"),), lambda p, T: p[0] + T[1, 2])


def with_units(body: Callable[[Body], None]) -> OldProgram:
    inputs = (Port("p", 3, "m"), Port("f", 3, "ft"), Port("pose", 6, "m, rad"), Port("T", (2, 3)), Port("S", (3, 2)))
    return OldProgram("p", inputs, (Port("l", (), "m"), Port("force", (), "N")), body)


@pytest.mark.parametrize(
    ("places", "message"),
    [
        ({"p": "f"}, r"'f' of shape \(3,\) is in \[ft\], port p \(3\) \[m\] is not"),
        ({"l": "force"}, r"'force' of shape \(\) is in \[N\], port l \(scalar\) \[m\] is not"),
        ({"T": "S"}, r"'S' of shape \(3, 2\) does not fit port T \(2x3\) \[-\]"),
    ],
)
def test_units_and_shapes_must_fit(places: dict[str, str], message: str) -> None:
    given = {"p": "p", "T": "T", "l": "l"} | places
    made = with_units(lambda b: b.call(METRES, **{k: b[v] for k, v in given.items()}))
    with pytest.raises(PortError, match=f"program 'p', call of 'metres': {message}"):
        made.routine  # noqa: B018


def test_a_copy_keeps_the_unit() -> None:
    with pytest.raises(PortError, match=r"units \[ft\] and \[m\] differ"):
        with_units(lambda b: b.copy(b["f"][0], b["l"])).routine  # noqa: B018


def test_places_without_a_unit_fit_any_port() -> None:
    """Locals, constants, and a part of a port that has several units; a flat place fits a matrix of its size."""

    def body(b: Body) -> None:
        flat = b.constant("flat", np.arange(6.0))
        b.call(METRES, p=b["pose"][0:3], T=flat, l=b["l"])
        between = b.local("between", 3)
        b.copy(b["f"], between)
        b.call(METRES, p=between, T=b["T"], l=b["l"])
        b.copy(b["p"][2], between[0])
        b.copy(between[0], b["force"])

    assert with_units(body).routine


# ---- programs in programs ------------------------------------------------------------------------------------------


def test_a_program_that_calls_itself_is_refused() -> None:
    def make(name: str, callee: str) -> OldProgram:
        return OldProgram(name, (Port("u"),), (Port("v"),), lambda b: b.call(made[callee], u=b["u"], v=b["v"]))

    made = {"own": make("own", "own"), "first": make("first", "second"), "second": make("second", "first")}
    with pytest.raises(KernelError, match=r"program 'own' calls itself \(own -> own\)"):
        made["own"].routine  # noqa: B018
    with pytest.raises(KernelError, match=r"program 'first' calls itself \(first -> second -> first\)"):
        made["first"].routine  # noqa: B018
    with pytest.raises(KernelError, match=r"program 'second' calls itself"):  # a refusal leaves nothing behind
        made["second"].digest  # noqa: B018


def test_errors_in_a_body_name_program_file_and_line() -> None:
    def body(b: Body) -> None:
        b.copy(b["x"], b["z"])
        raise LookupError("no such leg")

    place = f"{shown(__file__)}:{body.__code__.co_firstlineno + 2}"
    refused(rf"program 'p': LookupError: no such leg \({re.escape(place)}\)", body, KernelError)


def test_outputs_must_not_overlap_each_other() -> None:
    """Compiled code writes outputs in any order, so two in one place would be whatever comes last."""
    refused("outputs 's' and 'p' overlap", lambda b: b.call(TOTAL, x=b["x"], s=b["z"][0], p=b["z"][0]))


def test_switches_and_loops_are_checked() -> None:
    def twice(b: Body) -> None:
        with b.switch(b["a"]) as s:
            with s.default():
                pass
            with s.default():
                pass

    def same_case(b: Body) -> None:
        with b.switch(b["a"]) as s:
            with s.case(1):
                pass
            with s.case(1):
                pass

    def case(number: object) -> Callable[[Body], None]:
        def body(b: Body) -> None:
            with b.switch(b["a"]) as s, s.case(number):  # type: ignore[arg-type]
                pass

        return body

    for number in (1.0, True, "1"):
        message = f"program 'p': the number of a case is {number!r}, a whole number is wanted"
        refused(message, case(number), KernelError)
    for large in (-1, 2**53):
        refused(rf"program 'p': case {large} is outside 0 to 2\*\*53 - 1", case(large), KernelError)
    refused("the number of a loop's runs is 2.0", lambda b: b.loop(2.0).__enter__() and None, KernelError)  # type: ignore[arg-type]
    refused("buffer 'q': a size is 1.5", lambda b: b.local("q", (1.5,)) and None, KernelError)  # type: ignore[arg-type]
    refused("the default is given twice", twice, KernelError)
    refused("case 1 is given twice", same_case, KernelError)
    refused("a loop runs 0 times, it must run at least once", lambda b: b.loop(0).__enter__() and None, KernelError)
    refused("the name 'x' is taken", lambda b: b.local("x") and None, KernelError)
    refused("buffer 'mb_x': a name does not start with 'mb_'", lambda b: b.local("mb_x") and None, KernelError)
