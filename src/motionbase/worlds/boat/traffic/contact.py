"""Contact forces on a hull in compiled code: smooth, bounded and never a source of energy.

Seen from above, a hull is a row of discs along its centre line; obstacles are boxes with rounded edges, or discs.
A disc that has penetrated by the depth d is pushed out with

    F = f(d) (1 - beta v_n / sqrt(v_n^2 + v_0^2)),   f = F_most x / sqrt(1 + x^2),   x = k d^2 / (F_most (d + d_0))

where v_n is the speed at which they part. f is a spring, so its energy comes back; the second factor is greater on the
way in than on the way out. A body that meets something head-on at a speed far over v_0 leaves with

    e = sqrt((1 - beta) / (1 + beta))

of its speed, whatever f is: 1/3 for beta = 0.8. Slow bodies leave with more of a very small speed. Friction is
Coulomb's with a smooth change of sign, mu F v_t / sqrt(v_t^2 + v_s^2), sideways and up and down. So no disc's force
exceeds (1 + beta) sqrt(1 + mu^2) F_most at any speed. Things are taken as infinitely tall.
"""

from __future__ import annotations

from typing import NamedTuple, final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Struct, for_each, q
from motionbase.record.vehicle import G
from motionbase.worlds.boat.mesh import Mesh

SX = ca.SX
DISCS = 16  # of a hull
RATE = 12.0  # [rad/s] sqrt(k / mass) of one disc; illustrative, as are the numbers below
MOST = 6.0  # F_most over the weight
LOSS = 0.8  # beta
FRICTION, ROLLING = 0.25, 0.03  # mu; of what turns when it is touched, such as a buoy
SLOW, CREEP = 0.1, 0.1  # [m/s] v_0, v_s
SOFT = 0.02  # [m] d_0
ROUND = 0.01  # [m] so that there is a direction where centres of discs coincide


class Fenders(Struct):
    """A hull for contacts: discs, and the mass that sets their stiffness."""

    x: SX = q("m", DISCS, "place of each ahead of the centre of gravity")
    z: SX = q("m", DISCS, "above it")
    radius: SX = q("m", DISCS, start=1.0)
    length: SX = q("m", text="from the centre of gravity to the farthest point", start=1.0)
    mass: SX = q("kg", start=1.0)


@final
class Moving(NamedTuple):
    """A hull's motion.

    Attributes:
        p: (3,) of the centre of gravity, in the world [m]
        R: (3, 3) from axes of the hull to those of the world
        v, omega: (3,) in the world [m/s, rad/s]
    """

    p: SX
    R: SX
    v: SX
    omega: SX


@final
class Thing(NamedTuple):
    """An obstacle: a box with rounded edges, seen from above.

    Attributes:
        x, y: of its middle [m]
        heading: of its length [rad]
        half_length, half_breadth: without the edges; 0 for a disc [m]
        radius: of the edges [m]
        vx, vy, turn: how it moves [m/s, rad/s]
    """

    x: SX
    y: SX
    heading: SX
    half_length: SX
    half_breadth: SX
    radius: SX
    vx: SX | float = 0.0
    vy: SX | float = 0.0
    turn: SX | float = 0.0


def fenders_of(mesh: Mesh, centre: tuple[float, float, float], mass: float, waterline: float) -> Array:
    """`Fenders` of a hull.

    Args:
        mesh: in axes of the hull
        centre: of gravity, in the same
        waterline: height of the water where it floats, in the same [m]
    """
    points = mesh.vertices
    low, high = float(points[:, 0].min()), float(points[:, 0].max())
    widest = float(np.abs(points[:, 1]).max())
    first = low + min(widest, 0.5 * (high - low))
    ahead = np.linspace(first, high, DISCS)
    breadth = half_breadths(mesh, ahead)
    tip = 0.25 * widest  # of the last disc, at the bow
    radius = np.maximum(np.minimum(breadth, np.maximum(high - ahead, tip)), tip)
    ahead = np.minimum(ahead, high - radius)
    top = float(points[:, 2].max())
    height = waterline + 0.3 * (min(top, waterline + widest) - waterline)
    farthest = float(np.linalg.norm(points[:, :2] - np.array(centre[:2]), axis=1).max())
    return Fenders.layout.vector(
        {"x": ahead - centre[0], "z": np.full(DISCS, height - centre[2]), "radius": radius, "length": farthest,
         "mass": mass}
    )  # fmt: skip


