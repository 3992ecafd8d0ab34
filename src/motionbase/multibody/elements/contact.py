"""Common part of contacts: two places, a law, and the loads on both bodies where they touch."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from motionbase.errors import ModelError
from motionbase.multibody.body import check_name
from motionbase.multibody.elements.abstract import AbstractElement, Load
from motionbase.multibody.elements.contact_law import ContactLaw, Touch, contact_wrenches
from motionbase.multibody.lookup import Point, check_place, checked_point
from motionbase.spatial.rotations import Expr

if TYPE_CHECKING:
    from motionbase.multibody.model import Model
    from motionbase.multibody.tree.state import TreeState


class AbstractContact(AbstractElement):
    """A surface about a point of body a against one about a point of body b."""

    kind: ClassVar[str]
    name: str
    body_a: str
    point_a: Point
    body_b: str
    point_b: Point
    stiffness: float
    exponent: float
    damping: float
    friction: float
    v_s: float

    @abstractmethod
    def touch(self, state: TreeState) -> Touch:
        """Relative position of the surfaces."""

    @property
    def owner(self) -> str:
        """Name for messages."""
        return f"{self.kind} {self.name!r}"

    def check_ends(self) -> None:
        """Checks that all contacts share."""
        check_name(self.kind, self.name)
        for what in ("point_a", "point_b"):
            object.__setattr__(self, what, checked_point(self.owner, what, getattr(self, what)))
        if self.body_a == self.body_b:
            raise ModelError(f"{self.owner}: both surfaces are on {self.body_a!r}; they must be on two bodies")
        self.law.check(self.owner)

    @property
    def law(self) -> ContactLaw:
        """The force's law."""
        return ContactLaw(self.stiffness, self.exponent, self.damping, self.friction, self.v_s)

    def check(self, model: Model) -> None:
        """Check that both places exist."""
        check_place(self.owner, model, self.body_a, self.point_a)
        check_place(self.owner, model, self.body_b, self.point_b)

    def normal_force(self, state: TreeState) -> Expr:
        """N [N], for outputs."""
        touch = self.touch(state)
        return self.law.normal_force(touch.d, touch.d_dot)

    def load(self, state: TreeState, inputs: Sequence[Expr]) -> Load:
        """Normal force and friction."""
        a = self.body_a, self.point_a, state.point(self.body_a, self.point_a).p
        b = self.body_b, self.point_b, state.point(self.body_b, self.point_b).p
        return Load(wrenches=contact_wrenches(self.law, self.touch(state), a, b))

    def energy(self, state: TreeState) -> Expr:
        """Energy of the elastic part [J]."""
        return self.law.energy(self.touch(state).d)
