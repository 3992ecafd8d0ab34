"""Stations of blade sections: Gauss points along a rigid blade, and along each beam of an elastic one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError
from motionbase.rotor.blades.planform import Planform
from motionbase.rotor.elements.sections import Station

TIP_INFLOW = 0.06  # inflow over tip speed for which the loss of lift near the tip is taken
LEAST_LIFT = 1e-3


def rigid_stations(rotor: Planform, origin: float, points: int, *, tip_loss: bool = True) -> tuple[Station, ...]:
    """Of a rigid blade, from its root to the tip.

    Args:
        origin: radius of the body's frame [m]; x is outward, y to the leading edge
        points: of Gauss
    """
    r, widths = gauss(rotor.root, rotor.radius, points)
    return tuple(
        _station(rotor, x, width, np.ones(1), np.array([[x - origin, 0.0, 0.0]]), np.zeros(1), tip_loss)
        for x, width in zip(r.tolist(), widths.tolist(), strict=True)
    )


def beam_stations(
    rotor: Planform, radii: Sequence[float], turned: Sequence[float], points: int, *, tip_loss: bool = True
) -> tuple[Station, ...]:
    """Of a beam of three nodes; none where all of it is inside the root.

    Args:
        radii: of the nodes [m]
        turned: of each node about the span, by which its y axis is above the plane of the hub [rad]
    """
    a, m, b = radii
    if b <= rotor.root:
        return ()
    r, widths = gauss(max(a, rotor.root), b, points)
    found = []
    for x, width in zip(r.tolist(), widths.tolist(), strict=True):
        shares = np.array([(x - m) * (x - b) / ((a - m) * (a - b)), (x - a) * (x - b) / ((m - a) * (m - b)),
                           (x - a) * (x - m) / ((b - a) * (b - m))])  # fmt: skip
        found.append(_station(rotor, x, width, shares, np.zeros((3, 3)), np.asarray(turned), tip_loss))
    return tuple(found)


def gauss(a: float, b: float, points: int) -> tuple[Array, Array]:
    """Points from a to b, and lengths that they stand for."""
    if isinstance(points, bool) or not isinstance(points, int) or not 1 <= points <= 64:
        raise ModelError(f"blade: {points!r} Gauss points, a whole number from 1 to 64 is wanted")
    x, w = np.polynomial.legendre.leggauss(points)
    return 0.5 * (a + b) + 0.5 * (b - a) * x, 0.5 * (b - a) * w


def _station(
    rotor: Planform, r: float, width: float, shares: Array, arms: Array, turned: Array, tip_loss: bool
) -> Station:
    """With simple sweep theory: the air across the swept line makes the loads, on a longer and narrower piece."""
    angle = float(rotor.twist_at(r)) - turned  # from each node's axes to the section's
    c, s = float(np.cos(rotor.sweep_at(r))), float(np.sin(rotor.sweep_at(r)))
    chord_axes = np.stack([np.full(len(shares), s), c * np.cos(angle), c * np.sin(angle)], axis=1)
    normals = np.stack([np.zeros(len(shares)), -np.sin(angle), np.cos(angle)], axis=1)
    aft = rotor.aft_at(r)
    arms = arms - aft * np.stack([np.zeros(len(shares)), np.cos(angle), np.sin(angle)], axis=1)
    lifting = tip_factor(rotor, r) if tip_loss else 1.0
    return Station(shares, arms, chord_axes, normals, c * float(rotor.chord_at(r)), width / c, lifting)


def tip_factor(rotor: Planform, r: float) -> float:
    """Prandtl's loss of lift near the tip, for a usual inflow."""
    f = rotor.blades / 2 * (rotor.radius - r) / (rotor.radius * TIP_INFLOW)
    return max(LEAST_LIFT, 2 / np.pi * float(np.arccos(np.exp(-f))))
