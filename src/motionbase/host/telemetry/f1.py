"""F1 2023 to 2026: the packets Motion and MotionEx; the others tell no motion."""

from __future__ import annotations

from math import asin, atan2
from struct import Struct
from typing import final

from motionbase.host.format import NOTHING, Format, Frame, Kind, Options, Statement
from motionbase.host.telemetry.motion import Motion, Silent
from motionbase.record.vehicle import G

HEADER = Struct("<H4xBQfIIB")  # format; packet id@6, session@7, time@15, frame@19, overall frame@23, player's car@27
HEAD, MOTION, MOTION_EX = 29, 0, 13
CARS = {2023: (22, 60), 2024: (22, 60), 2025: (22, 60), 2026: (24, 54)}  # number and bytes of each
FLOATS = Struct("<24x6h3f")  # forward and side in the world, in parts of 32767; lateral, longitudinal, vertical g
SHORTS = Struct("<24x9h")  # the same with g in thousandths
UNIT = 32767.0
RATES = Struct("<173x6f")  # angular velocity, angular acceleration
EX_SIZES = range(217, 513)  # 217 in 2023, 237 in 2024, 273 in 2025 and 2026
SIZES = range(HEAD, 2048)  # of all packets
RECENT = 3  # frames for which rates of the last MotionEx are taken


@final
class Formula1(Silent):
    """Lateral g is positive to the left, longitudinal forward, vertical up; rates about x left, y up, z forward.

    The attitude is that of the vectors forward and side, in a right-handed world with y up; the angles of the packet,
    whose signs nobody publishes, are not used.
    """

    def __init__(self, options: Options) -> None:
        self._motion = Motion(options, gravity=True)
        self._rates = self._alpha = (0.0, 0.0, 0.0)
        self._known = (0, -RECENT - 1)  # session and frame of the rates
        self._side = 0.0  # 1 if the vector of the side is left, -1 if right; 0 before the first frame

    def decode(self, data: bytes) -> Frame | None:
        """See `Decoder`."""
        size = len(data)
        if size not in SIZES:
            return None
        year, packet, session, stamp, _, number, car = HEADER.unpack_from(data)
        if year not in CARS or packet > 31 or not 0.0 <= stamp < 1e9:
            return None
        if packet == MOTION_EX:
            if size not in EX_SIZES:
                return None
            x, y, z, u, v, w = RATES.unpack_from(data)
            if not x * x + y * y + z * z + u * u + v * v + w * w < 1e12:
                return None
            self._rates, self._alpha, self._known = (z, x, y), (w, u, v), (session, number)
            return NOTHING
        if packet != MOTION:
            return NOTHING
        cars, each = CARS[year]
        if size != HEAD + cars * each or car >= cars:
            return None
        layout, scale = (SHORTS, 1e-3 * G) if each == 54 else (FLOATS, G)
        fx, fy, fz, sx, sy, sz, left, forward, up = layout.unpack_from(data, HEAD + each * car)
        uy = (fz * sx - fx * sz) / UNIT  # of forward x side, which is up if the side is left, as the wheels are below
        if (
            not 0.9 < (fx * fx + fy * fy + fz * fz) / UNIT**2 < 1.1
            or not 0.9 < (sx * sx + sy * sy + sz * sz) / UNIT**2 < 1.1
        ):
            return None
        if not self._side:
            self._side = 1.0 if uy > 0.0 else -1.0
        roll = atan2(self._side * sy, self._side * uy)
        pitch = -asin(-1.0 if fy < -UNIT else 1.0 if fy > UNIT else fy / UNIT)
        yaw = atan2(fx, fz)
        before, frame = self._known
        rates, alpha = self._rates, self._alpha
        if before != session or not -RECENT <= number - frame <= RECENT:
            rates = alpha = (0.0, 0.0, 0.0)
        a = (scale * forward, scale * left, scale * up)
        # frames of the game are no sequence: at a lower rate it sends every second or third
        return self._motion.frame(stamp, a, rates, roll, pitch, yaw, 1.0, alpha, None, session)


FORMATS = (
    Format(
        "f1",
        Kind.VEHICLE,
        "F1 23, 24, 25 and the season of 2026: UDP telemetry, packets Motion and MotionEx",
        20777,
        Formula1,
        Statement(
            axes="x left, y up, z forward; lateral g positive to the left",
            gravity=None,
            point="centre of the car",
            source="EA, F1 25 UDP specification; f1-packets 2026.1.1 for 2026",
        ),
    ),
)
