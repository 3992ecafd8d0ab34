"""The compiler: time to a callable, cost of a call, throughput of the code, against CasADi's C and libm."""

import ctypes
import functools
import json
import os
import statistics
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np

from benchmarks.harness import Benchmark, Rounds, Samples, Settings, Skip, interleaved, per_evaluation
from benchmarks.models.arm import arm, arm_step
from benchmarks.peers.casadi_c import native_loop
from motionbase.compile import Compiled, Kernel, Port, Program, compile, for_each, repeat
from motionbase.compile.render.llvm import Module
from motionbase.interpreter import python
from motionbase.native.jit import build, host_cpu

SETS = 64  # different arguments in turn: nothing can be hoisted out of the loop, everything fits the first-level cache
PEER_FLAGS = ("-O3", "-march=native")


def arm_inputs(lanes: int = 1) -> list[np.ndarray]:
    """Joint angles, rates and torques for SETS calls."""
    rng = np.random.default_rng(1)
    shape = (SETS, 7) if lanes == 1 else (SETS, 7, lanes)
    return [rng.standard_normal(shape) for _ in range(3)]


def repeated(run: Callable[[], None], evaluations: int = 1) -> Callable[[int], object]:
    """`loop(n)` for a call that itself makes several evaluations."""

    def loop(n: int) -> None:
        for _ in range(n // evaluations):
            run()

    return loop


def map_loop(compiled: Compiled) -> Callable[[int], object]:
    """`loop(n)`: n evaluations (a multiple of SETS) in native code."""
    q, v, tau = arm_inputs(compiled.lanes)
    return repeated(compiled.bind_map(q=q, v=v, tau=tau), SETS)


def arm_side(mode: str, lanes: int) -> Callable[[], float]:
    """Time of one evaluation (of all lanes together) [s]."""
    compiled = compile(arm(), lanes=lanes, mode="fast" if mode == "fast" else "strict", cache=None)
    return per_evaluation(map_loop(compiled), 40 * SETS)


@functools.cache
def throughput(settings: Settings) -> Rounds:
    """The arm on every vector width and mode, and CasADi's C, all in one run."""
    kernel = arm()
    inputs = arm_inputs()
    sides = {f"{mode}{lanes}": arm_side(mode, lanes) for mode in ("strict", "fast") for lanes in (1, 2, 4, 8)}
    peer = native_loop(kernel.function, inputs, np.empty_like(inputs[0]), PEER_FLAGS)
    plain = native_loop(kernel.function, inputs, np.empty_like(inputs[0]), ("-O3",))
    sides["casadi"] = per_evaluation(peer, 40 * SETS)
    sides["casadi_plain"] = per_evaluation(plain, 40 * SETS)
    return interleaved(sides, settings)


def lane_speedup(settings: Settings, mode: str, lanes: int) -> Samples:
    """Evaluations per second on lanes over the scalar rate."""
    ratio = throughput(settings).ratio(f"{mode}1", f"{mode}{lanes}")
    avx512 = "+avx512f" in host_cpu().features.split(",")
    return Samples(tuple(r * lanes for r in ratio.values), f"{'AVX-512' if avx512 else 'no AVX-512'} machine")


# ---- cost of a call ------------------------------------------------------------------------------------------------


@functools.cache
def calls(settings: Settings) -> Rounds:
    """A small kernel called from Python with preallocated arrays, bound, and natively."""
    kernel = Kernel(
        "cross",
        (Port("a", 3), Port("b", 3)),
        (Port("c", 3),),
        lambda a, b: ca.cross(a, b),
    )
    compiled = compile(kernel, cache=None)
    a, b, c = np.ones(3), np.arange(3.0), np.empty(3)
    bound = compiled.bind(a=a, b=b, c=c)
    many = compiled.bind_map(a=np.ones((SETS, 3)), b=np.ones((SETS, 3)))

    def python_loop(n: int) -> None:
        for _ in range(n):
            compiled(a, b, out=c)

    def empty_loop(n: int) -> None:
        for _ in range(n):
            pass

    return interleaved(
        {
            "python": per_evaluation(python_loop, 5000),
            "bound": per_evaluation(repeated(bound), 5000),
            "native": per_evaluation(repeated(many, SETS), 500 * SETS),
            "empty": per_evaluation(empty_loop, 5000),
        },
        settings,
    )


def overhead(settings: Settings, side: str) -> Samples:
    """Python call minus the native call and the measuring loop itself [us]."""
    rounds = calls(settings).seconds
    own = zip(rounds[side], rounds["native"], rounds["empty"], strict=True)
    return Samples(tuple((t - native - empty) * 1e6 for t, native, empty in own))


# ---- time to a callable --------------------------------------------------------------------------------------------

_FRESH = """
import json, sys, time
sys.path.insert(0, sys.argv[1])
from benchmarks.models.arm import arm
from motionbase.compile import compile
kernel = arm()
start = time.perf_counter()
kernel.function
traced = time.perf_counter()
compiled = compile(kernel)
done = time.perf_counter()
print(json.dumps({"trace": traced - start, "compile": done - traced, "cached": compiled.times.cached}))
"""


@functools.cache
def start_up(settings: Settings) -> dict[str, tuple[float, ...]]:
    """Fresh processes, first with an empty cache, then with a filled one."""
    times: dict[str, list[float]] = {"trace": [], "cold": [], "warm": []}
    root = Path(__file__).resolve().parents[1]
    for _ in range(3 if settings.quick else 9):
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "MOTIONBASE_CACHE": str(Path(folder, "objects"))}
            for kind in ("cold", "warm"):
                line = python("-c", _FRESH, str(root))
                done = subprocess.run(line, env=environment, capture_output=True, text=True, check=True)
                answer = json.loads(done.stdout)
                if answer["cached"] is not (kind == "warm"):
                    raise RuntimeError(f"the {kind} start found the cache in the wrong state")
                times[kind].append(answer["compile"])
                times["trace"].append(answer["trace"])
    return {name: tuple(values) for name, values in times.items()}


