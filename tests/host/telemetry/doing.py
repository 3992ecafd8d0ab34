"""What a vehicle does, in words that need no axes."""

from dataclasses import dataclass
from math import cos, radians, sin

import numpy as np

from motionbase.arrays import Array

G = 9.80665


@dataclass(frozen=True)
class Doing:
    """What a vehicle does: accelerations are kinematic, as a camera beside the road sees them.

    Attributes:
        forward, left, up: acceleration along the axes of the vehicle [m/s^2]
        nose_up, right_down: pitch and roll [rad]; heading: clockwise from above [rad]
        rolls_right, noses_up, turns_right: rates about the axes of the vehicle [rad/s]
    """

    forward: float = 0.0
    left: float = 0.0
    up: float = 0.0
    nose_up: float = 0.0
    right_down: float = 0.0
    heading: float = 0.0
    rolls_right: float = 0.0
    noses_up: float = 0.0
    turns_right: float = 0.0

    @property
    def felt(self) -> tuple[float, float, float]:
        """Specific force forward, left, up: the acceleration, and 1 g away from the ground."""
        x, y, z = up_seen(self)
        return self.forward + G * x, self.left + G * y, self.up + G * z


def up_seen(doing: Doing) -> Array:
    """The world's up in axes forward, left, up, by two turns: nose up first, then right wing down."""
    nosed = np.array([sin(doing.nose_up), 0.0, cos(doing.nose_up)])
    r = doing.right_down  # the left side rises: up leans to the left side of the vehicle
    turn = np.array([[1, 0, 0], [0, cos(r), sin(r)], [0, -sin(r), cos(r)]])
    seen: Array = turn @ nosed
    return seen


DOINGS = {
    "rest": Doing(heading=0.7),
    "rest nose up": Doing(nose_up=radians(10), heading=-2.0),
    "rest right side down": Doing(right_down=radians(20)),
    "braking": Doing(forward=-6.0),
    "right turn": Doing(left=-4.0, turns_right=0.3),
    "climbing": Doing(up=5.0, nose_up=radians(12), noses_up=0.2),
    "everything": Doing(1.0, -2.0, 3.0, 0.2, -0.3, 1.0, 0.4, -0.5, 0.6),
}
