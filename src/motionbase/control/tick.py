"""One tick of the control law, step by step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import casadi as ca

from motionbase.arrays import Array
from motionbase.compile import Kernel, cond, for_each
from motionbase.control.agreement import Agreement, agreement_of
from motionbase.control.bounds import Limits, limits_in
from motionbase.control.generators import generator_clock, run_generators
from motionbase.control.geometry import demands_of, felt_of, force_of, forward_of, inverse_of, pose_down
from motionbase.control.latch import Latch, is_fresh, latched, stop_and_movable
from motionbase.control.leg_control import LegControl, watched
from motionbase.control.limits import LIMITED, Limiter, demand_within, falls_short
from motionbase.control.params import ControlState, Parameters
from motionbase.control.ports import Inputs, Outputs
from motionbase.control.propagator import host_clock, propagated
from motionbase.control.quantities import SX
from motionbase.control.states import DRIVEN, is_one_of, state_step
from motionbase.control.supervision import (
    Estimate,
    estimated,
    flags_of,
    fused,
    host_fits,
    mode_in_use,
    shut_off,
    turning,
    warnings,
)
from motionbase.control.supply_lines import Lines, believed_lines
from motionbase.control.trajectory import base_trajectory, planned_moves
from motionbase.control.watchdogs import Found, Now, Reading, Told, Watch, watch_leg
from motionbase.platform.hexapod import Hexapod
from motionbase.record.states import Mode


@final
@dataclass(frozen=True)
class Base:
    """The data of a motion base that a tick needs.

    Attributes:
        dt: period [s]
        forward: leg lengths, initial pose -> pose, whether it fits
        inverse: motion of the degrees of freedom -> motion of the legs
        demands: motion, acc, alpha -> motion of the legs, their forces, and measured accelerations and excess forces
    """

    platform: Hexapod
    legs: LegControl
    dt: float
    forward: Callable[..., Any]
    inverse: Callable[..., Any]
    demands: Callable[..., Any]

    @staticmethod
    def of(
        platform: Hexapod, legs: LegControl, dt: float, forward: Any = None, inverse: Any = None, force: Any = None
    ) -> Base:
        """With the platform's own kinematics unless others are given."""
        demands: Callable[..., Any] = demands_of(platform)
        if inverse is not None or force is not None:
            legs_of, force_for, felt = inverse or inverse_of(platform), force or force_of(platform), felt_of(platform)

            def demands(motion: SX, acc: SX, alpha: SX) -> Any:
                return legs_of(motion), force_for(motion), *felt(motion, acc, alpha)

        return Base(platform, legs, dt, forward or forward_of(platform), inverse or inverse_of(platform), demands)

    @cached_property
    def agreement(self) -> Kernel:
        """Consistency of the legs' rates with each other and the gyros."""
        return agreement_of(self.platform)

    @cached_property
    def down(self) -> Array:
        """(6,) degrees of freedom with all legs down."""
        return pose_down(self.platform)