# ---- a large model as a program ------------------------------------------------------------------------------------

ARMS, SUBSTEPS = 6, 9  # 54 steps of about 2,000 instructions


def big_program() -> Program:
    """Six arms, nine sub-steps each: one step kernel, called 54 times."""
    step = arm_step()

    def big(q: ca.SX, v: ca.SX, tau: ca.SX) -> Any:
        return repeat(SUBSTEPS, lambda q, v: for_each(step, q, v, tau), q, v)

    inputs = (Port("q", (ARMS, 7), "rad"), Port("v", (ARMS, 7), "rad/s"), Port("tau", (ARMS, 7), "N m"))
    return Program("big", inputs, (Port("q_next", (ARMS, 7), "rad"), Port("v_next", (ARMS, 7), "rad/s")), big)


def big_inlined() -> Kernel:
    """The same computation as one expression."""
    step = arm_step().function

    def expr(q: ca.SX, v: ca.SX, tau: ca.SX) -> tuple[ca.SX, ca.SX]:
        states = [[q[i, :].T, v[i, :].T] for i in range(ARMS)]
        for _ in range(SUBSTEPS):
            states = [step.call([*s, tau[i, :].T]) for i, s in enumerate(states)]
        return ca.horzcat(*(s[0] for s in states)).T, ca.horzcat(*(s[1] for s in states)).T

    program = big_program()
    return Kernel("big_inlined", program.inputs, program.outputs, expr)


@functools.cache
def big(settings: Settings) -> tuple[float, int, Rounds]:
    """Seconds to compile the program, instructions of the inlined form, and run times of both."""
    start = os.times().elapsed
    program = compile(big_program(), cache=None)
    seconds = os.times().elapsed - start
    kernel = big_inlined()
    inlined = compile(kernel, cache=None)
    arrays = program.arrays()
    arrays["q"][:] = np.linspace(0.1, 1.0, 42).reshape(6, 7)
    run_program, run_inlined = program.bind(**arrays), inlined.bind(**inlined.arrays() | {"q": arrays["q"]})
    rounds = interleaved(
        {
            "program": per_evaluation(repeated(run_program), 200),
            "inlined": per_evaluation(repeated(run_inlined), 200),
        },
        settings,
    )
    np.testing.assert_array_equal(arrays["q_next"], run_inlined.arrays[3])
    return seconds, kernel.function.n_instructions(), rounds


