"""Electric leg: ball-screw cylinder with its drive, which follows a speed command, and a holding brake."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import casadi as ca

from motionbase.actuators.cushion import EndStops, LegStroke, end_stops
from motionbase.actuators.friction import Friction, bristle_rate, bristle_step, friction_force, sliding_force
from motionbase.compile import Kernel, Port
from motionbase.errors import ModelError
from motionbase.multibody.body import shown
from motionbase.multibody.lookup import checked_number, checked_positive
from motionbase.spatial.rotations import Expr

POSITIVE = {
    "lead": "m",
    "inertia": "kg m^2",
    "torque_max": "N m",
    "speed_base": "rad/s",
    "speed_max": "rad/s",
    "torque_lag": "s",
    "load_mass": "kg",
    "speed_bandwidth": "rad/s",
    "brake_force": "N",
    "brake_time": "s",
    "stop_stiffness": "N/m",
}
STATE = Port("x", 4, "N, N, -, m", "motor force at the rod, force of the speed loop's integral, brake 0..1, bristle")


@final
@dataclass(frozen=True)
class ElectricActuator:
    """One ball-screw leg; u = -1..1 commands a speed, -v_max..v_max, to the drive's own speed loop.

    The rotor turns with the screw, so its inertia is a mass along the leg: the mechanism must carry `reflected_mass` at
    each leg's own speed. The leg's force is what is left of the motor's after friction and brake.

    Attributes:
        lead: travel of one turn [m]
        inertia: of rotor, coupling and screw [kg m^2]
        torque_max: limit of the motor and its current [N m], up to `speed_base`
        speed_base: from here the torque that drives falls linearly, to none at `speed_max` [rad/s]
        speed_max: [rad/s]; u = 1 commands it
        torque_lag: time constant of the current loop [s]
        load_mass: mass for which the speed loop is tuned, `reflected_mass` not included [kg]
        speed_bandwidth: of the speed loop [rad/s]
        friction: of screw, nut and seals, at the rod
        brake_force: sliding force of the closed brake, at the rod [N]
        brake_time: in which the brake closes or opens [s]
        stop_stiffness, stop_damping: of the hard ends [N/m], [N s/m]
    """

    lead: float
    inertia: float
    torque_max: float
    speed_base: float
    speed_max: float
    torque_lag: float
    load_mass: float
    speed_bandwidth: float
    friction: Friction
    brake_force: float
    brake_time: float
    stop_stiffness: float = 5e7
    stop_damping: float = 1e5

    def __post_init__(self) -> None:
        owner = "electric actuator"
        for name, unit in POSITIVE.items():
            checked_positive(owner, name, getattr(self, name), unit)
        checked_number(owner, "stop_damping", self.stop_damping, "N s/m", least=0.0)
        if self.speed_base >= self.speed_max:
            raise ModelError(
                f"{owner}: speed_base {self.speed_base:g} rad/s must be below speed_max {self.speed_max:g} rad/s"
            )
        if not isinstance(self.friction, Friction):
            raise ModelError(f"{owner}: friction is {shown(self.friction)}, a Friction is wanted")

    @property
    def ratio(self) -> float:
        """Motor angle for each metre of the rod [rad/m]."""
        return 2 * math.pi / self.lead

    @property
    def reflected_mass(self) -> float:
        """The rotor's inertia as a mass along the leg [kg]."""
        return self.inertia * self.ratio**2

    @property
    def v_max(self) -> float:
        """Rod speed that u = 1 commands [m/s]."""
        return self.speed_max / self.ratio

    @property
    def force_max(self) -> float:
        """Rod force of the largest torque [N]."""
        return self.torque_max * self.ratio
