"""What every element tells the formulations: its inputs, its load, what it adds to the mass matrix, its energy."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import casadi as ca

from motionbase.compile import Port
from motionbase.errors import ModelError
from motionbase.multibody.body import shown
from motionbase.multibody.lookup import GROUND, Point
from motionbase.spatial.rotations import Expr

if TYPE_CHECKING:
    from motionbase.multibody.model import Model
    from motionbase.multibody.tree.state import TreeState


@final
@dataclass(frozen=True)
class Wrench:
    """A moment [N m] and a force [N] on a body at one of its points, in world axes.

    Attributes:
        value: (6,) moment first
    """

    body: str
    point: Point
    value: Expr


@final
@dataclass(frozen=True)
class Load:
    """What an element does to the tree at one moment.

    Attributes:
        joint: forces within joints, by place in v [N, N m]
        wrenches: forces on bodies
        generalised: (nv,) any other generalised force [N, N m]
    """

    joint: Mapping[int, Expr] | None = None
    wrenches: tuple[Wrench, ...] = ()
    generalised: Expr | None = None

    def force(self, state: TreeState) -> Expr:
        """(nv,) generalised force; a wrench does the work of J' (virtual power)."""
        G = self.within_joints(state)
        for wrench in self.wrenches:
            if wrench.body != GROUND:
                G += state.point(wrench.body, wrench.point).J.T @ wrench.value
        return G

    def within_joints(self, state: TreeState) -> Expr:
        """(nv,) generalised force of everything but the wrenches."""
        G = ca.SX.zeros(state.model.nv) if self.generalised is None else ca.SX(self.generalised)
        for at, value in (self.joint or {}).items():
            G[at] += value
        return G


def expression_of(owner: str, returned: Any) -> Expr:
    """What a person's function returned, as an expression."""
    try:
        return ca.SX(returned)
    except (NotImplementedError, TypeError):  # CasADi's ways to say that it is none
        raise ModelError(f"{owner} returns {shown(returned)}, an expression or numbers are wanted") from None


class AbstractElement(ABC):
    """A source of force in a model."""

    name: str

    @abstractmethod
    def check(self, model: Model) -> None:
        """Raise ModelError where the model lacks what the element names."""

    def inputs(self, model: Model) -> tuple[Port, ...]:
        """Ports the element needs each step; their names begin with the element's."""
        return ()

    @abstractmethod
    def load(self, state: TreeState, inputs: Sequence[Expr]) -> Load:
        """Forces at one moment; `inputs` has one expression for each port."""

    def reflected_inertia(self, model: Model) -> dict[int, float]:
        """What the element adds to the mass matrix's diagonal, by place in v [kg, kg m^2]."""
        return {}

    def energy(self, state: TreeState) -> Expr:
        """Energy stored in the element [J]; zero where it stores none or cannot tell."""
        return ca.SX(0)
