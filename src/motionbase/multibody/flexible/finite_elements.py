"""A body as finite elements: checked matrices and nodes from another program, and integrals of any set of modes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError
from motionbase.multibody.flexible.modes import ModalPoint, Modes

LARGEST = 6000  # unknowns; dense matrices of this size take 300 MB each
RIGID = 1e-6  # required cancellation of a rigid motion's forces: matrices printed with eight digits pass


@final
@dataclass(frozen=True, eq=False)
class FiniteElements:
    """Mass, stiffness and nodes of an unsupported body; all in one frame, SI units.

    Attributes:
        mass: (dof, dof) symmetric, lumped or consistent
        stiffness: (dof, dof) symmetric, without supports
        positions: (nodes, 3) [m]; dof is 3 per node (displacements x, y, z) or 6 (and rotations about x, y, z)
    """

    mass: Array
    stiffness: Array
    positions: Array

    def __post_init__(self) -> None:
        for name in ("mass", "stiffness", "positions"):
            given = np.asarray(getattr(self, name))
            if given.dtype.kind not in "fiu" or given.ndim != 2:
                raise ModelError(
                    f"finite elements: {name} is {given.dtype} of shape {given.shape}; real numbers in two dimensions "
                    "are wanted"
                )
            array = given.astype(np.float64)
            if not np.all(np.isfinite(array)):
                raise ModelError(f"finite elements: {name} has entries that are not finite")
            object.__setattr__(self, name, array)
        nodes = len(self.positions)
        if self.positions.shape[1] != 3 or not nodes:
            raise ModelError(f"finite elements: positions has shape {self.positions.shape}, (nodes, 3) is wanted")
        for name in ("mass", "stiffness"):
            array = getattr(self, name)
            if array.shape not in ((3 * nodes, 3 * nodes), (6 * nodes, 6 * nodes)):
                raise ModelError(
                    f"finite elements: {name} has shape {array.shape}; for {nodes} nodes ({3 * nodes}, {3 * nodes}) or "
                    f"({6 * nodes}, {6 * nodes}) is wanted"
                )
            if not np.allclose(array, array.T, rtol=0, atol=1e-9 * float(np.abs(array).max())):
                raise ModelError(f"finite elements: {name} is not symmetric")
            object.__setattr__(self, name, 0.5 * (array + array.T))
        if self.mass.shape != self.stiffness.shape:
            raise ModelError(f"finite elements: mass is {self.mass.shape} and stiffness {self.stiffness.shape}")
        if len(self.mass) > LARGEST:
            raise ModelError(f"finite elements: {len(self.mass)} unknowns are more than {LARGEST}; reduce them first")
        self._check_rigid()

    def _check_rigid(self) -> None:
        R = self.rigid(self.positions.mean(axis=0))
        terms = np.abs(self.stiffness) @ np.abs(R)  # a rigid motion makes them cancel in every row
        worst = float(np.max(np.abs(self.stiffness @ R)[terms > 0] / terms[terms > 0], initial=0.0))
        if worst > RIGID:
            raise ModelError(
                f"finite elements: stiffness resists a rigid motion (to {worst:.2g} of its terms); take supports out, "
                "or check units and the order of unknowns"
            )
        total = np.diag(R[:, 3:].T @ self.mass @ R[:, 3:])
        if total.min() <= 0 or np.ptp(total) > 1e-6 * total.max():
            along = ", ".join(f"{m:.6g}" for m in total)
            raise ModelError(f"finite elements: mass is {along} kg along x, y, z; one positive mass is wanted")

    @property
    def per_node(self) -> int:
        """Unknowns at a node: 3 or 6."""
        return len(self.mass) // len(self.positions)

    def rigid(self, origin: Array | None = None) -> Array:
        """(dof, 6) nodal values of unit rotations about x, y, z through the origin, and of unit translations."""
        r = self.positions - (np.zeros(3) if origin is None else origin)
        R = np.zeros((len(r), self.per_node, 6))
        for c, e in enumerate(np.eye(3)):
            R[:, :3, c], R[:, :3, 3 + c] = np.cross(e, r), e
            if self.per_node == 6:
                R[:, 3:, c] = e
        return R.reshape(-1, 6)

    def turned(self, X: Array) -> Array:
        """(3, dof, n) e_c x the vectors at every node, for c = x, y, z: motion of a deformation as the body rotates."""
        at = X.reshape(len(self.positions), self.per_node // 3, 3, X.shape[1])
        return np.stack(
            [np.cross(np.broadcast_to(e[:, None], at.shape), at, axis=2).reshape(X.shape) for e in np.eye(3)]
        )

    def modes(self, X: Array, origin: Array, damping: Array | None, points: Mapping[str, ModalPoint]) -> Modes:
        """Integrals of the shapes X (dof, n), with the mass matrix instead of a sum over particles.

        With u = (rigid + turned eta) omega + X eta_dot the kinetic energy is u' mass u / 2 for any eta, so the body's
        mass matrix stays positive definite; for lumped masses the integrals are those of `Modes.from_particles`.
        """
        R, E = self.rigid(origin), self.turned(X)
        turn, move = R[:, :3], R[:, 3:]
        ME, MX = np.stack([self.mass @ e for e in E]), self.mass @ X
        A = move.T @ self.mass @ turn  # e_c x (mass times centre of mass), by columns
        rE = np.einsum("ic,din->ncd", turn, ME)
        n = X.shape[1]
        K = X.T @ self.stiffness @ X
        return Modes(
            mass=float(np.mean(np.diag(move.T @ self.mass @ move))),
            first=0.5 * np.array([A[1, 2] - A[2, 1], A[2, 0] - A[0, 2], A[0, 1] - A[1, 0]]),
            second=turn.T @ self.mass @ turn,
            shape_mass=move.T @ MX,
            shape_moment=turn.T @ MX,
            shape_cross=np.einsum("cij,ik->jkc", E, MX),
            modal_mass=X.T @ MX,
            inertia_first=rE + np.swapaxes(rE, 1, 2),
            inertia_second=np.einsum("cij,dik->jkcd", E, ME),
            stiffness=0.5 * (K + K.T),
            damping=np.zeros((n, n)) if damping is None else damping,
            centrifugal=np.zeros((3, 3, n, n)),
            accelerated=np.zeros((3, n, n)),
            points=points,
        )

    @cached_property
    def extent(self) -> float:
        """Largest distance between nodes along an axis [m]."""
        return float(np.ptp(self.positions, axis=0).max())
