"""Interface of a mechanical system for integrators: accelerations, and how coordinates move."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias, final

import casadi as ca

from motionbase.compile import Kernel, Port
from motionbase.errors import ModelError
from motionbase.multibody.integrators.local import local_rate, moved
from motionbase.multibody.model import Model
from motionbase.spatial.rotations import Expr

H = Port("h", (), "s", "step")
Speeds: TypeAlias = Callable[[Expr, Expr], Expr]


def _as_they_are(q: Expr, v: Expr) -> Expr:
    return v


@final
@dataclass(frozen=True)
class System:
    """A model and its equations of motion.

    Attributes:
        forward: (q, v, inputs ...) -> v_dot and possibly further outputs; inputs are held over a step
        speeds: (q, v) -> speeds, if v stands for other quantities from which they follow
    """

    model: Model
    forward: Kernel
    speeds: Speeds = field(default=_as_they_are)

    def __post_init__(self) -> None:
        if self.model.nv == 0:
            raise ModelError(f"model {self.model.name!r}: no joint moves, so there is nothing to integrate")

    @property
    def inputs(self) -> tuple[Port, ...]:
        """Everything the accelerations depend on besides q and v."""
        return tuple(p for p in self.forward.inputs if p.name not in ("q", "v"))

    @cached_property
    def ports(self) -> tuple[Port, ...]:
        """Inputs of a step: its length, the state, and what is held over it."""
        state = tuple(p for p in self.forward.inputs if p.name in ("q", "v"))
        return (H, *state, *self.inputs)

    @cached_property
    def next_ports(self) -> tuple[Port, Port]:
        """Outputs of a step."""
        by_name = {p.name: p for p in self.forward.inputs}
        q, v = by_name["q"], by_name["v"]
        return Port("q_next", q.shape, q.unit, "after the step"), Port("v_next", v.shape, v.unit, "after the step")

    @cached_property
    def error_ports(self) -> tuple[Port, Port]:
        """Further outputs of a step with an error estimate."""
        nv = self.model.nv
        return Port("e_xi", nv, "-", "error of the local coordinates"), Port("e_v", nv, "-", "error of v")

    def acceleration(self, q: Expr, v: Expr, *held: Expr) -> Expr:
        """(nv,) rate of v: one call of the forward dynamics."""
        names = [p.name for p in self.inputs]
        found = self.forward(q=q, v=v, **dict(zip(names, held, strict=True)))
        return found[0] if isinstance(found, tuple) else found

    def rate(self, q: Expr, v: Expr, xi: Expr = 0) -> Expr:
        """(nv,) rate of the local coordinates xi, at the q that they have reached."""
        return local_rate(self.model, q, xi + ca.SX(self.model.nv, 1), self.speeds(q, v))

    def slope(self, q: Expr, v: Expr, held: Sequence[Expr], z: Expr) -> Expr:
        """(2 nv,) rate of z = (local coordinates, change of v) since a step began at (q, v)."""
        if z.is_zero():
            return ca.vertcat(self.rate(q, v), self.acceleration(q, v, *held))
        q_z, v_z = self.after(q, v, z)
        return ca.vertcat(self.rate(q_z, v_z, self.halves(z)[0]), self.acceleration(q_z, v_z, *held))

    def after(self, q: Expr, v: Expr, z: Expr) -> tuple[Expr, Expr]:
        """The state that z reaches from (q, v)."""
        xi, change = self.halves(z)
        return moved(self.model, q, xi), v + change

    def halves(self, z: Expr) -> tuple[Expr, Expr]:
        """Local coordinates and change of v."""
        return z[: self.model.nv], z[self.model.nv :]
