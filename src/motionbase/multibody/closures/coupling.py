"""A coordinate follows another: gears, belts, coupled fingers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import casadi as ca

from motionbase.compile import Port
from motionbase.errors import ModelError
from motionbase.multibody.body import check_name
from motionbase.multibody.closures.abstract import AbstractClosure, ClosureEquations
from motionbase.multibody.elements.abstract import Wrench
from motionbase.multibody.lookup import checked_number, joint_coordinate
from motionbase.spatial.rotations import Expr

if TYPE_CHECKING:
    from motionbase.multibody.model import Model
    from motionbase.multibody.tree.state import TreeState


@final
@dataclass(frozen=True)
class CouplingClosure(AbstractClosure):
    """q of `joint` = ratio times q of `follows`, plus offset; one row, linear in the coordinates.

    The row's force F [N] or [N m] acts on `joint`, and -ratio F on `follows`: together they do no work.

    Attributes:
        joint: the following joint
        follows: the leading joint
        ratio: [-], [m/rad] or [rad/m]
        offset: offset of `joint` [rad] or [m]
        axis, follows_axis: axes of the joints
        switchable: has an input NAME_active: 1 holds, 0 releases
    """

    name: str
    joint: str
    follows: str
    ratio: float = 1.0
    offset: float = 0.0
    axis: int = 0
    follows_axis: int = 0
    switchable: bool = False

    def __post_init__(self) -> None:
        check_name("closure", self.name)
        owner = f"closure {self.name!r}"
        checked_number(owner, "ratio", self.ratio, "")
        checked_number(owner, "offset", self.offset, "rad or m")
        if (self.joint, self.axis) == (self.follows, self.follows_axis):
            raise ModelError(f"{owner}: joint {self.joint!r} cannot follow itself; give another")

    @property
    def rows(self) -> tuple[str, ...]:
        """A single row."""
        return ("coupling",)

    @property
    def units(self) -> tuple[str, ...]:
        """Unit of the following joint."""
        return ("rad or m",)

    def check(self, model: Model) -> None:
        """Check that both joints have the axes."""
        self._places(model)

    def _places(self, model: Model) -> tuple[tuple[int, int], tuple[int, int]]:
        """Indices in q and v of the following and of the leading joint."""
        owner = f"closure {self.name!r}"
        own = joint_coordinate(owner, model, self.joint, self.axis)
        return own, joint_coordinate(owner, model, self.follows, self.follows_axis)

    def equations(self, state: TreeState) -> ClosureEquations:
        """J is constant, so there is no bias."""
        (q, v), (q_lead, v_lead) = self._places(state.model)
        J = ca.DM(1, state.model.nv)
        J[0, v], J[0, v_lead] = 1.0, -self.ratio
        residual = state.q[q] - self.ratio * state.q[q_lead] - self.offset
        rate = state.v[v] - self.ratio * state.v[v_lead]
        return ClosureEquations(residual, rate, ca.sparsify(J), ca.DM.zeros(1), ca.DM.zeros(6, 1))

    def reaction_port(self, model: Model) -> Port:
        """Force or moment on the following joint."""
        units = next(j.motion.units for j in model.joints if j.name == self.joint)
        unit = "N m" if units[self.axis] == "rad" else "N"
        return Port(f"{self.name}_reaction", (), unit, f"force or moment on joint {self.joint}")

    def reaction(self, W: Expr, F: Expr) -> Expr:
        """The row's force itself."""
        return F

    def wrenches(self, own: ClosureEquations, F: Expr) -> tuple[Wrench, ...]:
        """None: it pushes within joints."""
        return ()
