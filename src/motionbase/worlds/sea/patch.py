"""The water around a vessel, as compiled code: cheap at many points of a hull, the same bits on every target.

    class of parameters   Sea      the waves, and the size of the patch; another sea or vessel needs no recompiling
    once a step           made = around(sea, t, p, heading)            the patch at this moment
    at a point            eta, head = water_at(sea, made, x, y, z)     the surface over it and the pressure there
    at a station          v, v_dot = flow_at(sea, made, x)             orbital velocity and acceleration of the water

Axes are those of the heading: from the vessel's own point p of the world, x level and ahead, y to port; z up from still
water. Roll, pitch and heave of the vessel do not matter, so a point of its hull is first turned into these axes. With a
quaternion Q_WB: r = R_z(-heading) R(Q_WB) r_B, x = r[0], y = r[1], z = p_W[2] + r[2].

`head` is the pressure over rho g: static and dynamic, with the surface at that moment (Wheeler's stretching, see
`waves`); 0 at the surface and above it. A panel of the area A with the normal n into the hull gets the force
rho g head A n, and over all panels that is buoyancy and the Froude-Krylov force in one. Nothing else is to be added.

How it is made: 16 stations along the vessel, 4 nodes across, 4 levels below the surface. Phases of a wave at equal
distances are powers of one rotation, so a wave costs three sines and cosines, and the rest are products: about 2.5 us
for 128 waves. Between the stations are cubic B-splines (their weights are made of the samples exactly, wave by wave,
since a sine's samples times 3 / (2 + cos) are its weights; Unser 1999), between nodes and levels cubic polynomials.
Beyond the patch its border's values hold. Waves too short for it, shorter than about three distances of stations or
nodes, are faded out: over a hull that long they cancel out.
"""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Port, Program, Struct, for_each, q
from motionbase.compile.struct import MIXED
from motionbase.worlds.sea.waves import COMPONENTS, Waves

SX = ca.SX
STATIONS, NODES = 16, 4
LEVELS = (0.0, 0.2, 0.5, 1.0)  # below the surface, over the depth of the patch
FLOW_LEVEL = 2  # where the motion of the water is told
COVERED = STATIONS - 3  # distances of stations between the ends of the patch
SHORT, TOO_SHORT = 1.8, 2.6  # [rad] from one station to the next: begins to fade, gone
CHUNK = 4  # waves that are added by one call
SIDE = STATIONS // 2
HEADS = NODES * len(LEVELS)
QUANTITIES = HEADS + 6
FADES = len(LEVELS) - 1
BITS = SIDE.bit_length() - 1  # of a station's number
COLUMNS = 9 + FADES


class Sea(Struct):
    """Waves, and the patch in which a vessel feels them; `parameters` makes them."""

    middle: SX = q("m", text="of the patch, ahead of the vessel's own point")
    dx: SX = q("m", text="distance of stations", start=1.0)
    dy: SX = q("m", text="distance of nodes across", start=1.0)
    depth: SX = q("m", text="of the lowest level below the surface", start=1.0)
    amplitude: SX = q("m", COMPONENTS)
    kx: SX = q("rad/m", COMPONENTS, "wave number along x of the world")
    ky: SX = q("rad/m", COMPONENTS, "along y")
    k: SX = q("rad/m", COMPONENTS, "in the direction of travel", start=1.0)
    omega: SX = q("rad/s", COMPONENTS, "circular frequency")
    phase: SX = q("rad", COMPONENTS)
    fades: SX = q("-", (FADES, COMPONENTS), "exp(-k depth) at the lower levels")


class Wave(Struct):
    """A wave that is plane as far as the vessel reaches, but comes and goes, such as a part of a wake."""

    re: SX = q("m", text="its height at a place at a moment: the real part of a complex amplitude")
    im: SX = q("m", text="the imaginary part")
    kx: SX = q("rad/m", text="wave number along x of the world, in the direction of travel", start=1.0)
    ky: SX = q("rad/m", text="along y")
    omega: SX = q("rad/s", text="circular frequency of a free wave of this length", start=1.0)


class Around(Struct):
    """The water around a vessel at one moment: weights of splines along it, a row for each station.

    A row has the heads of pressure (over still water) at the nodes of each level, from starboard to port, then velocity
    and acceleration of the water on the centre line. Rows start at the middle and go ahead or astern.
    """

    ahead: SX = q("m, m/s, m/s²", (SIDE, QUANTITIES))
    astern: SX = q("m, m/s, m/s²", (SIDE, QUANTITIES))


