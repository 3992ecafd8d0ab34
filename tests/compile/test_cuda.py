"""CUDA source. Without a GPU it is compiled as C++ with a few stand-in words and run thread by thread.

The stand-ins change no arithmetic, so this checks the text, the strides and the bits; that a GPU gives them too is
measured by the benchmark `compile.cuda_strict_per_s`, which compares a run with LLVM's bits, and by the tests marked
with a device below.
"""

import ctypes
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest

from motionbase.compile import Kernel, Port, Program, Unit, compile, delay, for_each, random, scan, switch, table
from motionbase.compile.render.cuda import render, render_scan, shared_places
from motionbase.compile.runtime import cuda
from motionbase.compile.runtime.cuda import compile_cuda, scan_cuda
from motionbase.compile.scan_plan import plan
from motionbase.errors import KernelError, PortError, TargetUnavailable
from tests.compile.on_targets import assert_same_bits, product

SHIM = """
#include <cmath>
#include <cstring>
#define __device__
#define __global__
#define __constant__
#define __shared__
#define __launch_bounds__(threads, blocks)
#define __forceinline__ inline
#define __dmul_rn(a, b) ((a) * (b))
static inline long long __double_as_longlong(double x) { long long w; std::memcpy(&w, &x, 8); return w; }
static inline double __longlong_as_double(long long w) { double x; std::memcpy(&x, &w, 8); return x; }
struct Three { long x; };
static Three blockIdx, blockDim, threadIdx;
"""
N = 5  # scenarios


def on_processor(
    folder: Path, source: str, function: str, arguments: list[Any], shared: dict[int, Any] | None = None
) -> None:
    """Compile the text as C++ and run every thread in turn; `shared` has what stands at places of constant memory."""
    command = [found] if (found := shutil.which("g++")) else [sys.executable, "-m", "ziglang", "c++"]
    text = SHIM + source.replace("typedef unsigned long long uint64_t;", "#include <cstdint>")
    text = text.replace('asm volatile("" :: "l"(p) : "memory")', "(void)(p)") + "\ndouble mb_near[1000];\n"
    names = ", ".join(f"a{k}" for k in range(len(arguments)))
    types = ["double *" if isinstance(a, np.ndarray) else "long" for a in arguments]
    declared = ", ".join(f"{t} a{k}" for k, t in enumerate(types))
    text += f"""
extern "C" void run_all({declared}, long n) {{
    blockDim.x = 2;
    for (blockIdx.x = 0; blockIdx.x * blockDim.x < n; ++blockIdx.x)
        for (threadIdx.x = 0; threadIdx.x < blockDim.x; ++threadIdx.x) {function}({names}, n);
}}"""
    (folder / "unit.cpp").write_text(text)
    line = [*command, "-std=c++17", "-O2", "-ffp-contract=off", "-shared", "-fPIC"]
    subprocess.run([*line, str(folder / "unit.cpp"), "-o", str(folder / "unit.so")], check=True)
    passed = [ctypes.c_void_p(a.ctypes.data) if isinstance(a, np.ndarray) else ctypes.c_long(a) for a in arguments]
    library = ctypes.CDLL(str(folder / "unit.so"))
    for at, values in (shared or {}).items():
        count = np.size(values)
        (ctypes.c_double * (at + count)).in_dll(library, "mb_shared")[at:] = np.ravel(values).tolist()
    library.run_all(*passed, ctypes.c_long(N))


def every_form() -> Program:
    """Loop, switch, table, delay, random numbers, constants and most maths in one program."""
    leaf = Kernel(
        "leaf",
        (Port("x", 3), Port("c", 3)),
        (Port("y", 3),),
        lambda x, c: ca.vertcat(
            ca.sin(x[0]) * c[0] + ca.exp(-(x[1] ** 2)), ca.atan2(x[1], x[2]) + ca.tanh(c[1]), ca.fabs(x[2]) ** c[2]
        ),
    )
    line = delay("line", Port("u", 3), 2)
    curve = table("curve", [[-1.0, 0.0, 2.0]], [1.0, -1.0, 5.0], inputs=[Port("at")], output=Port("value"))
    noise = random("noise", Port("r", 3), kind="normal", stream=4)

    def expr(x: ca.SX, mode: ca.SX, memory: ca.SX) -> Any:
        y = for_each(lambda c: leaf(x, c), [[1.0, 2.0, 3.0], [0.5, -0.25, 1.5]])
        z = switch(mode, {0: lambda: curve(x[0]), 2: lambda: x[1]}, lambda: mode)
        return y, z, line(x, u_line=memory), noise(seed=mode, counter=x[0])

    return Program(
        "every_form",
        (Port("x", 3), Port("mode")),
        (Port("y", (2, 3)), Port("z"), Port("late", 3), Port("r", 3)),
        expr,
        memory=(Port("memory", 10),),
    )


def scenarios(unit: Unit) -> dict[str, Any]:
    rng = np.random.default_rng(5)
    arrays = {p.name: rng.standard_normal((*p.array_shape, N)) for p in unit.inputs}
    arrays["mode"] = np.array([0.0, 1.0, 2.0, 7.0, np.nan])
    return arrays | {p.name: np.zeros((*p.array_shape, N)) for p in unit.outputs + unit.memory}


