"""DCS World: text with semicolons between its numbers, from our motionbase.lua or from SimFeedback's Export.lua."""

from __future__ import annotations

from typing import final

from motionbase.host.format import Format, Frame, Kind, Options, Statement
from motionbase.host.telemetry.motion import Motion, Silent
from motionbase.record.vehicle import G

FIELDS = (15, 16)  # ours has one more: whether the aircraft is on the ground
LONGEST = 512  # bytes


@final
class Dcs(Silent):
    """Aircraft axes x forward, y up, z right; load factors, which include gravity; rates right-handed."""

    def __init__(self, options: Options) -> None:
        self._motion = Motion(options, gravity=True)

    def decode(self, data: bytes) -> Frame | None:
        """See `Decoder`."""
        if len(data) > LONGEST:
            return None
        parts = data.split(b";")
        if len(parts) not in FIELDS:
            return None
        try:
            t, pitch, roll, heading, q, p, r, _, _, _, right, up, forward, _, _, *ground = map(float, parts)
        except ValueError:
            return None
        if not 0.0 <= t < 1e9:
            return None
        on_ground = 1.0 if ground and ground[0] > 0.0 else 0.0
        a = (G * forward, -G * right, G * up)
        return self._motion.frame(t, a, (p, -q, r), roll, -pitch, -heading, on_ground)


FORMATS = (
    Format(
        "dcs",
        Kind.VEHICLE,
        "DCS World: our motionbase.lua, or the Export.lua of SimFeedback",
        6666,
        Dcs,
        Statement(
            axes="x forward, y up, z right",
            gravity=True,
            point="centre of gravity",
            source="DCS World, Scripts/Export.lua: LoGetAccelerationUnits and others; order as in SimFeedback's",
            derived=("alpha",),
        ),
    ),
)