def tick(base: Base, p: Parameters, x: ControlState, given: Inputs) -> tuple[ControlState, Outputs]:
    """From requests and measurements to commands of the legs."""
    dt, platform = ca.SX(base.dt), base.platform
    allowed, moves, times = p.allowed, p.moves, p.times

    mode = mode_in_use(x.state, x.mode, given.mode)
    hosted = ca.eq(mode, Mode.HOST)
    fresh = is_fresh(x.started, x.state, given.reset)

    # measurements, as far as they are plausible
    watch, found = watch_legs(base, p, x, given, fresh)
    lines, lines_good, lines_lost = believed_lines(
        base.legs.p_supply, allowed.supply_time, dt, x.lines, given.p_supply, given.p_return
    )
    pose, converged = base.forward(watch.l, x.pose_meas)
    agreement = compare_rates(base, p, x, given, fresh, watch, pose)

    # demand of the host
    clock = host_clock(dt, allowed, x.count_held, x.age, x.period, given.host_count, given.host_frame)
    held, bridge, host = propagated(
        hosted, moves.host_horizon, moves.host_stop, allowed, x.held, x.bridge, clock, given.host_frame
    )
    fits = host_demand_fits(base, p, hosted, host)

    # state that follows from these
    powered = ca.logic_and(given.p_supply >= allowed.p_min, lines_good)
    good = ca.logic_and(ca.logic_and(powered, ca.eq(ca.sum1(found.code), 0)), ca.eq(converged, 1))
    flags = flags_of(times, dt, platform.l_down, x, watch.l, good, hosted, clock, fits)
    latch = latched(
        allowed.p_min, allowed.supply_time, dt, x.latch, x.state, x.quiet, given.request, given.estop, given.reset,
        given.p_supply, lines_lost, converged, flags.expired, found,
    )  # fmt: skip
    machine = state_step(dt, x.state, x.ticks, given.request, *stop_and_movable(latch, given.estop), flags)
    abort = shut_off(base.legs.brakes, times.shut_time, dt, x.abort, latch.shut, machine.quiet)

    # desired motion of the platform
    limits = limits_in(platform, allowed, moves.move_least, machine.state)
    drive = ca.vertcat(host, ca.SX.zeros(6, 3))  # neutral in maintenance
    plan, duration = cond(
        machine.entered,
        lambda: planned_moves(base.down, moves, limits, machine.state, x.limited, x.added, x.sums, drive),
        lambda: (x.plan, x.duration),
    )
    motion, blend = base_trajectory(plan, duration, machine, pose, drive)
    timing = generator_clock(dt, machine, x.live, x.generator_ticks, x.generator_stop)
    settings, version = cond(
        timing.begins, lambda: (given.settings, given.settings_version), lambda: (x.settings, x.version)
    )
    generators, sums, active = run_generators(moves.fade_least, settings, timing.t, timing.stop, timing.live)
    total = motion + sums
    dof_after, dof, dof_short = limit_dofs(base, p, x, limits, machine.quiet, total[:6, :])
    pose_hat = estimate_pose(base, p, x, fresh, pose, dof)

    # leg motion that this requires
    turned = turning(moves.turn_corner, dt, x.turning, fresh, given.omega)
    wanted, f_ff, l_ddot_felt, f_beyond = base.demands(dof, given.acc, turned.alpha)
    leg_after, legs, leg_short, added = limit_legs(base, p, x, limits, machine.quiet, watch.l, wanted, total[6:, :])
    warning = warnings(moves.host_horizon, hosted, clock, fits, dof_short, leg_short, agreement.gyros_wrong[0])
    leg_state, valve_cmd, u_ff, u_fb = command_legs(
        base, p, x, machine.quiet, latch, watch, lines, legs, f_ff, l_ddot_felt
    )

    after = type(x)(
        started=ca.SX(1), state=machine.state, ticks=machine.ticks, quiet=machine.quiet, mode=mode, plan=plan,
        duration=duration, limited=ca.vertcat(dof, total[6:, :]), added=added, sums=sums, dof_before=dof_after,
        leg_before=leg_after, l_cmd=legs[:, 0], held=held, bridge=bridge, count_held=clock.count, age=clock.age,
        period=clock.period, settings=settings, version=version, generator_ticks=timing.ticks,
        generator_stop=timing.stop, live=timing.live, active=active, pose_meas=pose, pose_hat=pose_hat, turning=turned,
        watch=watch, agreement=agreement, f_needed=f_ff, f_beyond=f_beyond, latch=latch, abort=abort, lines=lines,
        leg_state=leg_state,
    )  # fmt: skip
    return after, Outputs(
        valve_cmd=valve_cmd, abort=abort, state=machine.state, mode_used=mode, time_in_state=machine.time,
        source=machine.source, blend=blend, fault=latch.fault, warning=warning, generators_version=version,
        host_age=clock.age, host=held, cmd=total[:6, :], pose_meas=pose, pose_hat=pose_hat.column, legs_cmd=legs,
        u_ff=u_ff, u_fb=u_fb, generators=generators, generator_sums=sums, f_ff=f_ff,
    )  # fmt: skip


# ---- steps over legs and axes --------------------------------------------------------------------------------------


def watch_legs(base: Base, p: Parameters, x: ControlState, given: Inputs, fresh: SX) -> tuple[Watch, Found]:
    """For each leg, the believed measurements and the faults found."""
    kind, now = watched(base.platform, base.legs), Now(ca.SX(base.dt), fresh, x.quiet, is_one_of(x.state, DRIVEN))
    told = Told.of_columns(
        l=x.l_cmd, l_dot=x.leg_before.v, valve=x.leg_state.command, f_needed=x.f_needed, f_beyond=x.f_beyond
    )
    read = Reading.of_columns(
        l=given.l_meas, l_dot=given.l_dot_meas, l_ddot=given.l_ddot_meas, p_cap=given.p_cap, p_rod=given.p_rod,
        valve=given.valve_meas, f=given.f_meas,
    )  # fmt: skip

    def leg(watch: Watch, doubt: Agreement, told: Told, read: Reading) -> tuple[Watch, Found]:
        return watch_leg(kind, p.thresholds, now, watch, doubt, told, read)

    made: tuple[Watch, Found] = for_each(leg, x.watch, x.agreement, told, read)
    return made


