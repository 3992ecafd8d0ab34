"""A joint as any list of turns and slides, each about an axis that the previous ones move."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import casadi as ca
import numpy as np

from motionbase.errors import ModelError
from motionbase.multibody.joints.abstract import AbstractMotion, JointMotion
from motionbase.spatial import R_axis_angle, Transform, cross_motion
from motionbase.spatial.rotations import Expr

Vector = tuple[float, float, float]


def unit(axis: Vector, what: str) -> Vector:
    """The axis scaled to length one; a zero or non-finite axis is an error."""
    try:
        x, y, z = (float(value) for value in axis)
        length = math.hypot(x, y, z)
    except (TypeError, ValueError, OverflowError):
        length = math.nan
    if not math.isfinite(length) or length < 1e-12:
        given = tuple(axis) if isinstance(axis, tuple | list) else axis
        raise ModelError(f"{what}: axis {given!r} must be three finite numbers, not all zero")
    return (x / length, y / length, z / length)


@final
@dataclass(frozen=True)
class Turn:
    """Rotation by q [rad] about an axis."""

    axis: Vector

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", unit(self.axis, "turn"))


@final
@dataclass(frozen=True)
class Slide:
    """Displacement by q [m] along an axis."""

    axis: Vector

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", unit(self.axis, "slide"))


@final
@dataclass(frozen=True)
class Axes(AbstractMotion):
    """Turns and slides in order, from the joint frame to the child; an empty list is a fixed joint.

    Attributes:
        steps: each about or along an axis given in the frame that the earlier steps move
    """

    steps: tuple[Turn | Slide, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.steps, tuple) or not all(isinstance(s, Turn | Slide) for s in self.steps):
            raise ModelError(f"axes: steps are {self.steps!r}, a tuple of Turn and Slide is wanted")

    def check(self, owner: str) -> None:
        """Check that every step adds an independent motion."""
        if len(self.steps) > 1 and (rank := self._rank()) < len(self.steps):
            axes = ", ".join(f"{type(s).__name__.lower()} {s.axis}" for s in self.steps)
            raise ModelError(f"{owner}: of {len(self.steps)} axes only {rank} are independent ({axes}); leave some out")

    def _rank(self) -> int:
        """Degrees of freedom of the child in a generic position; special ones, as of Euler angles, may have fewer."""
        R, p, columns = np.eye(3), np.zeros(3), []
        for k, step in enumerate(self.steps):
            axis, q = np.asarray(step.axis), 0.4 + 0.7 * k
            along = R @ axis
            if isinstance(step, Turn):
                columns.append([*along, *np.cross(p, along)])
                K = np.cross(np.eye(3), -axis)
                R = R @ (np.eye(3) + math.sin(q) * K + (1 - math.cos(q)) * K @ K)
            else:
                columns.append([0.0, 0.0, 0.0, *along])
                p = p + along * q
        return int(np.linalg.matrix_rank(np.array(columns), tol=1e-9))

    @property
    def nq(self) -> int:
        """One coordinate per step."""
        return len(self.steps)

    @property
    def nv(self) -> int:
        """One speed per step."""
        return len(self.steps)

    @property
    def units(self) -> tuple[str, ...]:
        """rad for turns, m for slides."""
        return tuple("rad" if isinstance(s, Turn) else "m" for s in self.steps)

    @property
    def neutral(self) -> tuple[float, ...]:
        """All zero."""
        return (0.0,) * len(self.steps)

    def motion(self, q: Expr, v: Expr) -> JointMotion:
        """Step by step: each adds its column and transforms the earlier ones into its frame."""
        T = Transform(ca.DM.eye(3), ca.DM.zeros(3))
        S = ca.SX(6, 0)
        velocity, bias = ca.SX(6, 1), ca.SX(6, 1)
        for k, step in enumerate(self.steps):
            axis = ca.DM(step.axis)
            if isinstance(step, Turn):
                move, column = Transform(R_axis_angle(axis, q[k]), ca.DM.zeros(3)), ca.vertcat(axis, ca.DM.zeros(3))
            else:
                move, column = Transform(ca.DM.eye(3), axis * q[k]), ca.vertcat(ca.DM.zeros(3), axis)
            own = column * v[k]
            T = T @ move
            if k:
                S = move.motion_to_b(S)
                carried = move.motion_to_b(velocity)
                # d/dt of a motion given in the previous frame, as seen in the next one (Featherstone 2008)
                bias = move.motion_to_b(bias) + cross_motion(carried, own)
                velocity = carried + own
            else:
                velocity = own
            S = ca.horzcat(S, column)
        return JointMotion(T, S, velocity, bias)

    def rate(self, q: Expr, v: Expr) -> Expr:
        """The speeds are the rates."""
        return v
