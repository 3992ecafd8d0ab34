"""Step-size control inside the native loop.

One iteration of the loop is one attempt: the step and its error, then the choice of the next attempt's start. Time is
counted down to the next sample, which is met exactly, so `scan` runs any number of samples, on lanes too (each lane
with its own step), and the host only picks the rows where a sample was reached.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import casadi as ca

from motionbase.compile import Port, Program, Struct, cond, repeat
from motionbase.compile import q as quantity
from motionbase.errors import ModelError
from motionbase.multibody.integrators.local import sizes
from motionbase.multibody.integrators.method import EmbeddedMethod
from motionbase.multibody.integrators.system import System
from motionbase.spatial.rotations import Expr

SAFETY, SHRINK, GROW = 0.9, 0.2, 5.0  # Hairer, Norsett & Wanner I, section II.4
MEMORY = 0.08  # exponent of the previous error: proportional-integral control (Gustafsson 1991)
SAMPLE_FEEDBACK = {"q": "q_next", "v": "v_next", "pace": "pace_next", "unmet": "unmet_next"}
GROUPS, ATTEMPTS = 4, 8  # at most 32 attempts per sample; unused groups cost a copy of the state each


@final
class StepSizes(Struct):
    """State of the step-size control between attempts."""

    trial: Expr = quantity("s", text="step to try")
    left: Expr = quantity("s", text="time to the next sample")
    error: Expr = quantity(text="of the last accepted step, 1 is allowed")


@final
@dataclass(frozen=True)
class Adaptive:
    """An embedded method and its step tolerances.

    Attributes:
        rtol: error of one step relative to the size of a coordinate or speed (1 for a rotation)
        atol: absolute error [rad, m, rad/s, m/s]
    """

    method: EmbeddedMethod
    rtol: float = 1e-8
    atol: float = 1e-10

    def __post_init__(self) -> None:
        if not (0 < self.rtol < 1 and 0 < self.atol):
            raise ModelError(f"tolerances rtol = {self.rtol:g} and atol = {self.atol:g} must be above 0, rtol below 1")

    @property
    def name(self) -> str:
        """Name of the method."""
        return self.method.name

    @property
    def order(self) -> int:
        """Order of the method."""
        return self.method.order

    @property
    def source(self) -> str:
        """Source of the method."""
        return self.method.source

    def attempt(self, system: System) -> Program:
        """(interval, q, v, pace, inputs ...) -> the same after one attempt, whether a sample is met, a step accepted.

        Initialise the pace with a trial step, the interval, and an error of 1.
        """
        step = self.method.step_with_error(system)

        def attempt(interval: Expr, q: Expr, v: Expr, pace: StepSizes, *held: Expr) -> Any:
            return self._attempted(system, step, interval, q, v, pace, *held)

        inputs = (_INTERVAL, *system.ports[1:3], StepSizes.port("pace"), *system.inputs)
        taken = Port("taken", (), "-", "1 when the step was accepted")
        return Program(
            f"{self.name}_attempt", inputs, (*system.next_ports, StepSizes.port("pace_next"), _MET, taken), attempt
        )

    def sample(self, system: System) -> Program:
        """(interval, q, v, pace, unmet, inputs ...) -> the same at the next sample.

        One iteration of a loop is one sample, so an input may have a row for each. If 32 attempts do not reach the
        sample, `met` is 0 and the following iterations do nothing: run again from there, with `unmet` at 0 and the
        inputs of that sample.
        """
        step = self.method.step_with_error(system)

        def sample(interval: Expr, q: Expr, v: Expr, pace: StepSizes, unmet: Expr, *held: Expr) -> Any:
            def again(q: Expr, v: Expr, pace: StepSizes, done: Expr, tried: Expr) -> Any:
                def attempt() -> Any:
                    *after, met, _ = self._attempted(system, step, interval, q, v, pace, *held)
                    return *after, met, tried + 1

                return cond(done, lambda: (q, v, pace, done, tried), attempt)

            def group(*now: Any) -> Any:
                return cond(now[3], lambda: now, lambda: repeat(ATTEMPTS, again, *now))

            q, v, pace, done, tried = repeat(GROUPS, group, q, v, pace, unmet, 0)
            met = done - unmet
            return q, v, pace, 1 - met, met, tried

        unmet = Port("unmet", (), "-", "1 does nothing")
        inputs = (_INTERVAL, *system.ports[1:3], StepSizes.port("pace"), unmet, *system.inputs)
        told = (
            Port("unmet_next", (), "-", "1 when the sample was not reached"),
            _MET,
            Port("tried", (), "-", "attempts"),
        )
        return Program(f"{self.name}_sample", inputs, (*system.next_ports, StepSizes.port("pace_next"), *told), sample)

    def _attempted(
        self, system: System, step: Program, interval: Expr, q: Expr, v: Expr, pace: StepSizes, *held: Expr
    ) -> tuple[Expr, Expr, StepSizes, Expr, Expr]:
        """One step, whether it is accurate enough, and the length of the next one."""
        h = _limited(pace.trial, pace.left)
        q_new, v_new, e_xi, e_v = step(h, q, v, *held)
        before, after = (ca.vertcat(sizes(system.model, q), ca.fabs(v)) for q, v in ((q, v), (q_new, v_new)))
        ratio = ca.vertcat(e_xi, e_v) / (self.atol + self.rtol * ca.fmax(before, after))
        found = ca.sqrt(ca.sumsqr(ratio) / (2 * system.model.nv))
        taken = found <= 1  # false for NaN
        error = ca.fmax(ca.if_else(found < 1e6, found, 1e6), 1e-10)  # NaN and infinity give the smallest factor
        exponent = 1 / (self.method.order_hat + 1)
        factor = SAFETY * error ** (-exponent * (1 - MEMORY)) * ca.fmax(pace.error, 1e-4) ** (exponent * MEMORY)
        proposed = h * ca.fmin(ca.fmax(factor, SHRINK), ca.if_else(taken, GROW, 1.0))
        met = ca.logic_and(taken, h >= pace.left)
        trial = ca.if_else(met, ca.fmax(pace.trial, proposed), proposed)  # a shortened step is no measure
        left = ca.if_else(met, interval, pace.left - h)
        q_next, v_next, pace_next = cond(
            taken, lambda: (q_new, v_new, StepSizes(trial, left, error)), lambda: (q, v, pace.replace(trial=trial))
        )
        return q_next, v_next, pace_next, met, taken


_INTERVAL = Port("interval", (), "s", "time between samples")
_MET = Port("met", (), "-", "1 when a sample was reached")


def _limited(trial: Expr, left: Expr) -> Expr:
    """Meet the next sample exactly, without a tiny last step."""
    return ca.if_else(trial >= left, left, ca.if_else(trial > 0.5 * left, 0.5 * left, trial))
