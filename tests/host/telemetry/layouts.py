"""Datagrams built byte by byte from the published layouts.

Nothing here knows the decoders: each builder puts numbers at the published offsets, with the signs and units that the
simulator's documents give.
"""

import math
import struct
from collections.abc import Callable
from dataclasses import replace
from math import cos, degrees, sin

import numpy as np

from motionbase.arrays import Array
from tests.host.telemetry.doing import Doing, G

FOOT = 0.3048


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


def world(doing: Doing, t: float) -> tuple[Array, Array, Array]:
    """Forward, left and up of a vehicle after t seconds, as rows, in a world with x left, y up, z forward.

    It has turned at constant rates about its own axes since t = 0.
    """
    yaw, pitch, roll = -doing.heading, doing.nose_up, doing.right_down

    def about(axis: Array, angle: float) -> Array:
        """Right-handed rotation (Rodrigues)."""
        x, y, z = axis
        cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        rotation: Array = np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
        return rotation

    left, up, forward = np.eye(3)
    rates = doing.rolls_right * forward - doing.noses_up * left - doing.turns_right * up  # at heading, pitch, roll 0
    size = float(np.linalg.norm(rates))
    spun = about(rates / size, size * t) if size else np.eye(3)
    attitude = about(up, yaw) @ about(left, -pitch) @ about(forward, roll) @ spun
    return attitude @ forward, attitude @ left, attitude @ up


def codemasters(doing: Doing, t: float) -> bytes:
    """World vectors; velocity whose change is the acceleration of the vehicle, for a short time."""
    forward, left, up = world(doing, 0.0)
    a = doing.forward * forward + doing.left * left + doing.up * up
    ahead, side, _ = world(doing, t - T0)
    return put(
        264,
        (0, "<f", t),
        (16, "<3f", (100.0, 5.0, -40.0)),
        (28, "<f", 20.0),
        (32, "<3f", tuple(20.0 * forward + (t - T0) * a)),
        (44, "<3f", tuple(side)),
        (56, "<3f", tuple(ahead)),
        (136, "<2f", (doing.left / G, doing.forward / G)),
    )


def custom_udp(doing: Doing, t: float) -> bytes:
    """SpaceMonkey's 65 floats: angles at 8, their rates at 20, local velocity (right, up, forward) at 56.

    The velocity in the axes of the vehicle, after t - T0 at constant acceleration and rates from 20 m/s forward.
    """
    first, now = (np.array(world(doing, at)) for at in (0.0, t - T0))
    a = np.array([doing.forward, doing.left, doing.up]) @ first
    forward, left, up = now @ (20.0 * first[0] + (t - T0) * a)
    ahead, side, top = now
    roll, pitch = math.atan2(side[1], top[1]), math.asin(ahead[1])
    return put(
        260,
        (0, "<f", t),
        (8, "<3f", (math.atan2(ahead[0], ahead[2]), pitch, roll)),
        (20, "<3f", (-doing.turns_right, doing.noses_up, -doing.rolls_right)),
        (56, "<3f", (-left, up, forward)),
    )


def eawrc(doing: Doing, t: float) -> bytes:
    """The game's structure `wrc`: 237 bytes; directions at 85, 97, 109, acceleration at 73, velocity at 61."""
    forward, left, up = world(doing, t - T0)
    first = world(doing, 0.0)
    a = doing.forward * first[0] + doing.left * first[1] + doing.up * first[2]
    return put(
        237,
        (0, "<Q", round(60 * t)),
        (8, "<2f", (t, 1 / 60)),
        (16, "<Q", round(60 * t)),
        (61, "<3f", (0.0, 0.0, 20.0)),
        (73, "<3f", tuple(a)),
        (85, "<3f", tuple(left)),
        (97, "<3f", tuple(forward)),
        (109, "<3f", tuple(up)),
        (221, "<2d", (1000.0, 9000.0)),
    )


def lfs(doing: Doing, t: float, size: int = 64) -> bytes:
    """Acceleration and angular velocity in the world, x right, y forward, z up; heading, pitch, roll right-handed."""
    forward, left, up = (np.array([-v[0], v[2], v[1]]) for v in world(doing, 0.0))
    a = doing.forward * forward + doing.left * left + doing.up * up
    rates = doing.rolls_right * forward - doing.noses_up * left - doing.turns_right * up
    at = 0 if size < 72 else 8
    name = ((0, "4s", b"LFST"), (4, "<i", 7)) if at else ()
    return put(
        size,
        *name,
        (at, "<I", round(1000 * t)),
        (at + 4, "<3f", tuple(rates)),
        (at + 16, "<3f", (-doing.heading, doing.nose_up, doing.right_down)),
        (at + 28, "<3f", tuple(a)),
        (at + 40, "<3f", (0.0, 30.0, 0.0)),
        (at + 52, "<3i", (65536, 0, 0)),
    )


