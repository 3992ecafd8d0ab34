"""Host trajectory from 40 to 80 Hz up to the rate of the control law, without a step when a frame arrives.

A frame is position, velocity and acceleration; until the next one the trajectory is its parabola. What a new frame
differs from the trajectory so far is absorbed by a quintic that takes position, velocity and acceleration of the
difference to zero. Frames of a constant acceleration differ by nothing, and are followed exactly. When frames stop, the
parabola is left at a horizon for a stop with bounded jerk; a frame that comes later is met by a longer bridge.
"""

from __future__ import annotations

import casadi as ca

from motionbase.compile import Body, Kernel, OldProgram, Port
from motionbase.control.profiles import PEAK_ACCELERATION, PEAK_STOP, PEAK_VELOCITY, stop

PEAK_FROM_VELOCITY = 3.95  # acceleration of the bridge, over velocity difference / duration
PLAUSIBLE = 10.0  # times the limits: a frame beyond is no demand but a slip
LONGEST_PERIOD = 0.1  # [s] a pause is no period


AXIS_BOUNDS = tuple(Port(f"dof_{name}", 6, "SI, mixed") for name in ("position", "velocity", "acceleration"))


# ---- the clock of the host, once a tick ---------------------------------------------------------------------------


def _clock(
    dt: ca.SX, dof_position: ca.SX, dof_velocity: ca.SX, dof_acceleration: ca.SX, count_held: ca.SX, age: ca.SX,
    period: ca.SX, count: ca.SX, frame: ca.SX,
) -> tuple[ca.SX, ...]:  # fmt: skip
    bounds = PLAUSIBLE * ca.horzcat(dof_position, dof_velocity, dof_acceleration).T
    believable = ca.eq(ca.sum1(ca.sum2(ca.fabs(frame) <= bounds)), 18)  # false for NaN
    finite = ca.logic_and(believable, ca.fabs(count) < ca.inf)
    new = ca.ne(count, count_held)
    fresh = ca.logic_and(new, finite)
    elapsed = age + dt
    known = ca.logic_and(fresh, elapsed < LONGEST_PERIOD)
    period_next = ca.if_else(known, 0.75 * period + 0.25 * elapsed, period)
    held = ca.if_else(ca.fabs(count) < ca.inf, count, count_held)
    return fresh, held, ca.if_else(fresh, 0.0, elapsed), elapsed, period_next, ca.logic_and(new, ca.logic_not(finite))


CLOCK = Kernel(
    "host_clock",
    inputs=(
        Port("dt", (), "s"),
        *AXIS_BOUNDS,
        Port("count_held", (), "-", "of the frame in use"),
        Port("age", (), "s", "since its arrival, one tick ago"),
        Port("period", (), "s", "smoothed time between frames"),
        Port("host_count", (), "-", "number of the newest frame"),
        Port("host_frame", (3, 6), "SI, mixed", "positions, velocities, accelerations of the degrees of freedom"),
    ),
    outputs=(
        Port("fresh", (), "-", "1 when a believable frame arrives"),
        Port("count_next", (), "-"),
        Port("age_next", (), "s"),
        Port("elapsed", (), "s", "age that the frame before has now"),
        Port("period_next", (), "s"),
        Port("refused", (), "-", "1 when a frame arrives that holds a NaN or is far beyond the limits"),
    ),
    expr=_clock,
    description="notices frames and measures their age and period",
)


# ---- one degree of freedom -----------------------------------------------------------------------------------------


def _predicted(horizon: ca.SX, least: ca.SX, a_max: ca.SX, frame: ca.SX, tau: ca.SX) -> ca.SX:
    """The frame's parabola to the horizon, then a stop."""
    p, v, a = frame[0], frame[1], frame[2]
    t = ca.fmin(tau, horizon)
    v_t = v + a * t
    halt = stop(v_t, a, ca.fmax(tau - horizon, 0.0), ca.fmax(least, PEAK_STOP * ca.fabs(v_t) / a_max))
    return ca.vertcat(p + v * t + a * t**2 / 2 + halt[0], halt[1], halt[2])


def _bridged(bridge: ca.SX, tau: ca.SX) -> ca.SX:
    """The difference that is still to be absorbed; bridge is (e, e_dot, e_ddot, duration)."""
    e, v, a, T = (bridge[k] for k in range(4))
    x = ca.fmin(tau / T, 1.0)
    y = ca.vertcat(
        e * (1 - x**3 * (10 - 15 * x + 6 * x**2))
        + v * T * (x - x**3 * (6 - 8 * x + 3 * x**2))
        + a * T**2 * x**2 / 2 * (1 - x * (3 - 3 * x + x**2)),
        -e / T * 30 * x**2 * (1 - x) ** 2
        + v * (1 - x**2 * (18 - 32 * x + 15 * x**2))
        + a * T * x * (1 - x * (4.5 - 6 * x + 2.5 * x**2)),
        -e / T**2 * 60 * x * (1 - 3 * x + 2 * x**2)
        - v / T * x * (36 - 96 * x + 60 * x**2)
        + a * (1 - x * (9 - 18 * x + 10 * x**2)),
    )
    return ca.if_else(x < 1, y, ca.SX.zeros(3))


