"""The hexapod: forward kinematics against CasADi's own Newton method, one thread, native loops on every side."""

import functools
from collections.abc import Callable
from typing import Literal

import casadi as ca
import numpy as np

from benchmarks.harness import Benchmark, Rounds, Samples, Settings, interleaved, per_evaluation
from benchmarks.mechanics import closed_loop, stewart
from benchmarks.peers.casadi_c import native_loop
from motionbase.arrays import Array
from motionbase.compile import compile
from motionbase.platform.forward import TOLERANCE
from motionbase.platform.kinematics import Kinematics
from motionbase.platform.load import load_platform
from motionbase.spatial.rotations import R_euler_zyx

PLATFORM = load_platform("simona")
SETS = 64  # different poses in turn
EVALUATIONS = 20 * SETS
AWAY, TICK = (0.1, np.radians(5.0)), (1e-3, 1e-3)  # distance of the start [m, rad]; a tick of 1 ms at 1 m/s, 1 rad/s
SPREAD = np.array([0.3, 0.3, 0.25, 0.15, 0.15, 0.2])  # poses are drawn from neutral plus or minus this [m, rad]


def poses(distance: tuple[float, float]) -> tuple[Array, Array]:
    """Degrees of freedom of the desired and of the initial poses, the given distance apart in position and angle."""
    rng = np.random.default_rng(8)
    wanted = rng.uniform(-1, 1, (SETS, 6)) * SPREAD
    aside = rng.standard_normal((SETS, 2, 3))
    aside *= np.array(distance)[:, None] / np.linalg.norm(aside, axis=2, keepdims=True)
    return wanted, wanted + aside.reshape(SETS, 6)