def f1_header(year: int, packet: int, t: float, car: int = 3) -> tuple[tuple[int, str, object], ...]:
    frame = round(60 * t)
    return (
        (0, "<H4B", (year, year % 100, 1, 2, 1)),
        (6, "<B", packet),
        (7, "<Q", 0xFEED0000BEEF),
        (15, "<f", t),
        (19, "<2I", (frame, frame)),
        (27, "<2B", (car, 255)),
    )


def f1(doing: Doing, t: float) -> bytes:
    """Motion of 2025: 22 cars of 60 bytes behind a header of 29; forward, right at 24, g-forces at 36, angles at 48."""
    x, y, z = (f / G for f in doing.felt)
    at = 29 + 60 * 3
    forward, left, _ = world(doing, 0.0)
    return put(
        1349,
        *f1_header(2025, 0, t),
        (at + 24, "<6h", tuple(round(32767 * c) for c in (*forward, *-left))),
        (at + 36, "<3f", (y, x, z)),
        (at + 48, "<3f", (-doing.heading, -doing.nose_up, doing.right_down)),
    )


def f1_2026(doing: Doing, t: float) -> bytes:
    """Motion of 2026: 24 cars of 54 bytes; g-forces in thousandths as int16."""
    x, y, z = (round(1000 * f / G) for f in doing.felt)
    at = 29 + 54 * 3
    forward, left, _ = world(doing, 0.0)
    return put(
        1325,
        *f1_header(2026, 0, t),
        (at + 24, "<6h", tuple(round(32767 * c) for c in (*forward, *-left))),
        (at + 36, "<3h", (y, x, z)),
        (at + 42, "<3f", (-doing.heading, -doing.nose_up, doing.right_down)),
    )


def f1_ex(doing: Doing, t: float, year: int = 2025) -> bytes:
    """MotionEx: angular velocity at 173, about axes x left, y up, z forward."""
    return put(
        273,
        *f1_header(year, 13, t),
        (173, "<3f", (-doing.noses_up, -doing.turns_right, doing.rolls_right)),
        (185, "<3f", (0.0, 0.0, 0.0)),
    )


def dcs(doing: Doing, t: float) -> bytes:
    """t; pitch, roll, yaw; rates about z right, x forward, y up, twice; loads along z, y, x; speed; angle of attack."""
    x, y, z = (f / G for f in doing.felt)
    rates = (doing.noses_up, doing.rolls_right, -doing.turns_right)
    numbers = (t, doing.nose_up, doing.right_down, doing.heading, *rates, *rates, -y, z, x, 400.0, 0.05)
    return ";".join(f"{number:.9f}" for number in numbers).encode()


def bridge(kind: bytes, t: float, *numbers: float) -> bytes:
    return b"MBSB" + kind + struct.pack("<IId", 1, round(60 * t), t) + struct.pack(f"<{len(numbers)}d", *numbers)


def msfs(doing: Doing, t: float) -> bytes:
    """ACCELERATION BODY X right, Y up, Z forward in feet; rotations positive nose down, right, left side down."""
    return bridge(
        b"MSFS",
        t,
        *(a / FOOT for a in (-doing.left, doing.up, doing.forward)),
        *(-doing.noses_up, doing.turns_right, -doing.rolls_right),
        *(0.0, 0.0, 0.0),
        *(-doing.nose_up, -doing.right_down, doing.heading),
        1.0,
    )


def iracing(doing: Doing, t: float) -> bytes:
    x, y, z = doing.felt
    return bridge(
        b"IRAC",
        t,
        *(y, x, z),
        *(doing.rolls_right, -doing.noses_up, -doing.turns_right),
        *(doing.right_down, -doing.nose_up, -doing.heading),
        1.0,
    )


def acc(doing: Doing, t: float) -> bytes:
    return bridge(
        b"ACC ",
        t,
        *(a / G for a in (-doing.left, doing.up, doing.forward)),
        *(-doing.noses_up, doing.turns_right, -doing.rolls_right),
        *(doing.heading, -doing.nose_up, -doing.right_down),
    )


BUILDERS: dict[str, Callable[[Doing, float], bytes]] = {
    "xplane": xplane,
    "xplane11": xplane11,
    "flightgear": flightgear,
    "flightgear-generic": flightgear_generic,
    "forza": forza,
    "beamng": beamng,
    "msfs": msfs,
    "iracing": iracing,
    "acc": acc,
    "codemasters": codemasters,
    "custom-udp": custom_udp,
    "dcs": dcs,
    "eawrc": eawrc,
    "f1": f1,
    "lfs": lfs,
}
BEFORE = {"f1": f1_ex}  # a datagram that comes before each of the others
T0 = 10.0  # [s] when the motion of the test begins

LEVEL = replace(Doing(), heading=0.5)
