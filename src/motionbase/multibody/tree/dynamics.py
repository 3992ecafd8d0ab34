"""Kernels of a tree: mass matrix, forces, and forward dynamics."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, final

import casadi as ca
import numpy as np

from motionbase.compile import Kernel, Port
from motionbase.compile.linear import solve
from motionbase.multibody.model import Model
from motionbase.multibody.tree.state import TreeState
from motionbase.spatial.rotations import Expr


@final
@dataclass(frozen=True)
class Tree:
    """A model in minimal coordinates; every quantity as a kernel."""

    model: Model
    coriolis_of_modes: bool = field(default=True)

    @property
    def state_ports(self) -> tuple[Port, Port]:
        """Coordinates and speeds."""
        return Port("q", self.model.nq, "-", "coordinates"), Port("v", self.model.nv, "-", "speeds")

    @cached_property
    def mass_matrix(self) -> Kernel:
        """q -> M."""

        def expr(q: Expr) -> Any:
            return TreeState.of(self.model, q, ca.SX(self.model.nv, 1)).mass_matrix()

        nv = self.model.nv
        return Kernel("mass_matrix", self.state_ports[:1], (Port("M", (nv, nv), "-", "mass matrix"),), expr)

    @cached_property
    def bias_force(self) -> Kernel:
        """(q, v) -> G: gravity and velocity terms; M v_dot = G + tau."""

        def expr(q: Expr, v: Expr) -> Any:
            return TreeState.of(self.model, q, v, self.coriolis_of_modes).bias_force()

        return Kernel("bias_force", self.state_ports, (Port("G", self.model.nv, "-", "generalised force"),), expr)

    @cached_property
    def forward_dynamics(self) -> Kernel:
        """(q, v, tau) -> v_dot."""

        def expr(q: Expr, v: Expr, tau: Expr) -> Any:
            state = TreeState.of(self.model, q, v, self.coriolis_of_modes)
            M = state.mass_matrix()
            return solve(
                M, tau + state.bias_force() - self._elastic_force(q, v), [self._sample(q, M)], symmetric=True
            ).x

        ports = (*self.state_ports, Port("tau", self.model.nv, "-", "generalised forces of the joints"))
        return Kernel("forward_dynamics", ports, (Port("v_dot", self.model.nv, "-", "accelerations"),), expr)

    def _elastic_force(self, q: Expr, v: Expr) -> Expr:
        """Stiffness and damping of the modes."""
        force = ca.SX(self.model.nv, 1)
        for k, body in enumerate(self.model.bodies):
            if body.modes is not None:
                eta, eta_dot = q[self.model.q_slices[k][1]], v[self.model.v_slices[k][1]]
                force[self.model.v_slices[k][1]] = (
                    ca.DM(body.modes.stiffness) @ eta + ca.DM(body.modes.damping) @ eta_dot
                )
        return force

    def _sample(self, q: Expr, M: Expr) -> Any:
        """Numbers of the mass matrix at a generic place: it is positive definite everywhere, so one is enough."""
        at = self.model.neutral + 0.1 * np.sin(np.arange(1.0, self.model.nq + 1))
        return np.array(ca.Function("M", [q], [M])(at))
