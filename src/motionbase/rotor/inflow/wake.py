"""The wake of a hovering rotor: each blade's tip vortex, and the vortex sheet inboard of it; what they induce.

Lengths are over the radius, velocities over tip speed, circulation over their product. One blade stands along x and
moves along y; the wake repeats behind every other blade. Vortices leave a blade along its chord, then as helices.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array
from motionbase.errors import ModelError
from motionbase.rotor.blades.planform import Planform
from motionbase.rotor.inflow.vortices import far_velocity, segment_velocity

SHEET = 2.2, 2.7  # fall of the sheet's outer end over sqrt(C_T / 2), before and after the first blade (Landgrebe 1972)
SHARPNESS = 16  # power of the circulation by which the radius of its peak is weighted
SLOWEST = 1e-4  # fall of a sheet's filaments per radian, so that the far wake is finite


@final
@dataclass(frozen=True)
class Detail:
    """How finely a wake is computed.

    Attributes:
        segments: of a blade, narrow near its ends
        steps: of a filament in each turn
        turns: of filaments; beyond them the wake is a cylinder
        free: turns in which tip vortices go with the flow; beyond them they are helices
        core: radius of vortex cores over the mean chord
        roll_up: angle behind the blade over which the outer vortices become one [rad]
    """

    segments: int = 24
    steps: int = 36
    turns: int = 8
    free: int = 2
    core: float = 0.1
    roll_up: float = np.pi / 4

    def __post_init__(self) -> None:
        if self.segments < 4 or self.steps < 12:
            raise ModelError(
                f"wake: {self.segments} segments and {self.steps} steps, 4 segments and 12 steps are the least"
            )
        if not 1 <= self.free < self.turns:
            raise ModelError(f"wake: {self.free} free turns of {self.turns}, must be 1 or more, and fewer than all")
        if not 0 < self.core <= 1 or not 0 < self.roll_up <= np.pi:
            raise ModelError(
                f"wake: core {self.core:g} chords and roll-up over {self.roll_up:g} rad, must be above 0, to 1 and pi"
            )


@final
@dataclass(frozen=True, eq=False)
class TipVortex:
    """Radius and height of a blade's tip vortex, by age."""

    r: Array
    z: Array


