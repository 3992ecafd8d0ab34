"""X-Plane: rows of its data output (`DATA`), indices 4, 16 and 17; 1 for time, 66 for the ground."""

from __future__ import annotations

from math import radians
from struct import Struct
from typing import final

from motionbase.host.format import NOTHING, Format, Frame, Kind, Options, Statement
from motionbase.host.telemetry.motion import Motion, Silent
from motionbase.record.vehicle import G

HEAD, BLOCK = 5, 36  # bytes: "DATA" and one that X-Plane uses itself; a row: its index and eight numbers
MOST_BLOCKS = 200  # X-Plane has some 140 rows
TIMES, LOADS, RATES, ANGLES, GEAR = (index.to_bytes(4, "little") for index in (1, 4, 16, 17, 66))
TIME = Struct("<12xf")  # of the flight: it stands still in a pause
LOAD = Struct("<20x3f")  # normal, axial, side
THREE = Struct("<4x3f")
WHEELS = Struct("<4x8f")  # forces of the wheels [lb]; -999 where there is none
STANDS = 1.0  # [lb] more than this on any wheel is the ground
_D = radians(1.0)


@final
class XPlane(Silent):
    """Accelerations as load factors, which include gravity; aircraft axes x forward, y right, z down.

    Args:
        twelve: rates of X-Plane 12: P, Q, R in degrees per second; before, it wrote Q, P, R in radians per second
    """

    def __init__(self, options: Options, twelve: bool) -> None:
        self._motion = Motion(options, gravity=True)
        self._twelve = twelve
        self._size = self._times = self._loads = self._rates = self._angles = self._gear = 0

    def decode(self, data: bytes) -> Frame | None:
        """See `Decoder`."""
        size = len(data)
        if data[:4] != b"DATA":
            return None
        if not (size == self._size and self._same(data)) and not self._find(data):
            return None
        if not (self._loads and self._rates and self._angles):
            return NOTHING
        stamp = TIME.unpack_from(data, self._times)[0] if self._times else None
        if stamp is not None and not 0.0 <= stamp < 1e9:
            return None
        normal, axial, side = LOAD.unpack_from(data, self._loads)
        p, q, r = THREE.unpack_from(data, self._rates)
        if self._twelve:
            p, q, r = _D * p, _D * q, _D * r
        else:
            p, q = q, p
        pitch, roll, heading = THREE.unpack_from(data, self._angles)
        a = (G * axial, -G * side, G * normal)
        gear = self._gear
        ground = 1.0 if gear and max(WHEELS.unpack_from(data, gear)) > STANDS else 0.0
        return self._motion.frame(stamp, a, (p, -q, -r), _D * roll, -_D * pitch, -_D * heading, ground)

    def _same(self, data: bytes) -> bool:
        """Whether the rows stand where they stood in the last datagram."""
        loads, rates, angles, times, gear = self._loads, self._rates, self._angles, self._times, self._gear
        return (
            data[loads : loads + 4] == LOADS
            and data[rates : rates + 4] == RATES
            and data[angles : angles + 4] == ANGLES
            and (not times or data[times : times + 4] == TIMES)
            and (not gear or data[gear : gear + 4] == GEAR)
        )

    def _find(self, data: bytes) -> bool:
        """Look for the rows; False if the datagram is not made of rows."""
        size = len(data) - HEAD
        if size < BLOCK or size % BLOCK or size > MOST_BLOCKS * BLOCK:
            return False
        place = {data[at : at + 4]: at for at in range(HEAD, len(data), BLOCK)}
        self._size = len(data)
        self._times, self._loads = place.get(TIMES, 0), place.get(LOADS, 0)
        self._rates, self._angles = place.get(RATES, 0), place.get(ANGLES, 0)
        self._gear = place.get(GEAR, 0)
        return True


def _format(name: str, about: str, twelve: bool) -> Format:
    return Format(
        name,
        Kind.VEHICLE,
        about,
        49003,
        lambda options: XPlane(options, twelve),
        Statement(
            axes="x forward, y right, z down; load factors positive forward, right and up",
            gravity=True,
            point="centre of gravity",
            source="X-Plane, Data Output, rows 4, 16, 17; order and signs as in ArduPilot's SIM_XPlane.cpp",
            derived=("alpha",),
        ),
    )


FORMATS = (
    _format("xplane", "X-Plane 12: data output rows 4, 16 and 17 (and 1, 66)", True),
    _format("xplane11", "X-Plane 11 and before: the same rows; rates in other units", False),
)
