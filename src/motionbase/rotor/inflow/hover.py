"""Hover and climb by blade element and momentum theory: each ring of the disk balances lift and the air it moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError
from motionbase.rotor.blades.planform import Planform

RINGS = 200
HALVINGS = 60
LARGEST_INFLOW = 1.0  # over tip speed, either way
STEEPEST = np.pi / 2  # collective pitch


@final
@dataclass(frozen=True, eq=False)
class Hover:
    """A rotor in axial flight.

    Attributes:
        collective: pitch at the centre [rad]
        thrust, torque: [N], [N m]
        thrust_coefficient, torque_coefficient: over rho A (Omega R)^2, and that times R
        figure_of_merit: power of an ideal disk over the rotor's; 0 where it does not lift
        r: radius of the rings [m]
        inflow: through the disk over tip speed, at the rings
        alpha: angle of attack [rad]; lift: per length of blade [N/m]
    """

    collective: float
    thrust: float
    torque: float
    thrust_coefficient: float
    torque_coefficient: float
    figure_of_merit: float
    r: Array
    inflow: Array
    alpha: Array
    lift: Array


def hover(rotor: Planform, collective: float, climb: float = 0.0, *, tip_loss: bool = True) -> Hover:
    """The steady state, ring by ring (Gessow & Myers 1952; tip loss after Prandtl).

    Args:
        collective: pitch at the centre [rad]
        climb: speed [m/s]
    """
    if not abs(collective) <= STEEPEST:
        raise ModelError(f"collective is {np.rad2deg(collective):g} degrees, must be -90 to 90")
    lam_c, most = climb / rotor.tip_speed, LARGEST_INFLOW / 2
    if not abs(lam_c) < most:
        fastest = most * rotor.tip_speed
        raise ModelError(f"climb is {climb:g} m/s, it must be between -{fastest:.4g} and {fastest:.4g} m/s")
    edges = np.linspace(rotor.root / rotor.radius, 1.0, RINGS + 1)
    r, dr = (edges[1:] + edges[:-1]) / 2, np.diff(edges)
    sigma = rotor.blades * rotor.chord_at(r * rotor.radius) / (np.pi * rotor.radius)
    theta = collective + rotor.twist_at(r * rotor.radius)

    def blade(lam: Array) -> tuple[Array, Array, Array]:
        """Angle of attack, thrust and torque coefficients per radius."""
        phi, speed2 = np.arctan2(lam, r), r**2 + lam**2
        alpha = theta - phi
        cl, cd, _ = np.moveaxis(rotor.airfoil.at(alpha, np.sqrt(speed2) * rotor.tip_speed / rotor.sound), -1, 0)
        up, back = cl * np.cos(phi) - cd * np.sin(phi), cl * np.sin(phi) + cd * np.cos(phi)
        return alpha, sigma / 2 * speed2 * up, sigma / 2 * speed2 * back * r

    def surplus(lam: Array) -> Array:
        """Momentum that the ring's air takes, less the blades' thrust."""
        loss = _tip_loss(rotor.blades, r, lam) if tip_loss else 1.0
        return 4 * loss * r * np.abs(lam) * (lam - lam_c) - blade(lam)[1]

    # a larger inflow takes more momentum and leaves less lift, so there is a root between the ends
    low, high = np.full(RINGS, -LARGEST_INFLOW), np.full(RINGS, LARGEST_INFLOW)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        more = surplus(middle) > 0
        low, high = np.where(more, low, middle), np.where(more, middle, high)
    lam = (low + high) / 2
    alpha, thrust, torque = blade(lam)
    ct, cq = float(np.sum(thrust * dr)), float(np.sum(torque * dr))
    force = rotor.density * np.pi * rotor.radius**2 * rotor.tip_speed**2
    merit = ct**1.5 / (np.sqrt(2) * cq) if ct > 0 and cq > 0 else 0.0
    lift = thrust * force / (rotor.blades * rotor.radius)
    return Hover(
        collective, ct * force, cq * force * rotor.radius, ct, cq, float(merit), r * rotor.radius, lam, alpha, lift
    )


def _tip_loss(blades: int, r: Array, lam: Array) -> Array:
    """Prandtl's factor: the lift of few blades falls to zero at the tip."""
    flow = np.maximum(np.abs(lam), 1e-6)
    found: Array = 2 / np.pi * np.arccos(np.exp(-blades / 2 * (1 - r) / flow))
    return found
