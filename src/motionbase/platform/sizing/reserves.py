"""Reserves of a design: capability of the actuators over the demands of weight, friction and the platform's limits.

At neutral and at both ends of every axis that may be commanded; in a thorough check also at the corners of all axes
together and with all legs fully in or out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from motionbase.actuators.electric import ElectricActuator
from motionbase.arrays import Array
from motionbase.platform.envelope import extremes
from motionbase.platform.hexapod import LEGS, Hexapod
from motionbase.platform.sizing.capability import capability_of, friction_force
from motionbase.platform.sizing.forces import LegMotion, Motion, holding_forces
from motionbase.platform.sizing.plausible import Finding
from motionbase.record.axes import DOFS
from motionbase.spatial.equals import first_largest, first_least

LIFT = (1.0, 1.5)  # force at rest over weight and friction at neutral: fatal below, unusual below
LIFT_AT_ENDS = (1.0, 1.1)
HOLD = (1.0, 1.5)  # brake over weight
OVERHAULED = 1.05  # measured over largest speed of a drive from which its load drives it: a fault for the control law
FAST = (1 / OVERHAULED, 1.0)  # speed without load over leg_velocity
LIFT_FAST, ACCELERATE = (0.0, 1.0), (0.0, 1.0)
NONE = (0.0, 0.0)  # beyond what may be commanded: reported, not judged
TOO_STRONG = 100.0  # force at rest over weight: mass or actuator is a mistake
DRAG = 0.3  # friction over the force at rest: unusual above
TUNED = 10.0  # mass that a drive is tuned for over a leg's share of the mass: unusual above, or below its inverse
RATES = 3.0  # leg rate for a velocity limit over the legs' own limit: unusual above
HALVINGS = 30


@final
@dataclass(frozen=True)
class Reserve:
    """One row of the table.

    Attributes:
        what: the requirement; where: poses; key: dotted key of the number that would have to change
        needed, available: for the worst leg, in `unit`
        limits: factors below which the design cannot work, and below which it is unusual
        means: consequence of a shortage
        remedy: what would work
        leg: the worst, 1 to 6; None if all are equal
        at: the worst of the poses
    """

    what: str
    where: str
    key: str
    needed: float
    available: float
    unit: str
    limits: tuple[float, float]
    means: str
    remedy: str
    leg: int | None = None
    at: str = ""

    @property
    def factor(self) -> float:
        """Available over needed."""
        return self.available / self.needed if self.needed > 0 else np.inf

    @property
    def verdict(self) -> str:
        """Error, warning, ok, or a dash if it is not judged."""
        if self.limits == NONE:
            return "-"
        return "error" if self.factor < self.limits[0] else "warning" if self.factor < self.limits[1] else "ok"

    @property
    def finding(self) -> Finding | None:
        """The finding, unless it is ok."""
        if self.verdict not in ("error", "warning"):
            return None
        leg = "a leg" if self.leg is None else f"leg {self.leg}"
        where = f" {self.at}" if self.at else ""
        said = f"{leg} needs {plain(self.needed)} {self.unit}{where} and has {plain(self.available)} {self.unit}"
        if self.factor < 1:
            said = f"{self.means}: {said}; {self.remedy}"
        else:
            usual = f"{self.factor:.3g} times that, and {self.limits[1]:g} times is usual"
            said = f"{self.what} has little reserve: {said}, {usual}; {self.remedy}"
        return Finding(self.key, self.verdict == "error", said)


@final
class Reserves:
    """Reserves of one platform."""

    def __init__(self, platform: Hexapod) -> None:
        self.platform, self.has = platform, capability_of(platform.actuator)

    @cached_property
    def _ends(self) -> Array:
        """(13, 6) neutral and both ends of every axis."""
        limits = np.diag(self.platform.limits.position)
        return np.vstack([np.zeros(6), limits, -limits])

    @cached_property
    def _legs(self) -> LegMotion:
        return LegMotion(self.platform, Motion.of_dof(self.platform, self._ends))

    @cached_property
    def _hold(self) -> Array:
        return self._legs.forces()

    def rows(self, thorough: bool = False) -> list[Reserve]:
        """All rows; the quick ones need no compiled kernel, the thorough ones search for poses."""
        rows = [*self._forces(), self.speed, self._power(), self._accelerated()]
        return [*rows, *self._far()] if thorough else rows

    def _forces(self) -> Iterator[Reserve]:
        names = [f"at {_end(dof)}" for dof in self._ends[1:]]
        for where, hold, limits, at in (
            ("at neutral", self._hold[:1], LIFT, ["at neutral"]),
            ("at the ends of the axes", self._hold[1:], LIFT_AT_ENDS, names),
        ):
            yield self._lift(where, hold, limits, at)
            if self.has.brake is not None:
                yield self._held(where, hold, HOLD, at)

    def _lift(self, where: str, hold: Array, limits: tuple[float, float], at: list[str]) -> Reserve:
        needed = np.abs(hold) + self.has.friction.static
        has = np.where(hold >= 0, self.has.push, self.has.pull)
        worst = first_least(has / needed)
        pose, leg = divmod(worst, LEGS)
        force = float(needed.flat[worst])
        return Reserve("static force (weight and friction)", where, _force_key(self.platform), force,
                       float(has.flat[worst]), "N", limits, "the actuators cannot lift the platform",
                       _more_force(self.platform, force * max(limits[1], 1.0)), leg + 1, at[pose])  # fmt: skip

    def _held(self, where: str, hold: Array, limits: tuple[float, float], at: list[str]) -> Reserve:
        worst = first_largest(np.abs(hold))
        pose, leg = divmod(worst, LEGS)
        force = float(np.abs(hold).flat[worst])
        remedy = f"actuator.brake_force of {plain(force * max(limits[1], 1.0))} N would do"
        return Reserve("brake (weight)", where, "actuator.brake_force", force, float(self.has.brake or 0.0), "N",
                       limits, "the brakes cannot hold the platform", remedy, leg + 1, at[pose])  # fmt: skip

    @property
    def speed(self) -> Reserve:
        """Speed of the actuators without load, over the leg velocity that may be commanded."""
        v, fastest = self.platform.limits.leg_velocity, self.has.fastest
        remedy = f"limits.leg_velocity of {0.95 * fastest:.3g} m/s would do, or {_more_speed(self.platform)}"
        return Reserve("speed without load", "anywhere", "limits.leg_velocity", v, fastest, "m/s", FAST,
                       "the actuators cannot reach limits.leg_velocity", remedy)  # fmt: skip

    def _power(self) -> Reserve:
        """Power to lift at full speed."""
        v, leg = self.platform.limits.leg_velocity, first_largest(self._hold[0])
        needed = float(self._hold[0, leg]) + float(friction_force(self.has.friction, np.array([v]))[0])
        has, reached = float(self.has.forces(np.array([v]))[1][0]), float(self.has.speed(np.array([needed]))[0])
        return Reserve("power, lifting at leg_velocity", "at neutral", "limits.leg_velocity", 1e-3 * needed * v,
                       1e-3 * has * v, "kW", LIFT_FAST, "the actuators cannot lift the platform at leg_velocity",
                       f"under its load a leg reaches {reached:.3g} m/s", leg + 1, "at neutral")  # fmt: skip

    def _accelerated(self) -> Reserve:
        """Force to accelerate each axis alone from rest at neutral, by its limit, in both directions."""
        most = np.diag(self.platform.limits.acceleration)
        asked = Motion.of_dof(self.platform, np.zeros((12, 6)), 0.0, np.vstack([most, -most]))
        f = LegMotion(self.platform, asked).forces(reflected=self.has.reflected)
        needed = np.abs(f) + self.has.friction.coulomb
        has = np.where(f >= 0, self.has.push, self.has.pull)
        worst = first_least(has / needed)
        pose, leg = divmod(worst, LEGS)
        axis = DOFS[pose % LEGS]
        return Reserve("force, accelerating one axis by its limit", "at neutral", "limits.acceleration",
                       float(needed.flat[worst]), float(has.flat[worst]), "N", ACCELERATE,
                       f"the actuators cannot accelerate {axis} by its limit of acceleration",
                       f"a lower limit of acceleration in {axis} would do", leg + 1, f"in {axis}")  # fmt: skip

    def _far(self) -> Iterator[Reserve]:
        """Reserves at poses that must be searched."""
        corners, found = _corners(self.platform), extremes(self.platform)
        at_corners = LegMotion(self.platform, Motion.of_dof(self.platform, corners)).forces()
        out = holding_forces(self.platform, found.p_W[found.converged], found.Q_WP[found.converged])
        names = ["at a corner of all axes"] * len(corners)
        yield self._lift("at the corners of all axes", at_corners, LIFT_AT_ENDS, names)
        if self.has.brake is not None:
            yield self._held("at the corners of all axes", at_corners, HOLD, names)
        if len(out):
            yield self._lift("legs fully in or out, all 64", out, NONE, names)
            if self.has.brake is not None:
                yield self._held("legs fully in or out, all 64", out, NONE, names)

    def slips(self) -> Iterator[Finding]:
        """Findings about actuators that do not match the platform."""
        limits, has, mass = self.platform.limits, self.has, self.platform.payload.mass
        if isinstance(a := self.platform.actuator, ElectricActuator):
            yield from self._drive(a)
        if has.friction.static > DRAG * has.push:
            yield Finding("actuator.friction.static", False, (
                f"actuator.friction.static is {has.friction.static:g} N, {has.friction.static / has.push:.0%} of the "
                f"actuator's {plain(has.push)} N; below {DRAG:.0%} is usual"
            ))  # fmt: skip
        strong = has.push / max(float(self._hold[0].max()), 1e-9)
        if strong > TOO_STRONG:
            yield Finding("payload.mass", False, (
                f"payload.mass is {mass:g} kg, which the actuators lift {strong:.0f} times over ({plain(has.push)} N "
                "each); is the mass in kg, and are the actuators those of this platform?"
            ))  # fmt: skip
        J = np.abs(self._legs.J[0])[:, [3, 4, 5, 0, 1, 2]]
        asked = (J * np.asarray(limits.velocity)).max(axis=0) / limits.leg_velocity
        axis = first_largest(asked)
        if asked[axis] > RATES:
            unit = "m/s" if axis < 3 else "rad/s"
            yield Finding("limits.velocity", False, (
                f"limits.velocity is {limits.velocity[axis]:g} {unit} in {DOFS[axis]}, for which the legs would need "
                f"{asked[axis] * limits.leg_velocity:.3g} m/s and may have leg_velocity, {limits.leg_velocity:g} m/s; "
                f"{limits.velocity[axis] / asked[axis]:.3g} {unit} would take all of it"
            ))  # fmt: skip

    def _drive(self, a: ElectricActuator) -> Iterator[Finding]:
        """Findings about rotor and tuning."""
        wanted, share = self.platform.limits.leg_acceleration, self.platform.moving_mass / LEGS
        torque = a.reflected_mass * wanted / a.ratio
        if torque > a.torque_max:
            yield Finding("actuator.inertia", True, (
                f"the motors cannot accelerate themselves: actuator.inertia of {a.inertia:g} kg m^2 needs "
                f"{plain(torque)} N m for limits.leg_acceleration, {wanted:g} m/s^2, and torque_max is "
                f"{a.torque_max:g} N m; "
                f"{a.torque_max / wanted / a.ratio:.3g} kg m^2 would take all of it"
            ))  # fmt: skip
        if not share / TUNED <= a.load_mass <= share * TUNED:
            yield Finding("actuator.load_mass", False, (
                f"actuator.load_mass is {a.load_mass:g} kg, a leg's share of the moving mass is {plain(share)} kg; the "
                "speed loop is tuned for another platform"
            ))  # fmt: skip


def plain(x: float) -> str:
    """A number for users: four digits, without exponent for large numbers."""
    return f"{x:.4g}" if abs(x) < 1e4 else f"{x:.0f}"


def _end(dof: Array) -> str:
    axis = first_largest(np.abs(dof))
    unit, value = ("m", dof[axis]) if axis < 3 else ("deg", np.degrees(dof[axis]))
    return f"{DOFS[axis]} {value:+.3g} {unit}"


def _corners(platform: Hexapod) -> Array:
    """(64, 6) all axes at their limits at once, or as far in that direction as the operational stroke permits."""
    signs = 1.0 - 2.0 * ((np.arange(64)[:, None] >> np.arange(6)) & 1)
    way = signs * np.asarray(platform.limits.position)
    stroke, low, high = platform.stroke, np.zeros((64, 1)), np.ones((64, 1))
    share = high
    for _ in range(HALVINGS):
        l = LegMotion(platform, Motion.of_dof(platform, share * way)).lengths
        inside = ((l >= stroke.l_min) & (l <= stroke.l_max)).all(axis=1, keepdims=True)
        low, high = np.where(inside, share, low), np.where(inside, high, share)
        share = 0.5 * (low + high)
    return np.asarray(low * way)


def _force_key(platform: Hexapod) -> str:
    return "actuator.torque_max" if isinstance(platform.actuator, ElectricActuator) else "actuator.area_cap"


def _more_force(platform: Hexapod, force: float) -> str:
    """Suggestion that would provide this force [N]."""
    a = platform.actuator
    if isinstance(a, ElectricActuator):
        return f"actuator.torque_max of {plain(force / a.ratio)} N m would do"
    return f"actuator.area_cap of {(force + a.area_rod * a.p_return) / a.p_supply:.3g} m^2 would do"


def _more_speed(platform: Hexapod) -> str:
    a, v = platform.actuator, platform.limits.leg_velocity
    if isinstance(a, ElectricActuator):
        return f"actuator.speed_max of {plain(1.1 * v * a.ratio)} rad/s"
    return f"actuator.rated_flow of {1.1 * v / max(capability_of(a).fastest, 1e-12) * a.rated_flow:.3g} m^3/s"
