"""Step-size control inside the native loop.

One turn of the loop is one attempt: the step and its error, then a choice by selects of what the next attempt starts
from. Time is counted down to the next sample, which is met exactly, so `scan` runs any number of samples, on lanes
too (each lane with its own step), and the host only picks the rows where a sample was reached.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import casadi as ca

from motionbase.compile import Body, Kernel, OldProgram, Port, Unit
from motionbase.errors import ModelError
from motionbase.multibody.integrators.local import sizes
from motionbase.multibody.integrators.method import EmbeddedMethod
from motionbase.multibody.integrators.system import System

SAFETY, SHRINK, GROW = 0.9, 0.2, 5.0  # Hairer, Norsett & Wanner I, section II.4
MEMORY = 0.08  # exponent of the error before: a proportional-integral control (Gustafsson 1991)
FEEDBACK = {"q": "q_next", "v": "v_next", "trial": "trial_next", "left": "left_next", "error": "error_next"}
SAMPLE_FEEDBACK = {**FEEDBACK, "unmet": "unmet_next"}
ATTEMPTS = 32  # at a sample in one turn of the loop over samples; the rest of them costs a comparison each


@final
@dataclass(frozen=True)
class Adaptive:
    """A method with an embedded one and the tolerances of its steps.

    Attributes:
        rtol: error of one step relative to the size of a coordinate or speed (1 for a rotation)
        atol: and absolutely [rad, m, rad/s, m/s]
    """

    method: EmbeddedMethod
    rtol: float = 1e-8
    atol: float = 1e-10

    def __post_init__(self) -> None:
        if not (0 < self.rtol < 1 and 0 < self.atol):
            raise ModelError(f"tolerances rtol = {self.rtol:g} and atol = {self.atol:g} must be above 0, rtol below 1")

    @property
    def name(self) -> str:
        """The method's."""
        return self.method.name

    @property
    def order(self) -> int:
        """The method's."""
        return self.method.order

    @property
    def source(self) -> str:
        """The method's."""
        return self.method.source

    def attempt(self, system: System) -> Unit:
        """(interval, q, v, trial, left, error, inputs ...) -> the same after one attempt, and whether a sample is met.

        `trial` is the step to try, `left` the time to the next sample, `error` that of the last accepted step; start
        them with a guess, the interval, and 1.
        """
        step, choose, limit = self.method.step_with_error(system), self._choice(system), _LIMITED
        q, v = system.ports[1:3]

        def body(b: Body) -> None:
            held = {p.name: b[p.name] for p in system.inputs}
            h = b.local("h")
            q_new, v_new = b.local("q_new", q.shape), b.local("v_new", v.shape)
            e_xi, e_v = b.local("e_xi", v.shape), b.local("e_v", v.shape)
            b.call(limit, trial=b["trial"], left=b["left"], h=h)
            errors = {"e_xi": e_xi, "e_v": e_v}
            b.call(step, h=h, q=b["q"], v=b["v"], **held, q_next=q_new, v_next=v_new, **errors)
            ports = {p.name: b[p.name] for p in (*choose.inputs, *choose.outputs) if p.name in _SHARED}
            b.call(choose, h=h, q=b["q"], v=b["v"], q_new=q_new, v_new=v_new, **errors, **ports)

        inputs = (_INTERVAL, q, v, *_CONTROL, *system.inputs)
        return OldProgram(f"{self.name}_attempt", inputs, choose.outputs, body)

    def sample(self, system: System) -> Unit:
        """(interval, q, v, trial, left, error, unmet, inputs ...) -> the same at the next sample.

        One turn of a loop is one sample, so an input may have a row for each. Where ATTEMPTS do not reach the sample,
        `met` is 0 and the turns after it do nothing: run again from there, with `unmet` at 0 and the inputs of that
        sample.
        """
        attempt = self.attempt(system)
        q, v = system.ports[1:3]
        ports = {p.name: p for p in (q, v, *_CONTROL)}

        def body(b: Body) -> None:
            held = {p.name: b[p.name] for p in (_INTERVAL, *system.inputs)}
            now = {name: b.local(f"{name}_now", port.shape) for name, port in ports.items()}
            met, done, tried = b.local("met_now"), b.local("done"), b.local("tried_now")
            for name, place in now.items():
                b.copy(b[name], place)
            b.call(_BEGUN, unmet=b["unmet"], done=done, met=met, tried=tried)
            with b.loop(ATTEMPTS), b.switch(done) as s, s.case(0):
                b.call(attempt, **held, **now, **{FEEDBACK[name]: now[name] for name in ports}, met=met)
                b.call(_COUNTED, met=met, tried=tried, done=done, tried_next=tried)
            for name, place in now.items():
                b.copy(place, b[FEEDBACK[name]])
            b.call(_ENDED, met_now=met, tried_now=tried, unmet_next=b["unmet_next"], met=b["met"], tried=b["tried"])

        inputs = (_INTERVAL, q, v, *_CONTROL, Port("unmet", (), "-", "1 does nothing"), *system.inputs)
        outputs = (*system.next_ports, *_CONTROLLED[:3], *_ENDED.outputs)
        return OldProgram(f"{self.name}_sample", inputs, outputs, body)

    def _choice(self, system: System) -> Kernel:
        """Take the step or not, and the next one's length."""
        model = system.model
        exponent = 1 / (self.method.order_hat + 1)

        def expr(
            interval: Any, h: Any, q: Any, v: Any, trial: Any, left: Any, error: Any,
            q_new: Any, v_new: Any, e_xi: Any, e_v: Any,
        ) -> Any:  # fmt: skip
            size = ca.vertcat(ca.fmax(sizes(model, q), sizes(model, q_new)), ca.fmax(ca.fabs(v), ca.fabs(v_new)))
            ratio = ca.vertcat(e_xi, e_v) / (self.atol + self.rtol * size)
            found = ca.sqrt(ca.sumsqr(ratio) / (2 * model.nv))
            taken = found <= 1  # false for NaN
            # NaN and infinity take the smallest factor
            bounded = ca.fmax(ca.if_else(found < 1e6, found, 1e6), 1e-10)
            factor = SAFETY * bounded ** (-exponent * (1 - MEMORY)) * ca.fmax(error, 1e-4) ** (exponent * MEMORY)
            factor = ca.fmin(ca.fmax(factor, SHRINK), ca.if_else(taken, GROW, 1.0))
            met = ca.logic_and(taken, h >= left)
            proposed = ca.if_else(met, ca.fmax(trial, h * factor), h * factor)  # a step cut short is no measure
            return (
                ca.if_else(taken, q_new, q),
                ca.if_else(taken, v_new, v),
                proposed,
                ca.if_else(met, interval, ca.if_else(taken, left - h, left)),
                ca.if_else(taken, bounded, error),
                ca.if_else(met, 1.0, 0.0),
                ca.if_else(taken, 1.0, 0.0),
            )

        q, v = system.ports[1:3]
        inputs = (
            _INTERVAL, Port("h", (), "s"), q, v, *_CONTROL,
            Port("q_new", q.shape), Port("v_new", v.shape), Port("e_xi", v.shape), Port("e_v", v.shape),
        )  # fmt: skip
        return Kernel(f"{self.name}_choice", inputs, (*system.next_ports, *_CONTROLLED), expr)


