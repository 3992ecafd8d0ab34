"""Ports of a cueing algorithm: a vehicle's motion in, the demand for the control law and what a person feels out."""

from __future__ import annotations

import casadi as ca

from motionbase.compile import Port, Struct, q
from motionbase.compile.struct import MIXED
from motionbase.record.cueing import SINGLE
from motionbase.record.vehicle import VECTORS

SX = ca.SX


class Vehicle(Struct):
    """Motion of the vehicle at the point that the host tells, x forward, y left, z up; order as in `record.vehicle`."""

    f: SX = q("m/s^2", 3, VECTORS["f"][1].format(axis="x, y, z"))
    omega: SX = q("rad/s", 3, VECTORS["omega"][1].format(axis="x, y, z"))
    alpha: SX = q("rad/s^2", 3, VECTORS["alpha"][1].format(axis="x, y, z"))
    attitude: SX = q("rad", 3, "roll, pitch, yaw (ZYX)")
    on_ground: SX = q("-", text="1 on the ground, 0 in the air")


VEHICLE = Vehicle.port("vehicle", "the newest sample")
COUNT = Port("vehicle_count", (), "-", "samples since the start; a change brings a new one")
ASKED_COUNT = Port("host_count", (), "-", "frames for the law: it stands still while the host is silent")
FRAME = Port("host_frame", (3, 6), MIXED, "demand: positions, velocities, accelerations of the degrees of freedom")
ROWS = tuple(
    Port(name, 6, MIXED, text)
    for name, text in (
        ("demand", "specific force and angular rate of the vehicle at the pilot's head"),
        ("cue", "the same of the platform's commanded motion"),
        ("felt_vehicle", "the vehicle's as a person feels them"),
        ("felt_cue", "the platform's as a person feels them"),
    )
)
SHOWN = tuple(Port.of(quantity) for quantity in SINGLE.values() if quantity.name != "cue_late")
OUTPUTS = (FRAME, ASKED_COUNT, *ROWS, *SHOWN)
