"""Courses in compiled code: pieces short enough to be taken as straight where a wake is concerned.

A piece is a part of a line or of an arc. Its waves are those of a craft that has always gone along the tangent in its
middle, but only those left while it was on the piece: shares of pieces add up to 1 and change smoothly from one to the
next, so the wake of a craft that turns is smooth too. Where the craft itself is, is exact.
"""

from __future__ import annotations

import math
from typing import NamedTuple, final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Struct, q
from motionbase.errors import WorldError
from motionbase.worlds.boat.traffic.airy import smooth
from motionbase.worlds.boat.traffic.courses import Course

SX = ca.SX
PIECES = 24  # of a course, at most
TURNED = math.radians(24)  # by a piece, at most
EVER = 1e11  # [m] ends of open courses: further than a craft travels in a century


class Piece(Struct):
    """A part of a course; places along it are s."""

    begin: SX = q("m", text="s where it begins")
    end: SX = q("m", text="s where it ends")
    fade_in: SX = q("m", text="over which its share grows, about its begin", start=1.0)
    fade_out: SX = q("m", text="and goes, about its end", start=1.0)
    s: SX = q("m", text="s of the place and heading that follow")
    x: SX = q("m")
    y: SX = q("m")
    heading: SX = q("rad")
    curvature: SX = q("1/m", text="positive to the left")
    middle: SX = q("m", text="s where its tangent touches it")
    tangent_x: SX = q("m")
    tangent_y: SX = q("m")
    tangent: SX = q("rad", text="heading of it")


@final
class Cut(NamedTuple):
    """A course cut into pieces.

    Attributes:
        rows: (`PIECES`, numbers of a piece)
        lap: length of the course; very long if it is open [m]
        memory: waves made further astern than this are gone, so that a closed course has none twice [m]
    """

    rows: Array
    lap: float
    memory: float


def cut(course: Course, longest: float) -> Cut:
    """Pieces of a course.

    Args:
        longest: way astern over which its wake is felt, if the course is long enough [m]
    """
    found = []
    for k, segment in enumerate(course.segments):
        last = k + 1 == len(course.segments)
        end = course.segments[k + 1].s if not last else course.length or segment.s
        count = max(1, math.ceil(abs(segment.curvature) * (end - segment.s) / TURNED - 1e-9))
        if course.length:  # no piece is longer than a sixth of a lap
            count = max(count, math.ceil(6 * (end - segment.s) / course.length - 1e-9))
        edges = np.linspace(segment.s, end, count + 1)
        found += [(segment, a, b) for a, b in zip(edges[:-1], edges[1:], strict=True)]
    if len(found) > PIECES:
        raise WorldError(f"the course needs {len(found)} pieces of lines and arcs, it can have {PIECES}")
    lap, memory = course.length or 4 * EVER, longest
    if course.length:
        memory = min(longest, 0.6 * course.length)
    else:
        first, last_one = found[0], found[-1]
        found[0] = (first[0], -EVER, first[2] if len(found) > 1 else EVER)
        if len(found) > 1:
            found[-1] = (last_one[0], last_one[1], EVER)
    lengths = [b - a for _, a, b in found]
    fades = [0.9 * min(lengths[k - 1], lengths[k]) for k in range(len(found))]
    rows = np.zeros((PIECES, Piece.layout.size))
    for k, (segment, a, b) in enumerate(found):
        middle = min(max((a + b) / 2, segment.s - EVER / 2), EVER / 2) if abs(a) < EVER and b < EVER else segment.s
        x, y, heading = segment.at(middle - segment.s)
        rows[k] = (
            a, b, min(fades[k], 60.0), min(fades[(k + 1) % len(found)], 60.0), *segment, middle, x, y, heading
        )  # fmt: skip
    rows[len(found) :, :2] = 9 * EVER  # never
    rows[len(found) :, 2:4] = 1.0
    return Cut(rows, lap, memory)


@final
class Pose(NamedTuple):
    """Where a craft is: place [m], heading [rad], velocity [m/s] and rate of turn [rad/s]."""

    x: SX
    y: SX
    heading: SX
    vx: SX
    vy: SX
    turn: SX


def pose(piece: Piece, s: SX, speed: SX) -> Pose:
    """On a piece."""
    u = s - piece.s
    angle = piece.curvature * u / 2
    small = ca.fabs(angle) < 1e-4
    chord = u * ca.if_else(small, 1 - angle * angle / 6, ca.sin(angle) / ca.if_else(small, 1.0, angle))
    heading = piece.heading + 2 * angle
    along = piece.heading + angle
    x, y = piece.x + chord * ca.cos(along), piece.y + chord * ca.sin(along)
    return Pose(x, y, heading, speed * ca.cos(heading), speed * ca.sin(heading), speed * piece.curvature)


def share(piece: Piece, s: SX) -> SX:
    """Of the waves that were left at s: 1 in the middle of the piece, 0 beyond its neighbours."""
    grown = smooth((s - piece.begin) / piece.fade_in + 0.5)
    return grown - smooth((s - piece.end) / piece.fade_out + 0.5)


def lapped(s: SX, begin: float | SX, lap: SX) -> SX:
    """s within a lap from `begin` on."""
    n: SX = s - lap * ca.floor((s - begin) / lap)
    return n
