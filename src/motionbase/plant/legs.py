"""The kinds of legs of a plant: their step, their state at rest, and the quantities that their sensors measure.

A leg of either kind has a state of five numbers; the first is the position of its valve or the command of its drive.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, final

import numpy as np

from motionbase.actuators.common import Going, Lines
from motionbase.actuators.cushion import LegStroke
from motionbase.actuators.electric import DriveState, ElectricActuator, powered_step
from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.actuators.leg import HydraulicState, step
from motionbase.arrays import Array
from motionbase.compile import Struct
from motionbase.platform.hexapod import Hexapod
from motionbase.spatial.rotations import Expr

LEGS = 6


class LegKind(Protocol):
    """What the plant needs to know about a kind of leg."""

    @property
    def state(self) -> type[Struct]:
        """State of one leg: five numbers."""

    @property
    def reflected(self) -> float:
        """Mass that moves only with a leg's extension [kg]."""

    @property
    def stall_force(self) -> float:
        """Largest force of a leg at standstill [N]."""

    def step(self, stroke: LegStroke, h: Expr, x: Any, going: Going, u: Expr, lines: Lines) -> tuple[Any, Expr]:
        """State and force of one leg after a step."""

    def valve_of(self, x: Any) -> Expr:
        """Position of the valve, or the command of the drive."""

    def at_rest(self, f: Array, braked: bool) -> Array:
        """(LEGS, 5) states at rest under the forces f [N]; `braked`: brakes, if there are any, carry them."""

    def pressures(self, legs: Any) -> tuple[Expr, Expr] | None:
        """p_cap and p_rod [Pa], if there are any; of one leg or of all."""

    def valve(self, legs: Any, l_dot: Expr) -> Expr:
        """Valve measurement, -1 to 1: spool position, or speed relative to the largest."""

    def force(self, legs: Any, f: Expr) -> Expr:
        """Quantity measured by the force sensors [N]."""


@final
@dataclass(frozen=True)
class HydraulicLegs:
    """Cylinders with servo valves."""

    actuator: HydraulicActuator
    state: type[Struct] = HydraulicState
    reflected: float = 0.0

    @property
    def stall_force(self) -> float:
        """Force of the full supply pressure on the cap side [N]."""
        return self.actuator.p_supply * self.actuator.area_cap

    def step(self, stroke: LegStroke, h: Expr, x: Any, going: Going, u: Expr, lines: Lines) -> tuple[Any, Expr]:
        """Step of valve, oil and friction."""
        made = step(self.actuator, stroke, h, x, going, u, lines)
        return made.x_next, made.f

    def valve_of(self, x: HydraulicState) -> Expr:
        """The spool position."""
        return x.spool

    def at_rest(self, f: Array, braked: bool) -> Array:
        """Valves closed; the pressures are symmetric about the mean of supply and return."""
        a, legs = self.actuator, np.zeros((LEGS, 5))
        middle = 0.5 * (a.p_supply + a.p_return)
        apart = (f - (a.area_cap - a.area_rod) * middle) / (a.area_cap + a.area_rod)
        legs[:, 2], legs[:, 3] = middle + apart, middle - apart
        return legs

    def pressures(self, legs: HydraulicState) -> tuple[Expr, Expr] | None:
        """Pressures of the chambers [Pa]."""
        return legs.p_cap, legs.p_rod

    def valve(self, legs: HydraulicState, l_dot: Expr) -> Expr:
        """The spool position."""
        return legs.spool

    def force(self, legs: HydraulicState, f: Expr) -> Expr:
        """Force at the rod [N]."""
        return f


@final
@dataclass(frozen=True)
class ElectricLegs:
    """Ball screws with drives and brakes."""

    actuator: ElectricActuator
    state: type[Struct] = DriveState

    @property
    def reflected(self) -> float:
        """Reflected mass of rotor and screw [kg]."""
        return self.actuator.reflected_mass

    @property
    def stall_force(self) -> float:
        """Force of the largest torque [N]."""
        return self.actuator.force_max

    def step(self, stroke: LegStroke, h: Expr, x: Any, going: Going, u: Expr, lines: Lines) -> tuple[Any, Expr]:
        """Step of drive, brake and friction."""
        return powered_step(self.actuator, stroke, h, x, going, u, lines)

    def valve_of(self, x: DriveState) -> Expr:
        """The speed command."""
        return x.command

    def at_rest(self, f: Array, braked: bool) -> Array:
        """The weight is carried by the bristles of the closed brakes, or by the motors with the brakes open."""
        legs = np.zeros((LEGS, 5))
        if braked:
            legs[:, 3], legs[:, 4] = 1.0, -f / self.actuator.friction.sigma0
        else:
            legs[:, 1] = legs[:, 2] = f
        return legs

    def pressures(self, legs: DriveState) -> tuple[Expr, Expr] | None:
        """None: there is no oil."""
        return None

    def valve(self, legs: DriveState, l_dot: Expr) -> Expr:
        """The speed that the drive reports."""
        return l_dot / self.actuator.v_max

    def force(self, legs: DriveState, f: Expr) -> Expr:
        """Motor force from its current [N]."""
        return legs.drive.motor


def kind_of(hexapod: Hexapod) -> LegKind:
    """The kind of a platform's legs."""
    if isinstance(hexapod.actuator, ElectricActuator):
        return ElectricLegs(hexapod.actuator)
    return HydraulicLegs(hexapod.actuator)
