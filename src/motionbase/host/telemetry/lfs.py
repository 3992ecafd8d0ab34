"""Live for Speed OutSim: 64 bytes, 68 with an id; or OutSimPack2: header, id, time, main part, and any of the rest."""

from __future__ import annotations

from math import cos, sin
from struct import Struct
from typing import final

from motionbase.host.format import Format, Frame, Kind, Options, Statement
from motionbase.host.telemetry.motion import Motion, Silent

OLD = Struct("<I9f")  # time [ms]; angular velocity, heading, pitch, roll, acceleration
NEW = Struct("<8xI9f")  # behind "LFST" and an id
OLD_SIZES = (64, 68)
PARTS = (20, 12, 8, 160)  # that may follow in OutSimPack2: inputs, drive, distance, wheels
NEW_SIZES = {72 + sum(part for k, part in enumerate(PARTS) if mask >> k & 1) for mask in range(16)}


@final
class LiveForSpeed(Silent):
    """Vectors in the world, x right, y forward, z up at heading 0; angles right-handed about z, x and y."""

    def __init__(self, options: Options) -> None:
        self._motion = Motion(options, gravity=False)

    def decode(self, data: bytes) -> Frame | None:
        """See `Decoder`."""
        size = len(data)
        if size in NEW_SIZES and data[:4] == b"LFST":
            ms, p, q, r, heading, pitch, roll, x, y, z = NEW.unpack_from(data)
        elif size in OLD_SIZES:
            ms, p, q, r, heading, pitch, roll, x, y, z = OLD.unpack_from(data)
        else:
            return None
        if not (-10.0 < heading < 10.0 and -10.0 < pitch < 10.0 and -10.0 < roll < 10.0):
            return None
        pitch = -pitch
        sy, cy, sp, cp, sr, cr = sin(heading), cos(heading), sin(pitch), cos(pitch), sin(roll), cos(roll)
        x, y, p, q = y, -x, q, -p  # now forward, left, up at heading 0
        m, n = cy * sp, sy * sp
        lx, ly, lz, ux, uy, uz = (
            m * sr - sy * cr,
            n * sr + cy * cr,
            cp * sr,
            m * cr + sy * sr,
            n * cr - cy * sr,
            cp * cr,
        )
        fx, fy = cy * cp, sy * cp
        return self._motion.frame(
            1e-3 * ms,
            (x * fx + y * fy - z * sp, x * lx + y * ly + z * lz, x * ux + y * uy + z * uz),
            (p * fx + q * fy - r * sp, p * lx + q * ly + r * lz, p * ux + q * uy + r * uz),
            roll,
            pitch,
            heading,
            1.0,
        )


FORMATS = (
    Format(
        "lfs",
        Kind.VEHICLE,
        "Live for Speed: OutSim, without options or with OutSim Opts f to ff",
        4123,
        LiveForSpeed,
        Statement(
            axes="world with x right, y forward, z up at heading 0; angles right-handed",
            gravity=None,
            point="centre of the car",
            source="Live for Speed, docs/InSim.txt and docs/OutSimPack.txt",
            derived=("alpha",),
        ),
    ),
)