def test_source_gives_the_interpreters_bits(tmp_path: Path) -> None:
    unit = every_form()
    arrays = scenarios(unit)
    shared = np.array([0.3, -0.7, 1.1])  # the same for all scenarios: no step from one to the next
    arguments: list[Any] = []
    for port in unit.ports:
        arguments += [shared, 1, 0] if port.name == "x" else [arrays[port.name], N, 1]
    for _ in range(4):  # the delay line fills
        on_processor(tmp_path, render(unit), "every_form_batch", arguments)
    step = compile(unit, "python")
    for t in range(N):
        memory = np.zeros(10)
        for _ in range(4):
            outputs = step(shared, arrays["mode"][t], memory)
        for port, value in zip(unit.outputs, outputs, strict=True):
            np.testing.assert_array_equal(arrays[port.name][..., t], value, err_msg=f"{port.name}, scenario {t}")
        np.testing.assert_array_equal(arrays["memory"][:, t], memory)


def test_scan_source_gives_the_interpreters_bits(tmp_path: Path) -> None:
    step = Kernel(
        "swing",
        (Port("g"), Port("x", 2), Port("u")),
        (Port("x_next", 2), Port("e")),
        lambda g, x, u: (ca.vertcat(x[0] + 0.1 * x[1], x[1] - 0.1 * g * ca.sin(x[0]) + u), x[0] * x[1]),
    )
    rng = np.random.default_rng(6)
    steps, every = 7, 3
    g, x, u = rng.uniform(1, 2, N), rng.standard_normal((2, N)), rng.standard_normal((steps, 1))
    unused, e, end = np.zeros((0, 2, N)), np.zeros((2, N)), np.zeros((2, N))
    source = render_scan(plan(step, {"x": "x_next"}, ["u"], ["e"]))
    arguments = [g, N, 1, x, N, 1, u, 1, 0, unused, N, 1, e, N, 1, end, steps, every]
    on_processor(tmp_path, source, "swing_scan", arguments)
    loop = scan(step, {"x": "x_next"}, per_step=["u"], record=["e"], target="python")
    for t in range(N):
        wanted = loop(steps, every=every, g=g[t], x=x[:, t], u=u[:, 0])
        np.testing.assert_array_equal(end[:, t], wanted["x"])
        np.testing.assert_array_equal(e[:, t], wanted["e"])


def test_scan_of_every_form(tmp_path: Path) -> None:
    """States in place, memory, rows recorded, inputs that scenarios share or have for themselves, fast memory."""
    inner = every_form()
    mix = Kernel("mix", (Port("x", 3), Port("a"), Port("b")), (Port("y", 3),), lambda x, a, b: x * a + b)

    def expr(x: ca.SX, mode: ca.SX, gain: ca.SX, memory: ca.SX) -> Any:
        y, z, late, r = inner(x, mode, memory=memory)
        turned = for_each(lambda row: mix(row, gain, z), ca.vertcat(y, x.T))
        return ca.fmin(ca.fmax(turned[0, :].T + 0.1 * late, -3), 3), r + turned[2, :].T

    ports = (Port("x", 3), Port("mode"), Port("gain")), (Port("x_next", 3), Port("seen", 3))
    step = Program("step", *ports, expr, memory=(Port("memory", 10),))
    planned = plan(step, {"x": "x_next"}, [], ["seen"])
    rng = np.random.default_rng(8)
    x, mode, steps, every = rng.standard_normal((3, N)), np.array([0.0, 1.0, 2.0, 7.0, np.nan]), 7, 2
    seen, end, memory = np.zeros((3, 3, N)), np.zeros((3, N)), np.zeros((10, N))
    source = render_scan(planned, shared=["gain"], near=7)
    none = np.zeros(0)
    arguments = [x, N, 1, mode, N, 1, none, 1, 0, none, N, 1, seen, N, 1, memory, N, 1, end, steps, every]
    on_processor(tmp_path, source, "step_scan", arguments, {0: 0.7})
    assert "near_[" in source
    loop = scan(step, {"x": "x_next"}, record=["seen"], target="python")
    for t in range(N):
        line = np.zeros(10)
        wanted = loop(steps, every=every, x=x[:, t], mode=mode[t], gain=0.7, memory=line)
        np.testing.assert_array_equal(end[:, t], wanted["x"])
        np.testing.assert_array_equal(seen[..., t], wanted["seen"])
        np.testing.assert_array_equal(memory[:, t], wanted["memory"])


def test_an_input_beyond_constant_memory_is_read_where_it_is() -> None:
    step = Kernel("big", (Port("x"), Port("small", 2), Port("u", 5000)), (Port("y"),), lambda x, s, u: x + u[0] * s[1])
    planned = plan(step, {"x": "y"}, [], [])
    assert shared_places(planned, ["small", "u"]) == {"small": 0}
    source = render_scan(planned, shared=["small", "u"])
    assert "mb_shared + 0, u)" in source and "mb_own_u" not in source


