"""The ground under a car, as compiled code: hills, roughness of road and grass, kerbs, a bump.

`surface.py` fills the numbers once per step. Each wheel has a frame of its own on the ground: position, direction and
curvature of the road at the wheel, and a window of the roughness around it, which it cannot leave within 5 ms.
"""

from __future__ import annotations

import math
from typing import NamedTuple, final

import casadi as ca

from motionbase.compile import Struct, q
from motionbase.spatial.rotations import Expr

SX = ca.SX
HILLS = 6  # waves
ALONG, ACROSS = 8, 4  # nodes of a window
KERB_UP, KERB_DOWN = 0.25, 0.35  # width of a kerb's slope beside the road, and away from it [m]; illustrative
BUMP_SIDE = 0.3  # over which a bump ends at its sides [m]


class Hills(Struct):
    """z = sum a cos(kx x + ky y + phase)."""

    amplitude: SX = q("m", HILLS)
    kx: SX = q("rad/m", HILLS)
    ky: SX = q("rad/m", HILLS)
    phase: SX = q("rad", HILLS)


class Bump(Struct):
    """A speed bump across the road: one wave of a cosine along its length, smooth at its sides."""

    x: SX = q("m", text="its middle")
    y: SX = q("m")
    c: SX = q("-", text="cosine of its heading", start=1.0)
    s: SX = q("-", text="sine of it")
    length: SX = q("m", start=1.0)
    width: SX = q("m", start=1.0)
    height: SX = q("m")


class Under(Struct):
    """The ground under one wheel."""

    x: SX = q("m", text="a point near it")
    y: SX = q("m")
    c: SX = q("-", text="cosine of the direction there", start=1.0)
    s: SX = q("-", text="sine of it")
    curvature: SX = q("1/m")
    bend: SX = q("1/m²", text="change of the curvature along the road")
    across: SX = q("m", text="offset of that point from the middle of the road, to the left")
    u: SX = q("-", text="its place in the window along, in nodes")
    n: SX = q("-", text="and across")
    per_u: SX = q("1/m", text="nodes in a metre along")
    per_n: SX = q("1/m", text="and across")
    amplitude: SX = q("-", text="factor of the unevenness")
    amplitude_u: SX = q("1/m", text="its change along")
    amplitude_n: SX = q("1/m", text="and to the left")
    grip: SX = q("-", text="share of the grip on a dry road", start=1.0)
    soft: SX = q("-", text="rolling resistance over that of a road", start=1.0)
    half: SX = q("m", text="half the width of the road", start=1e3)
    kerb_left: SX = q("m", text="height of the kerb")
    kerb_left_u: SX = q("-", text="its change along")
    kerb_right: SX = q("m")
    kerb_right_u: SX = q("-")
    heights: SX = q("m", ALONG * ACROSS, "weights of cubic splines along and quadratic ones across")


@final
class Spot(NamedTuple):
    """The ground at a point: its height and slopes along x and y of the world."""

    z: Expr
    zx: Expr
    zy: Expr


def hills_at(hills: Hills, x: Expr, y: Expr) -> Spot:
    """The ground without roughness, kerbs and bumps."""
    z = zx = zy = SX(0)
    for k in range(HILLS):
        angle = hills.kx[k] * x + hills.ky[k] * y + hills.phase[k]
        slope = -hills.amplitude[k] * ca.sin(angle)
        z, zx, zy = z + hills.amplitude[k] * ca.cos(angle), zx + slope * hills.kx[k], zy + slope * hills.ky[k]
    return Spot(z, zx, zy)


def ground_at(hills: Hills, bump: Bump, under: Under, x: Expr, y: Expr) -> Spot:
    """The ground under a wheel."""
    base = hills_at(hills, x, y)
    dx, dy = x - under.x, y - under.y
    along, left = under.c * dx + under.s * dy, under.c * dy - under.s * dx
    u, n, turned = _on_road(along, left, under.curvature, under.bend)
    z, zu, zn = _uneven(under, u, n)
    amplitude = under.amplitude + under.amplitude_u * u + under.amplitude_n * n
    is_there = amplitude > 0
    amplitude = ca.fmax(amplitude, 0.0)
    z, zu, zn = (
        amplitude * z,
        amplitude * zu + ca.if_else(is_there, under.amplitude_u * z, 0.0),
        amplitude * zn + ca.if_else(is_there, under.amplitude_n * z, 0.0),
    )
    for side, height, change in (
        (1.0, under.kerb_left, under.kerb_left_u),
        (-1.0, under.kerb_right, under.kerb_right_u),
    ):
        shape, slope = _kerb(side * (under.across + n) - under.half)
        here = height + change * u
        z, zu, zn = z + here * shape, zu + change * shape, zn + side * here * slope
    # slopes along the road and to its left, into those of the world; the road turns by `turned` up to here
    cu, su = ca.cos(turned), ca.sin(turned)
    c, s = under.c * cu - under.s * su, under.s * cu + under.c * su
    zu = zu / ca.fmax(1 - under.curvature * n, 0.2)
    over = _bump(bump, x, y)
    return Spot(base.z + z + over.z, base.zx + c * zu - s * zn + over.zx, base.zy + s * zu + c * zn + over.zy)


