"""The loop of one hydraulic leg: from a reference motion and measurements to a valve command within its limits.

    f_n = f_ff + friction(l_dot_ref)                     force that the reference motion needs from the oil
    v_f = (1 + lead d/dt) (l_dot_ref + f_n_dot / k(l))   its flow: the piston's way, and what compresses the oil
    v_d = v_f + k_p e + integral + k_v e_dot + k_a e_ddot - k_dp washout(A_cap p_cap - A_rod p_rod - f_n)
    u   = v_d sqrt((A_cap^3 + A_rod^3) / S) / k_v,       S = force left to drive flow through both lands

The last line inverts the orifice law in steady motion, with unequal areas, so v_d is the velocity that the leg gets at
any load. This takes away the valve's own damping; the pressure-difference feedback gives it back as designed. The lead
makes up for the lag of valve and computing, the compression flow for the oil spring k(l): without it every change of
acceleration would first have to move the platform off its course.
"""

from __future__ import annotations

import casadi as ca

from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.compile import Kernel, Port
from motionbase.control.fields import Field

LEAST_DRIVE = 0.08  # of the stall force: S is not taken for less, so that u stays finite at a stalled leg
LEAD_STEEP = 2.0  # the lead of the compression flow ends at this times 1 / lead: nobody gives its derivative
LAP_WIDTH = 0.01  # [-] of the command over which an overlap is jumped

GAINS = (
    Field("k_p", 1, "1/s", "position error to velocity"),
    Field("k_i", 1, "1/s^2", "integral of the position error to velocity"),
    Field("k_v", 1, "-", "velocity error to velocity"),
    Field("k_a", 1, "s", "acceleration error to velocity"),
    Field("k_dp", 1, "m/(s N)", "force error from the pressure difference to velocity"),
    Field("dp_corner", 1, "rad/s", "below it the force error is washed out"),
    Field("ff_velocity", 1, "-", "velocity feed-forward", 1.0),
    Field("lead", 1, "s", "lag of valve and computing that the velocity feed-forward makes up for"),
    Field("ff_force", 1, "-", "force feed-forward from weight and inertia", 1.0),
    Field("ff_friction", 1, "-", "force feed-forward from the friction of the leg", 1.0),
    Field("ff_compression", 1, "-", "feed-forward of the flow that compresses the oil", 1.0),
    Field("integral_max", 1, "m/s", "bound of the integral part", 0.02),
    Field("valve_rate_max", 1, "1/s", "largest rate of the valve command", 40.0),
    Field("close_rate", 1, "1/s", "rate at which a valve is closed that is no longer driven", 4.0),
    Field("authority_zone", 1, "m", "distance from a hard end below which the command is reduced", 0.15),
    Field("authority_min", 1, "-", "command that is always left towards a hard end", 0.1),
)
MEASURED = (
    Port("l", (), "m"), Port("l_dot", (), "m/s"), Port("l_ddot", (), "m/s^2"), Port("p_cap", (), "Pa"),
    Port("p_rod", (), "Pa"),
)  # fmt: skip
LEG_WIDTH = 5
LEG_STATE = Port(
    "leg_state",
    LEG_WIDTH,
    "SI, mixed",
    "integral [m/s], slow part of the force error [N], one tick ago: command [-], f_n [N]; f_n_dot filtered [N/s]",
)


