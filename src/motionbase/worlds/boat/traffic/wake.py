"""Other craft in compiled code: their positions, and their wakes near a place as a few plane waves.

A wake is not a sum of few plane waves everywhere, but near a place it is: bow and stern of a craft each send a
transverse and a divergent wave there. So a wake joins the water around a vessel like other waves, with its pressure and
its orbital motion; at the place itself its height and its slope are those of `kelvin.pair`.
"""

from __future__ import annotations

from typing import NamedTuple, final

import casadi as ca

from motionbase.arrays import Array
from motionbase.compile import Struct, cond, for_each, q
from motionbase.errors import WorldError
from motionbase.worlds.boat.traffic.airy import smooth
from motionbase.worlds.boat.traffic.courses import Course, moored
from motionbase.worlds.boat.traffic.kelvin import CUSP, TRACK, Shape, held, pair
from motionbase.worlds.boat.traffic.legs import EVER, PIECES, Piece, Pose, cut, lapped, pose, share
from motionbase.worlds.sea.patch import Wave
from motionbase.worlds.sea.waves import G

SX = ca.SX
SHIPS = 4  # at most, in one set of traffic
WAVES = 4  # of a craft: transverse and divergent, of bow and stern
ENTRANCE = 0.16  # of the length: of a bow and a stern; illustrative
MEMORY = 300.0  # radians of the transverse wave behind a craft, beyond which a wake is ignored
OLD = 0.6  # fraction of that at which fading begins
WIDE = 13.0  # radians of the transverse wave, beyond the wedge, where Airy's function is 0
SHORTEST = 10.0  # lengths of a craft, once round a closed course
SLOWEST = 0.5  # [m/s] a craft that is slower has no wake


class Ship(Struct):
    """Another craft on its course, what its wake depends on, and its outline seen from above."""

    k0: SX = q("rad/m", text="g over the square of its speed", start=1.0)
    beam: SX = q("m", text="of the hull that makes waves; 0 for none")
    draft: SX = q("m", start=1.0)
    entrance: SX = q("m", text="length of bow and stern", start=1.0)
    arm: SX = q("m", text="from the middle to bow and stern waves")
    speed: SX = q("m/s")
    half_length: SX = q("m", text="of its outline, without its round ends")
    radius: SX = q("m", text="of them", start=1.0)
    start: SX = q("m", text="s at time 0")
    lap: SX = q("m", text="length of the course", start=1e9)
    memory: SX = q("m", text="way astern over which waves are felt", start=1.0)
    pieces: SX = q("-", (PIECES, Piece.layout.size), "of the course, a row for each")


@final
class Hull(NamedTuple):
    """Dimensions of a craft that determine its wake: length, beam and draft at the waterline [m]."""

    length: float
    beam: float
    draft: float


def ship_row(course: Course, hull: Hull) -> Array:
    """`Ship` as one vector."""
    moves = abs(course.speed) >= SLOWEST
    if course.speed < 0:
        raise WorldError(f"a craft goes bow first, so its speed is 0 or more, not {course.speed:g} m/s")
    k0 = G / course.speed**2 if moves else 1.0
    if 0 < course.length < SHORTEST * hull.length:
        raise WorldError(f"the course is {course.length:.4g} m round, it must be {SHORTEST * hull.length:g} m or more")
    found = cut(course, MEMORY / k0)
    entrance = ENTRANCE * hull.length
    return Ship.layout.vector(
        {
            "k0": k0,
            "beam": hull.beam if moves else 0.0,
            "draft": hull.draft,
            "entrance": entrance,
            "arm": hull.length / 2 - entrance,
            "half_length": max(hull.length - hull.beam, 0.0) / 2,
            "radius": min(hull.beam, hull.length) / 2,
            "speed": course.speed,
            "start": course.start,
            "lap": found.lap,
            "memory": found.memory,
            "pieces": found.rows,
        }
    )


def no_ship() -> Array:
    """An unused `Ship`: far away and without waves."""
    return ship_row(moored(1e9, 1e9), Hull(1.0, 1.0, 1.0))


def place_of(ship: Ship, t: SX) -> Pose:
    """Where a craft is."""
    s = ship.start + ship.speed * t
    s = ca.if_else(ship.lap < EVER, lapped(s, 0.0, ship.lap), s)

    def on(row: SX) -> SX:
        piece = Piece.of(row)
        there = ca.logic_and(s >= piece.begin, s < piece.end)
        return ca.if_else(there, ca.vertcat(*pose(piece, s, ship.speed)), 0.0)

    return Pose(*ca.vertsplit(ca.sum1(for_each(on, ship.pieces)).T))


def waves_of(ship: Ship, t: SX, p: SX) -> Wave:
    """The waves of a craft's wake about the place p (x, y) at the time t: `WAVES` rows."""
    shape = Shape(ship.k0, ship.beam, ship.draft, ship.entrance)
    s = ship.start + ship.speed * t

    def of(row: SX) -> SX:
        piece = Piece.of(row)
        now = lapped(s, piece.begin - piece.fade_in / 2 - 1.1 * ship.arm, ship.lap)
        c, n = ca.cos(piece.tangent), ca.sin(piece.tangent)
        dx, dy = p[0] - piece.tangent_x, p[1] - piece.tangent_y
        behind = now - piece.middle - (dx * c + dy * n)  # where she would be, had she gone straight on
        aside = dy * c - dx * n
        from_bow = behind + ship.arm
        begin, end = piece.begin - piece.fade_in / 2, piece.end + piece.fade_out / 2

        def left_at(x: SX) -> tuple[SX, SX]:
            """Ways astern at which she left the transverse and the divergent wave that are here now."""
            X = ca.fmax(x, 0.01 / ship.k0)
            root = ca.sqrt(held(1 - 8 * ((aside / X) ** 2 + TRACK), CUSP))
            return X * (3 + root) / 2, X * (3 - root) / 2

        felt = SX(0)
        for u in left_at(behind):
            felt = ca.logic_or(felt, ca.logic_and(now - u > begin, now - u < end))
        wide = ca.fabs(aside) < 0.37 * from_bow + WIDE / ship.k0
        near = ca.logic_and(from_bow > 0, behind < ship.memory)
        there = ca.logic_and(ca.logic_and(felt, wide), ca.logic_and(near, ship.beam > 0))

        def one(x: SX, shares: list[SX]) -> list[SX]:
            found = pair(shape, x, aside, (shares[0], shares[1]))
            rows = []
            for (re, im), (ahead, port) in zip(found.c, found.k, strict=True):
                weight = re * re + im * im
                rows += [re, im, weight * (c * ahead - n * port), weight * (n * ahead + c * port), weight]
            return rows

        def some() -> SX:
            shares = []
            for u in left_at(behind):  # the same for bow and stern: their long waves cancel each other
                young = 1 - smooth((u / ship.memory - OLD) / (1 - OLD))
                shares.append(young * share(piece, now - u))
            return ca.vertcat(*one(from_bow, shares), *one(behind - ship.arm, [-part for part in shares]))

        found: SX = cond(there, some, lambda: SX.zeros(5 * WAVES))
        return found

    sums = ca.reshape(ca.sum1(for_each(of, ship.pieces)).T, 5, WAVES).T
    little = 1e-12  # [m²] of a wave so small a wave number does not matter
    weight = sums[:, 4] + little
    kx, ky = (sums[:, 2] + little * ship.k0) / weight, sums[:, 3] / weight
    omega = ca.sqrt(G * ca.sqrt(kx * kx + ky * ky))
    return Wave.of_columns(re=sums[:, 0], im=sums[:, 1], kx=kx, ky=ky, omega=omega)
