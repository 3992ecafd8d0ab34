"""A beam's nodes as its law sees them, relative to one of them, and what the law's forces are in the world."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, final

import casadi as ca

from motionbase.spatial.rotation_vectors import half_tangent, half_tangent_rate
from motionbase.spatial.rotations import Expr


class SectionFrame(NamedTuple):
    """A section of a beam in world axes: place [m], axes with x along the beam, velocity, angular velocity."""

    p: Expr
    R: Expr
    v: Expr
    omega: Expr

    @classmethod
    def still(cls, p: Expr, R: Expr) -> SectionFrame:
        """One at rest."""
        return cls(p, R, ca.SX(3, 1), ca.SX(3, 1))


@final
@dataclass(frozen=True)
class BeamPlaces:
    """Sections of a beam, the base last, and orientations relative to it.

    Attributes:
        h: axis times tan(angle / 2) of every section but the base, in the base's axes
    """

    frames: tuple[SectionFrame, ...]
    h: tuple[Expr, ...]

    @classmethod
    def of(cls, frames: Sequence[SectionFrame]) -> BeamPlaces:
        """Sections where they are, the base last."""
        *others, base = frames
        return cls(tuple(frames), tuple(half_tangent(base.R.T @ f.R) for f in others))

    @property
    def w(self) -> Expr:
        """Local coordinates: place in the base's axes and h of every other section."""
        *others, base = self.frames
        found = []
        for h, f in zip(self.h, others, strict=True):
            found += [base.R.T @ (f.p - base.p), h]
        return ca.vertcat(*found)

    @property
    def w_dot(self) -> Expr:
        """Their rates."""
        *others, base = self.frames
        found = []
        for h, f in zip(self.h, others, strict=True):
            v = f.v - base.v - ca.cross(base.omega, f.p - base.p)
            found += [base.R.T @ v, half_tangent_rate(h) @ (base.R.T @ (f.omega - base.omega))]
        return ca.vertcat(*found)

    def wrenches(self, force: Expr) -> list[tuple[Expr, Expr]]:
        """Force and moment on every section, in world axes, that do the work of a generalised force on w."""
        *others, base = self.frames
        found, on_base = list[tuple[Expr, Expr]](), (ca.SX(3, 1), ca.SX(3, 1))
        for n, (h, f) in enumerate(zip(self.h, others, strict=True)):
            push = base.R @ force[6 * n : 6 * n + 3]
            moment = base.R @ (half_tangent_rate(h).T @ force[6 * n + 3 : 6 * n + 6])
            found.append((push, moment))
            on_base = on_base[0] - push, on_base[1] - moment - ca.cross(f.p - base.p, push)
        return [*found, on_base]
