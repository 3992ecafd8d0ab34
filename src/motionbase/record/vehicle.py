"""Motion of a simulated vehicle as hosts tell it and cueing follows it: at one point, in axes of the vehicle.

Axes are those of a platform: x forward, y left, z up. Specific force is what an accelerometer at the point measures, so
a vehicle at rest has +9.81 m/s^2 along z. Angles are ZYX (yaw, pitch, roll) about the same axes: with z up, a positive
pitch lowers the nose, and a positive yaw turns left.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from motionbase.record.axes import ANGULAR
from motionbase.record.schema import Channel, Schema

AXES = "xyz"
G = 9.80665  # [m/s^2], the standard value
VECTORS = {  # three numbers each: name -> unit, text for one axis
    "f": ("m/s^2", "specific force along {axis}"),
    "omega": ("rad/s", "angular rate about {axis}"),
    "alpha": ("rad/s^2", "angular acceleration about {axis}"),
}


def vehicle_channels(prefix: str = "vehicle_", of: str = "vehicle: ", group: str = "vehicle") -> Iterator[Channel]:
    """Specific force, angular rate and acceleration, attitude, and whether the vehicle is on the ground."""
    for name, (unit, text) in VECTORS.items():
        for axis in AXES:
            yield Channel(f"{prefix}{name}_{axis}", unit, of + text.format(axis=axis), group)
    for angle in ANGULAR:
        yield Channel(f"{prefix}{angle}", "rad", f"{of}{angle}", group)
    yield Channel(f"{prefix}on_ground", "-", f"{of}1 on the ground, 0 in the air", group)


VEHICLE = tuple(vehicle_channels())
"""One sample of a vehicle's motion, in the order in which every part of this package stores it."""


@cache
def vehicle_schema() -> Schema:
    """Of a recording that holds a vehicle's motion alone: what a host sent, or a manoeuvre."""
    return Schema("vehicle", (Channel("t", "s", "time", "time"), *VEHICLE))
