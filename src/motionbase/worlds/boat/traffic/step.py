"""Traffic in one step of a boat, as a program: wakes around the boat, contacts, buoys that give way.

    ships where they are, wakes near the boat, contacts with ships and walls, contacts with buoys, buoys a step later

Forces are computed for the predicted place of the boat at the end of the step, where its own step evaluates forces.
"""

from __future__ import annotations

from typing import Any

import casadi as ca

from motionbase.compile import Port, Program, Struct, cond, for_each, q
from motionbase.spatial.rotations import R_quaternion, quaternion_product, quaternion_rotation_vector, unit_quaternion
from motionbase.worlds.boat.traffic.contact import ROLLING, Fenders, Moving, Thing, met, might_meet
from motionbase.worlds.boat.traffic.wake import SHIPS, WAVES, Ship, place_of, waves_of
from motionbase.worlds.sea.patch import Wave

SX = ca.SX
WALLS, BUOYS = 12, 10  # at most, in one set of traffic
WAKES = SHIPS * WAVES


class Wall(Struct):
    """A fixed obstacle: a box with rounded edges, seen from above."""

    x: SX = q("m")
    y: SX = q("m")
    heading: SX = q("rad")
    half_length: SX = q("m", text="without the edges, as the next")
    half_breadth: SX = q("m")
    radius: SX = q("m", text="of the edges")


class Buoy(Struct):
    """A buoy on its mooring."""

    x: SX = q("m", text="place at rest")
    y: SX = q("m")
    radius: SX = q("m", start=1.0)
    mass: SX = q("kg", text="with its added mass", start=1.0)
    spring: SX = q("N/m", text="of the mooring near its place")
    slack: SX = q("m", text="way after which it pulls no harder", start=1.0)
    drag: SX = q("N s/m", text="in slow motion")
    drag_squared: SX = q("N s²/m²", text="in fast motion")


class Adrift(Struct):
    """Displacements of all buoys from their places at rest, and their velocities."""

    x: SX = q("m", BUOYS)
    y: SX = q("m", BUOYS)
    vx: SX = q("m/s", BUOYS)
    vy: SX = q("m/s", BUOYS)


class Traffic(Struct):
    """A set of traffic, as rows."""

    ships: SX = q("SI, mixed", (SHIPS, Ship.layout.size))
    walls: SX = q("SI, mixed", (WALLS, Wall.layout.size))
    buoys: SX = q("SI, mixed", (BUOYS, Buoy.layout.size))


class Touched(Struct):
    """Effects on the boat."""

    push: SX = q("N m, N", 6, "wrench about her centre of gravity, moment first, in axes of the vessel")
    force: SX = q("N", text="sum of all contact forces, whatever their direction")
    buoy: SX = q("-", text="number of the buoy that is farthest from its place, from 1; 0: all are in place")
    buoy_x: SX = q("m", text="how far that is, in the world")
    buoy_y: SX = q("m")


def moored(buoy: Buoy, at: SX, v: SX, push: SX, h: SX) -> tuple[SX, SX]:
    """Displacement and velocity of a buoy a step later; damping is implicit, so no force makes it unstable."""
    speed = ca.sqrt(ca.dot(v, v))
    pull = buoy.spring / ca.sqrt(1 + ca.dot(at, at) / buoy.slack**2)
    kicked = v + h / buoy.mass * (push - pull * at)
    slowed = kicked / (1 + h / buoy.mass * (buoy.drag + buoy.drag_squared * speed))
    return at + h * slowed, slowed


def among(
    traffic: Traffic, fenders: Fenders, t: SX, h: SX, p: SX, Q: SX, V: SX, V_dot: SX, adrift: Adrift
) -> tuple[Any, Touched, Adrift]:
    """Wakes around the boat, contacts, and the buoys a step later.

    Args:
        t: at the end of the step
        p, Q, V, V_dot: of the boat at its begin: place, attitude, rates and velocity in her axes, and their change
    """
    half, ahead = V + 0.5 * h * V_dot, V + h * V_dot
    mid = quaternion_product(Q, quaternion_rotation_vector(0.5 * h * half[:3]))
    R = R_quaternion(unit_quaternion(quaternion_product(Q, quaternion_rotation_vector(h * half[:3]))))
    hull = Moving(p + h * (R_quaternion(mid) @ half[3:]), R, R @ ahead[3:], R @ ahead[:3])

    def sailed(row: SX) -> tuple[SX, SX]:
        ship = Ship.of(row)
        at, waves = place_of(ship, t), waves_of(ship, t, hull.p[:2])
        thing = ca.vertcat(at.x, at.y, at.heading, ship.half_length, 0.0, ship.radius, at.vx, at.vy, at.turn)
        return thing, ca.reshape(waves.column.T, -1, 1)

    ships, waves = for_each(sailed, traffic.ships)
    walls = ca.horzcat(traffic.walls, SX.zeros(WALLS, 3))

    def touching(row: SX) -> SX:
        thing = Thing(*ca.vertsplit(row))
        f: SX = cond(might_meet(fenders, hull, thing), lambda: met(fenders, hull, thing, fenders.mass), no_force)
        return f

    hard = for_each(touching, ca.vertcat(ships, walls))

    def nudged(row: SX, x: SX, y: SX, vx: SX, vy: SX) -> Any:
        buoy = Buoy.of(row)
        disc = Thing(buoy.x + x, buoy.y + y, SX(0), SX(0), SX(0), buoy.radius, vx, vy)
        mass = ca.fmin(buoy.mass, fenders.mass)
        f = cond(might_meet(fenders, hull, disc), lambda: met(fenders, hull, disc, mass, ROLLING), no_force)
        return f, *moored(buoy, ca.vertcat(x, y), ca.vertcat(vx, vy), -f[:2], h)

    soft, at, v = for_each(nudged, traffic.buoys, adrift.x, adrift.y, adrift.vx, adrift.vy)
    forces = ca.vertcat(hard, soft)
    total = ca.sum1(forces).T
    push = ca.vertcat(R.T @ total[3:], R.T @ total[:3])
    size = ca.sum1(ca.sqrt(ca.sum2(forces[:, :3] ** 2)))
    number, x, y = farthest(at)
    wakes = Wave.of(ca.reshape(waves.T, Wave.layout.size, WAKES).T, WAKES)
    return wakes, Touched(push, size, number, x, y), Adrift(at[:, 0], at[:, 1], v[:, 0], v[:, 1])


def no_force() -> SX:
    """Of something out of reach."""
    none: SX = SX.zeros(6)
    return none


def farthest(at: SX) -> tuple[SX, SX, SX]:
    """Number and displacement of the buoy that is farthest from its place."""
    number, x, y, most = SX(0), SX(0), SX(0), SX(1e-6)
    for k in range(BUOYS):
        far = at[k, 0] ** 2 + at[k, 1] ** 2
        more = far > most
        number, most = ca.if_else(more, k + 1.0, number), ca.if_else(more, far, most)
        x, y = ca.if_else(more, at[k, 0], x), ca.if_else(more, at[k, 1], y)
    return number, x, y


TRAFFIC = Program(
    "boat_traffic",
    (
        Traffic.port("traffic"), Fenders.port("fenders"), Port("t", (), "s"), Port("h", (), "s"), Port("p_W", 3, "m"),
        Port("Q_WB", 4), Port("V", 6, "m/s, rad/s"), Port("V_dot", 6, "m/s², rad/s²"), Adrift.port("adrift"),
    ),
    (Wave.port("wakes", rows=WAKES), Touched.port("touched"), Adrift.port("adrift_next")),
    among,
    "traffic in one step of a boat",
)  # fmt: skip