def ours(
    distance: tuple[float, float], mode: Literal["strict", "fast"]
) -> tuple[Callable[[int], object], dict[str, Array]]:
    """Our compiled program over all sets, and the arrays it writes."""
    kinematics = Kinematics(PLATFORM)
    pose_of_dof = compile(kinematics.pose_of_dof)
    wanted, starts = (pose_of_dof.map(dof=dof) for dof in poses(distance))
    l = compile(kinematics.inverse).map(**wanted)["l"]
    forward = compile(kinematics.forward, mode=mode)
    arguments = {"l": l, "p_start": starts["p_W"], "Q_start": starts["Q_WP"]}
    found = forward.map(**arguments)
    if not (found["converged"] == 1).all() or np.abs(found["p_W"] - wanted["p_W"]).max() > 1e-9:
        raise RuntimeError(f"forward kinematics did not come back to the poses in {mode} mode")
    run = forward.bind_map(**arguments, **found)

    def loop(n: int) -> None:
        for _ in range(n // SETS):
            run()

    return loop, found


def casadi_newton(distance: tuple[float, float]) -> Callable[[int], object]:
    """CasADi's rootfinder `fast_newton` on position and Euler angles, as C; it stops at our tolerance."""
    dof, l = ca.SX.sym("dof", 6), ca.SX.sym("l", 6)
    d = [
        np.asarray(PLATFORM.p_neutral) + dof[:3] + R_euler_zyx(dof[3:]) @ np.asarray(b) - np.asarray(a)
        for a, b in zip(PLATFORM.base, PLATFORM.joints, strict=True)
    ]
    error = ca.vertcat(*(ca.norm_2(leg) for leg in d)) - l
    settings = {"max_iter": 12, "abstol": TOLERANCE, "abstolStep": 0.0}
    newton = ca.rootfinder("forward", "fast_newton", {"x": dof, "p": l, "g": error}, settings)
    wanted, starts = poses(distance)
    lengths = np.array(ca.Function("lengths", [dof], [error + l]).map(SETS)(wanted.T)).T
    found = np.empty((SETS, 6))
    loop = native_loop(newton, [starts, np.ascontiguousarray(lengths)], found, ("-O3", "-march=native"))
    loop(SETS)
    if not np.abs(found - wanted).max() <= 1e-9:  # also when it is NaN
        raise RuntimeError("CasADi's Newton method did not come back to the poses")
    return loop


@functools.cache
def forward(settings: Settings) -> Rounds:
    """Both sides on the same lengths and starts, 0.1 m and 5 degrees away; both must come back to the poses."""
    loops = {
        "strict": ours(AWAY, "strict")[0],
        "fast": ours(AWAY, "fast")[0],
        "tick": ours(TICK, "strict")[0],
        "casadi": casadi_newton(AWAY),
    }
    return interleaved({side: per_evaluation(loop, EVALUATIONS) for side, loop in loops.items()}, settings)


BENCHMARKS = [
    Benchmark(
        "hexapod.fk_us", "us", "<= 3", "forward kinematics from 0.1 m and 5 degrees away",
        lambda s: forward(s).side("strict", 1e6), mode="strict",
    ),
    Benchmark(
        "hexapod.fk_fast_us", "us", "<= 3", "the same in fast mode",
        lambda s: forward(s).side("fast", 1e6), mode="fast",
    ),
    Benchmark(
        "hexapod.fk_tick_us", "us", None, "forward kinematics from 1 mm and 1 mrad away, a tick of 1 ms",
        lambda s: forward(s).side("tick", 1e6), mode="strict",
    ),
    Benchmark(
        "hexapod.fk_vs_casadi", "x", ">= 1", "CasADi's fast_newton as C, gcc -O3 -march=native / ours",
        lambda s: forward(s).ratio("casadi", "strict"), mode="strict",
    ),
    Benchmark("hexapod.gs_us", "us", None, "Gough-Stewart platform with massive legs, a semi-implicit Euler step",
              stewart.us("fast"), "fast", 1),
    Benchmark("hexapod.gs_strict_us", "us", None, "the same", stewart.us("strict"), "strict", 1),
    Benchmark("hexapod.gs_vs_mujoco", "x", ">= 10", "mj_step with stiff closures / ours, same step and leg drive",
              stewart.against_mujoco("fast"), "fast", 1),
    Benchmark("hexapod.gs_strict_vs_mujoco", "x", None, "the same", stewart.against_mujoco("strict"), "strict", 1),
    Benchmark("hexapod.gs_closure_m", "m", "<= 1e-9", "largest closure error in a second of the same",
              lambda s: Samples((stewart.race(s)[1],)), "strict", 1),
    Benchmark("hexapod.realtime_factor", "x", ">= 80", "control at 2 kHz, hydraulic plant, masses with legs; one core",
              closed_loop.realtime("fast1"), "fast", 1),
    Benchmark("hexapod.realtime_factor_strict", "x", None, "the same", closed_loop.realtime("strict1"), "strict", 1),
    Benchmark("hexapod.realtime_factor_lanes8", "x", ">= 300", "eight scenarios at once, in sum",
              closed_loop.realtime("fast8"), "fast", 8),
    Benchmark("hexapod.realtime_factor_lanes8_strict", "x", None, "the same",
              closed_loop.realtime("strict8"), "strict", 8),
    Benchmark("hexapod.for_each_gain", "x", ">= 1.3", "the closed loop with legs one after the other / on lanes",
              closed_loop.for_each_gain, "strict", 1),
    Benchmark("hexapod.gpu_realtime_factor", "x", ">= 100000", "65,536 scenarios at once on a GPU, in sum",
              closed_loop.on_gpu("fast"), "fast", 1),
    Benchmark("hexapod.gpu_realtime_factor_strict", "x", ">= 60000", "the same",
              closed_loop.on_gpu("strict"), "strict", 1),
    Benchmark("hexapod.code_bytes", "B", None, "machine code of the closed loop", closed_loop.size("code"),
              "strict", 1),
    Benchmark("hexapod.stack_bytes", "B", None, "deepest stack of the closed loop", closed_loop.size("stack"),
              "strict", 1),
    Benchmark("hexapod.compile_s", "s", None, "tracing and compiling the closed loop",
              closed_loop.size("seconds"), "strict", 1),
    Benchmark("hexapod.tick_us_p50", "us", None, "control, plant and record inside the executive, beside three readers",
              closed_loop.tick_us(50), "strict", 1),
    Benchmark("hexapod.tick_us_p99", "us", None, "the same", closed_loop.tick_us(99), "strict", 1),
]  # fmt: skip
