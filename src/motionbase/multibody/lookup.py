"""Finding joints, bodies and points by name for elements and closures, with errors that list the existing names."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from motionbase.errors import ModelError
from motionbase.multibody.body import GROUND, ZERO, Vector, checked_vector, numbers_of, shown

if TYPE_CHECKING:
    from motionbase.multibody.model import Model

Point = str | Vector  # a named point of a body, or coordinates in its frame [m]

__all__ = ["GROUND", "ZERO", "Point", "Vector"]


def listed(names: Iterable[str]) -> str:
    """Up to eight names, or "none"."""
    found = list(names)
    return ", ".join(found[:8]) + (f" ... ({len(found)} in all)" if len(found) > 8 else "") if found else "none"


def checked_point(owner: str, what: str, point: Point) -> Point:
    """A point's name, or three finite numbers."""
    return point if isinstance(point, str) else checked_vector(owner, what, point)


def checked_number(owner: str, what: str, value: float, unit: str, *, least: float = -math.inf) -> float:
    """A finite number, not below `least`."""
    number = None if isinstance(value, bool) else numbers_of(value)
    if number is None or number.shape != () or not math.isfinite(number):
        raise ModelError(f"{owner}: {what} is {f'{shown(value)} {unit}'.rstrip()}, a finite number is wanted")
    if value < least:
        raise ModelError(f"{owner}: {what} is {value:g} {unit}, it must be at least {least:g}")
    return float(value)


def checked_positive(owner: str, what: str, value: float, unit: str) -> float:
    """A finite number above zero."""
    if checked_number(owner, what, value, unit) <= 0.0:
        raise ModelError(f"{owner}: {what} is {value:g} {unit}, it must be positive")
    return float(value)


def check_place(owner: str, model: Model, body: str, point: Point, *, ground: bool = True) -> None:
    """Check that the body exists (or is the ground, if permitted) and has the point."""
    if not isinstance(body, str):
        raise ModelError(f"{owner}: body is {shown(body)}, the name of a body is wanted")
    if body == GROUND:
        if not ground:
            raise ModelError(f"{owner}: the ground cannot be pushed; bodies: {listed(model.index)}")
        if isinstance(point, str):
            raise ModelError(f"{owner}: the ground has no point {point!r}; give coordinates")
        return
    if body not in model.index:
        also = f", {GROUND}" if ground else ""
        raise ModelError(f"{owner}: body {body!r} not found; bodies: {listed(model.index)}{also}")
    points = model.body(body).points
    if isinstance(point, str) and point not in points:
        raise ModelError(f"{owner}: body {body!r} has no point {point!r}; points: {listed(points)}")


def joint_speed(owner: str, model: Model, joint: str, axis: int) -> int:
    """Index in v of one of a joint's speeds."""
    names = [j.name for j in model.joints]
    if joint not in names:
        raise ModelError(f"{owner}: joint {joint!r} not found; joints: {listed(names)}")
    k = names.index(joint)
    nv = model.joints[k].motion.nv
    if not isinstance(axis, int | np.integer) or isinstance(axis, bool):
        raise ModelError(f"{owner}: axis is {shown(axis)}, a whole number from 0 is wanted")
    if not 0 <= axis < nv:
        has = f"its axes are 0 to {nv - 1}" if nv else "it does not move"
        raise ModelError(f"{owner}: joint {joint!r} has no axis {axis}; {has}")
    return int(model.v_slices[k][0].start) + axis


def joint_coordinate(owner: str, model: Model, joint: str, axis: int) -> tuple[int, int]:
    """Indices in q and v of one of a joint's axes; a joint with a quaternion has no coordinate for each axis."""
    at_v = joint_speed(owner, model, joint, axis)
    k = [j.name for j in model.joints].index(joint)
    if model.joints[k].motion.has_quaternion:
        kind = type(model.joints[k].motion).__name__.lower()
        raise ModelError(
            f"{owner}: joint {joint!r} is {kind}, its orientation is a quaternion and has no angle for each axis; "
            "use a joint of turns, or a Custom element"
        )
    return int(model.q_slices[k][0].start) + axis, at_v
