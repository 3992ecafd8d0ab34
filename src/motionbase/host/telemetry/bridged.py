"""Simulators without UDP: small scripts on their machine read them and send our datagrams.

Little-endian: "MBSB", four letters of the simulator, u32 version, u32 sequence, f64 time [s], and its numbers as f64,
in its own axes and units, so that the scripts stay simple.
"""

from __future__ import annotations

from struct import Struct
from typing import final

from motionbase.host.format import NOTHING, Format, Frame, Kind, Options, Statement
from motionbase.host.telemetry.motion import Motion, Silent
from motionbase.record.vehicle import G

NAME, VERSION = b"MBSB", 1
FOOT = 0.3048  # [m]
MSFS, IRACING, ACC = b"MSFS", b"IRAC", b"ACC "
MSFS_LAYOUT = Struct("<4s4sIId13d")  # acceleration, rotation velocity and acceleration; pitch, bank, heading; on ground
IRACING_LAYOUT = Struct("<4s4sIId10d")  # Lat-, Long-, VertAccel; Roll-, Pitch-, YawRate; Roll, Pitch, Yaw; IsOnTrack
ACC_LAYOUT = Struct("<4s4sIId9d")  # accG, localAngularVel; heading, pitch, roll


@final
class Msfs(Silent):
    """x right, y up, z forward in feet, left-handed: positive are nose down, to the right, left side down."""

    def __init__(self, options: Options) -> None:
        self._motion = Motion(options, gravity=False)

    def decode(self, data: bytes) -> Frame | None:
        """See `Decoder`."""
        if len(data) != MSFS_LAYOUT.size:
            return None
        name, kind, version, number, t, x, y, z, p, q, r, u, v, w, pitch, bank, heading, ground = (
            MSFS_LAYOUT.unpack(data)
        )  # fmt: skip
        if name != NAME or kind != MSFS or version != VERSION or not 0.0 <= t < 1e9:
            return None
        a = (FOOT * z, -FOOT * x, FOOT * y)
        on_ground = 1.0 if ground > 0.0 else 0.0
        return self._motion.frame(
            t, a, (-r, p, -q), -bank, pitch, -heading, on_ground, (-w, u, -v), number
        )  # fmt: skip


@final
class IRacing(Silent):
    """x forward, y left, z up in m/s^2; accelerations include gravity."""

    def __init__(self, options: Options) -> None:
        self._motion = Motion(options, gravity=True)

    def decode(self, data: bytes) -> Frame | None:
        """See `Decoder`."""
        if len(data) != IRACING_LAYOUT.size:
            return None
        name, kind, version, number, t, left, forward, up, p, q, r, roll, pitch, yaw, driving = (
            IRACING_LAYOUT.unpack(data)
        )  # fmt: skip
        if name != NAME or kind != IRACING or version != VERSION or not 0.0 <= t < 1e9:
            return None
        if driving == 0.0:  # in a menu everything is zero, also the acceleration
            return NOTHING
        return self._motion.frame(t, (forward, left, up), (p, q, r), roll, pitch, yaw, 1.0, None, number)


@final
class AssettoCorsa(Silent):
    """x right, y up, z forward in g, left-handed: positive are nose down, to the right, left side down."""

    def __init__(self, options: Options) -> None:
        self._motion = Motion(options, gravity=False)

    def decode(self, data: bytes) -> Frame | None:
        """See `Decoder`."""
        if len(data) != ACC_LAYOUT.size:
            return None
        name, kind, version, number, t, x, y, z, p, q, r, heading, pitch, roll = ACC_LAYOUT.unpack(data)
        if name != NAME or kind != ACC or version != VERSION or not 0.0 <= t < 1e9:
            return None
        a = (G * z, -G * x, G * y)
        return self._motion.frame(t, a, (-r, p, -q), -roll, pitch, -heading, 1.0, None, number)


FORMATS = (
    Format(
        "msfs",
        Kind.VEHICLE,
        "Microsoft Flight Simulator 2020 and 2024, Prepar3D: our script msfs_bridge.py",
        8741,
        Msfs,
        Statement(
            axes="x right, y up, z forward; left-handed; feet",
            gravity=None,
            point="centre of the aircraft's model",
            source="MSFS SDK, SimVars ACCELERATION BODY and others; signs as in @microsoft/msfs-sdk",
        ),
    ),
    Format(
        "iracing",
        Kind.VEHICLE,
        "iRacing: our script iracing_bridge.py",
        8742,
        IRacing,
        Statement(
            axes="x forward, y left, z up",
            gravity=True,
            point="centre of the car",
            source="iRacing SDK, telemetry variables LatAccel, LongAccel, VertAccel and others",
            derived=("alpha",),
        ),
    ),
    Format(
        "acc",
        Kind.VEHICLE,
        "Assetto Corsa and Assetto Corsa Competizione: our script acc_bridge.py",
        8743,
        AssettoCorsa,
        Statement(
            axes="x right, y up, z forward; left-handed; g",
            gravity=None,
            point="centre of gravity",
            source="Kunos, ACC shared memory documentation, SPageFilePhysics",
            derived=("alpha",),
        ),
    ),
)
