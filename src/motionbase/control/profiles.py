"""Smooth moves in closed form: fades, stops from any motion, and travel within bounds of velocity and acceleration."""

from __future__ import annotations

import math
from typing import Annotated

import casadi as ca

from motionbase.compile import Struct, q
from motionbase.compile.struct import MIXED
from motionbase.control.quantities import SX, Flag, Motion, Seconds, Some

PEAK_VELOCITY = 15 / 8  # of a quintic from 0 to 1 in unit time
PEAK_ACCELERATION = 10 / math.sqrt(3)
PEAK_STOP = 1.5  # peak over mean acceleration of a stop


def quintic(tau: SX, length: SX) -> SX:
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


def stop(v: SX, a: SX, tau: SX, T: SX) -> SX:
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


def stop_length(v: SX, T: SX, a: SX | float = 0.0) -> SX:
    """Distance covered by `stop` [m]."""
    return v * T / 2 + a * T**2 / 12


def travel_time(distance: SX, v_max: SX, a_max: SX) -> SX:
    """Duration of the shortest quintic over a distance within both bounds [s]."""
    d = ca.fabs(distance)
    return ca.fmax(PEAK_VELOCITY * d / v_max, ca.sqrt(PEAK_ACCELERATION * d / a_max))


# ---- moves of one axis: a stop and a travel superposed, so that velocity and acceleration are continuous ------------


class Plan(Struct):
    """A move of one axis: its initial motion, and what it does."""

    x: SX = q(MIXED)
    v: SX = q(MIXED)
    a: SX = q(MIXED)
    stop: SX = q("s", text="time of the stop", start=1.0)
    travel: SX = q(MIXED, text="how far it travels besides")


def planned(
    least: Seconds, v_max: Some, a_max: Some, now: Motion, target: Some, goes: Flag
) -> tuple[Plan, Annotated[SX, q("s"), "duration"]]:
    """A move to the target, or a stop; and the shortest time of stop and travel. The longest of all axes is used."""
    x, v, a = now[0], now[1], now[2]
    T_stop = ca.fmax(least, PEAK_STOP * ca.fabs(v) / a_max)
    distance = target - (x + stop_length(v, T_stop, a))
    T_travel = ca.fmax(least, travel_time(distance, v_max, a_max))
    travel = ca.if_else(ca.ne(goes, 0), distance, 0.0)
    return Plan(x=x, v=v, a=a, stop=T_stop, travel=travel), ca.fmax(T_travel, T_stop)


def moved(plan: Plan, duration: Seconds, tau: Seconds) -> Motion:
    """Position in a planned move, tau after its start; the duration of the travel is the same for all axes."""
    halt = stop(plan.v, plan.a, tau, plan.stop)
    return ca.vertcat(plan.x, 0, 0) + halt + plan.travel * quintic(tau, duration)


def blended(duration: Seconds, tau: Seconds, move: Motion, drive: Motion) -> Motion:
    """Blend from a move to the trajectory of the drive."""
    s = quintic(tau, duration)
    d = drive - move
    return ca.vertcat(
        move[0] + s[0] * d[0],
        move[1] + s[1] * d[0] + s[0] * d[1],
        move[2] + s[2] * d[0] + 2 * s[1] * d[1] + s[0] * d[2],
    )
