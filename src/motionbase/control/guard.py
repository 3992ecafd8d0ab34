"""The guard: a check between any control law and any plant or hardware that does not trust the law.

Every tick it checks the law's outputs before anything acts on them: numbers are finite, commands are within bounds and
open no faster than the actuators can follow, and the answer belongs to this tick. The first violation is latched as a
fault. From then on the guard's own commands replace the law's: those of a safe stop, computed from the last commands
that passed and from nothing that the law outputs or stores, so that a permanently broken law has no effect. A reset is
accepted when the stop is complete, and only if the law's answer passes again.

`LegGuard` protects six legs, `WheelGuard` the wheels of a sphere.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias, final

import casadi as ca

from motionbase.actuators.electric import ElectricActuator
from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.compile import Kernel, Layout, Port, Struct, q
from motionbase.control.supervision import Times
from motionbase.control.watchdogs import first_of
from motionbase.platform.atlas.atlas import Atlas
from motionbase.record.faults import Fault
from motionbase.record.hexapod import QUANTITIES
from motionbase.record.states import State

SX: TypeAlias = ca.SX
LEGS = 6
MARGIN = 1.5  # commands may open this much faster than the actuator can follow; the law of this package stays below
PATIENCE = 2  # [ticks] permitted age of an answer: one that is late or lost for two ticks in a row is not yet a fault
LATE_S = 1.0  # [s] permitted lateness of a tick; a simulated plant waits, hardware has PATIENCE instead
# [s] in which commands go to 0 and valves are shut off, both linearly
STOP_S = float(Times.layout.find("shut_time").start_values[0])
REVERSAL = 1.5  # of the largest torque: limit of a torque's change in one tick, even after a loss of traction
BRAKING = 0.25  # of the largest torque: the guard brakes wheels with this
BRAKED_FROM = 0.05  # of the motors' largest speed: slower wheels are braked in proportion to their speed
ROUNDING = 1e-12  # relative amount by which scaling may exceed the largest torque
RESET = Port("reset", (), "-", "1 for one tick to let go of a law that is good again; heard when the stop is complete")


def sound(numbers: SX) -> SX:
    """Whether all numbers are finite, from the sum of their magnitudes; sixteen parallel sums keep a processor busy."""
    return _size(numbers) < ca.inf


def is_a_number(numbers: SX) -> SX:
    """Whether no number is NaN; infinities, as in a law's timers, are allowed."""
    return _size(numbers) <= ca.inf


def _size(numbers: SX) -> SX:
    sizes = ca.vertsplit(ca.fabs(ca.reshape(numbers, -1, 1)))
    sums = sizes[:16]
    for k, one in enumerate(sizes[16:]):
        sums[k % 16] += one
    while len(sums) > 1:
        sums = [a + b for a, b in zip(sums[::2], sums[1::2], strict=False)] + sums[len(sums) & ~1 :]
    return sums[0]


def _all(flags: SX) -> SX:
    """Whether all flags hold."""
    found: SX = flags[0]
    for k in range(1, flags.shape[0]):
        found = ca.logic_and(found, flags[k])
    return found


def _within(value: SX, most: ca.DM) -> SX:
    return ca.fmin(ca.fmax(value, -most), most)


def command_rate(actuator: HydraulicActuator | ElectricActuator) -> float:
    """Command rate that an actuator can follow [1/s]: that of the spool, or of a drive's speed loop after a step."""
    return actuator.speed_bandwidth if isinstance(actuator, ElectricActuator) else actuator.valve_rate


class Guarded(Struct):
    """State of the legs' guard."""

    cmd: SX = q("-", LEGS, "commands that were let through last")
    abort: SX = q("-", text="likewise")
    stop: SX = q("-", text="0 to 1: how far the guard's own stop has come")
    fault: SX = q("-", text="why the guard stopped the law, a number of `Fault`; 0 while it does not")
    tick: SX = q("-", text="its own count of ticks, with which an answer is compared")


