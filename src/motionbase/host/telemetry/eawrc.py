"""EA SPORTS WRC: the channels that the player's JSON file lists, by default those of the game's structure `wrc`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from operator import itemgetter
from pathlib import Path
from struct import Struct, calcsize
from typing import Any, NamedTuple, final

from motionbase.errors import UsageError, unknown
from motionbase.host.format import NOTHING, Format, Frame, Kind, Options, Statement
from motionbase.host.telemetry.motion import Silent
from motionbase.host.telemetry.oriented import Oriented

AXES = ("left", "forward", "up")
CAR = (
    *("shiftlights_fraction", "shiftlights_rpm_start", "shiftlights_rpm_end", "shiftlights_rpm_valid"),
    *(f"vehicle_gear_{name}" for name in ("index", "index_neutral", "index_reverse", "maximum")),
    *("vehicle_speed", "vehicle_transmission_speed"),
    *(f"vehicle_{name}_{axis}" for name in ("position", "velocity", "acceleration") for axis in "xyz"),
    *(f"vehicle_{name}_direction_{axis}" for name in AXES for axis in "xyz"),
    *(
        f"vehicle_{name}_{wheel}"
        for name in ("hub_position", "hub_velocity", "cp_forward_speed", "brake_temperature")
        for wheel in ("bl", "br", "fl", "fr")
    ),
    *(f"vehicle_engine_rpm_{name}" for name in ("max", "idle", "current")),
    *(f"vehicle_{name}" for name in ("throttle", "brake", "clutch", "steering", "handbrake")),
    *("stage_current_time", "stage_current_distance", "stage_length"),
)
DEFAULT = ("packet_uid", "game_total_time", "game_delta_time", "game_frame_count", *CAR)
OTHERS = (
    *(f"vehicle_{name}_id" for name in ("class", "manufacturer", "model")),
    *("vehicle_id", "location_id", "route_id", "game_mode", "packet_4cc", "vehicle_cluster_abs", "stage_shakedown"),
    *("stage_previous_split_time", "stage_result_time", "stage_result_time_penalty", "stage_result_status"),
    *("stage_progress", *(f"vehicle_tyre_state_{wheel}" for wheel in ("bl", "br", "fl", "fr"))),
)
CODES = {  # of `struct`; every other channel is a float32
    "4s": ("packet_4cc",),
    "Q": ("packet_uid", "game_frame_count"),
    "d": ("stage_current_distance", "stage_length"),
    "H": (*(name for name in OTHERS if name.endswith("_id")),),
    "B": (
        *("shiftlights_rpm_valid", "game_mode", "stage_shakedown", "stage_result_status", "vehicle_cluster_abs"),
        *(name for name in (*CAR, *OTHERS) if name.startswith(("vehicle_gear_", "vehicle_tyre_state_"))),
    ),
}
CODE = {name: code for code, names in CODES.items() for name in names}
KNOWN = (*DEFAULT, *OTHERS)
NEEDED = (
    "game_total_time",
    *(f"vehicle_{name}_{axis}" for name in ("forward_direction", "left_direction", "velocity") for axis in "xyz"),
)
ACCELERATION = tuple(f"vehicle_acceleration_{axis}" for axis in "xyz")
UPDATES, NAMES = (b"SESU", b"USES"), (b"SESS", b"SESE", b"SESP", b"SESR", b"SSES", b"ESES", b"PSES", b"RSES")
LARGEST_FILE = 1 << 20  # bytes


class Layout(NamedTuple):
    """Of the datagrams of one structure.

    Attributes:
        struct: of an update
        taken: values of NEEDED, then of ACCELERATION if they are there
        name: place of `packet_4cc`; None if there is none
        number: place of `packet_uid`; None if there is none
        others: sizes of the packets of the session's start, end, pause and so on
    """

    struct: Struct
    taken: itemgetter[Any]
    name: int | None
    number: int | None
    others: frozenset[int]


def layout_of(channels: Sequence[str], others: Sequence[Sequence[str]] = ()) -> Layout:
    """The layout of an update with these channels; raises `UsageError` if one is unknown or missing."""
    for name in (*channels, *(name for other in others for name in other)):
        if name not in KNOWN:
            raise unknown("channel of EA SPORTS WRC", name, KNOWN, "channels")
    if missing := [name for name in NEEDED if name not in channels]:
        raise UsageError(f"the session_update of EA SPORTS WRC lacks {', '.join(missing)}; add them to its channels")
    told = ACCELERATION if all(name in channels for name in ACCELERATION) else ()
    places = {name: place for place, name in enumerate(channels)}
    struct = Struct(_codes(channels))
    return Layout(
        struct,
        itemgetter(*(places[name] for name in (*NEEDED, *told))),
        places.get("packet_4cc"),
        places.get("packet_uid"),
        frozenset(calcsize(_codes(other)) for other in others) - {struct.size},
    )


def _codes(channels: Sequence[str]) -> str:
    return "<" + "".join(CODE.get(name, "f") for name in channels)


@cache
def layout_in(path: str) -> Layout:
    """The layout that the player's JSON file of a structure describes; of the default structure without a path."""
    if not path:
        return layout_of(DEFAULT)
    file = Path(path).expanduser()
    try:
        if file.stat().st_size > LARGEST_FILE:
            raise UsageError(f"{path!r} is too large for a list of channels of EA SPORTS WRC")
        given = json.loads(file.read_bytes())
        header = given["header"]["channels"]
        packets = {str(packet["id"]): [*header, *packet["channels"]] for packet in given["packets"]}
        channels = packets.pop("session_update")
        if not all(isinstance(name, str) for names in (channels, *packets.values()) for name in names):
            raise TypeError
    except OSError as error:
        raise UsageError(f"{path!r} cannot be read: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise UsageError(
            f"{path!r} is no structure of EA SPORTS WRC: an object with header.channels and packets, of which one is "
            "session_update"
        ) from None
    return layout_of(channels, tuple(packets.values()))


@final
class EaWrc(Silent):
    """Axes of the car and its acceleration in a world with y up."""

    def __init__(self, options: Options) -> None:
        self._layout = layout_in(options.layout)
        self._oriented = Oriented(options, gravity=False)

    def decode(self, data: bytes) -> Frame | None:
        """See `Decoder`."""
        struct, taken, name, number, others = self._layout
        if len(data) != struct.size:
            is_other = len(data) in others and (name != 0 or data[:4] in NAMES)
            return NOTHING if is_other else None
        values = struct.unpack(data)
        if name is not None and values[name] not in UPDATES:
            return NOTHING if values[name] in NAMES else None
        stamp, fx, fy, fz, lx, ly, lz, *rest = taken(values)
        up = (fy * lz - fz * ly, fz * lx - fx * lz, fx * ly - fy * lx)
        a = (rest[3], rest[4], rest[5]) if len(rest) == 6 else None
        sequence = None if number is None else values[number]
        return self._oriented.frame(stamp, (fx, fy, fz), (lx, ly, lz), up, (rest[0], rest[1], rest[2]), a, sequence)


FORMATS = (
    Format(
        "eawrc",
        Kind.VEHICLE,
        "EA SPORTS WRC: its structure wrc, or layout=FILE.json of your own",
        20789,
        EaWrc,
        Statement(
            axes="world with x left, y up, z forward at rest of the axes; right-handed",
            gravity=False,
            point="origin of the car",
            source="EA SPORTS WRC, Documents/My Games/WRC/telemetry/readme; sizes as in berarma/oversteer",
            derived=("omega", "alpha"),
        ),
        ("lever", "gravity", "flip", "layout"),
    ),
)
