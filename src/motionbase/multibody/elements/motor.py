"""A motor with a gearbox on one axis of a joint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

from motionbase.compile import Port
from motionbase.errors import ModelError
from motionbase.multibody.body import check_name
from motionbase.multibody.elements.abstract import AbstractElement, Load
from motionbase.multibody.lookup import checked_number, joint_speed
from motionbase.spatial.rotations import Expr

if TYPE_CHECKING:
    from motionbase.multibody.model import Model
    from motionbase.multibody.tree.state import TreeState


@final
@dataclass(frozen=True)
class Motor(AbstractElement):
    """Joint force: N times the motor's torque; the rotor turns N times as fast, so the joint feels an inertia N^2 J.

    The usual approximation: only the rotor's spin relative to its housing counts; its coupling with the housing's own
    rotation (of order 1/N) is neglected. The rotor's mass belongs to the body that carries it.
    Input `NAME_torque` [N m]: torque of the motor shaft.

    Attributes:
        joint: its name
        ratio: N, motor revolutions per joint revolution [-], or motor angle per joint travel [rad/m]; negative reverses
        rotor_inertia: J [kg m^2], not negative
        axis: index of the joint's speed
    """

    name: str
    joint: str
    ratio: float = 1.0
    rotor_inertia: float = 0.0
    axis: int = 0

    def __post_init__(self) -> None:
        check_name("motor", self.name)
        owner = f"motor {self.name!r}"
        if checked_number(owner, "ratio", self.ratio, "") == 0.0:
            raise ModelError(f"{owner}: ratio is 0, the motor would not drive the joint")
        checked_number(owner, "rotor_inertia", self.rotor_inertia, "kg m^2", least=0.0)

    def check(self, model: Model) -> None:
        """Check that the joint has the axis."""
        joint_speed(f"motor {self.name!r}", model, self.joint, self.axis)

    def inputs(self, model: Model) -> tuple[Port, ...]:
        """The torque of the shaft."""
        return (Port(f"{self.name}_torque", (), "N m", "torque of the motor shaft"),)

    def load(self, state: TreeState, inputs: Sequence[Expr]) -> Load:
        """N tau."""
        at = joint_speed(self.name, state.model, self.joint, self.axis)
        return Load({at: self.ratio * inputs[0]})

    def reflected_inertia(self, model: Model) -> dict[int, float]:
        """N^2 J."""
        return {joint_speed(self.name, model, self.joint, self.axis): self.ratio**2 * self.rotor_inertia}
