"""Forza Motorsport and Horizon, "Data Out": Sled (232 bytes), Dash (311, 331) and Horizon (324)."""

from __future__ import annotations

from struct import Struct
from typing import final

from motionbase.host.format import NOTHING, Format, Frame, Kind, Options, Statement
from motionbase.host.telemetry.motion import Motion, Silent

SIZES = (232, 311, 324, 331)  # Sled; Dash of Motorsport 7; Horizon 4 and later; Dash of Motorsport (2023)
LAYOUT = Struct("<iI12x12f")  # race is on, time [ms]; acceleration, velocity, angular velocity, yaw, pitch, roll


@final
class Forza(Silent):
    """Axes x right, y up, z forward are left-handed, so rates change sign besides."""

    def __init__(self, options: Options) -> None:
        self._motion = Motion(options, gravity=False)

    def decode(self, data: bytes) -> Frame | None:
        """See `Decoder`."""
        if len(data) not in SIZES:
            return None
        on, ms, x, y, z, _, _, _, p, q, r, yaw, pitch, roll = LAYOUT.unpack_from(data)
        if on != 1:
            return NOTHING if on == 0 else None  # in menus everything is zero
        return self._motion.frame(1e-3 * ms, (z, -x, y), (-r, p, -q), -roll, pitch, -yaw, 1.0)


FORMATS = (
    Format(
        "forza",
        Kind.VEHICLE,
        "Forza Motorsport 7, Motorsport, Horizon 4 to 6: Data Out, any of its formats",
        5300,
        Forza,
        Statement(
            axes="x right, y up, z forward; left-handed",
            gravity=None,
            point="centre of the car",
            source="Forza Motorsport, Data Out documentation (support.forzamotorsport.net, article 21742934024211)",
            derived=("alpha",),
        ),
    ),
)