@final
@dataclass(frozen=True)
class LegGuard:
    """Guard of six legs.

    Attributes:
        rate: of a command that the legs can follow [1/s]
        brakes: whether legs have brakes, which are open or closed, instead of valves that are shut off gradually
        dt: period of a tick [s]
        late: a tick that starts later than this after its due time counts as not answered in time [s]
    """

    rate: float
    brakes: bool
    dt: float
    late: float = LATE_S

    @staticmethod
    def of(actuator: HydraulicActuator | ElectricActuator, dt: float) -> LegGuard:
        """For legs with these actuators."""
        return LegGuard(command_rate(actuator), isinstance(actuator, ElectricActuator), dt)

    @property
    def state(self) -> Layout:
        """State between ticks."""
        return Guarded.layout

    @property
    def step(self) -> float:
        """Largest opening of a command in one tick; it may close at once."""
        return MARGIN * self.rate * self.dt

    @cached_property
    def kernel(self) -> Kernel:
        """The guard as a kernel named `guard`."""
        said = (
            Port("valve_cmd_law", LEGS, "-", "as the law gives them, -1 to 1"),
            Port("abort_law", (), "-", "as the law gives it, 0 to 1; with brakes 0 or 1"),
            Port("state_law", (), "-", "as the law gives it, a number of `State`"),
            Port("fault_law", (), "-", "as the law gives it, a number of `Fault`"),
            Port("sound", (), "-", "1 if the law's other outputs are finite and its state has no NaN"),
            Port("answer", (), "-", f"tick that the law answered, counted from 0; it may be {PATIENCE} ticks old"),
            Port("lateness", (), "s", "of this tick behind its due time; 0 if it is not measured"),
        )

        def expr(
            guard: SX, cmd: SX, abort: SX, state: SX, fault: SX, sound_rest: SX, answer: SX, lateness: SX, reset: SX
        ) -> Any:
            kept = Guarded.of(guard)
            before, stop, tick = kept.cmd, kept.stop, kept.tick
            codes = ca.logic_and(sound(ca.vertcat(state, fault)), ca.eq(sound_rest, 1))
            finite = ca.logic_and(sound(ca.vertcat(cmd, abort)), codes)
            flag = (
                ca.logic_or(ca.eq(abort, 0), ca.eq(abort, 1))
                if self.brakes
                else _all(ca.vertcat(abort >= 0, abort <= 1))
            )
            slow = ca.logic_and(
                _all(cmd <= ca.fmax(before, 0) + self.step), _all(cmd >= ca.fmin(before, 0) - self.step)
            )
            age = tick - answer
            timely = ca.logic_and(ca.logic_and(age >= 0, age <= PATIENCE), lateness <= self.late)
            bad = {
                Fault.GUARD_NUMBER: ca.logic_not(finite),
                Fault.GUARD_BOUNDS: ca.logic_not(ca.logic_and(_all(ca.fabs(cmd) <= 1), flag)),
                Fault.GUARD_RATE: ca.logic_not(slow),
                Fault.GUARD_LATE: ca.logic_not(timely),
            }
            code = latched_code(bad, kept.fault, ca.logic_and(ca.ne(reset, 0), stop >= 1))
            stopped = ca.ne(code, 0)
            stop_next = ca.if_else(stopped, ca.fmin(stop + self.dt / STOP_S, 1.0), 0.0)
            closing = ca.if_else(stop < 1, before * (1 - stop_next) / ca.fmax(1 - stop, self.dt / STOP_S), 0.0)
            shut = 1.0 if self.brakes else ca.fmin(kept.abort + self.dt / STOP_S, 1.0)
            passed = ca.if_else(stopped, closing, cmd)
            abort_next = ca.if_else(stopped, shut, abort)
            held = ca.if_else(stop_next >= 1, float(State.HELD), float(State.STOPPING))
            after = Guarded(cmd=passed, abort=abort_next, stop=stop_next, fault=code, tick=tick + 1)
            told = ca.if_else(stopped, held, state), ca.if_else(stopped, code, fault)
            return after.column, passed, abort_next, *told, stopped

        outputs = (
            self.state.port("guard_next", "state for the next tick"),
            Port.of(QUANTITIES["valve_cmd"], LEGS),
            Port("abort", (), "-", "for the hardware, 0 to 1: how far valves are shut off, or brakes closed"),
            Port("state", (), "-", "of the base: the law's, or stopping and held where the guard stopped it"),
            Port("fault", (), "-", "the law's, or the guard's where it stopped the law"),
            Port("stopped", (), "-", "1 while the guard's commands stand in the place of the law's"),
        )
        inputs = (self.state.port("guard", "state of the guard"), *said, RESET)
        return Kernel("guard", inputs, outputs, expr, "checks a law's outputs, and stops the legs if they are invalid")


