"""Universal joints at both ends of the legs, as data: how they are mounted, and how far their bearings turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np
from numpy.typing import NDArray

from motionbase.errors import PlatformError
from motionbase.multibody.body import numbers_of, shown

if TYPE_CHECKING:
    from motionbase.platform.hexapod import Hexapod

Array = NDArray[np.float64]
Pair = tuple[float, float]
BEARINGS = ("base", "platform")
STRAIGHT = 0.5 * np.pi  # where the second bearing would line up with the first, and the first has no angle


@final
@dataclass(frozen=True)
class Gimbals:
    """Each has two bearings in cascade: the first is fixed in base or platform, the second carries the leg.

    Angles are 0 at neutral, where the first bearing is horizontal and normal to the leg, the second normal to both.

    Attributes:
        base, platform: how far the first and the second bearing turn from neutral, either way [rad]
    """

    base: Pair = (STRAIGHT, STRAIGHT)
    platform: Pair = (STRAIGHT, STRAIGHT)

    def __post_init__(self) -> None:
        for name in BEARINGS:
            array = numbers_of(getattr(self, name))
            if array is None or array.shape != (2,) or not np.all((array > 0) & (array <= STRAIGHT)):
                raise PlatformError(
                    f"gimbals: {name} is {shown(getattr(self, name))}, two angles above 0 and up to {STRAIGHT:.4f} rad "
                    "are wanted, of the first and the second bearing"
                )
            object.__setattr__(self, name, (float(array[0]), float(array[1])))


def neutral_frames(platform: Hexapod) -> Array:
    """(6, 3, 3) axes of the joints of each leg at neutral, as columns in W: first bearing, second bearing, the leg."""
    return leg_axes(np.asarray(platform.p_neutral) + np.asarray(platform.joints) - np.asarray(platform.base))


def leg_axes(legs: Array) -> Array:
    """(n, 3, 3) axes of legs with these (n, 3) vectors from base to platform joint: x horizontal, z along the leg."""
    frames = []
    for z in legs / np.linalg.norm(legs, axis=1)[:, None]:
        x = np.cross([0.0, 0.0, 1.0], z)
        x = x / np.linalg.norm(x) if np.linalg.norm(x) > 1e-9 else np.array([1.0, 0.0, 0.0])
        frames.append(np.column_stack([x, np.cross(z, x), z]))
    return np.array(frames)
