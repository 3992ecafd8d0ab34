"""Modal data of a flexible body: everything that the equations need, as integrals over the body.

A particle at r moves to r + phi eta; phi (3, n) is its mode shape, psi (3, n) the associated rotation, eta (n,) the
modal amplitudes. All integrals are about the body frame's origin. With them the mass matrix is exact to second
order in eta, so momentum and energy are conserved for any amplitude.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError

BOW_ACCURACY = 1e-3  # of the largest; the geometric stiffness of a beam is then accurate to 1e-5, of its tip to 1e-4


def _skew(v: Array) -> Array:
    """(..., 3, 3) cross-product matrices."""
    x, y, z = v[..., 0], v[..., 1], v[..., 2]
    zero = np.zeros_like(x)
    return np.stack([np.stack([zero, -z, y], -1), np.stack([z, zero, -x], -1), np.stack([-y, x, zero], -1)], -2)


@final
@dataclass(frozen=True, eq=False)
class ModalPoint:
    """A point of a flexible body.

    Attributes:
        position: (3,) undeformed, in the body frame [m]
        shape: (3, n) displacement for unit amplitudes [m]
        slope: (3, n) rotation for unit amplitudes [rad]
        shortening: (3, n, n) second derivative of the displacement with respect to the amplitudes [m]: a bent beam
            pulls its tip towards its root, so a load there stiffens or softens it; None for none
    """

    position: Array
    shape: Array
    slope: Array
    shortening: Array | None = None

    @property
    def moves(self) -> bool:
        """Whether any mode displaces or turns it."""
        return bool(np.any(self.shape) or np.any(self.slope))


@final
@dataclass(frozen=True, eq=False)
class Bow:
    """Second-order shortening of a bent body: displacement fields whose amplitudes follow from those of the modes.

    Attributes:
        modes: the body with the fields as further modes after its own n
        amounts: (s, n, n) amplitude of field s: eta' amounts_s eta / 2
    """

    modes: Modes
    amounts: Array


@final
@dataclass(frozen=True, eq=False)
class Modes:
    """A flexible body's integrals, stiffness, damping and points.

    Attributes:
        mass: [kg]
        first: (3,) integral of r dm [kg m]
        second: (3, 3) moment of inertia of the undeformed body about the frame's origin [kg m^2]
        shape_mass: (3, n) integral of phi dm
        shape_moment: (3, n) integral of r x phi dm, and of rotary inertia times psi
        shape_cross: (n, n, 3) integral of phi_j x phi_k dm: derivative of shape_moment_k with respect to eta_j
        modal_mass: (n, n)
        inertia_first: (n, 3, 3) derivative of the moment of inertia with respect to eta_j
        inertia_second: (n, n, 3, 3) half its second derivative
        stiffness, damping: (n, n)
        centrifugal: (3, 3, n, n) geometric stiffness for each entry of the centripetal matrix skew(omega)^2; the
            integral of shortening_a r_b dm
        accelerated: (3, n, n) geometric stiffness for unit acceleration of the frame along each axis; the integral
            of shortening_a dm
        points: by name
        bow: second-order displacements, from which the equations derive the geometric stiffness; None for none
    """

    mass: float
    first: Array
    second: Array
    shape_mass: Array
    shape_moment: Array
    shape_cross: Array
    modal_mass: Array
    inertia_first: Array
    inertia_second: Array
    stiffness: Array
    damping: Array
    centrifugal: Array
    accelerated: Array
    points: Mapping[str, ModalPoint] = field(default_factory=dict)
    bow: Bow | None = None

    @property
    def n(self) -> int:
        """Number of modes."""
        return int(self.modal_mass.shape[0])

    def __post_init__(self) -> None:
        n = self.n
        shapes = {
            "first": (3,), "second": (3, 3), "shape_mass": (3, n), "shape_moment": (3, n), "shape_cross": (n, n, 3),
            "modal_mass": (n, n), "inertia_first": (n, 3, 3), "inertia_second": (n, n, 3, 3), "stiffness": (n, n),
            "damping": (n, n), "centrifugal": (3, 3, n, n), "accelerated": (3, n, n),
        }  # fmt: skip
        for name, shape in shapes.items():
            array = np.asarray(getattr(self, name), dtype=np.float64)
            if array.shape != shape or not np.all(np.isfinite(array)):
                raise ModelError(f"modes: {name} has shape {array.shape}, finite numbers of shape {shape} are wanted")
            object.__setattr__(self, name, array)
        if not self.mass > 0:
            raise ModelError(f"modes: mass is {self.mass!r} kg, it must be positive")
        for name in ("modal_mass", "stiffness", "damping"):
            array = getattr(self, name)
            if not np.allclose(array, array.T, rtol=0, atol=1e-9 * max(float(np.abs(array).max()), 1e-300)):
                raise ModelError(f"modes: {name} is not symmetric")
        if np.linalg.eigvalsh(self.modal_mass)[0] <= 0:
            raise ModelError(
                "modes: the modal mass is not positive definite: modes are missing or depend on each other"
            )
        for name, point in self.points.items():
            if point.shape.shape != (3, n) or point.slope.shape != (3, n) or point.position.shape != (3,):
                raise ModelError(f"modes: point {name!r} must have a position (3,), shape and slope (3, {n})")
            if point.shortening is not None and point.shortening.shape != (3, n, n):
                raise ModelError(
                    f"modes: point {name!r} has a shortening of shape {point.shortening.shape}, (3, {n}, {n}) is wanted"
                )

    def with_damping(self, damping: Array) -> Modes:
        """The same body with another damping matrix (n, n)."""
        return replace(self, damping=damping)

    @classmethod
    def from_particles(
        cls,
        masses: Array,
        positions: Array,
        shapes: Array,
        *,
        stiffness: Array,
        damping: Array | None = None,
        rotary: Array | None = None,
        slopes: Array | None = None,
        shortenings: Array | None = None,
        points: Mapping[str, ModalPoint] | None = None,
    ) -> Modes:
        """Sum over particles (or quadrature points): masses (p,), positions (p, 3), shapes (p, 3, n).

        `rotary` (p, 3, 3) and `slopes` (p, 3, n) add each particle's own inertia, which rotates with the rate
        omega + omega x psi eta + psi eta_dot in its own frame, to first order;
        `shortenings` (p, 3, n, n), the second derivative of its displacement, gives the geometric stiffness.
        """
        phi = np.asarray(shapes, dtype=np.float64)
        n = phi.shape[2]
        R, F = _skew(positions), _skew(np.moveaxis(phi, 1, 2))  # (p, 3, 3), (p, n, 3, 3)
        RtF = np.einsum("p,pba,pjbc->jac", masses, R, F)
        second = np.einsum("p,pba,pbc->ac", masses, R, R)
        shape_moment = np.einsum("p,pab,pbj->aj", masses, R, phi)
        modal_mass = np.einsum("p,paj,pak->jk", masses, phi, phi)
        inertia_second = np.einsum("p,pjba,pkbc->jkac", masses, F, F)
        crossed = np.cross(phi[:, :, :, None], phi[:, :, None, :], axis=1)  # (p, 3, j, k): phi_j x phi_k
        shape_cross = np.einsum("p,pajk->jka", masses, crossed)
        if rotary is not None and slopes is not None:
            second = second + rotary.sum(axis=0)
            shape_moment = shape_moment + np.einsum("pab,pbj->aj", rotary, slopes)
            modal_mass = modal_mass + np.einsum("paj,pab,pbk->jk", slopes, rotary, slopes)
            turning = -np.moveaxis(_skew(np.moveaxis(slopes, 1, 2)), 1, 3)  # (p, 3, c, j): e_c x psi_j
            RtF = RtF + np.einsum("pca,padj->jcd", rotary, turning)
            inertia_second = inertia_second + np.einsum("pacj,pab,pbdk->jkcd", turning, rotary, turning)
            shape_cross = shape_cross + np.einsum("pacj,pab,pbk->jkc", turning, rotary, slopes)
        drawn = np.zeros((len(phi), 3, n, n)) if shortenings is None else shortenings
        bow = None
        if np.any(drawn):
            fields, amounts, moved = bow_fields(masses, drawn, points or {})
            more = len(amounts)
            nothing = np.zeros((n + more, n + more))
            turned = None if slopes is None else np.concatenate([slopes, np.zeros((*slopes.shape[:2], more))], axis=2)
            bow = Bow(
                cls.from_particles(
                    masses,
                    positions,
                    np.concatenate([phi, fields], axis=2),
                    stiffness=nothing,
                    rotary=rotary,
                    slopes=turned,
                    points=moved,
                ),
                amounts,
            )
        return cls(
            mass=float(np.sum(masses)),
            first=np.einsum("p,pa->a", masses, positions),
            second=second,
            shape_mass=np.einsum("p,paj->aj", masses, phi),
            shape_moment=shape_moment,
            shape_cross=shape_cross,
            modal_mass=modal_mass,
            inertia_first=RtF + np.swapaxes(RtF, 1, 2),
            inertia_second=inertia_second,
            stiffness=np.asarray(stiffness),
            damping=np.zeros((n, n)) if damping is None else np.asarray(damping),
            centrifugal=np.einsum("p,pajk,pb->abjk", masses, drawn, positions),
            accelerated=np.einsum("p,pajk->ajk", masses, drawn),
            points=points or {},
            bow=bow,
        )


def bow_fields(
    masses: Array, shortenings: Array, points: Mapping[str, ModalPoint]
) -> tuple[Array, Array, dict[str, ModalPoint]]:
    """Fields (p, 3, s), amounts (s, n, n) with shortenings = sum of fields times amounts, and the points with fields.

    Singular vectors in the kinetic metric: two modes need three fields, many need few more.
    """
    p, n = len(masses), shortenings.shape[2]
    weighted = np.sqrt(masses)[:, None, None] * shortenings.reshape(p, 3, n * n)
    _, sizes, V = np.linalg.svd(weighted.reshape(3 * p, n * n), full_matrices=False)
    V = V[sizes > BOW_ACCURACY * sizes[0]]
    fields = shortenings.reshape(p, 3, n * n) @ V.T
    peaks = np.abs(fields).max(axis=(0, 1))
    moved = {}
    for name, point in points.items():
        at = np.zeros((3, n, n)) if point.shortening is None else point.shortening
        shape = np.concatenate([point.shape, at.reshape(3, n * n) @ V.T / peaks], axis=1)
        moved[name] = ModalPoint(point.position, shape, np.concatenate([point.slope, np.zeros((3, len(V)))], axis=1))
    return fields / peaks, (V * peaks[:, None]).reshape(len(V), n, n), moved


def rigid_points(points: Mapping[str, Sequence[float]], n: int = 0) -> dict[str, ModalPoint]:
    """Points that no mode moves."""
    return {
        k: ModalPoint(np.asarray(p, dtype=np.float64), np.zeros((3, n)), np.zeros((3, n))) for k, p in points.items()
    }
