"""Hover and climb with a free wake: lifting lines of the blades, and tip vortices that go where the air takes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError
from motionbase.rotor.blades.planform import Planform
from motionbase.rotor.inflow.hover import Hover, hover
from motionbase.rotor.inflow.vortices import arc_velocity
from motionbase.rotor.inflow.wake import Detail, TipVortex, WakeGrid

ROUNDS = 300
RELAXATION = 0.25
SETTLED = 1e-5  # change of a round in the tip vortices' places, over the radius
BALANCED = 1e-10  # circulation less that of the sections
RADII = 0.2, 1.5  # of a tip vortex
SMALLEST_THRUST = 1e-5  # C_T below which a wake does not fall away from its rotor


@final
@dataclass(frozen=True, eq=False)
class Sections:
    """What the blade's segments do at some circulation.

    Attributes:
        through, along: velocity across and in the plane of the disk, over tip speed
        alpha: angle of attack [rad]
        surplus: circulation less that which lift at this angle has
    """

    through: Array
    along: Array
    alpha: Array
    coefficients: Array
    slope: Array
    surplus: Array


class LiftingLine:
    """Circulation along a blade whose segments follow their airfoil tables, at the flow at three-quarter chord.

    There a flat plate with its vortex at quarter chord is tangent to the flow (Weissinger 1947), and a straight
    vortex without end would induce circulation / (pi chord) upon it, which is in the tables already.
    """

    def __init__(self, rotor: Planform, grid: WakeGrid, collective: float, climb: float) -> None:
        self.rotor, self.grid, self.climb = rotor, grid, climb
        self.pitch = collective + rotor.twist_at(grid.centres * rotor.radius)
        at = np.zeros_like(grid.centres)
        self.quarter = np.stack([grid.centres, at, at], axis=-1)
        self.three_quarter = np.stack([grid.centres, -grid.chord / 2, at], axis=-1)

    def at(self, circulation: Array, influence: Array) -> Sections:
        """The segments in the wake's flow."""
        grid, rotor = self.grid, self.rotor
        through, along = self.climb - influence[..., 2] @ circulation, grid.centres - influence[..., 1] @ circulation
        speed, alpha = np.hypot(through, along), self.pitch - np.arctan2(through, along)
        mach = speed * rotor.tip_speed / rotor.sound
        found = rotor.airfoil.at(alpha, mach)
        surplus = circulation - speed * grid.chord * found[:, 0] / 2
        return Sections(through, along, alpha, found, rotor.airfoil.slopes(alpha, mach)[:, 0], surplus)

    def attached(self, influence: Array) -> Array:
        """Circulation if lift grew with the angle for ever; a start from which stalled solutions are not met."""
        x, chord = self.grid.centres, self.grid.chord
        slope = self.rotor.airfoil.slopes(np.zeros_like(x), x * self.rotor.tip_speed / self.rotor.sound)[:, 0]
        A = np.eye(len(x)) - (chord * slope / 2)[:, None] * influence[..., 2]
        return np.asarray(np.linalg.solve(A, chord * slope / 2 * (x * self.pitch - self.climb)))

    def balanced(self, circulation: Array, influence: Array) -> Array:
        """Circulation that is that of the sections' lift, by Newton's method with shorter steps where it overshoots."""
        chord, held = self.grid.chord, np.eye(len(circulation))
        here = self.at(circulation, influence)
        for _ in range(40):
            if (worst := np.abs(here.surplus).max()) < BALANCED:
                break
            speed = np.hypot(here.through, here.along)
            of_along, of_through = -influence[..., 1], -influence[..., 2]
            sin, cos = (here.through / speed)[:, None], (here.along / speed)[:, None]
            angle = (cos * of_through - sin * of_along) / speed[:, None]
            faster = cos * of_along + sin * of_through
            lift = (chord * here.coefficients[:, 0] / 2)[:, None] * faster
            step = -np.linalg.solve(held + (speed * chord * here.slope / 2)[:, None] * angle - lift, here.surplus)
            part = 1.0
            there = self.at(circulation + step, influence)
            while np.abs(there.surplus).max() > (1 - 0.1 * part) * worst and part > 1e-3:
                part /= 2
                there = self.at(circulation + part * step, influence)
            circulation, here = circulation + part * step, there
        return circulation

    def influence(self, tip: TipVortex, sheet: Array, outer: Array) -> Array:
        """Of the wake and the bound vortices at three-quarter chord, less what is in the tables."""
        found = self.grid.influence(self.three_quarter, tip, sheet, outer, at_blade=True)
        found[..., 2] += np.diag(1 / (np.pi * self.grid.chord))
        return found


