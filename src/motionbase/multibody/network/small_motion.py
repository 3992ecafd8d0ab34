"""Small motions of a network about rest or a steady turn: mass, damping, stiffness and constraints as numbers.

Everything is seen from a frame that turns with the spin Omega about the world's origin. In it small motions xi of the
nodes (positions, then orientations, axes of the frame) obey M xi_ddot + D xi_dot + K xi = Phi' lambda, Phi xi = 0. With
bodies that have modes, for which only rest is known, their amplitudes follow the nodes in xi.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError
from motionbase.multibody.body import tensor_of
from motionbase.multibody.network.assembly import Assembly
from motionbase.multibody.network.modal import ModalBody
from motionbase.multibody.network.parts import Own


def cross_matrix(a: Array) -> Array:
    """(3, 3) a x."""
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


@final
@dataclass(frozen=True, eq=False)
class SmallMotion:
    """A network at a place where it rests, or turns steadily as a whole.

    Attributes:
        places: (nodes, 18) positions, orientations, velocities
        own: own unknowns of the parts
        kept: what parts keep
        inputs: values of all inputs
        spin: (3,) Omega [rad/s]
        share: part of gravity that acts
    """

    assembly: Assembly
    places: Array
    own: Array
    kept: Array
    inputs: Array
    spin: Array
    share: float = 1.0

    def __post_init__(self) -> None:
        for part in self.assembly.parts:
            if Own.DIFFERENTIAL in part.own and not isinstance(part, ModalBody):
                raise ModelError(f"statics: {part.name!r} has states of its own, for which rest is not defined here")
            if isinstance(part, ModalBody) and np.any(self.spin):
                raise ModelError(f"statics: {part.name!r} has assumed modes, for which only rest is known; use beams")

    @property
    def _values(self) -> tuple[Array, Array, Array]:
        return self.own, np.zeros_like(self.own), self.kept

    @cached_property
    def _balance(self) -> list[int]:
        """Rows of the balance of forces and moments, node by node."""
        ends = self.assembly.node_starts[1:]
        return [end - 6 + i for end in ends for i in range(6)]

    @cached_property
    def _columns(self) -> list[int]:
        return [start + i for start in self.assembly.node_starts[:-1] for i in range(6)]

    @cached_property
    def _rows(self) -> list[int]:
        return list(range(self.assembly.node_starts[-1], self.assembly.size))

    @cached_property
    def _axes(self) -> Array:
        """(6 nodes, 6 nodes) what parts tell in the nodes' axes, in the frame's."""
        size = len(self._columns)
        found = np.zeros((size, size))
        for k in range(size // 3):
            found[3 * k : 3 * k + 3, 3 * k : 3 * k + 3] = self.places[k // 2, 3:12].reshape(3, 3)
        return found

    @cached_property
    def _forces(self) -> tuple[Array, Array]:
        """What the parts leave in the balance, in the nodes' axes, and their rows."""
        r = np.zeros(self.assembly.size)
        for group, outputs in self.assembly.numeric("residual", 1.0, self.places, self._values, self.inputs):
            np.add.at(r, group.rows.astype(np.intp), outputs)
        return r[self._balance], r[self._rows]

    def residual(self) -> tuple[Array, Array]:
        """Forces and moments that are not balanced (6 nodes,), and misses of the constraints (own,)."""
        own, rows = self._forces
        force = self._axes @ own
        for n, body in enumerate(self.assembly.bodies):
            if body.mass:
                x, R = self.places[n, :3], self.places[n, 3:12].reshape(3, 3)
                J, turn = R @ tensor_of(body.inertia) @ R.T, cross_matrix(self.spin)
                pull = turn @ turn @ x - self.share * self.assembly.gravity
                force[6 * n : 6 * n + 3] += body.mass * pull
                force[6 * n + 3 : 6 * n + 6] += turn @ J @ self.spin
        return force, rows

    @cached_property
    def _parts(self) -> tuple[Array, Array, Array, Array, Array]:
        """Stiffness and damping of the parts, and the derivatives of forces and rows by places and own unknowns."""
        one, two = (self.assembly.numeric_part_jacobian(c, self.places, self._values, self.inputs) for c in (1.0, 2.0))
        balance, columns, rows, R = self._balance, self._columns, self._rows, self._axes
        # forces' derivatives are c d/dx + d/dv; rows that hold positions have d/dx, and those by own unknowns over c
        K = (two - one)[np.ix_(balance, columns)]
        D = (2 * one - two)[np.ix_(balance, columns)]
        for n in range(len(self.places)):  # forces in axes that turn along change with these too
            theta = slice(6 * n + 3, 6 * n + 6)
            for own in (slice(6 * n, 6 * n + 3), theta):
                K[own, theta] -= cross_matrix(self._forces[0][own])
        held, on_nodes, by_own = one[np.ix_(rows, columns)], one[np.ix_(balance, rows)], one[np.ix_(rows, rows)]
        if self.modal:  # their rows hold rates too, which rest knows nothing of
            by_place = two - one
            held[self.modal] = by_place[np.ix_(rows, columns)][self.modal]
            on_nodes[:, self.modal] = by_place[np.ix_(balance, rows)][:, self.modal]
            changes = by_place[np.ix_(rows, rows)]
            by_own[np.ix_(self.modal, self.modal)] = changes[np.ix_(self.modal, self.modal)]
        return R @ K @ R.T, R @ D @ R.T, R @ on_nodes, held @ R.T, by_own

    @property
    def by_own(self) -> Array:
        """(6 nodes, own) derivative of the unbalanced forces by own unknowns: -Phi' for multipliers."""
        return self._parts[2]

    @property
    def rows(self) -> tuple[Array, Array]:
        """Derivatives of the parts' rows by places and by own unknowns."""
        return self._parts[3], self._parts[4]

    @cached_property
    def holds(self) -> list[int]:
        """Which rows hold positions."""
        kinds = [kind for part in self.assembly.parts for kind in part.own]
        return [k for k, kind in enumerate(kinds) if kind is Own.HOLONOMIC]

    @cached_property
    def modal(self) -> list[int]:
        """Own unknowns of modal bodies but for multipliers: amplitudes and momenta."""
        kinds = [kind for part in self.assembly.parts for kind in part.own]
        return [k for k, kind in enumerate(kinds) if kind in (Own.MODE, Own.DIFFERENTIAL)]

    @cached_property
    def amplitudes(self) -> list[int]:
        """Which own unknowns are amplitudes."""
        kinds = [kind for part in self.assembly.parts for kind in part.own]
        return [k for k, kind in enumerate(kinds) if kind is Own.MODE]

    @cached_property
    def with_modes(self) -> tuple[Array, Array, Array, Array]:
        """M, D, K and the held rows Phi of nodes and amplitudes together."""
        (M, D, K), (held, by_own), R = self.matrices, self.rows, self._axes
        modes, size = self.amplitudes, len(K)
        if not modes:
            return M, D, K, held
        K = np.block([[K, self.by_own[:, modes]], [held[modes], by_own[np.ix_(modes, modes)]]])
        held = np.hstack([held, by_own[:, modes]])[self.holds]
        # rows of momenta depend on velocities alone: these are the body's inertia
        one, two = (self.assembly.numeric_part_jacobian(c, self.places, self._values, self.inputs) for c in (1.0, 2.0))
        rates = (2 * one - two)[self._rows]
        moves = [*self._columns, *(self._rows[k] for k in modes)]
        M, D = (np.pad(matrix, (0, len(modes))) for matrix in (M, D))
        D[size:, size:] = rates[np.ix_(modes, [self._rows[k] for k in modes])]
        turned = np.eye(size + len(modes))
        turned[:size, :size] = R.T
        for part, start in zip(self.assembly.parts, self.assembly.own_starts, strict=False):
            if isinstance(part, ModalBody):
                n, node = part.modes.n, part.nodes[0]
                assert node is not None
                spin = start + 2 * n
                rows = [*range(spin + 3, spin + 6), *range(spin, spin + 3), *range(start + n, start + 2 * n)]
                first = size + modes.index(start)
                M[[*range(6 * node, 6 * node + 6), *range(first, first + n)]] += rates[rows][:, moves] @ turned
        return M, D, K, held

    @cached_property
    def matrices(self) -> tuple[Array, Array, Array]:
        """M, D, K of the nodes, inertia in the turning frame included."""
        K_parts, D_parts, *_ = self._parts
        size = len(self._columns)
        M, D, K = np.zeros((size, size)), D_parts.copy(), K_parts.copy()
        turn = cross_matrix(self.spin)
        if np.any(self.spin):  # velocities are xi_dot + Omega x xi
            K += (D_parts.reshape(-1, 3) @ turn).reshape(size, size)
        for n, body in enumerate(self.assembly.bodies):
            if not body.mass:
                continue
            p, theta = slice(6 * n, 6 * n + 3), slice(6 * n + 3, 6 * n + 6)
            M[p, p] = body.mass * np.eye(3)
            D[p, p] += 2 * body.mass * turn
            K[p, p] += body.mass * turn @ turn
            R = self.places[n, 3:12].reshape(3, 3)
            J = R @ tensor_of(body.inertia) @ R.T
            # gamma changes by theta x gamma + J (theta_dot + Omega x theta), and its rate by Omega x that
            held = J @ turn - cross_matrix(J @ self.spin)
            M[theta, theta] = J
            D[theta, theta] += held + turn @ J
            K[theta, theta] += turn @ held
        return M, D, K

    def moved(self, xi: Array, own: Array) -> SmallMotion:
        """After a motion of the nodes, with own unknowns changed; velocities are those of the steady turn."""
        places = self.places.copy()
        for n, row in enumerate(places):
            dx, theta = xi[6 * n : 6 * n + 3], xi[6 * n + 3 : 6 * n + 6]
            row[:3] += dx
            row[3:12] = (turned_by(theta) @ row[3:12].reshape(3, 3)).ravel()
        return SmallMotion(
            self.assembly, steady(places, self.spin), self.own + own, self.kept, self.inputs, self.spin, self.share
        )

    def since(self, before: SmallMotion, part: float) -> tuple[Array, Array]:
        """A part of the motion of the nodes from another place to this one, and of the change of own unknowns."""
        xi = np.empty((len(self.places), 6))
        for n, (new, old) in enumerate(zip(self.places, before.places, strict=True)):
            R = new[3:12].reshape(3, 3) @ old[3:12].reshape(3, 3).T
            axis = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
            sine = 0.5 * float(np.linalg.norm(axis))
            angle = np.arctan2(sine, 0.5 * (np.trace(R) - 1))
            xi[n] = np.concatenate([new[:3] - old[:3], 0.5 * axis * (angle / sine if sine > 1e-8 else 1.0)])
        return part * xi.ravel(), part * (self.own - before.own)


def steady(places: Array, spin: Array) -> Array:
    """Places with the velocities of a steady turn as a whole."""
    found = places.copy()
    found[:, 12:15] = np.cross(spin, places[:, :3])
    found[:, 15:18] = spin
    return found


def turned_by(theta: Sequence[float] | Array) -> Array:
    """(3, 3) rotation by a rotation vector (Rodrigues)."""
    angle, S = float(np.linalg.norm(theta)), cross_matrix(np.asarray(theta))
    return np.asarray(np.eye(3) + np.sinc(angle / np.pi) * S + 0.5 * np.sinc(0.5 * angle / np.pi) ** 2 * S @ S)
