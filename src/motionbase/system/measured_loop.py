"""A control law behind the guard without a plant: measurements come from outside, and what legs should do goes there.

This is how a law runs on a rig (`rig_senses.py`), and how it looks on while another law runs one (`shadow.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, final

import casadi as ca
import numpy as np

from motionbase.compile import Kernel, Layout, Port, Program, Struct, Unit, q
from motionbase.control.following import FollowerControl, follower_control
from motionbase.control.guard import LegGuard
from motionbase.control.law import ControlLaw
from motionbase.control.own_law import Law
from motionbase.control.ports import OUTPUTS
from motionbase.control.states import is_one_of
from motionbase.plant.motion import next_of
from motionbase.platform.hexapod import Hexapod
from motionbase.record.states import QUIET
from motionbase.spatial.rotations import Expr
from motionbase.system.closed_loop import COUNTS, EXTERNAL, LAW_INPUTS, VERSION_BEFORE, recorded
from motionbase.system.guarded import LATENESS, guarded_law
from motionbase.system.operator import ASKED, AUTOMATIC, STATE_BEFORE, requested
from motionbase.system.rig_senses import GO_BEFORE, POSE_BEFORE
from motionbase.system.values import Values, called

LEGS = 6


class Wanted(Struct):
    """What a law wants of the legs of a rig."""

    l: Expr = q("m", LEGS, "lengths")
    l_dot: Expr = q("m/s", LEGS, "their rates")
    go: Expr = q("-", text="1 while legs should follow")
    stop: Expr = q("-", text="1 if the guard stopped the law: stop at once")


WANTED = Wanted.port("wanted", "of the legs")


class Senses(Protocol):
    """Where the measurements of a law come from: `RigSenses` or `ShadowSenses`."""

    @property
    def state(self) -> tuple[Port, ...]:
        """Between ticks."""

    @property
    def inputs(self) -> tuple[Port, ...]:
        """From outside."""

    @property
    def outputs(self) -> tuple[Port, ...]:
        """Single numbers for the record, beside what the law measures."""

    @property
    def unit(self) -> Unit:
        """(state, inputs, go_before and pose_before if wanted) -> (state_next, MEASURED, LINES, outputs)."""

    def at_rest(self) -> dict[str, Any]:
        """First values of state and inputs."""


@final
@dataclass(frozen=True, eq=False)
class MeasuredLoop:
    """A law, its guard and its senses.

    Attributes:
        law: that of a rig's legs (`law_of_rig`), or a user's
        guard: between the law and the legs
        senses: where measurements come from
    """

    hexapod: Hexapod
    law: Law
    guard: LegGuard
    senses: Senses
    record_channels: tuple[str, ...] = ()

    @property
    def dt(self) -> float:
        """Period of a tick [s]."""
        return self.law.dt

    @property
    def parameters(self) -> Layout:
        """Parameters of the law."""
        return self.law.parameters

    @cached_property
    def guarded(self) -> Program:
        """The law behind the guard."""
        return guarded_law(self.law, self.guard)

    @cached_property
    def state_ports(self) -> tuple[Port, ...]:
        """State between ticks."""
        own = {p.name: p for p in self.guarded.inputs}
        return (own["x"], own["guard"], *self.senses.state, STATE_BEFORE, VERSION_BEFORE, GO_BEFORE, POSE_BEFORE)

    @property
    def feedback(self) -> dict[str, str]:
        """State -> state after a tick."""
        return {p.name: next_of(p).name for p in self.state_ports}

    @cached_property
    def wanted(self) -> Kernel:
        """What the legs should do; a user law's own states count as moving."""
        fastest = self.hexapod.limits.leg_velocity

        def expr(legs: Expr, u: Expr, abort: Expr, state: Expr, stopped: Expr) -> Wanted:
            moves = ca.logic_not(is_one_of(state, QUIET))
            go = ca.logic_and(ca.logic_and(abort == 0, stopped == 0), moves)
            return Wanted(l=legs[:, 0], l_dot=fastest * u, go=go, stop=stopped)

        made = {p.name: p for p in (*OUTPUTS, *self.guarded.outputs)}
        inputs = tuple(made[name] for name in ("legs_cmd", "valve_cmd", "abort", "state", "stopped"))
        return Kernel("wanted_of_legs", inputs, (WANTED,), expr)

    @cached_property
    def program(self) -> Program:
        """(parameters, state, requests, generators, host, measurements) -> state_next, outputs, wanted, record."""
        parameters = next(p for p in self.guarded.inputs if p.name == "parameters")
        external = (p for p in LAW_INPUTS if p.name in EXTERNAL)
        inputs = (
            parameters, *self.state_ports, AUTOMATIC, ASKED, *external, *self.senses.inputs, LATENESS, *COUNTS,
        )  # fmt: skip
        row = Port("record", len(self.record_channels), "m, s, Pa, -", "a row of the record")
        own = (*OUTPUTS, *self.senses.outputs, WANTED, *((row,) if self.record_channels else ()))
        outputs = (*map(next_of, self.state_ports), *own)

        def expr(*values: Any) -> Any:
            return self._tick(Values.of(inputs, values)).to(outputs)

        return Program("measured_loop", inputs, outputs, expr, f"law of {self.hexapod.name}, measurements from outside")

    def _tick(self, x: Values) -> Values:
        """One tick: operator, senses, law behind the guard, what is wanted, record."""
        request = requested(x.automatic, x.asked, x.state_before, x.version_before, x.settings_version)
        x = x.also(called(self.senses.unit, x), request=request)
        law = called(self.guarded, x)
        wanted = called(self.wanted, law)
        last = Values(
            state_before_next=law.state, version_before_next=law.generators_version, pose_before_next=law.pose_meas,
            go_before_next=wanted.wanted.go,
        )  # fmt: skip
        places = {p.name: (p.name, 0) for p in self.senses.outputs}
        record = recorded(self.record_channels, x.also(law), places)
        return x.also(law, wanted, last, record=record)

    # ---- a start ----

    def at_rest(self, l: float | None = None) -> dict[str, Any]:
        """State before the first measurement; the law is off."""
        last = {"state_before": np.array(0.0), "version_before": np.array(-1.0)}
        last |= {"go_before": np.array(0.0), "pose_before": np.zeros(6)}
        first = {"x": self.law.initial_state(), "guard": self.guard.state.vector()}
        return {**first, **self.senses.at_rest(), **last}

    def quiet_inputs(self) -> dict[str, Any]:
        """Inputs without requests, host or generators; the automatic operator acts."""
        given = {p.name: p for p in self.program.inputs}
        zeros = {n: np.zeros(p.dims) for n, p in given.items()}
        return zeros | {"parameters": self.law.parameter_vector(), "automatic": np.array(1.0)}


def law_of_rig(hexapod: Hexapod) -> ControlLaw:
    """The platform's law for legs that follow lengths."""
    return ControlLaw(hexapod, kind=follower_control)


def guard_of_rig(hexapod: Hexapod, dt: float) -> LegGuard:
    """The guard of such legs."""
    return LegGuard(FollowerControl(hexapod).command_rate, True, dt)
