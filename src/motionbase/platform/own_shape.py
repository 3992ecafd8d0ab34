"""Dimensions of a hexapod's parts given by the user in the table [shape]; all are optional."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import final

import numpy as np

from motionbase.errors import PlatformError
from motionbase.multibody.body import Vector, numbers_of, shown
from motionbase.platform.parts import checked_number, checked_point
from motionbase.spatial.equals import first_least

Flat = tuple[float, float]
SIGNED = ("floor", "deck", "frame_low")  # heights, which may be below the joints
MAY_BE_NOTHING = ("pipe_radius", "catwalk_width", "floor_reach")
MOST_CORNERS = 64


@final
@dataclass(frozen=True)
class Cabin:
    """A box on the platform, for clearances.

    Attributes:
        size: (3,) along x, y and z of P [m]
        at: (3,) its centre in P [m]
    """

    size: Vector
    at: Vector

    def __post_init__(self) -> None:
        for name in ("size", "at"):
            object.__setattr__(self, name, checked_point("shape.cabin", name, getattr(self, name)))
        if min(self.size) <= 0:
            raise PlatformError(f"shape.cabin: size is {shown(self.size)} m, three numbers above 0 are wanted")


@final
@dataclass(frozen=True)
class OwnShape:
    """All in metres; None for unknown dimensions, which `motionbase.platform.shape` derives.

    Attributes:
        floor_reach: half the side of a square floor under the base; without it there is no floor
        catwalk_outline: (n, 2) corners in P of a walkway's outer edge, convex; instead of `catwalk_width`
        cabin: a box on the platform
    """

    cylinder_radius: float | None = None
    rod_radius: float | None = None
    tube_length: float | None = None
    rod_length: float | None = None
    base_fork: float | None = None
    platform_fork: float | None = None
    floor: float | None = None
    base_beam: float | None = None
    frame_low: float | None = None
    deck: float | None = None
    plate: float | None = None
    block: Vector | None = None
    block_from: float | None = None
    pipe_radius: float | None = None
    catwalk_width: float | None = None
    catwalk_rail: float | None = None
    floor_reach: float | None = None
    catwalk_outline: tuple[Flat, ...] = ()
    cabin: Cabin | None = None

    def __post_init__(self) -> None:
        for name in (field.name for field in fields(self)):
            value = getattr(self, name)
            if name == "catwalk_outline":
                object.__setattr__(self, name, convex_outline(value) if len(value) else ())
            elif name != "cabin" and value is not None:
                object.__setattr__(self, name, checked_size(name, value))
        if not isinstance(self.cabin, Cabin | None):
            raise PlatformError(f"shape: cabin is {shown(self.cabin)}, a table with size and at is wanted")
        if self.catwalk_outline and self.catwalk_width is not None:
            raise PlatformError(
                "shape: catwalk_outline and catwalk_width both say how far the catwalk goes; give one of them"
            )

    @property
    def given(self) -> dict[str, object]:
        """The known dimensions."""
        values = ((field.name, getattr(self, field.name)) for field in fields(self))
        return {name: value for name, value in values if value is not None and value != ()}


def checked_size(name: str, value: object) -> float | Vector:
    """One dimension of a shape: above zero, except for heights and for optional parts."""
    if name == "block":
        a, b, c = (checked_number("shape", "block", x, "m", above_zero=False) for x in _three(value))
        return a, b, c
    number = numbers_of(value)
    sign = -1.0 if name in SIGNED and number is not None and number.shape == () and number < 0 else 1.0
    held = -number if sign < 0 and number is not None else value
    return sign * checked_number("shape", name, held, "m", above_zero=name not in (*SIGNED, *MAY_BE_NOTHING))


def convex_outline(value: object) -> tuple[Flat, ...]:
    """Corners counter-clockwise from above; an outline that is not convex is refused."""
    corners = numbers_of(value)
    wanted = f"3 to {MOST_CORNERS} corners [x, y] of a convex outline, in order, are wanted"
    if corners is None or corners.ndim != 2 or corners.shape[1] != 2 or not np.all(np.isfinite(corners)):
        raise PlatformError(f"shape: catwalk_outline is {shown(value)}, {wanted}")
    if not 3 <= len(corners) <= MOST_CORNERS:
        raise PlatformError(f"shape: catwalk_outline has {len(corners)} corners, {wanted}")
    edges = np.roll(corners, -1, axis=0) - corners
    after = np.roll(edges, -1, axis=0)
    turns = edges[:, 0] * after[:, 1] - edges[:, 1] * after[:, 0]
    round_once = np.isclose(abs(np.arctan2(turns, np.sum(edges * after, axis=1)).sum()), 2 * np.pi)
    if not (np.all(turns > 0) or np.all(turns < 0)) or not round_once:
        bent = first_least(turns * np.sign(np.median(turns))) + 1
        raise PlatformError(f"shape: catwalk_outline does not turn one way at its corner {bent % len(corners) + 1}; "
                            f"{wanted}, or a file under [[meshes]]")  # fmt: skip
    ordered = corners if turns[0] > 0 else corners[::-1]
    return tuple((float(x), float(y)) for x, y in ordered)


def _three(value: object) -> tuple[object, object, object]:
    if not isinstance(value, tuple | list) or len(value) != 3:
        raise PlatformError(f"shape: block is {shown(value)}, three numbers are wanted: outwards, across, along")
    return value[0], value[1], value[2]
