"""The native loop against the same loop in Python, to the bit, and against a closed form."""

import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest
from scipy.special import ellipk

from motionbase.compile import Kernel, Port, Program, Scan, compile, delay, for_each, scan, scans
from motionbase.compile import target as compiling
from motionbase.compile.render.llvm import Module
from motionbase.errors import KernelError, PortError
from motionbase.native.cache import ObjectCache

H = 1e-3
SPRING = Kernel(
    "spring",
    (Port("k", (), "N/m"), Port("x", 2), Port("u", (), "N")),
    (Port("x_next", 2), Port("energy", (), "J")),
    lambda k, x, u: (
        ca.vertcat(x[0] + H * x[1], x[1] + H * (u - k * ca.sin(x[0]))),
        0.5 * x[1] ** 2 - k * ca.cos(x[0]),
    ),
)


def expected(n: int, every: int, k: float, x: Any, u: Any) -> tuple[Any, Any, Any]:
    """The loop written out, one compiled step at a time."""
    step, x = compile(SPRING), np.array(x)
    states, energies = [], []
    for i in range(n):
        x, energy = step(k, x, u[i])
        if (i + 1) % every == 0:
            states.append(x)
            energies.append(energy)
    return x, np.array(states).reshape(-1, 2), np.array(energies)


@pytest.mark.parametrize("target", ["llvm", "python"])
@pytest.mark.parametrize(("n", "every"), [(0, 1), (1, 1), (5, 1), (17, 5), (4, 9), (20, 20)])
def test_rows_and_final_state(target: Any, n: int, every: int) -> None:
    u = np.linspace(-1, 1, n)
    loop = scan(SPRING, {"x": "x_next"}, per_step=["u"], record=["x_next", "energy"], target=target)
    result = loop(n, every=every, k=3.0, x=[0.5, -0.2], u=u)
    x, states, energies = expected(n, every, 3.0, [0.5, -0.2], u)
    np.testing.assert_array_equal(result["x"], x)
    np.testing.assert_array_equal(result["x_next"], states)
    np.testing.assert_array_equal(result["energy"], energies)
    assert result.keys() == {"x", "x_next", "energy"}


@pytest.mark.parametrize("lanes", [2, 4, 8])
def test_lanes_are_scenarios(lanes: int) -> None:
    rng = np.random.default_rng(lanes)
    k, x, u = rng.uniform(1, 5, lanes), rng.standard_normal((2, lanes)), rng.standard_normal((9, lanes))
    loop = scan(SPRING, {"x": "x_next"}, per_step=["u"], record=["energy"], lanes=lanes)
    result = loop(9, every=3, k=k, x=x, u=u)
    for lane in range(lanes):
        final, _, energies = expected(9, 3, k[lane], x[:, lane], u[:, lane])
        np.testing.assert_array_equal(result["x"][:, lane], final)
        np.testing.assert_array_equal(result["energy"][:, lane], energies)


def test_what_is_given_stays_as_it_was_and_out_is_written() -> None:
    loop = scan(SPRING, {"x": "x_next"}, record=["energy"])
    x, kept, final = np.array([1.0, 0.0]), np.empty(4), np.empty(2)
    result = loop(4, k=1.0, x=x, u=0.0, out={"energy": kept, "x": final})
    assert result["energy"] is kept and result["x"] is final
    np.testing.assert_array_equal(x, [1.0, 0.0])
    np.testing.assert_array_equal(final, loop(4, k=1.0, x=x, u=0.0)["x"])


def test_a_state_may_be_updated_in_its_own_array() -> None:
    loop = scan(SPRING, {"x": "x_next"})
    x = np.array([1.0, 0.0])
    wanted = loop(5, k=1.0, x=x, u=0.0)["x"]
    assert loop(5, k=1.0, x=x, u=0.0, out={"x": x})["x"] is x
    np.testing.assert_array_equal(x, wanted)


TWO = Kernel(
    "two", (Port("k"), Port("x"), Port("v"), Port("u")), (Port("x_next"), Port("v_next")),
    lambda k, x, v, u: (x + v * k + u, v - x),
)  # fmt: skip


