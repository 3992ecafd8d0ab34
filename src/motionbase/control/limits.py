"""Limits of position, velocity and acceleration of one axis, kept exactly in discrete time and without wind-up.

The limiter follows its target. It passes a target through unchanged as long as no limit is touched; otherwise it chases
the target as fast as the limits allow. Its only state is where its output is and how fast, so there is nothing to wind
up: a target that comes back inside is followed at once. Each leg and each degree of freedom has its own: a leg at its
end does not scale the motion of healthy ones.
"""

from __future__ import annotations

import casadi as ca

from motionbase.compile import Kernel, Port

CHASE = 0.5  # of the acceleration, to come up with a target that accelerates itself


def steps_to_stop(d: ca.SX, a: ca.SX, dt: ca.SX) -> ca.SX:
    """Ticks in which distance d is covered when the velocity falls by a dt in each; at least 1."""
    return ca.fmax(1.0, ca.ceil((ca.sqrt(1 + 8 * d / (a * dt**2)) - 1) / 2))


def braking_velocity(d: ca.SX, a: ca.SX, dt: ca.SX) -> ca.SX:
    """Largest velocity for the next tick from which braking by a covers at most d; tends to sqrt(2 a d) for small dt.

    With velocities v, v - a dt, ... the distance of n ticks is n v dt - a dt^2 n (n - 1) / 2. Solved for v with the
    least n that brakes to a stop, so no acceleration above a is ever needed, not even in the last tick.
    """
    n = steps_to_stop(d, a, dt)
    return d / (n * dt) + a * dt * (n - 1) / 2


def _limited(
    dt: ca.SX, x_min: ca.SX, x_max: ca.SX, v_max: ca.SX, a_max: ca.SX, a_brake: ca.SX, before: ca.SX, target: ca.SX
) -> tuple[ca.SX, ...]:
    x, v = before[0], before[1]
    known = ca.logic_and(ca.fabs(target[0]) < ca.inf, ca.fabs(target[1]) < ca.inf)  # a NaN leads nowhere: stay
    r = ca.if_else(known, ca.fmin(ca.fmax(target[0], x_min), x_max), x)
    inside = ca.logic_and(known, ca.eq(r, target[0]))
    r_dot = ca.if_else(inside, target[1], 0.0)

    # chase: the velocity that meets the target, braking relative to it
    gap = r - x - r_dot * dt
    a_chase = CHASE * a_max
    near = ca.fabs(gap) <= a_chase * dt**2
    far = r_dot + ca.sign(gap) * braking_velocity(ca.fabs(gap), a_chase, dt)
    wanted = ca.if_else(near, (r - x) / dt, far)

    # limits, the last has the last word
    v_next = ca.fmin(ca.fmax(wanted, -v_max), v_max)
    v_next = ca.fmin(v_next, braking_velocity(ca.fmax(x_max - x, 0.0), a_brake, dt))
    v_next = ca.fmax(v_next, -braking_velocity(ca.fmax(x - x_min, 0.0), a_brake, dt))
    v_next = ca.fmin(ca.fmax(v_next, v - a_max * dt), v + a_max * dt)

    follows = ca.logic_and(ca.logic_and(inside, near), ca.eq(v_next, wanted))
    x_next = x + v_next * dt
    x_next = ca.fmin(ca.fmax(x_next, ca.fmin(x_min, x)), ca.fmax(x_max, x))  # rounding; x itself may be outside
    x_next = ca.if_else(follows, r, x_next)
    motion = ca.vertcat(x_next, v_next, (v_next - v) / dt)
    return ca.vertcat(x_next, v_next), ca.if_else(follows, target, motion), ca.logic_not(follows)


LIMIT = Kernel(
    "limit",
    inputs=(
        Port("dt", (), "s"),
        Port("x_min", (), "SI, mixed"),
        Port("x_max", (), "SI, mixed"),
        Port("v_max", (), "SI, mixed"),
        Port("a_max", (), "SI, mixed", "largest acceleration"),
        Port("a_brake", (), "SI, mixed", "deceleration to count on before a limit of position; at most a_max"),
        Port("before", 2, "SI, mixed", "position and velocity of the output, one tick ago"),
        Port("target", 3, "SI, mixed", "position, velocity, acceleration"),
    ),
    outputs=(
        Port("after", 2, "SI, mixed", "position and velocity for the next tick"),
        Port("motion", 3, "SI, mixed", "position, velocity, acceleration within the limits"),
        Port("acts", (), "-", "1 while the output is not the target"),
    ),
    expr=_limited,
    description="limits one axis",
)


def _within(v_max: ca.SX, x_max: ca.SX, motion: ca.SX) -> ca.SX:
    inside = ca.logic_and(ca.fabs(motion[:, 0]) <= x_max, ca.fabs(motion[:, 1]) <= v_max)
    return ca.eq(ca.sum1(inside), 6)


WITHIN = Kernel(
    "demand_within",
    inputs=(
        Port("dof_velocity", 6, "SI, mixed", "limits of the degrees of freedom"),
        Port("dof_position", 6, "SI, mixed"),
        Port("motion", (6, 3), "SI, mixed", "demanded position, velocity, acceleration of each"),
    ),
    outputs=(Port("within", (), "-", "1 if positions and velocities are within the limits; 0 for NaN"),),
    expr=_within,
    description="checks the host's demand before it is followed",
)
