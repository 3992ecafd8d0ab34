"""The loop of one hydraulic leg: from a reference motion and measurements to a valve command within its limits.

    f_n = f_ff + friction(l_dot_ref)                     force that the reference motion needs from the oil
    v_f = (1 + lead d/dt) (l_dot_ref + f_n_dot / k(l))   its flow: the piston's way, and what compresses the oil
    v_d = v_f + k_p e + integral + k_v e_dot + k_a e_ddot - k_dp washout(A_cap p_cap - A_rod p_rod - f_n)
    u   = v_d sqrt((A_cap^3 + A_rod^3) / S) / k_v,       S = force left to drive flow through both lands

The last line inverts the orifice law in steady motion, with unequal areas, so the leg reaches the velocity v_d at any
load. This removes the valve's own damping; the pressure-difference feedback restores it as designed. The lead
compensates for the lag of valve and computing, the compression flow for the oil spring k(l): without it every change
of acceleration would first have to move the platform off its course.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import casadi as ca

from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.compile import Struct, q
from motionbase.control.quantities import (
    SX,
    Acceleration,
    Feedback,
    FeedForward,
    Flag,
    Metres,
    Motion,
    Newtons,
    Pascals,
    Seconds,
    Speed,
    ValveCommand,
)

LEAST_DRIVE = 0.08  # of the stall force: lower bound of S, so that u stays finite at a stalled leg
LEAD_STEEP = 2.0  # corner of the compression flow's lead, times 1 / lead: its derivative is not given
LAP_WIDTH = 0.01  # [-] range of the command over which an overlap is crossed


class Gains(Struct):
    """Parameters of the loop."""

    k_p: SX = q("1/s", text="position error to velocity")
    k_i: SX = q("1/s^2", text="integral of the position error to velocity")
    k_v: SX = q("-", text="velocity error to velocity")
    k_a: SX = q("s", text="acceleration error to velocity")
    k_dp: SX = q("m/(s N)", text="force error from the pressure difference to velocity")
    dp_corner: SX = q("rad/s", text="corner frequency of the washout of the force error")
    ff_velocity: SX = q("-", text="velocity feed-forward", start=1.0)
    lead: SX = q("s", text="lag of valve and computing that the velocity feed-forward compensates")
    ff_force: SX = q("-", text="force feed-forward from weight and inertia", start=1.0)
    ff_friction: SX = q("-", text="force feed-forward from the friction of the leg", start=1.0)
    ff_compression: SX = q("-", text="feed-forward of the flow that compresses the oil", start=1.0)
    integral_max: SX = q("m/s", text="bound of the integral part", start=0.02)
    valve_rate_max: SX = q("1/s", text="largest rate of the valve command", start=40.0)
    close_rate: SX = q("1/s", text="closing rate of a valve that is no longer driven", start=4.0)
    authority_zone: SX = q("m", text="distance from a hard end below which the command is reduced", start=0.15)
    authority_min: SX = q("-", text="command that is always available towards a hard end", start=0.1)


class LegState(Struct):
    """State of a leg's loop."""

    integral: SX = q("m/s", text="of the position error")
    slow: SX = q("N", text="slow part of the force error")
    command: SX = q("-", text="of the last tick")
    f_needed: SX = q("N", text="f_n of the last tick")
    f_rate: SX = q("N/s", text="f_n_dot, filtered")


