"""Checks whether a step is short enough for the springs, dampers and resistances of a sphere's contacts."""

from __future__ import annotations

import math

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import PlatformError
from motionbase.plant.sphere.contacts import Contacts
from motionbase.plant.sphere.wheels import DRILLING_SPEED, ROLLING_SPEED
from motionbase.spatial import skew

MOST = 1.0  # h times the largest frequency or decay rate; both are stable up to 2, and normal forces may double


def fastest(contacts: Contacts, mass: Array) -> tuple[float, float]:
    """The highest natural frequency [rad/s] and the fastest decay rate [1/s], with all contacts loaded as at rest.

    Args:
        mass: (6, 6) mass matrix of the sphere about its centre
    """
    n, R, N = len(contacts.atlas.wheels), contacts.atlas.sphere.radius, contacts.at_rest
    K, C = np.zeros((6, 6)), np.zeros((6, 6))
    for j, normal in enumerate(contacts.outward):
        across = np.outer(normal, normal)
        K[3:, 3:] += contacts.stiffness[j] * across
        C[3:, 3:] += contacts.damping[j] * across
        if j < n:
            friction = 2 / 3 * contacts.atlas.wheels[j].friction * N[j] * contacts.patch_radius[j]
            C[:3, :3] += friction / DRILLING_SPEED * across
        else:
            surface = (np.eye(3) - across) @ np.hstack([-R * np.array(skew(normal)), np.eye(3)])
            C += contacts.rolling[j - n] * N[j] / ROLLING_SPEED * surface.T @ surface
    inverse = np.linalg.inv(mass)
    vibration, decay = (float(np.linalg.eigvals(inverse @ matrix).real.max()) for matrix in (K, C))
    return math.sqrt(vibration), decay


def check_step(name: str, h: float, contacts: Contacts, mass: Array) -> None:
    """Refuse a step [s] that is too long."""
    vibration, decay = fastest(contacts, mass)
    if (most := MOST / max(vibration, decay)) < h:
        raise PlatformError(
            f"platform {name!r}: a step of {h:g} s is too long for its contacts, which vibrate at {vibration:.4g} "
            f"rad/s and settle at {decay:.4g} 1/s; it must be at most {most:.3g} s: {math.ceil(h / most)} times the "
            "substeps would do"
        )
