"""The plant of a hexapod over one tick: faults are applied, platform and legs move, sensors measure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import casadi as ca
import numpy as np

from motionbase.actuators.common import LINES, Lines
from motionbase.arrays import Array
from motionbase.compile import Port, Program, Struct, compile, for_each, q, random, repeat
from motionbase.plant.legs import LEGS
from motionbase.plant.motion import LEG_OUTPUTS, STATE, Acting, Body, LegMotion, Motion, next_of, parts, picked
from motionbase.plant.rest import holding_forces
from motionbase.plant.sensors import HELD, MEASURED, NUMBERS, SENSOR_FAULTS, Lag, Sensing, SensorFaults
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.mechanism import LOAD
from motionbase.platform.sensors import Sensors
from motionbase.record.hexapod import QUANTITIES
from motionbase.spatial.rotations import Expr

STUCK, HARD_OUT, HARD_IN, REVERSED = 1.0, 2.0, 3.0, 4.0
SEIZED_STIFFNESS, SEIZED_DAMPING = 2e7, 2e5  # [N/m], [N s/m]: of a seized leg, similar to its oil spring
VALVE = Port.of(QUANTITIES["valve_cmd"], LEGS)
SEIZED_AT = Port("l_seized", LEGS, "m", "where each leg seized; where it is, while it moves")
READ = Port("l_read", LEGS, "m", "lengths read last")
TICK = Port("tick", (), "-", "ticks since the start: the counter of the random numbers")
SEED = Port("seed", (), "-", "of the sensors' noise")
NOISE = random("sensor_noise", Port("uniform", 2), grouped=True)


class LegFaults(Struct):
    """Faults of valves and legs."""

    valve_fault: Expr = q("-", LEGS, "0 none, 1 stuck, 2 hard over extending, 3 hard over retracting, 4 reversed")
    seized: Expr = q("-", LEGS, "1 for a leg that has seized")


FAULTS = (*LegFaults.layout.ports, *SENSOR_FAULTS)
PLANT_STATE = (TICK, *STATE, SEIZED_AT, READ, HELD)


@final
@dataclass(frozen=True, eq=False)
class Plant:
    """A hexapod with its actuators and sensors, as one program.

    Attributes:
        sensors: those of the hexapod by default
        substeps: steps of the motion per tick
        dt: period of a tick [s]
    """

    hexapod: Hexapod
    sensors: Sensors | None = None
    substeps: int = 1
    dt: float = 5e-4

    @cached_property
    def motion(self) -> Motion:
        """Platform, legs and actuators."""
        return Motion(self.hexapod)

    @property
    def fitted(self) -> Sensors:
        """The sensors in use."""
        return self.hexapod.sensors if self.sensors is None else self.sensors

    @cached_property
    def lag(self) -> Lag:
        """Delays of the sensors."""
        return Lag.of(self.fitted, self.dt)

    @property
    def state_ports(self) -> tuple[Port, ...]:
        """PLANT_STATE, with the names of the numbers in a leg's state, and a history if sensors have delays."""
        return (TICK, *self.motion.state, SEIZED_AT, READ, HELD, *self.lag.ports)

    @property
    def feedback(self) -> dict[str, str]:
        """State -> state after a tick, for `scan`."""
        return {p.name: next_of(p).name for p in self.state_ports}

    @cached_property
    def sensing(self) -> Sensing:
        """The measurement of the motion by the sensors."""
        return Sensing(self.fitted, self.motion.kind, self.motion.mechanism.gravity, self.lag)

    @cached_property
    def step(self) -> Program:
        """(state, valve_cmd, lines, faults, load, seed) -> state_next, readings, true motion of the legs."""
        inputs = (*self.state_ports, VALVE, *LINES, *FAULTS, LOAD, SEED)
        outputs = (*(next_of(p) for p in self.state_ports), *MEASURED, *LEG_OUTPUTS)

        def expr(*values: Any) -> Any:
            given = dict(zip((p.name for p in inputs), values, strict=True))
            faults = picked(LegFaults, given), picked(SensorFaults, given)
            return self._tick(given, picked(self.motion.body, given), picked(Lines, given), *faults)

        return Program("plant", inputs, outputs, expr)

    def _tick(self, given: Mapping[str, Expr], x: Body, lines: Lines, faults: LegFaults, blind: SensorFaults) -> Any:
        """One tick: apply faults, move platform and legs, measure."""
        motion, h, tick = self.motion, self.dt / self.substeps, given["tick"]
        l, l_dot = motion.mechanism.leg_lengths(x.p_W, x.Q_WP, x.V_P)
        u, f_brake, l_seized = for_each(
            _acting, given["valve_cmd"], motion.kind.valve_of(x.legs), faults.valve_fault, faults.seized, l, l_dot,
            given["l_seized"],
        )  # fmt: skip
        acting = Acting(u, lines, f_brake, given["load_P"])

        x, legs = motion.moved(h, x, l, acting)
        if self.substeps > 1:
            x, legs = repeat(self.substeps - 1, lambda x, legs: motion.moved(h, x, legs.l, acting), x, legs)

        uniform = for_each(lambda pair: NOISE(given["seed"], tick, pair), range(NUMBERS // 2))
        late = (given[p.name] for p in self.lag.ports)
        readings, *held = self.sensing.read(x, legs, ca.vec(uniform.T), blind, given["l_read"], given["held"], *late)
        return tick + 1, *parts(x), l_seized, readings.l_meas, *held, *parts(readings), *parts(legs)

    def at_rest(self, l: float | None = None, braked: bool = False) -> dict[str, Any]:
        """The state at rest with all legs of length l [m], neutral by default; motors or brakes hold electric legs."""
        motion = self.motion.at_rest(l, braked)
        lengths, _ = compile(self.motion.mechanism.legs)(p_W=motion["p_W"], Q_WP=motion["Q_WP"], V_P=np.zeros(6))
        read = {"l_seized": np.asarray(lengths), "l_read": np.asarray(lengths), "held": np.zeros(HELD.dims)}
        return {"tick": np.array(0.0), **motion, **read, **self._history(motion, np.asarray(lengths))}

    def _history(self, motion: dict[str, Any], l: Array) -> dict[str, Any]:
        """The sensor history of a platform at rest."""
        if not self.lag.ports:
            return {}
        body, zero = self.motion.body, np.zeros(LEGS)
        x = body.of(ca.SX(ca.DM(np.concatenate([np.ravel(motion[p.name]) for p in body.layout.ports]))))
        f = holding_forces(self.motion, motion["p_W"], motion["Q_WP"])
        still = LegMotion(*(ca.DM(x) for x in (l, zero, zero, f, np.zeros((LEGS, 3)))))
        row = np.array(ca.evalf(self.lag.row(self.sensing.truth(x, still))))
        return {p.name: np.repeat(row, p.dims[0], axis=0) for p in self.lag.ports}

    @property
    def quiet(self) -> dict[str, Any]:
        """Inputs without commands, faults or load."""
        a = self.motion.actuator
        lines = {"p_supply": a.p_supply, "p_return": a.p_return, "abort": 0.0, "seed": 0.0}
        six = {p.name: np.zeros(6) for p in (VALVE, *FAULTS, LOAD)}
        return {**lines, **six}


def _acting(u: Expr, valve: Expr, fault: Expr, seized: Expr, l: Expr, l_dot: Expr, l_seized: Expr) -> Any:
    """For one leg: its command after faults, the force that holds a seized leg, and the length at which it seized."""
    u = ca.fmin(ca.fmax(u, -1.0), 1.0)  # also replaces NaN
    acts = ca.if_else(fault == STUCK, valve, u)
    acts = ca.if_else(fault == HARD_OUT, 1.0, ca.if_else(fault == HARD_IN, -1.0, acts))
    acts = ca.if_else(fault == REVERSED, -u, acts)
    stays = ca.if_else(seized > 0.5, l_seized, l)
    return acts, -seized * (SEIZED_STIFFNESS * (l - stays) + SEIZED_DAMPING * l_dot), stays
