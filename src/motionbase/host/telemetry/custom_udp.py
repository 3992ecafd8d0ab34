"""DiRT's "custom UDP", a list of floats that an XML file names: SpaceMonkey's default, or the player's own."""

from __future__ import annotations

from functools import cache
from operator import itemgetter
from pathlib import Path
from struct import Struct
from typing import Any, NamedTuple, final
from xml.etree import ElementTree

from motionbase.errors import UsageError
from motionbase.host.format import Format, Frame, Kind, Options, Statement
from motionbase.host.telemetry.motion import LARGEST_ACCELERATION, LONGEST_GAP, SHORTEST_STEP, Motion, Silent

WHEELS = ("bl", "br", "fl", "fr")
TURNS = ("yaw", "pitch", "roll")
DEFAULT = (  # of SpaceMonkey, 65 floats
    *("total_time", "paused", *TURNS),
    *(f"{turn}_{what}" for what in ("velocity", "acceleration") for turn in TURNS),
    *(f"{what}_{axis}" for what in ("position", "local_velocity") for axis in "xyz"),
    *("gforce_lateral", "gforce_longitudinal", "gforce_vertical", "speed"),
    *(f"suspension_{what}_{wheel}" for what in ("position", "velocity", "acceleration") for wheel in WHEELS),
    *(f"wheel_patch_speed_{wheel}" for wheel in WHEELS),
    *(f"{what}_input" for what in ("throttle", "steering", "brake", "clutch")),
    *("gear", "max_gears", "engine_rate", "race_position", "race_sector", "sector_time_1", "sector_time_2"),
    *(f"{what}_{wheel}" for what in ("brake_temp", "tyre_pressure") for wheel in WHEELS),
    *("lap", "laps_completed", "total_laps", "lap_time", "lap_distance", "track_length", "last_lap_time"),
    *("max_rpm", "idle_rpm"),
)
NEEDED = ("total_time", *TURNS, *(f"{turn}_velocity" for turn in TURNS), *(f"local_velocity_{axis}" for axis in "xyz"))
CODES = {"float": "f", "int32": "i", "uint32": "I", "fourcc": "4s"}
LARGEST_FILE, MOST = 1 << 20, 350  # bytes, channels
_A2 = LARGEST_ACCELERATION**2


class Layout(NamedTuple):
    """Layout of the datagrams: `taken` picks the values of NEEDED, which are `scales` times too large."""

    struct: Struct
    taken: itemgetter[Any]
    scales: tuple[float, ...]


def layout_of(channels: dict[str, tuple[str, float]]) -> Layout:
    """The layout of channels with their codes and scales; raises `UsageError` if one is missing."""
    if missing := [name for name in NEEDED if name not in channels]:
        raise UsageError(f"the custom UDP packet lacks {', '.join(missing)}; add them to its XML file")
    places = {name: place for place, name in enumerate(channels)}
    return Layout(
        Struct("<" + "".join(code for code, _ in channels.values())),
        itemgetter(*(places[name] for name in NEEDED)),
        tuple(1.0 / channels[name][1] for name in NEEDED),
    )


@cache
def layout_in(path: str) -> Layout:
    """The layout that an XML file describes; SpaceMonkey's default without one."""
    if not path:
        return layout_of({name: ("f", 1.0) for name in DEFAULT})
    file = Path(path).expanduser()
    channels: dict[str, tuple[str, float]] = {}
    try:
        if file.stat().st_size > LARGEST_FILE:
            raise UsageError(f"{path!r} is too large for a list of channels")
        for element in ElementTree.fromstring(file.read_bytes()):
            scale = float(element.get("scale", "1"))
            if not 1e-9 < abs(scale) < 1e9:
                raise ValueError
            channels[element.attrib["channel"]] = CODES[element.tag.lower()], scale
    except OSError as error:
        raise UsageError(f"{path!r} cannot be read: {error.strerror or error}") from None
    except (ElementTree.ParseError, ValueError, KeyError):
        raise UsageError(
            f"{path!r} is no description of a custom UDP packet: elements {', '.join(CODES)} with channel and scale"
        ) from None
    if len(channels) > MOST:
        raise UsageError(f"{path!r} has {len(channels)} channels, it must have at most {MOST}")
    return layout_of(channels)


@final
class CustomUdp(Silent):
    """Local velocity x right, y up, z forward, whose rate of change is the acceleration.

    Angles and rates are positive to the left, nose up, and right side down, but the rate of roll left side down, as
    SpaceMonkey computes them.
    """

    def __init__(self, options: Options) -> None:
        self._layout = layout_in(options.layout)
        self._motion = Motion(options, gravity=False)
        self._last: tuple[float, float, float, float] | None = None
        self._a = (0.0, 0.0, 0.0)

    def decode(self, data: bytes) -> Frame | None:
        """See `Decoder`."""
        struct, taken, scales = self._layout
        if len(data) != struct.size:
            return None
        t, yaw, pitch, roll, r, q, p, side, vz, vx = (
            x * scale for x, scale in zip(taken(struct.unpack(data)), scales, strict=True)
        )
        p, q, vy = -p, -q, -side
        if not (0.0 <= t < 1e9 and vx * vx + vy * vy + vz * vz < 1e8 and p * p + q * q + r * r < 1e8):
            return None
        last = self._last
        step = t - last[0] if last is not None else -1.0
        if last is not None and SHORTEST_STEP <= step <= LONGEST_GAP:
            _, wx, wy, wz = last
            mx, my, mz = 0.5 * (vx + wx), 0.5 * (vy + wy), 0.5 * (vz + wz)
            x, y, z = (  # in axes that turn: v' + omega x v, in the middle of the step
                (vx - wx) / step + q * mz - r * my,
                (vy - wy) / step + r * mx - p * mz,
                (vz - wz) / step + p * my - q * mx,
            )
            if x * x + y * y + z * z > _A2:  # the vehicle was put somewhere else
                x = y = z = 0.0
            self._last, self._a = (t, vx, vy, vz), (x, y, z)
        elif not 0.0 <= step < SHORTEST_STEP:
            self._last, self._a = (t, vx, vy, vz), (0.0, 0.0, 0.0)
        return self._motion.frame(t, self._a, (p, q, r), roll, -pitch, yaw, 1.0)


FORMATS = (
    Format(
        "custom-udp",
        Kind.VEHICLE,
        "SpaceMonkey's own packet for some two dozen games, DiRT 4 and Rally 2 custom UDP: layout=FILE.xml",
        20778,
        CustomUdp,
        Statement(
            axes="local velocity x right, y up, z forward; angles left, nose up, right side down",
            gravity=False,
            point="origin of the car",
            source="Codemasters, Setting up UDP output for DiRT 4; PHARTGAMES/SpaceMonkey, GenericProviderBase.cs",
            derived=("f", "alpha"),
        ),
        ("lever", "gravity", "flip", "layout"),
    ),
)
