"""Smooth moves in closed form: fades, stops from any motion, and travels within bounds of velocity and acceleration."""

from __future__ import annotations

import math

import casadi as ca

from motionbase.compile import Kernel, Port

PEAK_VELOCITY = 15 / 8  # of a quintic from 0 to 1 in unit time
PEAK_ACCELERATION = 10 / math.sqrt(3)
PEAK_STOP = 1.5  # acceleration of a stop over its mean


def quintic(tau: ca.SX, length: ca.SX) -> ca.SX:
    """From 0 to 1 within `length` [s] of tau = 0, with two derivatives; length 0 is a step."""
    step = length <= 0
    T = ca.if_else(step, 1.0, length)
    x = ca.fmin(ca.fmax(tau / T, 0.0), 1.0)
    s = x**3 * (10 - 15 * x + 6 * x**2)
    return ca.vertcat(
        ca.if_else(step, tau >= 0, s),
        ca.if_else(step, 0, 30 * x**2 * (1 - x) ** 2 / T),
        ca.if_else(step, 0, 60 * x * (1 - x) * (1 - 2 * x) / T**2),
    )


def stop(v: ca.SX, a: ca.SX, tau: ca.SX, T: ca.SX) -> ca.SX:
    """Path of a stop within T [s] from velocity v and acceleration a, with two derivatives.

    Its velocity is the cubic from (v, a) to (0, 0): the acceleration is continuous and at most 1.5 |v| / T + |a|, the
    jerk at most 6 |v| / T^2 + 4 |a| / T.
    """
    x = ca.fmin(tau / T, 1.0)
    return ca.vertcat(
        v * T * (x - x**3 + x**4 / 2) + a * T**2 * (x**2 / 2 - 2 * x**3 / 3 + x**4 / 4),
        v * (1 - 3 * x**2 + 2 * x**3) + a * T * (x - 2 * x**2 + x**3),
        ca.if_else(x < 1, v * 6 * (x**2 - x) / T + a * (1 - 4 * x + 3 * x**2), 0.0),
    )


def stop_length(v: ca.SX, T: ca.SX, a: ca.SX | float = 0.0) -> ca.SX:
    """How far `stop` goes [m]."""
    return v * T / 2 + a * T**2 / 12


def travel_time(distance: ca.SX, v_max: ca.SX, a_max: ca.SX) -> ca.SX:
    """Shortest quintic over a distance within both bounds [s]."""
    d = ca.fabs(distance)
    return ca.fmax(PEAK_VELOCITY * d / v_max, ca.sqrt(PEAK_ACCELERATION * d / a_max))


# ---- moves of one axis: a stop and a travel at once, so that velocity and acceleration begin as they were -----------

BOUNDS = (Port("v_max", (), "SI, mixed", "of the travel"), Port("a_max", (), "SI, mixed", "of stop and of travel"))


def _plan(least: ca.SX, v_max: ca.SX, a_max: ca.SX, now: ca.SX, target: ca.SX, goes: ca.SX) -> tuple[ca.SX, ...]:
    x, v, a = now[0], now[1], now[2]
    T_stop = ca.fmax(least, PEAK_STOP * ca.fabs(v) / a_max)
    distance = target - (x + stop_length(v, T_stop, a))
    T_travel = ca.fmax(least, travel_time(distance, v_max, a_max))
    travel = ca.if_else(ca.ne(goes, 0), distance, 0.0)
    return ca.vertcat(x, v, a, T_stop, travel), ca.fmax(T_travel, T_stop)


PLAN = Kernel(
    "move_plan",
    inputs=(
        Port("least", (), "s", "shortest stop and travel"),
        *BOUNDS,
        Port("now", 3, "SI, mixed", "position, velocity, acceleration"),
        Port("target", (), "SI, mixed", "where the travel ends"),
        Port("goes", (), "-", "0 to stop and stay, 1 to go to the target"),
    ),
    outputs=(
        Port("plan", 5, "SI, mixed", "position, velocity, acceleration at the start, time of the stop, travel"),
        Port("duration", (), "s", "shortest time of stop and travel to the target"),
    ),
    expr=_plan,
    description="plans the move of one axis; the longest duration of all axes is used for each of them",
)


def _move(plan: ca.SX, duration: ca.SX, tau: ca.SX) -> ca.SX:
    halt = stop(plan[1], plan[2], tau, plan[3])
    return ca.vertcat(plan[0], 0, 0) + halt + plan[4] * quintic(tau, duration)


MOVE = Kernel(
    "move",
    inputs=(
        Port("plan", 5, "SI, mixed"),
        Port("duration", (), "s", "of the travel, the same for all axes"),
        Port("tau", (), "s", "time since the start"),
    ),
    outputs=(Port("motion", 3, "SI, mixed", "position, velocity, acceleration"),),
    expr=_move,
    description="where a planned move is",
)
