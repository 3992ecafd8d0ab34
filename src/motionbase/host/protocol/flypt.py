"""The pose of a rig as FlyPT Mover writes it for headsets: six doubles, in a datagram instead of shared memory.

Order, units and signs: SixDofData and SixDofTracker::GetVirtualPose of OpenXR-MotionCompensation (BuzzteeBear). Sway
right, surge forward, heave up [mm]; yaw left, roll to the right, pitch nose up [deg]. Angles are ZYX, as ours.
"""

from __future__ import annotations

import math
import struct
from operator import mul
from typing import final

from motionbase.host.differences import Differences
from motionbase.host.format import Format, Frame, Kind, Options, Status, Told
from motionbase.host.protocol.common import finite

POSE = struct.Struct("<6d")
PORT = 8732
MM, DEGREE = 1e-3, math.pi / 180
ORDER = (1, 0, 2, 5, 3, 4)  # place of each number among surge, sway, heave, roll, pitch, yaw
UNITS = (-MM, MM, MM, DEGREE, DEGREE, -DEGREE)


@final
class FlyptDecoder:
    """Decodes poses of one rig; velocities and accelerations follow from them."""

    def __init__(self, options: Options) -> None:
        self._clock, self._differences = options.clock, Differences()

    def decode(self, data: bytes) -> Frame | None:
        """The frame; None if the bytes are none."""
        if len(data) != POSE.size:
            return None
        sway, surge, heave, yaw, roll, pitch = numbers = tuple(map(mul, POSE.unpack(data), UNITS))
        if not finite(numbers):
            return None
        return Frame(self._differences(self._clock(), (surge, sway, heave, roll, pitch, yaw)))

    def answer(self, frame: Frame, status: Status) -> bytes | None:
        """None."""
        return None


@final
class FlyptEncoder:
    """Makes such poses."""

    def __init__(self, _: Options) -> None:
        """There is nothing to choose."""

    def encode(self, frame: Frame) -> bytes:
        """Six doubles."""
        row = frame.row or (0.0,) * 6
        return POSE.pack(*(row[k] / unit for k, unit in zip(ORDER, UNITS, strict=True)))

    def told(self, data: bytes) -> Told | None:
        """Nobody answers."""
        return None


FORMATS = (
    Format(
        "flypt",
        Kind.POSE,
        "six doubles as FlyPT Mover tells headsets: sway, surge, heave [mm], yaw, roll, pitch [deg]",
        PORT,
        FlyptDecoder,
        encoder=FlyptEncoder,
    ),
)
