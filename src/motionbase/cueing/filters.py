"""Filters of one axis by the trapezoidal rule: second order in the step, stable for any step, exact in steady state.

Their state is the motion itself (position, velocity, acceleration), not numbers of a transfer function. So parameters
may change at any time without a jump of the motion, and a limit that changes the motion changes the filter's state.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import casadi as ca

from motionbase.compile import Struct, q
from motionbase.compile.struct import MIXED

SX = ca.SX


class Motion(Struct):
    """Motion of one axis."""

    x: SX = q(MIXED, text="position")
    v: SX = q(MIXED, text="velocity")
    a: SX = q(MIXED, text="acceleration")


class Corner(NamedTuple):
    """A pair of poles: natural frequency [rad/s] and damping ratio [-]."""

    omega: SX
    zeta: SX


def oscillated(h: SX, corner: Corner, x: Motion, u: SX) -> Motion:
    """One step of x'' + 2 zeta omega x' + omega^2 x = u, for the input at its end."""
    c, k = 2 * corner.zeta * corner.omega, corner.omega**2
    v_part = x.v + h / 2 * x.a
    x_part = x.x + h * x.v + h**2 / 4 * x.a
    a = (u - c * v_part - k * x_part) / (1 + h / 2 * c + h**2 / 4 * k)
    return Motion(x=x_part + h**2 / 4 * a, v=v_part + h / 2 * a, a=a)


def lagged(h: SX, corner: SX, y: SX, u_before: SX, u: SX) -> SX:
    """One step of y' = corner (u - y)."""
    part = h / 2 * corner
    return ((1 - part) * y + part * (u_before + u)) / (1 + part)


class Turn(Struct):
    """A high-passed angle."""

    x: SX = q("rad", text="angle")
    v: SX = q("rad/s", text="its rate")
    sum: SX = q("rad s", text="its integral")


def washed_turn(h: SX, corner: Corner, first: SX, x: Turn, u: SX) -> Turn:
    """One step of an angle x with the rate u, high-passed: x = s / (s^2 + (2 zeta omega + first) s + omega^2) u.

    With omega 0 it is of first order, 1 / (s + first) u.
    """
    c, k = 2 * corner.zeta * corner.omega + first, corner.omega**2
    known = x.sum + h / 2 * x.x
    angle = (x.x + h / 2 * (x.v + u - k * known)) / (1 + h / 2 * c + h**2 / 4 * k)
    total = known + h / 2 * angle
    return Turn(x=angle, v=u - c * angle - k * total, sum=total)


def hermite(u: SX, T: SX, y0: SX, m0: SX, y1: SX, m1: SX) -> Any:
    """The cubic from (y0, slope m0) to (y1, slope m1) within T, at the share u of it; and its slope."""
    d = y1 - y0
    y = y0 + u * (T * m0 + u * (3 * d - T * (2 * m0 + m1) + u * (T * (m0 + m1) - 2 * d)))
    slope = m0 + u * (2 * (3 * d / T - 2 * m0 - m1) + u * 3 * (m0 + m1 - 2 * d / T))
    return y, slope
