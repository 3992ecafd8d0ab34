"""A joint: the bodies it connects, its position, and how the child may move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from motionbase.errors import ModelError
from motionbase.multibody.body import ZERO, Vector, check_name, checked_vector, numbers_of, shown
from motionbase.multibody.joints import AbstractMotion

IDENTITY = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def checked_rotation(owner: str, value: object) -> tuple[Vector, Vector, Vector]:
    """A 3x3 rotation matrix."""
    R = numbers_of(value)
    if R is None or R.shape != (3, 3) or not np.all(np.isfinite(R)):
        raise ModelError(f"{owner}: orientation is {shown(value)}, a 3x3 rotation matrix is wanted")
    if not np.allclose(R @ R.T, np.eye(3), atol=1e-9) or np.linalg.det(R) < 0:
        raise ModelError(f"{owner}: orientation {shown(R.tolist())} must be a rotation: R R' = 1, determinant 1")
    x, y, z = (checked_vector(owner, "orientation", row) for row in R)
    return (x, y, z)


@final
@dataclass(frozen=True)
class Joint:
    """Joins a child to its parent; the child's frame is the joint's moving frame.

    Attributes:
        motion: permitted motion of the child
        position: position of the joint in the parent's frame [m], or the name of one of the parent's points
        orientation: (3, 3) R_pj of the joint frame in the parent
    """

    name: str
    parent: str
    child: str
    motion: AbstractMotion
    position: Vector | str = ZERO
    orientation: tuple[Vector, Vector, Vector] = IDENTITY

    def __post_init__(self) -> None:
        check_name("joint", self.name)
        owner = f"joint {self.name!r}"
        for what in ("parent", "child"):
            if not isinstance(end := getattr(self, what), str):
                raise ModelError(f"{owner}: {what} is {shown(end)}, the name of a body is wanted")
        if not isinstance(self.motion, AbstractMotion):
            raise ModelError(f"{owner}: motion is {shown(self.motion)}, one like revolute((0, 0, 1)) is wanted")
        self.motion.check(owner)
        if not isinstance(self.position, str):
            object.__setattr__(self, "position", checked_vector(owner, "position", self.position))
        object.__setattr__(self, "orientation", checked_rotation(owner, self.orientation))