def big_vs_inlined(settings: Settings) -> Samples:
    """Run time of the program over the inlined form."""
    _, instructions, rounds = big(settings)
    return Samples(rounds.ratio("program", "inlined").values, f"{instructions} instructions inlined")


# ---- our maths against libm ----------------------------------------------------------------------------------------

MATHS = {"sin": (-10.0, 10.0), "cos": (-10.0, 10.0), "exp": (-20.0, 20.0), "log": (1e-3, 1e3)}
_LOOP_IR = """
declare double @{symbol}(double)
define void @{loop}(i64 %n, ptr %x, ptr %y) {{
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %at = getelementptr double, ptr %x, i64 %k
  %to = getelementptr double, ptr %y, i64 %k
  %v = load double, ptr %at
  %r = call double @{symbol}(double %v)
  store double %r, ptr %to
  %k.next = add i64 %k, 1
  %more = icmp slt i64 %k.next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}}
"""


@functools.cache
def against_libm(settings: Settings, name: str) -> Rounds:
    """One call per value on both sides: our function and the C library's, both scalar."""
    kernel = Kernel(f"only_{name}", (Port("x"),), (Port("y"),), lambda x: getattr(ca, name)(x))
    ours = Module(kernel.routine).text().replace("alwaysinline", "noinline")
    loops = _LOOP_IR.format(symbol=f"mb_{name}", loop="ours").split("\n", 2)[2]
    # a call through a name that LLVM does not know as a maths function stays a call
    theirs = _LOOP_IR.format(symbol=name, loop="theirs").replace("(double %v)", "(double %v) nobuiltin")
    text = ours + loops + theirs
    library, _ = build(lambda: text, "unused", None)
    low, high = MATHS[name]
    x = np.random.default_rng(2).uniform(low, high, 1000)
    y = np.empty_like(x)
    sides = {}
    for side in ("ours", "theirs"):
        function = library.function(side, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)
        run = functools.partial(function, len(x), x.ctypes.data, y.ctypes.data)
        sides[side] = per_evaluation(repeated(run, len(x)), 200 * len(x))
    return interleaved(sides, settings)


def maths_together(settings: Settings) -> Samples:
    """Geometric mean over sin, cos, exp and log of libm's time over ours."""
    ratios = [against_libm(settings, name).ratio("theirs", "ours").values for name in MATHS]
    return Samples(tuple(statistics.geometric_mean(r) for r in zip(*ratios, strict=False)))


# ---- CUDA ----------------------------------------------------------------------------------------------------------


@functools.cache
def cuda_rate(settings: Settings, mode: str) -> Samples:
    """Evaluations per second of the arm on the GPU, one scenario per thread."""
    from motionbase.compile.runtime.cuda import compile_cuda

    kernel = arm()
    batch = compile_cuda(kernel, mode="fast" if mode == "fast" else "strict")
    import cupy

    n = 1 << 20
    rng = np.random.default_rng(3)
    arrays = {name: cupy.asarray(rng.standard_normal((7, n))) for name in ("q", "v", "tau")}
    reference = compile(kernel, mode="strict", cache=None)
    first = {name: array[:, 0].get() for name, array in arrays.items()}
    difference = np.abs(batch(n, **arrays)["a"][:, 0].get() - reference(**first)).max()
    if mode == "strict" and difference != 0.0:
        raise RuntimeError(f"CUDA differs from LLVM in strict mode by {difference}")
    rates = []
    for _ in range(settings.repeats):
        start, end = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        for _ in range(10):
            batch(n, **arrays)
        end.record()
        end.synchronize()
        rates.append(10 * n / (cupy.cuda.get_elapsed_time(start, end) * 1e-3))
    return Samples(tuple(rates), f"{cupy.cuda.runtime.getDeviceProperties(0)['name'].decode()}")


def needs_avx512(settings: Settings) -> Samples:
    """Eight lanes need AVX-512 to fit one register."""
    if "+avx512f" not in host_cpu().features.split(","):
        raise Skip("this processor has no AVX-512; compile.lanes8_strict_speedup shows what it does")
    return lane_speedup(settings, "fast", 8)


