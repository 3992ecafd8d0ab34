"""The record of a sphere on wheels over a hexapod: the hexapod's channels, then those of the sphere and its wheels."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from motionbase.record.faults import SPHERE_WARNINGS, WARNINGS
from motionbase.record.hexapod import Channels, hexapod_schema
from motionbase.record.schema import Channel, Schema

AXES = "xyz"


@cache
def sphere_schema(wheels: int, electric: bool = False) -> Schema:
    """The schema of a platform with `wheels` driven wheels, on a stage with hydraulic or electric legs."""
    stage = (
        replace(c, bits=(*WARNINGS, *SPHERE_WARNINGS)) if c.name == "warning" else c
        for c in hexapod_schema(electric).channels
    )
    return Schema("atlas", (*stage, *_sphere(), *(c for k in range(1, wheels + 1) for c in _wheel(k))))


def _sphere() -> Channels:
    for part in "wxyz":
        yield Channel(f"sphere_q_{part}", "-", f"orientation of the sphere, quaternion {part}", "sphere")
    for angle in ("roll", "pitch", "yaw"):
        yield Channel(f"sphere_{angle}", "rad", f"{angle} of the sphere, yaw then pitch then roll", "sphere")
    for axis in AXES:
        yield Channel(f"sphere_omega_{axis}", "rad/s", f"angular velocity of the sphere about world {axis}", "sphere")
    for part in "wxyz":
        yield Channel(f"sphere_ref_q_{part}", "-", f"orientation that is followed, quaternion {part}", "sphere_command")
    for axis in AXES:
        what = f"angular velocity that is followed, about world {axis}"
        yield Channel(f"sphere_ref_omega_{axis}", "rad/s", what, "sphere_command")
    yield Channel("sphere_error", "rad", "angle between the sphere and what it follows", "sphere_command")
    for axis in AXES:
        yield Channel(f"sphere_shift_{axis}", "m", f"of the sphere's centre in its support, world {axis}", "sphere")
    yield Channel("passive_normal_min", "N", "least normal force of a passive wheel", "sphere_support")
    yield Channel("passive_normal_max", "N", "largest normal force of a passive wheel", "sphere_support")


def _wheel(k: int) -> Channels:
    for name, unit, what in (
        ("speed", "rad/s", "speed about its axle"),
        ("torque", "N m", "torque of its motor, at the motor's shaft"),
        ("normal", "N", "normal force on the sphere"),
        ("force", "N", "force on the sphere along the roller that touches"),
        ("slip", "m/s", "speed at which the roller slides over the sphere"),
        ("slip_hat", "m/s", "the same as the control law sees it, filtered"),
        ("grip", "-", "traction that the law asks for, over what friction passes on at rest"),
    ):
        yield Channel(f"wheel{k}_{name}", unit, f"wheel {k}: {what}", "wheels")
