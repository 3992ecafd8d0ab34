"""Kelvin's wake in compiled code: what a hull that goes straight ahead leaves far behind it, uniformly up to its cusp.

A thin wall-sided hull of draft T, whose half breadth grows to b/2 with the slope b/(4 e) exp(-|x - x0| / e) about both
its ends x0, makes two equal systems of waves of opposite sign, from its bow and from its stern (Michell 1898; Tuck,
Scullen and Lazauskas 2002). X astern and Y abeam of an end, with q = tan(theta), S = sqrt(1 + q^2), k0 = g / U^2:

    zeta = integral a(S) cos(k0 S (X + Y q)) dq,   a = b / (pi S) (1 - exp(-k0 T S^2)) / (1 + (k0 e S)^2)

Its phase is stationary at two q, for the transverse and the divergent wave. With s = sqrt(1 - 8 (Y/X)^2)

    S^2 = (3 +- s) / (2 (1 +- s)),   phase = k0 X (3 +- s)^(3/2) / sqrt(32 (1 +- s)),   left X (3 +- s) / 2 ago

They meet at the cusp, 19.47 deg, where s = 0; beyond it s is imaginary. The uniform expansion of two points that meet
(Chester, Friedman and Ursell 1957) has Airy's function and its derivative; it is smooth there and decays outside.
"""

from __future__ import annotations

import math
from typing import NamedTuple, final

import casadi as ca

from motionbase.worlds.boat.traffic.airy import airy, horner, smooth

SX = ca.SX
CUSP = 0.02  # s^2 up to twice this is held away from 0 where amplitudes and wave numbers are taken
TRACK = 1.25e-5  # added to (Y/X)^2: on the track itself divergent waves are infinitely short, and gone
NEAR_SERIES = 0.04  # of s^2
MEETING = 2.0  # of the argument of Airy's function, below which both waves are treated as one
ONSET = 2.0  # radians of the transverse wave, over which waves grow behind an end of the hull
SERIES = (1.539600717839, 1.283000598199, 1.119061632874, 1.004093163632, 0.9181253037619, 0.8508418978578)
"""(f(-s) - f(s)) / s^3 with f = (3 + s)^(3/2) / sqrt(1 + s), in powers of s^2."""
MEAN = (5.196152422707, 0.8660254037844, 0.6976315752708, 0.5965061808988, 0.5285138314891, 0.479136004165)
"""(f(s) + f(-s)) / 2, likewise."""


@final
class Shape(NamedTuple):
    """What a wake depends on.

    Attributes:
        k0: g / U^2 [rad/m]
        beam, draft: [m]
        entrance: e, length over which the breadth grows at bow and stern [m]
    """

    k0: SX
    beam: SX
    draft: SX
    entrance: SX


@final
class Pair(NamedTuple):
    """The transverse and the divergent wave at a place, each a plane wave there.

    Attributes:
        c: (2,) real and imaginary part of each wave's complex amplitude: zeta is the real part at the place [m]
        k: (2,) wave number ahead and to port, of the direction in which it travels [rad/m]
    """

    c: tuple[tuple[SX, SX], tuple[SX, SX]]
    k: tuple[tuple[SX, SX], tuple[SX, SX]]


def held(x: SX, least: float) -> SX:
    """x where it is over 2 `least`, `least` where it is below 0, a parabola between."""
    middle = least + x * x / (4 * least)
    return ca.if_else(x > 2 * least, x, ca.if_else(x > 0, middle, least))


def cube_root(x: SX) -> SX:
    """Of a positive number."""
    return ca.exp(ca.log(x) / 3)


class Stationary(NamedTuple):
    """Where the phase is stationary, over k0 X.

    Attributes:
        s: held away from 0
        mean: of both phases
        apart: D such that the argument of Airy's function is (k0 X)^(2/3) s^2 D
        square: s^2, negative outside
    """

    s: SX
    mean: SX
    apart: SX
    square: SX


