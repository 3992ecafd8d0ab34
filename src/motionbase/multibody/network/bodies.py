"""Rigid bodies at their nodes, which stand at the centres of mass: momentum and its balance (equations 3 and 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.multibody.body import Body
from motionbase.multibody.network.nodes import Momentum
from motionbase.spatial.rotations import Expr


@final
@dataclass(frozen=True, eq=False)
class NodeBody:
    """What stands at a node.

    Attributes:
        name: of the body
        mass: [kg]; a node without mass has no momentum, only a balance of forces
        inertia: (6,) about the node, in its axes: xx, yy, zz, xy, xz, yz [kg m^2]
        com: of the node in the body's frame [m]
    """

    name: str
    mass: float
    inertia: Array
    com: Array

    @classmethod
    def of(cls, body: Body) -> NodeBody:
        """A rigid body of a model."""
        J = np.asarray(body.inertia)
        six = np.array([J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]])
        return cls(body.name, body.mass, six, np.asarray(body.com, dtype=np.float64))

    @property
    def numbers(self) -> Array:
        """(7,) mass, then moments of inertia."""
        return np.concatenate([[self.mass], self.inertia])

    @property
    def unknowns(self) -> int:
        """12 with momentum, 6 without."""
        return 12 if self.mass else 6


def balance(R: Expr, v: Expr, omega: Expr, momentum: Momentum, numbers: Expr, gravity: Expr) -> Expr:
    """(12,) residual of a body alone, in its own axes: momentum and spin, then rates of both less its weight.

    `numbers` are its mass and six moments of inertia.
    """
    mass = numbers[0]
    rows = (
        mass * v - momentum.beta,
        -momentum.gamma,
        momentum.beta_dot - mass * gravity,
        momentum.gamma_dot,
    )
    momentum_row, spin, force, moment = (R.T @ row for row in rows)
    return ca.vertcat(momentum_row, tensor(numbers[1:]) @ (R.T @ omega) + spin, force, moment)


def tensor(six: Expr) -> Expr:
    """(3, 3) of xx, yy, zz, xy, xz, yz."""
    xx, yy, zz, xy, xz, yz = ca.vertsplit(six)
    return ca.vertcat(ca.horzcat(xx, xy, xz), ca.horzcat(xy, yy, yz), ca.horzcat(xz, yz, zz))


def tangents(R: Expr, momentum: Momentum, numbers: Expr, gravity: Expr, c: Expr) -> Expr:
    """(9,) what turns the balance when the body turns: spin, force and moment in its own axes, each times c.

    A row R' a of the balance changes by c (R' a) x omega with a correction omega. (The row of momentum has no such part
    where it is met, and none is taken.)
    """
    parts = -momentum.gamma, momentum.beta_dot - numbers[0] * gravity, momentum.gamma_dot
    return c * ca.vertcat(*(R.T @ part for part in parts))
