"""Conventions in which geometry is published, and named conversions to the axes and numbering used here."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array
from motionbase.errors import PlatformError
from motionbase.platform.parts import checked_number


def three_pairs(radius: float, spacing: float, at_deg: float) -> Array:
    """(6, 3) joints on a circle in three pairs, a third of a turn apart, counter-clockwise from the x axis.

    Args:
        radius: radius of the circle [m]
        spacing: distance between the two joints of a pair [m]
        at_deg: angle of the middle of one pair from the x axis [degrees]
    """
    radius = checked_number("pairs", "radius", radius, "m")
    spacing = checked_number("pairs", "spacing", spacing, "m")
    if spacing >= math.sqrt(3) * radius:
        raise PlatformError(
            f"pairs: a spacing of {spacing:g} m on a radius of {radius:g} m makes the pairs overlap; it must be below "
            f"{math.sqrt(3) * radius:.4g} m"
        )
    half = math.asin(spacing / (2 * radius))
    middles = math.radians(at_deg) + 2 * math.pi / 3 * np.arange(3)
    turn = np.sort((middles[:, None] + np.array([-half, half])).ravel() % (2 * math.pi))
    return np.stack([radius * np.cos(turn), radius * np.sin(turn), np.zeros(6)], axis=1)


def from_z_down(points: ArrayLike) -> Array:
    """From aircraft axes (x forward, y right, z down) to ours (x forward, y left, z up)."""
    return np.asarray(points, dtype=np.float64) @ np.diag([1.0, -1.0, -1.0])


def unchanged(points: ArrayLike) -> Array:
    """From x forward, y left, z up: no change."""
    return np.asarray(points, dtype=np.float64)


AXES: dict[str, Callable[[ArrayLike], Array]] = {"z_up": unchanged, "z_down": from_z_down}


def renumbered(points: Array, legs: Sequence[int]) -> Array:
    """Six points in our order; `legs` lists the source's numbers of our legs 1 to 6."""
    if sorted(legs) != [1, 2, 3, 4, 5, 6]:
        raise PlatformError(f"legs are {list(legs)}, the source's numbers of our legs 1 to 6 are wanted, each once")
    return points[[number - 1 for number in legs]]
