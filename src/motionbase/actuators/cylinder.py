"""A hydraulic leg between two points of a mechanism: an element of a model, with the leg's own equations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import casadi as ca

from motionbase.actuators.common import Lines
from motionbase.actuators.cushion import LegStroke
from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.actuators.leg import HydraulicState, rates
from motionbase.compile import Port
from motionbase.compile.guarded import norm, safe_divide
from motionbase.errors import ModelError
from motionbase.multibody.body import check_name, shown
from motionbase.multibody.elements import AbstractStateElement, Load, OwnState, Wrench
from motionbase.multibody.lookup import ZERO, Point, check_place, checked_number, checked_point
from motionbase.spatial.rotations import Expr

if TYPE_CHECKING:
    from motionbase.multibody.model import Model
    from motionbase.multibody.tree.state import TreeState


@final
@dataclass(frozen=True)
class HydraulicCylinder(AbstractStateElement):
    """A leg of the length between its points: spool, two pressures and the seals' bristle are its states.

    Inputs `NAME_u`, the valve's command (-1 to 1, positive extends), and `NAME_abort`, 1 with the valve shut and the
    bleeds open. Supply and return have the actuator's nominal pressures.

    Attributes:
        body_a, point_a, body_b, point_b: the ends; "ground" is a body too
        actuator: areas, oil, valve and friction
        stroke: lengths at the hard ends [m]
        p_cap, p_rod: pressures at the start [Pa]
    """

    name: str
    body_a: str
    body_b: str
    actuator: HydraulicActuator
    stroke: LegStroke
    p_cap: float
    p_rod: float
    point_a: Point = ZERO
    point_b: Point = ZERO

    def __post_init__(self) -> None:
        check_name("cylinder", self.name)
        owner = f"cylinder {self.name!r}"
        for what in ("point_a", "point_b"):
            object.__setattr__(self, what, checked_point(owner, what, getattr(self, what)))
        if not isinstance(self.actuator, HydraulicActuator):
            raise ModelError(f"{owner}: actuator is {shown(self.actuator)}, a HydraulicActuator is wanted")
        if self.body_a == self.body_b:
            raise ModelError(f"{owner}: both ends are on {self.body_a!r}, it would do nothing")
        for what in ("p_cap", "p_rod"):
            checked_number(owner, what, getattr(self, what), "Pa", least=0.0)

    def check(self, model: Model) -> None:
        """Both ends are there."""
        check_place(f"cylinder {self.name!r}", model, self.body_a, self.point_a)
        check_place(f"cylinder {self.name!r}", model, self.body_b, self.point_b)

    def inputs(self, model: Model) -> tuple[Port, ...]:
        """Command, abort."""
        return (
            Port(f"{self.name}_u", (), "-", "valve command, -1 to 1; positive extends"),
            Port(f"{self.name}_abort", (), "-", "0 normal, 1 valve shut off and bleeds open"),
        )

    @property
    def states(self) -> tuple[OwnState, ...]:
        """As `HydraulicState` has them."""
        actuator = self.actuator
        starts = {"p_cap": self.p_cap, "p_rod": self.p_rod}
        sizes = {
            "spool_rate": actuator.valve_frequency,
            "p_cap": actuator.p_supply,
            "p_rod": actuator.p_supply,
            "z": actuator.friction.static / actuator.friction.sigma0,
        }
        ports = HydraulicState.layout.ports
        return tuple(OwnState(p.name, p.unit, starts.get(p.name, 0.0), sizes.get(p.name, 1.0)) for p in ports)

    def motion(self, state: TreeState, x: Expr, inputs: Sequence[Expr]) -> tuple[Load, Expr]:
        """Pushes the ends apart."""
        a, b = state.point(self.body_a, self.point_a), state.point(self.body_b, self.point_b)
        l = norm(b.p - a.p)
        along = safe_divide(b.p - a.p, l)
        l_dot = ca.dot(along, b.velocity[3:] - a.velocity[3:])
        lines = Lines(ca.SX(self.actuator.p_supply), ca.SX(self.actuator.p_return), inputs[1])
        x_dot, f, _, _ = rates(self.actuator, self.stroke, HydraulicState.of(x), l, l_dot, inputs[0], lines)
        push = ca.vertcat(ca.DM.zeros(3), f * along)
        return Load(wrenches=(Wrench(self.body_a, self.point_a, -push), Wrench(self.body_b, self.point_b, push))), x_dot
