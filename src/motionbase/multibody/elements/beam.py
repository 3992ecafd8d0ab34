"""A geometrically exact beam between two or three bodies, which are its nodes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, cast, final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError
from motionbase.multibody.body import GROUND, ZERO, Vector, check_name, numbers_of, shown
from motionbase.multibody.elements.abstract import AbstractElement, Load, Wrench
from motionbase.multibody.elements.beam_frames import BeamPlaces, SectionFrame
from motionbase.multibody.elements.beam_strain import BeamLaw, Pattern, beam_law, integration_points, strains
from motionbase.multibody.joint import IDENTITY, checked_rotation
from motionbase.multibody.lookup import Point, check_place, checked_number, checked_point, checked_positive
from motionbase.spatial.rotations import Expr

if TYPE_CHECKING:
    from motionbase.multibody.model import Model
    from motionbase.multibody.tree.state import TreeState

Six = tuple[float, float, float, float, float, float]
Matrix = tuple[Vector, Vector, Vector]
SLANT = math.cos(math.radians(45.0))  # a reference whose sections lean more than this is an error in their axes


@final
@dataclass(frozen=True)
class Beam(AbstractElement):
    """A length of beam; bodies give it nodes and mass, it gives them elastic forces.

    Attributes:
        bodies: two or three nodes in order along the beam, the ground among them if need be; with three the second is
            half-way
        stiffness: (6,) EA, GA_y, GA_z [N], GJ, EI_y, EI_z [N m^2], or a symmetric (6, 6) in this order
        damping: time [s] by which stress leads: stress = stiffness (strain + damping strain_dot)
        points: of each body: where the beam's line goes through it
        axes: (3, 3) of each body: the section's axes in the body's frame, x along the beam; those of the body if None
        length: [m]; what the model's neutral coordinates make it if None
        rest: strains without stress, the derivative of position along the beam and its curvature in section axes, six
            numbers, or (2, 6) at a beam of three nodes' Gauss points; what the model's neutral coordinates make them
            if None. A straight beam has (1, 0, 0, 0, 0, 0), one bent about z (1, 0, 0, 0, 0, 1 / radius)
    """

    name: str
    bodies: tuple[str, ...]
    stiffness: Six | tuple[Six, ...]
    damping: float = 0.0
    points: tuple[Point, ...] = ()
    axes: tuple[Matrix, ...] | None = None
    length: float | None = None
    rest: Six | tuple[Six, Six] | None = None

    def __post_init__(self) -> None:
        check_name("beam", self.name)
        owner, nodes = f"beam {self.name!r}", cast(Any, self.bodies)
        if isinstance(nodes, str) or not isinstance(nodes, Sequence) or len(nodes) not in (2, 3):
            raise ModelError(f"{owner}: bodies are {shown(nodes)}, the names of two or three are wanted")
        if len(set(nodes)) < len(nodes):
            raise ModelError(f"{owner}: bodies are {shown(nodes)}, they must differ")
        count = len(nodes)
        points, axes = tuple(self.points) or (ZERO,) * count, self.axes or (IDENTITY,) * count
        for what, given in (("points", points), ("axes", axes)):
            if len(given) != count:
                raise ModelError(f"{owner}: {len(given)} {what} came, it has {count} bodies")
        object.__setattr__(self, "bodies", tuple(nodes))
        object.__setattr__(self, "points", tuple(checked_point(owner, "a point", p) for p in points))
        object.__setattr__(self, "axes", tuple(checked_rotation(f"{owner}: axes", R) for R in axes))
        object.__setattr__(self, "stiffness", _checked_stiffness(owner, self.stiffness))
        checked_number(owner, "damping", self.damping, "s", least=0.0)
        if self.length is not None:
            checked_positive(owner, "length", self.length, "m")
        if self.rest is not None:
            rest = numbers_of(self.rest)
            shapes = ((6,), (integration_points(count), 6))
            if rest is None or rest.shape not in shapes or not np.all(np.isfinite(rest)):
                raise ModelError(f"{owner}: rest is {shown(self.rest)}, six finite strains are wanted")
            rows = np.broadcast_to(rest, shapes[1])
            object.__setattr__(self, "rest", tuple(tuple(row) for row in rows.tolist()))

    def check(self, model: Model) -> None:
        """The nodes are there, and apart; sections stand across the beam."""
        owner = f"beam {self.name!r}"
        for body, point in zip(self.bodies, self.points, strict=True):
            check_place(owner, model, body, point)
        if self.length is not None and self.rest is not None:
            return
        reference = self.reference(model)
        for strain in reference.rest:
            if not strain[0] > SLANT * float(np.linalg.norm(strain[:3])):
                raise ModelError(
                    f"{owner}: at the neutral coordinates its sections' x axes do not point along it (the line goes "
                    f"along {np.round(strain[:3], 3).tolist()} in section axes); give axes, or bodies in order"
                )

    def reference(self, model: Model) -> Reference:
        """Lengths and strains without stress."""
        count = len(self.bodies)
        if self.length is not None and self.rest is not None:
            points = integration_points(count)
            return Reference(np.full(points, self.length / points), np.array(self.rest))
        frames = self._neutral_frames(model)
        points = integration_points(count)
        unit = np.array(ca.evalf(strains(BeamPlaces.of(frames).w, ca.SX.ones(points)))).T
        lengths = np.array([np.linalg.norm(e[:3]) for e in unit])
        if min(lengths) < 1e-9:
            raise ModelError(
                f"beam {self.name!r}: its nodes {', '.join(self.bodies)} coincide at the neutral coordinates; give "
                "length and rest, or another point of a body"
            )
        if self.length is not None:
            lengths *= self.length / lengths.sum()
        rest = np.array([e / l for e, l in zip(unit, lengths, strict=True)]) if self.rest is None else self.rest
        return Reference(lengths, np.array(rest))

    def _neutral_frames(self, model: Model) -> list[SectionFrame]:
        """Of the sections, at the coordinates at which every child frame is its joint frame."""
        found = []
        for body, point, axes in self.nodes:
            where = model.body(body).points[point] if isinstance(point, str) else point
            p, R, name = np.asarray(where, dtype=np.float64), np.asarray(axes), body
            while name != GROUND:
                joint = model.joints[model.index[name]]
                at = joint.position
                if isinstance(at, str):
                    at = model.body(joint.parent).points[at]
                R_pj = np.asarray(joint.orientation)
                p, R, name = np.asarray(at) + R_pj @ p, R_pj @ R, joint.parent
            found.append(SectionFrame.still(ca.SX(ca.DM(p)), ca.SX(ca.DM(R))))
        return found

    # ---- forces ----------------------------------------------------------------------------------------------------

    @property
    def nodes(self) -> tuple[tuple[str, Point, Matrix], ...]:
        """Body, point and section axes of each node in the law's order: of three the middle one comes last."""
        given = tuple(zip(self.bodies, self.points, self.axes or (), strict=True))
        return given if len(given) == 2 else (given[0], given[2], given[1])

    @property
    def pattern(self) -> Pattern:
        """Entries of the stiffness's lower triangle that are not zero."""
        C = np.asarray(self.stiffness)
        return tuple((i, j) for i in range(6) for j in range(i + 1) if C[i, j])

    @property
    def law(self) -> BeamLaw:
        """Shared by all beams of its kind."""
        return beam_law(len(self.bodies), self.pattern, self.damping > 0)

    def numbers(self, model: Model) -> Array:
        """What the law takes: lengths, strains without stress, stiffness, damping."""
        lengths, rest = self.reference(model)
        C = np.asarray(self.stiffness)
        entries = [C[at] for at in self.pattern]
        return np.concatenate([lengths, rest.ravel(), entries, [self.damping] if self.damping else []])

    def load(self, state: TreeState, inputs: Sequence[Expr]) -> Load:
        """Elastic and damping forces at the nodes."""
        places, (force, _, _) = self._evaluated(state)
        found = [
            Wrench(body, point, ca.vertcat(moment, push))
            for (body, point, _), (push, moment) in zip(self.nodes, places.wrenches(force), strict=True)
        ]
        return Load(wrenches=tuple(found))

    def energy(self, state: TreeState) -> Expr:
        """Of stretch, shear, twist and bending."""
        return self._evaluated(state)[1][1]

    def strain(self, state: TreeState) -> Expr:
        """(6, points) strains beyond those without stress: stretch and shears, then twist and curvatures [1/m]."""
        return ca.reshape(self._evaluated(state)[1][2], 6, -1)

    def _evaluated(self, state: TreeState) -> tuple[BeamPlaces, list[Expr]]:
        frames = []
        for body, point, axes in self.nodes:
            at = state.point(body, point)
            frames.append(SectionFrame(at.p, at.R @ ca.DM(axes), at.velocity[3:], at.velocity[:3]))
        places = BeamPlaces.of(frames)
        numbers = ca.SX(ca.DM(self.numbers(state.model)))
        return places, self.law.force.call([ca.SX(places.w), ca.SX(places.w_dot), numbers])