def test_a_number_that_all_scenarios_share_stays_a_number() -> None:
    for value, shape in ((0.5, ()), (np.zeros(3), (3,))):
        array, stride, shift = cuda._placed(np, "scan", Port("gain", shape), value, shape, N)
        assert (array.shape, stride, shift) == (shape, 1, 0)
    array, stride, shift = cuda._placed(np, "scan", Port("gain"), np.zeros(N), (), N)
    assert (array.shape, stride, shift) == ((N,), N, 1)


def test_quotients_are_those_of_ieee_754(tmp_path: Path) -> None:
    """Zeros take a way of their own."""
    some = np.array([0.0, 5e-324, 1e-300, 0.1, 1.0, 3.0, 1e300, np.inf])  # all edges would take minutes
    a, b = product(np.array([*some, *-some, np.nan]), np.array([*some, *-some, np.nan]))
    n = len(a)
    kernel = Kernel("ratio", (Port("a", n), Port("b", n)), (Port("q", n),), lambda a, b: a / b)
    given, got = [np.repeat(x[:, None], N, axis=1) for x in (a, b)], np.zeros((n, N))
    on_processor(tmp_path, render(kernel), "ratio_batch", [given[0], N, 1, given[1], N, 1, got, N, 1])
    with np.errstate(all="ignore"):
        assert_same_bits({"q": got[:, 0]}, {"q": a / b}, "quotients")


@pytest.mark.parametrize("word", ["s", "c", "stride", "shift"])
def test_no_name_of_ours_hides_an_inner_function(word: str, tmp_path: Path) -> None:
    """Ports, units and kernels named by the letters and words that generated names are or were made of."""
    inner = Kernel(word, (Port(word),), (Port("x"),), lambda v: v + 1)

    given, result, end = np.arange(float(N)), np.zeros(N), np.zeros(N)
    outer = Program("x", (Port(word),), (Port("x"),), lambda v: inner(**{word: v}))
    folders = [tmp_path / "batch", tmp_path / "scan"]  # a library is loaded once by its path
    for folder in folders:
        folder.mkdir()
    on_processor(folders[0], render(outer), "x_batch", [given, N, 1, result, N, 1])
    np.testing.assert_array_equal(result, given + 1)
    source = render_scan(plan(inner, {word: "x"}, [], []))
    on_processor(folders[1], source, f"{word}_scan", [given, N, 1, np.zeros((0, N)), N, 1, end, 3, 1])
    np.testing.assert_array_equal(end, given + 3)


def test_modes_are_checked() -> None:
    kernel = Kernel("k", (Port("x"),), (Port("y"),), lambda x: x + 1)
    with pytest.raises(KernelError, match="'k': no mode 'quick'; mode may be strict, fast"):
        compile_cuda(kernel, mode="quick")  # type: ignore[arg-type]
    with pytest.raises(KernelError, match="scan of 'k': no mode 'quick'"):
        scan_cuda(kernel, {"x": "y"}, mode="quick")  # type: ignore[arg-type]


def _device() -> bool:
    try:
        compile_cuda(Kernel("probe_device", (Port("x"),), (Port("y"),), lambda x: x + 1))
    except TargetUnavailable:
        return False
    return True


def test_no_device_is_one_clear_sentence() -> None:
    if _device():
        pytest.skip("this machine has a CUDA device")
    with pytest.raises(TargetUnavailable, match="target 'cuda': "):
        compile_cuda(every_form())


@pytest.mark.skipif(not _device(), reason="no CUDA device")
def test_device_gives_the_interpreters_bits() -> None:
    unit = every_form()
    arrays = scenarios(unit)
    given = {p.name: arrays[p.name] for p in unit.inputs + unit.memory}
    result = compile_cuda(unit)(N, **given)
    step = compile(unit, "python")
    for t in range(N):
        outputs = step(arrays["x"][:, t].copy(), arrays["mode"][t], np.zeros(10))
        for port, value in zip(unit.outputs, outputs, strict=True):
            np.testing.assert_array_equal(result[port.name].get()[..., t], value)
    with pytest.raises(PortError, match="port 'x' has shape"):
        compile_cuda(unit)(N, **{**given, "x": np.zeros(4)})


@pytest.mark.skipif(not _device(), reason="no CUDA device")
def test_device_scan_gives_the_interpreters_bits() -> None:
    step = Kernel("driver", (Port("x", 2),), (Port("x_next", 2),), lambda x: ca.vertcat(0.9 * x[0], ca.cos(x[1])))
    x = np.random.default_rng(7).standard_normal((2, 1000))
    result = scan_cuda(step, {"x": "x_next"}, record=["x_next"])(1000, 20, every=5, x=x)
    wanted = scan(step, {"x": "x_next"}, record=["x_next"], target="python", lanes=1000)(20, every=5, x=x)
    np.testing.assert_array_equal(result["x"].get(), wanted["x"])
    np.testing.assert_array_equal(result["x_next"].get(), wanted["x_next"])
