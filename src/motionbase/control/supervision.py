"""Inputs of the state machine from the other parts, and the control law's own bookkeeping."""

from __future__ import annotations

from typing import TYPE_CHECKING

import casadi as ca

from motionbase.compile import Struct, q
from motionbase.control.bounds import Allowed
from motionbase.control.propagator import Clock
from motionbase.control.quantities import SX
from motionbase.control.states import TIMED, Flags, is_one_of
from motionbase.record.faults import WarningBit
from motionbase.record.states import QUIET, State

if TYPE_CHECKING:
    from motionbase.control.params import ControlState

MODE_FREE = (*QUIET, State.RISING, State.STANDBY, State.LOWERING)


class Times(Struct):
    """Time limits of states, criteria for arrival, and time to shut valves off."""

    transition_timeout: SX = q("s", text="longest rising, engaging or lowering", start=60.0)
    settle_timeout: SX = q("s", text="longest settling; generators may fade for 600 s", start=660.0)
    abort_timeout: SX = q("s", text="longest abort; then the legs are held", start=30.0)
    stop_timeout: SX = q("s", text="longest stopping; then the legs are held", start=2.0)
    host_timeout: SX = q("s", text="silence of the host after which drive settles", start=1.0)
    arrive_tolerance: SX = q("m", text="error of the legs at which a move has arrived", start=0.02)
    down_tolerance: SX = q("m", text="length of the legs above that of down at which the platform is down", start=0.02)
    shut_time: SX = q("s", text="in which the hardware is told to shut the valves off, evenly", start=0.25)


def mode_in_use(state: SX, before: SX, mode: SX) -> SX:
    """The mode in use; a change waits until no drive, or return from it, is active."""
    return ca.if_else(is_one_of(state, MODE_FREE), mode, before)


def is_expired(times: Times, dt: SX, state: SX, ticks: SX) -> SX:
    """Whether the state one tick ago has lasted too long."""
    time = (ticks + 1) * dt
    longest = ca.if_else(ca.eq(state, State.SETTLING), times.settle_timeout, times.transition_timeout)
    expired = ca.logic_and(is_one_of(state, TIMED), time > longest)
    expired = ca.if_else(ca.eq(state, State.ABORT), time > times.abort_timeout, expired)
    return ca.if_else(ca.eq(state, State.STOPPING), time > times.stop_timeout, expired)


def host_fits(allowed: Allowed, within: SX, host_legs: SX) -> SX:
    """Whether the host's demand is within the limits of the degrees of freedom and of the legs."""
    lengths = host_legs[:, 0]
    reached = ca.logic_and(ca.mmin(lengths) >= allowed.l_min, ca.mmax(lengths) <= allowed.l_max)
    return ca.logic_and(ca.eq(within, 1), reached)


def flags_of(
    times: Times, dt: SX, l_down: float, x: ControlState, l: SX, good: SX, hosted: SX, clock: Clock, fits: SX
) -> Flags:
    """Flags from the state before the tick and this tick's measurements; `good`: supply and measurements are valid."""
    stopped = (x.ticks + 1) * dt >= x.duration
    close = ca.norm_inf(x.l_cmd - l) <= times.arrive_tolerance
    silent = ca.logic_or(clock.age > times.host_timeout, ca.eq(clock.count, 0))
    return Flags(
        ready=good,
        drivable=ca.logic_or(ca.logic_not(hosted), ca.logic_and(fits, ca.logic_not(silent))),
        host_lost=ca.logic_and(hosted, silent),
        arrived=ca.logic_and(ca.logic_and(stopped, ca.eq(x.active, 0)), close),
        grounded=ca.mmax(l) <= l_down + times.down_tolerance,  # a leg may sink below it behind closed valves
        stopped=stopped,
        expired=is_expired(times, dt, x.state, x.ticks),
    )


def shut_off(brakes: bool, shut_time: SX, dt: SX, before: SX, shut: SX, quiet: SX) -> SX:
    """Output `abort`: valves are shut off linearly in shut_time, brakes close at once.

    Legs with brakes are also held by them whenever they are quiet.
    """
    must = ca.ne(shut, 0)
    if brakes:
        return ca.logic_or(must, ca.ne(quiet, 0))
    return ca.if_else(must, ca.fmin(before + dt / shut_time, 1.0), 0.0)


class Turning(Struct):
    """Angular rate and acceleration of the platform, in P."""

    omega: SX = q("rad/s", 3, "angular rate")
    alpha: SX = q("rad/s^2", 3, "angular acceleration")


def turning(turn_corner: SX, dt: SX, before: Turning, fresh: SX, omega: SX) -> Turning:
    """Angular acceleration from the rate gyros."""
    share = turn_corner * dt / (1 + turn_corner * dt)
    now = ca.if_else(ca.fabs(omega) < ca.inf, omega, before.omega)
    alpha = before.alpha + share * ((now - before.omega) / dt - before.alpha)
    return Turning(omega=now, alpha=ca.if_else(ca.ne(fresh, 0), 0.0, alpha))


def fused(felt_share: SX, l_ddot: SX, l_ddot_felt: SX) -> SX:
    """Acceleration of a leg, from its own sensor and those of the platform."""
    felt = ca.if_else(ca.fabs(l_ddot_felt) < ca.inf, l_ddot_felt, l_ddot)
    return l_ddot + felt_share * (felt - l_ddot)


class Estimate(Struct):
    """Estimate of one degree of freedom."""

    x: SX = q("SI, mixed", text="position")
    v: SX = q("SI, mixed", text="rate")


def estimated(decay: SX, dt: SX, before: Estimate, fresh: SX, measured: SX, a: SX) -> Estimate:
    """Estimate from measured positions and the commanded acceleration; `decay`: remaining error after a tick."""
    x, v = before.x + before.v * dt + a * dt**2 / 2, before.v + a * dt
    miss = measured - x
    made = ca.vertcat(x + (1 - decay**2) * miss, v + (1 - decay) ** 2 / dt * miss)
    return Estimate.of(ca.if_else(ca.ne(fresh, 0), ca.vertcat(measured, 0), made))


def warnings(horizon: SX, hosted: SX, clock: Clock, fits: SX, dof_short: SX, leg_short: SX, gyros_wrong: SX) -> SX:
    """Bits of `WarningBit`."""
    bits = {
        WarningBit.HOST_SILENT: ca.logic_and(hosted, clock.age > horizon),
        WarningBit.FRAME_REFUSED: ca.ne(clock.refused, 0),
        WarningBit.DOF_LIMIT: ca.sum1(dof_short) > 0,
        WarningBit.LEG_LIMIT: ca.sum1(leg_short) > 0,
        WarningBit.DEMAND_OUTSIDE: ca.logic_and(hosted, ca.logic_not(fits)),
        WarningBit.GYROS_WRONG: ca.ne(gyros_wrong, 0),
    }
    return sum((bit.value * active for bit, active in bits.items()), ca.SX(0))