_INTERVAL = Port("interval", (), "s", "time between samples")
_CONTROL = (
    Port("trial", (), "s", "step to try"),
    Port("left", (), "s", "time to the next sample"),
    Port("error", (), "-", "of the last accepted step, 1 is allowed"),
)
_CONTROLLED = (
    Port("trial_next", (), "s", "step to try next"),
    Port("left_next", (), "s", "time to the next sample"),
    Port("error_next", (), "-", "of the last accepted step"),
    Port("met", (), "-", "1 when a sample was reached"),
    Port("taken", (), "-", "1 when the step was accepted"),
)
_SHARED = {"interval", "q_next", "v_next", *(p.name for p in (*_CONTROL, *_CONTROLLED))}


def _limited(trial: Any, left: Any) -> Any:
    """Meet the next sample exactly, and not with a last sliver of a step."""
    return ca.if_else(trial >= left, left, ca.if_else(trial > 0.5 * left, 0.5 * left, trial))


_LIMITED = Kernel("limited", _CONTROL[:2], (Port("h", (), "s"),), _limited)
_BEGUN = Kernel(
    "begun",
    (Port("unmet", ()),),
    (Port("done", ()), Port("met", ()), Port("tried", ())),
    lambda unmet: (unmet, ca.SX(0), ca.SX(0)),
)
_COUNTED = Kernel(
    "counted",
    (Port("met", ()), Port("tried", ())),
    (Port("done", ()), Port("tried_next", ())),
    lambda met, tried: (met, tried + 1),
)
_ENDED = Kernel(
    "ended",
    (Port("met_now", ()), Port("tried_now", ())),
    (
        Port("unmet_next", (), "-", "1 when the sample was not reached"),
        Port("met", (), "-", "1 when the sample was reached"),
        Port("tried", (), "-", "attempts"),
    ),
    lambda met, tried: (1 - met, met, tried),
)
