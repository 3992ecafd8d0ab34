"""Safety loads: what every fault, out of full speed, does to legs, joints and platform, and where it ends."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from motionbase.control.faults import Fault
from motionbase.control.geometry import leg_ratios
from motionbase.control.ports import DOFS
from motionbase.control.states import State
from motionbase.errors import SimulationError
from motionbase.plant.fault_plan import FaultEvent, FaultKind, FaultPlan
from motionbase.plant.legs import kind_of
from motionbase.platform.hexapod import Hexapod
from motionbase.system.closed_loop import ClosedLoop
from motionbase.system.runs import TRUE_MOTION, Host, Run, Runner, Scenario

Array: TypeAlias = NDArray[np.float64]
PART_OF_TRAVEL = 0.6  # of the axis limit: the amplitude of the motion that a fault breaks off
NEAR_END = 0.9  # of the axis limit: where a fault near the end comes
PART_OF_LEG_SPEED = 0.95  # of the legs' limit, where that is what holds an axis back
AT_REST = 0.01  # [m/s] of the fastest leg: slower than that it has come to rest
CONTACT_LIMIT = 0.05  # [m/s] at which a leg may meet its hard end
LONGEST_S = 60.0  # after the fault: a base that is shut off at the top sinks for most of it
ESTOP = "estop"
OVER = (State.OFF, State.HELD, State.STANDBY, State.FREEZE)
STALL_FACTOR = 2.0  # illustrative: allowable loads as a multiple of the stall force, where nobody gives them


@final
@dataclass(frozen=True)
class Allowables:
    """Largest loads that leg and joint may see.

    Attributes:
        force, joint: [N]; illustrative: whether nobody gave them
    """

    force: float
    joint: float
    illustrative: bool

    @staticmethod
    def of(hexapod: Hexapod, force: float | None = None, joint: float | None = None) -> Allowables:
        """What is given; for the rest twice the force of a stalled leg, illustrative."""
        for name, value in (("force", force), ("joint", joint)):
            if value is not None and not (math.isfinite(value) and value > 0):
                raise SimulationError(f"allowable {name} is {value!r} N, it must be above 0")
        stall = STALL_FACTOR * kind_of(hexapod).stall_force
        return Allowables(force or stall, joint or stall, force is None or joint is None)


@final
@dataclass(frozen=True)
class LoadCase:
    """One fault out of one motion.

    Attributes:
        fault: name of the kind, or "estop"; leg: 1 to 6, None where it is no fault of a leg
        axis: degree of freedom that moved; direction: +1 or -1
        force: largest force of an actuator [N]; joint: largest load of a platform joint [N], a seized leg's included
        acceleration: largest of the platform's origin [m/s^2]; angular: of its rotation [rad/s^2]
        contact: fastest meeting of a leg with its hard end [m/s], contact_after: when that was [s]; None where none met
        found: what the control law called it; found_after: how long that took [s], None if it found nothing
        end: state it ended in; rest_after: when the last leg came to rest [s], None if one still moves
        near_end: whether the fault came near the end of the travel, and not in the middle
    """

    fault: str
    leg: int | None
    axis: str
    direction: int
    force: float
    joint: float
    acceleration: float
    angular: float
    contact: float | None
    contact_after: float | None
    found: Fault
    found_after: float | None
    end: State
    rest_after: float | None
    near_end: bool = False

    @property
    def contact_is_soft(self) -> bool:
        """No end met, or slowly enough."""
        return self.contact is None or self.contact <= CONTACT_LIMIT


def full_speed(hexapod: Hexapod, axis: str) -> tuple[float, float]:
    """Speed [m/s, rad/s] and amplitude [m, rad] of a motion about neutral that uses all the speed an axis may have."""
    if axis not in DOFS:
        raise SimulationError(f"axis is {axis!r}, it must be one of {', '.join(DOFS)}")
    k, limits = DOFS.index(axis), hexapod.limits
    speed = min(limits.velocity[k], PART_OF_LEG_SPEED * limits.leg_velocity / float(leg_ratios(hexapod)[k]))
    amplitude = PART_OF_TRAVEL * limits.position[k]
    amplitude = max(amplitude, speed**2 / (0.9 * limits.acceleration[k]))  # a slower sine where it could not turn
    return speed, amplitude


def end_sine(hexapod: Hexapod, axis: str) -> tuple[float, float, float]:
    """Amplitude [m, rad], angular frequency [rad/s] and phase [rad] of a sine on its way to the end of an axis.

    It has the full speed of the axis, brakes nearly as hard as axis and legs may, and turns at the end; the phase is
    that of 90 % of the travel, or of full speed where that comes later.
    """
    speed, _ = full_speed(hexapod, axis)
    k, limits = DOFS.index(axis), hexapod.limits
    braking = 0.9 * min(limits.acceleration[k], limits.leg_braking / float(leg_ratios(hexapod)[k]))
    amplitude = min(limits.position[k], speed**2 / braking)
    w = min(speed / amplitude, math.sqrt(braking / amplitude))
    return amplitude, w, math.asin(max(0.0, 1 - (1 - NEAR_END) * limits.position[k] / amplitude))


@final
@dataclass(frozen=True, eq=False)
class Loads:
    """The prediction for one platform.

    Attributes:
        axes: degrees of freedom to move in; legs: 1 to 6, those that faults of a leg strike
        near_ends: whether faults come near the ends of the travel, too
    """

    hexapod: Hexapod
    axes: tuple[str, ...] = ("heave", "surge")
    legs: tuple[int, ...] = (1, 2, 3)
    near_ends: bool = False

    @cached_property
    def runner(self) -> Runner:
        """Compiled once."""
        return Runner(ClosedLoop.of(self.hexapod), TRUE_MOTION)

    @property
    def faults(self) -> Iterator[tuple[str, FaultKind | None, int | None]]:
        """All of them: name, kind, leg."""
        yield ESTOP, None, None
        for kind in FaultKind:
            for leg in self.legs if kind.of_a_leg else (None,):
                yield kind.name.lower(), kind, leg

    def predict(self, progress: Callable[[int, int], None] | None = None) -> tuple[LoadCase, ...]:
        """All cases; progress is told how many are done, of how many."""
        listed, found = tuple(self.faults), list[LoadCase]()
        total = (4 if self.near_ends else 2) * len(self.axes) * len(listed)
        for axis in self.axes:
            host, starts = self.moving(axis)
            motions = [(direction, host, start, False) for direction, start in starts.items()]
            if self.near_ends:
                motions += [(direction, *self.nearing(axis, direction), True) for direction in starts]
            for direction, host, start, near_end in motions:
                for name, kind, leg in listed:
                    case = self.case(name, kind, leg, axis, direction, host, start)
                    found.append(replace(case, near_end=near_end))
                    if progress is not None:
                        progress(len(found), total)
        return tuple(found)

    def moving(self, axis: str) -> tuple[Host, dict[int, dict[str, Any]]]:
        """A host that moves an axis as a sine, and the states of full speed up (+1) and down (-1) through neutral."""
        speed, amplitude = full_speed(self.hexapod, axis)
        host, lead = self._driving(axis, 0.0, amplitude, speed / amplitude)
        scenario, dt, half = Scenario(host=host), self.runner.loop.dt, math.pi * amplitude / speed
        turns = 2 * math.ceil((lead.t[-1] + half) / (2 * half))  # a whole period: through neutral, upwards
        up = self.runner.run(scenario, turns * half - lead.t[-1], lead.end)
        down = self.runner.run(scenario, max(dt, (turns + 1) * half - up.t[-1]), up.end)
        return host, {1: up.end, -1: down.end}

    def nearing(self, axis: str, direction: int) -> tuple[Host, dict[str, Any]]:
        """A host that turns at the end of an axis, and the state at 90 % of the travel on the way there."""
        limit = self.hexapod.limits.position[DOFS.index(axis)]
        amplitude, w, phase = end_sine(self.hexapod, axis)
        host, lead = self._driving(axis, direction * (limit - amplitude), direction * amplitude, w)
        turns = math.ceil((lead.t[-1] * w + math.pi) / (2 * math.pi))
        at = (2 * math.pi * turns + phase) / w
        return host, self.runner.run(Scenario(host=host), at - lead.t[-1], lead.end).end

    def _driving(self, axis: str, centre: float, amplitude: float, w: float) -> tuple[Host, Run]:
        """A host that moves an axis as a sine of w [rad/s] about a place, and the run up to drive."""
        k = DOFS.index(axis)

        def host(t: float) -> Array:
            frame = np.zeros((3, 6))
            frame[:, k] = amplitude * np.array([math.sin(w * t), w * math.cos(w * t), -(w**2) * math.sin(w * t)])
            frame[0, k] += centre
            return frame

        lead = self.runner.run(Scenario(host=host), 60.0, until=lambda rows: bool(rows["state"][-1] == State.DRIVE))
        if lead["state"][-1] != State.DRIVE:
            reached = State(int(lead["state"][-1])).name.lower()
            raise SimulationError(f"platform {self.hexapod.name!r}: no drive in {axis}, it stays in {reached}")
        return host, lead

    def case(
        self,
        name: str,
        kind: FaultKind | None,
        leg: int | None,
        axis: str,
        direction: int,
        host: Host,
        start: dict[str, Any],
    ) -> LoadCase:
        """One fault from a state of motion on."""
        at = float(start["tick"]) * self.runner.loop.dt
        if kind is None:
            scenario = Scenario(host=host, estop_at=at)
        else:
            scenario = Scenario(host=host, faults=FaultPlan((FaultEvent(kind, at, leg),)))

        def over(rows: Any) -> bool:
            quiet = np.abs(rows["l_dot"]).max() < AT_REST
            return bool(quiet and rows["state"][0] == rows["state"][-1] and int(rows["state"][-1]) in OVER)

        run = self.runner.run(scenario, LONGEST_S, start, until=over)
        flagged = np.flatnonzero(run["fault"])
        omega, v, rates = run["V_P_next"][:, :3], run["V_P_next"][:, 3:], run["V_dot_P_next"]
        still = np.abs(run["l_dot"]).max(axis=1) < AT_REST
        last_moving = int(np.flatnonzero(~still)[-1]) if not still.all() else 0
        return LoadCase(
            name,
            leg,
            axis,
            direction,
            float(np.abs(run["f"]).max()),
            float(np.linalg.norm(run["F_joint"], axis=2).max()),
            float(np.linalg.norm(rates[:, 3:] + np.cross(omega, v), axis=1).max()),
            float(np.linalg.norm(rates[:, :3], axis=1).max()),
            *contact_of(self.hexapod, run, at),
            Fault(int(run["fault"][-1])),
            float(run.t[flagged[0]] - at) if len(flagged) else None,
            State(int(run["state"][-1])),
            float(run.t[last_moving] - at) if last_moving < len(still) - 1 else None,
        )


def contact_of(hexapod: Hexapod, run: Run, at: float = 0.0) -> tuple[float | None, float | None]:
    """Speed [m/s] of the fastest meeting of a leg with a hard end, and when it was [s] after `at`."""
    stroke, l = hexapod.stroke, run["l"]
    beyond = (l < stroke.hard_min) | (l > stroke.hard_max)
    meets = beyond[1:] & ~beyond[:-1]
    if not meets.any():
        return None, None
    speed = np.where(meets, np.abs(run["l_dot"][1:]), 0.0).max(axis=1)
    return float(speed.max()), float(run.t[1 + int(speed.argmax())] - at)
