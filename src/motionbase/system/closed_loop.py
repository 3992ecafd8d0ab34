"""Control law, guard and plant closed to one step: requests, host frames, faults in; the next state, a record out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, final

import numpy as np

from motionbase.compile import Body, Kernel, Layout, OldProgram, Port
from motionbase.compile.reference import Reference
from motionbase.control.guard import LegGuard
from motionbase.control.law import ControlLaw
from motionbase.control.own_law import Law
from motionbase.control.ports import INPUTS, OUTPUTS, channels
from motionbase.plant.motion import LEG_OUTPUTS, LOAD, next_of
from motionbase.plant.plant import FAULTS, Plant
from motionbase.plant.sensors import MEASURED
from motionbase.platform.hexapod import Hexapod
from motionbase.system.guarded import LATENESS, guarded_law
from motionbase.system.operator import ASKED, AUTOMATIC, AUTOMATIC_OPERATOR, STATE_BEFORE

LAW_INPUTS = tuple(p for p in INPUTS if p.name not in {m.name for m in MEASURED})
SUPPLY = Port("supply", (), "-", "supply pressure, 1 is nominal")
SEED = Port("seed", (), "-", "of the sensors' noise")
COUNTS = (
    Port("command_ack", (), "-", "number of the last operator command taken, for the record"),
    Port("host_lost", (), "-", "host frames lost, for the record"),
)
ALPHA = {f"alpha_{axis}": k for k, axis in enumerate("xyz")}  # first of the platform's accelerations
VERSION_BEFORE = Port("version_before", (), "-", "version of the generator settings in use after the last tick")
EXTERNAL = ("mode", "estop", "reset", "settings", "settings_version", "host_frame", "host_count")


@final
@dataclass(frozen=True, eq=False)
class ClosedLoop:
    """A hexapod under its control law.

    Attributes:
        law: the control law, this package's or one of somebody's own
        plant: the hexapod with its sensors
    """

    law: Law
    plant: Plant
    record_channels: tuple[str, ...] = field(default=())

    @staticmethod
    def of(hexapod: Hexapod, channels: tuple[str, ...] = (), law: Law | None = None, **options: Any) -> ClosedLoop:
        """With the law and the sensors that suit it, or a law of one's own."""
        chosen = ControlLaw(hexapod) if law is None else law
        return ClosedLoop(chosen, Plant(hexapod, **{"dt": chosen.dt, **options}), channels)

    @property
    def dt(self) -> float:
        """Period of a tick [s]."""
        return self.law.dt

    @property
    def parameters(self) -> Layout:
        """Of the law."""
        return self.law.parameters

    @cached_property
    def guard(self) -> LegGuard:
        """Between law and plant."""
        return LegGuard(self.plant.hexapod.actuator, self.dt)

    @cached_property
    def guarded(self) -> OldProgram:
        """The law behind the guard."""
        return guarded_law(self.law, self.guard)

    @cached_property
    def state_ports(self) -> tuple[Port, ...]:
        """What goes from tick to tick."""
        own = {p.name: p for p in self.guarded.inputs}
        return (own["x"], own["guard"], *self.plant.state_ports, *MEASURED, STATE_BEFORE, VERSION_BEFORE)

    @property
    def feedback(self) -> dict[str, str]:
        """State -> state after a tick, for `scan`."""
        return {p.name: next_of(p).name for p in self.state_ports}

    @cached_property
    def program(self) -> OldProgram:
        """(parameters, state, requests, generators, host, faults) -> state_next, the law's outputs, legs, record."""
        law, plant = self.guarded, self.plant
        actuator = plant.motion.actuator
        pressures = Kernel(
            "pressures",
            (SUPPLY,),
            (Port("p_supply", (), "Pa"), Port("p_return", (), "Pa")),
            lambda supply: (actuator.p_return + supply * (actuator.p_supply - actuator.p_return), actuator.p_return),
        )
        parameters = next(p for p in law.inputs if p.name == "parameters")
        external = [p for p in LAW_INPUTS if p.name in EXTERNAL]

        def body(b: Body) -> None:
            request, p_supply, p_return = b.local("request"), b.local("p_supply"), b.local("p_return")
            asking = {name: b[name] for name in ("automatic", "asked", "state_before", "settings_version")}
            b.call(AUTOMATIC_OPERATOR, **asking, version_used=b["version_before"], request=request)
            b.call(pressures, supply=b["supply"], p_supply=p_supply, p_return=p_return)
            lines = {"p_supply": p_supply, "p_return": p_return}
            given = {p.name: b[p.name] for p in external} | {"request": request, **lines}
            measured = {p.name: b[p.name] for p in MEASURED}
            found = {p.name: b[p.name] for p in OUTPUTS}
            kept = {name: b[name] for name in ("x", "x_next", "guard", "guard_next")}
            b.call(law, parameters=b["parameters"], **kept, **given, **measured, lateness=b["lateness"], **found)
            state = {p.name: b[p.name] for p in plant.state_ports} | {
                next_of(p).name: b[next_of(p).name] for p in plant.state_ports
            }
            acting = {p.name: b[p.name] for p in (*FAULTS, LOAD, SEED)} | {"abort": b["abort"], **lines}
            readings = {p.name: b[next_of(p).name] for p in MEASURED}
            legs = {p.name: b[p.name] for p in LEG_OUTPUTS}
            b.call(plant.step, **state, valve_cmd=b["valve_cmd"], **acting, **readings, **legs)
            b.copy(b["state"], b["state_before_next"])
            b.copy(b["generators_version"], b["version_before_next"])
            self._record(b, {**given, **measured, **found})

        inputs = (
            parameters, *self.state_ports, AUTOMATIC, ASKED, *external, SUPPLY, *FAULTS, LOAD, SEED, LATENESS, *COUNTS,
        )  # fmt: skip
        record = (
            (Port("record", len(self.record_channels), "m, s, Pa, -", "a row of the record"),)
            if self.record_channels
            else ()
        )
        outputs = (*(next_of(p) for p in self.state_ports), *OUTPUTS, *LEG_OUTPUTS, *record)
        return OldProgram(
            "closed_loop", inputs, outputs, body, description=f"{plant.hexapod.name} under its control law"
        )

    def _record(self, b: Body, known: Mapping[str, Reference]) -> None:
        """What the law took and gave this tick; time and timing, which the executive knows, are zero here."""
        if not self.record_channels:
            return
        places, zero = channels(), b.constant("zero", np.array(0.0))
        sizes = {p.name: p for p in (*INPUTS, *OUTPUTS)}
        elsewhere = {p.name: b[p.name] for p in COUNTS} | {n: b["V_dot_P_next"][k] for n, k in ALPHA.items()}
        for k, name in enumerate(self.record_channels):
            if name not in places:
                b.copy(elsewhere.get(name, zero), b["record"][k])
                continue
            port, at = places[name]
            place = known[port]
            if sizes[port].dims:
                columns = sizes[port].dims[-1]
                place = place[at] if len(sizes[port].dims) == 1 else place[at // columns, at % columns]
            b.copy(place, b["record"][k])

    # ---- a start ----

    def at_rest(self, l: float | None = None) -> dict[str, Any]:
        """State at rest, down if no length is given; the control law is off."""
        hexapod = self.plant.hexapod
        plant = self.plant.at_rest(hexapod.l_down if l is None else l, braked=True)
        oil = self.plant.motion.kind.pressures(plant["legs"])
        p_cap, p_rod = (np.array(p) for p in oil or np.zeros((2, 6)))
        readings = {
            "l_meas": plant["l_read"], "l_dot_meas": np.zeros(6), "l_ddot_meas": np.zeros(6),
            "p_cap": p_cap, "p_rod": p_rod, "valve_meas": np.zeros(6), "f_meas": np.zeros(6),
            "acc": -np.array(self.plant.motion.mechanism.gravity), "omega": np.zeros(3),
        }  # fmt: skip
        last = {"state_before": np.array(0.0), "version_before": np.array(-1.0)}
        first = {"x": self.law.initial_state(), "guard": self.guard.state.vector()}
        return {**first, **plant, **readings, **last}

    def quiet_inputs(self) -> dict[str, Any]:
        """Nobody asks, no host, no generators, no faults."""
        given = {p.name: p for p in self.program.inputs}
        named = {p.name for p in self.state_ports}
        zeros = {n: np.zeros(p.dims) for n, p in given.items() if n not in named}
        return zeros | {"parameters": self.law.parameter_vector(), "supply": np.array(1.0), "automatic": np.array(1.0)}
