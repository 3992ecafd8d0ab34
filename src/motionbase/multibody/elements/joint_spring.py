"""A linear spring on one axis of a joint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

from motionbase.multibody.body import check_name
from motionbase.multibody.elements.abstract import AbstractElement, Load
from motionbase.multibody.lookup import checked_number, joint_coordinate
from motionbase.spatial.rotations import Expr

if TYPE_CHECKING:
    from motionbase.multibody.model import Model
    from motionbase.multibody.tree.state import TreeState


@final
@dataclass(frozen=True)
class JointSpring(AbstractElement):
    """force = -stiffness (q - rest).

    Attributes:
        joint: its name
        stiffness: [N m/rad] or [N/m]; may be negative (as in a gravity balance)
        rest: coordinate without force [rad] or [m]
        axis: index of the joint's axis
    """

    name: str
    joint: str
    stiffness: float
    rest: float = 0.0
    axis: int = 0

    def __post_init__(self) -> None:
        check_name("joint spring", self.name)
        owner = f"joint spring {self.name!r}"
        checked_number(owner, "stiffness", self.stiffness, "N m/rad or N/m")
        checked_number(owner, "rest", self.rest, "rad or m")

    def check(self, model: Model) -> None:
        """Check that the joint has the axis."""
        joint_coordinate(f"joint spring {self.name!r}", model, self.joint, self.axis)

    def _stretch(self, state: TreeState) -> tuple[int, Expr]:
        at_q, at_v = joint_coordinate(self.name, state.model, self.joint, self.axis)
        return at_v, state.q[at_q] - self.rest

    def load(self, state: TreeState, inputs: Sequence[Expr]) -> Load:
        """Force towards the rest coordinate."""
        at, stretch = self._stretch(state)
        return Load({at: -self.stiffness * stretch})

    def energy(self, state: TreeState) -> Expr:
        """k x^2 / 2."""
        return 0.5 * self.stiffness * self._stretch(state)[1] ** 2
