"""Codemasters' games with "extradata 3", and what re-emits it, such as SpaceMonkey."""

from __future__ import annotations

from struct import Struct
from typing import final

from motionbase.host.format import Format, Frame, Kind, Options, Statement
from motionbase.host.telemetry.motion import Silent
from motionbase.host.telemetry.oriented import Oriented

SIZES = (152, 256, 264, 280)  # bytes: DiRT 3, which ends with the engine's speed; DiRT Rally; F1 2016 and SpaceMonkey
LAYOUT = Struct("<f28x9f")  # time; velocity@32, side@44 and forward@56 in the world


@final
class Codemasters(Silent):
    """Velocity and two axes in a world with y up; g-forces are not used, because there is none along the vertical."""

    def __init__(self, options: Options) -> None:
        self._oriented = Oriented(options, gravity=False)
        self._side = 0.0

    def decode(self, data: bytes) -> Frame | None:
        """See `Decoder`."""
        if len(data) not in SIZES:
            return None
        stamp, vx, vy, vz, sx, sy, sz, fx, fy, fz = LAYOUT.unpack_from(data)
        ux, uy, uz = fy * sz - fz * sy, fz * sx - fx * sz, fx * sy - fy * sx
        side = self._side
        if not side:  # of the first frame, in which the vehicle stands on its wheels: the vector is left, or right
            side = 1.0 if uy > 0.0 else -1.0
        frame = self._oriented.frame(
            stamp, (fx, fy, fz), (side * sx, side * sy, side * sz), (side * ux, side * uy, side * uz), (vx, vy, vz)
        )
        if frame is not None:
            self._side = side
        return frame


FORMATS = (
    Format(
        "codemasters",
        Kind.VEHICLE,
        "DiRT Rally 1 and 2, DiRT 4, GRID, F1 to 2017 with extradata 3; SpaceMonkey for two dozen games",
        20777,
        Codemasters,
        Statement(
            axes="world with y up, right-handed; vectors of velocity, side and forward",
            gravity=False,
            point="origin of the car",
            source="Codemasters, F1 2016 UDP specification; ErlerPhilipp/dr2_logger, source/dirt_rally/udp_data.py",
            derived=("f", "omega", "alpha"),
        ),
    ),
)