def compare_rates(
    base: Base, p: Parameters, x: ControlState, given: Inputs, fresh: SX, watch: Watch, pose: SX
) -> Agreement:
    """Compare the legs' rates with each other and the gyros."""
    doubted = ca.logic_or(watch.no_length, watch.no_rate)
    made: Agreement = base.agreement(
        p.thresholds.drift_corner, base.dt, x.agreement, fresh, pose, watch.l_dot, given.omega,
        watch.integrated - watch.l, doubted,
    )  # fmt: skip
    return made


def host_demand_fits(base: Base, p: Parameters, hosted: SX, host: SX) -> SX:
    """Whether the host's demand is within all limits; 0 without a demand."""

    def asked() -> SX:
        within = demand_within(p.allowed.dof_velocity, p.allowed.dof_position, host)
        return host_fits(p.allowed, within, base.inverse(host))

    fits: SX = cond(hosted, asked, lambda: ca.SX(0))
    return fits


def limit_dofs(base: Base, p: Parameters, x: ControlState, limits: Limits, quiet: SX, total: SX) -> Any:
    """Limiters of the degrees of freedom, motion within their limits, and which fall short of their demand."""

    def axis(before: Limiter, target: SX, most: SX, v: SX, a: SX, chase: SX) -> Any:
        after, got, _ = LIMITED(base.dt, p.allowed.jerk_time, -most, most, v, a, chase, a, before, target)
        return after, got, falls_short(got, target, 2 * most)

    rows = x.dof_before, total, limits.position, limits.velocity[:6], limits.acceleration[:6], limits.chase
    return cond(quiet, lambda: (standing(total[:, 0]), total, ca.SX.zeros(6)), lambda: for_each(axis, *rows))


def limit_legs(
    base: Base, p: Parameters, x: ControlState, limits: Limits, quiet: SX, l: SX, wanted: SX, asked: SX
) -> Any:
    """Limiters of the legs, their motion, which fall short, and the legs' motion beyond the degrees of freedom.

    They follow `wanted`, by inverse kinematics, plus `asked`; while quiet, the measured length.
    """

    def leg(before: Limiter, wanted: SX, asked: SX, v: SX, a: SX) -> Any:
        ends = limits.l_least, p.allowed.l_max
        after, got, acts = LIMITED(
            base.dt, p.allowed.jerk_time, *ends, v, a, a, p.allowed.leg_braking, before, wanted + asked
        )
        short = falls_short(got, wanted + asked, ends[1] - ends[0])
        return after, got, short, ca.if_else(ca.ne(acts, 0), got - wanted, asked)

    def at_rest() -> Any:
        return standing(l), ca.horzcat(l, ca.SX.zeros(6, 2)), ca.SX.zeros(6), ca.SX.zeros(6, 3)

    rows = x.leg_before, wanted, asked, limits.velocity[6:], limits.acceleration[6:]
    return cond(quiet, at_rest, lambda: for_each(leg, *rows))


def standing(x: SX) -> Limiter:
    """Limiters at rest at these positions."""
    nothing = ca.SX.zeros(6)
    return Limiter.of_columns(x=x, v=nothing, a=nothing, a_target=nothing, haste=nothing)


def estimate_pose(base: Base, p: Parameters, x: ControlState, fresh: SX, pose: SX, dof: SX) -> Estimate:
    """Estimate from the measured pose and the commanded acceleration."""
    dt = ca.SX(base.dt)
    decay = ca.exp(-p.moves.estimator * dt)

    def axis(before: Estimate, measured: SX, a: SX) -> Estimate:
        return estimated(decay, dt, before, fresh, measured, a)

    made: Estimate = for_each(axis, x.pose_hat, pose, dof[:, 2])
    return made


def command_legs(
    base: Base, p: Parameters, x: ControlState, quiet: SX, latch: Latch, watch: Watch, lines: Lines, legs: SX,
    f_ff: SX, l_ddot_felt: SX,
) -> Any:  # fmt: skip
    """State of the loops, commands, and their feed-forward and feedback parts."""

    def leg(state: Any, reference: SX, f_ff: SX, closed: SX, watch: Watch, felt: SX) -> Any:
        closes = ca.logic_or(ca.ne(quiet, 0), ca.ne(closed, 0))
        l_ddot = fused(p.moves.felt_share, watch.l_ddot, felt)
        return base.legs.command(p.gains, ca.SX(base.dt), state, reference, f_ff, closes, watch, l_ddot, lines)

    return for_each(leg, x.leg_state, legs, f_ff, latch.closed, watch, l_ddot_felt)
