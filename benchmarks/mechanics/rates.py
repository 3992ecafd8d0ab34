"""Multi-rate schedules on arms that follow a smooth reference: time relative to the single-rate run, and accuracy."""

import functools
import math
from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np

from benchmarks.harness import Rounds, Samples, Settings, interleaved, per_evaluation
from benchmarks.models.manoeuvres import driven
from motionbase.compile import Program, scan
from motionbase.errors import SimulationError
from motionbase.multibody.rates import Multirate, Rates
from motionbase.multibody.rates.multirate import Method
from motionbase.multibody.tree.dynamics import Tree

SCHEDULES = {
    "1_1_1": Rates(1, 1, 1),
    "2_1_1": Rates(2, 1, 1),
    "4_2_1": Rates(4, 2, 1),
    "10_2_1": Rates(10, 2, 1),
    "10_5_1": Rates(10, 5, 1),
    "frozen_1_1": Rates(None, 1, 1),
    "frozen_5_1": Rates(None, 5, 1),
}
SINGLE = "single"  # the ordinary run
ALL = tuple(SCHEDULES)


@functools.cache
def error(name: str, schedule: str, method: Method, slower: int = 1, centred: bool = True) -> float:
    """Largest distance of the end effector from the reference [m]; infinite if the motion is unstable.

    `slower` lengthens the base step by a factor.
    """
    arm = driven(name)
    h, steps = arm.manoeuvre.h * slower, arm.steps // slower
    tau = arm.tau(np.arange(steps) * h)
    stepper = Multirate(Tree(arm.model), SCHEDULES[schedule], method, centred)
    try:
        run = stepper.run(steps, h, arm.q0, np.zeros(arm.model.nv), {"tau": tau})
    except SimulationError:
        return math.inf
    return float(np.linalg.norm(arm.tool(run.q) - arm.reference[::slower][: steps + 1], axis=1).max())


def _single_rate(multirate: Multirate) -> Program:
    """The ordinary step with the same integrator: fused forward dynamics, then `advance`."""
    forward = multirate.partition.tree.forward_dynamics

    def step(h: ca.SX, q: ca.SX, v: ca.SX, *more: ca.SX) -> Any:
        *inputs, v_dot_prev = more
        v_dot = forward(q, v, *inputs)
        return *multirate.advance(h, q, v, v_dot, v_dot_prev), v_dot

    return Program("single_rate", multirate.step.inputs, multirate.step.outputs, step, memory=forward.outputs)


@functools.cache
def costs(settings: Settings, name: str, schedules: tuple[str, ...] = ALL) -> Rounds:
    """Time per simulated second [s], AB2, of the ordinary run and of the schedules; the servos hold the pose."""
    arm, steps = driven(name), 5_000 if settings.quick else 20_000
    v0, tau = np.zeros(arm.model.nv), arm.tau(np.zeros(1))[0]
    sides: dict[str, Callable[[], float]] = {}

    def side(step: Program, memory: dict[str, Any]) -> Callable[[], float]:
        run = scan(step, {"q": "q_next", "v": "v_next"})
        seconds = per_evaluation(lambda n: run(n, h=arm.manoeuvre.h, q=arm.q0, v=v0, tau=tau, **memory), steps)
        return lambda: seconds() / arm.manoeuvre.h

    for schedule in schedules:
        multirate = Multirate(Tree(arm.model), SCHEDULES[schedule], "ab2")
        memory = multirate.start(arm.q0, v0, {"tau": tau})
        if SINGLE not in sides:
            sides[SINGLE] = side(_single_rate(multirate), {"v_dot": memory["v_dot"]})
        sides[schedule] = side(multirate.step, memory)
    return interleaved(sides, settings)


def cost(name: str, schedule: str, schedules: tuple[str, ...] = ALL) -> Callable[[Settings], Samples]:
    """Time over that of the ordinary run; all of `schedules`, 1/1/1 among them, are measured in turn."""

    def measure(settings: Settings) -> Samples:
        rounds = costs(settings, name, schedules)
        micros, partition = rounds.side(schedule, 1e6).median, rounds.ratio("1_1_1", SINGLE).median
        note = f"{micros:.0f} us a simulated second; 1/1/1 costs {partition:.2f}"
        return Samples(rounds.ratio(schedule, SINGLE).values, note)

    return measure
