"""What an integrator needs of a mechanical system: its coordinates, and its accelerations as a kernel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias, final

import casadi as ca

from motionbase.compile import Body, Kernel, Port
from motionbase.compile.reference import Reference
from motionbase.errors import ModelError
from motionbase.multibody.integrators.local import local_rate
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
        forward: (q, v, inputs ...) -> v_dot, and what else it likes to tell; inputs are held over a step
        speeds: (q, v) -> speeds, where v stands for others from which they follow
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

    def rate(self, q: Expr, xi: Expr, v: Expr) -> Expr:
        """(nv,) rate of the local coordinates xi, where they have led to q."""
        return local_rate(self.model, q, xi, self.speeds(q, v))

    @cached_property
    def start_rate(self) -> Kernel:
        """Rate of the local coordinates at the start of a step."""

        def expr(q: Any, v: Any) -> Any:
            return self.rate(q, ca.SX(self.model.nv, 1), v)

        return Kernel("start_rate", self.ports[1:3], (Port("xi_dot", self.model.nv, "-"),), expr)

    def accelerate(self, b: Body, q: Reference, v: Reference, v_dot: Reference) -> None:
        """Call the forward dynamics inside a step's program."""
        held = {p.name: b[p.name] for p in self.inputs}
        b.call(self.forward, q=q, v=v, **held, **{self.forward.outputs[0].name: v_dot})
