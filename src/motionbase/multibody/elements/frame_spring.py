"""A spring and damper between two frames: six forces and moments of six displacements and rotations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, final

import casadi as ca
import numpy as np

from motionbase.errors import ModelError
from motionbase.multibody.body import Vector, check_name, checked_vector, numbers_of, shown
from motionbase.multibody.elements.abstract import AbstractElement, Load, Wrench
from motionbase.multibody.joint import IDENTITY, checked_rotation
from motionbase.multibody.lookup import ZERO, Point, check_place, checked_point
from motionbase.spatial.rotation_vectors import half_tangent, half_tangent_rate, vector_of_half_tangent
from motionbase.spatial.rotations import Expr

if TYPE_CHECKING:
    from motionbase.multibody.model import Model
    from motionbase.multibody.tree.state import PointState, TreeState

Six = tuple[float, float, float, float, float, float]
SixBySix = Six | tuple[Six, Six, Six, Six, Six, Six]
NOTHING: Six = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@final
@dataclass(frozen=True)
class FrameSpring(AbstractElement):
    """Generalised force on a: preload - stiffness z - damping z_dot, with z = (displacement, rotation) of a from b.

    The displacement is that of point a from where it rests, in the axes of the frame at point b. The rotation is the
    rotation vector: axis times angle [rad] from the orientation at rest, in the axes of b. Torsion about one axis is
    therefore linear in the angle up to half a turn, where the spring jumps to the other side. For rotations about
    several axes, moments are what makes the spring do the work of its energy z' K z / 2; for small ones they are the
    products of stiffness and angles. The order of six numbers is x, y, z, then the rotations about x, y, z; zeros leave
    a linear or an angular spring.

    Attributes:
        body_a, point_a, body_b, point_b: the frames; "ground" is permitted
        stiffness: six numbers or a symmetric 6x6 matrix without negative eigenvalues [N/m, N, N m/rad]
        damping: likewise [N s/m, N s, N m s/rad]; none unless given
        preload: (6,) force and moment on a at rest [N, N m]
        position: (3,) of point a from point b at rest, in b's axes [m]
        orientation: (3, 3) R_ba: frame a in the frame at point b at rest
    """

    name: str
    body_a: str
    stiffness: SixBySix
    point_a: Point = ZERO
    body_b: str = "ground"
    point_b: Point = ZERO
    damping: SixBySix = NOTHING
    preload: Six = NOTHING
    position: Vector = ZERO
    orientation: tuple[Vector, Vector, Vector] = IDENTITY

    def __post_init__(self) -> None:
        check_name("frame spring", self.name)
        owner = f"frame spring {self.name!r}"
        object.__setattr__(self, "point_a", checked_point(owner, "point_a", self.point_a))
        object.__setattr__(self, "point_b", checked_point(owner, "point_b", self.point_b))
        object.__setattr__(self, "stiffness", checked_matrix(owner, "stiffness", self.stiffness))
        object.__setattr__(self, "damping", checked_matrix(owner, "damping", self.damping))
        preload = numbers_of(self.preload)
        if preload is None or preload.shape != (6,) or not np.all(np.isfinite(preload)):
            raise ModelError(f"{owner}: preload is {shown(self.preload)}, six finite numbers are wanted")
        object.__setattr__(self, "preload", tuple(preload.tolist()))
        object.__setattr__(self, "position", checked_vector(owner, "position", self.position))
        object.__setattr__(self, "orientation", checked_rotation(owner, self.orientation))
        if self.body_a == self.body_b:
            raise ModelError(f"{owner}: both ends are on {self.body_a!r}, it would do nothing")

    def check(self, model: Model) -> None:
        """Check that both frames exist."""
        check_place(f"frame spring {self.name!r}", model, self.body_a, self.point_a)
        check_place(f"frame spring {self.name!r}", model, self.body_b, self.point_b)

    @property
    def turns(self) -> bool:
        """Whether rotations matter; a linear spring is sound at any orientation."""
        K, D = np.asarray(self.stiffness), np.asarray(self.damping)
        return bool(np.any(K[3:]) or np.any(D[3:]) or np.any(self.preload[3:]))

    def load(self, state: TreeState, inputs: Sequence[Expr]) -> Load:
        """Wrench on a at its point, and the opposite on b."""
        a, b = state.point(self.body_a, self.point_a), state.point(self.body_b, self.point_b)
        seen = self._seen(a, b)
        f = ca.DM(self.preload) - _sparse(self.stiffness) @ seen.z - _sparse(self.damping) @ seen.z_dot
        force, moment = b.R @ f[:3], b.R @ (seen.turning.T @ f[3:])
        # on b at its point: the force acts at a's
        return Load(
            wrenches=(
                Wrench(self.body_a, self.point_a, ca.vertcat(moment, force)),
                Wrench(self.body_b, self.point_b, -ca.vertcat(moment + ca.cross(a.p - b.p, force), force)),
            )
        )

    def energy(self, state: TreeState) -> Expr:
        """z' K z / 2 - preload' z."""
        a, b = state.point(self.body_a, self.point_a), state.point(self.body_b, self.point_b)
        z = self._seen(a, b).z
        return 0.5 * ca.dot(z, _sparse(self.stiffness) @ z) - ca.dot(ca.DM(self.preload), z)

    def _seen(self, a: PointState, b: PointState) -> Seen:
        """Frame a from frame b."""
        gap = a.p - b.p
        omega_a, omega_b = a.velocity[:3], b.velocity[:3]
        shift = b.R.T @ gap - ca.DM(self.position)
        shift_dot = b.R.T @ (a.velocity[3:] - b.velocity[3:] - ca.cross(omega_b, gap))
        if not self.turns:
            nothing = ca.SX(3, 1)
            return Seen(ca.vertcat(shift, nothing), ca.vertcat(shift_dot, nothing), ca.SX(3, 3))
        h = half_tangent(b.R.T @ a.R @ ca.DM(self.orientation).T)
        x = ca.SX.sym("x", 3)
        theta = vector_of_half_tangent(x)
        theta, slope = ca.substitute([theta, ca.jacobian(theta, x)], [x], [h])
        turning = slope @ half_tangent_rate(h)
        turn_dot = turning @ (b.R.T @ (omega_a - omega_b))
        return Seen(ca.vertcat(shift, theta), ca.vertcat(shift_dot, turn_dot), turning)


class Seen(NamedTuple):
    """Frame a from frame b.

    Attributes:
        z, z_dot: (6,) displacement and rotation, and their rates
        turning: (3, 3) rate of the rotation for a unit angular velocity in b's axes
    """

    z: Expr
    z_dot: Expr
    turning: Expr


def checked_matrix(owner: str, what: str, given: object) -> tuple[Six, ...]:
    """A symmetric 6x6 matrix that takes no energy; six numbers are its diagonal."""
    array = numbers_of(given)
    if array is None or array.shape not in ((6,), (6, 6)) or not np.all(np.isfinite(array)):
        raise ModelError(f"{owner}: {what} is {shown(given)}, 6 or 6x6 finite numbers are wanted")
    matrix = np.diag(array) if array.ndim == 1 else array
    if not np.allclose(matrix, matrix.T, rtol=0, atol=1e-9 * float(np.abs(matrix).max())):
        raise ModelError(f"{owner}: {what} is not symmetric")
    size = 1 / np.sqrt(np.where(np.diag(matrix) > 0.0, np.diag(matrix), 1.0))  # forces and moments to one scale
    if (least := float(np.linalg.eigvalsh(matrix * np.outer(size, size))[0])) < -1e-9:
        raise ModelError(f"{owner}: {what} has the negative eigenvalue {least:.3g} (scaled), it would give energy")
    return tuple(tuple(row) for row in (0.5 * (matrix + matrix.T)).tolist())


def _sparse(matrix: object) -> ca.DM:
    return ca.sparsify(ca.DM(np.asarray(matrix)))
