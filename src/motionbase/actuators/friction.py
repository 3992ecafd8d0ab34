"""A step of the elastoplastic friction law that is stable for any sliding distance."""

from __future__ import annotations

from typing import NamedTuple

import casadi as ca

from motionbase.multibody.elements.friction_law import Friction, direction, slipping
from motionbase.spatial.rotations import Expr


class FrictionStep(NamedTuple):
    """Result of a step."""

    z_next: Expr  # [m]
    force: Expr  # at the end of the step, against the motion [N]


def friction_step(
    friction: Friction, z: Expr, dl: Expr, v: Expr, v_next: Expr, hold: Expr = 0, hold_next: Expr = 0
) -> FrictionStep:
    """Bristle and force after a sliding distance dl; stable and within the steady deflection for any distance.

    In y = z / z_ss and the distance x = |dl| / z_ss the law is y' = 1 - alpha(y) y, independent of the speed. Up to
    break-away y' = 1, which is integrated exactly; the rest is y' = 1 - a y with a mean alpha over the distance, using
    the L-stable 1 / (1 + s + s^2/2) for exp(-s). A bristle below the steady deflection never passes it, so neither does
    the step. Second order, and exact in both limits: no slip, and a step much longer than z_ss. (In between, while f_s
    changes, the sigma1 part of the force is of first order, because alpha is evaluated at the mean f_s.)

    Args:
        dl: signed distance [m]
        v: mean speed of the step [m/s]
        v_next: speed at its end [m/s]
        hold, hold_next: added to the sliding force, on average and at the end, as by a brake [N]
    """
    drop = friction.static - friction.coulomb
    per_stribeck = 1 / friction.stribeck
    falling = ca.exp(-((v * per_stribeck) ** 2))
    falling_next = falling * (1 - 2 * per_stribeck**2 * v * (v_next - v))  # by its slope: saves a second exponential
    f_s = friction.coulomb + hold + drop * falling
    f_s_next = friction.coulomb + hold_next + drop * ca.fmin(ca.fmax(falling_next, 0), 1)

    forward = direction(dl)
    per_steady = friction.sigma0 / f_s
    y, x = forward * z * per_steady, ca.fabs(dl) * per_steady
    bending = ca.fmin(x, ca.fmax(friction.kappa - y, 0))
    y, x = y + bending, x - bending
    a = slipping(friction, y)
    a_next = a + (slipping(friction, y + x) - a) * (1 - a * y)  # between alpha at y and at y + x: a shorter chain
    s = 0.5 * (a + a_next) * x
    y_next = ca.fmin((y + x * (1 + 0.5 * s)) / (1 + s * (1 + 0.5 * s)), ca.fmax(y, 1))

    # long steps end in steady sliding at the final speed, short ones are unchanged
    settled = ca.fmin(0.25 * s * s, 1)
    a_next = a_next + settled * (1 - a_next)
    change = f_s_next - f_s
    z_next = forward * y_next * (f_s + settled * change) * (1 / friction.sigma0)
    held = forward * direction(v_next) * y_next * (1 - (1 - settled) * change * per_steady * (1 / friction.sigma0))
    z_dot = v_next * (1 - a_next * ca.fmax(held, 0))
    return FrictionStep(z_next, friction.sigma0 * z_next + friction.sigma1 * z_dot + friction.sigma2 * v_next)
