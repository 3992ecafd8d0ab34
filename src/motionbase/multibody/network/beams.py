"""Beams between nodes: one routine for all that have as many nodes and entries of stiffness."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.multibody.elements import Beam
from motionbase.multibody.elements.beam_frames import BeamPlaces, SectionFrame
from motionbase.multibody.network.constraints import MARKER_SIZE, Marker, frame
from motionbase.multibody.network.parts import AbstractPart, Equations, Moment
from motionbase.multibody.network.sites import Sites
from motionbase.spatial import skew
from motionbase.spatial.rotation_vectors import half_tangent_rate
from motionbase.spatial.rotations import Expr


@final
@dataclass(frozen=True, eq=False)
class BeamForce(AbstractPart):
    """A beam as it acts on nodes.

    Attributes:
        nodes, markers: where its sections are, the base last
        law_numbers: lengths, strains without stress, stiffness, damping
    """

    indifferent: ClassVar[bool] = True
    name: str
    beam: Beam
    nodes: tuple[int | None, ...]
    markers: tuple[Marker, ...]
    law_numbers: Array

    @classmethod
    def of(cls, beam: Beam, sites: Sites) -> BeamForce:
        """A beam of a model."""
        nodes, markers = [], []
        for body, point, axes in beam.nodes:
            site = sites.at(body, point)
            nodes.append(site.node)
            markers.append(Marker(site.r, np.asarray(axes)))
        return cls(beam.name, beam, tuple(nodes), tuple(markers), beam.numbers(sites.model))

    @property
    def kind(self) -> Hashable:
        """Number of nodes, pattern of the stiffness, whether it damps."""
        return "beam", tuple(n is None for n in self.nodes), self.beam.pattern, self.beam.damping > 0

    @property
    def numbers(self) -> Array:
        """Markers, then what the law takes."""
        return np.concatenate([*(m.numbers for m in self.markers), self.law_numbers])

    def equations(self, at: Moment) -> Equations:
        """Wrenches on the nodes."""
        sections, arms = self._sections(at)
        places = BeamPlaces.of(sections)
        force = self.beam.law.force.call(self._given(at, places))[0]
        return Equations(_about_nodes(places, arms, force), ca.SX(0, 1))

    def derivatives(self, at: Moment, moved: Moment, by: Sequence[Expr]) -> list[Expr]:
        """By the chain rule through the law's few coordinates: far shorter than differentiating the wrenches.

        Wrenches are T' F with F the forces on sections relative to the base; T gives the motion relative to it.
        """
        sections, arms = self._sections(at)
        places, given = BeamPlaces.of(sections), self._given(at, BeamPlaces.of(sections))
        force, (by_w, by_w_dot) = self.beam.law.force.call(given)[0], self.beam.law.slope.call(given)
        relative = Relative.of(places, arms, [p.R for p in at.places], force)
        S = relative.local.T @ by_w @ relative.local + relative.turning
        along = S @ relative.T + relative.carried
        if self.beam.damping:  # strain rates change with the places too
            after = BeamPlaces.of(self._sections(moved)[0])
            shift = ca.substitute(ca.jacobian(after.w_dot, by[0]), by[0], ca.SX.zeros(by[0].shape))
            along += relative.local.T @ by_w_dot @ self._spread(shift)
        by_rate = relative.T.T @ (relative.local.T @ by_w_dot @ relative.local) @ relative.T
        nothing = [ca.SX(6 * len(self.nodes), d.shape[0]) for d in by[2:]]
        return [self._moving(relative.T.T @ along + relative.shifted), self._moving(by_rate), *nothing]

    @property
    def _columns(self) -> list[int]:
        """Of the nodes that move, among six for each node."""
        return [6 * k + i for k, node in enumerate(self.nodes) if node is not None for i in range(6)]

    def _moving(self, J: Expr) -> Expr:
        return J[:, self._columns]

    def _spread(self, J: Expr) -> Expr:
        """Columns of moving nodes among those of all."""
        found = ca.SX(J.shape[0], 6 * len(self.nodes))
        found[:, self._columns] = J
        return found

    def _given(self, at: Moment, places: BeamPlaces) -> list[Expr]:
        return [ca.SX(places.w), ca.SX(places.w_dot), at.numbers[len(self.nodes) * MARKER_SIZE :]]

    def _sections(self, at: Moment) -> tuple[list[SectionFrame], list[Expr]]:
        """Sections in the world, and their places relative to the nodes."""
        sections, arms = [], []
        for k, place in enumerate(at.places):
            marker = at.numbers[k * MARKER_SIZE : (k + 1) * MARKER_SIZE]
            section, arm = frame(place, marker), place.R @ marker[:3]
            sections.append(SectionFrame(*section, place.v + ca.cross(place.omega, arm), place.omega))
            arms.append(arm)
        return sections, arms


def _about_nodes(places: BeamPlaces, arms: Sequence[Expr], force: Expr) -> list[tuple[Expr, Expr]]:
    """Force and moment on each node."""
    pushed = zip(places.wrenches(force), arms, strict=True)
    return [(push, moment + ca.cross(arm, push)) for (push, moment), arm in pushed]


class Relative(NamedTuple):
    """How sections move relative to the base, and what that does to the wrenches; (6 m, ...) for m other sections.

    Attributes:
        T: (6 m, 6 n) small motion of every other section relative to the base, in world axes, for those of the nodes in
            their own axes
        local: (6 m, 6 m) change of the law's coordinates for such a motion
        turning: (6 m, 6 m) change of the moments for such a motion, forces of the law held
        carried: (6 m, 6 n) change of the forces as they turn with the base
        shifted: (6 n, 6 n) change of the wrenches as arms and the nodes' axes change, forces held
    """

    T: Expr
    local: Expr
    turning: Expr
    carried: Expr
    shifted: Expr

    @classmethod
    def of(cls, places: BeamPlaces, arms: Sequence[Expr], Rs: Sequence[Expr], force: Expr) -> Relative:
        """At sections which stand at `arms` from their nodes, whose axes are Rs, with generalised forces of the law."""
        n, m, b = len(arms), len(arms) - 1, len(arms) - 1
        T, local, turning, carried = (ca.SX(6 * m, size) for size in (6 * n, 6 * m, 6 * m, 6 * n))
        xi = ca.SX.sym("xi", 6 * n)
        R, R_b, eye = places.frames[b].R, Rs[b], ca.SX.eye(3)
        x_b, theta_b = slice(6 * b, 6 * b + 3), slice(6 * b + 3, 6 * b + 6)
        wrenches = places.wrenches(force)
        shifts, on_base = list[Expr](), ca.SX(3, 1)
        for k, h in enumerate(places.h):
            push, moment = wrenches[k]
            reach = places.frames[k].p - places.frames[b].p + arms[b]  # from the base's node
            p, turn = slice(6 * k, 6 * k + 3), slice(6 * k + 3, 6 * k + 6)
            T[p, p], T[p, turn], T[turn, turn] = Rs[k], -skew(arms[k]) @ Rs[k], Rs[k]
            T[p, x_b], T[p, theta_b], T[turn, theta_b] = -R_b, skew(reach) @ R_b, -R_b
            G, n_h = half_tangent_rate(h), force[turn]
            local[p, p], local[turn, turn] = R.T, G @ R.T
            # G' n_h changes with h
            dG = 0.5 * (-skew(n_h) + ca.dot(h, n_h) * eye + h @ n_h.T)
            turning[turn, turn] = R @ dG @ G @ R.T
            carried[p, theta_b], carried[turn, theta_b] = -skew(push) @ R_b, -skew(moment) @ R_b
            arm = ca.cross(Rs[k] @ xi[turn], arms[k])
            about = moment + ca.cross(arms[k], push)
            shifts += _turned(Rs[k], xi[turn], push, ca.SX(3, 1)) + _turned(Rs[k], xi[turn], about, ca.cross(arm, push))
            on_base -= ca.cross(Rs[k] @ xi[p] + arm - R_b @ xi[x_b], push)
        push, moment = wrenches[b]
        about = moment + ca.cross(arms[b], push)
        shifts += _turned(R_b, xi[theta_b], push, ca.SX(3, 1)) + _turned(R_b, xi[theta_b], about, on_base)
        return cls(T, local, turning, carried, ca.jacobian(ca.vertcat(*shifts), xi))


def _turned(R: Expr, turn: Expr, held: Expr, change: Expr) -> list[Expr]:
    """Change of a vector in the axes R as these turn, and it changes in the world."""
    return [R.T @ change + ca.cross(R.T @ held, turn)]