def _on_road(along: Expr, left: Expr, curvature: Expr, bend: Expr) -> tuple[Expr, Expr, Expr]:
    """Distance along a clothoid and offset from it of a point near its start, and the angle it has turned there."""
    u = along
    for _ in range(2):  # Newton's method for the foot of the perpendicular; the distance is a few metres at most
        theta = u * (curvature + bend * u / 2)
        x, y = u - u * theta * theta / 6, u * u * (curvature / 2 + bend * u / 6)
        c, s = 1 - theta * theta / 2, theta
        u = u + ((along - x) * c + (left - y) * s) / ca.fmax(1 - (curvature + bend * u) * (left - y), 0.2)
    theta = u * (curvature + bend * u / 2)
    x, y = u - u * theta * theta / 6, u * u * (curvature / 2 + bend * u / 6)
    return u, (left - y) * (1 - theta * theta / 2) - (along - x) * theta, theta


def _uneven(under: Under, u: Expr, n: Expr) -> tuple[Expr, Expr, Expr]:
    """Height of the surface in the window and its slopes along and across; constant beyond the window."""
    a = ca.fmin(ca.fmax(under.u + under.per_u * u, 1.0), ALONG - 2.0)
    b = ca.fmin(ca.fmax(under.n + under.per_n * n, 1.0), ACROSS - 2.0)
    rows = [_cubic(a - i) for i in range(ALONG)]
    columns = [_quadratic(b - j) for j in range(ACROSS)]
    z = zu = zn = SX(0)
    for i, (w, dw) in enumerate(rows):
        line = line_n = SX(0)
        for j, (v, dv) in enumerate(columns):
            h = under.heights[i * ACROSS + j]
            line, line_n = line + v * h, line_n + dv * h
        z, zu, zn = z + w * line, zu + dw * line, zn + w * line_n
    return z, zu * under.per_u, zn * under.per_n


def _cubic(x: Expr) -> tuple[Expr, Expr]:
    """The cubic B-spline and its derivative."""
    outer, inner = ca.fmax(2 - ca.fabs(x), 0.0), ca.fmax(1 - ca.fabs(x), 0.0)
    slope = ca.sign(x) * (2 * inner * inner - outer * outer / 2)
    return outer * outer * outer / 6 - inner * inner * inner * (2 / 3), slope


def _quadratic(x: Expr) -> tuple[Expr, Expr]:
    """The quadratic B-spline and its derivative."""
    far = ca.fmax(1.5 - ca.fabs(x), 0.0)
    near = ca.fmax(0.5 - ca.fabs(x), 0.0)
    return far * far / 2 - 1.5 * near * near, ca.sign(x) * (3 * near - far)


def _kerb(beyond: Expr) -> tuple[Expr, Expr]:
    """Share of a kerb's height, and its slope, at a distance beyond the edge of the road."""
    up, down = _smooth(beyond / KERB_UP), _smooth((beyond - KERB_UP) / KERB_DOWN)
    return up[0] - down[0], up[1] / KERB_UP - down[1] / KERB_DOWN


def _smooth(x: Expr) -> tuple[Expr, Expr]:
    """From 0 at 0 to 1 at 1 with a continuous slope, and the slope."""
    x = ca.fmin(ca.fmax(x, 0.0), 1.0)
    return x * x * (3 - 2 * x), 6 * x * (1 - x)


def _bump(bump: Bump, x: Expr, y: Expr) -> Spot:
    """Height of a bump and its slopes."""
    dx, dy = x - bump.x, y - bump.y
    along, left = bump.c * dx + bump.s * dy, bump.c * dy - bump.s * dx
    phase = ca.fmin(ca.fmax(along / bump.length, -0.5), 0.5) * 2 * math.pi
    side, slope = _smooth((bump.width / 2 - ca.fabs(left)) / BUMP_SIDE)
    h = bump.height * (1 + ca.cos(phase)) / 2
    zu = -bump.height * ca.sin(phase) * math.pi / bump.length * side
    zn = -h * ca.sign(left) * slope / BUMP_SIDE
    return Spot(h * side, bump.c * zu - bump.s * zn, bump.s * zu + bump.c * zn)
