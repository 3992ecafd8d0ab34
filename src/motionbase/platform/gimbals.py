"""Universal joints at both ends of the legs, as data: their orientation, and the range of their bearings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import PlatformError
from motionbase.multibody.body import numbers_of, shown
from motionbase.spatial.equals import first_least

if TYPE_CHECKING:
    from motionbase.platform.hexapod import Hexapod

Pair = tuple[float, float]
Axes = tuple[tuple[float, float, float], ...]
BEARINGS = ("base", "platform")
LEAST_ANGLE = np.radians(20.0)  # of a first bearing to its leg at neutral: if parallel, the second has no direction
STRAIGHT = 0.5 * np.pi  # where the second bearing would align with the first, and the first has no angle


@final
@dataclass(frozen=True)
class Gimbals:
    """Each joint has two bearings in series: the first is fixed in base or platform, the second carries the leg.

    Angles are 0 at neutral. If no axes are given, the first bearing is horizontal there and normal to the leg; the
    second is always normal to the first and to the leg.

    Attributes:
        base, platform: range of the first and the second bearing from neutral, in both directions [rad]
        base_axes, platform_axes: (6, 3) unit vectors of the first bearings, in W and in P; none if not known
    """

    base: Pair = (STRAIGHT, STRAIGHT)
    platform: Pair = (STRAIGHT, STRAIGHT)
    base_axes: Axes = ()
    platform_axes: Axes = ()

    def __post_init__(self) -> None:
        for name in ("base_axes", "platform_axes"):
            object.__setattr__(self, name, _unit_axes(name, getattr(self, name)))
        for name in BEARINGS:
            array = numbers_of(getattr(self, name))
            if array is None or array.shape != (2,) or not np.all((array > 0) & (array <= STRAIGHT)):
                raise PlatformError(
                    f"gimbals: {name} is {shown(getattr(self, name))}, two angles above 0 and up to {STRAIGHT:.4f} rad "
                    "are wanted, of the first and the second bearing"
                )
            object.__setattr__(self, name, (float(array[0]), float(array[1])))


def _unit_axes(name: str, value: object) -> Axes:
    if isinstance(value, tuple | list) and not value:
        return ()
    array = numbers_of(value)
    wrong = array is None or array.shape != (6, 3) or not np.all(np.isfinite(array))
    if array is None or wrong or not np.all(np.linalg.norm(array, axis=1) > 0):
        raise PlatformError(
            f"gimbals: {name} are {shown(value)}, six directions [x, y, z] of the first bearings are wanted"
        )
    units = array / np.linalg.norm(array, axis=1)[:, None]
    return tuple((float(x), float(y), float(z)) for x, y, z in units)


def check_axes(gimbals: Gimbals, legs: Array) -> None:
    """Refuse first bearings that are nearly parallel to (6, 3) legs at neutral."""
    along = legs / np.linalg.norm(legs, axis=1)[:, None]
    for name in BEARINGS:
        axes = getattr(gimbals, f"{name}_axes")
        if not axes:
            continue
        angles = np.arccos(np.minimum(1.0, np.abs(np.sum(np.asarray(axes) * along, axis=1))))
        if angles.min() < LEAST_ANGLE:
            leg = first_least(angles) + 1
            raise PlatformError(
                f"gimbals: {name}_axes of leg {leg} is {np.degrees(angles.min()):.1f} degrees from the "
                f"leg at neutral, where the second bearing has no direction; at least {np.degrees(LEAST_ANGLE):.0f} "
                "are wanted"
            )


def first_bearings(platform: Hexapod, end: str) -> Array:
    """(6, 3) unit vectors of the first bearings at "base" or "platform", at neutral, in W."""
    known = getattr(platform.gimbals, f"{end}_axes")
    return np.array(known) if known else neutral_frames(platform)[:, :, 0]


def joint_frames(platform: Hexapod, end: str) -> Array:
    """(6, 3, 3) axes of the joints at one end at neutral, as columns in W: first bearing, second bearing, the third.

    The third is the leg, or its component normal to a first bearing that is not normal to the leg.
    """
    if not getattr(platform.gimbals, f"{end}_axes"):
        return neutral_frames(platform)
    x, legs = first_bearings(platform, end), neutral_frames(platform)[:, :, 2]
    y = np.cross(legs, x)
    y /= np.linalg.norm(y, axis=1)[:, None]
    return np.stack([x, y, np.cross(x, y)], axis=2)


def neutral_frames(platform: Hexapod) -> Array:
    """(6, 3, 3) axes of each leg at neutral, as columns in W: horizontal, normal to that and the leg, the leg."""
    return leg_axes(np.asarray(platform.p_neutral) + np.asarray(platform.joints) - np.asarray(platform.base))


def leg_axes(legs: Array) -> Array:
    """(n, 3, 3) axes of legs with these (n, 3) vectors from base to platform joint: x horizontal, z along the leg."""
    frames = []
    for z in legs / np.linalg.norm(legs, axis=1)[:, None]:
        x = np.cross([0.0, 0.0, 1.0], z)
        x = x / np.linalg.norm(x) if np.linalg.norm(x) > 1e-9 else np.array([1.0, 0.0, 0.0])
        frames.append(np.column_stack([x, np.cross(z, x), z]))
    return np.array(frames)
