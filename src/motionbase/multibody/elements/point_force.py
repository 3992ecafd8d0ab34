"""An external force and moment at a point of a body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, final

import casadi as ca

from motionbase.compile import Port
from motionbase.errors import ModelError
from motionbase.multibody.body import check_name
from motionbase.multibody.elements.abstract import AbstractElement, Load, Wrench
from motionbase.multibody.lookup import ZERO, Point, check_place, checked_point
from motionbase.spatial.rotations import Expr

if TYPE_CHECKING:
    from motionbase.multibody.model import Model
    from motionbase.multibody.tree.state import TreeState


@final
@dataclass(frozen=True)
class PointForce(AbstractElement):
    """Inputs `NAME_force` (3) [N] and, optionally, `NAME_moment` (3) [N m], in this order.

    Attributes:
        body: the body on which it acts
        point: name of one of its points, or coordinates in its frame [m]
        axes: of the inputs: "world", or "body" for the frame at the point (it rotates with the body and its bending)
        force, moment: which inputs exist
    """

    name: str
    body: str
    point: Point = ZERO
    axes: Literal["world", "body"] = "world"
    force: bool = True
    moment: bool = False

    def __post_init__(self) -> None:
        check_name("point force", self.name)
        owner = f"point force {self.name!r}"
        object.__setattr__(self, "point", checked_point(owner, "point", self.point))
        if self.axes not in ("world", "body"):
            raise ModelError(f"{owner}: axes are {self.axes!r}, must be 'world' or 'body'")
        if not (self.force or self.moment):
            raise ModelError(f"{owner}: it must have a force or a moment")

    def check(self, model: Model) -> None:
        """Check that the body has the point."""
        check_place(f"point force {self.name!r}", model, self.body, self.point, ground=False)

    def inputs(self, model: Model) -> tuple[Port, ...]:
        """Force, then moment."""
        where = f"on {self.body} in {self.axes} axes"
        ports = (
            Port(f"{self.name}_force", 3, "N", f"force {where}"),
            Port(f"{self.name}_moment", 3, "N m", f"moment {where}"),
        )
        return tuple(p for p, wanted in zip(ports, (self.force, self.moment), strict=True) if wanted)

    def load(self, state: TreeState, inputs: Sequence[Expr]) -> Load:
        """The inputs in world axes."""
        R = state.point(self.body, self.point).R if self.axes == "body" else ca.DM.eye(3)
        force = R @ inputs[0] if self.force else ca.DM.zeros(3)
        moment = R @ inputs[-1] if self.moment else ca.DM.zeros(3)
        return Load(wrenches=(Wrench(self.body, self.point, ca.vertcat(moment, force)),))