def stationary(v_squared: SX) -> Stationary:
    """Both points, by (Y/X)^2."""
    square = 1 - 8 * (v_squared + TRACK)
    s = ca.sqrt(ca.fmax(square, NEAR_SERIES / 4))
    up, down = _phase(s), _phase(-s)
    inside = (down - up) / (s * s * s)
    o = ca.sqrt(ca.fmax(-square, NEAR_SERIES / 4))  # s is i o
    size = ca.sqrt((9 + o * o) * ca.sqrt((9 + o * o) / (1 + o * o)))
    angle = 1.5 * ca.atan(o / 3) - 0.5 * ca.atan(o)
    outside = 2 * size * ca.sin(angle) / (o * o * o)
    near = horner(square, SERIES)
    far = ca.if_else(square > 0, inside, outside)
    third = ca.if_else(ca.fabs(square) < NEAR_SERIES, near, far)
    mean = ca.if_else(square > 0, (up + down) / 2, size * ca.cos(angle))
    mean = ca.if_else(ca.fabs(square) < NEAR_SERIES, horner(square, MEAN), mean)
    apart = cube_root(third * (0.75 / math.sqrt(32)))
    return Stationary(ca.sqrt(held(square, CUSP)), mean / math.sqrt(32), apart * apart, square)


def _phase(s: SX) -> SX:
    """(3 + s)^(3/2) / sqrt(1 + s)."""
    return (3 + s) * ca.sqrt((3 + s) / (1 + s))


def slope(shape: Shape, S: SX) -> SX:
    """a(S) sqrt(S): of a wave of this direction."""
    waves = (1 - ca.exp(-shape.k0 * shape.draft * S * S)) / (1 + (shape.k0 * shape.entrance * S) ** 2)
    return shape.beam / math.pi * waves / ca.sqrt(S)


def pair(shape: Shape, behind: SX, aside: SX, shares: tuple[SX, SX] | None = None) -> Pair:
    """Waves from an end of a hull.

    Args:
        behind, aside: where, from the end: astern and to port [m]
        shares: of both waves that are there: where a craft has turned, only some of a straight line's are
    """
    X = ca.fmax(behind, 0.01 / shape.k0)
    v = aside / X
    at = stationary(v * v)
    s, k0 = at.s, shape.k0
    S = ca.sqrt((3 + s) / (2 * (1 + s))), ca.sqrt((3 - s) / (2 * (1 - s)))
    side = aside / ca.sqrt(aside * aside + 1e-5 * X * X)
    q = ca.sqrt((1 - s) / (2 * (1 + s))) * side, ca.sqrt((1 + s) / (2 * (1 - s))) * side
    h = slope(shape, S[0]), slope(shape, S[1])
    if shares is not None:
        h = h[0] * shares[0], h[1] * shares[1]
    third = cube_root(k0 * X)
    root = ca.sqrt(ca.sqrt(at.apart))
    onset = smooth(behind * k0 / ONSET)
    P = onset * math.sqrt(2) * math.pi * root / third * (h[0] + h[1])
    Q = onset * math.sqrt(2) * math.pi / (root * third * third) * (h[1] - h[0]) / s
    grown = third * third * at.apart
    xi = grown * at.square
    ai, ai_prime = airy(xi)
    # value and derivative by xi of P Ai(-xi) + i Q Ai'(-xi); both waves together have them
    G_re, G_im = P * ai, Q * ai_prime
    by_re, by_im = -P * ai_prime, Q * xi * ai
    kappa = ca.sqrt(held(xi, MEETING / 2))
    phase = k0 * X * at.mean
    c, n = ca.cos(phase), ca.sin(phase)
    waves, numbers = [], []
    mean_k = tuple(k0 * (a + b) / 2 for a, b in ((S[0], S[1]), (S[0] * q[0], S[1] * q[1])))
    ratio = kappa / (ca.sqrt(grown) * s)
    half = tuple(ratio * k0 * (b - a) / 2 for a, b in ((S[0], S[1]), (S[0] * q[0], S[1] * q[1])))
    for sign in (1.0, -1.0):
        re, im = (G_re - sign * by_im / kappa) / 2, (G_im + sign * by_re / kappa) / 2
        waves.append((re * c - im * n, -(re * n + im * c)))  # conjugate: waves travel ahead, phases grow astern
        numbers.append(tuple(m - sign * d for m, d in zip(mean_k, half, strict=True)))
    return Pair((waves[0], waves[1]), (numbers[0], numbers[1]))  # type: ignore[arg-type]
