"""The solver: daqp with its last active set, rows that may be left at a price, and a time limit."""

from __future__ import annotations

import time
from typing import NamedTuple, final

import daqp
import numpy as np

from motionbase.arrays import Array
from motionbase.cueing.predictive.problem import Problem

SOFT = 8  # daqp's mark of a row that may be left
SOLVED = (1, 2)  # optimal; optimal with rows left


class Solution(NamedTuple):
    """Of a problem.

    Attributes:
        z: accelerations at the knots
        multipliers: of bounds, then of rows; positive at the upper side
        code: the solver's; in `SOLVED` if it is an optimum
        iterations: of the active set
        seconds: of updating and solving
    """

    z: Array
    multipliers: Array
    code: int
    iterations: int
    seconds: float

    @property
    def good(self) -> bool:
        """Whether it may be used."""
        return self.code in SOLVED and bool(np.isfinite(self.z).all())


@final
class Solver:
    """Keeps the workspace and the active set from problem to problem."""

    def __init__(self) -> None:
        self._model: daqp.Model | None = None

    def solve(self, problem: Problem, time_limit: float = 0.0) -> Solution:
        """The optimum, or why there is none; the time limit is in seconds, 0 for none."""
        start = time.perf_counter()
        upper = np.concatenate([problem.most, problem.upper])
        lower = np.concatenate([-problem.most, problem.lower])
        code = self._begin(problem, upper, lower) if self._model is None else self._go_on(problem, upper, lower)
        if code < 0 or self._model is None:
            self._model = None
            return Solution(np.full(problem.f.size, np.nan), upper * 0, code, 0, time.perf_counter() - start)
        self._model.settings = {"time_limit": max(0.0, time_limit - (time.perf_counter() - start)) if time_limit else 0}
        z, _, code, info = self._model.solve()
        if code not in SOLVED:
            self._model = None  # after a failure it starts afresh
        spent = time.perf_counter() - start
        return Solution(np.array(z), np.array(info["lam"]), int(code), int(info["iterations"]), spent)

    def _begin(self, problem: Problem, upper: Array, lower: Array) -> int:
        sense = np.zeros(upper.size, dtype=np.int32)
        sense[problem.f.size :] = SOFT
        nothing = np.zeros(problem.f.size)  # bounds of variables are kept
        price, give = np.concatenate([nothing, problem.price]), np.concatenate([nothing, problem.give])
        self._model = daqp.Model()
        code, _ = self._model.setup(problem.H, problem.f, problem.A, upper, lower, sense)
        self._model.soft_weights(rho_l=give, rho_u=give, w_l=price, w_u=price)
        return int(code)

    def _go_on(self, problem: Problem, upper: Array, lower: Array) -> int:
        assert self._model is not None
        return int(self._model.update(H=problem.H, f=problem.f, A=problem.A, bupper=upper, blower=lower))
