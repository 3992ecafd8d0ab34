"""Conditions between two shafts: the ideal gimbal, in one row or with its angles, and an imposed angle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.multibody.body import Vector
from motionbase.multibody.closures.conditions import (
    AbstractCondition,
    Relation,
    Rotation,
    Seen,
    dot_row,
    flat,
    normals,
    sine_of_turn,
)
from motionbase.spatial import R_axis_angle
from motionbase.spatial.rotations import Expr

if TYPE_CHECKING:
    from motionbase.multibody.tree.state import PointState


class Shaft:
    """Axes x, y, z of a shaft on both bodies, which agree where frame a is turned by `orientation` in frame b."""

    axis: Vector
    orientation: Rotation

    @property
    def _frames(self) -> tuple[Array, Array]:
        """(3, 3) of a and b: x, y and the shaft's axis as columns."""
        x, y = (np.array(e).ravel() for e in normals(self.axis))
        C_b = np.column_stack([x, y, np.asarray(self.axis)])
        return np.asarray(self.orientation).T @ C_b, C_b


@final
@dataclass(frozen=True)
class NoTwist(Shaft, AbstractCondition):
    """The rotation from b's shaft to a's has an axis normal to the shaft: an ideal gimbal, in one row.

    The quaternion's z vanishes. exp(theta e2) exp(phi e1) exp(theta e2), two Cardan joints with half the tilt each, has
    the quaternion (cos theta cos phi/2, sin phi/2, sin theta cos phi/2, 0), and so every rotation without z is one.
    """

    axis: Vector
    orientation: Rotation
    rows = ("twist",)
    unit = "rad"

    @property
    def numbers(self) -> tuple[float, ...]:
        """x and y of a, x and y of b."""
        C_a, C_b = self._frames
        return flat(C_a[:, 0], C_a[:, 1], C_b[:, 0], C_b[:, 1])

    def residual(self, a: Seen, b: Seen, n: Expr) -> Expr:
        """2 w z of the quaternion: the angle for small ones."""
        x_a, y_a, x_b, y_b = a.R @ n[:3], a.R @ n[3:6], b.R @ n[6:9], b.R @ n[9:12]
        return 0.5 * (ca.dot(y_b, x_a) - ca.dot(x_b, y_a))

    def relation(self, a: PointState, b: PointState) -> Relation:
        """Half the difference of two products; the moment is along the bisector of the two shafts."""
        C_a, C_b = self._frames
        plus = dot_row(a, a.R @ ca.DM(C_a[:, 0]), b, b.R @ ca.DM(C_b[:, 1]))
        minus = dot_row(a, a.R @ ca.DM(C_a[:, 1]), b, b.R @ ca.DM(C_b[:, 0]))
        return Relation(
            0.5 * (plus.residual - minus.residual), 0.5 * (plus.W - minus.W), 0.5 * (plus.bias - minus.bias)
        )


@final
@dataclass(frozen=True)
class GimbalAngles(Shaft, AbstractCondition):
    """The same gimbal with its two angles as unknowns: three rows, and two for the angles (equations 7 to 10).

    Masarati et al. print (9) and (10) without the transposes that moments in frame a need; differentiation puts them
    in. Their frame a is our body b. The error of orientation is ax(R_rel R(theta, phi)'), in that frame's axes, as in
    the manual of MBDyn.
    """

    axis: Vector
    orientation: Rotation
    rows = ("turn_x", "turn_y", "turn_z")
    unit = "rad"
    inner = ("theta", "phi")

    @property
    def numbers(self) -> tuple[float, ...]:
        """Shaft axes of a and of b, by rows."""
        return flat(*self._frames)

    def phi(self, a: Seen, b: Seen, n: Expr, s: Expr, u: Expr) -> Expr:
        """The orientation is the one the angles give."""
        R_rel = (b.R @ ca.reshape(n[9:18], 3, 3).T).T @ a.R @ ca.reshape(n[:9], 3, 3).T
        return sine_of_turn(R_rel @ gimbal_rotation(s).T)

    def residual(self, a: Seen, b: Seen, n: Expr) -> Expr:
        """It has no rows without its angles."""
        raise NotImplementedError("the gimbal's angles are unknowns of the network engine; the tree uses NoTwist")

    def relation(self, a: PointState, b: PointState) -> Relation:
        """The tree has no inner coordinates."""
        return Relation(self.residual(a, b, ca.DM()), ca.DM(), ca.DM())


def gimbal_rotation(angles: Expr) -> Expr:
    """(3, 3) exp(theta e2) exp(phi e1) exp(theta e2) (equation 7)."""
    second = R_axis_angle(ca.DM([0, 1, 0]), angles[0])
    return second @ R_axis_angle(ca.DM([1, 0, 0]), angles[1]) @ second


@final
@dataclass(frozen=True)
class TurnedBy(Shaft, AbstractCondition):
    """The angle about b's axis from b's x to a's, both normal to the axis; whole turns do not count.

    Attributes:
        axis, orientation: of the shafts
        moves: it follows an input
    """

    axis: Vector
    orientation: Rotation
    moves: bool = True
    rows = ("angle",)
    unit = "rad"

    @property
    def driven(self) -> bool:
        """As given."""
        return self.moves

    @property
    def numbers(self) -> tuple[float, ...]:
        """x of a, x and y of b."""
        C_a, C_b = self._frames
        return flat(C_a[:, 0], C_b[:, 0], C_b[:, 1])

    def _seen(self, a: Seen, b: Seen, n: Expr) -> tuple[Expr, Expr]:
        """Cosine and sine, as far as a's x is normal to the axis."""
        x = a.R @ n[:3]
        return ca.dot(b.R @ n[3:6], x), ca.dot(b.R @ n[6:9], x)

    def residual(self, a: Seen, b: Seen, n: Expr) -> Expr:
        """The angle [rad], -pi to pi."""
        c, s = self._seen(a, b, n)
        return ca.atan2(s, c)

    def phi(self, a: Seen, b: Seen, n: Expr, s: Expr, u: Expr) -> Expr:
        """The angle ahead of the input."""
        if not self.moves:
            return self.residual(a, b, n)
        cos, sin = self._seen(a, b, n)
        return ca.atan2(sin * ca.cos(u[0]) - cos * ca.sin(u[0]), cos * ca.cos(u[0]) + sin * ca.sin(u[0]))

    def missed(self, residual: Expr, u: Expr) -> Expr:
        """The short way round."""
        return ca.atan2(ca.sin(residual - u), ca.cos(residual - u))

    def relation(self, a: PointState, b: PointState) -> Relation:
        """Rate (c s_dot - s c_dot) / (c^2 + s^2), from the rows of cosine and sine."""
        C_a, C_b = self._frames
        x = a.R @ ca.DM(C_a[:, 0])
        cos, sin = dot_row(a, x, b, b.R @ ca.DM(C_b[:, 0])), dot_row(a, x, b, b.R @ ca.DM(C_b[:, 1]))
        c, s = cos.residual, sin.residual
        size = c**2 + s**2
        omega = a.velocity[:3] - b.velocity[:3]
        c_dot, s_dot = ca.dot(cos.W[:3], omega), ca.dot(sin.W[:3], omega)
        rate = (c * s_dot - s * c_dot) / size
        bias = (c * sin.bias - s * cos.bias - 2 * rate * (c * c_dot + s * s_dot)) / size
        return Relation(ca.atan2(s, c), (c * sin.W - s * cos.W) / size, bias)