class WakeGrid:
    """What of a wake does not depend on its shape: segments of the blade, ages of filaments."""

    def __init__(self, rotor: Planform, detail: Detail) -> None:
        root, n = rotor.root / rotor.radius, detail.segments
        angle = np.linspace(0, np.pi, n + 1)
        middle = (angle[1:] + angle[:-1]) / 2
        self.blades, self.detail = rotor.blades, detail
        self.edges = root + (1 - root) * (1 - np.cos(angle)) / 2
        self.centres = root + (1 - root) * (1 - np.cos(middle)) / 2
        self.chord = rotor.chord_at(self.centres * rotor.radius) / rotor.radius
        self.core = detail.core * float(self.chord.mean())
        self.step = 2 * np.pi / detail.steps
        self.age = np.arange(detail.turns * detail.steps + 1) * self.step
        self.free = detail.free * detail.steps + 1
        self.near = int(np.ceil(detail.roll_up / self.step - 1e-9)) + 1
        self.twist = float(np.rad2deg(np.diff(rotor.twist_at([0.0, rotor.radius]))[0]))
        # quarter chord and trailing edge at the segments' edges; a vortex at the tip leaves at angle `start`
        behind = 0.75 * np.interp(self.edges, self.centres, self.chord)
        self.line = np.stack([self.edges, 0 * behind, 0 * behind], axis=-1)
        self.trailing = self.line - np.stack([0 * behind, behind, 0 * behind], axis=-1)
        self.start = float(np.arctan2(behind[-1], 1.0))

    @cached_property
    def shed(self) -> Array:
        """(edges, segments): circulation that leaves at the edges, by that of the segments."""
        n = self.detail.segments
        return np.eye(n + 1, n, -1) - np.eye(n + 1, n)

    def outer(self, circulation: Array) -> Array:
        """Part of the circulation shed at each edge that becomes the tip vortex: what is shed outboard of the peak.

        The peak is a mean radius weighted with a high power of circulation, which, unlike the radius of the largest
        value, changes smoothly; the tip vortex has then nearly the largest circulation.
        """
        weight = np.maximum(circulation / circulation.max(), 0.0) ** SHARPNESS * np.diff(self.edges)
        peak = np.sum(weight * self.centres) / np.sum(weight)
        low, high = np.append(self.edges[0], self.centres), np.append(self.centres, self.edges[-1])
        return np.asarray(np.clip((high - peak) / (high - low), 0.0, 1.0))

    def fall(self, induced: float, climb: float) -> Array:
        """(edges, ages): height of the sheet, straight along the radius (Landgrebe 1972).

        Args:
            induced, climb: velocity through the disk by momentum theory, and of climb
        """
        first = 2 * np.pi / self.blades
        early, late = np.minimum(self.age, first), np.maximum(self.age - first, 0.0)
        centre = max(0.0, -self.twist / 128 * (0.45 * self.twist + 18)) * late
        e = self.edges[:, None]
        found = -induced * ((1 - e) * centre + e * (SHEET[0] * early + SHEET[1] * late)) - climb * self.age
        return np.asarray(np.minimum(found, -SLOWEST * self.age))

    def at_tip(self, tip: TipVortex) -> Array:
        """(ages, 3): points of the first blade's tip vortex."""
        angle = -(self.age + self.start)
        return np.stack([tip.r * np.cos(angle), tip.r * np.sin(angle), tip.z], axis=-1)

    def influence(self, points: Array, tip: TipVortex, sheet: Array, outer: Array, *, at_blade: bool) -> Array:
        """(points, segments, 3): velocity for a circulation of one of each segment, of the bound vortices and the wake.

        Args:
            sheet: its heights, from `fall`
            outer: part of what is shed that becomes the tip vortex
            at_blade: points are on the first blade, whose own near wake has no core; else they are of the wake, and
                the tip vortex counts as one line from the blade on
        """
        inner_lines, outer_lines = self._lines(tip, sheet, merged=not at_blade)
        line = self.at_tip(tip)[self.near - 1 :]
        shed = np.zeros((3, len(points), len(self.edges)))
        rolled, bound = np.zeros((3, len(points))), np.zeros((3, len(points), len(self.centres)))
        for k in range(self.blades):
            own = at_blade and k == 0
            for lines, part in ((inner_lines, 1 - outer), (outer_lines, outer)):
                core = np.where(np.arange(lines.shape[1] - 1) <= self.near, 0.0, self.core) if own else self.core
                turned = _turned(lines, 2 * np.pi * k / self.blades)
                cores = np.broadcast_to(core, (len(lines), lines.shape[1] - 1)).ravel()
                v = segment_velocity(points, turned[:, :-1].reshape(-1, 3), turned[:, 1:].reshape(-1, 3), cores)
                shed += v.reshape(3, len(points), len(lines), -1).sum(axis=-1) * part
            turned = _turned(line, 2 * np.pi * k / self.blades)
            rolled += segment_velocity(points, turned[:-1], turned[1:], self.core).sum(axis=-1)
            turned = _turned(self.line, 2 * np.pi * k / self.blades)
            bound += segment_velocity(points, turned[:-1], turned[1:], 0.0 if own else self.core)
        z = points[:, 2]
        fall = max((tip.z[-2] - tip.z[-1]) / self.step, SLOWEST)
        rolled[2] -= far_velocity(z - tip.z[-1], tip.r[-1], fall, self.blades)
        rates = (sheet[:, -2] - sheet[:, -1]) / self.step
        radii = self.edges * tip.r[-1] / tip.r[0]
        shed[2] -= far_velocity(z[:, None] - sheet[:, -1], radii, rates, self.blades) * (1 - outer)
        shed += rolled[:, :, None] * outer
        return np.moveaxis(shed @ self.shed + bound, 0, -1)

    def _lines(self, tip: TipVortex, sheet: Array, *, merged: bool) -> tuple[Array, Array]:
        """(edges, points, 3) twice: filaments of the sheet, and those that become the tip vortex until they have."""
        inner = _turned(self.trailing[:, None] * (tip.r / tip.r[0])[:, None], -self.age)
        inner[..., 2] = sheet
        near = self.near
        part = np.clip(self.age[:near] / self.detail.roll_up, 0.0, 1.0)
        part = (np.ones(near) if merged else part**2 * (3 - 2 * part))[:, None]
        behind = np.array([np.cos(self.start), -np.sin(self.start), 0.0])
        outer = (1 - part) * self.trailing[:, None] + part * (tip.r[:near, None] * behind)
        outer = _turned(outer, -self.age[:near])
        outer[..., 2] = tip.z[:near]
        lead = self.line[:, None]
        return np.concatenate([lead, inner], axis=1), np.concatenate([lead, outer], axis=1)


def _turned(points: Array, angle: ArrayLike) -> Array:
    """About z."""
    c, s = np.cos(angle), np.sin(angle)
    x, y = points[..., 0], points[..., 1]
    return np.stack([c * x - s * y, s * x + c * y, np.broadcast_to(points[..., 2], np.shape(c * x))], axis=-1)
