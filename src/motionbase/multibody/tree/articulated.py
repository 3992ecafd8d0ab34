"""Forward dynamics by articulated bodies (Featherstone 2008): shorter than a mass matrix for long rigid chains.

Its work grows with the number of bodies; that of building and factorising a mass matrix at least with the square of
the length of chains. It gives accelerations only; the recursion of `inward.py` gives a mass matrix.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import casadi as ca

from motionbase.compile.linear import solve
from motionbase.multibody.tree.forces import reflected_inertia
from motionbase.multibody.tree.state import TreeState
from motionbase.spatial import RigidInertia, Transform, skew
from motionbase.spatial.rotations import Expr


@final
@dataclass(frozen=True)
class _Articulated:
    """A symmetric (6, 6) inertia by blocks: moment = A omega + B v, force = B' omega + C v."""

    A: Expr
    B: Expr
    C: Expr

    @classmethod
    def of(cls, inertia: RigidInertia) -> _Articulated:
        return cls(ca.SX(inertia.J), ca.SX(skew(inertia.h)), inertia.m * ca.SX.eye(3))

    def __add__(self, other: _Articulated) -> _Articulated:
        return _Articulated(self.A + other.A, self.B + other.B, self.C + other.C)

    def times(self, m: Expr) -> Expr:
        return ca.vertcat(self.A @ m[:3, :] + self.B @ m[3:, :], self.B.T @ m[:3, :] + self.C @ m[3:, :])

    def less(self, U: Expr, W: Expr) -> _Articulated:
        """Without the part that moves freely with the joint: I - U W', W = U D^-1."""
        full = U @ W.T
        return _Articulated(_mirrored(self.A - full[:3, :3]), self.B - full[:3, 3:], _mirrored(self.C - full[3:, 3:]))

    def moved_to_a(self, T: Transform) -> _Articulated:
        """In the parent's frame, about its origin."""
        R, P = T.R, skew(T.p)
        A, B, C = R @ self.A @ R.T, R @ self.B @ R.T, _mirrored(R @ self.C @ R.T)
        PC = P @ C
        B_moved = B + PC
        # A - B P + P B' - P C P; the middle terms are transposes of each other
        half = B @ P
        return _Articulated(_mirrored(A - half - half.T - PC @ P), B_moved, C)


def _mirrored(M: Expr) -> Expr:
    """The upper triangle mirrored: equal in exact arithmetic, and half the instructions."""
    rows = [[M[min(i, j), max(i, j)] for j in range(3)] for i in range(3)]
    return ca.vertcat(*(ca.horzcat(*row) for row in rows))


def accelerations(state: TreeState, force: Expr) -> Expr:
    """(nv,) v_dot of a rigid tree under generalised forces; gravity and velocity terms are added here."""
    model, motions = state.model, state.motions
    reflected = reflected_inertia(model)  # of motors: it only resists its own joint
    inertia = [_Articulated.of(i.rigid) for i in state.inertias]
    bias = [i.bias_rigid for i in state.inertias]
    factors: list[tuple[Expr, Expr, Expr]] = [(0, 0, 0)] * len(motions)
    for n in range(len(motions) - 1, -1, -1):
        own, parent = motions[n], model.parents[n]
        left, pushed = inertia[n], bias[n]
        if own.S.shape[1]:
            U = inertia[n].times(own.S)
            u = force[model.v_slices[n][0]] - own.S.T @ bias[n]
            D = own.S.T @ U + ca.diag(ca.SX([reflected.get(k, 0.0) for k in range(model.nv)[model.v_slices[n][0]]]))
            W = U / D if D.numel() == 1 else solve(D, U.T, symmetric=True).x.T
            factors[n] = (U, W, _divided(D, u))
            if parent >= 0:
                left = inertia[n].less(U, W)
                pushed = bias[n] + W @ u
        if parent >= 0:
            pushed = pushed + left.times(own.c)
            inertia[parent] = inertia[parent] + left.moved_to_a(own.T_pb)
            bias[parent] = bias[parent] + own.T_pb.force_to_a(pushed)
    weight = ca.vertcat(ca.DM.zeros(3), -ca.DM(model.gravity))
    found: list[Expr] = []
    v_dot = []
    for n, own in enumerate(motions):
        parent = model.parents[n]
        A = own.T_pb.motion_to_b(weight if parent < 0 else found[parent]) + own.c
        if own.S.shape[1]:
            _, W, without = factors[n]
            own_dot = without - W.T @ A
            v_dot.append(own_dot)
            A = A + own.S @ own_dot
        found.append(A)
    return ca.vertcat(*v_dot)


def _divided(D: Expr, u: Expr) -> Expr:
    return u / D if D.numel() == 1 else solve(D, u, symmetric=True).x