@pytest.mark.parametrize(
    ("given", "out"),
    [
        ({}, {"x": "a", "v": "a"}),  # two states into one place
        ({"k": "a"}, {"x": "a"}),  # a held input
        ({"x": "a", "v": "b"}, {"x": "b", "v": "a"}),  # the other state's start
        ({"u": "rows"}, {"x": "rows[0]"}),  # an input of the first step
        ({}, {"x_next": "rows", "x": "rows[0]"}),  # a recorded row
    ],
)
def test_what_is_written_may_not_be_read(given: dict[str, str], out: dict[str, str]) -> None:
    loop = scan(TWO, {"x": "x_next", "v": "v_next"}, per_step=["u"], record=["x_next"])
    places = {"a": np.ones(()), "b": np.ones(()), "rows": (rows := np.ones(3)), "rows[0]": rows[0:1].reshape(())}
    arrays: dict[str, Any] = {"k": 1.0, "x": 1.0, "v": 1.0, "u": np.ones(3)}
    arrays |= {name: places[p] for name, p in given.items()}
    with pytest.raises(PortError, match="share memory"):
        loop(3, **arrays, out={name: places[p] for name, p in out.items()})


def test_chunks_join_without_a_seam(monkeypatch: pytest.MonkeyPatch) -> None:
    """However the steps are cut into native calls, rows and states are the same."""
    loop = scan(SPRING, {"x": "x_next"}, per_step=["u"], record=["x_next", "energy"])
    u = np.sin(np.arange(5003.0))
    wanted = loop(5003, every=7, k=2.0, x=[0.1, 0.2], u=u)
    for seconds in (1e-9, 1e-4):
        monkeypatch.setattr(sys.modules[Scan.__module__], "CHUNK_SECONDS", seconds)
        again = loop(5003, every=7, k=2.0, x=[0.1, 0.2], u=u)
        for name, value in wanted.items():
            np.testing.assert_array_equal(again[name], value)


def test_ctrl_c_is_heard() -> None:
    """A loop of many minutes ends within seconds of an interrupt."""
    loop = scan(SPRING, {"x": "x_next"})
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
    timer.start()
    start = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            loop(100_000_000_000, k=1.0, x=[0.1, 0.0], u=0.0)
    finally:
        signal.signal(signal.SIGINT, before)
    assert time.monotonic() - start < 20  # a loaded machine; on a quiet one it is 0.4 s


SWING = Kernel(
    "swing",
    (Port("g"), Port("x", 2)),
    (Port("x_next", 2), Port("e")),
    lambda g, x: (ca.vertcat(x[0] + 0.1 * x[1], x[1] - 0.1 * g * ca.sin(x[0])), x[0] * x[1]),
)


def test_loops_around_a_long_step_share_its_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scans, "SHARED_FROM", 1)
    store, made = ObjectCache(tmp_path), list[Any]()

    def counted(*given: Any) -> Module:
        made.append(given)
        return Module(*given)

    monkeypatch.setattr(compiling, "Module", counted)
    runs = [scan(SWING, {"x": "x_next"}, record=record, cache=store) for record in ([], ["e"], ["x_next", "e"])]
    assert len(made) == 1
    wanted = scan(SWING, {"x": "x_next"}, record=["x_next", "e"], target="python")(9, every=2, g=9.8, x=[0.1, 0.0])
    for run in runs:
        for name, value in run(9, every=2, g=9.8, x=[0.1, 0.0]).items():
            np.testing.assert_array_equal(value, wanted[name])


