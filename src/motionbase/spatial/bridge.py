"""Bridges between two trajectories: their difference, with its two derivatives, is taken to zero by a quintic."""

from __future__ import annotations

import math

import casadi as ca

from motionbase.compile import Struct, q
from motionbase.compile.struct import MIXED

SX = ca.SX
FIRST_BRIDGE = 1e-3  # [s] duration of an empty bridge; must not be 0
PEAK_FROM_POSITION = 10 / math.sqrt(3)  # acceleration of a bridge, over position difference / duration^2
PEAK_FROM_VELOCITY = 3.95  # the same, over velocity difference / duration


class Bridge(Struct):
    """From the trajectory so far to a new one, of one axis: their difference when it began, and the duration."""

    e: SX = q(MIXED)
    e_dot: SX = q(MIXED)
    e_ddot: SX = q(MIXED)
    T: SX = q("s", start=FIRST_BRIDGE)


def bridged(bridge: Bridge, tau: SX) -> SX:
    """The remaining difference, a time tau after the beginning, and its two derivatives."""
    e, v, a, T = bridge.e, bridge.e_dot, bridge.e_ddot, bridge.T
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
