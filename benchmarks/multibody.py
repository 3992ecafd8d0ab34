"""The multibody engine: forward dynamics against Pinocchio and MuJoCo, one thread, native loops on every side."""

import functools
from collections.abc import Callable

import numpy as np

from benchmarks.harness import Benchmark, Rounds, Samples, Settings, interleaved, per_evaluation
from benchmarks.models.chains import ARM7, ARM7_FREE, CHAIN30, Chain
from benchmarks.peers.casadi_c import native_loop
from benchmarks.peers.engines import mujoco_loop, pinocchio_loop
from motionbase.compile import compile
from motionbase.multibody.tree.dynamics import Tree

SETS = 64  # different states in turn
EVALUATIONS = {"arm7": 40 * SETS, "arm7_free": 20 * SETS, "chain30": 5 * SETS}
CHAINS = {c.name: c for c in (ARM7, ARM7_FREE, CHAIN30)}


def states(chain: Chain, order: str) -> list[np.ndarray]:
    """q, v, tau and a place for the accelerations, in one engine's order of coordinates.

    All engines get the same motion: quaternions wxyz and speeds angular first for us; xyzw and linear first for
    Pinocchio; wxyz, linear first and in world axes for MuJoCo (the same numbers at an identity attitude).
    """
    model = chain.model()
    rng = np.random.default_rng(4)
    q, v, tau = (rng.standard_normal((SETS, n)) for n in (model.nq, model.nv, model.nv))
    if chain.free_base:
        q[:, 3:7] = [1.0, 0.0, 0.0, 0.0]
        if order == "pinocchio":
            q[:, 3:7] = [0.0, 0.0, 0.0, 1.0]
        if order != "ours":
            for a in (v, tau):
                a[:, :6] = a[:, [3, 4, 5, 0, 1, 2]]
    return [np.ascontiguousarray(a) for a in (q, v, tau, np.empty_like(v))]


def ours(chain: Chain, mode: str) -> Callable[[int], object]:
    """Our compiled forward dynamics."""
    compiled = compile(Tree(chain.model()).forward_dynamics, mode="fast" if mode == "fast" else "strict")
    q, v, tau, a = states(chain, "ours")
    run = compiled.bind_map(q=q, v=v, tau=tau, v_dot=a)

    def loop(n: int) -> None:
        for _ in range(n // SETS):
            run()

    return loop


@functools.cache
def dynamics(settings: Settings, name: str) -> Rounds:
    """Every engine on one chain, in one run; their answers must agree."""
    chain, n = CHAINS[name], EVALUATIONS[name]
    kernel = Tree(chain.model()).forward_dynamics
    q, v, tau, a = states(chain, "ours")
    pin, mj = states(chain, "pinocchio"), states(chain, "mujoco")
    loops = {
        "strict": ours(chain, "strict"),
        "fast": ours(chain, "fast"),
        "pinocchio": pinocchio_loop(chain, *pin),
        "mujoco": mujoco_loop(chain, *mj),
    }
    if name != "chain30":  # a C compiler needs a minute for its straight line
        loops["casadi"] = native_loop(kernel.function, [q, v, tau], np.empty_like(v), ("-O3", "-march=native"))
    rounds = interleaved({side: per_evaluation(loop, n) for side, loop in loops.items()}, settings)
    wanted = compile(kernel).map(q=q, v=v, tau=tau)["v_dot"]
    answer = pin[3].copy()
    if chain.free_base:
        answer[:, :6] = answer[:, [3, 4, 5, 0, 1, 2]]
    difference = np.abs(answer - wanted).max() / np.abs(wanted).max()
    if not difference <= 1e-9:  # also when it is NaN
        raise RuntimeError(f"Pinocchio and ours differ by {difference:.1e} on {name}")
    return rounds


def ratio(name: str, peer: str, mode: str) -> Callable[[Settings], Samples]:
    """The peer's time over ours."""
    return lambda settings: dynamics(settings, name).ratio(peer, mode)


def microseconds(name: str, mode: str) -> Callable[[Settings], Samples]:
    """Time of one evaluation."""
    return lambda settings: dynamics(settings, name).side(mode, 1e6)


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


BENCHMARKS = [
    *_rows("arm7", "arm7", {"pinocchio": ">= 5", "mujoco": ">= 5"}),
    *_rows("arm7_free", "arm7free", {"pinocchio": ">= 4"}),
    *_rows("chain30", "chain30", {"pinocchio": ">= 3"}),
]
