"""The multibody engine: forward dynamics against Pinocchio and MuJoCo, one thread, native loops on every side."""

import functools
from collections.abc import Callable

import casadi as ca
import numpy as np

from benchmarks.harness import Benchmark, Rounds, Samples, Settings, Skip, interleaved, per_evaluation
from benchmarks.mechanics import handoff, rates
from benchmarks.mechanics.flight import flight_cost, free_flight, momentum_drift
from benchmarks.models.manoeuvres import MANOEUVRES
from benchmarks.peers.casadi_c import native_loop
from benchmarks.peers.engines import mujoco_loop, mujoco_rollout, pinocchio_loop
from motionbase.compile import Kernel, Port, compile, scan
from motionbase.multibody import Model
from motionbase.multibody.joints import Free
from motionbase.multibody.models import MODELS
from motionbase.multibody.simulate import simulate
from motionbase.multibody.trajectory import Trajectory
from motionbase.multibody.tree.dynamics import Tree
from motionbase.multibody.tree.loops import Loops
from motionbase.multibody.tree.state import TreeState

SETS = 64  # different states in turn
EVALUATIONS = {"arm7": 40 * SETS, "arm7_free": 20 * SETS, "chain30": 5 * SETS}


def states(model: Model, order: str) -> list[np.ndarray]:
    """q, v, tau and space for the accelerations, in one engine's order of coordinates.

    All engines get the same motion: quaternions wxyz and speeds angular first for us; xyzw and linear first for
    Pinocchio; wxyz, linear first and in world axes for MuJoCo (the same numbers at an identity attitude).
    """
    rng = np.random.default_rng(4)
    q, v, tau = (rng.standard_normal((SETS, n)) for n in (model.nq, model.nv, model.nv))
    if isinstance(model.joints[0].motion, Free):
        q[:, 3:7] = [1.0, 0.0, 0.0, 0.0]
        if order == "pinocchio":
            q[:, 3:7] = [0.0, 0.0, 0.0, 1.0]
        if order != "ours":
            for a in (v, tau):
                a[:, :6] = a[:, [3, 4, 5, 0, 1, 2]]
    return [np.ascontiguousarray(a) for a in (q, v, tau, np.empty_like(v))]