class Reference(NamedTuple):
    """A beam without stress: at each integration point the length it stands for [m] and the strains (6,)."""

    lengths: Array
    rest: Array


def _checked_stiffness(owner: str, given: object) -> tuple[tuple[float, ...], ...]:
    """A symmetric (6, 6) with positive eigenvalues, after scaling its diagonal to one."""
    C = numbers_of(given)
    if C is None or C.shape not in ((6,), (6, 6)) or not np.all(np.isfinite(C)):
        raise ModelError(f"{owner}: stiffness is {shown(given)}, 6 or 6x6 finite numbers are wanted")
    if C.shape == (6,):
        C = np.diag(C)
    names = ("EA", "GA_y", "GA_z", "GJ", "EI_y", "EI_z")
    for name, value in zip(names, np.diag(C), strict=True):
        if value <= 0.0:
            raise ModelError(f"{owner}: {name} is {value:g}, it must be positive")
    size = np.sqrt(np.diag(C))
    unit = C / np.outer(size, size)
    if not np.allclose(unit, unit.T, rtol=0, atol=1e-9):
        raise ModelError(f"{owner}: stiffness is not symmetric")
    if np.linalg.eigvalsh(unit)[0] <= 0.0:
        raise ModelError(f"{owner}: stiffness is not positive definite; some strain would release energy")
    return tuple(tuple(row) for row in (0.5 * (C + C.T)).tolist())
