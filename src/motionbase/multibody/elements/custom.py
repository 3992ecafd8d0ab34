"""A user-defined force: for contact, aerodynamics, orbital forces and the like."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, final

import casadi as ca

from motionbase.compile import Port
from motionbase.compile.authored import run_law
from motionbase.errors import ModelError
from motionbase.multibody.body import check_name
from motionbase.multibody.elements.abstract import AbstractElement, Load, Wrench, expression_of
from motionbase.multibody.lookup import ZERO, Point, check_place, checked_point
from motionbase.spatial.rotations import Expr

if TYPE_CHECKING:
    from motionbase.multibody.model import Model
    from motionbase.multibody.tree.state import TreeState


@final
@dataclass(frozen=True)
class Custom(AbstractElement):
    """function(state, *inputs) returns the force, as an expression of the results of `state.point(body, point)`.

    Without a body it returns a generalised force (nv,) [N, N m]; with one, a moment and a force (6,) on that body at
    the point, in world axes. A tuple of `Wrench` acts on several bodies at once (a contact pair, say).

    Attributes:
        function: (TreeState, *inputs) -> (nv,), (6,) or a tuple of Wrench
        body, point: point of application of a wrench
        ports: inputs of the function; each port's name is prefixed by the element's
        stored: (TreeState) -> stored energy [J], for the energy output
    """

    name: str
    function: Callable[..., Any] = field(compare=False)
    body: str | None = None
    point: Point = ZERO
    ports: tuple[Port, ...] = ()
    stored: Callable[[Any], Expr] | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        check_name("custom element", self.name)
        object.__setattr__(self, "point", checked_point(f"custom element {self.name!r}", "point", self.point))
        if not callable(self.function):
            raise ModelError(f"custom element {self.name!r}: function is {self.function!r}, which cannot be called")

    def check(self, model: Model) -> None:
        """Check that the body, if there is one, has the point."""
        if self.body is not None:
            check_place(f"custom element {self.name!r}", model, self.body, self.point, ground=False)

    def inputs(self, model: Model) -> tuple[Port, ...]:
        """The user's ports under the element's name."""
        return tuple(Port(f"{self.name}_{p.name}", p.shape, p.unit, p.description, p.sparsity) for p in self.ports)

    def load(self, state: TreeState, inputs: Sequence[Expr]) -> Load:
        """The function's result, with its shape checked."""
        owner = f"custom element {self.name!r}: the function"
        wanted = " and ".join(["the state", *(f"input {p.name!r}" for p in self.ports)])
        returned = run_law(owner, self.function, wanted, state, *inputs)
        if isinstance(returned, tuple):
            for item in returned:
                if not isinstance(item, Wrench):
                    raise ModelError(f"custom element {self.name!r}: a tuple of Wrench is wanted, it holds {item!r}")
                check_place(f"custom element {self.name!r}", state.model, item.body, item.point)
            return Load(wrenches=returned)
        value = expression_of(owner, returned)
        size, what = (state.model.nv, "one force for each speed") if self.body is None else (6, "moment and force")
        if value.shape != (size, 1):
            raise ModelError(
                f"custom element {self.name!r}: the function returns shape {value.shape}, ({size}, 1) is wanted: {what}"
            )
        if self.body is None:
            return Load(generalised=value)
        return Load(wrenches=(Wrench(self.body, self.point, value),))

    def energy(self, state: TreeState) -> Expr:
        """The result of `stored`."""
        if self.stored is None:
            return ca.SX(0)
        owner = f"custom element {self.name!r}: stored"
        return expression_of(owner, run_law(owner, self.stored, "the state", state))