def compensator(actuator: HydraulicActuator, hard_min: float, hard_max: float) -> Kernel:
    """The kernel of one leg; areas, valve and ends of the stroke are constants, gains are ports."""
    A_cap, A_rod = actuator.area_cap, actuator.area_rod
    lap = max(actuator.lap, 0.0)  # edges that are open at centre need nothing
    shape = (A_cap**3 + A_rod**3) / actuator.flow_gain**2
    friction = actuator.friction

    def valve_for(v: ca.SX, f: ca.SX, p_supply: ca.SX, p_return: ca.SX) -> ca.SX:
        out, back = A_cap * p_supply - A_rod * p_return - f, f - A_cap * p_return + A_rod * p_supply
        least_out, least_back = LEAST_DRIVE * A_cap * actuator.p_supply, LEAST_DRIVE * A_rod * actuator.p_supply
        S = ca.if_else(v >= 0, ca.fmax(out, least_out), ca.fmax(back, least_back))
        opening = v * ca.sqrt(shape / S)
        return (1 - lap) * opening + lap * opening / ca.sqrt(opening**2 + LAP_WIDTH**2)

    def compliance(l: ca.SX) -> ca.SX:
        x = ca.fmin(ca.fmax(l, hard_min), hard_max) - hard_min
        cap, rod = actuator.volume_cap + A_cap * x, actuator.volume_rod + A_rod * (hard_max - hard_min - x)
        return cap * rod / (actuator.bulk_modulus * (A_cap**2 * rod + A_rod**2 * cap))

    def slides(v: ca.SX) -> ca.SX:
        return friction.coulomb * v / ca.sqrt(v**2 + friction.stribeck**2) + friction.sigma2 * v

    def expr(
        k_p: ca.SX, k_i: ca.SX, k_v: ca.SX, k_a: ca.SX, k_dp: ca.SX, dp_corner: ca.SX, ff_velocity: ca.SX,
        lead: ca.SX, ff_force: ca.SX, ff_friction: ca.SX, ff_compression: ca.SX,
        integral_max: ca.SX, valve_rate_max: ca.SX, close_rate: ca.SX, authority_zone: ca.SX, authority_min: ca.SX,
        dt: ca.SX, leg_state: ca.SX, reference: ca.SX, f_ff: ca.SX, quiet: ca.SX,
        l: ca.SX, l_dot: ca.SX, l_ddot: ca.SX, p_cap: ca.SX, p_rod: ca.SX, p_supply: ca.SX, p_return: ca.SX,
    ) -> tuple[ca.SX, ...]:  # fmt: skip
        closed = ca.ne(quiet, 0)
        integral, slow, before = leg_state[0], leg_state[1], leg_state[2]
        e = reference[0] - l
        f = A_cap * p_cap - A_rod * p_rod
        f_needed = ff_force * f_ff + ff_friction * slides(reference[1])
        f_error = f - f_needed
        v_ff = ff_velocity * (reference[1] + lead * reference[2])
        f_rate = (f_needed - leg_state[3]) / dt
        late = leg_state[4] + dt / (dt + lead / LEAD_STEEP) * (f_rate - leg_state[4])
        v_ff += ff_compression * compliance(reference[0]) * (f_rate + LEAD_STEEP * (f_rate - late))
        v_fb = k_p * e + integral + k_v * (reference[1] - l_dot) + k_a * (reference[2] - l_ddot)
        v_fb -= k_dp * (f_error - slow)
        u_ff = valve_for(v_ff, f, p_supply, p_return)
        u_wanted = valve_for(v_ff + v_fb, f, p_supply, p_return)

        most = ca.fmin(ca.fmax((hard_max - l) / authority_zone, authority_min), 1.0)
        least = -ca.fmin(ca.fmax((l - hard_min) / authority_zone, authority_min), 1.0)
        u = ca.if_else(closed, 0.0, ca.fmin(ca.fmax(u_wanted, least), most))
        reach = ca.if_else(closed, close_rate, valve_rate_max) * dt
        u = ca.fmin(ca.fmax(u, before - reach), before + reach)

        grown = ca.fmin(ca.fmax(integral + k_i * e * dt, -integral_max), integral_max)
        winds = (u_wanted - u) * e > 0  # the limit holds back what the error asks for
        slow_next = slow + dp_corner * dt / (1 + dp_corner * dt) * (f_error - slow)
        state = ca.vertcat(
            ca.if_else(closed, 0.0, ca.if_else(winds, integral, grown)), ca.if_else(closed, f_error, slow_next), u,
            f_needed, late,
        )  # fmt: skip
        return state, u, ca.if_else(closed, 0.0, u_ff), ca.if_else(closed, 0.0, u_wanted - u_ff)

    return Kernel(
        "leg_compensator",
        inputs=(
            *(Port(g.name, (), g.unit, g.description) for g in GAINS),
            Port("dt", (), "s"),
            LEG_STATE,
            Port("reference", 3, "SI, mixed", "length, rate, acceleration to follow"),
            Port("f_ff", (), "N", "force that weight and inertia need from this leg"),
            Port("quiet", (), "-", "1: close the valve"),
            *MEASURED,
            Port("p_supply", (), "Pa"),
            Port("p_return", (), "Pa"),
        ),
        outputs=(
            Port("leg_state_next", LEG_WIDTH, "SI, mixed"),
            Port("valve_cmd", (), "-", "-1 to 1, positive extends"),
            Port("u_ff", (), "-", "feed-forward part, before limits"),
            Port("u_fb", (), "-", "feedback part, before limits"),
        ),
        expr=expr,
        description="servo loop of one leg",
    )
