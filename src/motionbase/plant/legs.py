"""The kinds of legs a plant may have: their step, their rest, and what their sensors look at.

Five numbers are the state of a leg of either kind; the first is where its valve, or its drive's command, stands.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from motionbase.actuators.common import Going, Lines
from motionbase.actuators.cushion import LegStroke
from motionbase.actuators.electric import DriveState, ElectricActuator, powered_step
from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.actuators.leg import HydraulicState, step
from motionbase.compile import Struct
from motionbase.platform.hexapod import Hexapod
from motionbase.spatial.rotations import Expr

Array: TypeAlias = NDArray[np.float64]
LEGS = 6


class LegKind(Protocol):
    """What the plant must know of its legs' kind."""

    @property
    def state(self) -> type[Struct]:
        """Of one leg: five numbers."""

    @property
    def reflected(self) -> float:
        """Mass that moves with a leg's extension alone [kg]."""

    @property
    def stall_force(self) -> float:
        """Largest force of a leg that does not move [N]."""

    def step(self, stroke: LegStroke, h: Expr, x: Any, going: Going, u: Expr, lines: Lines) -> tuple[Any, Expr]:
        """State and force of one leg after a step."""

    def valve_of(self, x: Any) -> Expr:
        """Where the valve, or the drive's command, stands."""

    def at_rest(self, f: Array, braked: bool) -> Array:
        """(LEGS, 5) states at rest under the forces f [N], of brakes if there are any and they are closed."""

    def pressures(self, legs: Any) -> tuple[Expr, Expr] | None:
        """p_cap and p_rod [Pa], where there are any; of one leg or of all."""

    def valve(self, legs: Any, l_dot: Expr) -> Expr:
        """What is measured beside the command, -1 to 1: the spool, or the speed as a part of the largest."""

    def force(self, legs: Any, f: Expr) -> Expr:
        """What the sensors of force look at [N]."""


@final
@dataclass(frozen=True)
class HydraulicLegs:
    """Cylinders with servo valves."""

    actuator: HydraulicActuator
    state: type[Struct] = HydraulicState
    reflected: float = 0.0

    @property
    def stall_force(self) -> float:
        """Full supply pressure on the cap side [N]."""
        return self.actuator.p_supply * self.actuator.area_cap

    def step(self, stroke: LegStroke, h: Expr, x: Any, going: Going, u: Expr, lines: Lines) -> tuple[Any, Expr]:
        """Valve, oil and friction."""
        made = step(self.actuator, stroke, h, x, going, u, lines)
        return made.x_next, made.f

    def valve_of(self, x: HydraulicState) -> Expr:
        """The spool."""
        return x.spool

    def at_rest(self, f: Array, braked: bool) -> Array:
        """Valves closed; pressures as far above as below the middle of supply and return."""
        a, legs = self.actuator, np.zeros((LEGS, 5))
        middle = 0.5 * (a.p_supply + a.p_return)
        apart = (f - (a.area_cap - a.area_rod) * middle) / (a.area_cap + a.area_rod)
        legs[:, 2], legs[:, 3] = middle + apart, middle - apart
        return legs

    def pressures(self, legs: HydraulicState) -> tuple[Expr, Expr] | None:
        """Of the chambers."""
        return legs.p_cap, legs.p_rod

    def valve(self, legs: HydraulicState, l_dot: Expr) -> Expr:
        """The spool."""
        return legs.spool

    def force(self, legs: HydraulicState, f: Expr) -> Expr:
        """At the rod."""
        return f


@final
@dataclass(frozen=True)
class ElectricLegs:
    """Ball screws with drives and brakes."""

    actuator: ElectricActuator
    state: type[Struct] = DriveState

    @property
    def reflected(self) -> float:
        """Of rotor and screw [kg]."""
        return self.actuator.reflected_mass

    @property
    def stall_force(self) -> float:
        """Of the largest torque [N]."""
        return self.actuator.force_max

    def step(self, stroke: LegStroke, h: Expr, x: Any, going: Going, u: Expr, lines: Lines) -> tuple[Any, Expr]:
        """Drive, brake and friction."""
        return powered_step(self.actuator, stroke, h, x, going, u, lines)

    def valve_of(self, x: DriveState) -> Expr:
        """The command."""
        return x.command

    def at_rest(self, f: Array, braked: bool) -> Array:
        """Bent bristles of the closed brakes carry the weight, or the motors with the brakes open."""
        legs = np.zeros((LEGS, 5))
        if braked:
            legs[:, 3], legs[:, 4] = 1.0, -f / self.actuator.friction.sigma0
        else:
            legs[:, 1] = legs[:, 2] = f
        return legs

    def pressures(self, legs: DriveState) -> tuple[Expr, Expr] | None:
        """There are none."""
        return None

    def valve(self, legs: DriveState, l_dot: Expr) -> Expr:
        """The speed that the drive reports."""
        return l_dot / self.actuator.v_max

    def force(self, legs: DriveState, f: Expr) -> Expr:
        """The motor's, from its current."""
        return legs.drive.motor


def kind_of(hexapod: Hexapod) -> LegKind:
    """Of a platform's legs."""
    if isinstance(hexapod.actuator, ElectricActuator):
        return ElectricLegs(hexapod.actuator)
    return HydraulicLegs(hexapod.actuator)