def half_breadths(mesh: Mesh, x: Array) -> Array:
    """Largest distance of a hull's surface from its centre line, at places along it."""
    edges = np.concatenate([mesh.corners[:, [k, (k + 1) % 3]] for k in range(3)])
    a, b = edges[:, 0], edges[:, 1]
    run = b[:, 0] - a[:, 0]
    found = np.zeros(len(x))
    for n, at in enumerate(np.minimum(x, mesh.vertices[:, 0].max() - 1e-9)):
        cut = ((a[:, 0] - at) * (b[:, 0] - at) <= 0) & (np.abs(run) > 1e-12)
        y = a[cut, 1] + (at - a[cut, 0]) / run[cut] * (b[cut, 1] - a[cut, 1])
        found[n] = np.abs(y).max(initial=0.0)
    return found


# ---- compiled ------------------------------------------------------------------------------------------------------


def nearest(thing: Thing, x: SX, y: SX) -> tuple[SX, SX, SX]:
    """Distance of a point from a thing's surface, negative inside, and the direction away from it."""
    c, s = ca.cos(thing.heading), ca.sin(thing.heading)
    dx, dy = x - thing.x, y - thing.y
    along, across = dx * c + dy * s, dy * c - dx * s
    a, b = ca.fabs(along) - thing.half_length, ca.fabs(across) - thing.half_breadth
    out_a, out_b = ca.fmax(a, 0.0), ca.fmax(b, 0.0)
    far = ca.sqrt(out_a * out_a + out_b * out_b + ROUND * ROUND)
    inner = ca.fmin(ca.fmax(a, b), 0.0)
    within = inner < 0
    by_a = ca.if_else(a > b, 1.0, 0.0)
    n_a, n_b = ca.if_else(within, by_a, out_a / far), ca.if_else(within, 1 - by_a, out_b / far)
    n_a, n_b = ca.if_else(along < 0, -n_a, n_a), ca.if_else(across < 0, -n_b, n_b)
    return far - ROUND + inner - thing.radius, n_a * c - n_b * s, n_a * s + n_b * c


def pushed(depth: SX, apart: SX, mass: SX) -> SX:
    """Force on a body at a depth of penetration [m] and a speed of separation [m/s]."""
    d, most = ca.fmax(depth, 0.0), MOST * G * mass
    x = RATE * RATE * mass * d * d / (most * (d + SOFT))
    return most * x / ca.sqrt(1 + x * x) * (1 - LOSS * apart / ca.sqrt(apart * apart + SLOW * SLOW))


def met(fenders: Fenders, hull: Moving, thing: Thing, mass: SX, friction: float = FRICTION) -> SX:
    """(6,) force on a hull from a thing, and its moment about the centre of gravity, in the world [N, N m].

    Args:
        mass: sets the stiffness: that of the hull, or of the lighter of the two
    """

    def disc(x: SX, z: SX, radius: SX) -> SX:
        arm = hull.R[:, 0] * x + hull.R[:, 2] * z
        at = hull.p + arm
        distance, n_x, n_y = nearest(thing, at[0], at[1])
        n = ca.vertcat(n_x, n_y, 0.0)
        arm = arm - radius * n
        place = hull.p + arm
        own = ca.vertcat(thing.vx - thing.turn * (place[1] - thing.y), thing.vy + thing.turn * (place[0] - thing.x), 0)
        v = hull.v + ca.cross(hull.omega, arm) - own
        apart = ca.dot(v, n)
        along = v - apart * n
        push = pushed(radius - distance, apart, mass)
        f = push * (n - friction * along / ca.sqrt(ca.dot(along, along) + CREEP * CREEP))
        return ca.vertcat(f, ca.cross(arm, f))

    total: SX = ca.sum1(for_each(disc, fenders.x, fenders.z, fenders.radius)).T
    return total


def might_meet(fenders: Fenders, hull: Moving, thing: Thing) -> SX:
    """Whether they are near enough."""
    distance, _, _ = nearest(thing, hull.p[0], hull.p[1])
    return distance < fenders.length + 0.5