def libm_ratio(name: str) -> Callable[[Settings], Samples]:
    """libm's time over ours for one function."""
    return lambda settings: against_libm(settings, name).ratio("theirs", "ours")


def arm_ratio(numerator: str, denominator: str) -> Callable[[Settings], Samples]:
    """Ratio of the times of two sides of the arm."""
    return lambda settings: throughput(settings).ratio(numerator, denominator)


def speedup(mode: str, lanes: int) -> Callable[[Settings], Samples]:
    """Throughput on lanes over scalar throughput."""
    return lambda settings: lane_speedup(settings, mode, lanes)


ARM = "7-joint arm"
BENCHMARKS = [
    Benchmark("compile.call_overhead_us", "us", "<= 1.5", "Python call, preallocated arrays, less a native call",
              lambda s: overhead(s, "python"), "strict", 1),
    Benchmark("compile.bound_overhead_us", "us", None, "the same with arrays bound once",
              lambda s: overhead(s, "bound"), "strict", 1),
    Benchmark("compile.arm7_trace_s", "s", None, f"{ARM}: running the Python expression on symbols",
              lambda s: Samples(start_up(s)["trace"])),
    Benchmark("compile.arm7_cold_s", "s", "<= 0.5", f"{ARM}: traced kernel to callable, fresh process, empty cache",
              lambda s: Samples(start_up(s)["cold"]), "strict", 1),
    Benchmark("compile.arm7_warm_s", "s", "<= 0.02", "the same from the object cache",
              lambda s: Samples(start_up(s)["warm"]), "strict", 1),
    Benchmark("compile.arm7_strict_us", "us", None, f"{ARM}, one evaluation in a native loop",
              lambda s: throughput(s).side("strict1", 1e6), "strict", 1),
    Benchmark("compile.arm7_fast_us", "us", None, f"{ARM}, one evaluation in a native loop",
              lambda s: throughput(s).side("fast1", 1e6), "fast", 1),
    Benchmark("compile.arm7_vs_casadi_c", "x", ">= 1.0", f"CasADi's C ({' '.join(PEER_FLAGS)}) / ours",
              arm_ratio("casadi", "fast1"), "fast", 1),
    Benchmark("compile.arm7_strict_vs_casadi_c", "x", None, "CasADi's C (-O3) / ours",
              arm_ratio("casadi_plain", "strict1"), "strict", 1),
    Benchmark("compile.lanes4_speedup", "x", None, f"throughput on 4 lanes / scalar, {ARM}", speedup("fast", 4),
              "fast", 4),
    Benchmark("compile.lanes4_strict_speedup", "x", None, f"throughput on 4 lanes / scalar, {ARM}",
              speedup("strict", 4), "strict", 4),
    Benchmark("compile.lanes8_speedup", "x", ">= 4.5", f"throughput on 8 lanes / scalar, {ARM}, AVX-512",
              needs_avx512, "fast", 8),
    Benchmark("compile.lanes8_strict_speedup", "x", None, f"throughput on 8 lanes / scalar, {ARM}",
              speedup("strict", 8), "strict", 8),
    Benchmark("compile.math_vs_libm", "x", None, "libm / ours, one call a value, mean of sin, cos, exp, log",
              maths_together, "strict", 1),
    *(
        Benchmark(f"compile.{name}_vs_libm", "x", None, f"libm / ours, {name}", libm_ratio(name), "strict", 1)
        for name in MATHS
    ),
    Benchmark("compile.big_s", "s", "<= 10", "compile a program of 100,000 inlined-equivalent instructions",
              lambda s: Samples((big(s)[0],)), "strict", 1),
    Benchmark("compile.big_vs_inlined", "x", "<= 1.3", "run time of that program / the inlined form", big_vs_inlined,
              "strict", 1),
    Benchmark("compile.cuda_fp64_per_s", "1/s", ">= 3e9", f"{ARM} on the GPU, one scenario a thread",
              lambda s: cuda_rate(s, "fast"), "fast"),
    Benchmark("compile.cuda_strict_per_s", "1/s", None, "the same without contraction: the bits of every other target",
              lambda s: cuda_rate(s, "strict"), "strict"),
]  # fmt: skip
