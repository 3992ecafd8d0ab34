"""Findings about single numbers of a design: impossible values and unusual ones, mostly from mixed-up units.

`docs/sizing.md` has the limits and their sources.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from typing import final

import numpy as np

from motionbase.actuators.electric import ElectricActuator
from motionbase.platform.hexapod import LEGS, Hexapod
from motionbase.platform.shape import mean_radius

STEEL = 7850.0  # [kg/m^3]: a body denser than solid steel is a mistake
COM = (3.0, 10.0)  # distance of the centre of mass over the radius of the joints: unusual, impossible
GYRATION = (0.2, 3.0, 10.0)  # radius of gyration over the joints': unusual below, unusual above, impossible above
HEAVY = 3.0  # six legs over the payload: unusual above
SPREAD = 0.25  # length of a uniform rod with a leg part's inertia over its com: unusual below


@final
@dataclass(frozen=True)
class Finding:
    """A fatal error in a design, or a value that an experienced designer would question.

    Attributes:
        key: dotted key of the number in the platform's file
        fatal: whether the design cannot work
        sentence: part, value and what would work
    """

    key: str
    fatal: bool
    sentence: str

    @property
    def level(self) -> str:
        """The level in one word."""
        return "error" if self.fatal else "warning"


@final
@dataclass(frozen=True)
class Range:
    """Permitted and usual values of a number.

    Attributes:
        key: dotted; unit: that of the file
        wrong: bounds beyond which a value is impossible; odd: bounds beyond which it is unusual
        usual: who has such values, in words
        slips: other units that users may have meant, each with its value in the file's unit
    """

    key: str
    unit: str
    wrong: tuple[float, float]
    odd: tuple[float, float]
    usual: str
    slips: tuple[tuple[str, float], ...] = ()

    def finding(self, value: float) -> Finding | None:
        """The finding about a value, if there is one."""
        if self.odd[0] <= value <= self.odd[1]:
            return None
        meant = next(((u, s) for u, s in self.slips if self.odd[0] <= value * s <= self.odd[1]), None)
        hint = "" if meant is None else f"; if {value:g} {meant[0]} is meant, write {value * meant[1]:.4g}"
        low, high = (f"{x:g}" for x in self.odd)
        said = f"{self.key} is {value:g} {self.unit}, {self.usual} {low} to {high} {self.unit}{hint}"
        return Finding(self.key, not self.wrong[0] <= value <= self.wrong[1], said)


ANY = (0.0, math.inf)
RPM = 2 * math.pi / 60
ELECTRIC = (
    Range("actuator.lead", "m", (1e-4, 1.0), (2e-3, 0.1), "screws have", (("mm", 1e-3),)),
    Range("actuator.inertia", "kg m^2", ANY, (1e-7, 1.0), "rotors with their screws have", (("kg cm^2", 1e-4),)),
    Range("actuator.speed_max", "rad/s", (0.1, 2e4), (5.0, 2100.0), "servo motors have", (("rpm", RPM),)),
    Range("actuator.torque_lag", "s", ANY, (1e-5, 0.05), "current loops have", (("ms", 1e-3),)),
    Range("actuator.speed_bandwidth", "rad/s", ANY, (2.0, 1e4), "speed loops have"),
    Range("actuator.brake_time", "s", ANY, (1e-3, 1.0), "holding brakes take", (("ms", 1e-3),)),
)
HYDRAULIC = (
    Range("actuator.p_supply", "Pa", (1e5, 3e8), (1e6, 5e7), "supplies have", (("bar", 1e5), ("MPa", 1e6))),
    Range("actuator.area_cap", "m^2", ANY, (1e-5, 0.5), "pistons have", (("cm^2", 1e-4), ("mm^2", 1e-6))),
    Range("actuator.area_rod", "m^2", ANY, (1e-5, 0.5), "pistons have", (("cm^2", 1e-4), ("mm^2", 1e-6))),
    Range("actuator.bulk_modulus", "Pa", ANY, (5e7, 4e9), "oils have", (("bar", 1e5), ("MPa", 1e6), ("GPa", 1e9))),
    Range("actuator.density", "kg/m^3", ANY, (600.0, 1500.0), "oils have", (("g/cm^3", 1e3),)),
    Range("actuator.rated_flow", "m^3/s", ANY, (1e-6, 0.2), "servo valves have", (("l/min", 1 / 60e3),)),
    Range("actuator.rated_drop", "Pa", ANY, (1e5, 1e8), "servo valves are rated at", (("bar", 1e5), ("MPa", 1e6))),
    Range("actuator.relief_pressure", "Pa", ANY, (1e6, 1e8), "relief valves have", (("bar", 1e5), ("MPa", 1e6))),
    Range("actuator.valve_frequency", "rad/s", ANY, (10.0, 5000.0), "servo valves have"),
    Range("actuator.valve_damping", "(ratio)", ANY, (0.1, 5.0), "servo valves have"),
    Range("actuator.valve_rate", "1/s", ANY, (1.0, 10000.0), "servo valves have"),
)
ANY_KIND = (Range("limits.leg_acceleration", "m/s^2", ANY, (0.05, 100.0), "platforms have", (("mm/s^2", 1e-3),)),)
RADIUS = ((1e-3, 200.0), (0.02, 20.0))


def plausible_findings(platform: Hexapod) -> list[Finding]:
    """All findings about single numbers and their ratios, in the order of the file."""
    ranges = (*ANY_KIND, *(ELECTRIC if isinstance(platform.actuator, ElectricActuator) else HYDRAULIC))
    singly = (one.finding(_value(platform, one.key)) for one in ranges)
    return [*_sizes(platform), *_payload(platform), *_legs(platform), *filter(None, singly)]


def _value(platform: Hexapod, dotted: str) -> float:
    return float(reduce(getattr, dotted.split("."), platform))  # type: ignore[arg-type]


def _sizes(platform: Hexapod) -> Iterator[Finding]:
    for key in ("base", "joints"):
        radius = mean_radius(np.asarray(getattr(platform, key)))
        what = Range(f"mean radius of {key}", "m", *RADIUS, "platforms have", (("mm", 1e-3), ("cm", 1e-2)))
        if (found := what.finding(radius)) is not None:
            yield Finding(key, found.fatal, found.sentence)
    for name, point in platform.points.items():
        if (away := math.hypot(*point)) > COM[1] * radius:
            yield Finding(f"points.{name}", False, (
                f"points.{name} is {away:g} m from the middle of the platform joints, whose radius is {radius:.3g} m; "
                f"within {COM[1]:g} times the radius is usual"
            ))  # fmt: skip
    stroke = platform.stroke
    if stroke.hard_length > stroke.hard_min:
        yield Finding("stroke.hard_max", False, (
            f"stroke.hard_max is {stroke.hard_max:g} m, more than twice the retracted leg of {stroke.hard_min:g} m; "
            f"a rod that fits in the retracted leg gives {2 * stroke.hard_min:g} m at most"
        ))  # fmt: skip


def _payload(platform: Hexapod) -> Iterator[Finding]:
    load, radius = platform.payload, mean_radius(np.asarray(platform.joints))
    away = float(np.linalg.norm(load.com))
    if away > COM[0] * radius:
        yield Finding("payload.com", away > COM[1] * radius, (
            f"payload.com is {away:g} m from the middle of the platform joints, whose radius is {radius:.3g} m; within "
            f"{COM[0]:g} times the radius, {COM[0] * radius:.3g} m, is usual"
        ))  # fmt: skip
    mean = float(np.trace(load.inertia_matrix)) / 3
    ball = 0.4 * load.mass * (3 * load.mass / (4 * math.pi * STEEL)) ** (2 / 3)
    least, most = (part**2 * load.mass * radius**2 for part in GYRATION[:2])
    means = f"payload.inertia has a mean of {mean:.4g} kg m^2 for {load.mass:g} kg"
    usual = f"{least:.3g} to {most:.3g} kg m^2 is usual on joints of radius {radius:.3g} m"
    if mean < ball:
        yield Finding("payload.inertia", True, f"{means}, less than a ball of solid steel, {ball:.4g} kg m^2; {usual}")
    elif not least <= mean <= most:
        wrong = mean > GYRATION[2] ** 2 * load.mass * radius**2
        apart = f"a radius of gyration of {math.sqrt(mean / load.mass):.3g} m"
        yield Finding("payload.inertia", wrong, f"{means}, {apart}; {usual}")


def _legs(platform: Hexapod) -> Iterator[Finding]:
    longest, all_six = platform.stroke.hard_max, LEGS * (platform.cylinder.mass + platform.rod.mass)
    if all_six > HEAVY * platform.payload.mass:
        yield Finding("payload.mass", False, (
            f"payload.mass is {platform.payload.mass:g} kg and the six legs weigh {all_six:g} kg, more than "
            f"{HEAVY:g} times as much; are both in kg?"
        ))  # fmt: skip
    for name in ("cylinder", "rod"):
        part = getattr(platform, name)
        if part.mass == 0:
            continue
        length = math.sqrt(12 * part.inertia_lateral / part.mass)  # of a uniform rod
        said = (
            f"{name}.inertia_lateral is {part.inertia_lateral:g} kg m^2 for {part.mass:g} kg, that of a rod of "
            f"{length:.3g} m; {part.mass * part.com**2 / 3:.3g} kg m^2 would be a rod of twice its com"
        )
        if length > 2 * longest:
            yield Finding(f"{name}.inertia_lateral", True, f"{said}, and the extended leg has {longest:g} m")
        elif length > longest or length < SPREAD * part.com:
            yield Finding(f"{name}.inertia_lateral", False, said)
