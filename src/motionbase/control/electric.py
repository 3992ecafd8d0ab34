"""The loop of one electric leg: from a reference motion and measurements to a speed command within its limits.

    f_n = f_ff + m_r l_ddot_ref + friction(l_dot_ref)          force that the reference motion needs from the motor
    v_d = l_dot_ref + lead l_ddot_ref + (f_n - slow) / K + k_p e,   slow_dot = (f_n - slow) w / 4
    u   = v_d / v_max

The drive has a speed loop of its own, f = K (v_d - l_dot) + integral, whose integral gathers w / 4 of the same error
(gain K, bandwidth w). Where the leg follows, that integral is `slow`, and the third term makes the rest of f_n: the
speed loop's own lag is gone. An integral of position is not needed, the drive's carries any load; so there is nothing
here to wind up. While the brake is closed the drive's integral is empty and `slow` is 0: the motor then takes the
weight over from the brake as it opens.
"""

from __future__ import annotations

import casadi as ca

from motionbase.actuators.electric import ElectricActuator
from motionbase.compile import Kernel, Port
from motionbase.control.fields import Field

GAINS = (
    Field("k_p", 1, "1/s", "position error to velocity"),
    Field("ff_velocity", 1, "-", "velocity feed-forward", 1.0),
    Field("lead", 1, "s", "lag of the command that the velocity feed-forward makes up for"),
    Field("ff_force", 1, "-", "force feed-forward from weight and inertia, rotor included", 1.0),
    Field("ff_friction", 1, "-", "force feed-forward from the friction of the leg", 1.0),
    Field("valve_rate_max", 1, "1/s", "largest rate of the speed command", 40.0),
    Field("authority_zone", 1, "m", "distance from a hard end below which the command is reduced", 0.15),
    Field("authority_min", 1, "-", "command that is always left towards a hard end", 0.05),
)
LEG_WIDTH, COMMAND = 2, 1  # numbers of a leg's state, and which of them is the command
LEG_STATE = Port("leg_state", LEG_WIDTH, "SI, mixed", "integral of the drive as it should be [N], command before [-]")


def speed_compensator(actuator: ElectricActuator, hard_min: float, hard_max: float) -> Kernel:
    """The kernel of one leg; drive, rotor, friction and ends of the stroke are constants, gains are ports."""
    friction, corner = actuator.friction, 0.25 * actuator.speed_bandwidth
    per_gain, per_v_max = 1 / actuator.speed_gain, 1 / actuator.v_max

    def slides(v: ca.SX) -> ca.SX:
        return friction.coulomb * v / ca.sqrt(v**2 + friction.stribeck**2) + friction.sigma2 * v

    def expr(
        k_p: ca.SX, ff_velocity: ca.SX, lead: ca.SX, ff_force: ca.SX, ff_friction: ca.SX, valve_rate_max: ca.SX,
        authority_zone: ca.SX, authority_min: ca.SX, dt: ca.SX, leg_state: ca.SX, reference: ca.SX, f_ff: ca.SX,
        quiet: ca.SX, l: ca.SX,
    ) -> tuple[ca.SX, ...]:  # fmt: skip
        closed = ca.ne(quiet, 0)
        slow, before = leg_state[0], leg_state[1]
        needed = ff_force * (f_ff + actuator.reflected_mass * reference[2]) + ff_friction * slides(reference[1])
        v_ff = ff_velocity * (reference[1] + lead * reference[2]) + per_gain * (needed - slow)
        u_ff = per_v_max * v_ff
        u_wanted = u_ff + per_v_max * k_p * (reference[0] - l)

        most = ca.fmin(ca.fmax((hard_max - l) / authority_zone, authority_min), 1.0)
        least = -ca.fmin(ca.fmax((l - hard_min) / authority_zone, authority_min), 1.0)
        u = ca.if_else(closed, 0.0, ca.fmin(ca.fmax(u_wanted, least), most))
        u = ca.fmin(ca.fmax(u, before - valve_rate_max * dt), before + valve_rate_max * dt)

        gathers = corner * dt / (1 + corner * dt)
        state = ca.vertcat(ca.if_else(closed, 0.0, slow + gathers * (needed - slow)), u)
        return state, u, ca.if_else(closed, 0.0, u_ff), ca.if_else(closed, 0.0, u_wanted - u_ff)

    return Kernel(
        "speed_compensator",
        inputs=(
            *(Port(g.name, (), g.unit, g.description) for g in GAINS),
            Port("dt", (), "s"),
            LEG_STATE,
            Port("reference", 3, "SI, mixed", "length, rate, acceleration to follow"),
            Port("f_ff", (), "N", "force that weight and inertia need from this leg"),
            Port("quiet", (), "-", "1: stand still, the brake closes"),
            Port("l", (), "m"),
        ),
        outputs=(
            Port("leg_state_next", LEG_WIDTH, "SI, mixed"),
            Port("valve_cmd", (), "-", "speed command, -1 to 1, positive extends"),
            Port("u_ff", (), "-", "feed-forward part, before limits"),
            Port("u_fb", (), "-", "feedback part, before limits"),
        ),
        expr=expr,
        description="position loop of one leg around its drive's speed loop",
    )
