"""The water around a vessel, as compiled code: cheap at many points of a hull, the same bits on every target.

    parameters       Sea      the waves and the size of the patch; another sea or vessel needs no recompiling
    once a step      made = around.around(sea, t, p, heading)      the patch at this moment
    at a point       eta, head = water_at(sea, made, x, y, z)      the surface above it and the pressure there
    at a station     v, v_dot = flow_at(sea, made, x)              orbital velocity and acceleration of the water

Axes are those of the heading: origin at the vessel's reference point p of the world, x level and forward, y to port, z
up from still water. Roll, pitch and heave of the vessel do not enter, so a point of its hull is first turned into these
axes. With a quaternion Q_WB: r = R_z(-heading) R(Q_WB) r_B, x = r[0], y = r[1], z = p_W[2] + r[2].

`head` is the pressure over rho g, static and dynamic, below the instantaneous surface (Wheeler's stretching, see
`waves`); it is 0 at the surface and above. A panel of area A with the normal n into the hull gets the force
rho g head A n, and the sum over all panels is buoyancy and Froude-Krylov force together. Nothing else is to be added.

16 stations lie along the vessel, 4 nodes across, 4 levels below the surface. Between stations are cubic B-splines,
between nodes and levels cubic polynomials. Beyond the patch the values of its border hold.
"""

from __future__ import annotations

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Struct, q
from motionbase.worlds.sea.waves import COMPONENTS, Waves

SX = ca.SX
STATIONS, NODES = 16, 4
LEVELS = (0.0, 0.2, 0.5, 1.0)  # below the surface, over the depth of the patch
FLOW_LEVEL = 2  # of the orbital velocity
COVERED = STATIONS - 3  # distances of stations between the ends of the patch
SIDE = STATIONS // 2
HEADS = NODES * len(LEVELS)
QUANTITIES = HEADS + 6
FADES = len(LEVELS) - 1


class Sea(Struct):
    """Waves, and the patch of water around a vessel; made by `parameters`."""

    middle: SX = q("m", text="of the patch, ahead of the vessel's reference point")
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
    """A wave that is plane over the vessel's length but changes with time, such as a part of a wake."""

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
        length, beam: of the patch, usually those of the hull [m]
        depth: of the patch below the surface [m]; further below, the dynamic part of the pressure stays constant
        middle: of that length, ahead of the vessel's reference point [m]
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


# ---- at a point ----------------------------------------------------------------------------------------------------


def clamped(x: SX, least: SX | float, most: SX | float) -> SX:
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
