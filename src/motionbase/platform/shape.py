"""Dimensions of a hexapod's drawn parts: leg tubes, rods, forks, frames, manifolds, pipes, catwalk, floor, cabin.

These are not published. They are derived from joints, strokes and piston areas, so that every platform has a machine
that could be built: neighbouring forks are clear of each other, frames are clear of the joints that they carry. A user
can give better values in the platform's [shape], or with `dataclasses.replace`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import Any, final

import numpy as np

from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.arrays import Array
from motionbase.errors import PlatformError
from motionbase.platform.gimbals import joint_frames, neutral_frames
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.own_shape import Cabin, Flat, checked_size

WALL = 1.25  # outer radius of a cylinder over that of its piston
SLIM = 0.03  # radius of a cylinder over the retracted leg, if nothing is known about it
ROD_SHARE = 0.6  # of a cylinder's radius, if the areas do not give it
OVERLAP = 0.12  # of the tube's length, still over the rod at full extension
BASE_HALF, PLATFORM_HALF = 1.7, 2.0  # half the width of a fork with its pin, over its size
SPARE = 0.9  # of the space between neighbouring joints, for their two forks
FORK_ABOVE = 2.0  # lowest side of the platform's frame above the joints, over the size of their forks
BLOCK_CLEAR = 2.4  # start of manifold or motor, over the size of the base fork below
CATWALK = 0.35  # width of a catwalk, over the radius of the platform's joints
NO_SIZES = ("catwalk_outline", "cabin")


@final
@dataclass(frozen=True)
class Shape:
    """All in metres; all legs are equal.

    Attributes:
        cylinder_radius: outer radius of the cylinder
        rod_radius: radius of the rod
        tube_length: from the base joint to the gland, where the rod comes out
        rod_length: from the platform joint to the piston
        base_fork: size of the forks at the base; cheeks, pins and crosses are multiples of it
        platform_fork: size of the forks at the platform
        floor: height in W of the floor under the base frame
        base_beam: height of the beams on the floor
        frame_low: height in P of the lowest side of the platform's frame
        deck: height in P of the upper side of its deck
        plate: thickness of the deck
        block: manifold or motor on each cylinder: outwards, across, along the leg; 0 outwards for none
        block_from: start of manifold or motor, from the base joint
        pipe_radius: radius of the two hard pipes from manifold to gland; 0 for none
        catwalk_width: width of a walkway around the deck; 0 for none
        catwalk_rail: height of the walkway's rail above the deck
        floor_reach: half the side of the square floor that counts for clearances; 0 for none
        catwalk_outline: (n, 2) corners in P of a walkway's outer edge, instead of its width
        cabin: a box on the platform, for clearances
    """

    cylinder_radius: float
    rod_radius: float
    tube_length: float
    rod_length: float
    base_fork: float
    platform_fork: float
    floor: float
    base_beam: float
    frame_low: float
    deck: float
    plate: float
    block: tuple[float, float, float]
    block_from: float
    pipe_radius: float = 0.0
    catwalk_width: float = 0.0
    catwalk_rail: float = 1.1
    floor_reach: float = 0.0
    catwalk_outline: tuple[Flat, ...] = ()
    cabin: Cabin | None = None

    def __post_init__(self) -> None:
        for name in (field.name for field in fields(self)):
            if name not in NO_SIZES:
                object.__setattr__(self, name, checked_size(name, getattr(self, name)))


def radii(platform: Hexapod) -> tuple[float, float]:
    """Radii of cylinder and rod [m]: the user's, or from the piston areas if there are any, else typical ones."""
    cylinder, rod = _derived_radii(platform)
    return platform.shape.cylinder_radius or cylinder, platform.shape.rod_radius or rod


def _derived_radii(platform: Hexapod) -> tuple[float, float]:
    retracted, actuator = platform.stroke.hard_min, platform.actuator
    if isinstance(actuator, HydraulicActuator):
        cylinder = WALL * math.sqrt(actuator.area_cap / math.pi)
        rod = math.sqrt(max(0.0, actuator.area_cap - actuator.area_rod) / math.pi)
        return cylinder, rod if rod > 0.2 * cylinder else ROD_SHARE * cylinder
    return SLIM * retracted, ROD_SHARE * SLIM * retracted


