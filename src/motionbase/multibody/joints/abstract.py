"""Interface of joint motions for the formulations."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

from motionbase.spatial import Transform
from motionbase.spatial.rotations import Expr


@final
@dataclass(frozen=True)
class JointMotion:
    """A joint at one instant; spatial vectors are those of the child relative to the joint frame, in the child frame.

    Attributes:
        T: T_jc, child coordinates to joint frame
        S: (6, nv) motion subspace: velocity = S v
        velocity: (6,) S v
        bias: (6,) S_dot v, as seen in the child
    """

    T: Transform
    S: Expr
    velocity: Expr
    bias: Expr


class AbstractMotion(ABC):
    """The kind of a joint: coordinates q (nq), speeds v (nv), and how they move the child."""

    @property
    @abstractmethod
    def nq(self) -> int:
        """Number of coordinates."""

    @property
    @abstractmethod
    def nv(self) -> int:
        """Number of speeds."""

    @property
    @abstractmethod
    def units(self) -> tuple[str, ...]:
        """Unit of each speed's integral: "rad" or "m"."""

    @property
    @abstractmethod
    def neutral(self) -> tuple[float, ...]:
        """Coordinates at which the child frame is the joint frame."""

    @property
    def has_quaternion(self) -> bool:
        """Whether the last four coordinates are a unit quaternion."""
        return self.nq != self.nv

    def check(self, owner: str) -> None:
        """Raise ModelError if the motion is not valid; `owner` names the joint."""
        return

    @abstractmethod
    def motion(self, q: Expr, v: Expr) -> JointMotion:
        """Transform, subspace, velocity and bias."""

    @abstractmethod
    def rate(self, q: Expr, v: Expr) -> Expr:
        """(nq,) time derivative of the coordinates."""
