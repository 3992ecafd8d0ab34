"""What the control law is told of the plant: noise, bias, quantisation, and sensors that fail."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import Any, final

import casadi as ca

from motionbase.compile import Kernel, Port
from motionbase.errors import PlatformError
from motionbase.plant.motion import LEG_STATES, LEGS, TWIST_RATE
from motionbase.platform.mechanism import POSE, STANDARD_GRAVITY, TWIST
from motionbase.spatial import R_quaternion
from motionbase.spatial.rotations import Expr

LOST, FROZEN, OFFSET = 1.0, 2.0, 3.0


@final
@dataclass(frozen=True)
class Sensor:
    """One kind of sensor.

    Attributes:
        noise: standard deviation; bias: added to every reading; quantum: step of the readings, 0 for none
    """

    noise: float = 0.0
    bias: float = 0.0
    quantum: float = 0.0

    def __post_init__(self) -> None:
        for f in fields(self):
            value = getattr(self, f.name)
            if not math.isfinite(value) or (value < 0 and f.name != "bias"):
                raise PlatformError(f"sensor: {f.name} is {value!r}, a finite number, 0 or above, is wanted")

    def reading(self, value: Expr, normal: Expr) -> Expr:
        """What it reads, for a normal random number of its own."""
        value = value + self.bias + self.noise * normal
        return self.quantum * ca.floor(value / self.quantum + 0.5) if self.quantum else value


@final
@dataclass(frozen=True)
class Sensors:
    """All kinds; the defaults are illustrative: good industrial sensors with 16-bit converters."""

    position: Sensor = field(default_factory=lambda: Sensor(noise=5e-6, quantum=2e-5))  # [m]
    velocity: Sensor = field(default_factory=lambda: Sensor(noise=1e-4))  # [m/s]
    acceleration: Sensor = field(default_factory=lambda: Sensor(noise=2e-2))  # [m/s^2]
    force: Sensor = field(default_factory=lambda: Sensor(noise=10.0))  # [N]
    pressure: Sensor = field(default_factory=lambda: Sensor(noise=5e3, quantum=500.0))  # [Pa]
    spool: Sensor = field(default_factory=lambda: Sensor(noise=1e-4))  # [-]
    specific_force: Sensor = field(default_factory=lambda: Sensor(noise=1e-2))  # [m/s^2]
    rate: Sensor = field(default_factory=lambda: Sensor(noise=2e-4))  # [rad/s]

    @staticmethod
    def perfect() -> Sensors:
        """Without any error."""
        return Sensors(*(Sensor() for _ in fields(Sensors)))


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
    Port("sensor_fault", LEGS, "-", "of each length sensor: 0 none, 1 lost (reads 0), 2 frozen, 3 offset"),
    Port("sensor_offset", LEGS, "m", "what an offset one adds"),
)


def measurement(sensors: Sensors, gravity: tuple[float, float, float] = STANDARD_GRAVITY) -> Kernel:
    """State, legs, random numbers, faults, lengths last read -> readings."""

    def expr(
        p_W: Expr, Q_WP: Expr, V_P: Expr, V_dot_P: Expr, legs: Expr, l: Expr, l_dot: Expr, l_ddot: Expr, f: Expr,
        uniform: Expr, fault: Expr, offset: Expr, last: Expr,
    ) -> Any:  # fmt: skip
        normal = bell(uniform)
        own = [normal[LEGS * k : LEGS * (k + 1)] for k in range(7)]
        length = sensors.position.reading(l, own[0])
        length = ca.if_else(fault == OFFSET, length + offset, length)
        length = ca.if_else(fault == FROZEN, last, length)
        length = ca.if_else(fault == LOST, 0.0, length)
        # what an accelerometer at the joint centroid feels
        felt = V_dot_P[3:] + ca.cross(V_P[:3], V_P[3:]) - R_quaternion(Q_WP).T @ ca.DM(gravity)
        return (
            length,
            sensors.velocity.reading(l_dot, own[1]),
            sensors.acceleration.reading(l_ddot, own[2]),
            sensors.pressure.reading(legs[:, 2], own[3]),
            sensors.pressure.reading(legs[:, 3], own[4]),
            sensors.spool.reading(legs[:, 0], own[5]),
            sensors.force.reading(f, own[6]),
            sensors.specific_force.reading(felt, normal[7 * LEGS : 7 * LEGS + 3]),
            sensors.rate.reading(V_P[:3], normal[7 * LEGS + 3 :]),
        )

    inputs = (
        *POSE, TWIST, TWIST_RATE, LEG_STATES,
        Port("l", LEGS, "m"), Port("l_dot", LEGS, "m/s"), Port("l_ddot", LEGS, "m/s^2"), Port("f", LEGS, "N"),
        Port("uniform", NUMBERS, "-", "independent random numbers, 0 to 1"), *SENSOR_FAULTS,
        Port("l_last", LEGS, "m", "lengths read a tick ago"),
    )  # fmt: skip
    return Kernel("measurement", inputs, MEASURED, expr)
