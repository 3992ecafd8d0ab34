"""A flat world about a runway: positions on the ellipsoid, seen from straight above the threshold.

x is north and y west of the threshold, in the plane that touches the ellipsoid there (an orthographic projection), and
z is the height over the ellipsoid. 100 km away, lengths along the line from the threshold are 1.2e-4 too short; there
is no jump anywhere on this side of the Earth.
"""

from __future__ import annotations

import math
from typing import NamedTuple, final

LATITUDE = math.radians(45.5)  # geodetic, of the threshold: here gravity is the standard 9.80665 m/s^2, within 1e-5
A, E2 = 6378137.0, 0.00669437999014  # WGS 84: equatorial radius [m], square of the eccentricity


@final
class Spot(NamedTuple):
    """Where something is seen on the flat world.

    Attributes:
        x, y: [m]
        turn: of local north, from x towards y [rad]
    """

    x: float
    y: float
    turn: float


_S, _C = math.sin(LATITUDE), math.cos(LATITUDE)
_N = A / math.sqrt(1 - E2 * _S * _S)
THRESHOLD = (_N * _C, 0.0, _N * (1 - E2) * _S)  # earth-centred, earth-fixed [m]; its longitude is 0


def seen(x: float, y: float, z: float, latitude: float, longitude: float) -> Spot:
    """An earth-centred, earth-fixed position [m] with its geodetic latitude and its longitude [rad]."""
    north = _C * (z - THRESHOLD[2]) - _S * (x - THRESHOLD[0])
    s, c = math.sin(latitude), math.cos(latitude)
    turn = math.atan2(s * math.sin(longitude), c * _C + s * math.cos(longitude) * _S)
    return Spot(north, -y, turn)


def latitude_at(x: float) -> float:
    """Geodetic latitude [rad] of a place x north of the threshold, on its meridian; good within tens of km."""
    radius: float = A * (1 - E2) / (1 - E2 * _S * _S) ** 1.5
    return LATITUDE + x / radius
