"""The airframe that a rotor carries in free flight: mass, drag, and the tail rotor's thrust as an input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import casadi as ca
import numpy as np

from motionbase.compile import Port
from motionbase.errors import ModelError
from motionbase.multibody.body import Body, Vector, check_name, checked_vector
from motionbase.multibody.elements import AbstractElement, Load, PointForce, Wrench
from motionbase.multibody.lookup import check_place, checked_number, checked_positive
from motionbase.spatial.rotations import Expr

if TYPE_CHECKING:
    from motionbase.multibody.model import Model
    from motionbase.multibody.tree.state import TreeState

FUSELAGE, DRAG, TAIL = "fuselage", "drag", "tail"


@final
@dataclass(frozen=True)
class Airframe:
    """A rigid airframe; x forward, y left, z up along the rotor's shaft, with the origin in the hub.

    Attributes:
        mass: [kg], without blades
        com: centre of mass [m]
        inertia: about it and the axes [kg m^2]
        drag_area: force over dynamic pressure for air along x, y, z [m^2]
        drag_at: where it acts [m]
        tail_at: where the tail rotor pushes to the right [m]
    """

    mass: float
    com: Vector
    inertia: Vector
    drag_area: Vector
    drag_at: Vector
    tail_at: Vector

    def __post_init__(self) -> None:
        checked_positive("airframe", "mass", self.mass, "kg")
        for what in ("com", "inertia", "drag_area", "drag_at", "tail_at"):
            object.__setattr__(self, what, checked_vector("airframe", what, getattr(self, what)))
        if min(self.drag_area) < 0:
            raise ModelError(f"airframe: drag_area is {list(self.drag_area)} m^2, none may be negative")

    def body(self) -> Body:
        """As a body of a model."""
        return Body(FUSELAGE, self.mass, self.com, self.inertia)

    def elements(self, density: float) -> list[AbstractElement]:
        """Drag and the thrust of the tail rotor: inputs `drag_wind` and `tail_force`, in the world and in the body."""
        return [
            BodyDrag(DRAG, FUSELAGE, self.drag_at, self.drag_area, density),
            PointForce(TAIL, FUSELAGE, self.tail_at, axes="body"),
        ]

    def tail_force(self, thrust: Expr | float) -> Expr:
        """(3,) of a thrust to the right, against the torque of a rotor that turns counter-clockwise."""
        return ca.vertcat(0, -thrust, 0)


@final
@dataclass(frozen=True)
class BodyDrag(AbstractElement):
    """Drag of a body, along each of its axes by the air along it; input NAME_wind (3) [m/s, world].

    Attributes:
        area: force over dynamic pressure for each axis [m^2]
        density: [kg/m^3]
    """

    name: str
    body: str
    point: Vector
    area: Vector
    density: float

    def __post_init__(self) -> None:
        check_name("body drag", self.name)
        checked_number(f"body drag {self.name!r}", "density", self.density, "kg/m^3", least=0.0)

    def check(self, model: Model) -> None:
        """The body is there."""
        check_place(f"body drag {self.name!r}", model, self.body, self.point, ground=False)

    def inputs(self, model: Model) -> tuple[Port, ...]:
        """The wind."""
        return (Port(f"{self.name}_wind", 3, "m/s", "velocity of the air in the world"),)

    def load(self, state: TreeState, inputs: Sequence[Expr]) -> Load:
        """Half density times area times speed times velocity, axis by axis with the whole speed."""
        at = state.point(self.body, self.point)
        air = at.R.T @ (inputs[0] - at.velocity[3:])
        speed = ca.sqrt(ca.sumsqr(air) + STILL2)
        force = at.R @ (0.5 * self.density * speed * ca.DM(np.array(self.area)) * air)
        return Load(wrenches=(Wrench(self.body, self.point, ca.vertcat(ca.DM.zeros(3), force)),))


STILL2 = 1e-12  # [m^2/s^2] so that the speed of still air has a derivative
