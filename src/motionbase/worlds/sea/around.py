"""Waves summed to the water around a vessel, once a step: the stations, nodes and levels of `patch`.

Phases of a wave at equal distances are powers of one rotation, so a wave costs three sines and cosines and the rest are
products: about 2.5 us for 128 waves. Weights of the B-splines follow exactly, wave by wave: those of a sampled sine are
its samples times 3 / (2 + cos) (Unser 1999). Waves too short for the patch, shorter than about three distances between
stations or nodes, are faded out: over a hull of that size they cancel.
"""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from motionbase.compile import Port, Program, Struct, for_each, q
from motionbase.compile.struct import MIXED
from motionbase.worlds.sea.patch import FADES, FLOW_LEVEL, LEVELS, QUANTITIES, SIDE, Around, Sea, Wave, clamped

SX = ca.SX
SHORT, TOO_SHORT = 1.8, 2.6  # [rad] from one station to the next: begins to fade, gone
CHUNK = 4  # waves that are added by one call
BITS = SIDE.bit_length() - 1  # of a station's number
COLUMNS = 9 + FADES


class Turned(Struct):
    """A wave as the vessel meets it: complex numbers of its phase."""

    at: SX = q("m", 2, "amplitude times exp(i theta) in the middle of the patch")
    along: SX = q("-", 2, "exp(i theta) over half a distance of stations")
    across: SX = q("-", 2, "over half a distance of nodes")
    way: SX = q("-", 2, "direction of travel in the heading's axes")


Complex = tuple[Any, Any]


def times(a: Complex, b: Complex) -> Complex:
    """Product of complex numbers."""
    return a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]


def turn(angle: SX) -> Complex:
    """exp(i angle)."""
    return ca.cos(angle), ca.sin(angle)


def resolved(angle: SX) -> SX:
    """Share of a wave with this angle from one station to the next that is kept: 1, or less for short waves."""
    return clamped((TOO_SHORT - ca.fabs(angle)) / (TOO_SHORT - SHORT), 0.0, 1.0)


def met(sea: Sea, t: SX, p: SX, bow: Complex, amplitude: SX, kx: SX, ky: SX, k: SX, omega: SX, phase: SX) -> Any:
    """One wave as the vessel meets it: the numbers of `Turned`."""
    ahead, port = kx * bow[0] + ky * bow[1], ky * bow[0] - kx * bow[1]
    along, across = ahead * sea.dx, port * sea.dy
    half, side = turn(along / 2), turn(across / 2)
    weight = 3 / (2 + times(half, half)[0])  # of a B-spline over the sample of a sine
    a = amplitude * weight * resolved(along) * resolved(across)
    at = turn(kx * p[0] + ky * p[1] + ahead * sea.middle - omega * t + phase)
    return a * at[0], a * at[1], *half, *side, ahead / k, port / k


def met_near(sea: Sea, bow: Complex, wave: Wave) -> Any:
    """A wave that is known near the vessel's own point: the numbers of `Turned`, its frequency, and its `fades`."""
    k = ca.sqrt(wave.kx * wave.kx + wave.ky * wave.ky)
    ahead, port = wave.kx * bow[0] + wave.ky * bow[1], wave.ky * bow[0] - wave.kx * bow[1]
    along, across = ahead * sea.dx, port * sea.dy
    half, side = turn(along / 2), turn(across / 2)
    weight = 3 / (2 + times(half, half)[0]) * resolved(along) * resolved(across)
    at = times((wave.re * weight, wave.im * weight), turn(ahead * sea.middle))
    return *at, *half, *side, ahead / k, port / k, wave.omega, *(ca.exp(-k * level * sea.depth) for level in LEVELS[1:])


def station(half: Complex, bits: tuple[SX, ...]) -> Complex:
    """exp(i theta) at the station that these bits number, from the middle on: (number + 1/2) distances away."""
    power = times(half, half)
    at = half
    for bit in bits:
        further = times(at, power)
        at = ca.if_else(bit, further[0], at[0]), ca.if_else(bit, further[1], at[1])
        power = times(power, power)
    return at


def quantities(at: Complex, side: Complex, way: tuple[SX, SX], omega: SX, fades: tuple[SX, ...]) -> list[Complex]:
    """Complex amplitudes of all quantities of a row, whose real part at a station is the quantity."""
    back = side[0], -side[1]
    side3, back3 = times(side, times(side, side)), times(back, times(back, back))
    surface = [times(at, node) for node in (back3, back, side, side3)]
    rows = surface + [(fade * c, fade * s) for fade in fades for c, s in surface]
    v = tuple(part * (omega * fades[FLOW_LEVEL - 1]) for part in at)  # along the direction; upwards, -i times it
    v_dot = v[1] * omega, -v[0] * omega
    rows += [(v[0] * way[0], v[1] * way[0]), (v[0] * way[1], v[1] * way[1]), (v[1], -v[0])]
    rows += [(v_dot[0] * way[0], v_dot[1] * way[0]), (v_dot[0] * way[1], v_dot[1] * way[1]), (v_dot[1], -v_dot[0])]
    return rows


def _add(sums: SX, *given: SX) -> SX:
    """Some waves, added at one station of each side: products of real and of imaginary parts apart."""
    bits, columns = given[:BITS], given[BITS:]
    for n in range(CHUNK):
        a_c, a_s, half_c, half_s, side_c, side_s, way_x, way_y, omega, *fades = (column[n] for column in columns)
        at = station((half_c, half_s), bits)
        rows = quantities((a_c, a_s), (side_c, side_s), (way_x, way_y), omega, tuple(fades))
        sums = sums + ca.vertcat(*(ca.vertcat(c * at[0], s * at[1]) for c, s in rows))
    return sums


ADD = Program(
    "add_waves",
    (
        Port("sums", 2 * QUANTITIES, MIXED),
        *(Port(f"bit{k}") for k in range(BITS)),
        *(Port(f"column{k}", CHUNK, MIXED) for k in range(COLUMNS)),
    ),
    (Port("sums_next", 2 * QUANTITIES, MIXED),),
    _add,
    "waves at one station of each side",
)


def around(sea: Sea, t: SX, p: SX, heading: SX, near: Any = None) -> Around:
    """The water around a vessel at the place p (x, y) and of this heading; for programs.

    Args:
        near: rows of `Wave` about that place at that time, such as wakes, whose number is a multiple of `CHUNK`
    """
    bow = turn(heading)
    per_wave = sea.amplitude, sea.kx, sea.ky, sea.k, sea.omega, sea.phase
    columns = for_each(lambda *wave: met(sea, t, p, bow, *wave), *per_wave)
    columns = *columns, sea.omega, *(sea.fades[k, :].T for k in range(FADES))
    if near is not None:
        more = for_each(lambda wave: met_near(sea, bow, wave), near)
        columns = tuple(ca.vertcat(column, further) for column, further in zip(columns, more, strict=True))

    def summed(*bits: SX) -> Any:
        sums = ca.repmat(ca.fmin(bits[0], 0.0), 2 * QUANTITIES, 1)
        for n in range(0, columns[0].shape[0], CHUNK):
            sums = ADD(sums, *bits, *(column[n : n + CHUNK] for column in columns))
        return sums[0::2] - sums[1::2], sums[0::2] + sums[1::2]

    numbers = np.arange(SIDE)
    ahead, astern = for_each(summed, *((numbers >> k & 1).astype(float) for k in range(BITS)))
    return Around(ahead=ahead, astern=astern)
