"""Datagrams built byte by byte from the published layouts, and what a vehicle does, in words that need no axes.

Nothing here knows the decoders: each builder puts numbers at the published offsets, with the signs and units that the
simulator's documents give.
"""

import struct
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import cos, degrees, radians, sin

import numpy as np

from motionbase.arrays import Array

G = 9.80665
FOOT = 0.3048


@dataclass(frozen=True)
class Doing:
    """What a vehicle does: accelerations are kinematic, as a camera beside the road sees them.

    Attributes:
        forward, left, up: acceleration along the axes of the vehicle [m/s^2]
        nose_up, right_down: pitch and roll [rad]; heading: clockwise from above [rad]
        rolls_right, noses_up, turns_right: rates about the axes of the vehicle [rad/s]
    """

    forward: float = 0.0
    left: float = 0.0
    up: float = 0.0
    nose_up: float = 0.0
    right_down: float = 0.0
    heading: float = 0.0
    rolls_right: float = 0.0
    noses_up: float = 0.0
    turns_right: float = 0.0

    @property
    def felt(self) -> tuple[float, float, float]:
        """Specific force forward, left, up: the acceleration, and 1 g away from the ground."""
        x, y, z = up_seen(self)
        return self.forward + G * x, self.left + G * y, self.up + G * z


def up_seen(doing: Doing) -> Array:
    """The world's up in axes forward, left, up, by two turns: nose up first, then right wing down."""
    nosed = np.array([sin(doing.nose_up), 0.0, cos(doing.nose_up)])
    r = doing.right_down  # the left side rises: up leans to the left side of the vehicle
    turn = np.array([[1, 0, 0], [0, cos(r), sin(r)], [0, -sin(r), cos(r)]])
    seen: Array = turn @ nosed
    return seen


DOINGS = {
    "rest": Doing(heading=0.7),
    "rest nose up": Doing(nose_up=radians(10), heading=-2.0),
    "rest right side down": Doing(right_down=radians(20)),
    "braking": Doing(forward=-6.0),
    "right turn": Doing(left=-4.0, turns_right=0.3),
    "climbing": Doing(up=5.0, nose_up=radians(12), noses_up=0.2),
    "everything": Doing(1.0, -2.0, 3.0, 0.2, -0.3, 1.0, 0.4, -0.5, 0.6),
}


def put(size: int, *parts: tuple[int, str, object]) -> bytes:
    """Bytes with numbers at their offsets; the rest is zero."""
    data = bytearray(size)
    for at, kind, values in parts:
        struct.pack_into(kind, data, at, *(values if isinstance(values, tuple) else (values,)))
    return bytes(data)


def xplane(doing: Doing, t: float) -> bytes:
    return _xplane(doing, t, (degrees(doing.rolls_right), degrees(doing.noses_up), degrees(doing.turns_right)))


def xplane11(doing: Doing, t: float) -> bytes:
    return _xplane(doing, t, (doing.noses_up, doing.rolls_right, doing.turns_right))


def _xplane(doing: Doing, t: float, rates: tuple[float, float, float]) -> bytes:
    """Five bytes of head; rows of an index and eight floats, of which unused ones are -999."""
    x, y, z = (f / G for f in doing.felt)

    def row(index: int, *values: float) -> bytes:
        return struct.pack("<i8f", index, *values, *(-999.0,) * (8 - len(values)))

    return b"".join(
        (
            b"DATA*",
            row(1, t + 100, t + 50, t),
            row(3, 80, 81, 82),
            row(4, 0.2, -999, 100, -999, z, x, -y),
            row(16, *rates),
            row(17, degrees(doing.nose_up), degrees(doing.right_down), degrees(doing.heading) % 360),
        )
    )


def euler_rates(doing: Doing) -> tuple[float, float, float]:
    """Rates of roll, pitch and heading that go with rates about the axes of an aircraft."""
    p, q, r = doing.rolls_right, doing.noses_up, doing.turns_right
    roll, pitch = doing.right_down, doing.nose_up
    turn = (q * sin(roll) + r * cos(roll)) / cos(pitch)
    return p + turn * sin(pitch), q * cos(roll) - r * sin(roll), turn


def flightgear(doing: Doing, t: float) -> bytes:
    x, y, z = (f / FOOT for f in doing.felt)
    return put(
        408,
        (0, ">I", 24),
        (8, ">3d", (0.1, 0.9, 300.0)),
        (32, ">f", 20.0),
        (36, ">3f", (doing.right_down, doing.nose_up, doing.heading)),
        (56, ">3f", euler_rates(doing)),
        (100, ">3f", (x, -y, -z)),
        (304, ">I3I", (3, 0, 1, 0)),
    )


def flightgear_generic(doing: Doing, t: float) -> bytes:
    x, y, z = (f / FOOT for f in doing.felt)
    angles = (degrees(a) for a in (doing.right_down, doing.nose_up, doing.heading))
    rates = (degrees(a) for a in euler_rates(doing))
    return struct.pack(">10d", t, x, -y, -z, *angles, *rates) + bytes((0, 1, 1)) + bytes.fromhex("4D424647")


def forza(doing: Doing, t: float, size: int = 232) -> bytes:
    """x right, y up, z forward; left-handed, so positive rates are nose down, right, and left side down."""
    return put(
        size,
        (0, "<iI", (1, round(1000 * t))),
        (20, "<3f", (-doing.left, doing.up, doing.forward)),
        (44, "<3f", (-doing.noses_up, doing.turns_right, -doing.rolls_right)),
        (56, "<3f", (doing.heading, -doing.nose_up, -doing.right_down)),
    )


def beamng(doing: Doing, t: float) -> bytes:
    """x left, y backward, z up; gravity excluded."""
    return put(
        88,
        (0, "4s", b"BNG1"),
        (28, "<3f", (doing.left, -doing.forward, doing.up)),
        (52, "<3f", (doing.right_down, doing.nose_up, doing.heading)),
        (64, "<3f", (doing.rolls_right, doing.noses_up, doing.turns_right)),
    )


BUILDERS: dict[str, Callable[[Doing, float], bytes]] = {
    "xplane": xplane,
    "xplane11": xplane11,
    "flightgear": flightgear,
    "flightgear-generic": flightgear_generic,
    "forza": forza,
    "beamng": beamng,
}

LEVEL = replace(Doing(), heading=0.5)
