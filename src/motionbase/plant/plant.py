"""The plant of a hexapod over one tick: faults act, platform and legs move, sensors read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias, final

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from motionbase.actuators.leg import LINES
from motionbase.compile import Body, Kernel, OldProgram, Port, compile
from motionbase.compile.primitives import random
from motionbase.plant.legs import LEGS
from motionbase.plant.motion import BRAKE, LEG_OUTPUTS, LOAD, STATE, Motion, next_of
from motionbase.plant.rest import holding_forces
from motionbase.plant.sensors import HELD, MEASURED, NUMBERS, SENSOR_FAULTS, Lag, measurement, truth
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.sensors import Sensors
from motionbase.spatial.rotations import Expr

Array: TypeAlias = NDArray[np.float64]
STUCK, HARD_OUT, HARD_IN, REVERSED = 1.0, 2.0, 3.0, 4.0
SEIZED_STIFFNESS, SEIZED_DAMPING = 2e7, 2e5  # [N/m], [N s/m]: of a leg that has seized, about its oil spring's
VALVE = Port("valve_cmd", LEGS, "-", "valve commands, -1 to 1; positive extends")
VALVE_FAULT = Port(
    "valve_fault", LEGS, "-", "0 none, 1 stuck, 2 hard over extending, 3 hard over retracting, 4 reversed"
)
SEIZED = Port("seized", LEGS, "-", "1 for a leg that has seized")
SEIZED_AT = Port("l_seized", LEGS, "m", "where each leg seized; where it is, while it moves")
READ = Port("l_read", LEGS, "m", "lengths read last")
TICK = Port("tick", (), "-", "ticks since the start: the counter of the random numbers")
FAULTS = (VALVE_FAULT, SEIZED, *SENSOR_FAULTS)
PLANT_STATE = (TICK, *STATE, SEIZED_AT, READ, HELD)


@final
@dataclass(frozen=True, eq=False)
class Plant:
    """A hexapod with its actuators and sensors, as one program.

    Attributes:
        sensors: those of the hexapod if not given
        substeps: of the motion in a tick
        dt: period of a tick [s]
    """

    hexapod: Hexapod
    sensors: Sensors | None = None
    substeps: int = 1
    dt: float = 5e-4

    @cached_property
    def motion(self) -> Motion:
        """Platform, legs, actuators."""
        return Motion(self.hexapod, self.dt / self.substeps)

    @property
    def fitted(self) -> Sensors:
        """The sensors it has."""
        return self.hexapod.sensors if self.sensors is None else self.sensors

    @cached_property
    def lag(self) -> Lag:
        """How late they are."""
        return Lag.of(self.fitted, self.dt)

    @property
    def state_ports(self) -> tuple[Port, ...]:
        """As PLANT_STATE, with the names of what is in a leg's numbers, and a history where sensors are late."""
        return (TICK, *self.motion.state, SEIZED_AT, READ, HELD, *self.lag.ports)

    @property
    def feedback(self) -> dict[str, str]:
        """State -> state after a tick, for `scan`."""
        return {p.name: next_of(p).name for p in self.state_ports}

    @cached_property
    def acting(self) -> Kernel:
        """What faults make of the commands, and what holds a seized leg."""

        def expr(u: Expr, fault: Expr, seized: Expr, legs: Expr, l: Expr, l_dot: Expr, l_seized: Expr) -> Any:
            u = ca.fmin(ca.fmax(u, -1.0), 1.0)  # NaN becomes a number as well
            acts = ca.if_else(fault == STUCK, legs[:, 0], u)
            acts = ca.if_else(fault == HARD_OUT, 1.0, ca.if_else(fault == HARD_IN, -1.0, acts))
            acts = ca.if_else(fault == REVERSED, -u, acts)
            stays = ca.if_else(seized > 0.5, l_seized, l)
            return acts, -seized * (SEIZED_STIFFNESS * (l - stays) + SEIZED_DAMPING * l_dot), stays

        legs, l, l_dot = self.motion.kind.states, LEG_OUTPUTS[0], LEG_OUTPUTS[1]
        outputs = (Port("u", LEGS, "-"), BRAKE, next_of(SEIZED_AT))
        return Kernel("acting", (VALVE, VALVE_FAULT, SEIZED, legs, l, l_dot, SEIZED_AT), outputs, expr)

    @cached_property
    def step(self) -> OldProgram:
        """(state, valve_cmd, lines, faults, load, seed) -> state_next, readings, true motion of the legs."""
        motion = self.motion
        noise = random("sensor_noise", Port("uniform", NUMBERS))
        measure = measurement(self.fitted, motion.kind, motion.mechanism.gravity, self.lag)
        where = motion.mechanism.legs
        later = Kernel("later", (TICK,), (next_of(TICK),), lambda tick: tick + 1)

        def body(b: Body) -> None:
            l, l_dot, u, brake = (b.local(n, LEGS) for n in ("l_now", "l_dot_now", "u", "f_brake"))
            h = b.constant("h", np.array(self.dt / self.substeps))
            pose = {"p_W": b["p_W"], "Q_WP": b["Q_WP"], "V_P": b["V_P"]}
            b.call(where, **pose, l=l, l_dot=l_dot)
            b.call(self.acting, valve_cmd=b["valve_cmd"], valve_fault=b["valve_fault"], seized=b["seized"],
                   legs=b["legs"], l=l, l_dot=l_dot, l_seized=b["l_seized"], u=u, f_brake=brake,
                   l_seized_next=b["l_seized_next"])  # fmt: skip
            held = {**{p.name: b[p.name] for p in LINES}, "load_P": b["load_P"], "u": u, "f_brake": brake, "h": h}
            found = {p.name: b[p.name] for p in LEG_OUTPUTS}
            after = {next_of(p).name: b[next_of(p).name] for p in STATE}
            first = {p.name: b[p.name] for p in STATE}
            b.call(motion.step, **first, **held, **after, **found)
            if self.substeps > 1:
                between = {p.name: b.local(f"{p.name}_part", p.shape) for p in STATE}
                with b.loop(self.substeps - 1):
                    for p in STATE:
                        b.copy(b[next_of(p).name], between[p.name])
                    b.call(motion.step, **between, **held, **after, **found)
            uniform = b.local("uniform", NUMBERS)
            b.call(noise, seed=b["seed"], counter=b["tick"], uniform=uniform)
            now = {p.name: b[next_of(p).name] for p in STATE}
            true = {name: found[name] for name in ("l", "l_dot", "l_ddot", "f")}
            faults = {p.name: b[p.name] for p in SENSOR_FAULTS}
            readings = {p.name: b[p.name] for p in (*MEASURED, *self.lag.ports, *map(next_of, self.lag.ports))}
            b.call(measure, **now, **true, uniform=uniform, **faults, l_last=b["l_read"], held=b["held"],
                   held_next=b["held_next"], **readings)  # fmt: skip
            b.copy(b["l_meas"], b["l_read_next"])
            b.call(later, tick=b["tick"], tick_next=b["tick_next"])

        state = self.state_ports
        inputs = (*state, VALVE, *LINES, *FAULTS, LOAD, Port("seed", (), "-", "of the sensors' noise"))
        return OldProgram("plant", inputs, (*(next_of(p) for p in state), *MEASURED, *LEG_OUTPUTS), body)

    def at_rest(self, l: float | None = None, braked: bool = False) -> dict[str, Any]:
        """The state at rest, all legs of length l [m], neutral if not given; electric legs by motors or by brakes."""
        motion = self.motion.at_rest(l, braked)
        lengths, _ = compile(self.motion.mechanism.legs)(p_W=motion["p_W"], Q_WP=motion["Q_WP"], V_P=np.zeros(6))
        read = {"l_seized": np.asarray(lengths), "l_read": np.asarray(lengths), "held": np.zeros(HELD.dims)}
        return {"tick": np.array(0.0), **motion, **read, **self._history(motion, np.asarray(lengths))}

    def _history(self, motion: dict[str, Any], l: Array) -> dict[str, Any]:
        """Of a platform that has long been at rest."""
        of, zero = self.motion, np.zeros(LEGS)
        if not self.lag.ports:
            return {}
        f = holding_forces(of, motion["p_W"], motion["Q_WP"])
        pose = motion["Q_WP"], motion["V_P"], motion["V_dot_P"], motion["legs"]
        true = truth(of.kind, of.mechanism.gravity, *(ca.SX(ca.DM(x)) for x in (*pose, l, zero, zero, f)))
        row = np.array(ca.evalf(self.lag.row(true)))
        return {p.name: np.repeat(row, p.dims[0], axis=0) for p in self.lag.ports}

    @property
    def quiet(self) -> dict[str, Any]:
        """Inputs without commands, faults or load."""
        a = self.motion.actuator
        lines = {"p_supply": a.p_supply, "p_return": a.p_return, "abort": 0.0, "seed": 0.0}
        six = {p.name: np.zeros(6) for p in (VALVE, *FAULTS, LOAD)}
        return {**lines, **six}
