"""The network engine: a six-axis robot in redundant coordinates against Exudyn, and its solver against libraries.

Steps are those of a network as it comes: its own number of corrections and Jacobians.
"""

import functools
import time
from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np

from benchmarks.harness import Benchmark, Rounds, Samples, Settings, interleaved, per_evaluation
from benchmarks.peers.exudyn_robot import robot_seconds
from benchmarks.peers.klu import klu_loop
from benchmarks.peers.timed_steps import slow_steps, timed_steps
from motionbase.compile import Kernel, Port, compile, scan
from motionbase.compile.linear import factorize
from motionbase.multibody.closed import Start
from motionbase.multibody.models import MODELS
from motionbase.multibody.models.gimbal import INNER, gimbal_rig
from motionbase.multibody.models.robot import servo_robot
from motionbase.multibody.models.rotor import articulated_rotor, turning
from motionbase.multibody.network.engine import Network
from motionbase.multibody.network.run import RunJob, run_network
from motionbase.multibody.network.simulate import assembled
from motionbase.multibody.network.solved import JUDGED, SOLVED, forces
from motionbase.multibody.network.step import FEEDBACK
from motionbase.multibody.simulate import simulate

BLOCK = 400  # steps in a native call


class Stepping:
    """A network's steps in a native loop, from its start on and on."""

    def __init__(self, network: Network, h: float, mode: str = "strict") -> None:
        self.loop = scan(network.program, FEEDBACK, record=["residual"], mode="fast" if mode == "fast" else "strict")
        self.held: dict[str, Any] = {
            p.name: np.full(p.dims, float(p.name.endswith("_active"))) for p in network.network.ports
        }
        self.weights = network.method.weights(1.0).row(h)
        start: dict[str, Any] = {**network.start().ports(), "worst": np.zeros(2)}
        first = self.loop(1, weights=network.method.start().row(h), **start, **self.held)
        self.state: dict[str, Any] = {name: first[name] for name in FEEDBACK}
        self.residual = 0.0

    def run(self, n: int) -> None:
        """So many steps."""
        out = self.loop(n, weights=self.weights, **self.state, **self.held)
        self.state = {name: out[name] for name in FEEDBACK}
        self.residual = max(self.residual, float(out["residual"].max()))


@functools.cache
def robot(friction: bool) -> Network:
    """114 equations, or 120 with friction, as the authors of the formulation count."""
    return Network(servo_robot(friction), 5e-4, ground_node=True)


@functools.cache
def stepping(settings: Settings, khz: int) -> Rounds:
    """Seconds a step with and without friction in one run; at 2 kHz fast mode and Exudyn beside them."""
    h = 1e-3 / khz
    sides: dict[str, Callable[[], float]] = {}
    for friction in (False, True):
        for mode in ("strict", "fast") if khz == 2 else ("strict",):
            steps = Stepping(robot(friction), h, mode)
            sides[_side(friction, mode)] = per_evaluation(steps.run, BLOCK)
    if khz == 2:
        sides["exudyn"] = lambda: robot_seconds(h, 200)[0] / 200
    return interleaved(sides, settings)


def _side(friction: bool, mode: str) -> str:
    return f"{'friction' if friction else 'plain'} {mode}"


def wall(khz: int, friction: bool, mode: str = "strict") -> Callable[[Settings], Samples]:
    """Wall seconds for each simulated second."""
    return lambda s: stepping(s, khz).side(_side(friction, mode), 1e3 * khz)


# ---- the linear solver ---------------------------------------------------------------------------------------------


