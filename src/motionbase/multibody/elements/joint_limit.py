"""Stops at both ends of one axis of a joint: one-sided spring-dampers with a smooth onset."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import casadi as ca

from motionbase.errors import ModelError
from motionbase.multibody.body import check_name
from motionbase.multibody.elements.abstract import AbstractElement, Load
from motionbase.multibody.lookup import checked_number, checked_positive, joint_coordinate
from motionbase.spatial.rotations import Expr

if TYPE_CHECKING:
    from motionbase.multibody.model import Model
    from motionbase.multibody.tree.state import TreeState


@final
@dataclass(frozen=True)
class JointLimit(AbstractElement):
    """Pushes back if q is outside lower .. upper, and never pulls.

    With penetration d, over the blend width w: spring k d^2 / (2 w), then k (d - w/2); damping c times a smooth step of
    d / w. Force and its slope are therefore continuous at contact.

    Attributes:
        lower, upper: [rad] or [m]; infinite for no stop
        stiffness: [N m/rad] or [N/m]
        damping: [N m s/rad] or [N s/m], not negative
        blend: w [rad] or [m]
        axis: index of the joint's axis
    """

    name: str
    joint: str
    lower: float
    upper: float
    stiffness: float
    damping: float = 0.0
    blend: float = 1e-3
    axis: int = 0

    def __post_init__(self) -> None:
        check_name("joint limit", self.name)
        owner = f"joint limit {self.name!r}"
        for what in ("lower", "upper"):
            if not (isinstance(end := getattr(self, what), float | int) and abs(end) == math.inf):
                checked_number(owner, what, end, "rad or m")
        if not self.lower < self.upper:
            raise ModelError(f"{owner}: lower {self.lower!r} must be below upper {self.upper!r}")
        checked_positive(owner, "stiffness", self.stiffness, "N m/rad or N/m")
        checked_number(owner, "damping", self.damping, "N m s/rad or N s/m", least=0.0)
        checked_positive(owner, "blend", self.blend, "rad or m")

    def check(self, model: Model) -> None:
        """Check that the joint has the axis."""
        joint_coordinate(f"joint limit {self.name!r}", model, self.joint, self.axis)

    def _stops(self, state: TreeState) -> tuple[int, list[tuple[float, Expr]]]:
        """Index in v, and for each stop its direction and the penetration."""
        at_q, at_v = joint_coordinate(self.name, state.model, self.joint, self.axis)
        q = state.q[at_q]
        stops = [(1.0, q - self.upper)] if math.isfinite(self.upper) else []
        return at_v, stops + ([(-1.0, self.lower - q)] if math.isfinite(self.lower) else [])

    def load(self, state: TreeState, inputs: Sequence[Expr]) -> Load:
        """Force back towards the permitted range."""
        at, stops = self._stops(state)
        total: Expr = ca.SX(0)
        for sign, d in stops:
            x = ca.fmin(ca.fmax(d / self.blend, 0), 1)
            spring = self.stiffness * (0.5 * self.blend * x**2 + ca.fmax(d - self.blend, 0))
            damper = self.damping * x**2 * (3 - 2 * x) * (sign * state.v[at])
            total -= sign * ca.fmax(spring + damper, 0)
        return Load({at: total})

    def energy(self, state: TreeState) -> Expr:
        """Integral of the spring's force."""
        total: Expr = ca.SX(0)
        for _, d in self._stops(state)[1]:
            w, x, beyond = self.blend, ca.fmin(ca.fmax(d / self.blend, 0), 1), ca.fmax(d - self.blend, 0)
            total += self.stiffness * (w**2 * x**3 / 6 + 0.5 * beyond * (w + beyond))
        return total
