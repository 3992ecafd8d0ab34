"""Safety loads: effects of every fault on legs, joints and platform, at rest and during slow and fast motions.

Faults occur at rest, at full speed, at the reversals and in between; the search is then refined around the worst
instant of each, since a real fault does not wait for a quarter of a period.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import Any, final

from motionbase.actuators.electric import ElectricActuator
from motionbase.control.geometry import leg_ratios
from motionbase.errors import SimulationError, UsageError
from motionbase.plant.fault_plan import OF_OIL, FaultKind
from motionbase.plant.legs import kind_of
from motionbase.platform.hexapod import Hexapod
from motionbase.record.axes import DOFS
from motionbase.record.words import named
from motionbase.system.fault_cases import CONTACT_LIMIT, FaultStudy, Moment, Outcome, Swing

PART_OF_TRAVEL = 0.6  # of the axis limit: amplitude of the motion that a fault interrupts
NEAR_END = 0.9  # of the axis limit: where a fault near the end occurs
PART_OF_LEG_SPEED = 0.95  # of the legs' limit, if that is what limits an axis
SLOW_AMPLITUDE, SLOW_RATE = 0.05, 2 * math.pi * 0.1  # [m, rad], [rad/s] of the slow motions
PHASES = (0.0, 0.25, 0.5, 0.75)  # full speed forward, far reversal, full speed back, near reversal
SEARCH = (1 / 32, 1 / 256)  # of a period: steps of the search around the worst instant
AROUND = (-4, -3, -2, -1, 1, 2, 3, 4)  # numbers of these steps
STALL_FACTOR = 2.0  # illustrative: allowable loads as a multiple of the stall force, if none are given


@final
@dataclass(frozen=True)
class Allowables:
    """Allowable loads of leg and joint.

    Attributes:
        force, joint: [N]; illustrative: whether they are defaults
    """

    force: float
    joint: float
    illustrative: bool

    @staticmethod
    def of(hexapod: Hexapod, force: float | None = None, joint: float | None = None) -> Allowables:
        """The given values; by default twice the force of a stalled leg, which is illustrative."""
        for name, value in (("force", force), ("joint", joint)):
            if value is not None and not (math.isfinite(value) and value > 0):
                raise SimulationError(f"allowable {name} is {value!r} N, it must be above 0")
        stall = STALL_FACTOR * kind_of(hexapod).stall_force
        return Allowables(force or stall, joint or stall, force is None or joint is None)

    def severity(self, outcome: Outcome) -> float:
        """The worst of force, joint load and speed at a hard end, relative to the allowable ones."""
        met = (outcome.contact or 0.0) / CONTACT_LIMIT
        return max(outcome.force / self.force, outcome.joint / self.joint, met)


def full_speed(hexapod: Hexapod, axis: str) -> tuple[float, float]:
    """Speed [m/s, rad/s] and amplitude [m, rad] of a motion about neutral at the largest permitted speed of an axis."""
    if axis not in DOFS:
        raise SimulationError(f"axis is {axis!r}, it must be one of {', '.join(DOFS)}")
    k, limits = DOFS.index(axis), hexapod.limits
    speed = min(limits.velocity[k], PART_OF_LEG_SPEED * limits.leg_velocity / float(leg_ratios(hexapod)[k]))
    amplitude = PART_OF_TRAVEL * limits.position[k]
    amplitude = max(amplitude, speed**2 / (0.9 * limits.acceleration[k]))  # a slower sine if it could not reverse
    return speed, amplitude


def end_sine(hexapod: Hexapod, axis: str) -> tuple[float, float, float]:
    """Amplitude [m, rad], angular frequency [rad/s] and phase [rad] of a sine on its way to the end of an axis.

    It has the full speed of the axis, brakes nearly as hard as axis and legs permit, and reverses at the end; the phase
    is that of 90 % of the travel, or of full speed if that comes later.
    """
    speed, _ = full_speed(hexapod, axis)
    k, limits = DOFS.index(axis), hexapod.limits
    braking = 0.9 * min(limits.acceleration[k], limits.leg_braking / float(leg_ratios(hexapod)[k]))
    amplitude = min(limits.position[k], speed**2 / braking)
    w = min(speed / amplitude, math.sqrt(braking / amplitude))
    return amplitude, w, math.asin(max(0.0, 1 - (1 - NEAR_END) * limits.position[k] / amplitude))


def swings(hexapod: Hexapod, axes: tuple[str, ...], near_ends: bool = False) -> tuple[Swing, ...]:
    """Rest, and for every axis a slow motion and one at full speed; with `near_ends`, also into both ends."""
    found = [Swing("rest")]
    for axis in axes:
        speed, amplitude = full_speed(hexapod, axis)
        found.append(Swing(f"slow {axis}", axis, 0.0, SLOW_AMPLITUDE, SLOW_RATE))
        found.append(Swing(f"fast {axis}", axis, 0.0, amplitude, speed / amplitude))
        if near_ends:
            limit = hexapod.limits.position[DOFS.index(axis)]
            amplitude, w, _ = end_sine(hexapod, axis)
            for name, side in (("upper", 1), ("lower", -1)):
                found.append(Swing(f"{name} end of {axis}", axis, side * (limit - amplitude), side * amplitude, w))
    return tuple(found)


@final
@dataclass(frozen=True, eq=False)
class Loads:
    """Prediction of the loads of one platform.

    Attributes:
        axes: degrees of freedom to move in; legs: 1 to 6, those that leg faults affect
        near_ends: whether faults also occur near the ends of the travel
        allowed: reference loads of the search for the worst instant; those of the platform by default
    """

    hexapod: Hexapod
    axes: tuple[str, ...] = ("heave", "surge")
    legs: tuple[int, ...] = (1, 2, 3)
    near_ends: bool = False
    allowed: Allowables | None = None

    @cached_property
    def study(self) -> FaultStudy:
        """The study; compiled once."""
        return FaultStudy(self.hexapod, swings(self.hexapod, self.axes, self.near_ends))

    @property
    def faults(self) -> Iterator[tuple[FaultKind | None, int | None]]:
        """All faults: kind (None for the emergency stop) and leg."""
        yield None, None
        for kind in FaultKind:
            if kind in OF_OIL and isinstance(self.hexapod.actuator, ElectricActuator):
                continue
            for leg in self.legs if kind.of_a_leg else (None,):
                yield kind, leg

    @property
    def moments(self) -> Iterator[Moment]:
        """Every fault at rest, at full speed and at the reversals of every motion; near the ends on the way there."""
        for swing in self.study.swings:
            phases: tuple[float, ...] = PHASES
            if swing.axis is None:
                phases = (0.0,)
            elif "end" in swing.name:
                phases = (end_sine(self.hexapod, swing.axis)[2] / (2 * math.pi),)
            for phase in phases:
                for kind, leg in self.faults:
                    yield Moment(kind, leg, swing, phase)

    def predict(self, progress: Callable[[int, int], None] | None = None) -> tuple[Outcome, ...]:
        """All moments, and those of the search; progress is called with the number done and the total."""
        moments = list(self.moments)
        moving = {m.fault for m in moments if m.swing.axis is not None}
        total = len(moments) + len(SEARCH) * len(AROUND) * len(moving)
        found: list[Outcome] = []

        def told(done: int, _: int) -> None:
            if progress is not None:
                progress(len(found) + done, total)

        found.extend(self.study.run(moments, told))
        for step in SEARCH:
            around = [m for worst in self.worst(found) for m in _around(worst.moment, step)]
            found.extend(self.study.run(around, told))
        return tuple(found)

    def worst(self, outcomes: list[Outcome]) -> list[Outcome]:
        """The worst outcome of each fault, among those that occur in motion."""
        allowed, found = self.allowed or Allowables.of(self.hexapod), dict[str, Outcome]()
        for one in outcomes:
            before = found.get(one.moment.fault)
            if one.moment.swing.axis is None:
                continue
            if before is None or allowed.severity(one) > allowed.severity(before):
                found[one.moment.fault] = one
        return list(found.values())


def _around(moment: Moment, step: float) -> list[Moment]:
    return [Moment(moment.kind, moment.leg, moment.swing, (moment.phase + k * step) % 1.0) for k in AROUND]


def case_row(case: Outcome, allowed: Allowables, electric: bool) -> dict[str, Any]:
    """A row for scripts: names in lower case, numbers in SI."""
    moment = case.moment
    told = {
        "fault": named(moment.fault, electric),
        "leg": moment.leg,
        "motion": moment.swing.name,
        "phase": moment.phase,
    }
    for name, value in ((f.name, getattr(case, f.name)) for f in fields(case) if f.name != "moment"):
        told[name] = named(value.name.lower(), electric and name == "found") if isinstance(value, Enum) else value
    factors = {"force_factor": allowed.force / case.force, "joint_factor": allowed.joint / case.joint}
    return {**told, **factors, "contact_is_soft": case.contact_is_soft}


def write_cases(rows: list[dict[str, Any]], path: Path) -> None:
    """Write a CSV file, one line per case."""
    try:
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    except OSError as e:
        raise UsageError(f"cannot write {str(path)!r}: {e.strerror}") from None
