"""A flat world around a runway: positions on the ellipsoid in orthographic projection from above the threshold.

x points north and y west from the threshold, in the plane that touches the ellipsoid there, and z is the height above
the ellipsoid. 100 km away, lengths along the line from the threshold are 1.2e-4 too short. The projection has no jump
within a quarter of the Earth's circumference.
"""

from __future__ import annotations

import math
from typing import NamedTuple, final

LATITUDE = math.radians(45.5)  # geodetic, of the threshold: here gravity is the standard 9.80665 m/s^2, within 1e-5
A, E2 = 6378137.0, 0.00669437999014  # WGS 84: equatorial radius [m], square of the eccentricity


@final
class Spot(NamedTuple):
    """A place in the flat world.

    Attributes:
        x, y: [m]
        turn: direction of local north, from x towards y [rad]
    """

    x: float
    y: float
    turn: float


_S, _C = math.sin(LATITUDE), math.cos(LATITUDE)
_N = A / math.sqrt(1 - E2 * _S * _S)
THRESHOLD = (_N * _C, 0.0, _N * (1 - E2) * _S)  # earth-centred, earth-fixed [m]; its longitude is 0


def seen(x: float, y: float, z: float, latitude: float, longitude: float) -> Spot:
    """The place of an earth-centred, earth-fixed position [m] with its geodetic latitude and longitude [rad]."""
    north = _C * (z - THRESHOLD[2]) - _S * (x - THRESHOLD[0])
    s, c = math.sin(latitude), math.cos(latitude)
    turn = math.atan2(s * math.sin(longitude), c * _C + s * math.cos(longitude) * _S)
    return Spot(north, -y, turn)


def latitude_at(x: float) -> float:
    """Geodetic latitude [rad] at x metres north of the threshold, on its meridian; accurate within tens of km."""
    radius: float = A * (1 - E2) / (1 - E2 * _S * _S) ** 1.5
    return LATITUDE + x / radius
