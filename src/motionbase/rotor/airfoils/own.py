"""Airfoils of our own making: a thin one with a closed form, and one like a NACA 0012, for models without a table."""

from __future__ import annotations

from functools import cache

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import unknown
from motionbase.rotor.airfoils.airfoil import Airfoil, Coefficient

ANGLES = np.deg2rad(
    np.unique(np.concatenate([np.arange(-180, 181, 10), np.arange(-30, 31, 2), np.arange(-20, 21, 1)])).astype(float)
)
MACHS = np.array([0.0, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9, 1.0])

# Of the NACA 0012 table, illustrative: lift slope at low speed [1/rad], and the classical drag polar of Bailey (1941).
SLOPE = 5.73
POLAR = 0.0087, -0.0216, 0.400
STALL = np.deg2rad(13.5)  # at low speed
STALL_SOFTNESS = np.deg2rad(1.5)
LARGEST_SUBSONIC = 0.9  # Mach number up to which slopes grow


@cache
def thin() -> Airfoil:
    """A flat plate in potential flow: cl = 2 pi sin(alpha), no drag, no moment about the quarter chord."""
    angles = np.deg2rad(np.arange(-180.0, 181.0, 2.0))
    nothing = Coefficient(angles[[0, -1]], np.array([0.0]), np.zeros((2, 1)))
    return Airfoil("thin", Coefficient(angles, np.array([0.0]), 2 * np.pi * np.sin(angles)[:, None]), nothing, nothing)


@cache
def naca0012() -> Airfoil:
    """Like a NACA 0012 at the Reynolds numbers of rotors; illustrative, made of formulas and of no measured table.

    Attached flow: lift slope with Prandtl and Glauert's factor, Bailey's drag polar, a drag rise beyond the Mach number
    of divergence. Separated flow: a flat plate. The two are blended about an angle of stall that falls with Mach.
    """
    alpha, mach = np.meshgrid(ANGLES, MACHS, indexing="ij")
    sign, a = np.sign(np.sin(alpha)), _acute(alpha)
    slope = SLOPE / np.sqrt(1 - np.minimum(mach, 0.85 * LARGEST_SUBSONIC) ** 2)
    stall = STALL * (1 - 0.75 * np.clip(mach - 0.3, 0.0, 0.6))
    separated = 1 / (1 + np.exp(-(a - stall) / STALL_SOFTNESS))
    backwards = np.where(np.cos(alpha) < 0, 0.75, 1.0)  # a round leading edge that trails separates earlier
    attached_cl = backwards * slope * np.minimum(a, 0.5)
    cl = sign * np.where(np.cos(alpha) < 0, -1.0, 1.0) * (
        (1 - separated) * attached_cl + separated * 1.1 * np.sin(2 * a)
    )  # fmt: skip
    divergence = 0.78 - 1.2 * np.minimum(a, 0.4)  # Mach number beyond which drag rises
    polar = POLAR[0] + POLAR[1] * np.minimum(a, 0.2) + POLAR[2] * np.minimum(a, 0.2) ** 2
    rise = 2.5 * np.clip(mach - divergence, 0.0, 0.25) ** 2
    cd = (1 - separated) * (polar + rise) + separated * (0.02 + 1.9 * np.sin(a) ** 2)
    # behind stall the force acts at the middle of the chord: its moment about the quarter chord is nose-down
    normal = np.abs(cl) * np.cos(a) + cd * np.sin(a)
    cm = -sign * separated * 0.22 * normal
    for values in (cl, cm):
        values[np.abs(np.sin(alpha)) < 1e-12] = 0.0
    return Airfoil("NACA 0012 (illustrative)", *(Coefficient(ANGLES, MACHS, values) for values in (cl, cd, cm)))


def _acute(alpha: Array) -> Array:
    """Angle between flow and chord, whichever end leads: 0 to pi/2."""
    found: Array = np.arcsin(np.clip(np.abs(np.sin(alpha)), 0.0, 1.0))
    return found


AIRFOILS = {"thin": thin, "naca0012": naca0012}


def airfoil(name: str) -> Airfoil:
    """One of our own, by name."""
    if name not in AIRFOILS:
        raise unknown("airfoil", name, AIRFOILS)
    return AIRFOILS[name]()
