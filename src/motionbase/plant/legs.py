"""The kinds of legs a plant may have: their step, their rest, and what their sensors look at.

Five numbers are the state of a leg of either kind; the first is where its valve, or its drive's command, stands.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeAlias, final

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from motionbase.actuators.electric import ElectricActuator
from motionbase.actuators.electric_leg import UNITS, WHAT, electric_leg_step
from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.actuators.leg import UNITS as OIL_UNITS
from motionbase.actuators.leg import leg_step
from motionbase.compile import Kernel, Port
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.parts import Stroke
from motionbase.spatial.rotations import Expr

Array: TypeAlias = NDArray[np.float64]
LEGS = 6


class LegKind(Protocol):
    """What the plant must know of its legs' kind."""

    @property
    def states(self) -> Port:
        """(LEGS, 5): the state of all legs."""

    @property
    def reflected(self) -> float:
        """Mass that moves with a leg's extension alone [kg]."""

    @property
    def stall_force(self) -> float:
        """Largest force of a leg that does not move [N]."""

    def step(self, stroke: Stroke, h: float | None) -> Kernel:
        """One leg over one step, with the ports of `leg_step`; outputs x_next and f at least."""

    def at_rest(self, f: Array, braked: bool) -> Array:
        """(LEGS, 5) states at rest under the forces f [N], of brakes if there are any and they are closed."""

    def pressures(self, legs: Expr) -> tuple[Expr, Expr] | None:
        """p_cap and p_rod [Pa], where there are any."""

    def valve(self, legs: Expr, l_dot: Expr) -> Expr:
        """What is measured beside the command, -1 to 1: the spool, or the speed as a part of the largest."""

    def force(self, legs: Expr, f: Expr) -> Expr:
        """What the sensors of force look at [N]."""


@final
@dataclass(frozen=True)
class HydraulicLegs:
    """Cylinders with servo valves."""

    actuator: HydraulicActuator
    states: Port = Port("legs", (LEGS, 5), OIL_UNITS, "of each leg: spool, spool_rate, p_cap, p_rod, bristle z")
    reflected: float = 0.0

    @property
    def stall_force(self) -> float:
        """Full supply pressure on the cap side [N]."""
        return self.actuator.p_supply * self.actuator.area_cap

    def step(self, stroke: Stroke, h: float | None) -> Kernel:
        """Valve, oil and friction."""
        return leg_step(self.actuator, stroke, h=h)

    def at_rest(self, f: Array, braked: bool) -> Array:
        """Valves closed; pressures as far above as below the middle of supply and return."""
        a, legs = self.actuator, np.zeros((LEGS, 5))
        middle = 0.5 * (a.p_supply + a.p_return)
        apart = (f - (a.area_cap - a.area_rod) * middle) / (a.area_cap + a.area_rod)
        legs[:, 2], legs[:, 3] = middle + apart, middle - apart
        return legs

    def pressures(self, legs: Expr) -> tuple[Expr, Expr] | None:
        """Of the chambers."""
        return legs[:, 2], legs[:, 3]

    def valve(self, legs: Expr, l_dot: Expr) -> Expr:
        """The spool."""
        return legs[:, 0]

    def force(self, legs: Expr, f: Expr) -> Expr:
        """At the rod."""
        return f


@final
@dataclass(frozen=True)
class ElectricLegs:
    """Ball screws with drives and brakes."""

    actuator: ElectricActuator
    states: Port = Port("legs", (LEGS, 5), UNITS, f"of each leg: {WHAT}")

    @property
    def reflected(self) -> float:
        """Of rotor and screw [kg]."""
        return self.actuator.reflected_mass

    @property
    def stall_force(self) -> float:
        """Of the largest torque [N]."""
        return self.actuator.force_max

    def step(self, stroke: Stroke, h: float | None) -> Kernel:
        """Drive, brake and friction."""
        return electric_leg_step(self.actuator, stroke, h=h)

    def at_rest(self, f: Array, braked: bool) -> Array:
        """Bent bristles of the closed brakes carry the weight, or the motors with the brakes open."""
        legs = np.zeros((LEGS, 5))
        if braked:
            legs[:, 3], legs[:, 4] = 1.0, -f / self.actuator.friction.sigma0
        else:
            legs[:, 1] = legs[:, 2] = f
        return legs

    def pressures(self, legs: Expr) -> tuple[Expr, Expr] | None:
        """There are none."""
        return None

    def valve(self, legs: Expr, l_dot: Expr) -> Expr:
        """The speed that the drive reports."""
        return l_dot / self.actuator.v_max

    def force(self, legs: Expr, f: Expr) -> Expr:
        """The motor's, from its current."""
        return ca.SX(legs[:, 1])


def kind_of(hexapod: Hexapod) -> LegKind:
    """Of a platform's legs."""
    if isinstance(hexapod.actuator, ElectricActuator):
        return ElectricLegs(hexapod.actuator)
    return HydraulicLegs(hexapod.actuator)