@pytest.mark.parametrize("shared_from", [1, 50], ids=["by its trace", "by its instructions"])
def test_a_long_step_from_the_cache_is_not_lowered(
    shared_from: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its trace tells that it is long, where it is long enough to tell."""
    monkeypatch.setattr(scans, "SHARED_FROM", shared_from)

    def stepped(x: ca.SX) -> Any:
        return for_each(lambda row: SWING(9.8, row)[0], x)

    def run() -> tuple[Program, Any]:
        step = Program("steps", (Port("x", (20, 2)),), (Port("x_next", (20, 2)),), stepped)
        return step, scan(step, {"x": "x_next"}, cache=ObjectCache(tmp_path))(3, x=np.ones((20, 2)))["x"]

    (first, wanted), (again, got) = run(), run()
    assert "routine" in first.__dict__ and ("routine" in again.__dict__) == (shared_from > 1)
    np.testing.assert_array_equal(got, wanted)


def test_a_large_state_needs_no_stack() -> None:
    n, kilobytes = 20_000, 256  # 160 kB four times
    grow = Program("grow", (Port("x", n),), (Port("y", n),), lambda x: x)
    loop, x, found = scan(grow, {"x": "y"}), np.arange(float(n)), list[Any]()
    usual = threading.stack_size(kilobytes * 1024)
    try:
        thread = threading.Thread(target=lambda: found.append(loop(3, x=x)["x"]))
        thread.start()
    finally:
        threading.stack_size(usual)
    thread.join()
    np.testing.assert_array_equal(found[0], x)


def test_memory_and_two_states_fed_from_each_other() -> None:
    """x and y swap roles every step; the delay line is memory of the program."""
    swap = Kernel("swap", (Port("x", 2), Port("y", 2)), (Port("to_x", 2), Port("to_y", 2)), lambda x, y: (y + 1, x))
    line = delay("line", Port("u", 2), 3)

    def step(x: ca.SX, y: ca.SX, memory: ca.SX) -> Any:
        return *swap(x, y), line(x, u_line=memory)

    unit = Program(
        "swapped",
        (Port("x", 2), Port("y", 2)),
        (Port("to_x", 2), Port("to_y", 2), Port("late", 2)),
        step,
        memory=(Port("memory", 9),),
    )
    results = []
    for target in ("llvm", "python"):
        loop = scan(unit, {"x": "to_x", "y": "to_y"}, record=["late", "to_x"], target=target)
        memory = np.zeros(9)
        results.append(loop(8, x=[1.0, 2.0], y=[10.0, 20.0], memory=memory))
        assert not memory.any()  # the caller's array is not changed
    for name, value in results[0].items():
        np.testing.assert_array_equal(value, results[1][name])
    x = [np.array([1.0, 2.0])] + list(results[0]["to_x"])
    np.testing.assert_array_equal(results[0]["late"], [np.zeros(2)] * 3 + x[:5])


def test_one_output_may_feed_two_states() -> None:
    both = Kernel("both", (Port("x"), Port("y")), (Port("z"),), lambda x, y: x + 2 * y)
    for target in ("llvm", "python"):
        result = scan(both, {"x": "z", "y": "z"}, record=["z"], target=target)(3, x=1.0, y=2.0)
        np.testing.assert_array_equal(result["z"], [5.0, 15.0, 45.0])
        assert result["x"] == result["y"] == 45.0


def test_pendulum_returns_after_elliptic_period() -> None:
    """Period 4 sqrt(l/g) K(sin^2(q0/2)) is exact at any amplitude; RK4 with 2000 steps is 3e-11 away."""
    length, g, q0 = 0.75, 9.80665, 2.0
    period = 4 * np.sqrt(length / g) * ellipk(np.sin(q0 / 2) ** 2)

    def rk4(h: ca.SX, x: ca.SX) -> ca.SX:
        def f(y: ca.SX) -> ca.SX:
            return ca.vertcat(y[1], -g / length * ca.sin(y[0]))

        a = f(x)
        b = f(x + h / 2 * a)
        c = f(x + h / 2 * b)
        return x + h / 6 * (a + 2 * b + 2 * c + f(x + h * c))

    step = Kernel("pendulum", (Port("h"), Port("x", 2)), (Port("x_next", 2),), rk4)
    for mode in ("strict", "fast"):
        loop = scan(step, {"x": "x_next"}, mode=mode)
        x = loop(2000, h=period / 2000, x=[q0, 0.0])["x"]
        np.testing.assert_allclose(x, [q0, 0.0], atol=1e-9)


def test_python_goes_on_while_it_runs() -> None:
    """The lock is free: another thread counts while the loop runs for some tenths of a second."""
    loop = scan(SPRING, {"x": "x_next"})
    loop(1, k=1.0, x=[0.0, 0.0], u=0.0)
    done = threading.Event()

    def run() -> None:
        loop(10_000_000, k=1.0, x=[0.1, 0.0], u=0.0)
        done.set()

    thread = threading.Thread(target=run)
    thread.start()
    ticks = 0
    while not done.is_set():
        ticks += 1
        time.sleep(0.001)
    thread.join()
    assert ticks > 5  # with the lock held it would be one or two


def test_a_state_and_its_next_value_have_one_unit() -> None:
    feet = Kernel("feet", (Port("x", (), "m"),), (Port("x_next", (), "ft"),), lambda x: x)
    with pytest.raises(KernelError, match=r"output x_next \(scalar\) \[ft\] does not fit state x \(scalar\) \[m\]"):
        scan(feet, {"x": "x_next"})


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"feedback": {"z": "x_next"}}, "no port 'z'; ports: k, x, u"),
        ({"feedback": {"x": "nothing"}}, "no port 'nothing'; ports: x_next, energy"),
        ({"feedback": {"x": "energy"}}, "output energy (scalar) [J] does not fit state x (2) [-]"),
        ({"feedback": {"x": "x_next"}, "per_step": ["x"]}, "'x' cannot be a state and an input per step"),
        ({"feedback": {"x": "x_next"}, "record": ["k"]}, "no port 'k'"),
        ({"feedback": {"x": "x_next"}, "target": "fortran"}, "no target 'fortran'"),
        ({"feedback": {"x": "x_next"}, "target": "cuda"}, "runtime.cuda.scan_cuda"),
        ({"feedback": {"x": "x_next"}, "mode": "fasst"}, "no mode 'fasst'; did you mean 'fast'?"),
        ({"feedback": {"x": "x_next"}, "lanes": 3}, "3 lanes; there may be 1, 2, 4, 8"),
    ],
)
def test_plans_that_cannot_work(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises((KernelError, PortError)) as error:
        scan(SPRING, **arguments)
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"k": 1.0, "x": [0.0, 0.0]}, "port 'u' is not given; shape (3,) is wanted"),
        ({"k": 1.0, "x": [0.0, 0.0], "u": [1.0]}, "port 'u' has shape (1,), (3,) is wanted"),
        ({"k": 1.0, "x": [0.0], "u": [1.0] * 3}, "port 'x' has shape (1,), (2,) is wanted"),
        ({"k": 1.0, "x": [0.0, 0.0], "u": [1.0] * 3, "w": 1.0}, "no port 'w'"),
        ({"k": 1.0, "x": [0.0, 0.0], "u": [1.0] * 3, "every": 0}, "every is 0, it must be at least 1"),
        ({"k": 1.0, "x": [0.0, 0.0], "u": [1.0] * 3, "every": 1.5}, "every is 1.5, a whole number is wanted"),
        (
            {"k": 1.0, "x": [0.0, 0.0], "u": [1.0] * 3, "out": {"x_next": np.empty((3, 2))}},
            "out has 'x_next', which is",
        ),
        ({"k": 1.0, "x": [0.0, 0.0], "u": [1.0] * 3, "out": {"u": np.empty(3)}}, "out has 'u', which is neither"),
        ({"k": 1.0, "x": [0.0, 0.0], "u": [1.0] * 3, "out": {"energy": np.empty(2)}}, "shape (2,), (3,) is wanted"),
    ],
)
def test_calls_that_cannot_work(arguments: dict[str, Any], words: str) -> None:
    loop = scan(SPRING, {"x": "x_next"}, per_step=["u"], record=["energy"])
    with pytest.raises(PortError) as error:
        loop(3, **arguments)
    assert words in str(error.value)
