"""Closures that follow inputs: an imposed position, angle or speed of body a relative to body b.

The tree engine works with accelerations, so the rates of a position or angle are inputs too; the network engine uses
them at the start alone. `simulate` finds the rates of a function of time by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, final

import casadi as ca

from motionbase.compile import Port
from motionbase.errors import ModelError
from motionbase.multibody.body import shown
from motionbase.multibody.closures.abstract import AbstractJoined, ClosureEquations, check_axes
from motionbase.multibody.closures.conditions import AbstractCondition, Level
from motionbase.multibody.closures.shafts import TurnedBy
from motionbase.multibody.joint import IDENTITY, checked_rotation
from motionbase.multibody.joints.named import Z
from motionbase.multibody.lookup import Vector
from motionbase.spatial.rotations import Expr


def motion_ports(name: str, what: str, unit: str) -> tuple[Port, ...]:
    """NAME_WHAT, NAME_speed and NAME_acceleration."""
    return (
        Port(f"{name}_{what}", (), unit, f"imposed {what}"),
        Port(f"{name}_speed", (), f"{unit}/s", f"rate of the imposed {what}"),
        Port(f"{name}_acceleration", (), f"{unit}/s^2", f"second rate of the imposed {what}"),
    )


def _driven(own: ClosureEquations, condition: AbstractCondition, inputs: Sequence[Expr]) -> ClosureEquations:
    value, rate, second = inputs
    residual = condition.missed(own.residual, value)
    return replace(own, residual=residual, rate=own.rate - rate, bias=own.bias - second)


@final
@dataclass(frozen=True)
class ImposedPositionClosure(AbstractJoined):
    """Point a is NAME_position [m] from point b along an axis of b; one row, whose force pushes a along the axis.

    Attributes:
        axis: in the frame at point b
    """

    axis: Vector = Z

    def __post_init__(self) -> None:
        check_axes(self, "axis")

    @property
    def conditions(self) -> tuple[AbstractCondition, ...]:
        """A plane that moves."""
        return (Level(("position",), (self.axis,), moves=True),)

    @property
    def inputs(self) -> tuple[Port, ...]:
        """Position, speed, acceleration."""
        return motion_ports(self.name, "position", "m")

    def imposed(self, own: ClosureEquations, inputs: Sequence[Expr]) -> ClosureEquations:
        """Less the inputs."""
        return _driven(own, self.conditions[0], inputs)


@final
@dataclass(frozen=True)
class ImposedAngleClosure(AbstractJoined):
    """Body a is turned by NAME_angle [rad] about an axis of body b; one row, whose force is the moment on a.

    The angle is that of directions normal to the axis; what tilts the axes is left to other joints and closures.

    Attributes:
        axis: in the frame at point b
        orientation: (3, 3) R_ba: frame a in the frame at point b at angle zero
    """

    axis: Vector = Z
    orientation: tuple[Vector, Vector, Vector] = IDENTITY

    def __post_init__(self) -> None:
        owner = check_axes(self, "axis")
        object.__setattr__(self, "orientation", checked_rotation(owner, self.orientation))

    @property
    def conditions(self) -> tuple[AbstractCondition, ...]:
        """An angle."""
        return (TurnedBy(self.axis, self.orientation),)

    @property
    def inputs(self) -> tuple[Port, ...]:
        """Angle, speed, acceleration."""
        return motion_ports(self.name, "angle", "rad")

    def imposed(self, own: ClosureEquations, inputs: Sequence[Expr]) -> ClosureEquations:
        """Less the inputs."""
        return _driven(own, self.conditions[0], inputs)


@final
@dataclass(frozen=True)
class ImposedSpeedClosure(AbstractJoined):
    """Point a moves at NAME_speed along an axis of body b, or body a turns about it; where it is, is left open.

    One row, not holonomic: nothing corrects a position, and its force acts along the axis.

    Attributes:
        axis: in the frame at point b
        motion: "slide" [m/s] or "turn" [rad/s]
    """

    axis: Vector = Z
    motion: Literal["slide", "turn"] = "slide"

    def __post_init__(self) -> None:
        owner = check_axes(self, "axis")
        if self.motion not in ("slide", "turn"):
            raise ModelError(f"{owner}: motion is {shown(self.motion)}, it must be 'slide' or 'turn'")

    @property
    def conditions(self) -> tuple[AbstractCondition, ...]:
        """What the speed is the rate of."""
        if self.motion == "turn":
            return (TurnedBy(self.axis, IDENTITY, moves=False),)
        return (Level(("position",), (self.axis,)),)

    @property
    def inputs(self) -> tuple[Port, ...]:
        """Speed and acceleration."""
        return motion_ports(self.name, "position", "m" if self.motion == "slide" else "rad")[1:]

    def imposed(self, own: ClosureEquations, inputs: Sequence[Expr]) -> ClosureEquations:
        """No residual; the rate less the inputs."""
        speed, acceleration = inputs
        return replace(own, residual=ca.SX(ca.DM.zeros(1)), rate=own.rate - speed, bias=own.bias - acceleration)
