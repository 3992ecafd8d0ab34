"""Capability of an actuator: forces at rest and at speed, speeds under load, friction, brake; for many legs at once.

An electric leg is limited by its motor's torque, which falls above `speed_base`; a hydraulic one by the supply pressure
that remains behind the two edges of its valve: A_in p_in - A_out p_out falls by (A_cap^3 + A_rod^3) (v / k)^2.
"""

from __future__ import annotations

from typing import Protocol, final

import casadi as ca
import numpy as np

from motionbase.actuators.electric import ElectricActuator, force_limits
from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.actuators.linear import no_load_speed, stall_force
from motionbase.arrays import Array
from motionbase.multibody.elements.friction_law import Friction
from motionbase.platform.hexapod import Actuator


class Capability(Protocol):
    """Interface of an actuator for checks and duties; forces at the rod, pushing positive, before friction [N]."""

    @property
    def friction(self) -> Friction:
        """Friction of the leg."""

    @property
    def reflected(self) -> float:
        """Mass that moves only with the leg's extension [kg]."""

    @property
    def push(self) -> float:
        """Largest force at rest [N]."""

    @property
    def pull(self) -> float:
        """Largest pulling force at rest, as a magnitude [N]."""

    @property
    def brake(self) -> float | None:
        """Holding force of the closed brake [N]; None without a brake."""

    @property
    def fastest(self) -> float:
        """Speed of extension without load [m/s]."""

    def forces(self, l_dot: Array) -> tuple[Array, Array]:
        """Smallest and largest force at leg speeds [m/s]: reduced along the motion, full against it."""

    def speed(self, f: Array) -> Array:
        """Largest speed of extension at which the leg still pushes with f [m/s]; 0 if it cannot."""


@final
class ElectricCapability:
    """Capability of a screw with its motor."""

    def __init__(self, actuator: ElectricActuator) -> None:
        self.actuator, self.friction = actuator, actuator.friction
        self.reflected, self.push, self.pull = actuator.reflected_mass, actuator.force_max, actuator.force_max
        self.brake: float | None = actuator.brake_force
        self.fastest = actuator.v_max

    def forces(self, l_dot: Array) -> tuple[Array, Array]:
        """Forces within the limits of the drive."""
        least, largest = (np.array(ca.DM(one)) for one in force_limits(self.actuator, ca.DM(np.atleast_2d(l_dot))))
        return least.reshape(l_dot.shape), largest.reshape(l_dot.shape)

    def speed(self, f: Array) -> Array:
        """The torque falls linearly from `speed_base` to zero at `speed_max`."""
        a = self.actuator
        share = np.clip(f / a.force_max, 0.0, 1.0)
        return np.where(f > a.force_max, 0.0, (a.speed_max - share * (a.speed_max - a.speed_base)) / a.ratio)


@final
class HydraulicCapability:
    """Capability of a cylinder with its servo valve, without leakage."""

    def __init__(self, actuator: HydraulicActuator) -> None:
        self.actuator, self.friction, self.reflected = actuator, actuator.friction, 0.0
        self.push, self.pull = stall_force(actuator, True), -stall_force(actuator, False)
        self.brake: float | None = None
        self._edges = (actuator.area_cap**3 + actuator.area_rod**3) / actuator.flow_gain**2
        self.fastest = no_load_speed(actuator) if self.push > 0 else 0.0

    def forces(self, l_dot: Array) -> tuple[Array, Array]:
        """With the valve fully open along the motion; as at rest against it."""
        lost = self._edges * l_dot**2
        least, largest = np.where(l_dot < 0, lost, 0.0) - self.pull, self.push - np.where(l_dot > 0, lost, 0.0)
        return np.minimum(least, 0.0), np.maximum(largest, 0.0)

    def speed(self, f: Array) -> Array:
        """With the valve fully open, as `actuators.linear.steady_speed`."""
        return np.asarray(np.sqrt(np.maximum(self.push - f, 0.0) / self._edges))


def capability_of(actuator: Actuator) -> Capability:
    """The capability, by the actuator's kind."""
    return ElectricCapability(actuator) if isinstance(actuator, ElectricActuator) else HydraulicCapability(actuator)


def friction_force(friction: Friction, l_dot: Array) -> Array:
    """Force of steady sliding [N] along the motion, which the actuator adds to the load; 0 at rest."""
    size = friction.coulomb + (friction.static - friction.coulomb) * np.exp(-((l_dot / friction.stribeck) ** 2))
    return np.asarray(np.sign(l_dot) * size + friction.sigma2 * l_dot)
