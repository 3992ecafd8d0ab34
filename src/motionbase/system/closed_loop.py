"""Control law, guard and plant closed to one step: requests, host frames and faults in; next state and record out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, final

import casadi as ca
import numpy as np

from motionbase.compile import Kernel, Layout, Port, Program
from motionbase.control.guard import LegGuard
from motionbase.control.law import ControlLaw
from motionbase.control.own_law import Law
from motionbase.control.ports import INPUTS, OUTPUTS, channels
from motionbase.plant.motion import LEG_OUTPUTS, next_of
from motionbase.plant.plant import FAULTS, SEED, Plant
from motionbase.plant.sensors import MEASURED
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.mechanism import LOAD
from motionbase.record.hexapod import QUANTITIES
from motionbase.system.guarded import LATENESS, guarded_law
from motionbase.system.operator import ASKED, AUTOMATIC, STATE_BEFORE, requested
from motionbase.system.values import Values, called

LAW_INPUTS = tuple(p for p in INPUTS if p.name not in {m.name for m in MEASURED})
SUPPLY = Port("supply", (), "-", "supply pressure, 1 is nominal")
COUNTS = (
    Port.of(QUANTITIES["command_ack"]),
    Port.of(QUANTITIES["host_lost"]),
)
ALPHA = {f"alpha_{axis}": k for k, axis in enumerate("xyz")}  # the first of the platform's accelerations
VERSION_BEFORE = Port("version_before", (), "-", "version of the generator settings in use after the last tick")
EXTERNAL = ("mode", "estop", "reset", "settings", "settings_version", "host_frame", "host_count")


@final
@dataclass(frozen=True, eq=False)
class ClosedLoop:
    """A hexapod under its control law.

    Attributes:
        law: the control law, this package's or a user's
        plant: the hexapod with its sensors
    """

    law: Law
    plant: Plant
    record_channels: tuple[str, ...] = field(default=())

    @staticmethod
    def of(hexapod: Hexapod, channels: tuple[str, ...] = (), law: Law | None = None, **options: Any) -> ClosedLoop:
        """With the law and the sensors that suit the hexapod, or with a user law."""
        chosen = ControlLaw(hexapod) if law is None else law
        return ClosedLoop(chosen, Plant(hexapod, **{"dt": chosen.dt, **options}), channels)

    @property
    def dt(self) -> float:
        """Period of a tick [s]."""
        return self.law.dt

    @property
    def hexapod(self) -> Hexapod:
        """The platform."""
        return self.plant.hexapod

    @property
    def parameters(self) -> Layout:
        """Parameters of the law."""
        return self.law.parameters

    @cached_property
    def guard(self) -> LegGuard:
        """The guard between law and plant."""
        return LegGuard.of(self.plant.hexapod.actuator, self.dt)

    @cached_property
    def guarded(self) -> Program:
        """The law behind the guard."""
        return guarded_law(self.law, self.guard)

    @cached_property
    def state_ports(self) -> tuple[Port, ...]:
        """State between ticks."""
        own = {p.name: p for p in self.guarded.inputs}
        return (own["x"], own["guard"], *self.plant.state_ports, *MEASURED, STATE_BEFORE, VERSION_BEFORE)

    @property
    def feedback(self) -> dict[str, str]:
        """State -> state after a tick, for `scan`."""
        return {p.name: next_of(p).name for p in self.state_ports}

    @cached_property
    def program(self) -> Program:
        """(parameters, state, requests, generators, host, faults) -> state_next, the law's outputs, legs, record."""
        parameters = next(p for p in self.guarded.inputs if p.name == "parameters")
        external = (p for p in LAW_INPUTS if p.name in EXTERNAL)
        inputs = (
            parameters, *self.state_ports, AUTOMATIC, ASKED, *external, SUPPLY, *FAULTS, LOAD, SEED, LATENESS, *COUNTS,
        )  # fmt: skip
        row = Port("record", len(self.record_channels), "m, s, Pa, -", "a row of the record")
        outputs = (*map(next_of, self.state_ports), *OUTPUTS, *LEG_OUTPUTS, *((row,) if self.record_channels else ()))

        def expr(*values: Any) -> Any:
            return self._tick(Values.of(inputs, values)).to(outputs)

        about = f"{self.plant.hexapod.name} under its control law"
        return Program("closed_loop", inputs, outputs, expr, about)

    @cached_property
    def pressures(self) -> Kernel:
        """Line pressures from the supply fraction; with electric legs it stays a fraction of the power."""
        high, low = self.plant.motion.actuator.p_supply, self.plant.motion.actuator.p_return
        outputs = (Port.of(QUANTITIES["p_supply"]), Port.of(QUANTITIES["p_return"]))
        return Kernel("pressures", (SUPPLY,), outputs, lambda supply: (low + supply * (high - low), low))

    def _tick(self, x: Values) -> Values:
        """One tick: operator, law behind the guard, plant, record."""
        request = requested(x.automatic, x.asked, x.state_before, x.version_before, x.settings_version)
        x = x.also(called(self.pressures, x), request=request)
        law = called(self.guarded, x)
        plant = called(self.plant.step, x, valve_cmd=law.valve_cmd, abort=law.abort)
        readings = Values.of(tuple(map(next_of, MEASURED)), plant.to(MEASURED))
        last = Values(state_before_next=law.state, version_before_next=law.generators_version)
        record = self._record(x.also(law, V_dot_P_next=plant.V_dot_P_next))
        return law.also(plant, readings, last, record=record)

    def _record(self, values: Values) -> Any:
        return recorded(self.record_channels, values, {name: ("V_dot_P_next", k) for name, k in ALPHA.items()})

    # ---- a start ----

    def at_rest(self, l: float | None = None) -> dict[str, Any]:
        """State at rest, down by default; the control law is off."""
        hexapod = self.plant.hexapod
        plant = self.plant.at_rest(hexapod.l_down if l is None else l, braked=True)
        state = self.plant.motion.kind.state.layout
        oil = (state.part(plant["legs"], p) if p in state.starts else np.zeros(6) for p in ("p_cap", "p_rod"))
        p_cap, p_rod = (np.ravel(p) for p in oil)
        readings = {
            "l_meas": plant["l_read"], "l_dot_meas": np.zeros(6), "l_ddot_meas": np.zeros(6),
            "p_cap": p_cap, "p_rod": p_rod, "valve_meas": np.zeros(6), "f_meas": np.zeros(6),
            "acc": -np.array(self.plant.motion.mechanism.gravity), "omega": np.zeros(3),
        }  # fmt: skip
        last = {"state_before": np.array(0.0), "version_before": np.array(-1.0)}
        first = {"x": self.law.initial_state(), "guard": self.guard.state.vector()}
        return {**first, **plant, **readings, **last}

    def quiet_inputs(self) -> dict[str, Any]:
        """Inputs without requests, host, generators or faults."""
        given = {p.name: p for p in self.program.inputs}
        named = {p.name for p in self.state_ports}
        zeros = {n: np.zeros(p.dims) for n, p in given.items() if n not in named}
        return zeros | {"parameters": self.law.parameter_vector(), "supply": np.array(1.0), "automatic": np.array(1.0)}


def recorded(names: tuple[str, ...], values: Values, more: Mapping[str, tuple[str, int]]) -> Any:
    """Inputs and outputs of a law in a tick, by channel; time and timing come from the executive and are zero here.

    Args:
        more: further channels -> port and index in it
    """
    places = {**channels(), **more, **{port.name: (port.name, 0) for port in COUNTS}}

    def number(channel: str) -> Any:
        if channel not in places:
            return 0.0
        value, at = getattr(values, places[channel][0]), places[channel][1]
        return value[at // value.shape[1], at % value.shape[1]]

    return ca.vertcat(*map(number, names))
