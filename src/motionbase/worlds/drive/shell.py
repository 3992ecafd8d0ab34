"""The shell on the ground, after a roll-over or a hard landing: springs at its corners, with dry friction."""

from __future__ import annotations

import casadi as ca

from motionbase.spatial.rotations import Expr
from motionbase.worlds.drive.car import Car
from motionbase.worlds.drive.ground import Spot

STIFFNESS, DAMPING, FRICTION = 120.0, 8.0, 0.5  # the first two over the car's mass [1/s^2, 1/s]; illustrative
ROOF = 0.62, 0.78  # length and width of the roof over those of the shell
CRUSH = 0.01  # [m] depth from which on the damping is full; the shell dents and hardly bounces
DEEPEST, FASTEST = 0.5, 10.0  # [m], [m/s] beyond which the force grows no more
SLIDES = 0.1  # [m/s] sliding speed above which friction is nearly full


def corners(car: Car) -> list[tuple[float, float, float]]:
    """Points of the shell that can touch the ground, in its own axes [m]."""
    (length, width, height), low = car.body.size, car.body.clearance
    belt = (low + height) / 2
    found = [(x * length / 2, y * width / 2, low) for x in (1, -1) for y in (1, -1)]
    found += [(x * length / 2, y * width / 2, belt) for x in (1, -1) for y in (1, -1)]
    found += [(x * ROOF[0] * length / 2, y * ROOF[1] * width / 2, height) for x in (1, -1) for y in (1, -1)]
    return found


def shell_wrench(car: Car, p: Expr, R: Expr, omega: Expr, v: Expr, ground: Spot) -> tuple[Expr, Expr]:
    """(6,) moment and force about the shell's origin in its own axes, and the total normal force.

    Args:
        p, R, omega, v: place, attitude, angular rate and velocity of the shell, the last two in its own axes
        ground: below its origin; the shell touches the tangent plane
    """
    n = R.T @ (ca.vertcat(-ground.zx, -ground.zy, 1) / ca.sqrt(1 + ground.zx**2 + ground.zy**2))
    over = (p[2] - ground.z) / ca.sqrt(1 + ground.zx**2 + ground.zy**2)  # height of the origin above the plane
    moment, force, pressed = ca.SX(3, 1), ca.SX(3, 1), ca.SX(0)
    for corner in corners(car):
        arm = ca.DM(corner)
        depth = -(over + ca.dot(n, arm))
        moves = v + ca.cross(omega, arm)
        sinks = -ca.dot(n, moves)
        damping = DAMPING * ca.fmin(depth / CRUSH, 1.0) * ca.fmin(ca.fmax(sinks, -FASTEST), FASTEST)
        press = ca.fmax(car.mass * (STIFFNESS * ca.fmin(depth, DEEPEST) + damping), 0.0)
        press = ca.if_else(depth > 0, press, 0.0)
        along = moves + sinks * n
        rubs = -FRICTION * press / ca.sqrt(ca.sumsqr(along) + SLIDES**2) * along
        f = press * n + rubs
        moment, force, pressed = moment + ca.cross(arm, f), force + f, pressed + press
    return ca.vertcat(moment, force), pressed