@functools.cache
def solving(settings: Settings) -> Rounds:
    """Factors and one solution of the robot's Jacobian, 120 equations, by us and by libraries."""
    from scipy.linalg import lapack
    from scipy.sparse import csc_matrix
    from scipy.sparse.linalg import splu

    J = robot(True)._samples()[0]
    n = len(J)
    A, b = csc_matrix(J), np.ones(n)
    pattern = ca.DM(A).sparsity()
    nonzeros = np.array(ca.DM(A).nonzeros())

    def expr(nz: ca.SX, right: ca.SX) -> Any:
        return factorize(ca.SX(pattern, nz), [nonzeros]).solve(right).x

    kernel = Kernel("solve", (Port("nz", len(nonzeros)), Port("right", n)), (Port("x", n),), expr)
    rows = 32
    x = np.empty((rows, n))
    ours = compile(kernel).bind_map(nz=np.tile(nonzeros, (rows, 1)), right=np.tile(b, (rows, 1)), x=x)

    def loop(count: int) -> None:
        for _ in range(count // rows):
            ours()

    ours()
    found = np.empty(n)
    klu = klu_loop(A.indptr, A.indices, A.data, b, found)
    klu(1)
    for answer in (x[0], found):
        np.testing.assert_allclose(J @ answer, b, rtol=1e-6, atol=1e-6 * np.abs(J).max())
    return interleaved(
        {
            "ours": per_evaluation(loop, 10 * rows),
            "klu": per_evaluation(klu, 10 * rows),
            "superlu": per_evaluation(lambda k: [splu(A).solve(b) for _ in range(k)], 20),
            "lapack": per_evaluation(lambda k: [lapack.dgesv(J, b) for _ in range(k)], 20),
        },
        settings,
    )


# ---- regularity, gimbal, constraints, compilation ------------------------------------------------------------------


PUSHES = np.array([400.0, -600.0, 300.0, 40.0, -30.0, 15.0])  # [N m] to and fro, so that friction reverses


def regularity(settings: Settings) -> Samples:
    """99th percentile over median of the time of a step with friction reversing; every step must be solved."""
    network, count = robot(True), 20_000 if settings.quick else 100_000
    begun = Stepping(network, network.step_size)
    tau = PUSHES * np.where(np.arange(count) // BLOCK % 2, -1.0, 1.0)[:, None]
    given = {**begun.state, "weights": begun.weights}
    times, residuals = timed_steps(network.program, FEEDBACK, given, ("tau", tau), "residual")
    if not residuals.max() < SOLVED * float(forces({name: ca.DM(begun.state[name]) for name in JUDGED})):
        raise RuntimeError(f"a step was not solved: residual {residuals.max():.1e}")
    median = float(np.median(times))
    note = f"{1e6 * median:.2f} us a step, residual at most {residuals.max():.0e} N; {slow_steps(times)}"
    return Samples((float(np.quantile(times, 0.99)) / median,), note)


@functools.cache
def gimbals(settings: Settings) -> Rounds:
    """A step of the gimbal rig: the joint's own rows against the assembly of simple joints."""
    sides = {}
    for coupling in ("compact", "angles", "assembly"):
        model = gimbal_rig(coupling=coupling)
        q, v, dropped = assembled(model, Start(model.neutral, np.zeros(model.nv)), 1e-3)
        massless = INNER if coupling == "assembly" else ()
        network = Network(model, 1e-3, q, v, dropped=dropped, massless=massless)
        sides[coupling] = per_evaluation(Stepping(network, 1e-3).run, BLOCK)
    return interleaved(sides, settings)


def violation(settings: Settings) -> Samples:
    """Largest miss of a constraint over examples, a second each [m, rad]."""
    worst = 0.0
    for name in ("two_link", "slider_crank", "robot6_servos"):
        example = MODELS[name]
        begin = simulate(example.build(), 1e-3, 1e-3, q0=example.q0, v0=example.v0)
        dropped = ("pin.z",) if name == "slider_crank" else ()
        network = Network(example.build(), 1e-3, begin.q[0], begin.v[0], dropped=dropped)
        held = {p.name: np.zeros(p.dims) for p in network.network.ports}
        worst = max(worst, run_network(RunJob(network, 1000, held, {})).miss)
    return Samples((worst,))


def compile_seconds(settings: Settings) -> Samples:
    """From the model to machine code, without the cache [s]."""
    start = time.perf_counter()
    network = Network(servo_robot(friction=True), 5e-4, ground_node=True)
    scan(network.program, FEEDBACK, cache=None)
    return Samples((time.perf_counter() - start,))


# ---- size ----------------------------------------------------------------------------------------------------------


@functools.cache
def large() -> tuple[Network, float]:
    """The rotor of 759 equations, and seconds from the model to machine code without the cache."""
    start, model = time.perf_counter(), articulated_rotor()
    network = Network(model, 1e-3, model.neutral, turning(model))
    scan(network.program, FEEDBACK, cache=None)
    return network, time.perf_counter() - start


@functools.cache
def large_steps(settings: Settings) -> Rounds:
    """Seconds a step of the rotor."""
    return interleaved({"rotor": per_evaluation(Stepping(large()[0], 1e-3).run, BLOCK)}, settings)


BENCHMARKS = [
    Benchmark("network.robot_2khz_s_per_s", "s/s", "<= 0.015", "six-axis robot, 114 equations, 2 kHz, strict",
              wall(2, False), "strict", 1),
    Benchmark("network.robot_friction_2khz_s_per_s", "s/s", "<= 0.02", "the same with friction, 120 equations",
              wall(2, True), "strict", 1),
    Benchmark("network.vs_exudyn", "x", ">= 10", "the same robot without friction, same step: Exudyn (redundant, "
              "trapezoidal index 2, modified Newton) / ours", lambda s: stepping(s, 2).ratio("exudyn", "plain strict"),
              "strict", 1),
    Benchmark("network.p99_over_median", "x", "<= 1.5", "wall time of a step with friction reversing, in a native loop",
              regularity, "strict", 1),
    Benchmark("network.solver_vs_klu_refactor", "x", ">= 2", "120 equations, factors and a solution: KLU, pivots kept, "
              "in a native loop / ours", lambda s: solving(s).ratio("klu", "ours"), "strict", 1),
    Benchmark("network.solver_vs_superlu", "x", ">= 5", "the same: SuperLU / ours",
              lambda s: solving(s).ratio("superlu", "ours"), "strict", 1),
    Benchmark("network.solver_vs_lapack", "x", ">= 5", "the same: LAPACK dgesv / ours",
              lambda s: solving(s).ratio("lapack", "ours"), "strict", 1),
    Benchmark("network.constraint_violation", "m, rad", "<= 1e-9", "largest miss over examples", violation,
              "strict", 1),
    Benchmark("network.compile_s", "s", "<= 30", "robot with friction, cold", compile_seconds, "strict", 1),
    *(
        Benchmark(f"network.robot{'_friction' if f else ''}_{khz}khz_s_per_s", "s/s", None, f"at {khz} kHz",
                  wall(khz, f), "strict", 1)
        for khz in (1, 3, 4) for f in (False, True)
    ),
    *(
        Benchmark(f"network.robot{'_friction' if f else ''}_2khz_fast_s_per_s", "s/s", None, "fast mode",
                  wall(2, f, "fast"), "fast", 1)
        for f in (False, True)
    ),
    Benchmark("network.gimbal_saving", "x", None, "time of a step: assembly of simple joints (25 equations) / gimbal "
              "joint with its angles (5)", lambda s: gimbals(s).ratio("assembly", "angles"), "strict", 1),
    Benchmark("network.gimbal_compact_saving", "x", None, "the same: assembly / gimbal joint in one row",
              lambda s: gimbals(s).ratio("assembly", "compact"), "strict", 1),
    Benchmark("network.large_compile_s", "s", "<= 60", "articulated rotor, 759 equations, cold",
              lambda s: Samples((large()[1],)), "strict", 1),
    Benchmark("network.large_step_us", "us", None, "a step of it", lambda s: large_steps(s).side("rotor", 1e6),
              "strict", 1),
]  # fmt: skip