def shape_of(platform: Hexapod, *, catwalk: bool | None = None) -> Shape:
    """The shape given by the platform, completed by derived dimensions.

    Args:
        catwalk: whether there is one; None to use the platform's setting
    """
    own: dict[str, Any] = platform.shape.given
    base, joints, stroke = np.asarray(platform.base), np.asarray(platform.joints), platform.stroke
    size, upper = mean_radius(base), mean_radius(joints)
    r, rod = radii(platform)
    usual = max(1.1 * r, 0.032 * size)
    base_fork = own.get("base_fork", min(usual, SPARE * least_spacing(base) / (2 * BASE_HALF)))
    platform_fork = own.get("platform_fork", min(0.7 * usual, SPARE * least_spacing(joints) / (2 * PLATFORM_HALF)))
    highest = float(joints[:, 2].max())
    frame_low = own.get("frame_low", highest + FORK_ABOVE * platform_fork)
    tube = own.get("tube_length", stroke.hard_min - max(0.1 * stroke.hard_min, 3.2 * rod))
    if catwalk is not None:
        own = {key: value for key, value in own.items() if catwalk or not key.startswith("catwalk")}
        if catwalk and not {"catwalk_width", "catwalk_outline"} & own.keys():
            own = {**own, "catwalk_width": CATWALK * upper}
    derived = Shape(
        cylinder_radius=r,
        rod_radius=rod,
        tube_length=tube,
        rod_length=min(stroke.hard_max - tube + OVERLAP * tube, 0.97 * stroke.hard_min),
        base_fork=base_fork,
        platform_fork=platform_fork,
        floor=float(base[:, 2].min()) - max(0.15 * size, 3.5 * r),
        base_beam=0.09 * size,
        frame_low=frame_low,
        deck=max(highest + 0.13 * upper, frame_low + 0.08 * upper),
        plate=0.03 * upper,
        block=(0.9 * r, 1.2 * r, 3.4 * r),
        block_from=max(2.5 * r, BLOCK_CLEAR * base_fork),
        pipe_radius=0.13 * r if isinstance(platform.actuator, HydraulicActuator) else 0.0,
    )
    return replace(derived, **own)


def check_fit(platform: Hexapod) -> None:
    """Refuse dimensions with which no leg could be built."""
    shape, stroke = shape_of(platform), platform.stroke
    if shape.rod_radius >= shape.cylinder_radius:
        raise PlatformError(
            f"shape: rod_radius is {shape.rod_radius:g} m, it must be below cylinder_radius, "
            f"{shape.cylinder_radius:g} m"
        )
    for name in ("tube_length", "rod_length"):
        if getattr(shape, name) >= stroke.hard_min:
            raise PlatformError(
                f"shape: {name} is {getattr(shape, name):g} m, it must be below the retracted leg, "
                f"{stroke.hard_min:g} m"
            )
    if shape.tube_length + shape.rod_length <= stroke.hard_max:
        raise PlatformError(
            f"shape: tube_length {shape.tube_length:g} m and rod_length {shape.rod_length:g} m together must be more "
            f"than the extended leg, {stroke.hard_max:g} m: the rod would leave its tube"
        )
    if shape.deck <= shape.frame_low + shape.plate:
        raise PlatformError(
            f"shape: deck is {shape.deck:g} m, it must be above frame_low and plate together, "
            f"{shape.frame_low + shape.plate:g} m"
        )


def mean_radius(points: Array) -> float:
    """Mean radius of points about the vertical axis [m]."""
    return float(np.hypot(points[:, 0], points[:, 1]).mean())


def outward_angles(platform: Hexapod, end: str = "base") -> Array:
    """(6,) angle about each leg of the side that faces away from the centre at neutral [rad].

    From the x axis of the cylinder's frame at "base", of the rod's at "platform". Manifolds are on that side, and the x
    axis of a mesh file of a cylinder or rod points there.
    """
    feet = np.asarray(platform.base) * [1.0, 1.0, 0.0]
    y, legs = joint_frames(platform, end)[:, :, 1], neutral_frames(platform)[:, :, 2]
    seen = np.stack([np.sum(np.cross(y, legs) * feet, axis=1), np.sum(y * feet, axis=1)], axis=1)
    return np.asarray(np.arctan2(seen[:, 1], seen[:, 0]))


def least_spacing(points: Array) -> float:
    """Smallest distance between any two of the points [m]."""
    apart = np.linalg.norm(points[:, None] - points[None], axis=2)
    return float(apart[~np.eye(len(points), dtype=bool)].min())
