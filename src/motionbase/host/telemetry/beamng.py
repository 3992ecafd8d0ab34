"""BeamNG MotionSim: 88 bytes, "BNG1"; SpaceMonkey's plugin appends fields and writes "BNG2"."""

from __future__ import annotations

from struct import Struct
from typing import final

from motionbase.host.format import Format, Frame, Kind, Options, Statement
from motionbase.host.telemetry.motion import Motion, Silent

LAYOUT = Struct("<28x3f12x9f")  # acceleration@28; roll, pitch, yaw@52; their rates@64; their accelerations@76
LEAST, MOST = 88, 512
STAMP = Struct("<f")
STAMPED = (160, 176)  # sizes of BNG2 that end with the time [s]


@final
class BeamNg(Silent):
    """Accelerations along x left, y backward, z up; angles and rates positive to the right and nose up."""

    def __init__(self, options: Options) -> None:
        self._motion = Motion(options, gravity=False)

    def decode(self, data: bytes) -> Frame | None:
        """See `Decoder`."""
        size = len(data)
        if data[:3] != b"BNG" or not LEAST <= size <= MOST:
            return None
        x, y, z, roll, pitch, yaw, p, q, r, u, v, w = LAYOUT.unpack_from(data)
        stamp = None
        if size in STAMPED and data[3:4] == b"2":
            stamp = STAMP.unpack_from(data, size - 4)[0]
            if not 0.0 <= stamp < 1e9:
                return None
        return self._motion.frame(stamp, (-y, x, z), (p, -q, -r), roll, -pitch, -yaw, 1.0, (u, -v, -w))


FORMATS = (
    Format(
        "beamng",
        Kind.VEHICLE,
        "BeamNG.drive and BeamNG.tech: MotionSim, also with the plugin of SpaceMonkey",
        4444,
        BeamNg,
        Statement(
            axes="accelerations x left, y backward, z up; angles and rates positive to the right and nose up",
            gravity=False,
            point="reference node of the vehicle",
            source="BeamNG, lua/vehicle/protocols/motionSim.lua; signs of rates as BeamMP uses them",
        ),
    ),
)