def latched_code(bad: dict[Fault, SX], latched: SX, heard: SX) -> SX:
    """The first fault, until a reset is accepted; a fault that is still present is latched again at once."""
    kept = ca.if_else(heard, 0.0, latched)
    return ca.if_else(ca.eq(kept, 0), first_of(bad), kept)


@final
@dataclass(frozen=True)
class WheelGuard:
    """Guard of the motors of a sphere, which have no brakes: it brakes the wheels by their measured speeds.

    Attributes:
        atlas: the platform
    """

    atlas: Atlas

    @cached_property
    def state(self) -> Layout:
        """State between ticks."""
        torques = Port("torque", len(self.atlas.wheels), "N m", "torques that were let through last")
        return Layout((torques, Port("fault", (), "-", "why the guard stopped the sphere's law; 0 while it does not")))

    @cached_property
    def kernel(self) -> Kernel:
        """The guard as a kernel named `wheel_guard`."""
        wheels, n = self.atlas.wheels, len(self.atlas.wheels)
        most = ca.DM([w.torque_max for w in wheels])
        slope = ca.DM([BRAKING * w.torque_max * w.gear / (BRAKED_FROM * w.speed_max) for w in wheels])
        slow = ca.DM([BRAKED_FROM * w.speed_max / w.gear for w in wheels])

        def expr(guard: SX, torque: SX, sound_rest: SX, omega: SX, reset: SX) -> Any:
            before, latched = guard[:n], guard[n]
            finite = ca.logic_and(sound(torque), ca.eq(sound_rest, 1))
            within = _all(ca.fabs(torque) <= (1 + ROUNDING) * most)
            even = _all(ca.fabs(torque - before) <= REVERSAL * most)
            bad = {Fault.GUARD_SPHERE: ca.logic_not(ca.logic_and(finite, ca.logic_and(within, even)))}
            rests = _all(ca.fabs(omega) < slow)
            code = latched_code(bad, latched, ca.logic_and(ca.ne(reset, 0), rests))
            braking = ca.if_else(ca.fabs(omega) < ca.inf, -_within(slope * omega, BRAKING * most), 0.0)
            passed = ca.if_else(ca.ne(code, 0), braking, _within(torque, most))
            return ca.vertcat(passed, code), passed, code

        inputs = (
            self.state.port("sphere_guard", "state of the guard before the wheels"),
            Port("tau_law", n, "N m", "torques as the law gives them"),
            Port("sound", (), "-", "1 if the law's other outputs are finite and its state has no NaN"),
            Port("omega_wheel", n, "rad/s", "measured speeds of the wheels"),
            RESET,
        )
        outputs = (
            Port("sphere_guard_next", n + 1, "SI, mixed", "state for the next tick"),
            Port("tau_motor", n, "N m", "torques of the motors"),
            Port("sphere_fault", (), "-", "why the guard stopped the sphere's law, a number of `Fault`"),
        )
        return Kernel("wheel_guard", inputs, outputs, expr, "checks torques, and brakes the wheels if they are invalid")
