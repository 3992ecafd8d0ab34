"""A linear damper on one axis of a joint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

from motionbase.multibody.body import check_name
from motionbase.multibody.elements.abstract import AbstractElement, Load
from motionbase.multibody.lookup import checked_number, joint_speed
from motionbase.spatial.rotations import Expr

if TYPE_CHECKING:
    from motionbase.multibody.model import Model
    from motionbase.multibody.tree.state import TreeState


@final
@dataclass(frozen=True)
class JointDamper(AbstractElement):
    """force = -damping v.

    Attributes:
        joint: its name; any kind, including spherical or free
        damping: [N m s/rad] or [N s/m], not negative
        axis: index of the joint's speed
    """

    name: str
    joint: str
    damping: float
    axis: int = 0

    def __post_init__(self) -> None:
        check_name("joint damper", self.name)
        checked_number(f"joint damper {self.name!r}", "damping", self.damping, "N m s/rad or N s/m", least=0.0)

    def check(self, model: Model) -> None:
        """Check that the joint has the axis."""
        joint_speed(f"joint damper {self.name!r}", model, self.joint, self.axis)

    def load(self, state: TreeState, inputs: Sequence[Expr]) -> Load:
        """Force against the speed."""
        at = joint_speed(self.name, state.model, self.joint, self.axis)
        return Load({at: -self.damping * state.v[at]})