def parameters(waves: Waves, length: float, beam: float, depth: float, middle: float = 0.0) -> Array:
    """`Sea` as one vector.

    Args:
        length: of the hull [m], and whatever else shall be on the patch; the next two likewise
        beam: [m]
        depth: how far below the surface the hull may be [m]; further below the pressure's dynamic part stays as it is
        middle: of that length, ahead of the vessel's own point [m]
    """
    n = len(waves)

    def filled(values: Array, rest: float) -> Array:
        return np.concatenate([values, np.full(COMPONENTS - n, rest)])

    fades = [filled(np.exp(-waves.k * level * depth), 0.0) for level in LEVELS[1:]]
    return Sea.layout.vector(
        {
            "middle": middle,
            "dx": length / COVERED,
            "dy": beam / (NODES - 1),
            "depth": depth,
            "amplitude": filled(waves.amplitude, 0.0),
            "kx": filled(waves.kx, 0.0),
            "ky": filled(waves.ky, 0.0),
            "k": filled(waves.k, 1.0),
            "omega": filled(waves.omega, 0.0),
            "phase": filled(waves.phase, 0.0),
            "fades": np.concatenate(fades),
        }
    )


# ---- once a step ---------------------------------------------------------------------------------------------------


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
    """What remains of a wave with this angle from one station to the next."""
    return ca.fmin(ca.fmax((TOO_SHORT - ca.fabs(angle)) / (TOO_SHORT - SHORT), 0.0), 1.0)


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


# ---- at a point ----------------------------------------------------------------------------------------------------


def clamped(x: SX, least: float, most: float) -> SX:
    """The number nearest to x between two bounds."""
    return ca.fmin(ca.fmax(x, least), most)


def bump(x: SX) -> SX:
    """The cubic B-spline: 2/3 at 0, 0 beyond 2."""
    outer, inner = ca.fmax(2 - ca.fabs(x), 0.0), ca.fmax(1 - ca.fabs(x), 0.0)
    return outer * outer * outer / 6 - inner * inner * inner * (2 / 3)


def lagrange(x: SX, nodes: tuple[float, ...]) -> list[SX]:
    """Weights of the nodes in the polynomial through them, at x."""
    weights = []
    for node in nodes:
        weight = SX(1)
        for other in nodes:
            if other != node:
                weight = weight * (x - other) / (node - other)
        weights.append(weight)
    return weights


def along_at(sea: Sea, x: SX) -> list[tuple[SX, SX]]:
    """Weights of the stations, ahead and astern, from the middle on."""
    place = clamped((x - sea.middle) / sea.dx, -COVERED / 2, COVERED / 2)
    return [(bump(place - (k + 0.5)), bump(place + (k + 0.5))) for k in range(SIDE)]


def mixed_along(made: Around, weights: list[tuple[SX, SX]], quantity: int) -> SX:
    """A quantity at a place along the patch."""
    terms = [made.ahead[k, quantity] * a + made.astern[k, quantity] * b for k, (a, b) in enumerate(weights)]
    return sum(terms[1:], terms[0])


def levels_at(sea: Sea, made: Around, x: SX, y: SX, count: int = len(LEVELS)) -> list[SX]:
    """Heads over still water at the levels below (x, y), that of the surface first: its height."""
    weights = along_at(sea, x)
    across = lagrange(clamped(y / sea.dy, -1.5, 1.5), (-1.5, -0.5, 0.5, 1.5))

    def level(k: int) -> SX:
        return sum((mixed_along(made, weights, NODES * k + j) * across[j] for j in range(NODES)), SX(0))

    return [level(k) for k in range(count)]


def surface_at(sea: Sea, made: Around, x: SX, y: SX) -> SX:
    """Height of the surface over still water above (x, y) [m]."""
    return levels_at(sea, made, x, y, 1)[0]


def signed_head_at(sea: Sea, made: Around, x: SX, y: SX, z: SX) -> tuple[SX, SX]:
    """As `water_at`, but above the surface the head is minus the height over it, so that its zero can be found [m]."""
    surface, *below = levels_at(sea, made, x, y)
    down = lagrange(clamped((surface - z) / sea.depth, 0.0, 1.0), LEVELS)
    dynamic = sum((weight * at for weight, at in zip(down[1:], below, strict=True)), down[0] * surface)
    return surface, dynamic - z


def water_at(sea: Sea, made: Around, x: SX, y: SX, z: SX) -> tuple[SX, SX]:
    """Height of the surface over still water above (x, y), and the pressure at z over rho g, both in [m]."""
    surface, head = signed_head_at(sea, made, x, y, z)
    return surface, ca.fmax(head, 0.0)


def flow_at(sea: Sea, made: Around, x: SX) -> tuple[SX, SX]:
    """(3,) velocity and (3,) acceleration of the water on the centre line, half the patch's depth below the surface."""
    weights = along_at(sea, x)
    flow = ca.vertcat(*(mixed_along(made, weights, HEADS + k) for k in range(6)))
    return flow[:3], flow[3:]
