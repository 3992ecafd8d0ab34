"""Forces of flow past the hull, as code for the compiled step: strips, planing lift, resistance. Formulas: boat.md."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, final

import casadi as ca

from motionbase.compile import for_each
from motionbase.record.vehicle import G
from motionbase.worlds.boat.craft import Craft, Strip
from motionbase.worlds.sea.patch import clamped

SX = ca.SX
VISCOSITY = 1.19e-6  # of sea water at 15 degrees [m^2/s] (ITTC)
LEAST_REYNOLDS = 1e5
NARROW = 0.4  # of the height from keel to chine: a bottom that meets the water flat is not wet at once; illustrative
AT = 0.75  # of the mean wetted length, ahead of the transom: where hydrodynamic lift acts (Savitsky 1964)
TURNING_LIFT, TURNING_MOMENT = AT, AT**2 - (AT - 0.5)  # of a slender body that turns about that point (boat.md)
STATIC = 0.362  # static lift over that of still water and the root of the wetted length (Savitsky 1964, see boat.md)
MOST_DEADRISE = 60.0  # [deg]
WETTED, KAPPA = 0.01, 0.02  # least wetted length over beam, least lift coefficient, where roots and powers are taken
PLANES_FROM = 0.8  # speed over sqrt(g b) at which a bottom half planes and makes half of its waves; illustrative


@final
class Motion(NamedTuple):
    """Attitude, velocity and water, as the strips need them.

    Attributes:
        R: (3, 3) of the vessel to the axes of its heading
        height: of the centre of gravity over still water [m]
        v, omega: velocity and angular rate in axes of the vessel
        surface: height of the water above a place in axes of the heading
        flow: velocity and acceleration of the water on the centre line there, in axes of the vessel
    """

    R: SX
    height: SX
    v: SX
    omega: SX
    surface: Callable[[SX, SX], SX]
    flow: Callable[[SX, SX], tuple[SX, SX]]


@final
class Along(NamedTuple):
    """Results of all strips.

    Attributes:
        wrench: (6,) of slamming, damping, drag across, and added mass in accelerated water
        soaked: (n, 2) wet part of the way from keel to chine, left and right
        sway, heave: (n,) present added mass [kg]
    """

    wrench: SX
    soaked: SX
    sway: SX
    heave: SX


def depth_at(m: Motion, place: SX) -> SX:
    """Depth of a point of the vessel below the surface [m]."""
    r = m.R @ place
    return m.surface(r[0], r[1]) - m.height - r[2]


def along_of(craft: Craft, m: Motion, before: SX, slow: SX, h: SX) -> Along:
    """All strips.

    Args:
        before: (n, 2) `soaked` of the step before
        slow: 1 at rest, going to 0 as the hull planes
    """
    up = m.R[2, :].T

    def one(strip: Strip, was: SX) -> Any:
        depths, bottoms = [], []
        for side in (1.0, -1.0):
            keel = depth_at(m, ca.vertcat(strip.x, side * strip.y_keel, strip.z_keel))
            chine = depth_at(m, ca.vertcat(strip.x, side * strip.y_chine, strip.z_chine))
            depths.append(keel)
            bottoms.append(ca.fmax(keel - chine, NARROW * (strip.z_chine - strip.z_keel)))
        soaked = [clamped(craft.pile * d / high, 0.0, 1.0) for d, high in zip(depths, bottoms, strict=True)]
        share = (soaked[0] ** 2 + soaked[1] ** 2) / 2
        left = 1 - craft.fades * (1 - share)
        place = ca.vertcat(strip.x, 0, strip.z)
        water, water_dot = m.flow(strip.x, strip.z)
        v = m.v + ca.cross(m.omega, place) - water
        rise = up.T @ v  # against the water, along the vertical
        heave = share * (strip.damp_heave * slow + strip.below * slow * ca.fabs(rise)) * rise
        sway = left * strip.sway
        aside = share * (strip.damp_sway * slow + strip.across * ca.fabs(v[1])) * v[1]
        force = -heave * up - ca.vertcat(0, aside, 0)
        moment = ca.cross(place, force)
        # added mass acts at the height of the centre of gravity, here as in the matrix
        carried = ca.vertcat(0, sway * water_dot[1], left * strip.heave * water_dot[2])
        force, moment = force + carried, moment + strip.x * ca.vertcat(0, -carried[2], carried[1])
        for side, now, earlier in zip((1.0, -1.0), soaked, (was[0], was[1]), strict=True):
            grown = craft.fades * strip.heave / 2 * ca.fmax(now**2 - earlier**2, 0.0) / h
            y = side * (strip.y_keel + strip.y_chine) / 2
            slam = grown * ca.fmax(-(v[2] + m.omega[0] * y), 0.0)
            force += ca.vertcat(0, 0, slam)
            moment += ca.vertcat(y * slam, -strip.x * slam, 0)
        return ca.vertcat(moment, force), ca.vertcat(*soaked), sway, left * strip.heave

    wrench, soaked, sway, heave = for_each(one, craft.strips, before)
    return Along(ca.sum1(wrench).T, soaked, sway, heave)


@final
class Planing(NamedTuple):
    """Effects of a planing bottom.

    Attributes:
        wrench: (6,) of its lift
        static: factor of all pressure at rest
        transom: factor of that of the transom
    """

    wrench: SX
    static: SX
    transom: SX


def speed_number(craft: Craft, u: SX) -> SX:
    """Speed ahead over sqrt(g b), Cv."""
    return ca.fmax(u, 0.0) / ca.sqrt(G * craft.planing_beam)


def planing_of(craft: Craft, m: Motion, soaked: SX, v: SX, water: SX) -> Planing:
    """Lift of a prismatic bottom (Savitsky 1964), each half by its own wetted length and angle of attack.

    Args:
        v: (3,) of the centre of gravity through the water, ahead [m/s]
        water: (3,) velocity of the water there
    """
    b, u = craft.planing_beam, ca.fmax(v[0], 0.0)
    Cv = speed_number(craft, u)
    tan_deadrise = ca.tan(craft.deadrise * ca.pi / 180)
    keel = sum((craft.strips.z_keel[k] for k in range(3)), SX(0)) / 3
    heel = ca.asin(clamped(m.R[2, 1], -1.0, 1.0)) * 180 / ca.pi
    wrench, mean = SX.zeros(6), SX(0)
    for k, side in enumerate((1.0, -1.0)):
        wetted = ca.sum1(soaked[:, k]) * craft.width / b
        root = wetted / ca.sqrt(wetted + WETTED)
        y, z = side * b / 4, keel + b / 8 * tan_deadrise
        x = craft.aft + AT * wetted * b
        at = m.v - water + ca.cross(m.omega, ca.vertcat(x, y, z))
        attack = ca.fmax(side * tan_deadrise * at[1] - at[2], 0.0)  # speed into the half bottom
        angle = attack / ca.fmax(u, 0.5)
        flat = angle * (ca.pi / 4 * root + STATIC * wetted**2 * root / ca.fmax(Cv, 0.5) ** 2)
        deadrise = clamped(craft.deadrise + side * heel, 0.0, MOST_DEADRISE)  # of this half, as the water meets it
        kappa = ca.fmax(1 - 0.0065 * deadrise * ca.fmax(flat, KAPPA) ** -0.4, 0.2)
        mass = craft.planes * craft.density * ca.pi / 16 * b**2 * kappa  # entrained water per length
        reach = wetted * b
        turned = -TURNING_LIFT * u * mass * reach * m.omega[1]  # pitching about the point AT moves the stern
        lift = mass * root * u * attack + turned
        force = lift * ca.vertcat(0, -side * tan_deadrise, 1)
        moment = ca.cross(ca.vertcat(x, y, z), force)
        pitch = -TURNING_MOMENT * u * mass * reach**2 * m.omega[1]
        wrench += ca.vertcat(moment[0], moment[1] + pitch, moment[2], force)
        mean += wetted / 2
    planes = craft.planes * Cv**4 / (Cv**4 + PLANES_FROM**4)
    static = 1 - planes * (1 - ca.fmin(STATIC * ca.sqrt(mean), 1.0))
    F = u / ca.sqrt(G * craft.transom_draft)
    dry = craft.planes * F**4 / (F**4 + 2.0**4)
    return Planing(wrench, static, 1 - dry)


def resistance_of(craft: Craft, v: SX, area: SX) -> SX:
    """Drag along the vessel [N]: friction by the line of ITTC 1957, waves, air."""
    u = v[0]
    speed = ca.fabs(u)
    reynolds = ca.fmax(speed * craft.length / VISCOSITY, LEAST_REYNOLDS)
    plate = 0.075 / (ca.log(reynolds) / ca.log(SX(10.0)) - 2) ** 2
    froude = (speed / ca.sqrt(G * craft.length) / craft.froude) ** 4
    planed = 1 + craft.planes * (speed_number(craft, u) / PLANES_FROM) ** 4
    waves = craft.making_waves * froude / (1 + froude) / planed
    return -(0.5 * craft.density * area * (craft.friction * plate + waves) + craft.air) * u * speed


def stern_lift(craft: Craft, m: Motion, v: SX, share: SX) -> SX:
    """(6,) transverse lift: the stern sheds transverse momentum of the water (Newman 1977, 7.5)."""
    place = ca.vertcat(craft.aft, 0, craft.strips.z[0])
    aside = v[1] + m.omega[2] * craft.aft
    force = ca.vertcat(0, -craft.skeg * share * ca.fmax(v[0], 0.0) * aside, 0)
    return ca.vertcat(ca.cross(place, force), force)
