"""The planner: a plan every hundredth of a second, from where cueing stands, within a deadline."""

from __future__ import annotations

import time
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple, final

import numpy as np

from motionbase.arrays import Array
from motionbase.cueing.predictive.feelings import Felt
from motionbase.cueing.predictive.forecast import Constant, Forecast
from motionbase.cueing.predictive.horizon import PLAN_STEPS, PLAN_TIMES, Horizon
from motionbase.cueing.predictive.problem import Assembly
from motionbase.cueing.predictive.solver import Solution, Solver
from motionbase.cueing.predictive.weights import Limits, Weights, limits_of
from motionbase.multibody.body import Vector
from motionbase.platform.hexapod import Hexapod

DEADLINE = 0.008  # [s] of a plan, in real time
FORGETS = 0.5  # [s] after a longer pause nothing is left of the last solution, nor of what was felt
MOVED = 0.02  # [m], [rad] a demand that changes by so much is linearised once more
PASSES = 2


class Verdict(IntEnum):
    """What became of a plan."""

    GOOD = 0
    LATE = 1
    UNSOLVED = 2
    BAD_INPUT = 3

    @property
    def words(self) -> str:
        """For people, after a number of plans."""
        return WORDS[self]


WORDS = {
    Verdict.GOOD: "good",
    Verdict.LATE: "late",
    Verdict.UNSOLVED: "without a solution",
    Verdict.BAD_INPUT: "asked for with something that is no number",
}


class Where(NamedTuple):
    """Where a plan is to begin.

    Attributes:
        t: time of the beginning [s]
        motion: (3, 6) position, velocity, acceleration of the degrees of freedom then
        demand: (6,) specific force and angular rate of the vehicle at the head, as last known
        age: how long before the beginning that was [s]
    """

    t: float
    motion: Array
    demand: Array
    age: float = 0.0


class Plan(NamedTuple):
    """Demanded motion from a time on.

    Attributes:
        t: of its first node [s]
        start: (2, 6) position and velocity at the first node
        a: (8, 6) accelerations at nodes, `PLAN_TIMES` later, linear between them
    """

    t: float
    start: Array
    a: Array

    def motion(self, tau: float) -> Array:
        """(3, 6) motion at a time after its beginning [s], until its last node."""
        (p, v), a = self.start, self.a[0]
        for k, step in enumerate(PLAN_STEPS):
            h = min(max(tau - PLAN_TIMES[k], 0.0), step)
            slope = (self.a[k + 1] - self.a[k]) / step
            p, v = p + h * (v + h * (self.a[k] / 2 + h * slope / 6)), v + h * (self.a[k] + h * slope / 2)
            a = a + h * slope
        return np.stack([p, v, a])


@final
@dataclass
class Outcome:
    """Of the last call: verdict, seconds of the whole step, number of passes, and the last solution."""

    verdict: Verdict = Verdict.UNSOLVED
    seconds: float = 0.0
    passes: int = 0
    solution: Solution | None = None


@final
class Planner:
    """Model-predictive cueing of a platform, for a head at a place in P.

    Attributes:
        deadline: of a plan, from the call [s]; None for none
        outcome: of the last plan
    """

    def __init__(
        self, platform: Hexapod, head: Vector, weights: Weights | None = None, forecast: Forecast | None = None,
        limits: Limits | None = None, horizon: Horizon | None = None, deadline: float | None = None,
    ) -> None:  # fmt: skip
        self.platform, self.head = platform, head
        self.weights, self.forecast = weights or Weights(), forecast or Constant()
        self.assembly = Assembly(platform, head, limits or limits_of(platform), self.weights, horizon)
        self.solver = Solver()
        self.deadline, self.felt, self.outcome = deadline, Felt(), Outcome()
        self._at = np.array(PLAN_TIMES)
        self.reset()

    def reset(self) -> None:
        """Begin afresh."""
        self._t: float | None = None
        self._z, self._a = np.zeros((self.assembly.k, 6)), np.zeros(6)
        self.felt.reset()
        self.forecast.reset()

    def plan(self, where: Where) -> Plan | None:
        """A plan from there on; None if there is none in time, then `outcome` says why."""
        started = time.perf_counter()
        self.outcome = Outcome()
        if not (np.isfinite(where.motion).all() and np.isfinite(where.demand).all() and np.isfinite(where.t)):
            self.outcome.verdict = Verdict.BAD_INPUT
            return None
        if self._t is None or not 0 <= where.t - self._t <= FORGETS:
            self.reset()
        elapsed = 0.0 if self._t is None else where.t - self._t
        self._t = where.t
        nominal = np.ascontiguousarray(self.assembly.horizon.shifted(self._a, self._z, elapsed).T).ravel()
        solution = self._solved(where, nominal, elapsed, started)
        self.outcome.seconds = time.perf_counter() - started
        if solution is None:
            return None
        self._z, self._a = solution.z.reshape(6, -1).T, where.motion[2].copy()
        return self._handed_on(where)

    def _solved(self, where: Where, nominal: Array, elapsed: float, started: float) -> Solution | None:
        assembly, felt = self.assembly, self.felt
        forecast = self.forecast.ahead(where.demand, where.t - where.age, assembly.horizon.times + where.age)
        for turn in range(PASSES):
            assembly.look(where.motion, nominal)
            if turn == 0:
                felt.advance(assembly.nodes.cue[0] - forecast[0], elapsed)
            problem = assembly.problem(where.motion, nominal, forecast, felt)
            left = 0.0
            if self.deadline is not None and (left := self.deadline - (time.perf_counter() - started)) <= 0:
                self.outcome.verdict = Verdict.LATE
                return None
            solution = self.solver.solve(problem, left)
            self.outcome.solution, self.outcome.passes = solution, turn + 1
            if not solution.good:
                late = self.deadline is not None and time.perf_counter() - started > self.deadline
                self.outcome.verdict = Verdict.LATE if late else Verdict.UNSOLVED
                return None
            moved = assembly.motion(np.zeros((3, 6)), solution.z - nominal)[:, 0]
            nominal = solution.z
            if np.abs(moved).max() < MOVED:
                break
        self.outcome.verdict = Verdict.GOOD
        return solution

    def _handed_on(self, where: Where) -> Plan:
        times = self.assembly.horizon.knot_times
        values = np.vstack([self._a, self._z])
        a = np.stack([np.interp(self._at, times, column) for column in values.T], axis=1)
        return Plan(where.t, where.motion[:2].copy(), a)