def wake_hover(rotor: Planform, collective: float, climb: float = 0.0, detail: Detail | None = None) -> Hover:
    """The steady state with tip vortices that go with the flow.

    Rounds of two steps: circulation in the present wake, then part of the way to the wake that this flow carries.

    Args:
        collective: pitch at the centre [rad]
        climb: speed [m/s], not negative
        detail: how finely; `Detail()` unless given
    """
    momentum = hover(rotor, collective, climb)
    where = f"rotor {rotor.name!r} at a collective of {np.rad2deg(collective):g} degrees"
    if climb < 0:
        raise ModelError(f"{where}: climb is {climb:g} m/s, the wake model needs 0 or more; momentum theory takes any")
    ct, lam_c = momentum.thrust_coefficient, climb / rotor.tip_speed
    if ct < SMALLEST_THRUST:
        raise ModelError(f"{where} has no thrust (C_T {ct:.2g}), so no wake falls away from it; take momentum theory")
    grid = WakeGrid(rotor, detail or Detail())
    blade = LiftingLine(rotor, grid, collective, lam_c)
    tip, outer = _first_wake(grid, ct, lam_c), np.clip(5 * grid.edges - 4, 0, 1)
    circulation, moved = np.zeros(0), np.inf
    for _ in range(ROUNDS):
        sheet = grid.fall(_induced(ct, lam_c), lam_c)
        influence = blade.influence(tip, sheet, outer)
        circulation = blade.balanced(circulation if len(circulation) else blade.attached(influence), influence)
        state = blade.at(circulation, influence)
        found = _thrust(grid, state)
        settled = moved < SETTLED and np.abs(state.surplus).max() < 1e3 * BALANCED
        if np.max(circulation) <= 0 or (settled and found < SMALLEST_THRUST):
            raise ModelError(f"{where} has no thrust in its wake; take momentum theory")
        if settled:
            at_line = grid.influence(blade.quarter, tip, sheet, outer, at_blade=True)
            return _result(rotor, blade, collective, circulation, at_line, state)
        carried = _carried(grid, tip, sheet, outer, circulation, lam_c)
        moved = float(max(np.abs(carried.r - tip.r)[: grid.free].max(), np.abs(carried.z - tip.z)[: grid.free].max()))
        tip = TipVortex(
            tip.r + RELAXATION * (carried.r - tip.r), np.minimum(tip.z + RELAXATION * (carried.z - tip.z), 0)
        )
        ct = max(ct + RELAXATION * (found - ct), SMALLEST_THRUST)
        outer = outer + 2 * RELAXATION * (grid.outer(circulation) - outer)
    raise ModelError(
        f"{where}: the wake does not settle, its tip vortices still move by {moved:.2g} R; take momentum theory"
    )


def _induced(ct: float, lam_c: float) -> float:
    """Through the disk, by momentum theory, less the climb."""
    return float(np.sqrt((lam_c / 2) ** 2 + ct / 2) - lam_c / 2)


def _first_wake(grid: WakeGrid, ct: float, lam_c: float) -> TipVortex:
    """A wake to start from, like those that Landgrebe saw."""
    first, induced = 2 * np.pi / grid.blades, _induced(ct, lam_c)
    early, late = np.minimum(grid.age, first), np.maximum(grid.age - first, 0.0)
    r = 0.78 + 0.22 * np.exp(-(0.145 + 27 * ct) * grid.age)
    return TipVortex(r, -induced * (0.4 * early + 1.41 * late) - lam_c * grid.age)


def _carried(grid: WakeGrid, tip: TipVortex, sheet: Array, outer: Array, circulation: Array, lam_c: float) -> TipVortex:
    """The tip vortex that the flow along the present one carries, from the centroid of what is shed outboard."""
    n, step = grid.free, grid.step
    shed = outer * (grid.shed @ circulation)
    v = grid.influence(grid.at_tip(tip)[:n], tip, sheet, outer, at_blade=False)
    v = np.einsum("pjc,j->pc", v, circulation)
    own = shed.sum() * arc_velocity(tip.r[:n], step, grid.core)
    own[0] /= 2  # an arc on one side only
    angle = grid.age[:n] + grid.start
    rates = v[:, 0] * np.cos(angle) - v[:, 1] * np.sin(angle), v[:, 2] - own - lam_c
    r, z = (np.append(0.0, np.cumsum((rate[1:] + rate[:-1]) / 2) * step) for rate in rates)
    r = np.clip(r + np.sum(shed * grid.edges) / shed.sum(), *RADII)  # rounds may overshoot; what settles does not
    # beyond, a helix with the fall of the last free turn and the mean radius of its second half
    rest = grid.age[n:] - grid.age[n - 1]
    rate = (z[-1] - z[-1 - grid.detail.steps]) / (2 * np.pi)
    mean = r[-grid.detail.steps // 2 :].mean()
    return TipVortex(np.append(r, mean + (r[-1] - mean) * np.exp(-rest)), np.append(z, z[-1] + rate * rest))


def _loads(grid: WakeGrid, coefficients: Array, through: Array, along: Array) -> tuple[Array, Array]:
    """Thrust and torque coefficients per radius."""
    speed2, phi = through**2 + along**2, np.arctan2(through, along)
    cl, cd = coefficients[:, 0], coefficients[:, 1]
    scale = grid.blades * grid.chord / (2 * np.pi) * speed2
    return scale * (cl * np.cos(phi) - cd * np.sin(phi)), scale * (cl * np.sin(phi) + cd * np.cos(phi)) * grid.centres


def _thrust(grid: WakeGrid, state: Sections) -> float:
    return float(_loads(grid, state.coefficients, state.through, state.along)[0] @ np.diff(grid.edges))


def _result(
    rotor: Planform, blade: LiftingLine, collective: float, circulation: Array, influence: Array, state: Sections
) -> Hover:
    """Forces act across the flow at the bound vortex, at quarter chord; angles are those at three-quarter chord."""
    grid = blade.grid
    through, along = blade.climb - influence[..., 2] @ circulation, grid.centres - influence[..., 1] @ circulation
    thrust, torque = _loads(grid, state.coefficients, through, along)
    ct, cq = float(thrust @ np.diff(grid.edges)), float(torque @ np.diff(grid.edges))
    force = rotor.density * np.pi * rotor.radius**2 * rotor.tip_speed**2
    merit = float(ct**1.5 / (np.sqrt(2) * cq)) if cq > 0 else 0.0
    lift = thrust * force / (rotor.blades * rotor.radius)
    return Hover(collective, ct * force, cq * force * rotor.radius, ct, cq, merit, grid.centres * rotor.radius,
                 state.through, state.alpha, lift)  # fmt: skip
