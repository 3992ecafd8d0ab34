"""FlightGear: native-fdm version 24, and the generic protocol with our XML file."""

from __future__ import annotations

from math import cos, radians, sin
from struct import Struct
from typing import final

from motionbase.host.format import Format, Frame, Kind, Options, Statement
from motionbase.host.telemetry.motion import Motion, Silent

FOOT = 0.3048  # [m]
VERSION, SIZE = 24, 408
NATIVE = Struct(">I32x3f8x3f32x3f192xI3I")  # version; phi@36, theta, psi; their rates@56; A_pilot@100; wheels@304, wow
GENERIC = Struct(">10d3?I")  # as in motionbase.xml: time, pilot's accelerations, angles, their rates; wheels; its name
NAME = 0x4D424647  # "MBFG"
_D = radians(1.0)


def _body_rates(
    roll: float, pitch: float, roll_dot: float, pitch_dot: float, yaw_dot: float
) -> tuple[float, float, float]:
    """Rates about the axes of an aircraft (x forward, y right, z down) from those of its Euler angles."""
    s, c = sin(roll), cos(roll)
    turn = yaw_dot * cos(pitch)
    return roll_dot - yaw_dot * sin(pitch), pitch_dot * c + turn * s, turn * c - pitch_dot * s


@final
class Native(Silent):
    """Big-endian; pilot's accelerations are specific force in feet, x forward, y right, z down."""

    def __init__(self, options: Options) -> None:
        self._motion = Motion(options, gravity=True)

    def decode(self, data: bytes) -> Frame | None:
        """See `Decoder`."""
        if len(data) != SIZE:
            return None
        version, phi, theta, psi, phi_dot, theta_dot, psi_dot, x, y, z, wheels, *wow = NATIVE.unpack_from(data)
        if version != VERSION or not -10.0 < phi < 10.0 or not -10.0 < theta < 10.0:
            return None
        p, q, r = _body_rates(phi, theta, phi_dot, theta_dot, psi_dot)
        ground = 1.0 if any(wow[: min(wheels, 3)]) else 0.0
        a = (FOOT * x, -FOOT * y, -FOOT * z)
        return self._motion.frame(None, a, (p, -q, -r), phi, -theta, -psi, ground)


@final
class Generic(Silent):
    """What our motionbase.xml asks for: the same, with a time."""

    def __init__(self, options: Options) -> None:
        self._motion = Motion(options, gravity=True)

    def decode(self, data: bytes) -> Frame | None:
        """See `Decoder`."""
        if len(data) != GENERIC.size:
            return None
        t, x, y, z, roll, pitch, heading, u, v, w, nose, left, right, name = GENERIC.unpack(data)
        if name != NAME or not 0.0 <= t < 1e9:
            return None
        phi, theta = _D * roll, _D * pitch
        if not -10.0 < phi < 10.0 or not -10.0 < theta < 10.0:
            return None
        p, q, r = _body_rates(phi, theta, _D * u, _D * v, _D * w)
        ground = 1.0 if nose or left or right else 0.0
        a = (FOOT * x, -FOOT * y, -FOOT * z)
        return self._motion.frame(t, a, (p, -q, -r), phi, -theta, -_D * heading, ground)


def _statement(source: str) -> Statement:
    return Statement(
        axes="x forward, y right, z down; feet",
        gravity=True,
        point="pilot, where the flight model puts him",
        source=source,
        derived=("alpha",),
    )


FORMATS = (
    Format(
        "flightgear",
        Kind.VEHICLE,
        "FlightGear and JSBSim: native-fdm, version 24",
        5500,
        Native,
        _statement("FlightGear, src/Network/net_fdm.hxx, version 24"),
    ),
    Format(
        "flightgear-generic",
        Kind.VEHICLE,
        "FlightGear: generic protocol with our motionbase.xml, which also tells the time",
        5501,
        Generic,
        _statement("FlightGear, Docs/README.protocol; our motionbase.xml"),
    ),
)
