"""Interface of elements for the formulations: inputs, load, contribution to the mass matrix, energy."""

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
    from motionbase.multibody.network.closures import Surroundings
    from motionbase.multibody.network.exchange import AbstractExchange
    from motionbase.multibody.network.parts import AbstractPart
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
    """Action of an element on the tree at one instant.

    Attributes:
        joint: forces within joints, by index in v [N, N m]
        wrenches: forces on bodies
        generalised: (nv,) any other generalised force [N, N m]
    """

    joint: Mapping[int, Expr] | None = None
    wrenches: tuple[Wrench, ...] = ()
    generalised: Expr | None = None

    def force(self, state: TreeState) -> Expr:
        """(nv,) generalised force; a wrench contributes J' times itself (virtual power)."""
        G = self.within_joints(state)
        for wrench in self.wrenches:
            if wrench.body != GROUND:
                G += state.point(wrench.body, wrench.point).J.T @ wrench.value
        return G

    def within_joints(self, state: TreeState) -> Expr:
        """(nv,) generalised force of everything except the wrenches."""
        G = ca.SX.zeros(state.model.nv) if self.generalised is None else ca.SX(self.generalised)
        for at, value in (self.joint or {}).items():
            G[at] += value
        return G


def expression_of(owner: str, returned: Any) -> Expr:
    """The return value of a user's function, as an expression."""
    try:
        return ca.SX(returned)
    except (NotImplementedError, TypeError):  # CasADi's exceptions for values that are not expressions
        raise ModelError(f"{owner} returns {shown(returned)}, an expression or numbers are wanted") from None


class AbstractElement(ABC):
    """A source of force in a model."""

    name: str

    @abstractmethod
    def check(self, model: Model) -> None:
        """Raise ModelError if the model lacks something that the element names."""

    def inputs(self, model: Model) -> tuple[Port, ...]:
        """Ports that the element needs each step; their names start with the element's."""
        return ()

    @abstractmethod
    def load(self, state: TreeState, inputs: Sequence[Expr]) -> Load:
        """Forces at one instant; `inputs` has one expression for each port."""

    def reflected_inertia(self, model: Model) -> dict[int, float]:
        """Contribution to the mass matrix's diagonal, by index in v [kg, kg m^2]."""
        return {}

    def energy(self, state: TreeState) -> Expr:
        """Energy stored in the element [J]; zero if it stores none or it is not known."""
        return ca.SX(0)


class AbstractDynamicElement(AbstractElement):
    """An element with states of its own, which the network engine integrates and the tree engine does not."""

    def load(self, state: TreeState, inputs: Sequence[Expr]) -> Load:
        """Its states are not known here."""
        raise ModelError(
            f"{type(self).__name__} {self.name!r} has states of its own, which the tree engine does not integrate; "
            'use engine="network"'
        )


@final
@dataclass(frozen=True)
class OwnState:
    """A state of an element.

    Attributes:
        start: its value at the start
        size: of its usual values; an engine integrates it in units of that
    """

    name: str
    unit: str
    start: float = 0.0
    size: float = 1.0


class AbstractStateElement(AbstractDynamicElement):
    """An element whose load and whose states' rates depend on the bodies, its states and its inputs at one moment."""

    @property
    @abstractmethod
    def states(self) -> tuple[OwnState, ...]:
        """What is integrated."""

    @abstractmethod
    def motion(self, state: TreeState, x: Expr, inputs: Sequence[Expr]) -> tuple[Load, Expr]:
        """Forces and the rates of `x`, which has one value for each of `states`."""


class AbstractNetworkElement(AbstractDynamicElement):
    """An element that makes its own parts of a network; the tree engine does not know it."""

    def load(self, state: TreeState, inputs: Sequence[Expr]) -> Load:
        """Its equations are those of its parts."""
        raise ModelError(
            f'{type(self).__name__} {self.name!r} has equations of the network engine alone; use engine="network"'
        )

    @abstractmethod
    def parts(self, around: Surroundings) -> Sequence[AbstractPart]:
        """What acts on nodes, joins them or adds states."""

    def exchange(self, around: Surroundings) -> AbstractExchange | None:
        """What parts share from step to step, if it is this element that makes it."""
        return None
