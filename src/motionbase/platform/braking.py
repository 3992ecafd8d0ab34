"""Velocities from which a motion can still stop before an end of its way."""

from __future__ import annotations

import casadi as ca

SX = ca.SX


def steps_to_stop(d: SX, a: SX, dt: SX) -> SX:
    """Ticks to cover the distance d when the velocity falls by a dt in each; at least 1."""
    return ca.fmax(1.0, ca.ceil((ca.sqrt(1 + 8 * d / (a * dt**2)) - 1) / 2))


def braking_velocity(d: SX, a: SX, dt: SX) -> SX:
    """Largest velocity for the next tick from which braking by a covers at most d; tends to sqrt(2 a d) for small dt.

    With velocities v, v - a dt, ... the distance of n ticks is n v dt - a dt^2 n (n - 1) / 2. Solved for v with the
    least n that brakes to a stop, so that no acceleration above a is ever needed, not even in the last tick.
    """
    n = steps_to_stop(d, a, dt)
    return d / (n * dt) + a * dt * (n - 1) / 2


def smooth_root(x: SX, rate: SX, knee: SX) -> tuple[SX, SX]:
    """y with y' y = rate far from 0 and y = rate x / knee near 0, odd in x; and y' = dy/dx.

    As velocity over distance it brakes by `rate`; as acceleration over velocity it has the jerk `rate`; the end of
    either is exponential instead of abrupt: y = sqrt(knee^2 + 2 rate |x|) - knee.
    """
    root = ca.sqrt(knee**2 + 2 * rate * ca.fabs(x))
    return ca.sign(x) * (root - knee), rate / root
