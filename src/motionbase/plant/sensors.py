"""The plant's measurements for the control law: noise, bias, quantisation, delay, and sensor faults."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, final

import casadi as ca

from motionbase.compile import Port, Struct, for_each, q
from motionbase.plant.legs import LEGS, ElectricLegs, LegKind
from motionbase.plant.motion import Body, LegMotion
from motionbase.platform.sensors import Sensor, Sensors
from motionbase.record.hexapod import QUANTITIES
from motionbase.spatial import R_quaternion
from motionbase.spatial.rotations import Expr

LOST, FROZEN, OFFSET = 1.0, 2.0, 3.0
LENGTH, RATE, ACCELERATION, CAP_PRESSURE, SPOOL, FORCE = 0, 1, 2, 3, 5, 6  # indices in MEASURED; these may fail
FAILING = (RATE, ACCELERATION, CAP_PRESSURE, SPOOL, FORCE)


def fault_code(which: int, how: float) -> float:
    """Code of a sensor fault: an index of MEASURED with LOST, FROZEN or OFFSET; codes of several sensors are added."""
    return how * 4.0**which


def fault_of(code: Expr, which: int) -> Expr:
    """LOST, FROZEN or OFFSET of one sensor, 0 for none."""
    return ca.floor(code * 4.0**-which) - 4 * ca.floor(code * 4.0 ** -(which + 1))


NUMBERS = 7 * LEGS + 6  # random numbers per tick
PIECE = 8192.0  # 2^13: a random number of 52 bits contains four of 13


def bell(uniform: Expr) -> Expr:
    """Numbers with mean 0 and standard deviation 1 from uniform ones: each is the sum of its four pieces of 13 bits.

    The sum of four uniform numbers is bell-shaped and limited to 3.5 standard deviations; a true normal number costs
    four times as much, a fifth of the whole plant.
    """
    total: Expr = 0.0
    for _ in range(4):
        scaled = PIECE * uniform
        whole = ca.floor(scaled)
        total, uniform = total + whole, scaled - whole
    # each piece is 0 to 8191 / 8192: mean 4095.5, variance (8192^2 - 1) / 12
    return (total - 4 * 4095.5) * math.sqrt(3.0 / (PIECE**2 - 1))


class Readings(Struct):
    """Measurements passed to the control law."""

    l_meas: Expr = q(QUANTITIES["l_meas"], LEGS)
    l_dot_meas: Expr = q(QUANTITIES["l_dot_meas"], LEGS)
    l_ddot_meas: Expr = q(QUANTITIES["l_ddot_meas"], LEGS)
    p_cap: Expr = q(QUANTITIES["p_cap"], LEGS)
    p_rod: Expr = q(QUANTITIES["p_rod"], LEGS)
    valve_meas: Expr = q(QUANTITIES["valve_meas"], LEGS)
    f_meas: Expr = q(QUANTITIES["f_meas"], LEGS)
    acc: Expr = q(QUANTITIES["acc"], 3)
    omega: Expr = q(QUANTITIES["omega"], 3)


class SensorFaults(Struct):
    """Faults of the legs' sensors."""

    sensor_fault: Expr = q(
        "-",
        LEGS,
        "of each leg, digits to the base 4 for length, rate, acceleration, the two pressures, spool, force: 0 none, "
        "1 lost (reads 0), 2 frozen, 3 offset",
    )
    sensor_offset: Expr = q("SI, mixed", LEGS, "what an offset one adds")


MEASURED, SENSOR_FAULTS = Readings.layout.ports, SensorFaults.layout.ports
HELD = Port("held", (LEGS, 1 + len(FAILING)), "SI, mixed", "faults a tick ago; readings of frozen sensors but length")


KINDS = (
    "position", "velocity", "acceleration", "pressure", "pressure", "spool", "force", "specific_force", "rate",
)  # fmt: skip
"""Kind of sensor of each of MEASURED."""
OF_LEGS = 7  # the first of MEASURED: a number per leg