def ours(model: Model, mode: str) -> Callable[[int], object]:
    """Our compiled forward dynamics."""
    compiled = compile(Tree(model).forward_dynamics, mode="fast" if mode == "fast" else "strict")
    q, v, tau, a = states(model, "ours")
    run = compiled.bind_map(q=q, v=v, tau=tau, v_dot=a)

    def loop(n: int) -> None:
        for _ in range(n // SETS):
            run()

    return loop


@functools.cache
def dynamics(settings: Settings, name: str) -> tuple[Rounds, dict[str, str]]:
    """Every engine on one chain, in one run, and why others are not there; their results must agree.

    A quick run does without what a compiler has to work on for long.
    """
    model, n = MODELS[name].build(), EVALUATIONS[name]
    kernel = Tree(model).forward_dynamics
    q, v, tau, a = states(model, "ours")
    pin, mj = states(model, "pinocchio"), states(model, "mujoco")
    loops = {
        "strict": ours(model, "strict"),
        "fast": ours(model, "fast"),
        "mujoco": mujoco_loop(model, *mj),
    }
    absent = {"casadi": "a C compiler takes long for straight-line code; not in a quick run"}
    try:
        loops["pinocchio"] = pinocchio_loop(model, *pin, wait=not settings.quick)
    except Skip as skipped:
        absent["pinocchio"] = str(skipped)
    if name != "chain30" and not settings.quick:
        loops["casadi"] = native_loop(kernel.function, [q, v, tau], np.empty_like(v), ("-O3", "-march=native"))
    rounds = interleaved({side: per_evaluation(loop, n) for side, loop in loops.items()}, settings)
    if "pinocchio" in absent:
        return rounds, absent
    wanted = compile(kernel).map(q=q, v=v, tau=tau)["v_dot"]
    answer = pin[3].copy()
    if isinstance(model.joints[0].motion, Free):
        answer[:, :6] = answer[:, [3, 4, 5, 0, 1, 2]]
    difference = np.abs(answer - wanted).max() / np.abs(wanted).max()
    if not difference <= 1e-9:  # also when it is NaN
        raise RuntimeError(f"Pinocchio and ours differ by {difference:.1e} on {name}")
    return rounds, absent


def ratio(name: str, peer: str, mode: str) -> Callable[[Settings], Samples]:
    """The peer's time over ours."""

    def measure(settings: Settings) -> Samples:
        rounds, absent = dynamics(settings, name)
        if peer not in rounds.seconds:
            raise Skip(absent[peer])
        return rounds.ratio(peer, mode)

    return measure


def microseconds(name: str, mode: str) -> Callable[[Settings], Samples]:
    """Time of one evaluation."""
    return lambda settings: dynamics(settings, name)[0].side(mode, 1e6)


# ---- batches -------------------------------------------------------------------------------------------------------

SCENARIOS, STEPS, DT = 64, 200, 1e-3


@functools.cache
def batches(settings: Settings, mode: str, lanes: int) -> Rounds:
    """Many runs of the arm, falling from many positions: lanes of one core against mujoco.rollout on one thread.

    A semi-implicit Euler step of 1 ms on both sides; the final states must agree.
    """
    model = MODELS["arm7"].build()
    rng = np.random.default_rng(5)
    q, v = 0.5 * rng.standard_normal((SCENARIOS, 7)), 0.1 * rng.standard_normal((SCENARIOS, 7))
    dynamics_of = Tree(model).forward_dynamics

    def step(q: ca.SX, v: ca.SX) -> tuple[ca.SX, ca.SX]:
        v_next = v + DT * dynamics_of(q, v, ca.DM.zeros(7))
        return q + DT * v_next, v_next

    kernel = Kernel("arm7_step", (Port("q", 7), Port("v", 7)), (Port("q_next", 7), Port("v_next", 7)), step)
    run = scan(kernel, {"q": "q_next", "v": "v_next"}, lanes=lanes, mode="fast" if mode == "fast" else "strict")
    groups = [np.ascontiguousarray(a.reshape(-1, lanes, 7).transpose(0, 2, 1)) for a in (q, v)]
    ends: list[np.ndarray] = []

    def ours_loop(n: int) -> None:
        ends[:] = [run(n, q=a, v=b)["q"] for a, b in zip(*groups, strict=True)]

    rollout = mujoco_rollout(model, q, v, DT)
    ours_loop(STEPS)
    theirs = rollout(STEPS)
    assert isinstance(theirs, np.ndarray)
    difference = np.abs(np.concatenate([e.T for e in ends]) - theirs[:, -1, 1:8]).max()
    if not difference <= 1e-6:  # a fifth of a second of a chaotic fall from the same state
        raise RuntimeError(f"MuJoCo and ours end {difference:.1e} rad apart")
    sides = {"ours": per_evaluation(ours_loop, STEPS), "rollout": per_evaluation(rollout, STEPS)}
    return interleaved(sides, settings)


# ---- instructions of the recursion ---------------------------------------------------------------------------------


def newton_euler_column(state: TreeState, j: int) -> ca.SX:
    """Column j of the mass matrix by Newton-Euler: the forces that give a unit acceleration of speed j."""
    model, unit = state.model, ca.DM.eye(state.model.nv)[:, j]
    accelerations: list[ca.SX] = []
    for n, own in enumerate(state.motions):
        parent = model.parents[n]
        carried = ca.SX(6, 1) if parent < 0 else own.T_pb.motion_to_b(accelerations[parent])
        accelerations.append(carried + own.S @ unit[model.v_slices[n][0]])
    forces = [i.rigid.times(a) for i, a in zip(state.inertias, accelerations, strict=True)]
    column = [ca.SX()] * len(forces)
    for n in range(len(forces) - 1, -1, -1):
        own, parent = state.motions[n], model.parents[n]
        column[n] = own.S.T @ forces[n]
        if parent >= 0:
            forces[parent] += own.T_pb.force_to_a(forces[n])
    return ca.vertcat(*column)


def recursion_ratio(settings: Settings, name: str, shared: bool) -> Samples:
    """Instructions of the single recursion over those of one Newton-Euler pass per column."""
    model = MODELS[name].build()
    q = ca.SX.sym("q", model.nq)
    state = TreeState.of(model, q, ca.SX(model.nv, 1))
    ours_count = ca.Function("M", [q], [ca.tril(state.mass_matrix())], {"cse": True}).n_instructions()
    columns = [newton_euler_column(state, j) for j in range(model.nv)]
    if shared:
        theirs = ca.Function("M", [q], [ca.tril(ca.horzcat(*columns))], {"cse": True}).n_instructions()
    else:
        theirs = sum(ca.Function("c", [q], [c[j:]], {"cse": True}).n_instructions() for j, c in enumerate(columns))
    return Samples((ours_count / theirs,), f"{ours_count} against {theirs} instructions")


# ---- long runs -----------------------------------------------------------------------------------------------------


@functools.cache
def long_run(settings: Settings, name: str) -> tuple[Trajectory, np.ndarray]:
    """A minute at 1 kHz by RK4 (six seconds in a quick run), and the closures' residuals of every row."""
    example = MODELS[name]
    model = example.build()
    loops = Loops(model, step=1e-3)
    run = simulate(loops, 6.0 if settings.quick else 60.0, 1e-3, q0=example.q0, v0=example.v0)
    residuals = compile(loops.residuals).map(q=run.q, v=run.v)
    return run, np.concatenate([r for n, r in residuals.items() if n.endswith("_residual")], axis=1)


def closure_error(name: str) -> Callable[[Settings], Samples]:
    """Largest distance between the two ends of a loop."""

    def measure(settings: Settings) -> Samples:
        run, residuals = long_run(settings, name)
        turns = abs(run.q[-1, 0] - run.q[0, 0]) / (2 * np.pi)
        note = f"{run.t[-1]:.0f} s, crank turns {turns:.0f} times, energy drift {run.energy_drift:.1e}"
        return Samples((float(np.linalg.norm(residuals, axis=1).max()),), note)

    return measure


def _rows(name: str, metric: str, bars: dict[str, str]) -> list[Benchmark]:
    rows = []
    for mode in ("fast", "strict"):
        suffix = "" if mode == "fast" else "_strict"
        what = f"{name}, forward dynamics"
        rows.append(Benchmark(f"multibody.{metric}{suffix}_us", "us", None, what, microseconds(name, mode), mode, 1))
        for peer, call in (("pinocchio", "ABA"), ("mujoco", "mj_forward"), ("casadi", "CasADi's C, -O3 -march=native")):
            if (name, peer) == ("chain30", "casadi"):
                continue
            bar = bars.get(peer) if mode == "fast" else None
            text = f"{what}: {call} / ours"
            rows.append(
                Benchmark(f"multibody.{metric}{suffix}_vs_{peer}", "x", bar, text, ratio(name, peer, mode), mode, 1)
            )
    return rows


RATES = "1_1_1", "4_2_1", "10_5_1"  # the whole table is the benchmark `multirate`


def _rate_rows(name: str) -> list[Benchmark]:
    """Savings of the schedules, the error of the cheapest one, and that of a longer step for comparison."""
    m = MANOEUVRES[name]
    metric, what = f"multibody.rates_{name}", f"{m.title}, steps of {1e3 * m.h:g} ms"
    error = f"{what}: largest error of the end effector over {m.duration:g} s, AB2,"
    return [
        *(
            Benchmark(f"{metric}_{key}_cost", "x", None, f"{what}: mass/nonlinear/external every "
                      f"{key.replace('_', '/')} steps / the ordinary single-rate run",
                      rates.cost(name, key, RATES), "strict", 1)
            for key in RATES[1:]
        ),
        Benchmark(f"{metric}_10_5_1_error_m", "m", None, f"{error} every 10/5/1 steps",
                  lambda s: Samples((rates.error(name, "10_5_1", "ab2"),)), "strict", 1),
        Benchmark(f"{metric}_2h_error_m", "m", None, f"{error} one rate, steps twice as long",
                  lambda s: Samples((rates.error(name, "1_1_1", "ab2", 2),)), "strict", 1),
    ]  # fmt: skip


BENCHMARKS = [  # a quick run takes those with a bar first
    Benchmark("multibody.energy_drift", "-", "<= 1e-8", "free-floating Shuttle arm, 60 s at 1 kHz, RK4, brisk",
              lambda s: Samples((free_flight(s, True)[0],)), "strict", 1),
    Benchmark("multibody.momentum_drift", "-", "<= 1e-10", "the same: the larger of angular and linear",
              lambda s: momentum_drift(s, True), "strict", 1),
    Benchmark("multibody.momentum_drift_by_speeds", "-", None, "the same with the base's velocity as a state",
              lambda s: momentum_drift(s, False), "strict", 1),
    Benchmark("multibody.flight_cost", "x", None, "Shuttle arm with payload on a free orbiter, a step of RK4: momentum "
              "of the whole as a state / velocity of the base", flight_cost, "strict", 1),
    Benchmark("multibody.fourbar_closure_m", "m", "<= 1e-6", "largest closure error, 60 s at 1 kHz, RK4, brisk",
              closure_error("four_bar"), "strict", 1),
    Benchmark("multibody.slidercrank_closure_m", "m", None, "the same for the slider-crank",
              closure_error("slider_crank"), "strict", 1),
    Benchmark("multibody.handoff_closure_m", "m", "<= 1e-6", "payload between Shuttle's and Station's arm: the larger "
              "gap of both welds, 60 s at 1 kHz, RK4, brisk", handoff.closure_error, "strict", 1),
    Benchmark("multibody.recursion_vs_newton_euler", "x", None, "arm7, mass matrix: instructions of the recursion over "
              "a Newton-Euler pass a column (the paper: about 0.33)", lambda s: recursion_ratio(s, "arm7", False)),
    Benchmark("multibody.recursion_vs_shared_newton_euler", "x", None, "the same with the columns' common work shared",
              lambda s: recursion_ratio(s, "arm7", True)),
    Benchmark("multibody.recursion_vs_newton_euler_30", "x", None, "chain30, a Newton-Euler pass a column",
              lambda s: recursion_ratio(s, "chain30", False)),
    Benchmark("multibody.batch_vs_rollout", "x", ">= 20", "arm7, 8 lanes of one core / mujoco.rollout on one thread",
              lambda s: batches(s, "fast", 8).ratio("rollout", "ours"), "fast", 8),
    Benchmark("multibody.batch4_vs_rollout", "x", None, "the same on 4 lanes: one AVX2 register",
              lambda s: batches(s, "fast", 4).ratio("rollout", "ours"), "fast", 4),
    Benchmark("multibody.batch_strict_vs_rollout", "x", None, "the same on 8 lanes",
              lambda s: batches(s, "strict", 8).ratio("rollout", "ours"), "strict", 8),
    *_rows("arm7", "arm7", {"pinocchio": ">= 5", "mujoco": ">= 5"}),
    *_rows("arm7_free", "arm7free", {"pinocchio": ">= 4"}),
    *_rows("chain30", "chain30", {"pinocchio": ">= 3"}),
    *_rate_rows("srms"),  # last: the most expensive
    *_rate_rows("flexible"),
]  # fmt: skip
