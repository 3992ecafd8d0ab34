"""Viscous and Coulomb friction on one axis of a joint, smooth through standstill."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import casadi as ca

from motionbase.multibody.body import check_name
from motionbase.multibody.elements.abstract import AbstractElement, Load
from motionbase.multibody.lookup import checked_number, checked_positive, joint_speed
from motionbase.spatial.rotations import Expr

if TYPE_CHECKING:
    from motionbase.multibody.model import Model
    from motionbase.multibody.tree.state import TreeState


@final
@dataclass(frozen=True)
class JointFriction(AbstractElement):
    """force = -viscous v - coulomb tanh(v / v_s).

    Below v_s the joint creeps instead of sticking: a load f < coulomb moves it at about v_s f / coulomb. An explicit
    integrator needs steps below 2 v_s (inertia) / coulomb.

    Attributes:
        joint: its name
        viscous: [N m s/rad] or [N s/m], not negative
        coulomb: [N m] or [N], not negative
        v_s: speed at which the Coulomb part reaches 76 % [rad/s] or [m/s]
        axis: index of the joint's speed
    """

    name: str
    joint: str
    viscous: float = 0.0
    coulomb: float = 0.0
    v_s: float = 1e-3
    axis: int = 0

    def __post_init__(self) -> None:
        check_name("joint friction", self.name)
        owner = f"joint friction {self.name!r}"
        checked_number(owner, "viscous", self.viscous, "N m s/rad or N s/m", least=0.0)
        checked_number(owner, "coulomb", self.coulomb, "N m or N", least=0.0)
        checked_positive(owner, "v_s", self.v_s, "rad/s or m/s")

    def check(self, model: Model) -> None:
        """Check that the joint has the axis."""
        joint_speed(f"joint friction {self.name!r}", model, self.joint, self.axis)

    def load(self, state: TreeState, inputs: Sequence[Expr]) -> Load:
        """Force against the speed."""
        at = joint_speed(self.name, state.model, self.joint, self.axis)
        v = state.v[at]
        return Load({at: -self.viscous * v - self.coulomb * ca.tanh(v / self.v_s)})