@final
@dataclass(frozen=True)
class Lag:
    """Sensors with a delay read from a history: one row of true values for the end of each of the last ticks.

    Attributes:
        ticks: delay of each of MEASURED
    """

    ticks: tuple[float, ...]

    @staticmethod
    def of(sensors: Sensors, dt: float) -> Lag:
        """Delays in ticks; a delay within rounding of a whole number of ticks is that number."""
        exact = [getattr(sensors, kind).delay / dt for kind in KINDS]
        return Lag(tuple(float(round(t)) if abs(t - round(t)) < 1e-9 else t for t in exact))

    @property
    def late(self) -> tuple[int, ...]:
        """Indices in MEASURED of delayed quantities."""
        return tuple(k for k, t in enumerate(self.ticks) if t > 0)

    @property
    def ports(self) -> tuple[Port, ...]:
        """The history as a state; none without delays."""
        if not self.late:
            return ()
        width = sum(MEASURED[k].size for k in self.late)
        names = ", ".join(MEASURED[k].name for k in self.late)
        about = f"a row for each of the last ticks, newest first: what was true of {names}"
        return (Port("sensed", (math.ceil(max(self.ticks)), width), "SI, mixed", about),)

    def row(self, true: tuple[Expr, ...]) -> Expr:
        """A history row of the present true values."""
        return ca.vertcat(*(true[k] for k in self.late)).T

    def seen(self, true: tuple[Expr, ...], sensed: Expr) -> tuple[Expr, ...]:
        """The delayed values; linear interpolation between two ticks."""
        seen, place = list(true), 0
        for k in self.late:
            columns = slice(place, place + MEASURED[k].size)
            place = columns.stop
            whole = math.floor(self.ticks[k])
            part = self.ticks[k] - whole
            newer = true[k] if whole == 0 else sensed[whole - 1, columns].T
            seen[k] = newer if part == 0 else (1 - part) * newer + part * sensed[whole, columns].T
        return tuple(seen)


def reading(sensor: Sensor, value: Expr, uniform: Expr) -> Expr:
    """Reading of a sensor for a true value and a random number."""
    value = value + sensor.bias + sensor.noise * bell(uniform)
    return sensor.quantum * ca.floor(value / sensor.quantum + 0.5) if sensor.quantum else value


@final
@dataclass(frozen=True)
class Sensing:
    """The sensors on a platform and its legs."""

    sensors: Sensors
    kind: LegKind
    gravity: tuple[float, float, float]
    lag: Lag

    def truth(self, x: Body, legs: LegMotion) -> tuple[Expr, ...]:
        """True values of MEASURED; pressures of legs without oil are 0."""
        # specific force at the joint centroid, as an accelerometer measures it
        felt = x.V_dot_P[3:] + ca.cross(x.V_P[:3], x.V_P[3:]) - R_quaternion(x.Q_WP).T @ ca.DM(self.gravity)
        pressures = self.kind.pressures(x.legs) or (ca.SX.zeros(LEGS), ca.SX.zeros(LEGS))
        valve, force = self.kind.valve(x.legs, legs.l_dot), self.kind.force(x.legs, legs.f)
        return legs.l, legs.l_dot, legs.l_ddot, *pressures, valve, force, felt, x.V_P[:3]

    def read(
        self, x: Body, legs: LegMotion, uniform: Expr, faults: SensorFaults, l_last: Expr, held: Expr, *sensed: Expr
    ) -> tuple[Any, ...]:
        """Readings, and the values held until the next tick: of frozen sensors, and the history for delays."""
        true = self.truth(x, legs)
        seen = self.lag.seen(true, sensed[0]) if sensed else true
        own = [uniform[LEGS * k : LEGS * (k + 1)] for k in range(OF_LEGS)]
        failing = faults.sensor_fault, faults.sensor_offset, l_last, held
        *of_legs, held_next = for_each(self._read_leg, *seen[:OF_LEGS], *own, *failing)
        last = uniform[-6:-3], uniform[-3:]
        acc, omega = (reading(*x) for x in zip(self._fitted[OF_LEGS:], seen[OF_LEGS:], last, strict=True))
        history = (ca.vertcat(self.lag.row(true), rows[:-1, :]) for rows in sensed)
        return Readings(*(*of_legs, acc, omega)), held_next, *history

    @property
    def _fitted(self) -> list[Sensor]:
        """The sensors of MEASURED."""
        return [getattr(self.sensors, name) for name in KINDS]

    def _read_leg(self, *values: Expr) -> Any:
        """Readings of one leg with its faults, and the values held for it."""
        seen, own, (fault, offset, last, held) = values[:OF_LEGS], values[OF_LEGS:-4], values[-4:]
        readings = [reading(*each) for each in zip(self._fitted[:OF_LEGS], seen, own, strict=True)]
        if isinstance(self.kind, ElectricLegs):
            readings[CAP_PRESSURE] = readings[CAP_PRESSURE + 1] = ca.SX(0)  # a quantity without a sensor reads 0
        kept = [fault]
        for k, which in enumerate((LENGTH, *FAILING)):
            how, healthy, frozen = fault_of(fault, which), readings[which], last
            if which != LENGTH:
                stays = ca.logic_and(how == FROZEN, fault_of(held[0], which) == FROZEN)
                frozen = ca.if_else(stays, held[k], healthy)
                kept.append(frozen)
            reads = ca.if_else(how == FROZEN, frozen, ca.if_else(how == OFFSET, healthy + offset, healthy))
            readings[which] = ca.if_else(how == LOST, 0.0, reads)
        return *readings, ca.vertcat(*kept)
