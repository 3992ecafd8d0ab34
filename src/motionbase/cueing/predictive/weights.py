"""What predictive cueing minimises, and what it may use: weights, thresholds, and shares of the platform's limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import UsageError
from motionbase.platform.hexapod import Hexapod

Six = tuple[float, float, float, float, float, float]


@final
@dataclass(frozen=True)
class Weights:
    """Of squares, integrated over the horizon. All but those of errors are illustrative.

    Errors are in thresholds of perception; positions, velocities, accelerations and jerks in shares of the platform's
    limits, the jerk in largest accelerations per second.

    Attributes:
        error: of the six channels: specific force x, y, z, angular rate x, y, z
        position, velocity, acceleration, jerk: of the six degrees of freedom
        end: of the position in which a second more at the velocity of the horizon's end would end, times one second
        false_rate: of turning that the vehicle does not do, beyond the threshold
        slack: of leaving a limit by all of it, linear: so high that this happens only where it must
    """

    error: Six = (1.0, 1.0, 1.0, 1.0, 1.0, 1.0)
    position: Six = (2.0, 2.0, 0.3, 0.5, 0.5, 1.0)
    velocity: Six = (1.0, 1.0, 0.5, 0.2, 0.2, 0.5)
    acceleration: Six = (0.5, 0.5, 0.5, 0.5, 0.5, 0.5)
    jerk: Six = (0.05, 0.05, 0.05, 0.05, 0.05, 0.05)
    end: Six = (2.0, 2.0, 0.3, 0.5, 0.5, 1.0)
    false_rate: float = 20.0
    slack: float = 1e5

    def __post_init__(self) -> None:
        for name in ("error", "position", "velocity", "acceleration", "jerk", "end"):
            row = getattr(self, name)
            if len(row) != 6 or not all(0 <= x < np.inf for x in row):
                raise UsageError(f"predictive cueing: weights of {name} are {row}, six numbers from 0 are wanted")
        for name in ("false_rate", "slack"):
            if not 0 < getattr(self, name) < np.inf:
                raise UsageError(f"predictive cueing: {name} is {getattr(self, name)!r}, a number above 0 is wanted")
        if not min(self.acceleration) + min(self.jerk) > 0:
            raise UsageError(
                "predictive cueing: weights of acceleration or jerk must be above 0, or there is no optimum"
            )


class Limits(NamedTuple):
    """What cueing may use.

    Attributes:
        l_min, l_max: of every leg [m]
        leg: largest rate and acceleration of a leg [m/s], [m/s^2]
        braking: acceleration with which a leg can always be stopped before its end [m/s^2]
        dof: (3, 6) largest position, velocity, acceleration of the degrees of freedom
    """

    l_min: float
    l_max: float
    leg: tuple[float, float]
    braking: float
    dof: Array

    @property
    def braking_time(self) -> float:
        """Legs with l + braking_time l' within the stroke can be stopped there by the braking acceleration [s].

        The chord v = d / T of v = sqrt(2 a d), which it meets at the largest rate.
        """
        return self.leg[0] / (2 * self.braking)


def limits_of(platform: Hexapod, margin: float = 0.02, share: float = 0.95) -> Limits:
    """Those of the platform, less a margin of the stroke [m]; of everything else a share."""
    stroke, most = platform.stroke, platform.limits
    dof = np.array([most.position, most.velocity, most.acceleration], dtype=np.float64)
    dof *= share
    leg = most.leg_velocity * share, most.leg_acceleration * share
    return Limits(stroke.l_min + margin, stroke.l_max - margin, leg, most.leg_braking, dof)
