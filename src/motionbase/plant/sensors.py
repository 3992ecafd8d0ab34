"""What the control law is told of the plant: noise, bias, quantisation, delay, and sensors that fail."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, final

import casadi as ca

from motionbase.compile import Kernel, Port
from motionbase.plant.legs import LEGS, LegKind
from motionbase.plant.motion import TWIST_RATE, next_of
from motionbase.platform.mechanism import POSE, TWIST
from motionbase.platform.sensors import Sensor as Sensor
from motionbase.platform.sensors import Sensors as Sensors
from motionbase.spatial import R_quaternion
from motionbase.spatial.rotations import Expr

LOST, FROZEN, OFFSET = 1.0, 2.0, 3.0
LENGTH, RATE, ACCELERATION, CAP_PRESSURE, SPOOL, FORCE = 0, 1, 2, 3, 5, 6  # places in MEASURED of what may fail
FAILING = (RATE, ACCELERATION, CAP_PRESSURE, SPOOL, FORCE)


def fault_code(which: int, how: float) -> float:
    """Of a sensor that fails: a number of MEASURED, and LOST, FROZEN or OFFSET; codes of several are added."""
    return how * 4.0**which


def fault_of(code: Expr, which: int) -> Expr:
    """LOST, FROZEN or OFFSET of one sensor, 0 for none."""
    return ca.floor(code * 4.0**-which) - 4 * ca.floor(code * 4.0 ** -(which + 1))


NUMBERS = 7 * LEGS + 6
PIECE = 8192.0  # 2^13: a random number of 52 bits is four of 13


def bell(uniform: Expr) -> Expr:
    """Numbers of mean 0 and deviation 1 from uniform ones: each is the sum of its four pieces of 13 bits.

    The sum of four uniform numbers is bell-shaped and ends at 3.5 deviations; a true normal number costs four times as
    much, a fifth of the whole plant.
    """
    total: Expr = 0.0
    for _ in range(4):
        scaled = PIECE * uniform
        whole = ca.floor(scaled)
        total, uniform = total + whole, scaled - whole
    # each piece is 0 to 8191 / 8192: mean 4095.5, variance (8192^2 - 1) / 12
    return (total - 4 * 4095.5) * math.sqrt(3.0 / (PIECE**2 - 1))


MEASURED = (
    Port("l_meas", LEGS, "m", "measured lengths, joint to joint"),
    Port("l_dot_meas", LEGS, "m/s", "measured rates"),
    Port("l_ddot_meas", LEGS, "m/s^2", "measured accelerations"),
    Port("p_cap", LEGS, "Pa", "pressures that extend"),
    Port("p_rod", LEGS, "Pa", "pressures that retract"),
    Port("valve_meas", LEGS, "-", "measured spools"),
    Port("f_meas", LEGS, "N", "measured forces, pushing positive"),
    Port("acc", 3, "m/s^2", "specific force in P"),
    Port("omega", 3, "rad/s", "angular rate in P"),
)
SENSOR_FAULTS = (
    Port(
        "sensor_fault",
        LEGS,
        "-",
        "of each leg, digits to the base 4 for length, rate, acceleration, the two pressures, spool, force: 0 none, "
        "1 lost (reads 0), 2 frozen, 3 offset",
    ),
    Port("sensor_offset", LEGS, "SI, mixed", "what an offset one adds"),
)
HELD = Port("held", (LEGS, 1 + len(FAILING)), "SI, mixed", "faults a tick ago; readings of frozen sensors but length")


KINDS = (
    "position", "velocity", "acceleration", "pressure", "pressure", "spool", "force", "specific_force", "rate",
)  # fmt: skip
"""Of MEASURED."""
TRUTH = (Port("l", LEGS, "m"), Port("l_dot", LEGS, "m/s"), Port("l_ddot", LEGS, "m/s^2"), Port("f", LEGS, "N"))


@final
@dataclass(frozen=True)
class Lag:
    """Sensors that read late look at a history: a row of what was true at the end of each of the last ticks.

    Attributes:
        ticks: of MEASURED: how late each is
    """

    ticks: tuple[float, ...]

    @staticmethod
    def of(sensors: Sensors, dt: float) -> Lag:
        """Delays in ticks; one that is a whole number but for rounding is one."""
        exact = [getattr(sensors, kind).delay / dt for kind in KINDS]
        return Lag(tuple(float(round(t)) if abs(t - round(t)) < 1e-9 else t for t in exact))

    @property
    def late(self) -> tuple[int, ...]:
        """Places in MEASURED of what comes late."""
        return tuple(k for k, t in enumerate(self.ticks) if t > 0)

    @property
    def ports(self) -> tuple[Port, ...]:
        """The history as a state; none where nothing comes late."""
        if not self.late:
            return ()
        width = sum(MEASURED[k].size for k in self.late)
        names = ", ".join(MEASURED[k].name for k in self.late)
        about = f"a row for each of the last ticks, newest first: what was true of {names}"
        return (Port("sensed", (math.ceil(max(self.ticks)), width), "SI, mixed", about),)

    def row(self, true: tuple[Expr, ...]) -> Expr:
        """A row of the history, of what is true now."""
        return ca.vertcat(*(true[k] for k in self.late)).T

    def seen(self, true: tuple[Expr, ...], sensed: Expr) -> tuple[Expr, ...]:
        """What the sensors look at; between two ticks in proportion."""
        seen, place = list(true), 0
        for k in self.late:
            columns = slice(place, place + MEASURED[k].size)
            place = columns.stop
            whole = math.floor(self.ticks[k])
            part = self.ticks[k] - whole
            newer = true[k] if whole == 0 else sensed[whole - 1, columns].T
            seen[k] = newer if part == 0 else (1 - part) * newer + part * sensed[whole, columns].T
        return tuple(seen)


def truth(
    kind: LegKind, gravity: tuple[float, float, float], Q_WP: Expr, V_P: Expr, V_dot_P: Expr, legs: Expr, l: Expr,
    l_dot: Expr, l_ddot: Expr, f: Expr,
) -> tuple[Expr, ...]:  # fmt: skip
    """MEASURED as it really is; pressures that a leg does not have are 0."""
    # what an accelerometer at the joint centroid feels
    felt = V_dot_P[3:] + ca.cross(V_P[:3], V_P[3:]) - R_quaternion(Q_WP).T @ ca.DM(gravity)
    p_cap, p_rod = kind.pressures(legs) or (ca.SX.zeros(LEGS), ca.SX.zeros(LEGS))
    return l, l_dot, l_ddot, p_cap, p_rod, kind.valve(legs, l_dot), kind.force(legs, f), felt, V_P[:3]


def reading(sensor: Sensor, value: Expr, normal: Expr) -> Expr:
    """What a sensor reads of a value, for a normal random number of its own."""
    value = value + sensor.bias + sensor.noise * normal
    return sensor.quantum * ca.floor(value / sensor.quantum + 0.5) if sensor.quantum else value


def measurement(sensors: Sensors, kind: LegKind, gravity: tuple[float, float, float], lag: Lag) -> Kernel:
    """State, legs, random numbers, faults, lengths last read, and a history if there is one -> readings."""

    def expr(
        p_W: Expr, Q_WP: Expr, V_P: Expr, V_dot_P: Expr, legs: Expr, l: Expr, l_dot: Expr, l_ddot: Expr, f: Expr,
        uniform: Expr, fault: Expr, offset: Expr, last: Expr, held: Expr, *sensed: Expr,
    ) -> Any:  # fmt: skip
        normal = bell(uniform)
        own = [normal[LEGS * k : LEGS * (k + 1)] for k in range(7)]
        own += [normal[7 * LEGS : 7 * LEGS + 3], normal[7 * LEGS + 3 :]]
        true = truth(kind, gravity, Q_WP, V_P, V_dot_P, legs, l, l_dot, l_ddot, f)
        seen = lag.seen(true, sensed[0]) if sensed else true
        readings = [reading(getattr(sensors, name), value, n) for name, value, n in zip(KINDS, seen, own, strict=True)]
        if kind.pressures(legs) is None:
            readings[3] = readings[4] = ca.SX.zeros(LEGS)  # what nobody measures reads 0
        kept = []
        for k, which in enumerate((LENGTH, *FAILING)):
            how, healthy = fault_of(fault, which), readings[which]
            frozen = last
            if which != LENGTH:
                stays = ca.logic_and(how == FROZEN, fault_of(held[:, 0], which) == FROZEN)
                frozen = ca.if_else(stays, held[:, k], healthy)
                kept.append(frozen)
            reads = ca.if_else(how == FROZEN, frozen, ca.if_else(how == OFFSET, healthy + offset, healthy))
            readings[which] = ca.if_else(how == LOST, 0.0, reads)
        return *readings, ca.horzcat(fault, *kept), *(ca.vertcat(lag.row(true), rows[:-1, :]) for rows in sensed)

    inputs = (
        *POSE, TWIST, TWIST_RATE, kind.states, *TRUTH,
        Port("uniform", NUMBERS, "-", "independent random numbers, 0 to 1"), *SENSOR_FAULTS,
        Port("l_last", LEGS, "m", "lengths read a tick ago"), HELD, *lag.ports,
    )  # fmt: skip
    return Kernel("measurement", inputs, (*MEASURED, next_of(HELD), *(next_of(p) for p in lag.ports)), expr)
