"""The loop of one electric leg: from a reference motion and measurements to a speed command within its limits.

    f_n = f_ff + m_r l_ddot_ref + friction(l_dot_ref)          force that the reference motion needs from the motor
    v_d = l_dot_ref + lead l_ddot_ref + (f_n - slow) / K + k_p e,   slow_dot = (f_n - slow) w / 4
    u   = v_d / v_max

The drive has its own speed loop, f = K (v_d - l_dot) + integral, whose integral accumulates w / 4 of the same error
(gain K, bandwidth w). While the leg follows, that integral equals `slow`, and the third term provides the rest of f_n,
which removes the lag of the speed loop. An integral of position is not needed, since the drive's integral carries any
load; so nothing can wind up here. While the brake is closed the drive's integral is empty and `slow` is 0: the motor
then takes over the weight from the brake as it opens.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import casadi as ca

from motionbase.actuators.electric import ElectricActuator
from motionbase.compile import Struct, q
from motionbase.control.quantities import (
    SX,
    Feedback,
    FeedForward,
    Flag,
    Metres,
    Motion,
    Newtons,
    Seconds,
    ValveCommand,
)


class Gains(Struct):
    """Parameters of the loop."""

    k_p: SX = q("1/s", text="position error to velocity")
    ff_velocity: SX = q("-", text="velocity feed-forward", start=1.0)
    lead: SX = q("s", text="lag of the command that the velocity feed-forward compensates")
    ff_force: SX = q("-", text="force feed-forward from weight and inertia, rotor included", start=1.0)
    ff_friction: SX = q("-", text="force feed-forward from the friction of the leg", start=1.0)
    valve_rate_max: SX = q("1/s", text="largest rate of the speed command", start=40.0)
    authority_zone: SX = q("m", text="distance from a hard end below which the command is reduced", start=0.15)
    authority_min: SX = q("-", text="command that is always available towards a hard end", start=0.05)


class LegState(Struct):
    """State of a leg's loop."""

    slow: SX = q("N", text="expected integral of the drive")
    command: SX = q("-", text="of the last tick")


def speed_compensator(actuator: ElectricActuator, hard_min: float, hard_max: float) -> Callable[..., Any]:
    """The loop of one leg; drive, rotor, friction and ends of the stroke are constants."""
    friction, corner = actuator.friction, 0.25 * actuator.speed_bandwidth
    per_gain, per_v_max = 1 / actuator.speed_gain, 1 / actuator.v_max

    def slides(v: SX) -> SX:
        return friction.coulomb * v / ca.sqrt(v**2 + friction.stribeck**2) + friction.sigma2 * v

    def speed_command(
        gains: Gains, dt: Seconds, leg_state: LegState, reference: Motion, f_ff: Newtons, quiet: Flag, l: Metres
    ) -> tuple[LegState, ValveCommand, FeedForward, Feedback]:
        """Position loop around the drive's speed loop: state after the tick, command, its parts before limits.

        f_ff is the force that weight and inertia need from this leg; quiet stops the leg and closes the brake.
        """
        closed, k = ca.ne(quiet, 0), gains
        slow, before = leg_state.slow, leg_state.command
        needed = k.ff_force * (f_ff + actuator.reflected_mass * reference[2]) + k.ff_friction * slides(reference[1])
        v_ff = k.ff_velocity * (reference[1] + k.lead * reference[2]) + per_gain * (needed - slow)
        u_ff = per_v_max * v_ff
        u_wanted = u_ff + per_v_max * k.k_p * (reference[0] - l)

        most = ca.fmin(ca.fmax((hard_max - l) / k.authority_zone, k.authority_min), 1.0)
        least = -ca.fmin(ca.fmax((l - hard_min) / k.authority_zone, k.authority_min), 1.0)
        u = ca.if_else(closed, 0.0, ca.fmin(ca.fmax(u_wanted, least), most))
        u = ca.fmin(ca.fmax(u, before - k.valve_rate_max * dt), before + k.valve_rate_max * dt)

        gathers = corner * dt / (1 + corner * dt)
        after = LegState(slow=ca.if_else(closed, 0.0, slow + gathers * (needed - slow)), command=u)
        return after, u, ca.if_else(closed, 0.0, u_ff), ca.if_else(closed, 0.0, u_wanted - u_ff)

    return speed_command