def compensator(actuator: HydraulicActuator, hard_min: float, hard_max: float) -> Callable[..., Any]:
    """The loop of one leg; areas, valve and ends of the stroke are constants."""
    A_cap, A_rod = actuator.area_cap, actuator.area_rod
    lap = max(actuator.lap, 0.0)  # edges that are open at centre need no compensation
    shape = (A_cap**3 + A_rod**3) / actuator.flow_gain**2
    friction = actuator.friction

    def valve_for(v: SX, f: SX, p_supply: SX, p_return: SX) -> SX:
        out, back = A_cap * p_supply - A_rod * p_return - f, f - A_cap * p_return + A_rod * p_supply
        least_out, least_back = LEAST_DRIVE * A_cap * actuator.p_supply, LEAST_DRIVE * A_rod * actuator.p_supply
        S = ca.if_else(v >= 0, ca.fmax(out, least_out), ca.fmax(back, least_back))
        opening = v * ca.sqrt(shape / S)
        return (1 - lap) * opening + lap * opening / ca.sqrt(opening**2 + LAP_WIDTH**2)

    def compliance(l: SX) -> SX:
        x = ca.fmin(ca.fmax(l, hard_min), hard_max) - hard_min
        cap, rod = actuator.volume_cap + A_cap * x, actuator.volume_rod + A_rod * (hard_max - hard_min - x)
        return cap * rod / (actuator.bulk_modulus * (A_cap**2 * rod + A_rod**2 * cap))

    def slides(v: SX) -> SX:
        return friction.coulomb * v / ca.sqrt(v**2 + friction.stribeck**2) + friction.sigma2 * v

    def valve_command(
        gains: Gains, dt: Seconds, leg_state: LegState, reference: Motion, f_ff: Newtons, quiet: Flag, l: Metres,
        l_dot: Speed, l_ddot: Acceleration, p_cap: Pascals, p_rod: Pascals, p_supply: Pascals, p_return: Pascals,
    ) -> tuple[LegState, ValveCommand, FeedForward, Feedback]:  # fmt: skip
        """Servo loop: state after the tick, command from -1 to 1, its feed-forward and feedback parts before limits.

        f_ff is the force that weight and inertia need from this leg; quiet closes the valve.
        """
        closed, k = ca.ne(quiet, 0), gains
        integral, slow, before = leg_state.integral, leg_state.slow, leg_state.command
        e = reference[0] - l
        f = A_cap * p_cap - A_rod * p_rod
        f_needed = k.ff_force * f_ff + k.ff_friction * slides(reference[1])
        f_error = f - f_needed
        v_ff = k.ff_velocity * (reference[1] + k.lead * reference[2])
        f_rate = (f_needed - leg_state.f_needed) / dt
        late = leg_state.f_rate + dt / (dt + k.lead / LEAD_STEEP) * (f_rate - leg_state.f_rate)
        v_ff += k.ff_compression * compliance(reference[0]) * (f_rate + LEAD_STEEP * (f_rate - late))
        v_fb = k.k_p * e + integral + k.k_v * (reference[1] - l_dot) + k.k_a * (reference[2] - l_ddot)
        v_fb -= k.k_dp * (f_error - slow)
        u_ff = valve_for(v_ff, f, p_supply, p_return)
        u_wanted = valve_for(v_ff + v_fb, f, p_supply, p_return)

        most = ca.fmin(ca.fmax((hard_max - l) / k.authority_zone, k.authority_min), 1.0)
        least = -ca.fmin(ca.fmax((l - hard_min) / k.authority_zone, k.authority_min), 1.0)
        u = ca.if_else(closed, 0.0, ca.fmin(ca.fmax(u_wanted, least), most))
        reach = ca.if_else(closed, k.close_rate, k.valve_rate_max) * dt
        u = ca.fmin(ca.fmax(u, before - reach), before + reach)

        grown = ca.fmin(ca.fmax(integral + k.k_i * e * dt, -k.integral_max), k.integral_max)
        winds = (u_wanted - u) * e > 0  # the limit opposes the correction of the error
        slow_next = slow + k.dp_corner * dt / (1 + k.dp_corner * dt) * (f_error - slow)
        after = LegState(
            integral=ca.if_else(closed, 0.0, ca.if_else(winds, integral, grown)),
            slow=ca.if_else(closed, f_error, slow_next),
            command=u,
            f_needed=f_needed,
            f_rate=late,
        )
        return after, u, ca.if_else(closed, 0.0, u_ff), ca.if_else(closed, 0.0, u_wanted - u_ff)

    return valve_command