def _propagated(
    horizon: ca.SX, least: ca.SX, v_max: ca.SX, a_max: ca.SX, held: ca.SX, bridge: ca.SX,
    fresh: ca.SX, elapsed: ca.SX, period: ca.SX, frame: ca.SX,
) -> tuple[ca.SX, ...]:  # fmt: skip
    came = ca.ne(fresh, 0)
    predicted = _predicted(horizon, least, a_max, held, elapsed)
    old = predicted + _bridged(bridge, elapsed)
    e, v = ca.fabs(predicted[0] - frame[0]), ca.fabs(predicted[1] - frame[1])
    T = ca.fmax(ca.fmax(period, bridge[3] - elapsed), PEAK_VELOCITY * e / v_max)  # a bridge under way keeps its end
    T = ca.fmax(T, ca.fmax(ca.sqrt(PEAK_ACCELERATION * e / a_max), PEAK_FROM_VELOCITY * v / a_max))
    # at the instant of a frame the new trajectory is by construction the old one
    return ca.if_else(came, frame, held), ca.if_else(came, ca.vertcat(old - frame, T), bridge), old


PROPAGATE = Kernel(
    "propagate",
    inputs=(
        Port("horizon", (), "s", "longest use of a frame's parabola"),
        Port("least", (), "s", "shortest stop after the horizon"),
        Port("v_max", (), "SI, mixed", "velocity of a bridge"),
        Port("a_max", (), "SI, mixed", "acceleration of a bridge and of a stop"),
        Port("held", 3, "SI, mixed", "frame in use: position, velocity, acceleration"),
        Port("bridge", 4, "SI, mixed", "difference at its arrival with two derivatives, duration"),
        Port("fresh", (), "-", "1 when a frame arrives"),
        Port("elapsed", (), "s", "age of the frame in use, now"),
        Port("period", (), "s", "of the frames"),
        Port("frame", 3, "SI, mixed", "the newest frame"),
    ),
    outputs=(
        Port("held_next", 3, "SI, mixed"),
        Port("bridge_next", 4, "SI, mixed"),
        Port("motion", 3, "SI, mixed", "position, velocity, acceleration now"),
    ),
    expr=_propagated,
    description="host trajectory of one degree of freedom",
)


# ---- all six -------------------------------------------------------------------------------------------------------

TRANSPOSED = Kernel(
    "by_axis", (Port("rows", (3, 6), "SI, mixed"),), (Port("by_axis", (6, 3), "SI, mixed"),), lambda rows: rows.T
)
SHARED = PROPAGATE.inputs[:2]
HELD = Port("held", (6, 3), "SI, mixed", "frame in use, one row a degree of freedom")
BRIDGE = Port("bridge", (6, 4), "SI, mixed", "bridges, one row a degree of freedom")
FOLLOWED = Port("followed", (), "-", "1: the motion is used; 0: frames are kept, and the motion is zero between them")
NEEDED = Kernel(
    "host_needed", (FOLLOWED, Port("fresh")), (Port("needed"),), lambda a, b: ca.logic_or(ca.ne(a, 0), ca.ne(b, 0))
)
FIRST_BRIDGE = 1e-3  # [s] duration of a bridge of nothing; must not be 0


def _propagator(b: Body) -> None:
    fresh, elapsed, needed, by_axis = (
        b.local("fresh"),
        b.local("elapsed"),
        b.local("needed"),
        b.local("by_axis", (6, 3)),
    )
    clock = {port.name: b[port.name] for port in CLOCK.inputs}
    after = {name: b[name] for name in ("count_next", "age_next", "period_next", "refused")}
    b.call(CLOCK, **clock, **after, fresh=fresh, elapsed=elapsed)
    b.call(NEEDED, followed=b["followed"], fresh=fresh, needed=needed)
    with b.switch(needed) as choice:
        with choice.case(1):
            b.call(TRANSPOSED, rows=b["host_frame"], by_axis=by_axis)
            with b.loop(6) as k:
                b.call(
                    PROPAGATE,
                    horizon=b["horizon"], least=b["least"], v_max=b["dof_velocity"][k], a_max=b["dof_acceleration"][k],
                    held=b["held"][k], bridge=b["bridge"][k], fresh=fresh, elapsed=elapsed, period=b["period_next"],
                    frame=by_axis[k], held_next=b["held_next"][k], bridge_next=b["bridge_next"][k],
                    motion=b["motion"][k],
                )  # fmt: skip
        with choice.default():
            b.copy(b["held"], b["held_next"])
            b.copy(b["bridge"], b["bridge_next"])
            b.copy(b.constant("no_motion", [0.0] * 18), b["motion"])


PROPAGATOR = OldProgram(
    "propagator",
    inputs=(CLOCK.inputs[0], FOLLOWED, *SHARED, *AXIS_BOUNDS, HELD, BRIDGE, *CLOCK.inputs[4:]),
    outputs=(
        *(CLOCK.outputs[k] for k in (1, 2, 4, 5)),
        Port("held_next", (6, 3), "SI, mixed"),
        Port("bridge_next", (6, 4), "SI, mixed"),
        Port("motion", (6, 3), "SI, mixed", "position, velocity, acceleration of each degree of freedom"),
    ),
    body=_propagator,
    description="host trajectory at the rate of the control law",
)
